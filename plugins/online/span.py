"""Wide data: methods that only add up rows learn as well from coordinates in their span."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from aucbench.contract import Problem, State, Streaming
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.layouts import stored_count
from aucbench.optim import passes
from aucbench.scale import ChunkedData

SPAN_BYTES = 1 << 29  # of the dense rows; three such matrices are needed


def fits_span(data: Data | ChunkedData) -> bool:
    """Return whether there are fewer rows than features, and few enough to compute a basis.

    Rows in chunks are too many for that.
    """
    if isinstance(data, ChunkedData):
        return False
    X = data.rows
    return X.n < X.d and 8 * X.n * X.d <= SPAN_BYTES


def worth_span(data: Data | ChunkedData) -> bool:
    """Return whether a row stores more values on average than it has coordinates in the span.

    Rows in chunks are too many for that.
    """
    if isinstance(data, ChunkedData):
        return False
    X = data.rows
    return fits_span(data) and X.n * X.n <= stored_count(X) // 2


def passes_in_span(
    solver: Streaming,
    problem: Problem,
    w0: Vector,
    rng: np.random.Generator,
    *,
    shuffle: bool,
    where: Callable[[Data | ChunkedData], bool] = worth_span,
) -> Iterator[State]:
    """Run `passes`; on n + 1 coordinates of each row instead of its d features if `where(data)`.

    It is for methods that read differences of rows and products of them with w, and that change
    w by sums of such differences. Any orthonormal basis Q of the span of the centred rows and
    of the first w then gives the same w = Qv. The rows are centred first, so that an offset
    costs no digits. Time: O(n² d) once, and O(n d) for the w of each pass.
    """
    if not where(problem.data):
        yield from passes(solver, problem, w0, rng, shuffle=shuffle)
        return
    Q, coordinates, v = span(problem.data, w0)
    inner = Problem(train=problem.data.with_rows(coordinates))
    for state in passes(solver, inner, v, rng, shuffle=shuffle):
        yield replace(state, w=Q @ cast(Vector, state.w))


def span(data: Data, w: Vector) -> tuple[Vector, Rows, Vector]:
    """Return a basis Q (d, r), the coordinates of the centred rows in it, and those of w."""
    from scipy.linalg import qr  # here, because to import it takes longer than many fits

    X = data.rows.dense().matrix
    A = np.empty((data.d, data.n + 1), order="F")
    np.subtract(X.T, X.mean(axis=0)[:, None], out=A[:, :-1])
    A[:, -1] = w
    factors = qr(A, mode="economic", overwrite_a=True, check_finite=False)
    Q, R = cast(tuple[Vector, Vector], factors)
    return Q, rows(R[:, :-1].T), R[:, -1].copy()
