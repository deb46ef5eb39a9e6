"""What estimators of scikit-learn share that learn by a solver, and score rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.changes import UnusualCells, ranges_of
from aucbench.errors import AucbenchError
from aucbench.features.chain import applied, mapped
from aucbench.models.inputs import plain_frame, raw_rows, require_columns, rows_of
from aucbench.protocols import MAPPED_ROWS, FeatureMap, NoMap, Solver, input_weights
from aucbench.records import Run
from aucbench.registry import get_preprocessing, get_solver
from aucbench.solving.hyperparameters import hyperparameters, with_hyperparameters
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import WithStart

INSIDE = "solver__"


class Scoring(BaseEstimator):  # type: ignore[misc]
    """An estimator with a solver, a map of features, and the limits of a fit.

    A class below it has the parameters `solver`, `features`, `passes`, `seconds`, `gap_tol` and
    `random_state`, and sets what `fit` learns: `encoding_`, `features_`, `run_` and `ranges_`.
    """

    solver: str | Solver
    features: str | FeatureMap
    passes: float | None
    seconds: float | None
    gap_tol: float
    random_state: int | None
    encoding_: Encoding | None
    features_: FeatureMap
    run_: Run
    ranges_: Vector | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` those of the solver too, as `solver__k`."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            params |= {INSIDE + name: value for name, value in self._of_solver().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `solver__k=5` puts a solver with k = 5 in the place of `solver`.

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
        """Names of the features that `coef_` weighs, shape (d,).

        Parameters
        ----------
        input_features : array of shape (n_features_in_,), optional
            Names of the columns, where the rows of the fit had none.
        """
        check_is_fitted(self)
        if self.encoding_ is not None:
            return np.array(self.encoding_.names, dtype=object)
        names: NDArray[Any] = _check_feature_names_in(self, input_features)
        return names

    def __sklearn_tags__(self) -> Any:
        """Dense rows with gaps and text, or sparse rows without gaps."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    def _learnt(self, train: Data, seed: int, start: Start | None = None) -> Learnt:
        """Return what the training rows teach."""
        method, encoding, ranges = get_solver(self.solver), None, ranges_of(train.rows)
        if train.schema is not None:
            encoding = Encoding.learn(train.schema, train.rows)
            if start is not None and start.encoding is not None:
                encoding = replace(start.encoding, schema=train.schema)
            train = encoding.applied(train)
        if start is None:
            phi = get_preprocessing(self.features)
            phi = phi.fit(train, np.random.default_rng([seed, 0]))  # as the first split of a run
        else:
            method, phi = WithStart(method, start.weights, required=True), start.features
        limits: dict[str, Any] = {
            "passes": self.passes,
            "seconds": self.seconds,
            "gap_tol": self.gap_tol,
        }
        run = solve(method, applied(phi, train), seed=seed, **limits)
        return Learnt(encoding, phi, run, ranges)

    def _scores_of(self, X: Any) -> Vector:
        """Return the scores of rows that a user gives, before the threshold is subtracted."""
        check_is_fitted(self)
        X = plain_frame(X)
        if self.encoding_ is None:
            rows, _ = rows_of(X)
            require_columns(self, X)
            return self._raw_scores(rows)
        require_columns(self, X)
        rows, schema = raw_rows(X, self._schema)
        assert schema is not None  # that of the encoding
        # Ranges are not held against the folds of rows that are in the order of time.
        cells = UnusualCells.of(schema.columns, None, np.asarray(rows.matrix))
        for change in cells.describe_changes(schema.columns, None, None):
            warnings.warn(change, stacklevel=3)
        encoding = replace(self.encoding_, schema=schema)
        return Learnt(encoding, self.features_, self.run_).scores(rows)

    def _raw_scores(self, rows: Rows) -> Vector:
        return Learnt(self.encoding_, self.features_, self.run_).scores(rows)

    def _affine(self) -> tuple[Vector, float]:
        """Return (v, c): the score is v . x + c."""
        check_is_fitted(self)
        return self._affine_of(*self._weights())

    def _affine_of(self, w: Vector | None, inner: FeatureMap) -> tuple[Vector, float]:
        """Return (v, c) for weights of the rows that `inner` makes of mapped ones."""
        own = None if w is None else input_weights(inner, w)
        outer = None if own is None else input_weights(self.features_, own[0])
        if own is None or outer is None:
            self._refuse_coefficients()
        return outer[0], outer[1] + own[1]

    def _refuse_coefficients(self) -> NoReturn:
        raise AttributeError(
            f"the score of {self.solver!r} after {self.features!r} is no weighted sum of columns, "
            "so that there are no coef_ and intercept_; run_ has what was learnt"
        )

    def _weights(self) -> tuple[Vector | None, FeatureMap]:
        return self.run_.w, self.run_.scorer.features

    @property
    def _schema(self) -> Any:
        return None if self.encoding_ is None else self.encoding_.schema

    def _of_solver(self) -> dict[str, Any]:
        try:
            return hyperparameters(get_solver(self.solver))
        except AucbenchError:  # there is no such solver; fit tells why
            return {}

    def _seed(self) -> int:
        if self.random_state is not None:
            return self.random_state
        return int(np.random.SeedSequence().generate_state(1)[0])


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """An encoding of tables, the map of features, the run, and the ranges of the columns."""

    encoding: Encoding | None
    features: FeatureMap
    run: Run
    ranges: Vector | None = None

    def scores(self, rows: Rows) -> Vector:
        """Scores of raw rows, 8192 mapped at a time."""
        if self.encoding is None and isinstance(self.features, NoMap):
            return self.run.decision_function(rows)
        parts = (rows.take(slice(lo, lo + MAPPED_ROWS)) for lo in range(0, rows.n, MAPPED_ROWS))
        return np.concatenate([self._part(part) for part in parts])

    def _part(self, rows: Rows) -> Vector:
        encoded = rows if self.encoding is None else self.encoding(rows)
        return self.run.decision_function(mapped(self.features, encoded))

    @property
    def without_texts(self) -> Encoding | None:
        """The encoding without the free texts of the training rows, which it does not need."""
        if self.encoding is None:
            return None
        return replace(self.encoding, schema=self.encoding.schema.unbound())


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What a warm start goes on from."""

    weights: Vector
    features: FeatureMap
    encoding: Encoding | None
