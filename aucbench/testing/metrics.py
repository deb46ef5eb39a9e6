"""Laws of metrics: functions of labels and scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.testing.laws import Laws, require
from aucbench.testing.samples import N, features, labels, require_close

laws = Laws("metrics")


def scored() -> Iterator[tuple[str, Any, Vector]]:
    """Labels and scores: distinct, with ties, perfect, reversed, with one positive."""
    y = labels().astype(np.int8)
    scores = features().sum(axis=1)
    yield "scores", y, scores
    yield "scores with ties", y, np.round(scores)
    yield "equal scores", y, np.zeros(N)
    yield "perfect scores", y, y + 0.1 * np.tanh(scores)
    yield "reversed scores", y, -y + 0.1 * np.tanh(scores)
    some = np.r_[np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)]
    yield "one positive", y[some], scores[some]


def number(f: Any, y: Any, scores: Vector, name: str = "scores") -> float:
    """f(y, scores), which must be one finite number."""
    value = f(y, scores)
    real = isinstance(value, float | int | np.floating) and not isinstance(value, bool)
    require(real and np.isfinite(value), f"{name}: it returned {value!r}, wanted a finite float")
    return float(value)


@laws("exact")
def returns_a_number(f: Any) -> None:
    """It returns one finite number, for ties, equal scores and a single positive too."""
    for name, y, scores in scored():
        number(f, y, scores, name)


@laws("1e-12 of its size")
def order_of_rows(f: Any) -> None:
    """The order of the rows does not matter, with ties too."""
    order = np.random.default_rng(3).permutation(N)
    for name, y, scores in scored():
        some = order[order < y.size]
        other = number(f, y[some], scores[some], name)
        require_close(f"shuffled {name}", other, number(f, y, scores), rtol=1e-12, atol=1e-12)


@laws("exact")
def arrays_are_left_alone(f: Any) -> None:
    """It takes arrays that cannot be written, and leaves the others as they are."""
    for name, y, scores in scored():
        kept = y.copy(), scores.copy()
        number(f, y, scores, name)
        same = np.array_equal(y, kept[0]) and np.array_equal(scores, kept[1])
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
    """Perfect scores and reversed ones have different numbers."""
    made = {name: number(f, y, scores, name) for name, y, scores in scored()}
    differ = made["perfect scores"] != made["reversed scores"]
    require(differ, f"both perfect and reversed scores have {made['perfect scores']}")
