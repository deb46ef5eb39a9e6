"""What a command finds around it: closed streams and signals.

SIGTERM and SIGHUP end a command as Ctrl-C does: its processes and temporary folders go too.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from math import inf
from pathlib import Path
from time import monotonic
from types import FrameType

CUT_OFF = 1  # exit code
# Of a stream that nobody reads, and of one that takes no more.
CLOSED = {errno.EPIPE, errno.EINVAL if sys.platform == "win32" else errno.EPIPE}
LOST = CLOSED | {errno.ENOSPC, errno.EIO, errno.EDQUOT}
SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # the last two depend on the system
SIGNALS = tuple(getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name))
# Seconds within which another signal is part of the same wish, and does not end the clearing up:
# a terminal that is closed sends SIGHUP twice.
TOGETHER = 2.0


def open_closed_streams() -> None:
    """Let closed stdin and stderr be /dev/null: else another file would take their numbers."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - it stays open
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def unwritten() -> str | None:
    """Write what stdout holds back; return why that is impossible."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return lost(error)
    return None


def lost(error: OSError) -> str | None:
    """Return a sentence about an exception that means a lost stdout, which is then given up.

    Else Python would try to write to it once more at its end, and say so. None for another
    exception, such as one about a file that has a name.
    """
    if error.errno not in LOST or error.filename is not None:
        return None
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
    why = "it was closed" if error.errno in CLOSED else os.strerror(error.errno)
    return f"not all of the answer was written to stdout: {why}"


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
