"""Scores of rows in parts by a fit to other parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.passes import scores
from aucbench.errors import UnsupportedError
from aucbench.protocols import input_weights
from aucbench.records import Run
from aucbench.scale import ChunkedData, Piece
from aucbench.scale.tiles import scores_of


@dataclass(frozen=True, eq=False)
class Answer:
    """What a piece says of its rows: scores, labels, and some of the rows with their places."""

    scores: Vector
    y: NDArray[np.int8]
    places: Index
    rows: Rows


def answers(
    held: ChunkedData, run: Run, train: ChunkedData, share: float = 0.0, seed: int = 0
) -> list[Answer]:
    """Return the scores of rows by a fit to `train`, piece by piece in their order: one reading.

    Parameters
    ----------
    share : float
        Of the rows that are kept in memory, chosen by `seed`.
    """
    line = line_of(run, train)
    return [answer for _, own in held.scan(judged, *line, share, seed) for answer in own]


def judged(
    piece: Piece, centre: Vector, v: Vector, shift: float, share: float, seed: int
) -> Answer:
    """Return (x_i − centre)·v + shift of the rows of a piece, and a share of its rows."""
    drawn = np.random.default_rng([seed, 2, piece.part, piece.first]).random(piece.n) < share
    places = np.flatnonzero(drawn).astype(np.int32)
    return Answer(scores_of(piece, centre, v) + shift, piece.y, places, piece.some(places))


def line_of(run: Run, data: ChunkedData) -> tuple[Vector, Vector, float]:
    """Return (m, v, c) with which (x − m)·v + c is the score of a row x by a fit to parts.

    Raises
    ------
    UnsupportedError
        When the features of the fit are not those of the rows.
    """
    known = None if run.w is None else input_weights(run.scorer.features, run.w)
    if known is None:
        raise UnsupportedError(
            "a fit by parts scores rows by weights of their columns, and this one has others; take "
            "a linear solver"
        )
    v, c = known
    return data.centre, v / data.scale, c


def scored_rows(table: Rows, centre: Vector, v: Vector, shift: float) -> Vector:
    """Return (x − m)·v + c of rows in memory, see `line_of`."""
    return np.asarray(scores(table, v) + (shift - float(centre @ v)))
