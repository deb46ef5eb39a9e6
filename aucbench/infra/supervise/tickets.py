"""Which jobs are running, and the outcomes that nobody has taken yet."""

from __future__ import annotations

from aucbench.infra.supervise.records import Outcome


class Tickets:
    """Books of a supervisor; to be used under its lock.

    A ticket is claimed when one call waits for that very job; the others are for whoever asks
    next.
    """

    def __init__(self) -> None:
        self._last = 0
        self._running: dict[int, bool] = {}  # ticket -> whether it is claimed
        self._claimed: dict[int, Outcome] = {}
        self._others: dict[int, Outcome] = {}

    def __contains__(self, ticket: int) -> bool:
        """Whether its job is running."""
        return ticket in self._running

    def new(self) -> int:
        """Return a number that was not given before."""
        self._last += 1
        return self._last

    def start(self, ticket: int, *, claimed: bool) -> None:
        """Its job was started."""
        self._running[ticket] = claimed

    def settle(self, ticket: int, outcome: Outcome) -> None:
        """Its job ended; nothing happens if it was withdrawn."""
        claimed = self._running.pop(ticket, None)
        if claimed is not None:
            (self._claimed if claimed else self._others)[ticket] = outcome

    def settle_all(self, outcome: Outcome) -> None:
        """All jobs ended alike."""
        for ticket in [*self._running]:
            self.settle(ticket, outcome)

    def withdraw(self, ticket: int) -> bool:
        """Forget a ticket; whether its job is running."""
        self._others.pop(ticket, None)
        return self._running.pop(ticket, None) is not None

    def take(self, ticket: int) -> Outcome | None:
        """Outcome of a claimed ticket, when it is there."""
        return self._claimed.pop(ticket, None)

    def take_others(self) -> list[tuple[int, Outcome]] | None:
        """Outcomes of all other tickets; None when there is none, but a job that may bring one."""
        found = [*self._others.items()]
        self._others.clear()
        return found if found or all(self._running.values()) else None
