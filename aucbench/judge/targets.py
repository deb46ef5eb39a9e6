"""The targets of data sets; the parent keeps them, so that no worker gets those of test rows.

Design
  a. A data set is read in a process of its own, which passes the target to this one. Processes
     that map rows or fit get the target of their training rows in the request.
  b. The parent deals the rows to splits. It needs only the target and the folds for it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from aucbench.cell import Cell
from aucbench.data import Data
from aucbench.data.arrays import Index, Rows
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.folds import splits
from aucbench.data.packed import pack_numbers, pack_target, target_of
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.infra.store.npz import unpack


class KeptTarget:
    """The target and the folds of one data set.

    Parameters
    ----------
    packed : bytes
        Arrays of the target and, where the source has them, folds, as a npz file of a worker.
    n : int
        Number of rows.

    Raises
    ------
    DataError
        When the bytes hold no target of n rows.
    """

    def __init__(self, packed: bytes, n: int):
        arrays = unpack(packed)
        folds = arrays.pop("folds", None)
        try:
            target = target_of(arrays)
        except LookupError as error:
            raise DataError(f"the data set came without its target: no array {error}") from error
        if target.n != n:
            raise DataError(f"the data set has {n} rows and a target of {target.n}")
        self.n, self.packed = n, packed
        self._of_all = Data(Rows(np.empty(0), None, None, n, 0), target, folds=folds)
        self._dealt = lru_cache(maxsize=1)(self._deal)
        self._packed = lru_cache(maxsize=1)(self._pack)

    def refusal(self, cell: Cell) -> str | None:
        """Return why these rows cannot be dealt to the splits of a cell; None when they can."""
        try:
            self.learnt(cell)
            self.held(cell)
        except DataError as error:
            return f"{cell.dataset}: {error}"
        return None

    def learnt(self, cell: Cell) -> tuple[str, str]:
        """Return the numbers and the target of the training rows of a cell, as packed text."""
        return self._packed(cell.splits, cell.seed, cell.split)

    def held(self, cell: Cell) -> tuple[Index, Labels | Breakpoints]:
        """Return the numbers and the target of the test rows of a cell."""
        _, numbers = self._dealt(cell.splits, cell.seed)[cell.split]
        return numbers, self._of_all.target.take(numbers)

    def _deal(self, count: int, seed: int) -> list[tuple[Index, Index]]:
        return splits(self._of_all, count, seed)

    def _pack(self, count: int, seed: int, split: int) -> tuple[str, str]:
        numbers, _ = self._dealt(count, seed)[split]
        return pack_numbers(numbers, self.n), pack_target(self._of_all.target.take(numbers))
