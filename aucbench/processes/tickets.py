"""Which jobs wait, which ones run, and the outcomes that were not fetched yet.

Design
  a. A job that runs when the fork server of Linux ends may be the cause, or not. It is lost, and
     is run again, with no other job beside it. When it is lost then, it is the cause.
  b. So is a job that a signal has killed which another job may have sent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Generic, TypeVar

from aucbench.processes.endings import AGAIN
from aucbench.processes.records import Outcome

T = TypeVar("T")


class Tickets(Generic[T]):
    """The jobs of a supervisor, by ticket; to be used under its lock. T is what is run."""

    def __init__(self) -> None:
        self._last = 0
        self._waiting: dict[int, T] = {}
        self._running: dict[int, T] = {}
        self._lost: set[int] = set()  # those without an outcome that were lost once
        self._ended: dict[int, Outcome] = {}

    def __contains__(self, ticket: int) -> bool:
        """Whether its job is running."""
        return ticket in self._running

    def new(self) -> int:
        """Return a number that was not given before."""
        self._last += 1
        return self._last

    def add(self, ticket: int, sent: T) -> None:
        """Add a job that waits, and what is sent to run it."""
        self._waiting[ticket] = sent

    def due(self) -> list[tuple[int, T]]:
        """Return the jobs that may start now: all, or one that was lost if no other runs."""
        if not self._lost:
            return [*self._waiting.items()]
        lost = [pair for pair in self._waiting.items() if pair[0] in self._lost]
        return lost[:1] if not self._running else []

    def start(self, ticket: int) -> None:
        """Mark a job as running."""
        self._running[ticket] = self._waiting.pop(ticket)

    def recall(self) -> None:
        """Let the running jobs wait again: the fork server was never ready to run them."""
        self._waiting = {**self._running, **self._waiting}
        self._running.clear()

    def lose(self, outcome: Outcome) -> None:
        """Let the running jobs wait again; one that was lost before ends with this outcome."""
        for ticket in [t for t in self._running if t in self._lost]:
            self.settle(ticket, outcome)
        self._lost |= self._running.keys()
        self.recall()

    def repeat(self, ticket: int) -> bool:
        """Let a running job wait, to run with no other beside it; False if it has done so.

        False too if it was withdrawn.
        """
        if ticket in self._lost or ticket not in self._running:
            return False
        self._lost.add(ticket)
        self._waiting = {ticket: self._running.pop(ticket), **self._waiting}
        return True

    def end(self, ticket: int, outcome: Outcome) -> bool:
        """Store the outcome of a job; False when it was killed, and waits to be run once more."""
        if outcome.killed and self.repeat(ticket):
            return False
        if outcome.killed:
            outcome = replace(outcome, reason=f"{outcome.reason}{AGAIN}")
        self.settle(ticket, outcome)
        return True

    def settle(self, ticket: int, outcome: Outcome) -> None:
        """Store the outcome of a job that ended; without effect if it was withdrawn."""
        if ticket in self._running:
            self._forget(ticket)
            self._ended[ticket] = outcome

    def withdraw(self, ticket: int) -> bool:
        """Forget a ticket; whether its job was running."""
        self._ended.pop(ticket, None)
        running = ticket in self._running
        self._forget(ticket)
        return running

    def take(self) -> list[tuple[int, Outcome]] | None:
        """Return outcomes in the order in which the jobs ended; None while all others go on."""
        ended = [*self._ended.items()]
        self._ended.clear()
        return ended if ended or not (self._running or self._waiting) else None

    def _forget(self, ticket: int) -> None:
        self._running.pop(ticket, None)
        self._waiting.pop(ticket, None)
        self._lost.discard(ticket)
