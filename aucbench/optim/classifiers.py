"""A scikit-learn classifier as a solver: it is fitted once, and its scores are used.

Design
  a. The given estimator is never fitted: each run fits a clone.
  b. The estimator gets read-only rows. If it raises because it cannot write to them, it gets a
     copy. (Rejected: a copy for all estimators. It doubles the memory of each cell, and few
     estimators need it.)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from aucbench.contract import Budget, Model, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.optim.trees import TreeSum, trees_of_boosting, trees_of_forest
from aucbench.stats.vectors import unit_weights

SCORES = ("decision_function", "predict_proba")  # the first that it has is used
CLASSIFIER_WANTED = "wanted a classifier of scikit-learn's kind, such as RandomForestClassifier()"


def from_estimator(estimator: Any) -> FromEstimator:
    """Return a solver that fits a classifier with the methods of scikit-learn, or a `Pipeline`.

    The solver can be used like any other, as in `solve` and in `AUCClassifier`. The score of a row
    is the value of `decision_function`. If there is no such method, it is the value of
    `predict_proba` for the positive class.

    The estimator gets the labels 0 and 1, and 1 is the positive class. Keys of its `class_weight`
    mean these labels. It gets rows as float64: as an array (n, d), as a DataFrame if the columns
    have names, or as a `csr_matrix`. Weights of rows are its `sample_weight`, as they are; in a
    `Pipeline` the last step gets them. If a `random_state` of the estimator or of one of its steps
    is None, it is drawn with the seed of the run.

    Parameters
    ----------
    estimator : classifier
        Not fitted. Clones of it are fitted, so that it does not change.

    Raises
    ------
    ParameterError
        When it is a class, is not a classifier, or has neither of the two methods.
    """
    return FromEstimator(estimator)


@dataclass(frozen=True)
class FromEstimator(Solver):
    """One fit of a scikit-learn classifier: see `from_estimator`.

    Parameters
    ----------
    estimator : classifier
        Not fitted.
    """

    estimator: Any

    space: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    def __post_init__(self) -> None:
        _check(self.estimator)

    @property
    def needs(self) -> Needs:  # type: ignore[override]  # of the estimator
        """It needs labels. Its packages are those of the estimator, its steps and their bases."""
        weights = _weight_parameter(self.estimator) is not None
        return Needs(frozenset({"weights"} if weights else ()), packages=_packages(self.estimator))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the fitted classifier."""
        return fitted(self.estimator, problem.data, rng)


@dataclass(frozen=True)
class Fitted(Model):
    """A fitted classifier as a model.

    Attributes
    ----------
    estimator : classifier
        Fitted to labels 0 and 1.
    names : tuple of str or None
        Columns of the DataFrame that it was fitted to, if it was one.
    keeps_rows : bool or None
        Whether the classifier holds training rows, as nearest neighbours do; None: unknown.
    """

    estimator: Any
    names: tuple[str, ...] | None = None
    keeps_rows: bool | None = None

    def scores(self, rows: Rows) -> Vector:
        """Values of the decision function, or probabilities of the positive class, (n,)."""
        s: Vector = _unwritten(self._scored, _input(rows, self.names))
        return s

    def portable(self) -> TreeSum:
        """Return an equal model that consists of arrays.

        Raises
        ------
        UnsupportedError
            When the classifier is no forest and no histogram boosting of scikit-learn.
        """
        trees = trees_of_forest(self.estimator) or trees_of_boosting(self.estimator)
        if trees is None:
            raise UnsupportedError(
                f"what {type(self.estimator).__name__} learnt can only be read from its private "
                "attributes, so that it cannot be saved; use hist-gradient-boosting, "
                "random-forest, or a linear solver"
            )
        return trees

    def _scored(self, X: Any) -> Any:
        if hasattr(self.estimator, "decision_function"):
            return self.estimator.decision_function(X)
        return self.estimator.predict_proba(X)[:, [*self.estimator.classes_].index(1)]


def fitted(
    estimator: Any, data: Data, rng: np.random.Generator, *, keeps_rows: bool | None = None
) -> State:
    """Return the state with a clone of the estimator that is fitted to the rows.

    Parameters
    ----------
    estimator : classifier
        Each parameter `random_state` that is None is drawn from `rng`, in the order of names.
    data : Data
        With labels. Their weights, if there are some, are the `sample_weight`.
    keeps_rows : bool or None
        Whether such a classifier holds training rows; None: unknown.
    """
    from sklearn.base import clone

    seeded = clone(estimator)
    free = [name for name, value in seeded.get_params().items() if value is None and _seeds(name)]
    seeded.set_params(**{name: int(rng.integers(2**31)) for name in sorted(free)})
    y = (data.y > 0).astype(np.int64)
    names = _column_names(data)
    weights = {}
    if data.weights is not None and (parameter := _weight_parameter(estimator)):
        weights[parameter] = cast(Vector, unit_weights(data.weights)).copy()
    model = _unwritten(lambda X: clone(seeded).fit(X, y, **weights), _input(data.rows, names))
    count_rows(data.n)
    return State(model=Fitted(model, names, keeps_rows))


def _weight_parameter(estimator: Any) -> str | None:
    """Return the parameter of `fit` that takes weights of rows; None when there is none."""
    last = estimator.steps[-1] if hasattr(estimator, "steps") else ("", estimator)
    prefix = f"{last[0]}__" if last[0] else ""
    fit = getattr(last[1], "fit", None)
    parameters = () if fit is None else inspect.signature(fit).parameters
    return f"{prefix}sample_weight" if "sample_weight" in parameters else None


def _seeds(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def _column_names(data: Data) -> tuple[str, ...] | None:
    """Return the names of the columns, if the rows are dense and each column has one."""
    belong = data.names is not None and len(data.names) == data.d and not data.rows.is_sparse
    return data.names if belong else None


def _input(rows: Rows, names: tuple[str, ...] | None) -> Any:
    """Return the rows as an array, a DataFrame, or a csr_matrix."""
    if names is None or rows.is_sparse:
        return to_library_matrix(rows)
    import pandas as pd

    return pd.DataFrame(to_library_matrix(rows), columns=[*names], copy=False)


def _unwritten(call: Callable[[Any], Any], X: Any) -> Any:
    """Return call(X), or call of a copy of X if it has to write to it."""
    try:
        return call(X)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
    return call(X.copy())


def _check(estimator: Any) -> None:
    called = f"got {estimator!r}, {CLASSIFIER_WANTED}"
    if isinstance(estimator, type):
        raise ParameterError(f"got the class {estimator.__name__}; pass {estimator.__name__}()")
    if not all(hasattr(estimator, name) for name in ("fit", "get_params", "set_params")):
        raise ParameterError(f"{called}, which has fit, get_params and set_params")
    if not _is_classifier(estimator):
        raise ParameterError(f"{called}; this object is not a classifier")
    if not any(hasattr(estimator, name) for name in SCORES):
        raise ParameterError(
            f"{estimator!r} has neither decision_function nor predict_proba, without which there "
            "are no scores; wrap it in sklearn.calibration.CalibratedClassifierCV, or set the "
            "parameter that gives it one of them"
        )


def _is_classifier(estimator: Any) -> bool:
    if hasattr(estimator, "__sklearn_tags__"):
        from sklearn.base import is_classifier

        return bool(is_classifier(estimator))
    return getattr(estimator, "_estimator_type", None) == "classifier"


def _packages(estimator: Any) -> tuple[str, ...]:
    """Return the top-level modules of the estimator and of its parameters."""
    modules = {
        code.__module__.partition(".")[0]
        for part in (estimator, *estimator.get_params().values())
        for code in _code(part)
        if code.__module__
    }
    return tuple(sorted(modules - {"builtins"}))


def _code(part: Any) -> tuple[Any, ...]:
    """Return the function itself, or the class and its bases."""
    if inspect.isroutine(part):
        return (part,)
    return part.__mro__ if isinstance(part, type) else type(part).__mro__
