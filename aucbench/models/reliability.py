"""Are the probabilities true? Groups of rows, and the expected calibration error.

Each half of the rows that were held out gets its probabilities from a calibration that was learnt
on the other half, so that no row helps to judge its own curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.kernels.vectors import Mask, Vector
from aucbench.models.calibration import calibrator
from aucbench.stats import LEVEL, Interval, wilson
from aucbench.stats.calibration import FEWEST, halves

GROUPS, SMALLEST = 10, 20  # groups of equal size, and the rows that a group needs
DRAWN = 200  # sets of labels that the probabilities would give
MANY = 100_000  # rows from which these sets are not drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows with similar probabilities.

    Attributes
    ----------
    rows : int
    probability : float
        Mean.
    positive : Interval
        Share of positives, with Wilson's interval.
    """

    rows: int
    probability: float
    positive: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """The reliability curve, on rows that trained neither the model nor their calibration.

    Attributes
    ----------
    groups : tuple of Group
        Of equal size, ascending by probability.
    error : float
        Expected calibration error: the mean of |probability − share of positives| over the rows.
    chance : float
        What it would be on average, were all probabilities true.

    References
    ----------
    Pakdaman Naeini, Cooper & Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
    binning", AAAI 2015.
    """

    groups: tuple[Group, ...]
    error: float
    chance: float

    @staticmethod
    def of(method: str, positive: Mask, scores: Vector) -> Reliability | None:
        """Return the curve; None when a class has fewer than 4 rows."""
        n_pos = int(positive.sum())
        if min(n_pos, positive.size - n_pos) < FEWEST:
            return None
        first, p = halves(positive), np.empty(scores.size)
        y = np.where(positive, 1, -1)
        for held in (first, ~first):
            p[held] = calibrator(method, y[~held], scores[~held])(scores[held])
        count = int(np.clip(positive.size // SMALLEST, 1, GROUPS))
        parts = np.array_split(np.argsort(p, kind="stable"), count)
        groups = tuple(
            Group(
                rows=int(part.size),
                probability=float(p[part].mean()),
                positive=wilson(int(positive[part].sum()), int(part.size), LEVEL),
            )
            for part in parts
        )
        error = sum(abs((positive[part] - p[part]).sum()) for part in parts) / p.size
        return Reliability(groups=groups, error=float(error), chance=_chance(p, parts))


def _chance(p: Vector, parts: Sequence[NDArray[np.intp]]) -> float:
    """Return the mean error of labels that are drawn with the probabilities p, in these groups.

    Sums of many labels are normal, with E|Σ(y − p)| = √(2 Σ p(1 − p)/π).
    """
    if p.size > MANY:
        return sum(float(np.sqrt(2.0 / np.pi * (p[q] @ (1.0 - p[q])))) for q in parts) / p.size
    labels = np.random.default_rng(0).random((DRAWN, p.size)) < p
    chance = sum(np.abs((labels[:, part] - p[part]).sum(axis=1)) for part in parts) / p.size
    return float(np.mean(chance))
