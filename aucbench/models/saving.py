"""`AUCClassifier` as a `Model`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from aucbench.bench.plan.pairs import written
from aucbench.data.shapes import Shape, asked_shapes, written_shapes
from aucbench.datasets.tables import Encoding
from aucbench.errors import UnsupportedError
from aucbench.features import AppendOne, Chain
from aucbench.models import ClassModel, Model
from aucbench.models.multiclass import NOTHING_MEASURED, run_of, runs_of
from aucbench.pairs import ByClass, aucbench_pairs
from aucbench.protocols import FeatureMap, Scorer, identity
from aucbench.records import Run, Stop
from aucbench.solving.classes import joined

CHOSEN_ON_TRAINING = (
    "the threshold was chosen on training rows, whose scores are too good; validation=0.3 would "
    "keep some rows for it"
)


def model_of(fitted: BaseEstimator) -> Model | ClassModel:
    """Return what a fitted classifier learnt.

    Raises
    ------
    UnsupportedError
        As `Model.of_run`.
    """
    if fitted._many:
        return _class_model_of(fitted)
    negative, positive = fitted._known.tolist()
    run = getattr(fitted, "run_", None) or run_of(fitted.weights_)
    return _model_of(
        fitted,
        run,
        negative=(negative,),
        positive=(positive,),
        threshold=float(fitted.threshold_),
        calibrator=getattr(fitted, "calibrator_", None),
    )


def _class_model_of(fitted: BaseEstimator) -> ClassModel:
    labels = tuple(fitted.classes_.tolist())
    models = [
        _model_of(
            fitted,
            run,
            negative=(*labels[:k], *labels[k + 1 :]),
            positive=(labels[k],),
            threshold=-sigmoid.b / sigmoid.a if sigmoid.a else 0.0,  # where it is as likely as not
            calibrator=sigmoid,
        )
        for k, (run, sigmoid) in enumerate(zip(runs_of(fitted), fitted.calibrators_, strict=True))
    ]
    about = {**models[0].provenance, "pairs": f"class[each={fitted.pairs_.each}]"}
    return ClassModel(labels=labels, models=tuple(models), provenance=about)


def _model_of(fitted: BaseEstimator, run: Run, **own: Any) -> Model:
    names, encoding = getattr(fitted, "feature_names_in_", None), fitted.encoding_
    params = {name: _plain(value) for name, value in fitted.get_params(deep=False).items()}
    if type(fitted.pairs) in aucbench_pairs().values():
        params["pairs"] = written(fitted.pairs)
    shapes = _shapes(getattr(fitted, "monotone", None), names)
    params |= shapes
    last = run.points[-1]
    return Model.of_run(
        run,
        fitted.features_,
        width=int(fitted.n_features_in_) if encoding is None else len(encoding.schema.columns),
        columns=_columns(names, encoding),
        encoding=encoding,
        ranges=fitted.ranges_,
        **own,
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
            **shapes,
        },
    )


def _shapes(asked: Any, names: Any) -> dict[str, str]:
    """Return as text what effects had to be; nothing where all was free."""
    if asked is None:
        return {}
    if not isinstance(asked, str | Mapping):  # a sign for each column
        both = zip(range(len(asked)) if names is None else names, asked, strict=True)
        asked = {str(name): Shape(slope=int(sign)) for name, sign in both if sign}
    return {"monotone": written_shapes(asked_shapes(asked))} if asked else {}


def restore(empty: BaseEstimator, model: Model | ClassModel) -> None:
    """Give a classifier what a model learnt.

    Raises
    ------
    UnsupportedError
        When a class of two has several labels.
    """
    if isinstance(model, ClassModel):
        _restore_classes(empty, model)
        return
    if len(model.positive) != 1 or len(model.negative) != 1:
        raise UnsupportedError(
            "a class of the model has several labels; use aucbench.Model.load, or aucbench predict"
        )
    empty.run_ = _restored(empty, model)
    empty.classes_ = np.sort(np.array([model.negative[0], model.positive[0]]))
    empty.pos_label_, empty.threshold_ = model.positive[0], model.threshold
    if model.calibrator is not None:
        empty.calibrator_ = model.calibrator


def _restore_classes(empty: BaseEstimator, model: ClassModel) -> None:
    empty.run_ = joined([_restored(empty, one) for one in model.models])
    labels = np.array(model.labels)
    if not np.array_equal(labels, np.sort(labels)):
        raise UnsupportedError(
            "the labels of the model are not in the order of NumPy; use aucbench.ClassModel.load"
        )
    empty.classes_ = labels
    empty.calibrators_ = tuple(one.calibrator for one in model.models)
    each = str(model.provenance.get("pairs", "")).removeprefix("class[each=").removesuffix("]")
    empty.pairs_ = ByClass("rest" if each == "rest" else "classes")


def _restored(empty: BaseEstimator, model: Model) -> Run:
    """Give a classifier parameters, columns and maps; return the run of a model."""
    about, (inner, outer) = model.provenance, _divided(model.maps)
    known = empty.get_params(deep=False)
    params = {"solver": about.get("solver", known["solver"]), **about.get("parameters", {})}
    empty.set_params(**{name: value for name, value in params.items() if name in known})
    empty.features_, empty.encoding_, empty.ranges_ = outer, model.encoding, model.ranges
    empty.n_features_in_ = int(about.get("width_in", model.width))
    columns = about.get("columns_in", model.columns)
    if columns is not None:
        empty.feature_names_in_ = np.array(columns, dtype=object)
    passes, seconds = (float(about.get(name) or 0.0) for name in ("passes", "seconds"))
    point = replace(NOTHING_MEASURED, passes=passes, seconds=seconds)
    stop = Stop[about.get("stop", Stop.FINISHED.name)]
    return Run(model.weights, Scorer(inner, model.d), stop, (point,), model.trees)


def _columns(names: Any, encoding: Encoding | None) -> tuple[str, ...] | None:
    """Return the names of the columns that the model reads; those of codes have always names."""
    if encoding is not None:
        return tuple(encoding.schema.names)
    return None if names is None else tuple(map(str, names))


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
