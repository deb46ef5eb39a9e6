"""Laws of metrics: functions of labels and scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.about import scale_of
from aucbench.data.arrays import Vector
from aucbench.errors import PluginError
from aucbench.registry.shapes import checked_value, origin, takes_weights
from aucbench.testing.laws import LawBroken, Laws, NotAsked, require
from aucbench.testing.samples import extent, features, labels, require_close
from aucbench.testing.traces import add_nothing_left

laws = Laws("metrics")


def scored() -> Iterator[tuple[str, Any, Vector]]:
    """Labels and scores: distinct, with ties, perfect, reversed."""
    y = (labels() > 0).astype(np.int8)
    scores = features().sum(axis=1)
    yield "scores", y, scores
    yield "scores with ties", y, np.round(scores)
    yield "equal scores", y, np.zeros(extent().n)
    yield "perfect scores", y, y + 0.1 * np.tanh(scores)
    yield "reversed scores", y, -1.0 * y + 0.1 * np.tanh(scores)


def require_of_labels(f: Any) -> None:
    """End the check of a metric that is one of another target."""
    if (of := scale_of(origin(f)).of) != "labels":
        raise NotAsked(f"it is a measure of {of}, and the law has labels of two classes")


def number(f: Any, y: Any, scores: Vector, name: str = "scores") -> float:
    """f(y, scores), which must be one finite number of its scale."""
    require_of_labels(f)
    try:
        return checked_value(f, f(y, scores))
    except PluginError as error:
        raise LawBroken(f"{name}: {error}") from error


add_nothing_left(laws, lambda f: [number(f, y, scores, name) for name, y, scores in scored()])


@laws("exact")
def returns_a_number(f: Any) -> None:
    """It returns one finite number of its range, for ties and equal scores too."""
    for name, y, scores in scored():
        number(f, y, scores, name)


@laws("exact")
def one_positive(f: Any) -> None:
    """It returns a number for a single positive row, which rare classes have in a split."""
    _, y, scores = next(scored())
    some = np.r_[np.flatnonzero(y)[:1], np.flatnonzero(y == 0)]
    number(f, y[some], scores[some], "one positive")


@laws("1e-12 of its size")
def order_of_rows(f: Any) -> None:
    """The order of the rows does not matter, with ties too."""
    order = np.random.default_rng(3).permutation(extent().n)
    for name, y, scores in scored():
        other = number(f, y[order], scores[order], name)
        require_close(f"shuffled {name}", other, number(f, y, scores), rtol=1e-12, atol=1e-12)


@laws("exact")
def arrays_are_left_alone(f: Any) -> None:
    """It takes arrays that cannot be written, and leaves the others as they are."""
    for name, y, scores in scored():
        before = y.copy(), scores.copy()
        number(f, y, scores, name)
        same = np.array_equal(y, before[0]) and np.array_equal(scores, before[1])
        require(same, f"{name}: it has changed its arrays")
        y.setflags(write=False)
        scores.setflags(write=False)
        number(f, y, scores, name)


@laws("exact")
def repeatable(f: Any) -> None:
    """The same arrays give the same number."""
    for name, y, scores in scored():
        first = number(f, y, scores, name)
        require(first == number(f, y, scores, name), f"{name}: two calls differ")


@laws("exact")
def tells_good_from_bad(f: Any) -> None:
    """Perfect scores have a better number than reversed ones; `@metric` says what is better."""
    values = {name: number(f, y, scores, name) for name, y, scores in scored()}
    good, bad = values["perfect scores"], values["reversed scores"]
    better = "greater" if scale_of(origin(f)).greater_is_better else "smaller"
    require(
        good > bad if better == "greater" else good < bad,
        f"perfect scores have {good} and reversed ones {bad}, and a {better} value is better; "
        "write @metric(greater_is_better=...)",
    )


@laws("1e-12 of its size")
def equal_weights(f: Any) -> None:
    """Equal weights, whatever their size, change nothing."""
    require_of_labels(f)
    if not takes_weights(f):
        raise NotAsked("it takes no weights")
    for name, y, scores in scored():
        for weight in (1.0, 2.5):
            value = checked_value(f, f(y, scores, np.full(y.size, weight)))
            plain = number(f, y, scores, name)
            require_close(f"{name}, weights of {weight}", value, plain, rtol=1e-12, atol=1e-12)
