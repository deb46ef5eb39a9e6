"""Estimators of scikit-learn that rank rows by survival times or by grades.

Design
  a. `predict` gives scores. Of survival times they are risks: a larger one means an earlier event,
     as of the models of scikit-survival. There is no threshold, since there are no two classes.
  b. `score` is the measure of the pairs that are trained, so that scikit-learn selects by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from aucbench.contract import Solver
from aucbench.data import Grades, Survival
from aucbench.data.arrays import Vector
from aucbench.data.kinds import Target
from aucbench.datasets.memory import require_matrix
from aucbench.errors import DataError
from aucbench.metrics import cindex, grade_auc
from aucbench.models.estimator import Learner
from aucbench.pairs import Grade, Pairs, Time
from aucbench.registry.defaults import defaults


class _Ranker(Learner):
    """What both rankers do: learn from a target, and score rows."""

    def _fit(self, X: Any, target: Callable[[], Target], pairs: Pairs, *roles: Any) -> Self:
        require_matrix(X)
        model, run = self._recipe().fit(replace(self._read(X, target(), *roles), pairs=pairs))
        self._keep(X, model, run_=run)
        return self

    def predict(self, X: Any) -> Vector:
        """Scores of rows X (n, d) -> (n,); a larger one ranks higher.

        Raises
        ------
        DataError
            When X has other columns than in the fit, or cells that cannot be read.
        """
        scores: Vector = self._scores(X)[:, 0]
        return scores

    @property
    def coef_(self) -> Vector:
        """Weights of the features that `get_feature_names_out` names, shape (d,)."""
        weights: Vector = self._affine()[0][0]
        return weights


@dataclass(eq=False, repr=False)
class SurvivalRanker(_Ranker):
    """Ranks rows by the risk of an early event, from survival times of which some are censored.

    It minimises the loss of a solver over all comparable pairs of rows. It can stand where a model
    of scikit-survival stands that predicts risks: with P comparable pairs of which none are tied,
    `rank-svm[lam=l]` minimises what `FastSurvivalSVM(rank_ratio=1, alpha=2 / (l * P))` does.

    Parameters
    ----------
    solver, features, passes, seconds, gap_tol, random_state :
        As of `AUCClassifier`. The solver trains on ordered pairs, such as "rank-svm" (squared
        hinge), "svm-or" (hinge) or "ls-svm" (square).
    weight : {"none", "ipcw"}
        Whether a pair counts by the inverse probability of being uncensored, as in Uno's C.
    tau : float, optional
        Only events before this time count.

    Examples
    --------
    >>> from aucbench import SurvivalRanker
    >>> from aucbench.data import Survival
    >>> model = SurvivalRanker().fit([[1.0], [2.0], [3.0]], Survival.of([9, 5, 2], [0, 1, 1]))
    >>> model.predict([[1.0], [3.0]]).round(2).tolist() == sorted(model.predict([[1.0], [3.0]]))
    True
    """

    solver: str | Solver = defaults()["ranker"]
    _: KW_ONLY
    weight: str = "none"
    tau: float | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d), and times and events y (n,).

        Parameters
        ----------
        X, sample_weight :
            As of `AUCClassifier.fit`, in memory.
        y : structured array of shape (n,), or Survival
            A field of truth values, the event, and a field of times.

        Raises
        ------
        AucbenchError
            When rows or times cannot be used, or the solver does not train on them.
        """
        pairs = Time(self.tau, self.weight)  # type: ignore[arg-type] # it checks the word
        return self._fit(X, partial(Survival.of_fields, y), pairs, sample_weight, None)

    def score(self, X: Any, y: Any) -> float:
        """Harrell's concordance index of the risks of rows X (n, d), with y (n,) as in `fit`.

        Raises
        ------
        DataError
            As `predict`, or when no two rows can be compared.
        """
        check_is_fitted(self)
        target = Survival.of_fields(y)
        return cindex(target.time, target.event, self.predict(X))


@dataclass(eq=False, repr=False)
class GradeRanker(_Ranker):
    """Ranks rows by ordered grades, such as the relevance of documents to queries.

    It minimises the loss of a solver over all pairs of rows of different grades, of one group if
    there are groups.

    Parameters
    ----------
    solver, features, passes, seconds, gap_tol, random_state :
        As of `SurvivalRanker`.
    each : {"pair", "grades"}
        Whether each pair of rows counts the same, or each pair of grades.
    gain : {"none", "linear", "exp2"}
        How much a difference of grades counts: G(y) = y, or 2^y − 1.
    """

    solver: str | Solver = defaults()["ranker"]
    _: KW_ONLY
    each: str = "pair"
    gain: str = "none"

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d) and grades y (n,).

        Parameters
        ----------
        X, sample_weight :
            As of `AUCClassifier.fit`, in memory.
        y : array of shape (n,)
            The grade of each row, a number; a higher one is better.
        groups : array of shape (n,), optional
            The group of each row, such as its query; rows of one group are compared.

        Raises
        ------
        AucbenchError
            When rows, grades or groups cannot be used, or the solver does not train on them.
        """
        pairs = Grade(each=self.each, gain=self.gain)  # type: ignore[arg-type] # it checks them
        return self._fit(X, partial(_grades, y), pairs, sample_weight, groups)

    def score(self, X: Any, y: Any, groups: Any = None) -> float:
        """Share of pairs of different grades that the scores of X (n, d) order as y (n,) does.

        Raises
        ------
        DataError
            As `predict`, or when no two rows can be compared.
        """
        return grade_auc(y, self.predict(X), groups=groups)


def _grades(y: Any) -> Grades:
    if y is None:
        raise DataError("GradeRanker requires y to be passed, but the target y is None")
    return Grades.of(y)
