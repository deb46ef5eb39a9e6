"""Estimators of scikit-learn that rank rows by survival times or by grades.

Design
  a. `predict` gives scores, which are risks for survival times: a larger one means an earlier
     event, as of the survival models of scikit-survival. There is no threshold: times and grades
     have no two classes.
  b. `score` is the measure of the pairs that are trained: Harrell's C, or the share of pairs of
     different grades in order. So model selection of scikit-learn chooses by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucbench.data import Data, Grades, Survival
from aucbench.data.arrays import Vector
from aucbench.data.inputs import require_filled
from aucbench.data.row_roles import numbered
from aucbench.errors import DataError
from aucbench.kernels.vectors import plain
from aucbench.metrics import cindex, grade_auc
from aucbench.models.estimator import Scoring
from aucbench.models.inputs import (
    plain_column,
    plain_frame,
    remember_columns,
    rows_and_schema,
    weights_of,
)
from aucbench.pairs import Grade, Time
from aucbench.protocols import FeatureMap, Solver
from aucbench.ranges import GAP_TOL

Y_OF_TIMES = (
    "give a structured array with a field of truth values for the event and a field of times, as "
    "sksurv.util.Surv.from_arrays(event, time) makes it, or aucbench.data.Survival.of(time, event)"
)


class _Ranker(Scoring):
    """What both rankers do: learn from a target, and score rows."""

    def _fit(
        self, X: Any, target: Callable[[], Survival | Grades], sample_weight: Any, **known: Any
    ) -> Self:
        """Learn from rows, which are checked before the target is."""
        X = plain_frame(X)
        rows, names, schema = rows_and_schema(X)
        require_filled(rows)
        data = Data.of(rows, target())
        if (groups := known.get("groups")) is not None:
            known["groups"] = numbered("groups", groups, rows.n)
        data = replace(data, names=names, schema=schema, **known)
        fitted = self._learnt(_weighted(data, sample_weight), self._seed())
        remember_columns(self, X)
        self.features_, self.run_ = fitted.features, fitted.run
        self.encoding_, self.ranges_ = fitted.without_texts, fitted.ranges
        return self

    def predict(self, X: Any) -> Vector:
        """Scores of rows X (n, d) -> (n,); a larger one ranks higher.

        Raises
        ------
        DataError
            When X is no matrix of finite numbers with the columns of the fit.
        """
        return self._scores_of(X)

    @property
    def coef_(self) -> Vector:
        """Weights of the features that `get_feature_names_out` names, shape (d,)."""
        return self._affine()[0]

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` was called."""
        return hasattr(self, "run_")

    def __sklearn_tags__(self) -> Any:
        """Rows as `Scoring` takes them, with a target."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class SurvivalRanker(_Ranker):
    """Ranks rows by the risk of an early event, from survival times of which some are censored.

    It minimises the loss of a solver over all comparable pairs of rows, exactly, and stops at a
    certified gap where the solver has one. It takes the structured `y` of scikit-survival, and can
    stand where a survival model of that package stands that predicts risks. With the default
    solver, `rank-svm`, it minimises what `FastSurvivalSVM(rank_ratio=1)` does if no times are tied:
    with P comparable pairs, `rank-svm[lam=l]` is `alpha = 2 / (l P)` there.

    Parameters
    ----------
    solver : str or Solver
        One that trains on pairs of survival times, such as "rank-svm" (squared hinge), "svm-or"
        (hinge) or "ls-svm" (square), with parameters in brackets if wanted. Its parameters are
        also those of the estimator, as `solver__lam`.
    features : str or FeatureMap
        Map of the features, learnt from the training rows: "auto" (standard where rows are dense,
        maxabs where they are sparse), "none", or any other.
    passes, seconds : float, optional
        Budget: the first limit that is reached ends the fit. 50 passes when neither is given.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.
    weight : {"none", "ipcw"}
        Whether a pair counts by the inverse probability of being uncensored, as in Uno's C.
    tau : float, optional
        Only events before this time count.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the columns, where X had them.
    encoding_, features_, ranges_ :
        What makes features of a table, the map of these features, and the ranges of the columns, as
        of `AUCClassifier`.
    run_ : Run
        Weights or model, curve, and the reason why the solver ended.
    coef_ : array of shape (d,)
        Weights of the features that `get_feature_names_out` names, where the map is affine.

    Examples
    --------
    >>> from aucbench import SurvivalRanker
    >>> from aucbench.data import Survival
    >>> model = SurvivalRanker().fit([[1.0], [2.0], [3.0]], Survival.of([9, 5, 2], [0, 1, 1]))
    >>> model.predict([[1.0], [3.0]]).round(2).tolist() == sorted(model.predict([[1.0], [3.0]]))
    True
    """

    def __init__(
        self,
        solver: str | Solver = "rank-svm",
        *,
        features: str | FeatureMap = "auto",
        passes: float | None = None,
        seconds: float | None = None,
        gap_tol: float = GAP_TOL,
        random_state: int | None = 0,
        weight: str = "none",
        tau: float | None = None,
    ):
        self.solver = solver
        self.features = features
        self.passes = passes
        self.seconds = seconds
        self.gap_tol = gap_tol
        self.random_state = random_state
        self.weight = weight
        self.tau = tau

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d), and times and events y (n,).

        Parameters
        ----------
        X : array, table or sparse matrix of shape (n, d)
            A table is a data frame of pandas or polars, or a table of pyarrow. Its text, dates
            and missing cells become features as in `aucbench.fit`; so do those of an array.
        y : structured array of shape (n,), or Survival
            A field of truth values, the event, and a field of times.
        sample_weight : array of shape (n,), optional
            Weights of rows: a pair of rows weighs w_i w_j. Rows of weight 0 are left out.

        Raises
        ------
        DataError
            When X or y cannot be used, or no two rows can be compared.
        ParameterError
            When a parameter is out of its range.
        UnsupportedError
            When the solver does not train on survival times, or ignores weights that differ.
        """
        pairs = Time(self.tau, self.weight)  # type: ignore[arg-type] # it checks the word
        return self._fit(X, partial(survival_of, y), sample_weight, pairs=pairs)

    def score(self, X: Any, y: Any) -> float:
        """Harrell's concordance index of the risks of rows X (n, d), with y (n,) as in `fit`.

        Raises
        ------
        DataError
            As `predict`, or when no two rows can be compared.
        """
        check_is_fitted(self)
        target = survival_of(y)
        return cindex(target.time, target.event, self.predict(X))


class GradeRanker(_Ranker):
    """Ranks rows by ordered grades, such as the relevance of documents to queries.

    It minimises the loss of a solver over all pairs of rows of different grades, of one group
    where there are groups.

    Parameters
    ----------
    solver : str or Solver
        One that trains on pairs of grades, such as "rank-svm", "svm-or" or "ls-svm", with
        parameters in brackets if wanted; they are also `solver__lam`.
    features, passes, seconds, gap_tol, random_state :
        As of `SurvivalRanker`.
    each : {"pair", "grades"}
        Whether each pair of rows counts the same, or each pair of grades.
    gain : {"none", "linear", "exp2"}
        How much a difference of grades counts: G(y) = y, or 2^y − 1.

    Attributes
    ----------
    n_features_in_, feature_names_in_, encoding_, features_, ranges_, run_, coef_ :
        As of `SurvivalRanker`.
    """

    def __init__(
        self,
        solver: str | Solver = "rank-svm",
        *,
        features: str | FeatureMap = "auto",
        passes: float | None = None,
        seconds: float | None = None,
        gap_tol: float = GAP_TOL,
        random_state: int | None = 0,
        each: str = "pair",
        gain: str = "none",
    ):
        self.solver = solver
        self.features = features
        self.passes = passes
        self.seconds = seconds
        self.gap_tol = gap_tol
        self.random_state = random_state
        self.each = each
        self.gain = gain

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d) and grades y (n,).

        Parameters
        ----------
        X : array, table or sparse matrix of shape (n, d)
            As in `SurvivalRanker.fit`.
        y : array of shape (n,)
            The grade of each row, a number; a higher one is better.
        groups : array of shape (n,), optional
            The group of each row, such as its query; rows of one group are compared.
        sample_weight : array of shape (n,), optional
            Weights of rows; rows of weight 0 are left out.

        Raises
        ------
        DataError
            When X, y or groups cannot be used, or no two rows can be compared.
        ParameterError
            When a parameter is out of its range.
        UnsupportedError
            When the solver does not train on grades, or ignores weights that differ.
        """
        pairs = Grade(each=self.each, gain=self.gain)  # type: ignore[arg-type] # it checks them
        return self._fit(X, partial(grades_of, y), sample_weight, groups=groups, pairs=pairs)

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Share of pairs of different grades that the scores of X (n, d) order as y (n,) does.

        Raises
        ------
        DataError
            As `predict`, or when no two rows can be compared.
        """
        check_is_fitted(self)
        return grade_auc(plain_column(y), self.predict(X), groups=groups)


def grades_of(y: Any) -> Grades:
    """Return grades as a target.

    Raises
    ------
    DataError
        When y is missing, or as `Grades.of`.
    """
    if y is None:
        raise DataError(
            "GradeRanker requires y to be passed, but the target y is None; give the grade of each "
            "row"
        )
    return Grades.of(plain_column(y))


def survival_of(y: Any) -> Survival:
    """Return survival times as a target.

    Raises
    ------
    DataError
        When y is neither a `Survival` nor a structured array of events and times.
    """
    if isinstance(y, Survival):
        return y
    array = plain("y", y)
    names = array.dtype.names or ()
    kinds = {name: array.dtype[name].kind for name in names}
    events = [name for name, kind in kinds.items() if kind == "b"]
    times = [name for name, kind in kinds.items() if kind in "iuf"]
    if len(names) != 2 or len(events) != 1 or len(times) != 1:
        fields = ", ".join(f"{name}: {array.dtype[name]}" for name in names)
        got = f"the fields {fields}" if names else f"the type {array.dtype}"
        raise DataError(f"y has {got}; {Y_OF_TIMES}")
    return Survival.of(array[times[0]], array[events[0]])


def _weighted(data: Data, sample_weight: Any) -> Data:
    """Return the rows with their weights; those of weight 0 are left out."""
    weights = weights_of(sample_weight, data.n)
    if weights is None:
        return data
    some = np.flatnonzero(weights).astype(np.int32)
    target: Any = data.target.take(some)
    return replace(data.take(some), target=replace(target, weights=weights[some]))
