"""How jobs end that break a limit or die, in words."""

from __future__ import annotations

import signal

from aucbench.processes.hearing import MOST_FILES, MOST_STREAM
from aucbench.processes.records import Ending, Outcome

MOST_PROCESSES = 500
NEAR = 0.9  # of the memory budget: a process that dies above it ran out of memory
TAIL = 2**14  # bytes of output that are kept, with the stacks of Python
MOST_STACKS = 2**13  # bytes of these; the innermost calls come first
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


def died(code: int | None, peak: int, budget: int | None) -> Outcome:
    """Return the outcome of a call whose process ended without a word.

    Parameters
    ----------
    code : int or None
        Its exit code; None: it has closed its channel, and runs.
    peak, budget : int
        Bytes.
    """
    reason = "closed its channel" if code is None else exit_text(code)
    if budget is not None and peak >= NEAR * budget:
        return Outcome(Ending.MEMOUT, f"{reason} near the {_allowed(budget)}")
    return Outcome(Ending.CRASH, f"{reason} and without a result")


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
