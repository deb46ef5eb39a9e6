"""`AUCClassifier` as a `Model`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from aucbench.data.arrays import Vector
from aucbench.datasets.tables import Encoding
from aucbench.errors import UnsupportedError
from aucbench.features import AppendOne, Chain
from aucbench.models import Model
from aucbench.protocols import FeatureMap, Scorer, identity
from aucbench.records import Point, Run, Stop

CHOSEN_ON_TRAINING = (
    "the threshold was chosen on training rows, whose scores are too good; validation=0.3 would "
    "keep some rows for it"
)
NOTHING_MEASURED = Point(step=0, passes=0.0, seconds=0.0, objective=None, gap=None)


def model_of(fitted: BaseEstimator) -> Model:
    """Return what a fitted classifier learnt.

    Raises
    ------
    UnsupportedError
        As `Model.of_run`.
    """
    names = getattr(fitted, "feature_names_in_", None)
    negative, positive = fitted._known.tolist()
    encoding = fitted.encoding_
    params = {name: _plain(value) for name, value in fitted.get_params(deep=False).items()}
    run = getattr(fitted, "run_", None) or _of_weights(fitted.weights_)
    last = run.points[-1]
    return Model.of_run(
        run,
        fitted.features_,
        width=int(fitted.n_features_in_) if encoding is None else len(encoding.schema.columns),
        columns=_columns(names, encoding),
        encoding=encoding,
        negative=(negative,),
        positive=(positive,),
        threshold=float(fitted.threshold_),
        calibrator=getattr(fitted, "calibrator_", None),
        provenance={
            "solver": params["solver"],
            "features": params["features"],
            "parameters": params,
            "columns_in": None if names is None else [*map(str, names)],
            "width_in": int(fitted.n_features_in_),
            "stop": run.stop.name,
            "passes": last.passes,
            "seconds": last.seconds,
            "warnings": [] if fitted.validation else [CHOSEN_ON_TRAINING],
        },
    )


def restore(empty: BaseEstimator, model: Model) -> None:
    """Give a classifier what a model learnt.

    Raises
    ------
    UnsupportedError
        When a class has several labels, or the model is a stack.
    """
    if model.stack is not None:
        raise UnsupportedError(
            "the model is a stack of several solvers; use aucbench.Model.load, or aucbench predict"
        )
    if len(model.positive) != 1 or len(model.negative) != 1:
        raise UnsupportedError(
            "a class of the model has several labels; use aucbench.Model.load, or aucbench predict"
        )
    about, (inner, outer) = model.provenance, _divided(model.maps)
    known = empty.get_params(deep=False)
    params = {"solver": about.get("solver", known["solver"]), **about.get("parameters", {})}
    empty.set_params(**{name: value for name, value in params.items() if name in known})
    passes, seconds = (float(about.get(name) or 0.0) for name in ("passes", "seconds"))
    point = replace(NOTHING_MEASURED, passes=passes, seconds=seconds)
    stop = Stop[about.get("stop", Stop.FINISHED.name)]
    empty.run_ = Run(model.weights, Scorer(inner, model.d), stop, (point,), model.trees)
    empty.features_, empty.encoding_ = outer, model.encoding
    empty.classes_ = np.sort(np.array([model.negative[0], model.positive[0]]))
    empty.pos_label_ = model.positive[0]
    empty.n_features_in_ = int(about.get("width_in", model.width))
    empty.threshold_ = model.threshold
    columns = about.get("columns_in", model.columns)
    if columns is not None:
        empty.feature_names_in_ = np.array(columns, dtype=object)
    if model.calibrator is not None:
        empty.calibrator_ = model.calibrator


def _columns(names: Any, encoding: Encoding | None) -> tuple[str, ...] | None:
    """Return the names of the columns that the model reads; those of codes have always names."""
    if encoding is not None:
        return tuple(encoding.schema.names)
    return None if names is None else tuple(map(str, names))


def _of_weights(w: Vector) -> Run:
    """Return the run of weights that `partial_fit` learnt from mapped rows."""
    return Run(w, Scorer(identity, w.size), Stop.FINISHED, (NOTHING_MEASURED,))


def _divided(maps: tuple[FeatureMap, ...]) -> tuple[FeatureMap, FeatureMap]:
    """Return the intercept that a solver has added, and the maps before it."""
    inner = next((phi for phi in maps if isinstance(phi, AppendOne)), None)
    outer = tuple(phi for phi in maps if phi is not inner)
    chain = outer[0] if len(outer) == 1 else Chain(outer)
    return inner or identity, chain if outer else identity


def _plain(value: Any) -> Any:
    """Return a parameter as JSON holds it: objects as text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)
