"""The targets of data sets; the parent keeps them, so that no worker gets those of test rows.

They come with folds, groups and times, by which the parent deals the rows to splits. Processes that
map rows or fit get the target of their training rows in the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from aucbench.bench.cell import Cell, ranks_within_groups
from aucbench.data import Data
from aucbench.data.arrays import Index, Rows
from aucbench.data.folds import Split, describe_division, splits, splits_of_chunks
from aucbench.data.packed import pack_known, pack_numbers, unpack_arrays, with_known
from aucbench.errors import DataError
from aucbench.registry.specs import short


class KeptTarget:
    """The target of one data set, and the folds, groups and times of its rows.

    `chunks` are the numbers of rows of the chunks in which they are read, if they are: whole chunks
    are dealt to splits, unless there are few of them, or one would lack a class.
    """

    def __init__(self, packed: bytes, n: int, chunks: Sequence[int] | None = None):
        try:
            self._of_all = with_known(Rows(np.empty(0), None, None, n, 0), unpack_arrays(packed))
        except LookupError as error:
            raise DataError(f"the data set came without its target: no array {error}") from error
        if self._of_all.target.n != n:
            raise DataError(f"the data set has {n} rows and a target of {self._of_all.target.n}")
        self.n, self.packed = n, packed
        self._chunks = chunks
        self._dealt = lru_cache(maxsize=1)(self._deal)
        self._packed = lru_cache(maxsize=1)(self._pack)

    def refusal(self, cell: Cell) -> str | None:
        """Return why these rows cannot be dealt to the splits of a cell; None when they can."""
        try:
            if self._of_all.times is not None and cell.repeat:
                raise DataError(
                    "the times of the rows decide the splits, so that another repeat would have "
                    "the same ones; ask for one repeat"
                )
            self.packed_parts(cell)
            self.held(cell)
        except DataError as error:
            return f"{short(cell.dataset)}: {error}"
        return None

    def packed_parts(self, cell: Cell) -> tuple[str, str, str]:
        """Return as text: numbers of training rows, of test rows, and what is known of the first.

        The folds of the source are not passed on: inside a split they divide nothing. Nor is
        which features are relevant, which a solver is to find.
        """
        return self._packed(*_division(cell), cell.split)

    def learnt(self, cell: Cell) -> Index:
        """Return the numbers of the training rows of a cell."""
        return self._parts(cell)[0]

    def held(self, cell: Cell) -> tuple[Index, Data]:
        """Return the numbers of the test rows of a cell, and their target and groups as data."""
        numbers = self._parts(cell)[1]
        return numbers, self._of_all.take(numbers)

    def kind(self, cell: Cell) -> str:
        """Return how the rows are divided, for people; see `describe_division`."""
        ties = ["row groups"] if self._deals_chunks(cell) else []
        return describe_division(self._of_all, cell.splits, cell.holdout, ties)

    def _deals_chunks(self, cell: Cell) -> bool:
        """Whether no chunk has rows on both sides of a split."""
        if self._chunks is None:
            return False
        number = np.repeat(np.arange(len(self._chunks)), self._chunks)
        learnt, held = (np.unique(number[rows]) for rows in self._parts(cell))
        return not np.intersect1d(learnt, held).size

    @property
    def has_relevant(self) -> bool:
        """Whether it is known which features are relevant."""
        return self._of_all.relevant is not None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self._of_all.weights is not None

    def _parts(self, cell: Cell) -> Split:
        return self._dealt(*_division(cell))[cell.split]

    def _deal(self, count: int, seed: int, holdout: float | None, within: bool) -> list[Split]:
        if self._chunks is not None:
            whole = splits_of_chunks(self._of_all, self._chunks, count, seed, holdout)
            if whole is not None:
                return whole
        return splits(self._of_all, count, seed, holdout, ranks_within_groups=within)

    def _pack(
        self, count: int, seed: int, holdout: float | None, within: bool, split: int
    ) -> tuple[str, str, str]:
        learnt, held = self._dealt(count, seed, holdout, within)[split]
        if self._chunks is not None:  # the files have the labels too
            return pack_numbers(learnt, self.n), pack_numbers(held, self.n), ""
        known = replace(self._of_all.take(learnt), folds=None, relevant=None)
        return pack_numbers(learnt, self.n), pack_numbers(held, self.n), pack_known(known)


def _division(cell: Cell) -> tuple[int, int, float | None, bool]:
    """Return what decides the splits of a cell, all of which are dealt at once."""
    return cell.splits, cell.seed, cell.holdout, ranks_within_groups(cell.pairs)
