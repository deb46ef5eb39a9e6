"""Steps and radii that are derived from the lengths of the rows, where the user gives none."""

from __future__ import annotations

from math import sqrt

import numpy as np

from aucbench.data import Chunk, Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.data.columns import column_max_abs
from aucbench.data.summaries import whole_chunk
from aucbench.errors import DataError
from aucbench.optim import noise
from aucbench.scale import ChunkedData

SHARE = 1 / 8  # of the inverse curvature: single rows then keep f about 1/16 too high at most
LONGEST = 1e140  # squares of longer rows, and sums of many such squares, come near overflow
RADIUS = 0.3  # of 0.05, 0.1, 0.2, 0.3 and 1 the best on the development sets of docs/defaults.md


def positive_share(data: Data) -> float:
    """Return p = n₊ / n."""
    return data.p if isinstance(data, ChunkedData) else data.labels.p


def require_squares(chunk: Chunk, parameter: str) -> None:
    """Raise `DataError` when a row is so long that its squared length may overflow.

    Parameters
    ----------
    chunk : Chunk
        The rows.
    parameter : str
        Name of the parameter that the user may give instead.
    """
    length = sqrt(chunk.square_norms.max(initial=0.0))
    if not length <= LONGEST:
        raise DataError(
            f"a row of length {length:.3g} is too long to derive a step size from, at most "
            f"{LONGEST:g}: scale the features, as --features maxabs does, or give {parameter}"
        )


def widen(longest: float, square: float, w: Vector) -> tuple[float, Vector]:
    """Return the largest squared length so far, and w in its unit of length.

    When a longer row comes, the unit grows. If w stayed, the scores would be in a much larger
    range than before, for example after a first pair of rows that are almost equal. So w shrinks
    with the unit, by the root of old/new.
    """
    largest = max(longest, square, 1e-300)
    return largest, w * np.sqrt(longest / largest) if longest else w


def derive_spam_step(data: Data, *, shuffle: bool) -> float:
    """Return η = 1/(2K), K = max_i 2(1 − p_i)‖x_i‖², where p_i is the share of the class of row i.

    A step is w ← (I − ηA) w + …, A = 2(1 − p_i) x (x − m)ᵀ, where m is the mean of the other class.
    A is not symmetric, but E[A] = H = p(1−p) ∇²F is, and E[AᵀA] ≤ 2KH. So for rows in random order
    E‖(I − ηA) w‖² ≤ ‖w‖² − 2η(1 − ηK) w·Hw: with η ≤ 1/K, w does not grow in the mean square, and
    η = 1/(2K) takes most off. (The published conditions also bound η by a multiple of 1/κ²,
    κ = max ‖x_i‖.)

    A file may be sorted. Then one class may drive w away before the other class brings it back.
    A + Aᵀ has the eigenvalue −2ν, ν = (1 − p_i)(‖x‖‖x − m‖ − x·(x − m)). In file order η is
    therefore at most 1/(16 Σ_t ν_t), where t runs over a pass. In that pass w then hardly grows.

    Raises
    ------
    DataError
        When a row is too long to derive a step size from.
    """
    require_squares(whole_chunk(data), "xi")
    others = np.where(data.y > 0, 1.0 - data.labels.p, data.labels.p)
    bound = float((4.0 * others * whole_chunk(data).square_norms).max())
    if not shuffle:
        bound = max(bound, 16.0 * float((others * _obliqueness(data)).sum()))
    return 1.0 / max(bound, 1e-300)


def _obliqueness(data: Data) -> Vector:
    """Return ‖x‖‖x − m‖ − x·(x − m) of each row x, where m is the mean of the other class."""
    positive, square = data.y > 0, whole_chunk(data).square_norms
    m_neg, m_pos = data.means
    with uncounted():  # no weights
        inner = np.where(positive, data.scores(m_neg), data.scores(m_pos))
    level = np.where(positive, m_neg @ m_neg, m_pos @ m_pos)
    apart = np.maximum(square - 2.0 * inner + level, 0.0)
    oblique: Vector = np.sqrt(square) * np.sqrt(apart) - square + inner
    return oblique


def derive_saddle_step(data: Data, parameter: str) -> float:
    """Return γ = 1/max (1 − p_i)(|x_i|² + 1).

    The curvature of the term of row i in (w, a) or (w, b) is 2(1 − p_i)(|x_i|² + 1). So no step
    overshoots the minimum of the term of its row, seen from α, by more than its distance. Of rows
    in chunks it is that of a sample.

    Raises
    ------
    DataError
        When a row is too long to derive a step size from.
    """
    chunk = whole_chunk(data.sample if isinstance(data, ChunkedData) else data)
    require_squares(chunk, parameter)
    p = positive_share(data)
    others = np.where(chunk.y > 0, 1.0 - p, p)
    return 1.0 / float((others * (chunk.square_norms + 1.0)).max())


def derive_radius(data: Data) -> float:
    """Return the radius 0.3 √(2/(D² (1/n₊ + 1/n₋))) of an ℓ2 ball, see `Solam`.

    Raises
    ------
    DataError
        When rows are so long that D² overflows.
    """
    return RADIUS * sqrt(2.0 / noise(data, "R"))


def derive_l1_radius(data: Data) -> float:
    """Return √d times `derive_radius`: the ℓ1 ball of this radius holds that ℓ2 ball."""
    return sqrt(data.d) * derive_radius(data)


def find_max_abs(data: Data) -> float:
    """Return max |x_ij|. With this κ, ‖w‖₁ ≤ R implies |w·x| ≤ Rκ."""
    return float(column_max_abs(data.rows).max(initial=0.0))
