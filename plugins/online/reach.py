"""Step sizes that are derived from the lengths of the rows, where the user gives none."""

from __future__ import annotations

from math import sqrt

from aucbench.data import Chunk
from aucbench.errors import DataError

SHARE = 1 / 8  # of the inverse curvature: single rows then keep f about 1/16 too high at most
LONGEST = 1e140  # squares of longer rows, and sums of many such squares, come near overflow


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
