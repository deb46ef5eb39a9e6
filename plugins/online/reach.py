"""Step sizes that are derived from the lengths of the rows, where the user gives none."""

from __future__ import annotations

from math import sqrt

from aucbench.data import Chunk
from aucbench.errors import DataError
from aucbench.optim import Moments
from aucbench.optim.scale import RIDGE

SHARE = 1 / 8  # of the inverse curvature: single rows then keep f about 1/16 too high at most
LONGEST = 1e140  # squares of longer rows, and sums of many such squares, come near overflow


def half_ridge(known: Moments, chunk: Chunk) -> float:
    """Return λ = 0.15 D² (1/n₊ + 1/n₋), half of `default_ridge`, of the first chunk.

    It is 0 until both classes have been seen, since no step is taken before.
    """
    return 0.5 * RIDGE * known.noise("lam") if known.first(chunk) else 0.0


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
