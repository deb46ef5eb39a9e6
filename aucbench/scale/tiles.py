"""Memory for a tile of rows, which kernels read from a piece at a time."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.kernels import bins
from aucbench.scale.parts import Piece

NUMBERS = 1 << 12  # of a tile, 32 kB: it stays in the nearest cache
FEWEST, MOST = 8, 128  # rows of a tile


def tile_rows(d: int) -> int:
    """Return how many rows of d features are a tile."""
    return min(max(NUMBERS // d, FEWEST), MOST)


def room(d: int) -> Vector:
    """Return memory for the rows of a tile."""
    return np.empty((tile_rows(d), d))


def scores_of(piece: Piece, centre: Vector, w: Vector) -> Vector:
    """Return (x_i − centre)·w of the rows of a piece, (n,); sparse rows are not centred."""
    out = np.empty(piece.n)
    bins.scores(piece.arrays, centre, w, out, room(w.size))
    return out
