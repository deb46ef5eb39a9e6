"""Solvers whose scores are those of another solver: a copy, or two names of one method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator


class Copies:
    """Finds solvers whose scores are those of another solver."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}  # the solver that has some scores, by their hash
        self._of: Counter[tuple[str, str]] = Counter()
        self._all: Counter[str] = Counter()

    def add(self, label: str, scores: str | None, *, first: bool) -> None:
        """Take a cell of a solver by the hash of its scores; `first`: of the first folder."""
        if scores is None:
            return
        other = self._first.setdefault(scores, label)
        self._all[label] += 1
        if other != label and not first:
            self._of[label, other] += 1

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each solver that has scores of another one."""
        for (label, other), count in sorted(self._of.items()):
            yield f"{label} has the very scores of {other} in {count} of {self._all[label]} cells"
