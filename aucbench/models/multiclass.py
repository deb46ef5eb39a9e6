"""What `AUCClassifier` does with three or more classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.targets import label_vector
from aucbench.errors import DataError, ParameterError
from aucbench.models.calibration import Sigmoid
from aucbench.models.learnt import Start
from aucbench.models.odds import sigmoid_of
from aucbench.protocols import Scorer, identity
from aucbench.records import Point, Run, Stop

if TYPE_CHECKING:
    from aucbench.models.classifier import AUCClassifier

NOTHING_MEASURED = Point(step=0, passes=0.0, seconds=0.0, objective=None, gap=None)
NOT_LEARNT = Sigmoid(-1.0, 0.0)  # the score itself is the log-odds
OF_TWO = ("sensitivity", "specificity", "aim")


def require_for_classes(model: AUCClassifier, classes: NDArray[Any], start: Start | None) -> None:
    """Raise where an option is for two classes, or a warm start is from others.

    Raises
    ------
    ParameterError
        When it is `sensitivity`, `specificity`, `aim` or isotonic calibration.
    DataError
        When the fit before knew other classes.
    """
    if named := [name for name in OF_TWO if getattr(model, name)]:
        raise ParameterError(
            f"{named[0]} is for the threshold of two classes, and y has {classes.size}; leave it "
            "out, or give the labels y == one_of_them"
        )
    if model.calibration == "isotonic":
        raise ParameterError(
            "calibration='isotonic' is for two classes: its steps would tie the log-odds of "
            f"{classes.size} classes; take 'sigmoid'"
        )
    if start is not None and not np.array_equal(model.classes_, classes):
        raise DataError(
            f"warm_start goes on from the classes {model.classes_.tolist()}, and y has "
            f"{classes.tolist()}; fit it with warm_start=False"
        )


def affine_of(model: AUCClassifier) -> tuple[Vector, Vector]:
    """Return (V, c): the decision function of rows is X @ V.T + c, V of shape (K, d)."""
    each = [model._affine_of(run.w, run.scorer.features) for run in runs_of(model)]
    a, b = (np.array([getattr(one, name) for one in model.calibrators_]) for name in ("a", "b"))
    V, c = (np.array(numbers) for numbers in zip(*each, strict=True))
    return -a[:, None] * V, -(a * c + b)


def runs_of(model: AUCClassifier) -> Sequence[Run]:
    """Return the fit of each class, or after `partial_fit` what stands for it."""
    if model._online is None:
        return model.run_.parts
    return [run_of(w) for w in model.weights_]


def run_of(w: Vector) -> Run:
    """Return the run of weights that `partial_fit` learnt from mapped rows."""
    return Run(w, Scorer(identity, w.size), Stop.FINISHED, (NOTHING_MEASURED,))


def require_online(model: AUCClassifier) -> None:
    """Raise `ParameterError` where pairs or shapes are asked for, which `partial_fit` ignores."""
    if model.monotone is not None:
        raise ParameterError(
            "monotone is for fit: no solver that learns from chunks keeps the shapes of effects; "
            "leave it out"
        )
    if model.pairs is not None:
        raise ParameterError(
            "pairs is for fit: partial_fit learns from all pairs of two classes, or of one class "
            "against the rest; leave it out"
        )


def sides_of(labels: NDArray[Any], y: Any) -> list[NDArray[np.int8]]:
    """Return for each class the labels 1 of its rows, and -1 of all others."""
    if y is None:
        raise DataError(
            f"a Chunk has the labels of two classes, and there are {labels.size}; give rows and "
            "their labels y"
        )
    raw = label_vector(y)
    return [np.where(raw == label, np.int8(1), np.int8(-1)) for label in labels]


def refreshed(
    before: Sequence[Sigmoid] | None, sides: Sequence[NDArray[np.int8]], scores: Vector
) -> tuple[Sigmoid, ...]:
    """Fit the sigmoid of each class that has rows and a rest in a chunk; others stay."""
    known = before or [NOT_LEARNT] * len(sides)
    return tuple(
        sigmoid_of(y > 0, s) if np.unique(y).size == 2 else old
        for old, y, s in zip(known, sides, scores.T, strict=True)
    )
