"""The scikit-learn face of every solver."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from aucbench.arrays import Vector
from aucbench.data import Data
from aucbench.errors import DataError
from aucbench.loop import solve
from aucbench.metrics import youden
from aucbench.protocols import Solver
from aucbench.registry import get_solver


class AUCClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Binary linear classifier that maximises the AUC with any registered solver.

    Parameters
    ----------
    solver : str or Solver
        Name, with parameters in brackets if wanted ("sht-auc[k=20]"), or an instance.
    passes, seconds : float, optional
        Budget; the first limit reached ends the fit, 50 passes when neither is given.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.

    Attributes
    ----------
    classes_ : array of shape (2,)
        Labels in sorted order; the second is the positive class.
    run_ : Run
        Weights, curve and the reason why the solver ended.
    threshold_ : float
        Score from which a row counts as positive: Youden's J on the training rows.
    """

    def __init__(
        self,
        solver: str | Solver = "sht-auc",
        *,
        passes: float | None = None,
        seconds: float | None = None,
        gap_tol: float = 1e-6,
        random_state: int | None = 0,
    ):
        self.solver = solver
        self.passes = passes
        self.seconds = seconds
        self.gap_tol = gap_tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn weights and a threshold from rows X (n, d) and labels y (n,).

        Raises
        ------
        DataError
            When `Data.of` refuses the input, or there are not two classes.
        """
        self.classes_ = np.unique(y)
        if self.classes_.size != 2:
            raise DataError(f"y has {self.classes_.size} class(es); AUC needs exactly two")
        data = Data.of(X, y, positive=self.classes_[1].item())
        self.run_ = solve(
            get_solver(self.solver),
            data,
            passes=self.passes,
            seconds=self.seconds,
            gap_tol=self.gap_tol,
            seed=self._seed(),
        )
        self.n_features_in_ = data.d
        self.threshold_ = youden(data.y, self.run_.decision_function(data.rows))
        return self

    def decision_function(self, X: Any) -> Vector:
        """Scores of rows X (n, d) -> (n,); larger means more positive."""
        check_is_fitted(self, "run_")
        return self.run_.decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows X (n, d) -> (n,): positive from the threshold on."""
        positive = self.decision_function(X) >= self.threshold_
        labels: NDArray[Any] = self.classes_[positive.astype(np.intp)]
        return labels

    def _seed(self) -> int:
        if self.random_state is not None:
            return self.random_state
        return int(np.random.SeedSequence().generate_state(1)[0])
