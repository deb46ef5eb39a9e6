"""How calls end that break a limit or die, in the words that every supervisor has for it."""

from __future__ import annotations

import signal

from aucbench.processes.answers import MOST_FILES, MOST_STREAM
from aucbench.processes.records import Ending, Outcome

MOST_PROCESSES = 500
NEAR = 0.9  # of the memory budget: a process that dies above it ran out of memory
KILL_PATIENCE = 10.0  # seconds for processes to end after SIGKILL
MOST_STOPS = 3  # times that a process which was stopped is continued
TAIL = 2**14  # bytes of output that are kept, with the stacks of Python
MOST_STACKS = 2**13  # bytes of these; the innermost calls come first
AGAIN = "; it ended like this again as the only job"
# Signals that no fault of a process raises: it, another one or the kernel has sent them.
SENDABLE = tuple(
    getattr(signal, name)
    for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
    if hasattr(signal, name)
)
SENT = ", from outside unless it did that itself,"
CHANGED = Outcome(
    Ending.ERROR,
    "what it shares with other jobs was changed while it ran, by its process or by another one; "
    "its result does not count: run it again",
)
CROWDED = Outcome(Ending.CRASH, f"had more than {MOST_PROCESSES} processes at once")
FLOODED = Outcome(
    Ending.ERROR,
    f"said more than {MOST_STREAM >> 20} MiB or {MOST_FILES} files; let it hand over less",
)
# Of programs of Windows: what its faults are called.
FAULTS = {
    0xC0000005: "access violation",
    0xC0000017: "no memory",
    0xC000001D: "illegal instruction",
    0xC0000094: "integer division by zero",
    0xC00000FD: "stack overflow",
    0xC0000374: "damaged heap",
    0xC0000409: "abort",
}


def late(timeout: float, *, obeyed: bool) -> Outcome:
    """Return the outcome of a call that ran too long."""
    way = "" if obeyed else ", nor after SIGTERM"
    return Outcome(Ending.TIMEOUT, f"did not end within {timeout:g} s{way}")


def too_large(budget: int) -> Outcome:
    """Return the outcome of a call that took too much memory."""
    return Outcome(Ending.MEMOUT, f"took more than the {_allowed(budget)}")


def died(code: int, words: str, peak: int, budget: int | None) -> Outcome:
    """Return the outcome of a call whose process ended without a word.

    `words` are those of a guard; `peak` and `budget` are in bytes.
    """
    sent = -code in SENDABLE
    reason = exit_text(code) + words + (SENT if sent else "")
    if budget is not None and peak >= NEAR * budget:
        return Outcome(Ending.MEMOUT, f"{reason} near the {_allowed(budget)}")
    return Outcome(Ending.CRASH, f"{reason} and without a result", killed=sent)


def stops_text(stops: int) -> str:
    """Return an addition to the reason why a process has ended that was stopped too often."""
    return f", after it was stopped {stops} times" if stops > MOST_STOPS else ""


def log_of(output: bytes, stacks: bytes) -> str:
    """Return the end of what a process has printed, and then its stacks of Python."""
    told = stacks[:MOST_STACKS]
    return b"".join((output[-(TAIL - len(told)) :], told)).decode(errors="replace")


def exit_text(code: int) -> str:
    """Return an exit code in words, such as "killed by SIGSEGV (Segmentation fault)"."""
    if code in FAULTS:
        return f"ended by a fault ({FAULTS[code]})"
    if code >= 0:
        return f"ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        return f"killed by signal {-code}"
    return f"killed by {name} ({signal.strsignal(-code)})"


def _allowed(budget: int) -> str:
    return f"{budget / 1e6:g} MB that are allowed"
