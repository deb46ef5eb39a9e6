"""Which jobs are running, and the outcomes that were not fetched yet."""

from __future__ import annotations

from aucbench.infra.supervise.records import Outcome


class Tickets:
    """The jobs of a supervisor, by ticket; to be used under its lock."""

    def __init__(self) -> None:
        self._last = 0
        self._running: set[int] = set()
        self._ended: dict[int, Outcome] = {}

    def __contains__(self, ticket: int) -> bool:
        """Whether its job is running."""
        return ticket in self._running

    def new(self) -> int:
        """Return a number that was not given before."""
        self._last += 1
        return self._last

    def start(self, ticket: int) -> None:
        """Add a job that was started."""
        self._running.add(ticket)

    def settle(self, ticket: int, outcome: Outcome) -> None:
        """Store the outcome of a job that ended; without effect if it was withdrawn."""
        if ticket in self._running:
            self._running.discard(ticket)
            self._ended[ticket] = outcome

    def settle_all(self, outcome: Outcome) -> None:
        """Store this outcome for all running jobs."""
        for ticket in [*self._running]:
            self.settle(ticket, outcome)

    def withdraw(self, ticket: int) -> bool:
        """Forget a ticket; whether its job was running."""
        self._ended.pop(ticket, None)
        running = ticket in self._running
        self._running.discard(ticket)
        return running

    def take(self) -> list[tuple[int, Outcome]] | None:
        """Return outcomes in the order in which the jobs ended; None while all are running."""
        found = [*self._ended.items()]
        self._ended.clear()
        return found if found or not self._running else None
