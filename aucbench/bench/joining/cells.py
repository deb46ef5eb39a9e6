"""The cells of all parts of a merge: each is checked, and of one part it is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter

from aucbench.bench.joining.copies import Copies
from aucbench.bench.joining.here import Here
from aucbench.bench.joining.origins_in import Origins
from aucbench.bench.joining.parts import Part
from aucbench.bench.joining.recomputed import (
    Arrays,
    arrays_of,
    close,
    require_data,
    require_measures,
)
from aucbench.bench.joining.refusals import ask_each
from aucbench.bench.results.origins import hash_of_scores
from aucbench.errors import DataError

ROOM = 2**28  # bytes of scores that are remembered
IN_ORDER = attrgetter("dataset", "seed", "repeat", "split")  # rows are divided once for neighbours


class Cells:
    """Checks the cells of all parts.

    Attributes
    ----------
    first : dict of str to int
        The number of the part from which each cell is taken, by its id: the first that has it.
    hashes : dict of (int, str) to (str or None)
        `hash_of_scores` of the cell of each part; none of a cell that is known.
    unlike : Counter of str
        How many cells of a solver were run again with other scores.
    """

    def __init__(self, parts: Sequence[Part], origins: Origins, here: Here):
        self.parts, self.origins, self.here = parts, origins, here
        self.first: dict[str, int] = {}
        for number, part in enumerate(parts):
            for key in part.briefs:
                self.first.setdefault(key, number)
        self.hashes: dict[tuple[int, str], str | None] = {}
        self.unlike: Counter[str] = Counter()
        self.copies = Copies()
        self._kept: dict[tuple[int, str], Arrays | None] = {}
        self._room = ROOM
        self._order = sorted(
            ((number, key) for number, part in enumerate(parts) for key in part.briefs),
            key=lambda cell: (*IN_ORDER(parts[cell[0]].briefs[cell[1]].cell), cell),
        )

    def check(self) -> None:
        """Ask all parts for what is cheap before anything is measured; raises as `merge`."""
        for check in (self._require_data, self._compare, self._measure):
            self._ask_all(check)

    def arrays(self, number: int, key: str) -> Arrays | None:
        """Return the scores of a cell of a part, which are of the rows that its split has here.

        They are read once, as long as there is room for them in memory.
        """
        if (number, key) in self._kept:
            return self._kept[number, key]
        part = self.parts[number]
        brief = part.briefs[key]
        arrays = arrays_of(part.folder, key, brief, self.here.dealt(brief.cell))
        size = 0 if arrays is None else sum(array.nbytes for array in arrays.values())
        if size <= self._room:
            self._room -= size
            self._kept[number, key] = arrays
        return arrays

    def new(self, number: int) -> Iterator[str]:
        """Yield the ids of the cells that are taken of a part, and that are not known."""
        for other, key in self._order:
            if other == self.first[key] == number and not self.origins.known(number, key):
                yield key

    def _ask_all(self, check: Callable[[int, str], None]) -> None:
        ask_each(
            (number, partial(check, number, key))
            for number, key in self._order
            if not self.origins.known(number, key)
        )

    def _require_data(self, number: int, key: str) -> None:
        brief = self.parts[number].briefs[key]
        require_data(self._where(number, key), brief, self.here.data(brief.cell))

    def _compare(self, number: int, key: str) -> None:
        """Compare the scores of a cell with what was handed over, and with those of other parts."""
        part, arrays = self.parts[number], self.arrays(number, key)
        found = None if arrays is None else hash_of_scores(arrays)
        self.origins.require_claimed(number, key, found)
        before = self.first[key]
        kept = found if before == number else self._again(before, number, key, arrays)
        self.hashes[number, key] = found
        self.copies.add(part.briefs[key].cell.label, found, first=number == 0)
        self.origins.add(number, key, found, kept)

    def _measure(self, number: int, key: str) -> None:
        brief, arrays = self.parts[number].briefs[key], self.arrays(number, key)
        if arrays is not None:
            dealt = self.here.dealt(brief.cell)
            require_measures(self._where(number, key), brief, arrays, dealt)

    def _again(self, before: int, number: int, key: str, arrays: Arrays | None) -> str | None:
        """Return the hash of the scores that are kept of a cell which two parts have.

        It is another one than that of this part where the scores are not the same.
        """
        first = self.arrays(before, key)
        kept, found = (None if one is None else hash_of_scores(one) for one in (first, arrays))
        if kept == found or close(first, arrays):
            return kept
        parts = self.parts[before], self.parts[number]
        asked = parts[1].briefs[key].cell
        limited = asked.seconds is not None or asked.tune_seconds is not None
        if first is not None and arrays is not None and not limited:
            names, aucs = [one.name for one in parts], [one.briefs[key].auc for one in parts]
            raise DataError(
                f"{names[0]} and {names[1]} have other scores of {asked}, of AUC {aucs[0]} and "
                f"{aucs[1]}, by the same code, data and seed; one of them was altered, or the "
                "solver is not deterministic: run it again to know which, and leave one folder out"
            )
        self.unlike[asked.label] += 1
        return found

    def _where(self, number: int, key: str) -> str:
        part = self.parts[number]
        return f"{part.name}: {part.briefs[key].cell}"
