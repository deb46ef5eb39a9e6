"""Divide rows into folds: those of the source of the data, or random ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from aucbench.data.arrays import Index
from aucbench.data.data import Data
from aucbench.data.targets import Labels
from aucbench.errors import DataError, require_whole


def splits(data: Data, count: int, seed: int) -> list[tuple[Index, Index]]:
    """Return for each fold the rows to learn from and the rows that are held out.

    The folds are those of the source of the data if it has some; else they are `drawn`.

    Raises
    ------
    DataError
        When the source has another number of folds than `count`, or as `drawn`.
    """
    if data.folds is None:
        return list(drawn(data, count, seed))
    own = int(data.folds.max()) + 1
    if own != count:
        raise DataError(
            f"the data come with {own} folds, but {count} splits were asked for; ask for {own}, or "
            "load the data with folds=none to have random folds"
        )
    return [(_where(data.folds != fold), _where(data.folds == fold)) for fold in range(own)]


def drawn(data: Data, count: int, seed: int) -> Iterator[tuple[Index, Index]]:
    """Yield random folds; with labels, each fold has the same share of positives.

    Parameters
    ----------
    data : Data
        The rows and their target.
    count : int
        Number of folds, at least 2.
    seed : int
        Decides which rows are in which fold.

    Yields
    ------
    rest, held : int32 arrays
        Row numbers to learn from, and row numbers that are held out.

    Raises
    ------
    DataError
        When there are more folds than rows, or than rows of the rarer class.
    """
    require_whole(2, folds=count)
    least, what = rarest(data)
    if least < count:
        raise DataError(
            f"there are {least} {what}, fewer than the {count} folds; ask for at most {least} folds"
        )
    labelled = isinstance(data.target, Labels)
    folds = (StratifiedKFold if labelled else KFold)(count, shuffle=True, random_state=seed)
    for rest, held in folds.split(np.zeros(data.n), data.y if labelled else None):
        yield rest.astype(np.int32), held.astype(np.int32)


def drawn_few(data: Data, count: int, seed: int) -> Iterator[tuple[Index, Index]]:
    """Do as `drawn`, but with fewer folds where a class has fewer rows than `count`."""
    require_whole(2, folds=count)
    yield from drawn(data, min(count, max(2, rarest(data)[0])), seed)


def drawn_parts(data: Data, count: int, seed: int) -> Iterator[tuple[Data, Data]]:
    """Do as `drawn_few`, but yield the rows themselves."""
    for rest, held in drawn_few(data, count, seed):
        yield data.take(rest), data.take(held)


def rarest(data: Data) -> tuple[int, str]:
    """Return how many folds the rows allow, and the words for what limits them."""
    if isinstance(data.target, Labels):
        return min(data.target.n_pos, data.target.n_neg), "row(s) of the rarer class"
    return data.n, "row(s)"


def _where(mask: NDArray[np.bool_]) -> Index:
    return np.flatnonzero(mask).astype(np.int32)
