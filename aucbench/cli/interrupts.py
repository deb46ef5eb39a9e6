"""SIGTERM and SIGHUP end a command as Ctrl-C does: its processes and temporary folders go too."""

from __future__ import annotations

import signal
from math import inf
from time import monotonic
from types import FrameType

NAMES = (
    "SIGINT",
    "SIGTERM",
    "SIGHUP",
    "SIGBREAK",
)  # the third is not on Windows, the last there only
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
# Seconds within which another signal is part of the same wish, and does not end the clearing up:
# a terminal that is closed sends SIGHUP twice.
TOGETHER = 2.0


def interrupt_on_signals() -> None:
    """Let the signals raise KeyboardInterrupt, except those that are ignored, as by `nohup`."""
    last = -inf

    def interrupt(_: int, __: FrameType | None) -> None:
        nonlocal last
        if monotonic() - last > TOGETHER:
            last = monotonic()
            raise KeyboardInterrupt

    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
