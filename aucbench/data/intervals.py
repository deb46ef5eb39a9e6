"""Errors that are constant on intervals of the log penalty, as in changepoint detection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError
from aucbench.stats.vectors import floats, plain

Steps = tuple[Index, Vector, Vector, Vector, int, Vector, Vector, Vector, Vector]


def example_numbers(example: ArrayLike) -> Index:
    """Return example numbers as int32; raise `DataError` unless they are integers from 0."""
    e = plain("example", example)
    if e.ndim != 1 or (e.size and e.dtype.kind not in "iu"):
        raise DataError(
            f"example has type {e.dtype} and shape {e.shape}; number the examples by integers "
            "from 0 in one array"
        )
    if e.size and not 0 <= e.min() <= e.max() < 2**31 - 1:
        wrong = e.min() if e.min() < 0 else e.max()
        raise DataError(f"there is an example number {wrong}; use numbers from 0 to 2**31 - 2")
    return e.astype(np.int32)


def columns(count: int, **arrays: ArrayLike) -> list[Vector]:
    """Return arrays of `count` numbers as float64; raise `DataError` on other shapes and NaN."""
    vectors = []
    for name, array in arrays.items():
        x = floats(name, array)
        if x.shape != (count,):
            raise DataError(f"{name} has shape {x.shape}; give {count} numbers, one per entry")
        if np.isnan(x).any():
            raise DataError(f"{name} has NaN in entry {np.isnan(x).argmax()}; leave that entry out")
        vectors.append(x)
    return vectors


def steps(
    example: ArrayLike,
    low: ArrayLike,
    high: ArrayLike | None,
    fp: ArrayLike,
    fn: ArrayLike,
    fp_possible: ArrayLike | None,
    fn_possible: ArrayLike | None,
) -> Steps:
    """Return the arguments of `Breakpoints` for errors that are constant on intervals.

    An interval begins at `low`. If `high` is given, it must end there. Steps are in the order of
    growing -log λ within each example.
    """
    e = example_numbers(example)
    m, fps, fns = columns(e.size, min_log_lambda=low, fp=fp, fn=fn)
    order = np.lexsort((m, e))
    e, m, fps, fns = e[order], m[order], fps[order], fns[order]
    first = np.r_[True, e[1:] != e[:-1]][: e.size]
    last = np.r_[first[1:], True][: e.size]
    _require_starts(e, m, first)
    if high is not None:
        ends = columns(e.size, max_log_lambda=high)[0][order]
        wanted = np.where(last, np.inf, np.r_[m[1:], np.inf][: m.size])
        _refuse(
            e,
            ends != wanted,
            lambda k: f"has an interval from {m[k]} to {ends[k]}, which should end at {wanted[k]}",
            "its intervals must cover the line from -inf to inf without a gap",
        )
    most = (
        _possible("fp", e, fps, fp_possible, order, first),
        _possible("fn", e, fns, fn_possible, order, first),
    )
    at = np.flatnonzero(~first)
    at = at[np.lexsort((-m[at], e[at]))]
    fp_diff, fn_diff = fps[at - 1] - fps[at], fns[at - 1] - fns[at]
    changes = (fp_diff != 0.0) | (fn_diff != 0.0)
    at, fp_diff, fn_diff = at[changes], fp_diff[changes], fn_diff[changes]
    bases = fps[last], fns[first]
    return e[at], -m[at], fp_diff, fn_diff, int(first.sum()), *bases, *most


def _require_starts(e: Index, m: Vector, first: NDArray[np.bool_]) -> None:
    every, begin = np.arange(int(first.sum()), dtype=np.int32), "min_log_lambda"
    way_out = "give each example one that begins at -inf"
    _refuse(every, e[first] != every, lambda _: "has no interval", way_out)
    late = first & (m != -np.inf)
    _refuse(e, late, lambda k: f"begins at {begin} {m[k]}", "add the interval that begins at -inf")
    twice = ~first & (m == np.r_[np.nan, m[:-1]][: m.size])
    _refuse(e, twice, lambda k: f"has two intervals that begin at {m[k]}", "keep one of them")
    way_out = "leave it out, because it is empty"
    _refuse(e, np.isposinf(m), lambda _: "has an interval that begins at inf", way_out)


def _possible(
    name: str,
    e: Index,
    errors: Vector,
    given: ArrayLike | None,
    order: NDArray[np.intp],
    first: NDArray[np.bool_],
) -> Vector:
    """Return how many errors of a kind each example can have; by default the most it has."""
    wrong = ~((errors >= 0.0) & (errors < np.inf))
    _refuse(e, wrong, lambda k: f"has {name} = {errors[k]}", "give finite errors of at least 0")
    if given is None:
        return np.maximum.reduceat(errors, np.flatnonzero(first)) if e.size else errors
    possible = f"possible_{name}"
    most = columns(e.size, **{possible: given})[0][order]
    own: Vector = most[first]

    def both(k: int) -> str:
        return f"{name} = {errors[k]}, {possible} = {most[k]}"

    way_out = "give one for all its intervals"
    _refuse(e, most != own[e], lambda k: f"has two numbers in {possible}: {both(k)}", way_out)
    way_out = "give the number of its labels with which this error can be made"
    wrong = ~((errors <= most) & (most < np.inf))
    _refuse(e, wrong, lambda k: f"has more {name} than {possible}: {both(k)}", way_out)
    return own


def _refuse(e: Index, wrong: NDArray[np.bool_], what: Callable[[int], str], way_out: str) -> None:
    """Raise `DataError` about the first entry that is marked as wrong."""
    if wrong.any():
        k = int(wrong.argmax())
        raise DataError(f"example {e[k]} {what(k)}; {way_out}")
