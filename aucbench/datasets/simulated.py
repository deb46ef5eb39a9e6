"""Simulated data with a known truth: the experiments of the SHT-AUC and ROC-SVM papers."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, sqrt
from typing import Any

import numpy as np

from aucbench.about import about
from aucbench.data import Data
from aucbench.data.arrays import MAX_STORED, Index, Vector
from aucbench.data.inputs import check_rows
from aucbench.errors import (
    DataError,
    ParameterError,
    UnknownNameError,
    require_above,
    require_at_least,
    require_whole,
)

NEGATIVE_SHARE = 0.8  # share of negatives of `linear` and `radial`, in the population


@about(cites=("yang2020",))
def outbreak(
    k: int = 20, r: float = 0.05, n: int = 1000, d: int = 1000, mu: float = 0.3, seed: int = 0
) -> Data:
    """Disease outbreak: negatives N(0, I); positives N(μ, 1) on k features, N(0, 1) elsewhere.

    The rows are not standardised here. The paper standardises them by means and deviations of
    the training rows; the feature map "standard" of a comparison does the same.

    Parameters
    ----------
    k : int
        Size of the random set S of features that differ between the classes, 1 ≤ k ≤ d.
    r : float
        Share of positives, 0 < r < 1. Exactly round(r n) rows are positive.
    n, d : int
        Number of rows and of features.
    mu : float
        Shift μ of the positives on S, in standard deviations.
    seed : int
        Decides all random numbers. The 20 repetitions of the paper are 20 seeds.

    References
    ----------
    Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC maximization", ICDM
    2020, section 4 (simulation datasets). `outbreak_support` returns S.
    """
    positives = _outbreak_positives(r, n, mu)
    support, rng = _outbreak_draw(k, d, seed)
    y = np.full(n, -1, dtype=np.int8)
    y[rng.permutation(n)[:positives]] = 1
    X = rng.standard_normal((n, d))
    X[np.ix_(y > 0, support)] += mu
    return Data.of(X, y, relevant=support)


def outbreak_support(
    k: int = 20, r: float = 0.05, n: int = 1000, d: int = 1000, mu: float = 0.3, seed: int = 0
) -> Index:
    """The set S of `outbreak` with the same parameters: k feature numbers, ascending.

    S is drawn first, so it depends on k, d and seed only. All parameters are checked as in
    `outbreak`.
    """
    _outbreak_positives(r, n, mu)
    return _outbreak_draw(k, d, seed)[0]


def _outbreak_draw(k: int, d: int, seed: int) -> tuple[Index, np.random.Generator]:
    require_whole(1, k=k, d=d)
    require_whole(0, seed=seed)
    if k > d:
        raise ParameterError(f"k={k} is above d={d}, the number of features; give a k of at most d")
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(d, size=k, replace=False)).astype(np.int32), rng


def _outbreak_positives(r: float, n: int, mu: float) -> int:
    require_whole(2, n=n)
    require_above(0, r=r)
    require_at_least(-np.finfo(np.float64).max, mu=mu)  # any finite shift
    positives = round(r * n)
    if not 1 <= positives < n:
        raise ParameterError(
            f"r={r} of n={n} rows gives {positives} positives, but each class needs at least one "
            "row; give more rows or another r"
        )
    return positives


@about(cites=("bae2025",))
def linear(n: int = 5000, seed: int = 0) -> Data:
    """x ~ N₂(0, I), y = sign(α + x₁ + x₂ + ε), ε ~ N(0, 1), 80 % negative in the population.

    The scores x₁ + x₂ have the AUC 0.90809 in the population. The paper prints 0.90377, which
    this model does not give.

    Parameters
    ----------
    n : int
        Number of rows, at least 2; with very few, all may happen to be of one class.
    seed : int
        Decides all random numbers.

    References
    ----------
    Bae & Shin, "ROC-SVM" (2025), section 4.1. `true_scores` returns the best scores.
    """
    return _thresholded("linear", n, seed)


@about(cites=("bae2025",))
def radial(n: int = 5000, seed: int = 0) -> Data:
    """x ~ N₂(0, I), y = sign(α + ‖x‖² + ε), ε ~ N(0, 1), 80 % negative in the population.

    The scores ‖x‖² have the AUC 0.96471 in the population. The paper prints 0.90985, which this
    model does not give.

    Parameters
    ----------
    n : int
        Number of rows, at least 2; with very few, all may happen to be of one class.
    seed : int
        Decides all random numbers.

    References
    ----------
    Bae & Shin, "ROC-SVM" (2025), section 4.1. `true_scores` returns the best scores.
    """
    return _thresholded("radial", n, seed)


def true_scores(name: str, X: Any) -> Vector:
    """Return the best possible scores f(x), shape (n,): x₁ + x₂ for linear, ‖x‖² for radial.

    Parameters
    ----------
    name : str
        "linear" or "radial".
    X : matrix of shape (n, 2)
        The rows.
    """
    if name not in _SCORES:
        raise UnknownNameError("simulation with known scores", name, _SCORES)
    rows = check_rows(X)[0]
    if rows.d != 2:
        raise DataError(f"X has {rows.d} columns; give the 2 columns of the simulation {name!r}")
    return _SCORES[name](rows.densified(MAX_STORED, "true_scores").matrix)


def population_auc(name: str, negative: float = NEGATIVE_SHARE) -> float:
    """Return the AUC of the true scores f(x) in the population, to six digits.

    It is ∫ p₊(s) F₋(s) ds: the density p₊ of f(x) for positives, which is that of f(x) times
    Φ(α + s), and the distribution function F₋ for negatives.
    """
    from scipy.integrate import cumulative_trapezoid
    from scipy.special import ndtr

    alpha = offset(name, negative)
    if name == "linear":
        s = np.linspace(-14.0, 14.0, 20_001)
        density = np.exp(-(s**2) / 4.0)
    else:
        s = np.linspace(0.0, 60.0, 20_001)
        density = np.exp(-s / 2.0)
    positive = density * ndtr(alpha + s)
    below = cumulative_trapezoid(density * ndtr(-alpha - s), s, initial=0)
    return float(np.trapezoid(positive * below, s) / (np.trapezoid(positive, s) * below[-1]))


def offset(name: str, negative: float = NEGATIVE_SHARE) -> float:
    """Return α of `linear` or `radial`: minus the quantile of f(x) + ε at the share of negatives.

    For linear, f + ε ~ N(0, 3). For radial, f is exponential with rate 1/2. So
    P(f + ε > t) = Φ(−t) + exp(1/8 − t/2) Φ(t − 1/2), which is solved for t.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    if name not in _SCORES:
        raise UnknownNameError("simulation with known scores", name, _SCORES)
    if not 0 < negative < 1:
        raise ParameterError(f"negative must be a share between 0 and 1, got {negative}")
    if name == "linear":
        return -sqrt(3.0) * float(ndtri(negative))

    def excess(t: float) -> float:
        above = ndtr(-t) + exp(0.125 - t / 2.0) * ndtr(t - 0.5)
        return float(above) - (1.0 - negative)

    return -float(brentq(excess, -20.0, 60.0, xtol=1e-14))


def _thresholded(name: str, n: int, seed: int) -> Data:
    require_whole(2, n=n)
    require_whole(0, seed=seed)
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    noisy = offset(name) + _SCORES[name](X) + rng.standard_normal(n)
    return Data.of(X, np.where(noisy > 0, 1, -1))


_SCORES: dict[str, Callable[[Vector], Vector]] = {
    "linear": lambda X: X[:, 0] + X[:, 1],
    "radial": lambda X: np.einsum("ij,ij->i", X, X),
}
