"""Measures of an order: of survival times, and of grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.grades import Grades
from aucbench.data.row_roles import numbered
from aucbench.data.survival import Survival
from aucbench.errors import DataError
from aucbench.pairs import NoPairsError
from aucbench.pairs.censoring import Censoring
from aucbench.pairs.kinds import Grade, Time
from aucbench.pairs.members import Members
from aucbench.pairs.sums import concordance
from aucbench.stats.rows import counted_rows


def cindex(
    time: ArrayLike,
    event: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    weight: Literal["none", "ipcw"] = "none",
    tau: float | None = None,
    train: Survival | None = None,
) -> float:
    """Concordance index: the share of comparable pairs in which the earlier event scores higher.

    Rows i and j are comparable if i has an event, and t_i < t_j, or t_i = t_j and j is censored.
    Two events at one time are not. Equal scores count ½. Without weights this is Harrell's C, as in
    `sksurv.metrics.concordance_index_censored`, which calls scores equal that differ by 1e-8, and
    `lifelines.utils.concordance_index` of the negative scores. With `weight="ipcw"` a pair counts
    Ĝ(t_i)⁻², where Ĝ is the Kaplan–Meier curve of censoring times: Uno's C, as in
    `sksurv.metrics.concordance_index_ipcw`. It tells the same whatever the censoring is, as long as
    that does not depend on the features. Time: O(n log² n).

    Parameters
    ----------
    time : array of shape (n,)
        How long each row was observed. Only the order counts: a shift of all times, and of τ,
        changes nothing.
    event : array of shape (n,)
        Whether the event happened then: booleans, or 1 and 0.
    scores : array of shape (n,)
        A larger score means an earlier event: a risk.
    sample_weight : array of shape (n,), optional
        What each row counts for, at least 0; a pair counts for the product.
    weight : {"none", "ipcw"}
        Whether a pair counts by the probability of being uncensored.
    tau : float, optional
        Only events before this time count, t_i < τ.
    train : Survival, optional
        The rows whose censoring is estimated, for `weight="ipcw"`; those that a model learnt from.
        None: the same rows.

    Raises
    ------
    DataError
        When shapes differ, a score is NaN, no two rows can be compared, or censoring leaves no row
        at the time of an event.
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Harrell, Lee & Mark, "Multivariable prognostic models", Statistics in Medicine 15, 1996. Uno,
    Cai, Pencina, D'Agostino & Wei, "On the C-statistics for evaluating overall adequacy of risk
    prediction procedures with censored survival data", Statistics in Medicine 30, 2011.
    """
    s, v, t, e = counted_rows(scores, sample_weight, time=time, event=event)
    pairs, target = Time(tau, weight), Survival.of(t, e, v, signed=True)
    censoring = None if train is None else Censoring.of(train.time, train.event)
    return concordance(pairs.of(target, censoring=censoring), s)[0]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs of survival times are in order, and their concordance index.

    Attributes
    ----------
    estimate : float
        (concordant + tied_scores / 2) / (concordant + discordant + tied_scores): Harrell's C.
    concordant, discordant : int
        Comparable pairs in which the earlier event has the larger score, or the smaller one.
    tied_scores : int
        Comparable pairs of equal scores.
    tied_times : int
        Those comparable pairs that have one time, an event and a censored row. They are among the
        others.
    """

    estimate: float
    concordant: int
    discordant: int
    tied_scores: int
    tied_times: int


def concordant_pairs(
    time: ArrayLike, event: ArrayLike, scores: ArrayLike, *, tau: float | None = None
) -> PairCounts:
    """Count the comparable pairs by the order of their scores; exactly, in O(n log² n).

    They are the numbers that `sksurv.metrics.concordance_index_censored` returns, which calls
    scores equal that differ by 1e-8. Parameters and errors are those of `cindex`.
    """
    s, _, t, e = counted_rows(scores, None, time=time, event=event)
    target = Survival.of(t, e, signed=True)
    members = Time(tau).of(target)
    each = replace(members, a=(members.a > 0.0).astype(np.float64))  # a pair counts 1
    twice = int((2.0 * concordance(each, s)[1]).astype(np.int64).sum()) // 2

    def within(values: ArrayLike) -> int:
        group = np.unique(values, return_inverse=True)[1]
        upper = target.event if tau is None else target.event & (target.time < tau)
        try:
            return Members.of_keys(
                target.order.astype(np.int64), upper.astype(np.float64), np.ones(target.n), group
            ).pairs
        except NoPairsError:
            return 0

    tied = within(s)
    good = (twice - tied) // 2
    bad = members.pairs - tied - good
    return PairCounts(twice / (2 * members.pairs), good, bad, tied, within(target.time))


def survival_cindex(
    y: Survival,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    weight: Literal["none", "ipcw"] = "none",
    tau: float | None = None,
) -> float:
    """`cindex` of times and events that are one target, as a registered metric takes them."""
    return cindex(y.time, y.event, scores, sample_weight, weight=weight, tau=tau)


def grade_auc(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    each: Literal["pair", "grades", "group"] = "pair",
    gain: Literal["none", "linear", "exp2"] = "none",
) -> float:
    """Share of pairs of different grades in which the higher grade scores higher; ties count ½.

    Of two grades it is the AUC. Of more it is (D + 1)/2 with Somers' D of the scores given the
    grades, as `scipy.stats.somersd(y, scores)`.

    Parameters
    ----------
    y : array of shape (n,)
        The grade of each row; a higher one is better.
    scores : array of shape (n,)
        A larger score means a higher grade.
    sample_weight : array of shape (n,), optional
        What each row counts for, at least 0; a pair counts for the product.
    groups : array of shape (n,), optional
        The group of each row, such as its query: rows of one group are compared.
    each : {"pair", "grades", "group"}
        Whether each pair of rows counts the same, each pair of grades, or each group: then it is
        the mean over the groups that have two grades, as a mean over queries. (The `auc` of
        XGBoost is such a mean too, but it counts pairs of equal labels, in the order in which they
        come; the two agree if the labels of a query are distinct.)
    gain : {"none", "linear", "exp2"}
        How much a difference of grades counts: G(y) = y, or 2^y − 1.

    Raises
    ------
    DataError
        When shapes differ, a score is NaN, or no two rows can be compared.
    ParameterError
        When a parameter is something else.

    References
    ----------
    Somers, "A new asymmetric measure of association for ordinal variables", American Sociological
    Review 27, 1962.
    """
    s, v, grades, group = counted_rows(scores, sample_weight, y=y, groups=groups)
    pairs, target = Grade(each=each, gain=gain), Grades.of(grades, v)
    own = numbered("groups", group, target.n)
    if own is None and each == "group":
        raise DataError("each='group' is for groups; give the group of each row by groups=")
    v = np.ones(target.n) if v is None else v
    members = pairs.of(target.y, v, None if own is None else own.astype(np.int64))
    return concordance(members, s)[0]
