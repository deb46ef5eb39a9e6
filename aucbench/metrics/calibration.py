"""Probabilities from scores of any scale, learnt inside a test fold by cross-fitting.

Design
  a. Brier score and log-loss are of probabilities, and most solvers give scores whose order alone
     means something. So the scores of each half of a test fold are turned into probabilities by
     Platt's method, learnt on the other half. No row helps to calibrate itself. What is measured
     is the ranking with the best S-shaped curve that the fold can learn, and no calibration of
     the solver's own.
  b. The halves depend on the labels alone, so that all solvers are calibrated on the same rows.
  c. A curve never falls: a score that means the contrary is worth no more than a constant.
     (Rejected: isotonic regression. Its probabilities are 0 and 1 at both ends, so that the
     log-loss is infinite.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.stats.rows import Fold
from aucbench.stats.vectors import Mask, Vector

FEWEST = 4  # rows of each class, two in each half
SEED = 0  # of the halves
STEPS = 200  # of Newton's method, which takes about ten
PRECISION = 1e-10  # of the mean gradient
EDGE = float(np.finfo(np.float64).eps)  # least distance of a probability from 0 and 1


def calibrated(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> Vector | None:
    """Probabilities of the positive class, from scores of any scale.

    Of the two halves, stratified and drawn with a fixed seed, each is given probabilities
    1/(1 + exp(−a s − b)), where a ≥ 0 and b minimise the log-loss on the other half with Platt's
    targets: (n₊ + 1)/(n₊ + 2) for positives and 1/(n₋ + 2) for negatives.

    Parameters
    ----------
    y, scores, sample_weight, pos_label :
        As in `Fold`.

    Returns
    -------
    array of shape (n,), or None
        Of the rows of weights above 0. None when a class has fewer than 4 rows, or a score is
        infinite: nothing can be learnt.

    Raises
    ------
    DataError
        As `Fold`.

    Notes
    -----
    Platt (1999), "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", Advances in Large Margin Classifiers.
    """
    rows = Fold(y, scores, sample_weight, pos_label=pos_label)
    positive, s, w = rows.positive, rows.scores, rows.weights
    n_pos = int(np.count_nonzero(positive))
    if min(n_pos, s.size - n_pos) < FEWEST or np.isinf(s).any():
        return None
    s = s / (np.abs(s).max() or 1.0)
    s = s - s.mean()  # a large b would cost digits
    first, p = halves(positive), np.empty(s.size)
    for held in (first, ~first):
        slope, intercept = platt(positive[~held], s[~held], w[~held])
        p[held] = scipy.special.expit(slope * s[held] + intercept)
    return np.clip(p, EDGE, 1.0 - EDGE)


def halves(positive: Mask) -> Mask:
    """Return which rows are in the first half; each class is cut in two."""
    rng, first = np.random.default_rng(SEED), np.zeros(positive.size, np.bool_)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        first[rng.permutation(rows)[: rows.size // 2]] = True
    return first


def platt(positive: Mask, s: Vector, w: Vector) -> tuple[float, float]:
    """Platt's a ≥ 0 and b: P(positive | s) = 1/(1 + exp(−a s − b)), learnt on these rows.

    They minimise the log-loss with his targets: (n₊ + 1)/(n₊ + 2) for positives, and 1/(n₋ + 2) for
    negatives. Of the weights w (n,), only ratios count. The curve never falls: where lower scores
    are more positive, a is 0.
    """
    w = w * (w.size / w.sum())
    n_pos, n_neg = w[positive].sum(), w[~positive].sum()
    target = np.where(positive, (n_pos + 1.0) / (n_pos + 2.0), 1.0 / (n_neg + 2.0))
    scale = float(np.abs(s).max()) or 1.0
    mean, spread = (s / scale).mean(), (s / scale).std() or 1.0
    slope, intercept = least_log_loss((s / scale - mean) / spread, target, w)
    return slope / spread / scale, intercept - slope * mean / spread


def least_log_loss(z: Vector, target: Vector, w: Vector) -> tuple[float, float]:
    """Return a >= 0 and b of the least log-loss of 1/(1 + exp(-a z - b)).

    The loss is convex, so that a is 0 if the loss does not fall in the direction of a from there.
    """
    theta = np.array([0.0, scipy.special.logit(np.average(target, weights=w))])
    X = np.vstack([z, np.ones(z.size)])

    def loss(theta: Vector) -> float:
        m = theta @ X
        return float(w @ (np.logaddexp(0.0, m) - target * m))

    def gradient(theta: Vector) -> Vector:
        return np.asarray(X @ (w * (scipy.special.expit(theta @ X) - target)))

    def hessian(theta: Vector) -> Vector:
        p = scipy.special.expit(theta @ X)
        return np.asarray((X * (w * p * (1.0 - p))) @ X.T)

    if gradient(theta)[0] >= -PRECISION * w.size:
        return 0.0, float(theta[1])
    found = scipy.optimize.minimize(
        loss,
        theta,
        method="trust-exact",
        jac=gradient,
        hess=hessian,
        options={"gtol": PRECISION * w.size, "maxiter": STEPS},
    )
    if found.status == 1:  # other ends are at the minimum, to rounding
        raise ArithmeticError(f"the calibration has not converged in {STEPS} steps")
    return float(found.x[0]), float(found.x[1])
