"""Measures of an order: of survival times, and of grades."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.grades import Grades
from aucbench.data.row_roles import numbered
from aucbench.data.survival import Survival
from aucbench.errors import DataError
from aucbench.kernels.vectors import Vector, floats
from aucbench.pairs.censoring import Censoring
from aucbench.pairs.kinds import Grade, Time


def cindex(
    time: ArrayLike,
    event: ArrayLike,
    scores: ArrayLike,
    weights: ArrayLike | None = None,
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
        How long each row was observed, at least 0.
    event : array of shape (n,)
        Whether the event happened then: booleans, or 1 and 0.
    scores : array of shape (n,)
        A larger score means an earlier event: a risk.
    weights : array of shape (n,), optional
        What each row counts for, above 0; a pair counts for the product.
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
    pairs, target = Time(tau, weight), Survival.of(time, event, weights)
    s = checked_scores(scores, target.n)
    censoring = None if train is None else Censoring.of(train.time, train.event)
    return pairs.of(target, censoring=censoring).concordance(s)[0]


def survival_cindex(
    y: Survival,
    scores: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    weight: Literal["none", "ipcw"] = "none",
    tau: float | None = None,
) -> float:
    """`cindex` of times and events that are one target, as a registered metric takes them."""
    return cindex(y.time, y.event, scores, weights, weight=weight, tau=tau)


def grade_auc(
    y: ArrayLike,
    scores: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    *,
    each: Literal["pair", "grades"] = "pair",
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
    weights : array of shape (n,), optional
        What each row counts for, above 0; a pair counts for the product.
    groups : array of shape (n,), optional
        The group of each row, such as its query: rows of one group are compared.
    each : {"pair", "grades"}
        Whether each pair of rows counts the same, or each pair of grades.
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
    pairs, target = Grade(each=each, gain=gain), Grades.of(y, weights)
    s = checked_scores(scores, target.n)
    v = np.ones(target.n) if target.weights is None else target.weights
    own = numbered("groups", groups, target.n)
    return pairs.of(target.y, v, None if own is None else own.astype(np.int64)).concordance(s)[0]


def checked_scores(scores: ArrayLike, n: int) -> Vector:
    """Return the scores of n rows as float64."""
    s = floats("scores", scores)
    if s.shape != (n,):
        raise DataError(f"the scores have shape {s.shape} for {n} rows; give one for each row")
    if bad := int(np.isnan(s).sum()):
        raise DataError(f"{bad} score(s) are NaN; give numbers, or leave the rows out")
    return s
