"""A model that decides: its last fit, its threshold and its probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from aucbench.data import Data
from aucbench.data.arrays import Index
from aucbench.data.folds import Split
from aucbench.datasets.reading import Reading
from aucbench.metrics import Aim
from aucbench.models.calibration import calibrator
from aucbench.models.carding import carded
from aucbench.models.held_out import HeldOut
from aucbench.models.model import Model
from aucbench.models.operating import Operating
from aucbench.models.recipe import Recipe
from aucbench.models.reliability import Reliability
from aucbench.models.scorecard import Scaling


def decided(
    recipe: Recipe,
    data: Data,
    learnt: Index,
    splits: Sequence[Split],
    aim: Aim,
    calibration: str | None,
    scaling: Scaling | None = None,
) -> tuple[Model, HeldOut | None]:
    """Fit a model, choose its threshold by rows that were held out, and calibrate it.

    A model that ranks rows has no threshold, and nothing is held out for it.

    Parameters
    ----------
    learnt : array
        Numbers of the rows that the model learns from.
    splits : sequence of (rows to learn from, rows held out)
    calibration : str or None
        "sigmoid", "isotonic", or None for no probabilities.
    scaling : Scaling, optional
        The model becomes a scorecard of such points, and all else is judged by them.

    Raises
    ------
    UnsupportedError
        When a model of this solver, or with this feature map, cannot be saved, or is no scorecard.
    DataError
        When the solver cannot be fitted to a part of the rows, or the aim cannot be reached.
    """
    model = recipe.fitted(data, learnt, split=len(splits))  # as none of the splits
    if not model.decides:
        return model, None
    held = HeldOut.of(recipe, data, splits, model, learnt)
    if scaling is not None:
        model, held = carded(model, held, data, learnt, scaling)
    groups = None if data.groups is None else data.groups[held.rows]
    point = Operating.of(held.y, held.scores, aim, held.what, groups=groups, seed=recipe.seed)
    curve = reliability = None
    if calibration is not None:
        curve = model.calibrator or calibrator(calibration, held.y, held.scores)
        reliability = Reliability.of(calibration, held.y > 0, held.scores)
    whole = replace(
        model,
        threshold=point.threshold,
        operating=point,
        calibrator=curve,
        reliability=reliability,
    )
    return whole, held


def origin(source: str, reading: Reading, data: Data) -> dict[str, Any]:
    """Return what a model keeps of its table, and of its making."""
    return {
        "aucbench": version("aucbench"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": source,
        "label": data.understood.label,
        "decimal": reading.decimal,
        "separator": reading.separator,
        "left_out": dict(data.understood.dropped),
        "remarks": data.understood.to_json()["remarks"],
    }


def warnings(reading: Reading, data: Data, model: Model) -> Iterator[str]:
    """Yield what may not hold, and what is not taken into account."""
    yield from data.understood.warnings
    if reading.weights is not None and model.decides:
        yield f"the threshold and the calibration count each row once, without {reading.weights}"
    if reading.groups is not None and model.decides:
        yield (
            f"rows of one {reading.groups} may be alike: the intervals of the AUC and of the "
            "threshold count groups, but those of the reliability curve count rows"
        )
