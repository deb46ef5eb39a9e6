"""The population of tables 1 and 2: offsets for shares of negatives, and AUC of the truth."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np

from aucbench.errors import ParameterError, UnknownNameError

MODELS = ("linear", "radial")
NEGATIVE_SHARE = 0.8  # of the population


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

    if name not in MODELS:
        raise UnknownNameError("simulation with known scores", name, MODELS)
    if not 0 < negative < 1:
        raise ParameterError(f"negative must be a share between 0 and 1, got {negative}")
    if name == "linear":
        return -sqrt(3.0) * float(ndtri(negative))

    def excess(t: float) -> float:
        above = ndtr(-t) + exp(0.125 - t / 2.0) * ndtr(t - 0.5)
        return float(above) - (1.0 - negative)

    return -float(brentq(excess, -20.0, 60.0, xtol=1e-14))
