"""How rows are dealt to folds: as their source deals them, or drawn."""

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
    """Rows to learn from and rows held out, for each fold: their own folds, else drawn ones.

    Raises
    ------
    DataError
        When the rows come in another number of folds, or as `drawn`.
    """
    if data.folds is None:
        return list(drawn(data, count, seed))
    own = int(data.folds.max()) + 1
    if own != count:
        raise DataError(
            f"the rows come in {own} folds of their own and {count} splits were asked for; ask for "
            f"{own}, or load the data with folds=none to have others drawn"
        )
    return [(_where(data.folds != fold), _where(data.folds == fold)) for fold in range(own)]


def drawn(data: Data, count: int, seed: int) -> Iterator[tuple[Index, Index]]:
    """Folds of shuffled rows, each with the same share of positives where there are labels.

    Raises
    ------
    DataError
        When there are fewer rows, or rows of the rarer class, than folds.
    """
    require_whole(2, folds=count)
    least, what = rarest(data)
    if least < count:
        raise DataError(f"there are {least} {what}, fewer than the {count} folds; ask for fewer")
    labelled = isinstance(data.target, Labels)
    folds = (StratifiedKFold if labelled else KFold)(count, shuffle=True, random_state=seed)
    for rest, held in folds.split(np.zeros(data.n), data.y if labelled else None):
        yield rest.astype(np.int32), held.astype(np.int32)


def drawn_few(data: Data, count: int, seed: int) -> Iterator[tuple[Index, Index]]:
    """As `drawn`, and no more folds than there are rows of a class."""
    require_whole(2, folds=count)
    yield from drawn(data, min(count, max(2, rarest(data)[0])), seed)


def drawn_parts(data: Data, count: int, seed: int) -> Iterator[tuple[Data, Data]]:
    """As `drawn_few`, the rows themselves."""
    for rest, held in drawn_few(data, count, seed):
        yield data.take(rest), data.take(held)


def rarest(data: Data) -> tuple[int, str]:
    """How many rows there are of the kind that each fold must hold, and what they are called."""
    if isinstance(data.target, Labels):
        return min(data.target.n_pos, data.target.n_neg), "row(s) of the rarer class"
    return data.n, "row(s)"


def _where(mask: NDArray[np.bool_]) -> Index:
    return np.flatnonzero(mask).astype(np.int32)
