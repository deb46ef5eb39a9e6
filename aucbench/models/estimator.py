"""What the estimators of scikit-learn share: they read rows, and learn a `Model` by a `Recipe`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from aucbench.bench.plan.pairs import written
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.inputs import check_rows, require_filled
from aucbench.data.kinds import Target
from aucbench.data.understood import Understood, by_kind
from aucbench.datasets.memory import frame_of, is_table, numbered_frame, read_features
from aucbench.datasets.tables import Schema
from aucbench.errors import AucbenchError, DataError, UnsupportedError
from aucbench.kernels.vectors import plain
from aucbench.models.incoming import describe_changes, score_frame
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe
from aucbench.pairs import aucbench_pairs
from aucbench.protocols import FeatureMap, Solver
from aucbench.ranges import GAP_TOL
from aucbench.records import Run
from aucbench.registry import get_solver
from aucbench.solving.hyperparameters import hyperparameters, with_hyperparameters

INSIDE = "solver__"


@dataclass(eq=False, repr=False)
class Learner(BaseEstimator):  # type: ignore[misc]
    """An estimator that learns a `Model` by a solver.

    Parameters
    ----------
    solver : str or Solver
        Name, with parameters in brackets if wanted ("sht-auc[k=20]"), or an instance. Its
        parameters are also those of the estimator, as `solver__k`.
    features : str or FeatureMap
        Map of the features, learnt from the training rows, as in `compare`: "auto" (standard
        if rows are dense, maxabs if they are sparse), "none", or any other.
    passes, seconds : float, optional
        Budget: the first limit that is reached ends the fit. Default: 50 passes.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.
    """

    solver: str | Solver
    _: KW_ONLY
    features: str | FeatureMap = "auto"
    passes: float | None = None
    seconds: float | None = None
    gap_tol: float = GAP_TOL
    random_state: int | None = 0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` those of the solver too, as `solver__k`."""
        params: dict[str, Any] = super().get_params(deep=False)
        try:
            own = hyperparameters(get_solver(self.solver)) if deep else {}
        except AucbenchError:  # there is no such solver; fit says so
            own = {}
        return params | {INSIDE + name: value for name, value in own.items()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `solver__k=5` replaces `solver` by one with k = 5.

        Raises
        ------
        UnknownNameError, ParameterError
            When there is no such solver, or the solver has no such parameter or refuses its value.
        """
        inside = {n.removeprefix(INSIDE): v for n, v in params.items() if n.startswith(INSIDE)}
        super().set_params(**{n: v for n, v in params.items() if not n.startswith(INSIDE)})
        if inside:
            self.solver = with_hyperparameters(get_solver(self.solver), **inside)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features that `coef_` weighs, (d,); `input_features` name plain columns."""
        check_is_fitted(self)
        if self.model_.encoding is not None:
            return np.array(self.model_.encoding.names, dtype=object)
        names: NDArray[Any] = _check_feature_names_in(self, input_features)
        return names

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model and the parameters to one file, without pickle.

        A solver or feature map that was given as an object is kept as text. What `partial_fit` goes
        on from is not kept.

        Raises
        ------
        UnsupportedError
            When what was learnt cannot be saved, see `aucbench.models.Model`.
        ParameterError
            When the file cannot be written.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        about = {
            "parameters": {
                n: plain_value(value) for n, value in self.get_params(deep=False).items()
            },
            "columns_in": None if names is None else [*map(str, names)],
            "width_in": int(self.n_features_in_),
        }
        replace(self.model_, provenance={**self.model_.provenance, **about}).save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the estimator of a file that `save` has written; nothing in it is run.

        Raises
        ------
        DataError
            As `aucbench.models.Model.load`.
        UnsupportedError
            When the model is none of this estimator, or a class has several labels.
        """
        model, loaded = Model.load(path), cls()
        if model.decides != hasattr(cls, "classes_") or any(len(own) > 1 for own in model.labels):
            raise UnsupportedError(
                f"the model is none of {cls.__name__}, or a class has several labels; use "
                "aucbench.Model.load, or aucbench predict"
            )
        about, known = model.provenance, loaded.get_params(deep=False)
        params = {"solver": about.get("solver", loaded.solver), **about.get("parameters", {})}
        loaded.set_params(**{name: value for name, value in params.items() if name in known})
        loaded.model_ = model
        loaded.n_features_in_ = int(about.get("width_in", model.width))
        if (names := about.get("columns_in", model.columns)) is not None:
            loaded.feature_names_in_ = np.array(names, dtype=object)
        return loaded

    def __sklearn_tags__(self) -> Any:
        """Dense rows with gaps and text, or sparse rows without gaps."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def _recipe(self) -> Recipe:
        names = ("solver", "features", "passes", "seconds", "gap_tol")
        fresh = int(np.random.SeedSequence().generate_state(1)[0])
        seed = fresh if self.random_state is None else self.random_state
        return Recipe(seed=seed, **{name: getattr(self, name) for name in names})

    def _read(
        self,
        X: Any,
        target: Target,
        understood: Understood,
        sample_weight: Any = None,
        groups: Any = None,
        schema: Schema | None = None,
    ) -> Data:
        """Return rows with their target."""
        require_matrix(X)
        features = read_features(X, schema)
        require_filled(features.rows)
        for line in by_kind(features.remarks):
            warnings.warn(line, stacklevel=3)
        data = Data.of(features.rows, target, groups=groups)
        known = {"names": features.names, "schema": features.schema, "understood": understood}
        data = replace(data, **known)
        return data if sample_weight is None else data.weighted(sample_weight)

    def _keep(self, X: Any, model: Model, run: Run | None = None) -> None:
        """Set what was learnt from X, and forget what was learnt before."""
        for name in ("run_", "_online"):
            vars(self).pop(name, None)
        validate_data(self, _with_names(X), skip_check_array=True, reset=True)
        self.model_ = model
        if run is not None:
            self.run_ = run

    def _scores(self, X: Any) -> Vector:
        """Return the scores of new rows, (n, K).

        Raises
        ------
        DataError
            When X has other columns than those of the fit, or a cell that the model cannot read.
        """
        check_is_fitted(self)
        require_matrix(X)
        self._require_columns(X)
        if self.model_.encoding is None or isinstance(X, Rows):
            return self.model_.scores(plain_rows(X))
        result = score_frame(self.model_, numbered_frame(X))
        if fault := next(filter(None, result.faults), None):
            raise DataError(fault)
        # Ranges are not held against the folds of rows that are in the order of time.
        cells = replace(result.cells, outside=np.zeros_like(result.cells.outside))
        for change in describe_changes(self.model_, cells):
            warnings.warn(change, stacklevel=3)
        return result.scores

    def _require_columns(self, X: Any) -> None:
        """Check number, names and order of columns against those of the fit."""
        with as_data_error():
            validate_data(self, _with_names(X), skip_check_array=True, reset=False)

    def _affine(self) -> tuple[Vector, Vector]:
        """Return (V, c): the scores of features x are x @ V.T + c."""
        check_is_fitted(self)
        if (known := self.model_.coefficients) is None:
            raise AttributeError(
                f"the score of {self.solver!r} after {self.features!r} is no weighted sum of "
                "columns, so that there are no coef_ and intercept_; model_ has what was learnt"
            )
        return known


@contextmanager
def as_data_error() -> Iterator[None]:
    """Turn a `ValueError` of scikit-learn into a `DataError` with the same sentence."""
    try:
        yield
    except AucbenchError:
        raise
    except ValueError as error:
        raise DataError(str(error)) from error


def require_matrix(X: Any) -> None:
    """Check the shape and the type of an array, with the sentences of scikit-learn.

    Raises
    ------
    DataError, TypeError
        When it is no matrix of numbers and texts.
    """
    if not isinstance(X, Rows) and not is_table(X) and not hasattr(X, "tocsr"):
        array = plain("X", X)
        with as_data_error():
            check_array(array, dtype=None, ensure_all_finite=False)
            if array.dtype.kind == "O" and not any(isinstance(value, str) for value in array.flat):
                array.astype(np.float64)


def plain_rows(X: Any) -> Rows:
    """Return a table, an array or a sparse matrix of finite numbers as rows."""
    require_matrix(X)
    return check_rows(frame_of(X) if is_table(X) else X)[0]


def header(names: Sequence[str] | None, d: int) -> Any:
    """Return a row from which scikit-learn reads the number and the names of columns."""
    if names is None:
        return np.empty((1, d))
    import pandas as pd

    return pd.DataFrame(np.empty((1, d)), columns=[*names])


def _with_names(X: Any) -> Any:
    """Return rows of which scikit-learn reads the number and the names of columns."""
    if isinstance(X, Rows):
        return header(None, X.d)
    return frame_of(X) if is_table(X) else X


def plain_value(value: Any) -> Any:
    """Return a parameter as JSON holds it: objects as text."""
    value = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    if isinstance(value, Mapping):
        return {str(name): plain_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    if type(value) in aucbench_pairs().values():
        return written(value)
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)
