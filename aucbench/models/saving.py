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
from aucbench.features import Chain
from aucbench.models.model import Model
from aucbench.models.multiclass import NOTHING_MEASURED, run_of, runs_of
from aucbench.models.score_function import ScoreFunction, as_steps, functions_of
from aucbench.pairs import ByClass, aucbench_pairs
from aucbench.protocols import Scorer, identity
from aucbench.records import Run, Stop
from aucbench.solving.classes import joined

CHOSEN_ON_TRAINING = (
    "the threshold was chosen on training rows, whose scores are too good; validation=0.3 would "
    "keep some rows for it"
)


def model_of(fitted: BaseEstimator) -> Model:
    """Return what a fitted classifier learnt.

    Raises
    ------
    UnsupportedError
        As `Model.of_run`.
    """
    runs = (
        runs_of(fitted)
        if fitted._many
        else [getattr(fitted, "run_", None) or run_of(fitted.weights_)]
    )
    names, encoding = getattr(fitted, "feature_names_in_", None), fitted.encoding_
    params = {name: _plain(value) for name, value in fitted.get_params(deep=False).items()}
    if type(fitted.pairs) in aucbench_pairs().values():
        params["pairs"] = written(fitted.pairs)
    shapes = _shapes(getattr(fitted, "monotone", None), names)
    params |= shapes
    last = runs[0].points[-1]
    functions = [function for run in runs for function in functions_of(run)]
    if fitted._many:
        labels = fitted.classes_.tolist()
        pairs = {"pairs": f"class[each={fitted.pairs_.each}]"}
        both = zip(functions, fitted.calibrators_, strict=True)
        functions = [replace(one, calibrator=sigmoid) for one, sigmoid in both]
    else:
        labels, pairs = fitted._known.tolist(), {}
        curve = getattr(fitted, "calibrator_", None)
        cut = float(fitted.threshold_)
        functions = [replace(functions[0], threshold=cut, calibrator=curve)]
    return Model(
        functions=tuple(functions),
        labels=tuple((label,) for label in labels),
        width=int(fitted.n_features_in_) if encoding is None else len(encoding.schema.columns),
        columns=_columns(names, encoding),
        encoding=encoding,
        maps=as_steps(fitted.features_),
        ranges=fitted.ranges_,
        provenance={
            "solver": params["solver"],
            "features": params["features"],
            "parameters": params,
            "columns_in": None if names is None else [*map(str, names)],
            "width_in": int(fitted.n_features_in_),
            "stop": runs[0].stop.name,
            "passes": last.passes,
            "seconds": last.seconds,
            "warnings": [] if fitted.validation else [CHOSEN_ON_TRAINING],
            **shapes,
            **pairs,
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


def restore(empty: BaseEstimator, model: Model) -> None:
    """Give a classifier what a model learnt.

    Raises
    ------
    UnsupportedError
        When a class of two has several labels.
    """
    if any(len(labels) != 1 for labels in model.labels):
        raise UnsupportedError(
            "a class of the model has several labels; use aucbench.Model.load, or aucbench predict"
        )
    runs = [_restored(empty, model, function) for function in model.functions]
    labels = [own[0] for own in model.labels]
    empty.classes_ = np.sort(np.array(labels))
    if len(runs) == 1:
        empty.run_ = runs[0]
        empty.pos_label_, empty.threshold_ = labels[1], model.function.threshold
        if model.function.calibrator is not None:
            empty.calibrator_ = model.function.calibrator
        return
    empty.run_ = joined(runs)
    if not np.array_equal(np.array(labels), empty.classes_):
        raise UnsupportedError(
            "the labels of the model are not in the order of NumPy; use aucbench.Model.load"
        )
    empty.calibrators_ = tuple(function.calibrator for function in model.functions)
    each = str(model.provenance.get("pairs", "")).removeprefix("class[each=").removesuffix("]")
    empty.pairs_ = ByClass("rest" if each == "rest" else "classes")


def _restored(empty: BaseEstimator, model: Model, function: ScoreFunction) -> Run:
    """Give a classifier parameters, columns and maps; return the run of a score function."""
    about = model.provenance
    inner, outer = (
        Chain(maps) if len(maps) > 1 else (*maps, identity)[0]
        for maps in (function.maps, model.maps)
    )
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
    return Run(function.weights, Scorer(inner, function.d), stop, (point,), function.trees)


def _columns(names: Any, encoding: Encoding | None) -> tuple[str, ...] | None:
    """Return the names of the columns that the model reads; those of codes have always names."""
    if encoding is not None:
        return tuple(encoding.schema.names)
    return None if names is None else tuple(map(str, names))


def _plain(value: Any) -> Any:
    """Return a parameter as JSON holds it: objects as text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)
