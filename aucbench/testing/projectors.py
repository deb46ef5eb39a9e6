"""Laws of projectors: sets, whose nearest point is meant, and penalties with their prox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data import Terms
from aucbench.data.arrays import Vector
from aucbench.testing.common import add_pickles
from aucbench.testing.laws import Laws, not_asked, require, require_frozen
from aucbench.testing.samples import extent, require_close
from aucbench.testing.traces import add_nothing_left

laws = Laws("projectors")
STEPS = (0.1, 1.0, 5.0)


def vectors() -> Iterator[Vector]:
    """Vectors inside and outside of sets: small, large, sparse, with ties, zero."""
    rng = np.random.default_rng(6)
    for size in (1e-3, 0.3, 1.0, 5.0, 100.0):
        yield size * rng.normal(size=extent().d)
    sparse = rng.normal(size=extent().d)
    sparse[::2] = 0.0
    yield sparse
    yield np.ones(extent().d)
    yield np.where(np.arange(extent().d) % 2, 2.0, -2.0)
    yield np.zeros(extent().d)


def moved(project: Any, v: Vector, step: float = 1.0) -> Vector:
    """The prox of a copy of v: d finite numbers."""
    u: Vector = project(v.copy(), step)
    fits = isinstance(u, np.ndarray) and u.shape == v.shape and u.dtype == np.float64
    require(fits, f"it returned {u!r} for a float64 array of shape {v.shape}")
    require(np.isfinite(u).all(), f"its result is not finite for a vector of length {v @ v:.3g}")
    return u


def all_moved(project: Any) -> list[Vector]:
    """The prox of all vectors."""
    return [moved(project, v) for v in vectors()]


def _use(project: Any) -> None:
    for v in vectors():
        project.value(moved(project, v))
        project.contains(v)


add_nothing_left(laws, _use)


@laws("exact")
def declared(project: Any) -> None:
    """A projector is a frozen dataclass: ids and `space` are made of its fields."""
    require_frozen(project)
    for v in vectors():
        value, inside = project.value(v), project.contains(v)
        require(isinstance(inside, bool | np.bool_), f"contains returned {inside!r}, wanted a bool")
        real = isinstance(value, float | int | np.floating) and not np.isnan(value)
        require(real, f"value returned {value!r}, wanted a float")


@laws("exact")
def in_place(project: Any) -> None:
    """It overwrites the vector that it gets, and returns that same array.

    A loop that ignores the result, or keeps the array, else goes on without a constraint.
    """
    for v in vectors():
        for step in STEPS:
            u = v.copy()
            require(project(u, step) is u, "it returned another array; overwrite v and return it")
        require(np.array_equal(moved(project, v), project(v.copy())), "without a step it is not "
                "that of step 1")  # fmt: skip


@laws("as `contains`")
def contains(project: Any) -> None:
    """The result is in the domain, and `contains` is true just where `value` is finite."""
    for v in vectors():
        u = moved(project, v)
        require(project.contains(u), f"contains is false for its own result {u}")
        for w in (u, v):
            agree = bool(project.contains(w)) == bool(np.isfinite(project.value(w)))
            require(agree, f"contains is {project.contains(w)} where value is {project.value(w)}")


@laws("1e-9 of the length")
def idempotent(project: Any) -> None:
    """A point of a set stays where it is; so the nearest point of a nearest point is itself.

    For a penalty only points with Ω(v) = 0 and prox(v) = v can say something, and none is asked.
    """
    for v in vectors():
        u = moved(project, v)
        for w in (u, v):
            if _is_set(project) and project.contains(w):
                near = 1e-9 * (1.0 + float(np.linalg.norm(w)))
                require_close("a point of the set, projected", moved(project, w), w, atol=near)


def _is_set(project: Any) -> bool:
    return all(project.value(v) in (0.0, np.inf) for v in vectors())


@laws("1e-9 of the objective of the prox")
def nearest(project: Any) -> None:
    """No other point has a smaller step · Ω(u) + |u − v|²/2, whatever the step is.

    For a set it is the nearest point. Tried are results for other vectors and points near by.
    """
    _require_nearest(project)


@laws("1e-9 of the objective of the prox")
def terms(project: Any) -> None:
    """`of_terms` returns such a projector over terms of features, and changes nothing in itself."""
    owner = np.arange(extent().d, dtype=np.int32) // 2
    columns = tuple((t,) for t in range(int(owner[-1]) + 1))
    before = all_moved(project)
    over = project.of_terms(Terms(columns, owner, np.zeros(owner.size, np.bool_)))
    if over is project:
        not_asked("it has no groups")
    _require_nearest(over)
    require_close("the vectors, after of_terms", all_moved(project), before)


def _require_nearest(project: Any) -> None:
    rng = np.random.default_rng(7)
    for v in vectors():
        for step in STEPS:
            best = moved(project, v, step)
            reached = _prox_objective(project, best, v, step)
            size = 1.0 + float(np.linalg.norm(v))
            near = [
                best + s * size * rng.normal(size=extent().d)
                for s in (1e-4, 1e-2, 0.3)
                for _ in "1234"
            ]
            others = [v, np.zeros(extent().d), 0.5 * (best + v), *near, *vectors()]
            for other in [*others, *(moved(project, o, step) for o in others)]:
                lower = _prox_objective(project, other, v, step)
                require(
                    reached <= lower + 1e-9 * size * size,
                    f"its result has step · Ω(u) + |u − v|²/2 = {reached:.6g} for a step of "
                    f"{step}, and another point has {lower:.6g}",
                )


def _prox_objective(project: Any, u: Vector, v: Vector, step: float) -> float:
    omega = project.value(u) if project.contains(u) else np.inf
    return float(step * omega + 0.5 * np.sum((u - v) ** 2))


@laws("exact")
def no_memory(project: Any) -> None:
    """The same vector gives the same result, whatever was projected before."""
    first = all_moved(project)
    again = [moved(project, v) for v in [*vectors()][::-1]][::-1]
    require_close("the same vectors, projected again", again, first)


@laws("as `contains`")
def scales(project: Any) -> None:
    """Vectors 1e8 times smaller or larger, of one number or of none, end in the domain."""
    for v in vectors():
        for scale in (1e-8, 1e8):
            require(project.contains(moved(project, scale * v)), f"it leaves the domain at {scale}")
    for short in (np.array([3.0]), np.zeros(0)):
        require(project.contains(moved(project, short)), f"it leaves the domain for {short}")


add_pickles(laws, lambda project: project, all_moved, require_close)
