"""Step sizes that nobody gave: they follow from the lengths of the rows."""

from __future__ import annotations

from math import sqrt

from aucbench.data import Chunk
from aucbench.errors import DataError

SHARE = 1 / 8  # of the inverse curvature: single rows then keep f at most about 1/16 too high
LONGEST = 1e140  # the squares of longer rows, and sums of many of them, come near overflow


def require_squares(chunk: Chunk, parameter: str) -> None:
    """Raise `DataError` when the squared lengths of the rows are too large to compute with."""
    length = sqrt(chunk.square_norms.max(initial=0.0))
    if not length <= LONGEST:
        raise DataError(
            f"a row of length {length:.3g} is too long to derive a step size from, at most "
            f"{LONGEST:g}: scale the features, as --preprocess maxabs does, or give {parameter}"
        )
