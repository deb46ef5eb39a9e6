"""Default penalties and steps: derived from the lengths of the rows and the counts of the classes.

A default that is a number suits rows of one length only: where all features are doubled, the
same model needs half the weights, four times the ridge and a quarter of the step. The defaults
below scale in this way, so that a method is as good on one unit of measurement as on another.
"""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np

from aucbench.data import Data
from aucbench.data.summaries import longest_row, whole_chunk
from aucbench.errors import DataError
from aucbench.pairs import members_of, pairs_of
from aucbench.pairs.gram import mean_square_distance
from aucbench.scale import ChunkedData

# Factor of `noise`. On the development sets of docs/defaults.md, 0.1, 0.3 and 1 were
# tried for ls-svm and svm-or; 0.3 was the best of them whichever set was left out.
RIDGE = 0.3
SPARSE = 0.1  # factor of `default_l1`, chosen in the same way
EXACT = 2.0**-46  # least share of ‖x‖² that a difference of such squares still shows


def pair_square(data: Data, parameter: str) -> float:
    """Return D² = 1/(n₊n₋) Σ_i Σ_j ‖x_i − x_j‖², the mean square distance of a pair.

    A pair of rows with weights counts for their product. It is E₊‖x‖² + E₋‖x‖² − 2 m₊·m₋, in one
    reading of the rows. It is 1 where all rows are 0. Of other pairs it is Σ π_ij ‖x_i − x_j‖².

    Parameters
    ----------
    data : Data
        Training rows with labels.
    parameter : str
        Name of the parameter that the user may give instead.

    Raises
    ------
    DataError
        When rows are so long that D² overflows.
    """
    if isinstance(data, ChunkedData):
        return data.square or 1.0
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        if pairs_of(data) is None:
            square, level = _of_classes(data)
        else:
            square, level = mean_square_distance(data, members_of(data))
        least = max(square, EXACT * level)
    if not isfinite(least):
        raise DataError(
            f"rows of length {longest_row(data):.3g} are too long to derive {parameter} from: "
            f"scale the features, as --features standard does, or give {parameter}"
        )
    return least or 1.0


def _of_classes(data: Data) -> tuple[float, float]:
    """Return D², and E₊‖x‖² + E₋‖x‖²."""
    positive, square = data.y > 0, whole_chunk(data).square_norms
    m_neg, m_pos = data.means
    if data.weights is None:
        level = float(square[positive].mean() + square[~positive].mean())
    else:
        level = float(data.labels.shares @ square)
    return level - 2.0 * float(m_neg @ m_pos), level


def noise(data: Data, parameter: str) -> float:
    """Return D² κ, see `default_ridge`; raises as `pair_square`."""
    return pair_square(data, parameter) * concentration(data)


def concentration(data: Data) -> float:
    """Return κ = 1/n₊ + 1/n₋, and of other pairs Σ_i [(Σ_j π_ij)² + (Σ_j π_ji)²]."""
    if isinstance(data, ChunkedData):
        return 1.0 / data.n_pos + 1.0 / data.n_neg
    if pairs_of(data) is not None:
        return members_of(data).concentration
    n_pos, n_neg = data.labels.counts
    return 1.0 / n_pos + 1.0 / n_neg


def default_ridge(data: Data, parameter: str = "lam") -> float:
    """Return λ = 0.3 D² (1/n₊ + 1/n₋), in units of a mean loss of pairs per squared unit of w.

    D² is the mean square distance of a pair. D² (1/n₊ + 1/n₋) is, up to a factor of 2, the mean
    square error of δ = m₋ − m₊, the difference of the class means. So the ridge is as strong as
    the noise in the gradient of such a loss, and it vanishes as both classes grow.

    Of rows with weights, n₊ and n₋ are how many rows of equal weight tell as much (`Labels.counts`
    of `aucbench.data.targets`). So weights and their multiples give the same ridge. Of other pairs
    (`Data.pairs`), κ = Σ_i [(Σ_j π_ij)² + (Σ_j π_ji)²] takes the place of 1/n₊ + 1/n₋.

    Parameters
    ----------
    data, parameter
        As for `pair_square`.

    Raises
    ------
    DataError
        As `pair_square`.
    """
    return RIDGE * noise(data, parameter)


def default_l1(data: Data, parameter: str = "l1") -> float:
    """Return λ₁ = 0.1 · 2 √(D² (1/n₊ + 1/n₋)/(2d)), in units of the pairwise square per unit of w.

    The root is about the standard error of a component of δ. The gradient of the pairwise square
    at 0 is 2δ, so that λ₁ removes features whose δ is well below its own error.

    Parameters
    ----------
    data, parameter
        As for `pair_square`.

    Raises
    ------
    DataError
        As `pair_square`.
    """
    return SPARSE * 2.0 * sqrt(noise(data, parameter) / (2.0 * data.d))
