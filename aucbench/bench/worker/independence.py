"""The score and the features of a row do not depend on other rows: a few rows are checked alone.

A model that standardises its rows by their batch would read the test rows that it is tested on.

Design
  a. The few rows go after all others, so that the time of these is as it was.
  b. Sums in another order, and models that compute in float32, differ by rounding only. That is
     less than `ROUNDING` of the largest number. A score may also differ by `SHARE` of the range
     of the middle half of all scores, which no measure notices.
  c. A map may be ill-conditioned: Nyström's divides by roots of eigenvalues down to 1e-16 of the
     largest, which makes 1e-8 of the rounding. So a map has the room of float32 in any case.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aucbench.data.arrays import Index, Rows, Vector
from aucbench.errors import PluginError

FEW = 3  # rows
SHARE = 1e-4
ROUNDING = {np.float32: 1e-5, np.float64: 1e-11}


def require_scored_alone(
    name: str, score: Callable[[Rows], Vector], rows: Rows, scores: Vector, slack: float = 0.0
) -> None:
    """Raise `PluginError` unless a few rows have the scores that they have among all rows.

    Parameters
    ----------
    name : str
        Who scores them.
    score : function (rows) -> (n,)
    rows : Rows
    scores : array of shape (n,)
        Those of all rows.
    slack : float
        What rounding does to a score.
    """
    if not np.isfinite(scores).all():
        return  # no measure takes them
    few = _few(rows.n)
    quarters = [scores.size // 4, 3 * scores.size // 4]
    low, high = np.partition(scores, quarters)[quarters]
    room = slack + SHARE * float(high - low) + _rounding(scores)
    _require_equal(f"{name} scores", score(rows.take(few)), scores[few], few, rows.n, room)


def require_mapped_alone(name: str, phi: Callable[[Rows], Rows], rows: Rows, found: Rows) -> None:
    """Raise `PluginError` unless a few rows have the features that they have among all rows."""
    few = _few(rows.n)
    alone, among = (each.dense().matrix for each in (phi(rows.take(few)), found.take(few)))
    room = ROUNDING[np.float32] * _largest(among)
    _require_equal(f"{name} maps", alone, among, few, rows.n, room)


def _few(n: int) -> Index:
    """Return the numbers of a few rows from the whole length."""
    return np.arange(0, n, -(-n // min(FEW, max(1, n // 2))), dtype=np.int32)


def _rounding(numbers: Vector) -> float:
    """Return what rounding may do to the numbers, of the type in which they seem computed."""
    kind = np.float32 if np.array_equal(numbers.astype(np.float32), numbers) else np.float64
    return ROUNDING[kind] * _largest(numbers)


def _largest(numbers: Vector) -> float:
    return float(np.abs(numbers).max(initial=0.0))


def _require_equal(
    what: str, alone: Vector, among: Vector, few: Index, n: int, room: float
) -> None:
    if alone.shape != among.shape:
        raise PluginError(f"{what} {few.size} rows alone to another number of features than all")
    differs = ~(np.abs(alone - among) <= room)
    if not differs.any():
        return
    place = tuple(np.argwhere(differs)[0])
    raise PluginError(
        f"{what} row {few[place[0]]} as {alone[place]:.10g} with {few.size - 1} others and as "
        f"{among[place]:.10g} among all {n}; a row must get the same whatever the other rows are"
    )
