"""Where cells come from, and which were run a second time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from aucbench.bench.results.origins import Origin, origins_of, verified
from aucbench.bench.results.store import Store
from aucbench.report.fits import Fit

HERE = "run here"


@dataclass(frozen=True)
class Provenance:
    """The origins of a results folder, and the ids of the cells that are verified."""

    origins: tuple[Origin, ...] = ()
    verified: frozenset[str] = field(default_factory=frozenset)

    @staticmethod
    def of(store: Store) -> Provenance:
        """Read the origins; raises as `origins_of`."""
        origins = origins_of(store)
        return Provenance(origins, verified(store) if origins else frozenset())

    @cached_property
    def _of_cell(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the origins of each cell."""
        found: dict[str, list[int]] = {}
        for number, origin in enumerate(self.origins):
            for cell in origin.cells:
                found.setdefault(cell, []).append(number)
        return {cell: tuple(numbers) for cell, numbers in found.items()}

    def origins_of(self, fits: Iterable[Fit]) -> tuple[Origin, ...]:
        """Return the origins that have one of these fits."""
        numbers = {number for fit in fits for number in self._of_cell.get(fit.id, ())}
        return tuple(self.origins[number] for number in sorted(numbers))

    def called(self, fits: Iterable[Fit]) -> str:
        """Return in a few words where fits come from; empty if there are none."""
        known = [*fits]
        origins = self.origins_of(known)
        here = any(fit.id not in self._of_cell for fit in known) or any(one.own for one in origins)
        names = [origin.name for origin in origins if not origin.own]
        return ", ".join([*([HERE] if here else []), *names])

    def again(self, fits: Iterable[Fit]) -> int:
        """Return how many of these fits were run again with the same scores."""
        return sum(fit.id in self.verified for fit in fits)
