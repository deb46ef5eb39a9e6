"""`AUCClassifier` as a `Model`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from aucbench.data.arrays import Vector
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
    negative, positive = fitted.classes_.tolist()
    params = {name: _plain(value) for name, value in fitted.get_params(deep=False).items()}
    run = getattr(fitted, "run_", None) or _of_weights(fitted.weights_)
    last = run.points[-1]
    return Model.of_run(
        run,
        fitted.features_,
        width=int(fitted.n_features_in_),
        columns=None if names is None else tuple(map(str, names)),
        negative=(negative,),
        positive=(positive,),
        threshold=float(fitted.threshold_),
        calibrator=getattr(fitted, "calibrator_", None),
        provenance={
            "solver": params["solver"],
            "features": params["features"],
            "parameters": params,
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
        When the model reads a table with text, dates or gaps, or its classes are several labels.
    """
    if model.encoding is not None or len(model.positive) != 1 or len(model.negative) != 1:
        raise UnsupportedError(
            "the model reads a table with text, dates or gaps, or has several labels in a class; "
            "use aucbench.models.Model.load, or aucbench predict"
        )
    about, (inner, outer) = model.provenance, _divided(model.maps)
    known = empty.get_params(deep=False)
    params = {"solver": about.get("solver", known["solver"]), **about.get("parameters", {})}
    empty.set_params(**{name: value for name, value in params.items() if name in known})
    passes, seconds = (float(about.get(name) or 0.0) for name in ("passes", "seconds"))
    point = replace(NOTHING_MEASURED, passes=passes, seconds=seconds)
    stop = Stop[about.get("stop", Stop.FINISHED.name)]
    empty.run_ = Run(model.weights, Scorer(inner, model.d), stop, (point,), model.trees)
    empty.features_ = outer
    empty.classes_ = np.array([model.negative[0], model.positive[0]])
    empty.n_features_in_ = model.width
    empty.threshold_ = model.threshold
    if model.columns is not None:
        empty.feature_names_in_ = np.array(model.columns, dtype=object)
    if model.calibrator is not None:
        empty.calibrator_ = model.calibrator


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
