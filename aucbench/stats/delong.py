"""Intervals and tests of the AUC on test rows, by the placements of the rows (DeLong).

Design
  a. The placement of a positive is the share of the negatives that it is above, ties half. That
     of a negative is the share of the positives that are above it. Both have the mean AUC.
  b. A part is one class of one fold. The variance of the AUC is the sum over the parts of the
     variance of their mean placement, since the two classes are independent samples. A difference
     of two solvers on the same rows has the differences of the placements in their place.
  c. What is estimated from few rows has few degrees of freedom. So quantiles are those of
     Student's t with Satterthwaite's degrees, as in the test of Brunner and Munzel. With the
     normal quantiles of DeLong's paper, intervals from 10 positives are too short.
  d. Where few rows are misplaced, placements say little of their variance: with none, it would be
     0. So an interval has room for a group of rows that the test rows do not show, see `mixture`.
     (Rejected: the variance of Hanley and McNeil where fewer than five rows are misplaced. It takes
     scores for smooth, and with a group of 2 % of the positives below all negatives it held the AUC
     in 68 % of samples.)
  e. Where rows have groups, the sum of the centred placements of a group takes the place of a row
     (Obuchowski, 1997), over both classes and all folds. So rows of one group may be as alike as
     they like, and repeats of one row too. Where c. and d. count rows, they count groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log10, nan, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import NDArray

from aucbench.errors import DataError, ParameterError, require_whole
from aucbench.stats.mixture import Lead, mixture_beta
from aucbench.stats.rows import Fold
from aucbench.stats.vectors import Vector, even
from aucbench.stats.words import LEVEL, Difference, Interval, require_level

SMALLEST, LARGEST = 1e-12, 0.999  # p-values of `equal_p` below the first one are this one
Alternative = Literal["two-sided", "greater", "less"]
Groups: TypeAlias = NDArray[np.integer] | None
# Placements, weights and groups of the positives of a fold, and those of its negatives.
PlacedRows: TypeAlias = tuple[tuple[Vector, Vector, Groups], ...]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The groups of the parts: a group that is in several parts is in each of them one cluster."""

    at: NDArray[np.intp]  # the cluster of each row, (N,)
    whose: NDArray[np.intp]  # the group of each cluster, from 0, (C,)
    starts: NDArray[np.intp]  # the first cluster of each part

    @staticmethod
    def of(groups: NDArray[np.integer], sizes: NDArray[np.intp]) -> Clusters:
        """Number the clusters, part after part."""
        number = np.unique(groups, return_inverse=True)[1]
        part = np.repeat(np.arange(sizes.size), sizes)
        many = int(number.max(initial=0)) + 1
        known, at = np.unique(part * many + number, return_inverse=True)
        return Clusters(at, known % many, np.searchsorted(known, many * np.arange(sizes.size)))

    def sums(self, values: Vector) -> Vector:
        """Sum of each part over its clusters."""
        return np.asarray(np.add.reduceat(values, self.starts))

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Number of clusters of each part."""
        return np.diff(self.starts, append=self.whose.size)

    @property
    def count(self) -> int:
        """Number of groups."""
        return int(np.unique(self.whose).size)


@dataclass(frozen=True, eq=False)
class Parts:
    """Weights of the rows of several folds, part after part, and where each part begins.

    All pairs of solvers share what follows from them.
    """

    weights: Vector
    starts: NDArray[np.intp]
    groups: Groups = None  # the group of each row; without them, each row is one

    def sums(self, values: Vector) -> Vector:
        """Sum of each part, (N,) -> (2 J,)."""
        return np.asarray(np.add.reduceat(values, self.starts))

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of rows of each part."""
        return np.diff(self.starts, append=self.weights.size)

    @cached_property
    def totals(self) -> Vector:
        """Sum of the weights of each part."""
        return self.sums(self.weights)

    @cached_property
    def shares(self) -> Vector:
        """Weight of each row divided by that of its part."""
        return self.weights / np.repeat(self.totals, self.sizes)

    @cached_property
    def counts(self) -> Vector:
        """Rows of each part, as weights count them: (sum of them)^2 / sum of their squares.

        Where there are groups, those in place of rows, and the weights of their rows added up.
        """
        weights = self.by_group(self.weights) if self.clusters else self.weights
        sums = self.clusters.sums if self.clusters else self.sums
        return np.asarray(self.totals**2 / sums(weights**2))

    @cached_property
    def clusters(self) -> Clusters | None:
        """The groups of each part; None where there are none."""
        return None if self.groups is None else Clusters.of(self.groups, self.sizes)

    def by_group(self, values: Vector) -> Vector:
        """Return the sum of each group in each part, part after part."""
        assert self.clusters is not None
        return np.bincount(self.clusters.at, values, self.clusters.whose.size).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The placements of all rows of several folds: of the positives and negatives of each in turn.

    Folds of one class have no AUC and are not here; `left_out` counts them.
    """

    values: Vector
    parts: Parts
    left_out: int

    @staticmethod
    def of(folds: Sequence[Fold]) -> Placements:
        """Place the rows of each fold; time O(n log n)."""
        return Placements.joined([placed_rows(fold) for fold in folds])

    @staticmethod
    def joined(folds: Sequence[PlacedRows]) -> Placements:
        """Return the placements of folds whose rows are placed already."""
        parts = [part for fold in folds for part in fold]
        values = np.concatenate([np.empty(0), *(part for part, _, _ in parts)])
        weights = np.concatenate([np.empty(0), *(part for _, part, _ in parts)])
        groups = [part for _, _, part in parts if part is not None]
        ends = np.cumsum([0, *(part.size for part, _, _ in parts)], dtype=np.intp)
        left_out = sum(not fold for fold in folds)
        if groups and len(groups) < len(parts):
            raise DataError("some folds have groups and others have none; give them for all")
        own = np.concatenate(groups) if groups else None
        return Placements(values, Parts(weights, ends[: len(parts)], own), left_out)

    @property
    def means(self) -> Vector:
        """Mean placement of each part, shape (2 J,)."""
        parts = self.parts
        return np.asarray(parts.sums(parts.weights * self.values) / parts.totals)

    @property
    def aucs(self) -> Vector:
        """AUC of each fold, shape (J,)."""
        return self.means[::2]

    def rows(self, repeats: int) -> float:
        """N: the variance of the mean AUC A is at most A (1 - A)/N.

        1/N is the sum of the squared shares that the rows of a class have in the mean, of the class
        with the larger sum. For one fold it is the number of rows of the rarer class, and for J
        folds with m_j positives and n_j negatives 1/N = repeats max(Σ 1/m_j, Σ 1/n_j)/J².
        """
        parts = self.parts
        if parts.clusters is None:
            each = repeats / parts.counts
            squares = [each[::2].sum(), each[1::2].sum()]
        else:  # a group counts once, also where it has rows in several folds
            shares = parts.by_group(parts.shares)
            classes = np.repeat(np.arange(parts.starts.size) % 2, parts.clusters.sizes)
            whose = parts.clusters.whose
            squares = [(np.bincount(whose, shares * (classes == c)) ** 2).sum() for c in (0, 1)]
        return (parts.starts.size / 2) ** 2 / float(max(squares))

    @property
    def method(self) -> str:
        """What the variance is called."""
        return "DeLong" if self.parts.groups is None else "DeLong by groups"

    @property
    def note(self) -> str:
        """What was left out, as a sentence; empty if nothing was."""
        total = self.left_out + self.parts.starts.size // 2
        return f"{self.left_out} of {total} folds hold one class." if self.left_out else ""

    @property
    def flaw(self) -> str:
        """Why the variance is not known wholly, as a sentence; empty if it is."""
        parts = self.parts
        if (parts.sizes < 2).any():
            return "A fold has one row of a class."
        if parts.clusters is not None and (parts.clusters.sizes < 2).any():
            return "A fold has the rows of a class in one group."
        if (self.values == np.repeat(self.values[parts.starts], parts.sizes)).all():
            return "The rows of each class are placed alike."
        return ""

    def minus(self, other: Placements) -> Placements:
        """Return the differences of the placements of the same rows."""
        return Placements(self.values - other.values, self.parts, self.left_out)

    def variance(self, repeats: int) -> tuple[float, float]:
        """Return variance and degrees of freedom of the mean AUC over the folds.

        A part of m rows with shares a has the mean v = sum_i a_i v_i of variance
        sum_i a_i^2 (v_i - v)^2 / (1 - sum_i a_i^2). For equal weights this is s^2 / m. A part of
        one row says nothing of its variance and adds 0.
        """
        rows, counts = self.parts, self.parts.counts  # 1 / sum_i a_i^2
        centred = rows.shares * (self.values - np.repeat(self.means, rows.sizes))
        if rows.clusters is not None:
            return self._variance_by_groups(rows.by_group(centred), rows.clusters, repeats)
        parts = _of_several(rows.sums(centred**2), 1.0 - 1.0 / counts)
        total = float(parts.sum())
        degrees = _degrees(parts, counts)
        folds = rows.starts.size // 2
        return repeats * total / folds**2, degrees / repeats

    def _variance_by_groups(
        self, sums: Vector, clusters: Clusters, repeats: int
    ) -> tuple[float, float]:
        """Return variance and degrees of freedom, from the sum of each group in each part.

        With b_pg the sum of group g in the part p, the variance is sum_p c_p sum_g b_pg^2 for each
        part alone, and c sum_g b_pg b_qg for each two parts p and q. The factors are I / (I - 1)
        for the I groups in all, and 1 / (1 - sum_g a_g^2) for groups with shares a_g of a part,
        which is the same where groups are equal (Obuchowski, 1997, for one fold).
        """
        own, together = sums**2, np.bincount(clusters.whose, sums) ** 2
        counts, folds = self.parts.counts, self.parts.starts.size // 2
        factor = clusters.count / max(1, clusters.count - 1)
        alone = _of_several(clusters.sums(own), 1.0 - 1.0 / counts)
        total = factor * float(together.sum() - own.sum()) + float(alone.sum())
        return max(0.0, total) / folds**2, _degrees(alone, counts) / repeats

    @property
    def groups(self) -> int:
        """Number of groups; 0 where rows have none."""
        return 0 if self.parts.clusters is None else self.parts.clusters.count

    def interval(self, level: float = LEVEL, repeats: int = 1) -> Interval:
        """Do as `auc_interval` for rows that are placed already."""
        require_level(level)
        require_whole(1, repeats=repeats)
        if not self.values.size:
            return Interval(nan, nan, nan, level, "DeLong", "No fold holds both classes.")
        estimate = min(1.0, max(0.0, float(self.aucs.mean())))
        variance, degrees = self.variance(repeats)
        rows, full = self.rows(repeats), bool(self.flaw)
        low, high = mixture_beta(estimate, variance, degrees, rows, level, full=full)
        return Interval(estimate, low, high, level, f"{self.method}, mixture beta", self.note)

    def difference(self, other: Placements, level: float = LEVEL, repeats: int = 1) -> Difference:
        """Do as `auc_difference` with other scores of the same rows, which are placed too."""
        require_level(level)
        require_whole(1, repeats=repeats)
        method = f"{self.method}, paired, mixture beta"
        if not self.values.size:
            return Difference(nan, nan, nan, nan, level, method, "No fold holds both classes.")
        less = self.minus(other)
        effect = float(less.aucs.mean())
        if not less.values.any():
            x = 1 - (1 - level) ** (1 / self.rows(repeats))
            note = f"Both place every row alike. {self.note}".strip()
            return Difference(0.0, -x, x, 1.0, level, "rule of three", note)
        ahead, behind = less.leads(repeats)
        p = ahead.p_of_0 if effect > 0 else behind.p_of_0
        bounds = ahead.low(level), 0.0 - behind.low(level)
        note = f"{less.flaw} {self.note}".strip()
        return Difference(effect, *bounds, p, level, method, note)

    def leads(self, repeats: int) -> tuple[Lead, Lead]:
        """Return what these differences say of the least mean difference, and less the largest."""
        seen = *self.variance(repeats), self.rows(repeats)
        effect, behind, full = float(self.aucs.mean()), self._behind(), bool(self.flaw)
        ahead = max(0.0, effect + behind)
        return (
            Lead.of(effect, behind, *seen, full=full),
            Lead.of(-effect, ahead, *seen, full=full),
        )

    def _behind(self) -> float:
        """Return the mean of what is below 0 in the differences, of the class with less of it.

        Where rows have groups, their sums count.
        """
        rows = self.parts
        own = rows.shares * self.values
        if rows.clusters is None:
            sums = rows.sums(np.maximum(0.0, -own))
        else:
            sums = rows.clusters.sums(np.maximum(0.0, -rows.by_group(own)))
        return float(min(sums[::2].mean(), sums[1::2].mean()))


def _of_several(sums: Vector, share: Vector) -> Vector:
    """Return sums / share, and 0 for parts of one row."""
    return np.divide(sums, share, out=np.zeros_like(sums), where=share > 0)


def _degrees(parts: Vector, counts: Vector) -> float:
    """Return Satterthwaite's degrees of freedom of the sum of these variances; ∞ if it is 0."""
    known = parts > 0
    below = float((parts[known] ** 2 / (counts[known] - 1.0)).sum())
    return float(parts.sum()) ** 2 / below if below else inf


def auc_interval(folds: Sequence[Fold], level: float = LEVEL, repeats: int = 1) -> Interval:
    """AUC of the fitted models on rows like the test rows: the mean over the folds, an interval.

    It holds each θ that the rows do not reject, though the population may have a group of rows
    that the test rows do not show. With the mean AUC A, DeLong's variance V of f degrees of
    freedom, N rows of the rarer class of which x = N min(A, 1 - A) are misplaced, and
    w = min(1, 10/x), θ <= A is held when I_θ(A ν, ν - A ν + 1) >= (1 - level)/2, where I is the
    regularised incomplete beta function, and

        v = V θ/A + w θ (A - θ)/N,  ν = θ (1 - θ)/(κ² v),  κ = t(d)/z,  d = f (v A/(V θ))²

    with the quantiles z and t of the normal and Student's distribution. For θ > A the same holds
    of 1 - θ and 1 - A. Where a variance is known in part, because a fold has one row of a class
    or all rows of a class are placed alike, w = 1. It does not cover that other training rows
    would give other models; `corrected_interval` does.

    Parameters
    ----------
    folds : sequence of Fold
        Of one or several repeats. Those that hold one class have no AUC; they are left out, and
        the note counts them.
    level : float
        In (0, 1).
    repeats : int
        How often the folds go over the same rows. Repeats share their test rows, so the variance
        of the mean over them is taken to be that of one repeat.

    Returns
    -------
    Interval
        All NaN when no fold holds both classes.

    Raises
    ------
    ParameterError
        When `level` is not in (0, 1), or `repeats` is not a whole number >= 1.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44; Obuchowski (1997), Biometrics 53, for
    groups, which the method calls "DeLong by groups"; LeDell, Petersen and van der Laan
    (2015), Electronic Journal of Statistics 9, for folds; Brunner and Munzel (2000), Biometrical
    Journal 42, for the degrees of freedom; Birnbaum and Klose (1957), Annals of Mathematical
    Statistics 28, for the largest variance of N rows; Korn and Graubard (1998), Survey Methodology
    24, for beta distributions with effective rows. Only ratios and centred squares are summed, so
    that nothing overflows.
    """
    return Placements.of(folds).interval(level, repeats)


def auc_difference(
    folds_a: Sequence[Fold], folds_b: Sequence[Fold], level: float = LEVEL, repeats: int = 1
) -> Difference:
    """Difference AUC_a - AUC_b of two solvers on the same rows, with room for rows nobody saw.

    It is wider than DeLong's test, `delong_test`, and called "DeLong, paired, mixture beta". As of
    one AUC, the interval holds each difference that the rows do not reject, though a group
    of rows may be hidden which only one of the two places well. V is DeLong's variance of the
    differences of the placements. Such a group counts half, as if the other solver placed it at
    random: w = 1/(2 max(1, x)), where N is as in `auc_interval`, and x is N times the share of the
    pairs by which the solver that would fall back is behind already. p is the largest 1 - level
    whose interval does not hold 0. Both models are held fixed; `corrected_difference` covers their
    training.

    The rule for degenerate cases: when both solvers place every row alike, the effect is 0 and
    p = 1. Then at most a share x = 1 - (1 - level)^(1/n) of the rows can be placed otherwise,
    where n is the number of rows of the rarer class, and the interval is [-x, x] (the "rule of
    three"). When a class has one row in a fold, or the differences of the placements are all
    alike, hidden rows count in full, w = 1.

    Parameters
    ----------
    folds_a, folds_b : sequences of Fold
        The same rows in the same order, with the scores of one solver each.
    level, repeats :
        As in `auc_interval`.

    Raises
    ------
    DataError
        When the two do not hold the same rows.
    ParameterError
        As `auc_interval`.
    """
    if len(folds_a) != len(folds_b):
        raise DataError(
            f"one solver has {len(folds_a)} folds and the other one {len(folds_b)}; give the folds "
            "that both have"
        )
    for number, (a, b) in enumerate(zip(folds_a, folds_b, strict=True)):
        _require_same_rows(a, b, number)
    return Placements.of(folds_a).difference(Placements.of(folds_b), level, repeats)


@dataclass(frozen=True, slots=True)
class DeLongTest:
    """The difference of two AUCs, with its interval and the p-value of "it is 0".

    Attributes
    ----------
    estimate, low, high, level : float
        AUC_a − AUC_b and its two-sided interval; NaN without a variance, see `note`.
    p : float
        One- or two-sided, as it was asked for.
    statistic, degrees : float
        The difference divided by its standard error, and the degrees of freedom of Student's t;
        infinite for paired scores, whose statistic is Z.
    method, note : str
    """

    estimate: float
    low: float
    high: float
    p: float
    level: float
    method: str
    statistic: float
    degrees: float
    note: str = ""


def delong_covariance(folds: Sequence[Fold]) -> NDArray[np.float64]:
    """Return DeLong's covariance of the AUCs of K scores of the same rows, (K, K).

    Its diagonal has their variances: s₊²/n₊ + s₋²/n₋, with the sample variances of the placements
    of the positives and of the negatives. There is no room for rows that nobody saw.

    Parameters
    ----------
    folds : sequence of Fold
        The same rows in the same order, with one score each. Weights and groups count as in
        `auc_interval`.

    Raises
    ------
    DataError
        When the rows differ, or have one class only.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson, "Comparing the areas under two or more correlated receiver
    operating characteristic curves", Biometrics 44, 1988.
    """
    placed = [_placed_alone(fold) for fold in folds]
    for number, fold in enumerate(folds):
        _require_same_rows(folds[0], fold, number)
    own = np.array([one.variance(1)[0] for one in placed])
    less = np.array([[a.minus(b).variance(1)[0] for b in placed] for a in placed])
    return np.asarray((own[:, None] + own - less) / 2.0)


def delong_test(
    a: Fold,
    b: Fold,
    *,
    alternative: Alternative = "two-sided",
    paired: bool = True,
    level: float = LEVEL,
) -> DeLongTest:
    """Test the difference of two AUCs as DeLong, DeLong & Clarke-Pearson do.

    Paired, Z = (AUC_a − AUC_b)/√V with V = V_a + V_b − 2 C of `delong_covariance`. Unpaired, V is
    V_a + V_b, and the statistic is Student's t with V²/(V_a²/(n_a − 1) + V_b²/(n_b − 1)) degrees of
    freedom, where n_a and n_b are the numbers of rows. Equal placements have the statistic 0. Both
    are those of `roc.test` of the R package pROC. `auc_difference` holds in more samples where rows
    are few, see docs/statistics.md.

    Parameters
    ----------
    a, b : Fold
        If paired, the same rows in the same order.
    alternative : {"two-sided", "greater", "less"}
        Whether AUC_a differs from, is above, or is below AUC_b. The interval is always two-sided.
    paired : bool
    level : float
        Of the interval, in (0, 1).

    Raises
    ------
    DataError
        When rows have one class only, or paired rows differ.
    ParameterError
        When `alternative` is another word, or `level` is not in (0, 1).
    """
    require_level(level)
    if alternative not in get_args(Alternative):
        raise ParameterError(
            f"alternative is {alternative!r}; give one of {', '.join(get_args(Alternative))}"
        )
    one, other = _placed_alone(a), _placed_alone(b)
    method = f"{one.method}, {'paired' if paired else 'unpaired'}"
    estimate = float(one.aucs[0] - other.aucs[0])
    if paired:
        _require_same_rows(a, b, 0)
        less = one.minus(other)
        variance, degrees, flaw = less.variance(1)[0], inf, less.flaw
    else:
        own = np.array([placed.variance(1)[0] for placed in (one, other)])
        sizes = np.array([placed.groups or placed.values.size for placed in (one, other)])
        variance, flaw = float(own.sum()), one.flaw or other.flaw
        degrees = variance**2 / float((own**2 / (sizes - 1)).sum()) if variance > 0 else inf
    known = min(one.parts.counts.min(), other.parts.counts.min()) > 1.0
    if not known or (variance == 0.0 and estimate != 0.0):
        return DeLongTest(estimate, nan, nan, nan, level, method, nan, degrees, flaw)
    error = sqrt(variance)
    statistic = estimate / error if error > 0 else 0.0
    below, above = scipy.special.stdtr(degrees, [statistic, -statistic]).tolist()
    p = {"less": below, "greater": above}.get(alternative, 2.0 * min(below, above))
    half = float(scipy.special.stdtrit(degrees, (1.0 + level) / 2.0)) * error
    low, high = estimate - half, estimate + half
    return DeLongTest(estimate, low, high, p, level, method, statistic, degrees)


def _require_same_rows(a: Fold, b: Fold, number: int) -> None:
    if not a.has_rows_of(b):
        raise DataError(
            f"labels or weights of fold {number} differ; give the same rows in the same order"
        )


def _placed_alone(fold: Fold) -> Placements:
    """Return the placements of one fold, which must have both classes."""
    if not fold.has_both_classes:
        raise DataError("an AUC has a variance only if there are rows of both classes")
    return Placements.of([fold])


def equal_p(a: Placements, b: Placements) -> float | None:
    """Return the two-sided p-value of "both AUCs are equal", of independent rows; None without one.

    The interval of the difference follows from the bounds of both AUCs, which have room for rows
    that nobody saw: on each side the squares of the distances to the bounds are added (MOVER; Zou
    and Donner, 2008, Statistics in Medicine 27). p is the largest size of the test whose interval
    leaves 0 out. (Rejected: a t-test with the variances of DeLong added. A group of 20 positives
    that by chance has none of the few rows which a model misplaces then looks better in 10 to 20 %
    of samples.)
    """
    if not a.values.size or not b.values.size:
        return None
    if a.aucs.mean() < b.aucs.mean():
        a, b = b, a

    def beyond(exponent: float) -> float:
        """Above 0 where an interval of this size leaves 0 out."""
        level = 1.0 - 10.0**exponent
        above, below = a.interval(level), b.interval(level)
        reach = (above.estimate - above.low) ** 2 + (below.high - below.estimate) ** 2
        return (above.estimate - below.estimate) ** 2 - reach

    ends = log10(SMALLEST), log10(LARGEST)
    if beyond(ends[1]) <= 0.0:
        return 1.0
    if beyond(ends[0]) >= 0.0:
        return SMALLEST
    return float(10.0 ** scipy.optimize.brentq(beyond, *ends, xtol=1e-9))


def placed_rows(fold: Fold) -> PlacedRows:
    """Place the rows of a fold; one of one class has no parts."""
    if not fold.has_both_classes:
        return ()
    sides = fold.positive, ~fold.positive
    (s, v), (r, w) = ((fold.scores[rows], even(fold.weights[rows])) for rows in sides)
    own, others = (None if fold.groups is None else fold.groups[rows] for rows in sides)
    s_order, r_order = np.argsort(s), np.argsort(r)
    s_sorted, r_sorted = s[s_order], r[r_order]
    above, below = np.empty(s.size), np.empty(r.size)
    above[s_order] = _share_below(s_sorted, r_sorted, w[r_order])
    below[r_order] = 1.0 - _share_below(r_sorted, s_sorted, v[s_order])
    return (above, v, own), (below, w, others)


def _share_below(s: Vector, others: Vector, weights: Vector) -> Vector:
    """Share of the others that are below each score, ties half; both ascend."""
    upto = np.concatenate([[0.0], np.cumsum(weights)])  # without weights these are exact counts
    upto /= upto[-1]
    shares: Vector = upto[np.searchsorted(others, s)] + upto[np.searchsorted(others, s, "right")]
    return shares / 2
