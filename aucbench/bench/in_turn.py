"""A call that does several things, in as many processes as it takes.

It sends the line {"begin": key} before each thing and {"end": what was found} after it. A process
that ends costs the one thing that it was in; the others are done in another process. That happens
`MOST_ENDS` times, so that a plugin that hangs costs minutes and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from aucbench.processes import Ending, Job, Outcome
from aucbench.processes.isolated import Process

MOST_ENDS = 3  # processes that a plugin may end
UNRETURNED = "its process ended before it had returned"


class Piece(NamedTuple):
    """A thing that a call has done, or the end of its process."""

    key: Any  # of the thing that was begun last; None: none was
    found: Any  # its result; None where the process ended in it
    ended: Outcome | None = None  # how the process ended, if it did


def in_turn(
    process: Process, ask: Callable[[list[Any]], Job], ends: list[Outcome]
) -> Iterator[Piece]:
    """Yield what a call finds, thing by thing, in as many processes as it takes.

    `ask` makes the job that leaves out the things with these keys. `ends` has the outcomes of
    processes that did not return, those of this call too; with `MOST_ENDS` of them no other one
    is started.
    """
    done: list[Any] = []
    while len(ends) < MOST_ENDS:
        key = ended_as = None
        for message in process.stream(ask(done)):
            if isinstance(message, Outcome):
                outcome = message
            elif "begin" in message:
                key, ended_as = message["begin"], None
                done.append(key)
            elif "end" in message:
                ended_as = message["end"]
                yield Piece(key, ended_as)
        if outcome.result is not None:
            return
        ends.append(outcome)
        yield Piece(key, ended_as, outcome)
        if key is None:
            return


def ended(outcome: Outcome) -> str:
    """Return in a sentence how a process ended that left an answer out."""
    if outcome.ending is Ending.OK:
        return UNRETURNED
    return f"it ended its process ({outcome.ending}: {outcome.words})"
