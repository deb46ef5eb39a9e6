"""What `AUCClassifier` does with three or more classes, and with rows that come in chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Rows, Vector
from aucbench.data.targets import label_vector
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.features.chain import mapped
from aucbench.models.calibration import Sigmoid, sigmoid_of
from aucbench.models.estimator import Start
from aucbench.protocols import FeatureMap, NoMap, Scorer, Solver, Streaming, identity
from aucbench.records import Point, Run, Stop
from aucbench.registry import described, get_solver

if TYPE_CHECKING:
    from aucbench.models.classifier import AUCClassifier

NOTHING_MEASURED = Point(step=0, passes=0.0, seconds=0.0, objective=None, gap=None)
NOT_LEARNT = Sigmoid(-1.0, 0.0)  # the score itself is the log-odds
OF_TWO = ("sensitivity", "specificity", "aim")


def options_of_two(model: AUCClassifier) -> list[str]:
    """Return the names of the options that are given and are about two classes."""
    pairs = model.pairs
    kind = pairs.partition("[")[0].strip() if isinstance(pairs, str) else getattr(pairs, "kind", "")
    of_two = {name: bool(getattr(model, name)) for name in OF_TWO}
    of_two |= {"calibration": model.calibration == "isotonic", "pairs": kind not in ("", "class")}
    return [name for name, given in of_two.items() if given]


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


@dataclass(slots=True)
class Online:
    """A streaming solver that learns: its specification, its feature map, and its memory.

    Of three or more classes it has a memory for each, which learns the class against the rest.
    """

    spec: str | Solver
    features: FeatureMap
    solver: Streaming
    memories: tuple[Any, ...]

    def learn(self, rows: Rows, sides: Sequence[NDArray[np.int8]]) -> Vector:
        """Take the rows as they come, and return a copy of the weights, (d,) or (K, d).

        `sides` are the labels -1 and 1 for each memory.
        """
        if not isinstance(self.features, NoMap):
            rows = mapped(self.features, rows)
        pairs = zip(self.memories, sides, strict=True)
        each = [self._updated(memory, Chunk(rows, y)) for memory, y in pairs]
        return each[0] if len(each) == 1 else np.array(each)

    def _updated(self, memory: Any, chunk: Chunk) -> Vector:
        """Let a memory take the rows, and return its weights."""
        self.solver.update(memory, chunk, np.arange(chunk.n, dtype=np.int32))
        w = np.array(self.solver.weights(memory), dtype=np.float64)
        if not np.isfinite(w).all():
            raise DataError(
                "the weights are not finite after this chunk; scale the features or take smaller "
                "steps, and begin anew"
            )
        return w

    @property
    def keeps_rows(self) -> bool:
        """Whether the memory has rows in it, as a buffer does."""
        return _has_rows(self.memories)


def require_streaming(spec: str | Solver) -> Streaming:
    """Return the solver.

    Raises
    ------
    UnsupportedError
        When it needs all rows at once.
    """
    solver = get_solver(spec)
    if isinstance(solver, Streaming):
        return solver
    able = (known.name for known in described("solvers") if known.streaming)
    raise UnsupportedError(
        f"{spec!r} needs all rows at once, so that only fit is possible; solvers "
        f"that learn from chunks are {', '.join(able) or 'not installed'}"
    )


def _has_rows(memory: Any) -> bool:
    if isinstance(memory, Rows):
        return True
    if isinstance(memory, list | tuple):
        return any(map(_has_rows, memory))
    if not is_dataclass(memory):
        return False
    return any(_has_rows(getattr(memory, f.name)) for f in fields(memory))
