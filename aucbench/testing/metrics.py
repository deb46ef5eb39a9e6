"""Laws of metrics: functions of a target, mostly labels, and scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.about import scale_of
from aucbench.data import Survival
from aucbench.data.arrays import Vector
from aucbench.errors import PluginError
from aucbench.registry.shapes import checked_value, origin, takes_weights
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import extent, features, labels, require_close
from aucbench.testing.traces import add_nothing_left

laws = Laws("metrics")
Scored = tuple[str, Any, Vector]
NEAR = {"close": 1e-3, "almost equal": 1e-9}  # how far scores are apart


def scored(f: Any) -> Iterator[Scored]:
    """The target of a metric, and scores: distinct, tied, perfect, reversed, almost equal."""
    y, goal, scores = _target(scale_of(origin(f)).of)
    small = np.tanh(scores)
    yield "scores", y, scores
    yield "scores with ties", y, np.round(scores)
    yield "equal scores", y, 0.0 * scores
    yield "perfect scores", y, goal + 0.1 * small
    yield "reversed scores", y, -1.0 * goal + 0.1 * small
    for name, by in NEAR.items():
        yield f"{name} perfect scores", y, 0.5 + by * (goal - 0.5 + 0.1 * small)
        yield f"{name} reversed scores", y, 0.5 - by * (goal - 0.5 + 0.1 * small)


def _target(of: str) -> tuple[Any, Any, Any]:
    """The target of some kind, scores that are perfect for it, and others."""
    number = np.arange(extent().n)
    if of == "labels":
        y = (labels() > 0).astype(np.int8)
        return y, y.astype(np.float64), features().sum(axis=1)
    if of == "classes":
        return number % 3, np.eye(3)[number % 3], features()[:, :3]
    if of != "survival times":
        not_asked(f"it is a measure of {of}, which the laws have none of")
    times = 1.0 + number % 7
    return Survival.of(times, number % 3 > 0), -times, features().sum(axis=1)


def number(f: Any, y: Any, scores: Vector, name: str = "scores", *weights: Vector) -> float:
    """f(y, scores), which must be one finite number of its scale."""
    try:
        return checked_value(f, f(y, scores, *weights))
    except PluginError as error:
        raise LawBroken(f"{name}: {error}") from error


add_nothing_left(laws, lambda f: [number(f, y, scores, name) for name, y, scores in scored(f)])


@laws("exact")
def returns_a_number(f: Any) -> None:
    """It returns one finite number of its range, for ties and equal scores too, of 64 bits."""
    for name, y, scores in scored(f):
        number(f, y, scores, name)
        kind = getattr(f(y, scores), "dtype", np.dtype(np.float64))
        require(kind.itemsize >= 8, f"it returned {kind}; compute in float64")


@laws("exact")
def one_positive(f: Any) -> None:
    """It returns a number for a single positive row, which rare classes have in a split."""
    _, y, scores = next(scored(f))
    if not isinstance(y, np.ndarray) or y.max() > 1:
        not_asked("it is no measure of two classes")
    some = np.r_[np.flatnonzero(y)[:1], np.flatnonzero(y == 0)]
    number(f, y[some], scores[some], "one positive")


@laws("1e-10 of its size")
def order_of_rows(f: Any) -> None:
    """The order of the rows does not matter, with ties too, and of 20 000 rows."""
    for name, y, scores in (*scored(f), *_many(f)):
        order = np.random.default_rng(3).permutation(len(scores)).astype(np.int32)
        other = number(f, y.take(order), scores[order], name)
        require_close(f"shuffled {name}", other, number(f, y, scores), rtol=1e-10, atol=1e-10)


def _many(f: Any) -> Iterator[Scored]:
    """20 000 rows with labels, which are 200 different ones up to 180 times."""
    if scale_of(origin(f)).of == "labels":
        times = 20_000 * np.arange(201) * np.arange(1, 202) // (200 * 201)
        rng = np.random.default_rng(4)
        y = (rng.random(200) < 0.3).astype(np.int8)
        scores = np.round(rng.normal(size=200), 1) + y
        yield "20 000 scores", np.repeat(y, np.diff(times)), np.repeat(scores, np.diff(times))


@laws("exact")
def arrays_are_left_alone(f: Any) -> None:
    """It takes arrays that cannot be written, and leaves the others as they are."""
    for name, y, scores in scored(f):
        arrays = [array for array in (y, scores) if isinstance(array, np.ndarray)]
        before = [array.copy() for array in arrays]
        number(f, y, scores, name)
        same = all(map(np.array_equal, arrays, before))
        require(same, f"{name}: it has changed its arrays")
        for array in arrays:
            array.setflags(write=False)
        number(f, y, scores, name)


@laws("exact")
def tells_good_from_bad(f: Any) -> None:
    """Perfect scores have a better number than reversed ones; `@metric` says what is better.

    So have scores that differ by 1e-9, which float32 makes equal, if those have that differ by
    1e-3: a measure at a threshold has none of both.
    """
    values = {name: number(f, y, scores, name) for name, y, scores in scored(f)}
    better = "greater" if scale_of(origin(f)).greater_is_better else "smaller"
    sign = 1.0 if better == "greater" else -1.0
    gains = {
        name: sign * (value - values[name.replace("perfect", "reversed")])
        for name, value in values.items()
        if "perfect" in name
    }
    good, bad = values["perfect scores"], values["reversed scores"]
    require(
        gains["perfect scores"] > 0.0,
        f"perfect scores have {good} and reversed ones {bad}, and a {better} value is better; "
        "write @metric(greater_is_better=...)",
    )
    require(
        gains["close perfect scores"] <= 0.0 or gains["almost equal perfect scores"] > 0.0,
        "almost equal perfect scores have no better number than reversed ones; compute in float64",
    )


@laws("1e-10 of its size")
def weights_of_rows(f: Any) -> None:
    """A row of weight 2 counts as this row twice, in each class, with ties; of 20 000 rows too."""
    if not takes_weights(f):
        not_asked("it takes no weights")
    cases = [(*case, 1 + np.arange(extent().n) % 3) for case in scored(f)]
    for name, y, scores in _many(f):
        _, first, times = np.unique(scores + 1e6 * y, return_index=True, return_counts=True)
        cases.append((name, y[first], scores[first], times))
    for name, y, scores, times in cases:
        rows = np.repeat(np.arange(len(scores), dtype=np.int32), times)
        weighted = number(f, y, scores, name, times.astype(np.float64))
        repeated = number(f, y.take(rows), scores[rows], name)
        require_close(f"{name}, weights of rows", weighted, repeated, rtol=1e-10, atol=1e-10)
