"""A first step along a line, for the pairwise hinge."""

from __future__ import annotations

from math import erf, exp, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector

SAMPLE = 8192  # least number of rows for `normal_step`, where there are so many
SPACING = 16  # largest distance between two rows of the sample
ENOUGH_ROWS = 64  # least number of sampled rows of a class; with fewer, all rows are taken
STEP_PRECISION = 1e-3  # relative precision of `normal_step`


def sample(y: NDArray[np.int8]) -> slice:
    """Return evenly spaced rows, or all rows where these would have too few rows of a class."""
    some = slice(None, None, min(max(1, y.size // SAMPLE), SPACING))
    counts = [np.count_nonzero(y[some] == side) for side in (1, -1)]
    return some if min(counts) >= ENOUGH_ROWS else slice(None)


Margins = tuple[list[float], list[list[float]]]  # mean (2,) and covariance (2, 2), in s and ds


def normal_step(margins: Margins, ridge: tuple[float, float], slope: float) -> float:
    """Return the η that would minimise P(w + ηp) if margins of pairs were normal variables.

    Let margins of pairs at the scores s + η ds have the mean 1 − μ and the variance σ². Then the
    hinge has the mean μΦ(μ/σ) + σφ(μ/σ). Its derivative in η is shifted so that it is exact at 0.
    It has one zero, which bisection finds. This costs no evaluation of P.

    Parameters
    ----------
    margins : tuple
        Mean and covariance of the margins of a random pair in the scores of w and of p.
    ridge : tuple of 2 floats
        λ and λ‖p‖², > 0.
    slope : float
        Derivative of P at η = 0, < 0.
    """
    (m, dm), ((v, c), (_, dv)) = margins
    lam, bend = ridge

    def rise(step: float) -> float:
        sd = sqrt(max(v + step * (2.0 * c + step * dv), 1e-200))
        z = (1.0 - m - step * dm) / sd
        density = exp(-0.5 * z * z) / sqrt(2.0 * pi)
        return (c + step * dv) / sd * density - 0.5 * dm * (1.0 + erf(z / sqrt(2.0))) + bend * step

    low, high = 0.0, 1.0 / lam
    target = rise(0.0) - slope
    while high - low > STEP_PRECISION * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rise(middle) < target else (low, middle)
    return high


def margins_of_classes(y: NDArray[np.int8], s: Vector, ds: Vector) -> Margins:
    """Return mean and covariance of the margins of a random pair of two independent rows.

    Parameters
    ----------
    y : array of shape (n,), int8 in {-1, +1}
    s, ds : array of shape (n,)
        Scores of w and of p.
    """
    mean, cov = np.zeros(2), np.zeros((2, 2))
    for side in (1, -1):
        members = y == side
        both = np.stack([s[members], ds[members]])
        centre = both.mean(axis=1)
        both -= centre[:, None]
        mean += side * centre
        cov += both @ both.T / both.shape[1]
    return mean.tolist(), cov.tolist()


def margins_of_pairs(z: Vector, dz: Vector) -> Margins:
    """Return mean and covariance of the margins of given pairs in s and in ds, each (m,)."""
    both = np.stack([z, dz])
    mean = both.mean(axis=1)
    both -= mean[:, None]
    return mean.tolist(), (both @ both.T / z.size).tolist()
