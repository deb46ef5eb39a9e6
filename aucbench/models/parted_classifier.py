"""What a fit of the classifier learns from rows that come in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.parted import MAPS, STANDARD
from aucbench.data.arrays import Vector
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.models.incoming import label_of
from aucbench.models.parted import standardised, understood_of
from aucbench.models.parted_held import held_rows, parted
from aucbench.models.recipe import one_thread
from aucbench.protocols import FeatureMap
from aucbench.records import Run
from aucbench.scale import Engine, Here, Parts, PartsData
from aucbench.solving.loop import solve

if TYPE_CHECKING:
    from aucbench.models.classifier import AUCClassifier


@dataclass(frozen=True, slots=True, eq=False)
class LearntByParts:
    """The labels, the positive one last; the map of features; the run; and rows that decide."""

    classes: NDArray[Any]
    features: FeatureMap
    run: Run
    y: NDArray[np.int8]
    scores: Vector


def learnt_by_parts(
    model: AUCClassifier, parts: Parts, seed: int, engine: Engine | None = None
) -> LearntByParts:
    """Return what the rows teach, and a sample of rows by which the threshold is chosen.

    Parameters
    ----------
    model : AUCClassifier
        With its parameters.
    engine : Engine, optional
        Reads the parts; threads of this process by default.

    Raises
    ------
    ParameterError
        When a parameter has no meaning for rows in parts.
    UnsupportedError
        When the solver or the feature map needs all rows in memory.
    """
    _require_plain(model)
    whole = PartsData(parts, engine or Here(), seed=seed, standard=model.features in STANDARD)
    train = held = whole
    if model.validation is not None:
        train, held = parted(whole, model.validation, seed)
    with one_thread():
        run = solve(
            model.solver,
            train,
            passes=model.passes,
            seconds=model.seconds,
            gap_tol=model.gap_tol,
            seed=seed,
        )
    rows, known = held_rows(held, run, train, seed, alone=True), understood_of(parts)
    labels = [label_of(known.negative, "negative"), label_of(known.positive, "positive")]
    return LearntByParts(
        classes=np.array(labels),
        features=standardised(train),
        run=run,
        y=rows.y[rows.sampled],
        scores=rows.scores[rows.sampled],
    )


def _require_plain(model: AUCClassifier) -> None:
    """Refuse parameters that rows in parts cannot have."""
    asked = {
        "calibration": model.calibration is not None,
        "warm_start": model.warm_start,
        "pairs": model.pairs is not None,
        "monotone": model.monotone is not None,
        "pos_label": model.pos_label is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise ParameterError(
            f"{' and '.join(named)} cannot be had with rows in parts; leave it out; aucbench.fit "
            "calibrates, and positive= of the files says which label is positive"
        )
    if model.features not in MAPS:
        raise UnsupportedError(
            f"features={model.features!r} learns from rows in memory; with rows in parts take one "
            f"of {', '.join(MAPS)}"
        )
