"""What the estimators of scikit-learn share: they read rows, and learn a `Model` by a `Recipe`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from aucbench.bench.plan.pairs import spec_of_pairs
from aucbench.contract import FeatureMap, Solver
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.inputs import require_filled
from aucbench.data.kinds import Target
from aucbench.data.understood import by_kind
from aucbench.datasets.memory import (
    as_data_error,
    frame_of,
    is_table,
    read_features,
    require_matrix,
)
from aucbench.datasets.tables import Schema
from aucbench.errors import AucbenchError, DataError, UnsupportedError
from aucbench.models.incoming import score_rows
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe
from aucbench.models.score_function import finite
from aucbench.pairs import aucbench_pairs
from aucbench.ranges import GAP_TOL
from aucbench.registry import get_solver
from aucbench.solving.hyperparameters import hyperparameters, with_hyperparameters
from aucbench.stats.vectors import weights_of

INSIDE = "solver__"


@dataclass(eq=False, repr=False)
class Learner(BaseEstimator):  # type: ignore[misc]
    """An estimator that learns a `Model` by a solver; its parameters are as of `AUCClassifier`."""

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
        """Write the model and the parameters to one file, without pickle; objects as text.

        Raises
        ------
        UnsupportedError, ParameterError
            As `aucbench.models.Model.save`.
        """
        check_is_fitted(self)
        names, params = getattr(self, "feature_names_in_", None), self.get_params(deep=False)
        about = {
            "parameters": {name: as_plain(value) for name, value in params.items()},
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
        several = any(len(own) > 1 for own in model.labels)
        if several or model.decides != issubclass(cls, ClassifierMixin):
            what = "a class of the model has several labels" if several else "it is another model"
            raise UnsupportedError(f"{what}; use aucbench.Model.load, or aucbench predict")
        about, known = model.provenance, loaded.get_params(deep=False)
        params = {"solver": about.get("solver", loaded.solver), **about.get("parameters", {})}
        loaded.set_params(**{name: value for name, value in params.items() if name in known})
        columns, width = about.get("columns_in", model.columns), about.get("width_in", model.width)
        loaded._keep(header(columns, int(width)), model)
        return loaded

    def __sklearn_tags__(self) -> Any:
        """Dense rows with gaps and text, or sparse rows without gaps; with a target."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def _recipe(self) -> Recipe:
        limits = {name: getattr(self, name) for name in ("passes", "seconds", "gap_tol")}
        fresh = int(np.random.SeedSequence().generate_state(1)[0])
        seed = fresh if self.random_state is None else self.random_state
        return Recipe(solver=self.solver, features=self.features, seed=seed, **limits)

    def _read(
        self, X: Any, target: Target, weights: Any, groups: Any, schema: Schema | None = None
    ) -> Data:
        """Return rows with their target."""
        features = read_features(X, schema)
        require_filled(features.rows)
        for line in by_kind(features.remarks):
            warnings.warn(line, stacklevel=4)
        data = Data.of(features.rows, target, groups=groups)
        data = replace(data, names=features.names, schema=features.schema)
        return data if weights is None else _weighted(data, weights)

    def _keep(self, X: Any, model: Model, **state: Any) -> None:
        """Set what was learnt from X, and forget what was learnt before."""
        for name in ("run_", "_online"):
            self.__dict__.pop(name, None)
        validate_data(self, _with_columns(X), skip_check_array=True, reset=True)
        self.__dict__.update(model_=model, **state)

    def _scores(self, X: Any) -> Vector:
        """Return the scores of new rows, (n, K), whose columns must be those of the fit."""
        check_is_fitted(self)
        require_matrix(X)
        self._require_columns(X)
        return score_rows(self.model_, X)

    def _require_columns(self, X: Any) -> None:
        with as_data_error():
            validate_data(self, _with_columns(X), skip_check_array=True, reset=False)

    def _affine(self) -> tuple[Vector, Vector]:
        """Return (V, c): the scores of features x are x @ V.T + c."""
        check_is_fitted(self)
        known: tuple[Vector, Vector] | None = self.model_.coefficients
        if known is None:
            raise AttributeError(
                f"the score of {self.solver!r} after {self.features!r} is no weighted sum of "
                "columns, so that there are no coef_ and intercept_; model_ has what was learnt"
            )
        return known


def _weighted(data: Data, weights: Any) -> Data:
    """Return the rows with other weights (n,); rows of weight 0 are left out.

    Weights that are all equal are the same as none.

    Raises
    ------
    DataError
        When there is not one finite number of at least 0 for each row, or all are 0.
    """
    checked = weights_of(weights, data.n, zeros=True)
    if not checked.any():
        raise DataError("all weights are zero; give rows that shall count a weight above 0")
    if checked.min() == checked.max():
        return data
    some = np.flatnonzero(checked).astype(np.int32)
    part = data.take(some)
    target: Any = part.target
    return replace(part, target=replace(target, weights=checked[some]))


def _with_columns(X: Any) -> Any:
    """Return rows of which scikit-learn reads the number and the names of columns."""
    if is_table(X):
        return frame_of(X)
    return header(None, X.d) if isinstance(X, Rows) else X


def header(columns: Sequence[str] | None, width: int) -> Any:
    """Return a row of so many columns, with their names if they have some."""
    import pandas as pd

    row = np.empty((1, width))
    return row if columns is None else pd.DataFrame(row, columns=[*columns])


def as_plain(value: Any) -> Any:
    """Return a parameter as JSON holds it: objects as text."""
    if type(value) in aucbench_pairs().values():
        return str(spec_of_pairs(value))
    value = finite(value.tolist() if isinstance(value, np.ndarray) else value)
    kept = value is None or isinstance(value, str | int | float | bool | list | dict)
    return value if kept else repr(value)
