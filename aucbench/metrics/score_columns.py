"""The AUCs of several columns of scores of the same rows, and how they differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.datasets.chunked import open_parts
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError, ParameterError
from aucbench.scale.engines import Engine, Here
from aucbench.scale.parts import Columns, Piece
from aucbench.stats.delong import auc_difference, auc_interval
from aucbench.stats.rows import Fold
from aucbench.stats.words import LEVEL, Difference, Interval, holm

A_NUMBER = 8  # bytes


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """The AUC of one column of scores less that of another one, on the same rows.

    Attributes
    ----------
    first, second : str
        The columns.
    difference : Difference
        As `aucbench.stats.auc_difference` returns it.
    p_holm : float
        Its p-value, adjusted for the number of pairs of columns.
    """

    first: str
    second: str
    difference: Difference
    p_holm: float


@dataclass(frozen=True, slots=True)
class ScoreComparison:
    """The AUCs of several columns of scores of the same rows, and how they differ.

    Attributes
    ----------
    aucs : mapping of str to Interval
        By column, in the order asked for.
    differences : tuple of ScoreDifference
        Each column less each later one.
    n_pos, n_neg : int
        Rows of each class.
    """

    aucs: Mapping[str, Interval]
    differences: tuple[ScoreDifference, ...]
    n_pos: int
    n_neg: int


def compare_aucs_of_file(
    source: str | os.PathLike[str],
    scores: Sequence[str],
    *,
    reading: ReadOptions | None = None,
    memory: float = 1000.0,
    level: float = LEVEL,
    engine: Engine | None = None,
    tell: Callable[[str], object] | None = None,
    **options: Any,
) -> ScoreComparison:
    """Compare the columns of scores in files by `auc_interval` and `auc_difference`.

        compare_aucs_of_file("scores.csv", ["new", "old"], target="died")

    Parameters
    ----------
    source, reading, level, engine, tell, options :
        As for `auc_of_file`, without groups.
    scores : sequence of str
        Two columns or more.
    memory : float
        MB that the scores may take: a comparison holds all of them.

    Raises
    ------
    DataError
        When a class is missing, a score is NaN, or the scores do not fit.
    ParameterError
        When fewer than two columns are named, or one twice.
    """
    if len({*scores}) < max(2, len(scores)):
        raise ParameterError(f"the scores are {', '.join(scores)}; give two columns or more")
    asked = ReadOptions(**((reading.options() if reading else {}) | options))
    parts = open_parts(source, asked, columns=[*scores], tell=tell)
    wanted = parts.n * (len(scores) + 2) * A_NUMBER / 2**20
    if wanted > memory:
        raise DataError(
            f"{len(scores)} scores of {parts.n} rows take {wanted:.3g} MB together, and "
            f"{memory:g} are allowed; allow more memory, or ask for one column at a time"
        )
    blocks = [block for _, answers in (engine or Here()).scan(parts, _block) for block in answers]
    y, v, S = (np.concatenate(x) for x in zip(*blocks, strict=True))
    folds = {name: [Fold.of_both_classes(y, s, v)] for name, s in zip(scores, S.T, strict=True)}
    pairs = [*combinations(scores, 2)]
    differences = [auc_difference(folds[a], folds[b], level) for a, b in pairs]
    adjusted = holm([one.p for one in differences]).tolist()
    n_pos = int(np.count_nonzero(y > 0))
    return ScoreComparison(
        {name: auc_interval(fold, level) for name, fold in folds.items()},
        tuple(
            ScoreDifference(*pair, one, p)
            for pair, one, p in zip(pairs, differences, adjusted, strict=True)
        ),
        n_pos,
        y.size - n_pos,
    )


def _block(piece: Piece) -> tuple[NDArray[np.int8], Vector, Vector]:
    """Return labels, weights and scores of the rows of a piece."""
    rows = piece.rows.dense() if isinstance(piece.rows, Columns) else piece.rows
    weights = np.ones(piece.n) if piece.weights is None else piece.weights
    return piece.y, weights, rows.stored.reshape(piece.n, rows.d).astype(np.float64)
