"""The area under a part of the ROC curve, and how it moves with each row.

Design
  a. The curve is a polygon: rows of equal scores are one straight edge. The part of it with
     u >= min_fpr, u <= max_fpr and TPR >= min_tpr takes of each edge the share from l to h. With
     the shares p of the positives and q of the negatives on an edge, and T the TPR at its
     beginning, the area is Σ q (h − l) (T + p (l + h)/2 − min_tpr).
  b. Its derivative by p of an edge is V = q (h² − l²)/2 + Σ q (h − l) over the edges after it, and
     that by q is U = −(p (h² − l²)/2 + Σ p (h − l)): clipped placements. V and U less their means
     are the influences of the rows, and their variance is that of DeLong's for the whole curve.
  c. Edges that the ends of the range cut are exact too. (Rejected: to clip placements with half
     ties. With scores of few values it takes the variance for a third too small.)
  d. Where few rows are in the range, which of them are is the larger part of what is random. There
     the variance is that of a bootstrap, which draws the rows of each class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import ParameterError
from aucbench.stats.influence import FEWEST, Influence
from aucbench.stats.rows import Fold
from aucbench.stats.vectors import Vector

Scale = Literal["mcclish", "norm", "raw"]
DRAWS, AT_ONCE = 500, 2**21  # samples of a bootstrap; numbers that are in memory for it


@dataclass(frozen=True, slots=True)
class Range:
    """A part of the ROC curve, and the scale on which its area is told.

    Attributes
    ----------
    max_fpr, min_fpr : float
        The largest and the least false-positive rate, 0 <= min_fpr < max_fpr <= 1.
    min_tpr : float
        The least true-positive rate, in [0, 1).
    scale : {"mcclish", "norm", "raw"}
        See `partial_auc`.

    Raises
    ------
    ParameterError
        When a rate is out of its range, or the scale is another one.
    """

    max_fpr: float = 0.1
    min_fpr: float = 0.0
    min_tpr: float = 0.0
    scale: Scale = "mcclish"

    def __post_init__(self) -> None:
        if not 0 < self.max_fpr <= 1:
            raise ParameterError(f"max_fpr must be in (0, 1], got {self.max_fpr}")
        if not 0 <= self.min_fpr < self.max_fpr:
            raise ParameterError(
                f"min_fpr must be in [0, {self.max_fpr:g}), below max_fpr, got {self.min_fpr}"
            )
        if not 0 <= self.min_tpr < 1:
            raise ParameterError(f"min_tpr must be in [0, 1), got {self.min_tpr}")
        if self.scale not in get_args(Scale):
            raise ParameterError(
                f"scale is {self.scale!r}; give one of {', '.join(get_args(Scale))}"
            )

    @property
    def most(self) -> float:
        """The raw area of perfect scores."""
        return (self.max_fpr - self.min_fpr) * (1.0 - self.min_tpr)

    @property
    def ends(self) -> tuple[float, float]:
        """The value of a raw area of 0, and of the largest one."""
        if self.scale == "raw":
            return 0.0, self.most
        if self.scale == "norm":
            return 0.0, 1.0
        above = max(0.0, self.max_fpr - self.min_tpr), max(0.0, self.min_fpr - self.min_tpr)
        chance = (above[0] ** 2 - above[1] ** 2) / 2.0  # the raw area of random scores
        return 0.5 * (1.0 - chance / (self.most - chance)), 1.0

    def scaled(self, share: float) -> float:
        """Return the value of a raw area, which is given as a share of the largest one."""
        low, high = self.ends
        return min(high, max(low, low + (high - low) * share))


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edges of ROC curves from (0, 0), one for each distinct score: p, q and their parts.

    `p` and `q` have the shape (..., m), the shares of the positives and of the negatives on each.
    """

    p: Vector
    q: Vector
    l: Vector  # noqa: E741 - as in the formulas
    h: Vector
    share: Vector  # raw area, divided by that of perfect scores

    @staticmethod
    def of(p: Vector, q: Vector, part: Range) -> Edges:
        """Cut the edges at the ends of the range."""
        T, F = np.cumsum(p, axis=-1) - p, np.cumsum(q, axis=-1) - q
        low = np.maximum(_place(part.min_fpr, F, q, part.min_fpr > F), _place(part.min_tpr, T, p))
        high = np.maximum(low, _place(part.max_fpr, F, q, part.max_fpr >= F))
        areas = q * (high - low) * (T + p * (low + high) / 2.0 - part.min_tpr)
        return Edges(p, q, low, high, areas.sum(axis=-1) / part.most)

    @property
    def placements(self) -> tuple[Vector, Vector]:
        """V and U of the rows on each edge."""
        halves, widths = (self.h**2 - self.l**2) / 2.0, self.h - self.l

        def placed(shares: Vector) -> Vector:
            taken = shares * widths
            return shares * halves + np.cumsum(taken[::-1])[::-1] - taken

        return placed(self.q), -placed(self.p)


def _place(
    rate: float, start: Vector, width: Vector, before: NDArray[np.bool_] | None = None
) -> Vector:
    """Return at which share of each edge a rate is reached; `before` tells it where width is 0."""
    wide = width > 0
    at = np.divide(rate - start, width, out=np.zeros(width.shape), where=wide)
    point = start < rate if before is None else before
    return np.where(wide, np.clip(at, 0.0, 1.0), point)


@dataclass(frozen=True, slots=True, eq=False)
class Tied:
    """Rows by the edge of the ROC curve that they are on, and their shares in their class."""

    at: NDArray[np.intp]  # number of the edge of each row
    size: int
    positive: NDArray[np.bool_]
    shares: Vector

    @staticmethod
    def of(fold: Fold) -> Tied:
        """Sort the rows by score, the highest first; O(n log n)."""
        at = np.unique(fold.scores, return_inverse=True)[1]
        size = int(at.max()) + 1
        masses = fold.weights[fold.positive].sum(), fold.weights[~fold.positive].sum()
        shares = fold.weights / np.where(fold.positive, *masses)
        return Tied(size - 1 - at, size, fold.positive, shares)

    def edges(self, part: Range) -> Edges:
        """Return the edges of the curve."""
        p, q = (
            np.bincount(self.at[rows], self.shares[rows], self.size)
            for rows in (self.positive, ~self.positive)
        )
        return Edges.of(p / p.sum(), q / q.sum(), part)

    def drawn(self, part: Range, seed: int = 0) -> Vector:
        """Return the area of each sample of a bootstrap; equal rows are drawn in equal places."""
        rng = np.random.default_rng(seed)
        run = self.runs(part)
        sides = [Drawn.of(run[rows], self.shares[rows]) for rows in (self.positive, ~self.positive)]
        size = int(run.max()) + 1
        step = max(1, AT_ONCE // max(size, *(side.counts.size for side in sides)))
        areas = []
        for first in range(0, DRAWS, step):
            count = min(step, DRAWS - first)
            p, q = (side.sample(count, size, rng) for side in sides)
            areas.append(Edges.of(p, q, part).share)
        return np.concatenate(areas)

    def runs(self, part: Range) -> NDArray[np.intp]:
        """Number runs of edges that are one straight line in each sample, and return those of rows.

        Neighbours with rows of one class, the same one, are a run. So are all edges that are so far
        behind the range that no sample has them in it.
        """
        sides = (self.positive, ~self.positive)
        has = [np.bincount(self.at[rows], minlength=self.size) > 0 for rows in sides]
        kind = has[0] + 2 * has[1]
        joins = (kind[1:] == kind[:-1]) & (kind[1:] < 3)
        run = np.concatenate([[0], np.cumsum(~joins)])
        n = int(np.count_nonzero(sides[1]))
        before = np.cumsum(np.bincount(self.at[sides[1]], minlength=self.size)) / n
        spread = 8.0 * np.sqrt(part.max_fpr / n) + 20.0 / n
        last = int(np.searchsorted(before, part.max_fpr + spread))
        out: NDArray[np.intp] = np.minimum(run, run[last] if last < run.size else run[-1])[self.at]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The rows of a class as a bootstrap draws them: those of one run and one weight together."""

    counts: NDArray[np.intp]
    means: Vector  # of their shares
    place: NDArray[np.intp]  # their run

    @staticmethod
    def of(run: NDArray[np.intp], shares: Vector) -> Drawn:
        """Put rows together; those of unequal weight only in the last run."""
        last = int(run.max())
        alone = np.zeros(run.size, np.intp)
        if np.ptp(shares) > 0.0:
            alone = np.where(run < last, np.arange(run.size), 0)
        keys = np.stack([run, alone])
        at, inverse, counts = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
        means = np.bincount(inverse.reshape(-1), shares) / counts
        return Drawn(counts, means, at[0])

    def sample(self, count: int, size: int, rng: np.random.Generator) -> Vector:
        """Return the share of the class in each run, (count, size)."""
        n = int(self.counts.sum())
        times = rng.multinomial(n, self.counts / n, size=count) * self.means
        place = (np.arange(count)[:, None] * size + self.place).ravel()
        table = np.bincount(place, times.ravel(), count * size).reshape(count, size)
        return np.asarray(table / table.sum(axis=1, keepdims=True))


def partial_auc(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    max_fpr: float = 0.1,
    min_fpr: float = 0.0,
    min_tpr: float = 0.0,
    scale: Scale = "mcclish",
) -> float:
    """Area under the ROC curve where a <= FPR <= b and TPR >= α: `min_fpr`, `max_fpr`, `min_tpr`.

    The raw area is ∫_a^b (TPR(u) − α)₊ du, where ties are straight edges of the curve. Perfect
    scores have the area (b − a)(1 − α). `scale="norm"` divides by it. `scale="mcclish"` is
    ½ [1 + (raw − lo)/(hi − lo)], where hi is the area of perfect scores and lo that of random ones,
    ∫_a^b (u − α)₊ du: 1/2 for random scores and 1 for perfect ones. With a = 0 and α = 0 it is
    `max_fpr` of scikit-learn's `roc_auc_score`; with b = 1 besides, it is the AUC.

    Parameters
    ----------
    y, scores, sample_weight, pos_label :
        As `auc`.
    max_fpr, min_fpr, min_tpr, scale :
        As `Range`.

    Raises
    ------
    DataError
        As `auc`.
    ParameterError
        As `Range`.

    References
    ----------
    McClish, "Analyzing a portion of the ROC curve", Medical Decision Making 9, 1989; Yang, Lu &
    Zhao, "Two-way partial AUC and its properties", Statistical Methods in Medical Research 28,
    2019.
    """
    part = Range(max_fpr, min_fpr, min_tpr, scale)
    rows = Fold.of_both_classes(y, scores, sample_weight, pos_label=pos_label)
    return part.scaled(float(Tied.of(rows).edges(part).share))


def partial_influence(
    fold: Fold,
    *,
    max_fpr: float = 0.1,
    min_fpr: float = 0.0,
    min_tpr: float = 0.0,
    scale: Scale = "mcclish",
) -> Influence:
    """Return how `partial_auc` moves with each row, or each group, of a fold of both classes.

    With fewer than `FEWEST` rows of a class in the range, the variance is that of a bootstrap.
    """
    part = Range(max_fpr, min_fpr, min_tpr, scale)
    tied = Tied.of(fold)
    edges = tied.edges(part)
    low, high = part.ends
    width = (high - low) / part.most
    value = part.scaled(float(edges.share))
    V, U = (x[tied.at] for x in edges.placements)
    psi = np.zeros(tied.at.size)
    for rows, placed in ((tied.positive, V), (~tied.positive, U)):
        own = tied.shares[rows]
        psi[rows] = width * own * (placed[rows] - own @ placed[rows])
    masses = tied.shares * np.array([tied.positive, ~tied.positive])
    units = np.arange(psi.size) if fold.groups is None else fold.groups
    inside = _inside(fold, part)
    draws = None if inside >= FEWEST else (high - low) * tied.drawn(part)
    told = Influence.of(value, psi, masses, units, ends=part.ends)
    return replace(told, draws=draws, seen=inside)


def _inside(fold: Fold, part: Range) -> float:
    """Return how many rows of the class that has fewer of them are in the range."""
    positive = int(np.count_nonzero(fold.positive))
    shares = 1.0 - part.min_tpr, part.max_fpr
    return min(shares[0] * positive, shares[1] * (fold.positive.size - positive))
