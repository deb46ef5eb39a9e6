"""The scikit-learn face of every solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from aucbench.budget import GAP_TOL
from aucbench.data import Chunk, Data, scores
from aucbench.data.arrays import Vector
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import intercept_at, require_one_share
from aucbench.protocols import Scorer, Solver, Streaming, identity
from aucbench.registry import get_solver, list_solvers
from aucbench.registry.lookup import find
from aucbench.solving.loop import solve


@dataclass(slots=True)
class _Online:
    """A streaming solver that learns: its specification, the solver, and its memory."""

    spec: str | Solver
    solver: Streaming
    memory: Any

    def learn(self, chunk: Chunk) -> Vector:
        """Take the rows as they come and return a copy of the weights."""
        self.solver.update(self.memory, chunk, np.arange(chunk.n, dtype=np.int32))
        w = np.array(self.solver.weights(self.memory), dtype=np.float64)
        if not np.isfinite(w).all():
            raise DataError(
                "the weights are not finite after this chunk; scale the features or take smaller "
                "steps, and begin anew"
            )
        return w


class AUCClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Binary classifier that maximises the AUC with any registered solver.

    Parameters
    ----------
    solver : str or Solver
        Name, with parameters in brackets if wanted ("sht-auc[k=20]"), or an instance.
    passes, seconds : float, optional
        Budget: the first limit that is reached ends the fit. 50 passes when neither is given.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.
    sensitivity, specificity : float, optional
        One of them: the share of positives found, or of negatives left out, that `predict`
        must reach on the rows that choose the threshold. With neither, Youden's J is maximised.
    validation : float, optional
        Share of each class that is used only to choose the threshold; `fit` learns weights from
        the rest. None: the threshold is chosen on the training rows, whose scores are too good.

    Attributes
    ----------
    classes_ : array of shape (2,)
        Labels in sorted order; the second is the positive class.
    run_ : Run
        After `fit`: weights or model, curve and the reason why the solver ended.
    weights_ : array of shape (d,)
        After `partial_fit`: the weights so far.
    threshold_ : float
        Score from which a row counts as positive; after `partial_fit` chosen on the latest
        chunk that held both classes, 0 until there is one.
    intercept_ : float
        -threshold_.
    """

    _online: _Online | None = None

    def __init__(
        self,
        solver: str | Solver = "sht-auc",
        *,
        passes: float | None = None,
        seconds: float | None = None,
        gap_tol: float = GAP_TOL,
        random_state: int | None = 0,
        sensitivity: float | None = None,
        specificity: float | None = None,
        validation: float | None = None,
    ):
        self.solver = solver
        self.passes = passes
        self.seconds = seconds
        self.gap_tol = gap_tol
        self.random_state = random_state
        self.sensitivity = sensitivity
        self.specificity = specificity
        self.validation = validation

    def fit(self, X: Any, y: Any) -> Self:
        """Learn weights and a threshold from rows X (n, d) and labels y (n,).

        Raises
        ------
        DataError
            When `Data.of` refuses the input, or there are not two classes.
        ParameterError
            When sensitivity or specificity is no share, or both are given.
        """
        require_one_share(self.sensitivity, self.specificity)
        classes = np.unique(y)
        if classes.size != 2:
            raise DataError(f"y has {classes.size} class(es); AUC needs exactly two")
        seed = self._seed()
        data = held = Data.of(X, y, positive=classes.tolist()[1])
        if self.validation is not None:  # not the generators that `solve` spawns
            data, held = data.split(self.validation, np.random.default_rng(seed).spawn(3)[2])
        run = solve(
            get_solver(self.solver),
            data,
            passes=self.passes,
            seconds=self.seconds,
            gap_tol=self.gap_tol,
            seed=seed,
        )
        self._begin(classes, data.d)
        self.run_ = run
        self._choose_threshold(held.y, run.decision_function(held.rows))
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from one more chunk of rows, in their order, with a streaming solver.

        The first call, and the first after `fit`, begins with zero weights.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d), or Chunk
            One class is enough. A `Chunk`, as `aucbench.datasets.stream` yields them, contains
            its labels, -1 and 1.
        y : array of shape (n,), optional
            Labels; left out with a `Chunk`.
        classes : array of two labels, optional
            The labels that will come; needed at the first call unless y has both.

        Raises
        ------
        DataError
            When a label or the number of features is not that of the first call, `Chunk.of`
            refuses the input, or the weights are no longer finite.
        ParameterError
            When `solver` was changed since the first call; as `fit`; when `validation` is set.
        UnsupportedError
            When the solver needs all rows at once.
        """
        require_one_share(self.sensitivity, self.specificity)
        if self.validation is not None:
            raise ParameterError("validation is for fit; leave it None for partial_fit")
        labels = self._labels(X, y, classes)
        chunk = X if isinstance(X, Chunk) else Chunk.of(X, y, positive=labels.tolist()[1])
        online = self._online
        if online is None:
            online = self._started(chunk.d)
            self._begin(labels, chunk.d, online)
        else:
            self._require_same(chunk, online)
        self.weights_ = online.learn(chunk)
        if np.unique(chunk.y).size == 2:
            self._choose_threshold(chunk.y, scores(chunk.rows, self.weights_))
        return self

    def decision_function(self, X: Any) -> Vector:
        """Scores of rows X (n, d) -> (n,); larger means more positive."""
        check_is_fitted(self, ["run_", "weights_"], all_or_any=any)
        if self._online is not None:
            return Scorer(identity, self.n_features_in_).by_weights(self.weights_, X)
        return self.run_.decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows X (n, d) -> (n,): positive from the threshold on."""
        positive = self.decision_function(X) >= self.threshold_
        labels: NDArray[Any] = self.classes_[positive.astype(np.intp)]
        return labels

    intercept_ = property(lambda self: -self.threshold_, doc="`score + intercept_ >= 0`: positive.")

    def _choose_threshold(self, y: NDArray[Any], scored: Vector) -> None:
        wanted = {"sensitivity": self.sensitivity, "specificity": self.specificity}
        self.threshold_ = intercept_at(y, scored, **wanted)

    def _begin(self, labels: NDArray[Any], d: int, online: _Online | None = None) -> None:
        """Forget what was learnt before."""
        for learnt in ("run_", "weights_"):
            self.__dict__.pop(learnt, None)
        self.classes_, self.n_features_in_ = labels, d
        self.threshold_ = 0.0
        self._online = online

    def _started(self, d: int) -> _Online:
        solver = get_solver(self.solver)
        if not isinstance(solver, Streaming):
            able = (name for name in list_solvers() if _streams(find("solvers", name).factory))
            raise UnsupportedError(
                f"{self.solver!r} needs all rows at once, so that only fit is possible; solvers "
                f"that learn from chunks are {', '.join(able) or 'not installed'}"
            )
        rng = np.random.default_rng(self._seed()).spawn(2)[1]  # the one that `solve` hands over
        return _Online(self.solver, solver, solver.start(np.zeros(d), rng))

    def _labels(self, X: Any, y: Any, classes: Any) -> NDArray[Any]:
        """Return the two labels known since the first call, when no others came now."""
        if (y is None) != isinstance(X, Chunk):
            raise DataError("pass rows with their labels y, or a Chunk, which has them, without y")
        here = np.array([-1, 1]) if y is None else np.unique(y)
        announced = here if classes is None else np.unique(classes)
        known = announced if self._online is None else self.classes_
        if known.size != 2:
            raise DataError(
                f"there are {known.size} labels at the first call and AUC needs two; name them by "
                "classes= when the first chunk lacks one"
            )
        if strange := {*here.tolist(), *announced.tolist()} - {*known.tolist()}:
            raise DataError(
                f"there is a label {min(strange, key=str)!r} and the first call announced "
                f"{known.tolist()}; a new AUCClassifier takes others"
            )
        return known

    def _require_same(self, chunk: Chunk, online: _Online) -> None:
        if chunk.d != self.n_features_in_:
            raise DataError(
                f"X has {chunk.d} features and the first chunk had {self.n_features_in_}; a new "
                "AUCClassifier takes others"
            )
        if online.spec != self.solver:
            raise ParameterError(
                f"solver became {self.solver!r} and partial_fit began with {online.spec!r}; a new "
                "AUCClassifier takes another"
            )

    def _seed(self) -> int:
        if self.random_state is not None:
            return self.random_state
        return int(np.random.SeedSequence().generate_state(1)[0])


def _streams(factory: Any) -> bool:
    return isinstance(factory, type) and issubclass(factory, Streaming)
