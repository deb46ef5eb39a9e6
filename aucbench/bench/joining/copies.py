"""Solvers whose scores are those of another solver: a copy, or two names of one method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aucbench.bench.results.record import Record


class Copies:
    """Finds solvers whose scores are those of another solver."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}  # the solver that has some scores, by their hash
        self._of: Counter[tuple[str, str]] = Counter()
        self._all: Counter[str] = Counter()

    def add(self, record: Record, scores: str | None, *, first: bool) -> None:
        """Take a cell, and the hash of its scores; `first` are those of the first folder."""
        if scores is None:
            return
        label = record.cell.label
        other = self._first.setdefault(scores, label)
        self._all[label] += 1
        if other != label and not first:
            self._of[label, other] += 1

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each solver that has scores of another one."""
        for (label, other), count in sorted(self._of.items()):
            yield f"{label} has the very scores of {other} in {count} of {self._all[label]} cells"
