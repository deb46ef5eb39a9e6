"""Default penalties and steps: derived from the lengths of the rows and the counts of the classes.

A default that is a number suits rows of one length only: where all features are doubled, the
same model needs half the weights, four times the ridge and a quarter of the step. The defaults
below scale in this way, so that a method is as good on one unit of measurement as on another.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Vector
from aucbench.errors import DataError

# Factor of `Moments.noise`. On the development sets of docs/defaults.md, 0.1, 0.3 and 1 were
# tried for ls-svm and svm-or; 0.3 was the best of them whichever set was left out.
RIDGE = 0.3
SPARSE = 0.1  # factor of `default_l1`, chosen in the same way
EXACT = 2.0**-46  # least share of ‖x‖² that a difference of such squares still shows


@dataclass(slots=True)
class Moments:
    """Counts, sums and lengths of the rows of each class, negatives first.

    Attributes
    ----------
    n : array of shape (2,)
        Number of rows.
    total : array of shape (2, d)
        Sum of the rows.
    square, longest : arrays of shape (2,)
        Sum and maximum of ‖x‖².
    """

    n: Vector
    total: Vector
    square: Vector
    longest: Vector

    @staticmethod
    def empty(d: int) -> Moments:
        """Return the moments before the first row of d features."""
        return Moments(np.zeros(2), np.zeros((2, d)), np.zeros(2), np.zeros(2))

    def add(self, chunk: Chunk) -> None:
        """Count the rows of a chunk, in one reading of its stored values."""
        for side, mine in enumerate((chunk.y < 0, chunk.y > 0)):
            self.n[side] += mine.sum()
            self.total[side] += chunk.pullback(mine.astype(np.float64))
            self.square[side] += chunk.square_norms[mine].sum()
        self.lengthen(chunk)

    def lengthen(self, chunk: Chunk) -> None:
        """Take the rows of a chunk into `longest` alone."""
        for side, mine in enumerate((chunk.y < 0, chunk.y > 0)):
            top = chunk.square_norms[mine].max(initial=0.0)
            self.longest[side] = max(self.longest[side], top)

    def first(self, chunk: Chunk) -> bool:
        """Count the rows of a chunk unless both classes are known; return whether they are.

        A method that learns from a stream derives its constants from the first chunks. They are
        those of the whole data set where this is the first chunk.
        """
        if not self.n.all():
            self.add(chunk)
        return bool(self.n.all())

    def pair_square(self, parameter: str) -> float:
        """Return D², see the function `pair_square`."""
        level = float((self.square / self.n).sum())
        m_neg, m_pos = self.total / self.n[:, np.newaxis]
        found = max(level - 2.0 * float(m_neg @ m_pos), EXACT * level)
        if not isfinite(found):
            length = sqrt(self.longest.max())
            raise DataError(
                f"rows of length {length:.3g} are too long to derive {parameter} from: scale the "
                f"features, as --features standard does, or give {parameter}"
            )
        return found or 1.0

    def noise(self, parameter: str) -> float:
        """Return D² (1/n₊ + 1/n₋), see `default_ridge`."""
        return self.pair_square(parameter) * float((1.0 / self.n).sum())


def pair_square(data: Data, parameter: str) -> float:
    """Return D² = 1/(n₊n₋) Σ_i Σ_j ‖x_i − x_j‖², the mean square distance of a pair.

    It is E₊‖x‖² + E₋‖x‖² − 2 m₊·m₋, in one reading of the rows. It is 1 where all rows are 0.

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
    return _moments(data).pair_square(parameter)


def default_ridge(data: Data, parameter: str = "lam") -> float:
    """Return λ = 0.3 D² (1/n₊ + 1/n₋), in units of a mean loss of pairs per squared unit of w.

    D² is the mean square distance of a pair. D² (1/n₊ + 1/n₋) is, up to a factor of 2, the mean
    square error of δ = m₋ − m₊, the difference of the class means. So the ridge is as strong as
    the noise in the gradient of such a loss, and it vanishes as both classes grow.

    Parameters
    ----------
    data, parameter
        As for `pair_square`.

    Raises
    ------
    DataError
        As `pair_square`.
    """
    return RIDGE * _moments(data).noise(parameter)


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
    return SPARSE * 2.0 * sqrt(_moments(data).noise(parameter) / (2.0 * data.d))


def _moments(data: Data) -> Moments:
    found = Moments.empty(data.d)
    found.add(data.chunk)
    return found
