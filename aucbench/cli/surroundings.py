"""What a command finds around it: closed streams, signals, and limits that leave too little.

Design
  a. Limits that are far too low are refused before anything is imported: with them, libraries end
     the process by messages of their own, or by an interrupt that nobody sent.
  b. With others, a library may raise nearly anything where it gets no memory or no thread.
  c. SIGTERM and SIGHUP end a command as Ctrl-C does: its processes and temporary folders go too.
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

from aucbench.processes.host import limit_of_addresses, limit_of_tasks

LEAST_MEMORY = 512 << 20  # bytes of addresses, which the libraries take before any data
LEAST_TASKS = 16  # processes and threads of a user
CUT_OFF = 1  # exit code
# Of a stream that nobody reads, and of one that takes no more.
CLOSED = {errno.EPIPE, errno.EINVAL if sys.platform == "win32" else errno.EPIPE}
LOST = CLOSED | {errno.ENOSPC, errno.EIO, errno.EDQUOT}
OUT_OF = (errno.ENOMEM, errno.EAGAIN)
SAID = ("can't start new thread", "failed to map segment", "without setting an exception")
TOO_LITTLE = (
    "the system gives no more memory, processes or threads ({reason}); raise the limits that "
    "`ulimit -a` shows, or end other programs"
)
SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # the last two depend on the system
SIGNALS = tuple(getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name))
# Seconds within which another signal is part of the same wish, and does not end the clearing up:
# a terminal that is closed sends SIGHUP twice.
TOGETHER = 2.0


def refusal() -> str | None:
    """Return why a command cannot begin; None where it can."""
    if sys.stdout is None:
        return "stdout is closed; redirect it to a file, or to /dev/null"
    memory, tasks = limit_of_addresses(), limit_of_tasks()
    if memory is not None and memory < LEAST_MEMORY:
        return (
            f"the memory of a process is limited to {memory >> 20} MiB, and the libraries take "
            f"{LEAST_MEMORY >> 20} MiB before any data; raise the limit, `ulimit -v`"
        )
    if tasks is not None and tasks < LEAST_TASKS:
        return (
            f"this user may have {tasks} processes and threads, and a command needs up to "
            f"{LEAST_TASKS}; raise the limit, `ulimit -u`"
        )
    return None


def shortage(error: BaseException) -> str | None:
    """Return a sentence about an exception that means a lack of memory or threads, or None."""
    lacks = isinstance(error, MemoryError) or getattr(error, "errno", None) in OUT_OF
    if not lacks and not any(said in str(error) for said in SAID):
        return None
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return TOO_LITTLE.format(reason=reason)


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
