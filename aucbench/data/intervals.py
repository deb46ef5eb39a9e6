"""Errors that are constant on intervals of the log penalty, as in changepoint detection."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError
from aucbench.kernels.vectors import floats, plain


class ErrorSteps(NamedTuple):
    """Error functions as steps: the arguments of `Breakpoints`, in its order."""

    example: Index
    value: Vector
    fp_diff: Vector
    fn_diff: Vector
    n: int
    fp_base: Vector
    fn_base: Vector
    fp_possible: Vector
    fn_possible: Vector


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
    found = []
    for name, array in arrays.items():
        x = floats(name, array)
        if x.shape != (count,):
            raise DataError(f"{name} has shape {x.shape}; give {count} numbers, one per entry")
        if np.isnan(x).any():
            raise DataError(f"{name} has NaN in entry {np.isnan(x).argmax()}; leave that entry out")
        found.append(x)
    return found


def steps(
    example: ArrayLike,
    low: ArrayLike,
    high: ArrayLike | None,
    fp: ArrayLike,
    fn: ArrayLike,
    fp_possible: ArrayLike | None,
    fn_possible: ArrayLike | None,
) -> ErrorSteps:
    """Return the steps of errors that are constant on intervals of the log penalty.

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
        (ends,) = columns(e.size, max_log_lambda=high)
        _require_no_gap(e, m, ends[order], last)
    _require_counts(e, fps, fns)
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
    return ErrorSteps(e[at], -m[at], fp_diff, fn_diff, int(first.sum()), *bases, *most)


def _require_starts(e: Index, m: Vector, first: NDArray[np.bool_]) -> None:
    seen = e[first]
    if not np.array_equal(seen, np.arange(seen.size)):
        absent = int(np.argmax(seen != np.arange(seen.size)))
        _refuse(absent, "has no interval", "give each example one that begins at -inf")
    late = first & (m != -np.inf)
    if late.any():
        k = int(late.argmax())
        _refuse(e[k], f"begins at min_log_lambda {m[k]}", "add the interval that begins at -inf")
    twice = ~first & (m == np.r_[np.nan, m[:-1]][: m.size])
    if twice.any():
        k = int(twice.argmax())
        _refuse(e[k], f"has two intervals that begin at {m[k]}", "keep one of them")
    if np.isposinf(m).any():
        k = int(np.isposinf(m).argmax())
        _refuse(e[k], "has an interval that begins at inf", "leave it out, because it is empty")


def _require_no_gap(e: Index, m: Vector, ends: Vector, last: NDArray[np.bool_]) -> None:
    wanted = np.where(last, np.inf, np.r_[m[1:], np.inf][: m.size])
    wrong = ends != wanted
    if wrong.any():
        k = int(wrong.argmax())
        what = f"has an interval from {m[k]} to {ends[k]}, which should end at {wanted[k]}"
        _refuse(e[k], what, "its intervals must cover the line from -inf to inf without a gap")


def _require_counts(e: Index, fps: Vector, fns: Vector) -> None:
    for name, x in (("fp", fps), ("fn", fns)):
        wrong = ~((x >= 0.0) & (x < np.inf))
        if wrong.any():
            k = int(wrong.argmax())
            _refuse(e[k], f"has {name} = {x[k]}", "give finite errors of at least 0")


def _possible(
    name: str,
    e: Index,
    errors: Vector,
    given: ArrayLike | None,
    order: NDArray[np.intp],
    first: NDArray[np.bool_],
) -> Vector:
    """Return how many errors of a kind each example can have; by default the most it has."""
    if given is None:
        return np.maximum.reduceat(errors, np.flatnonzero(first)) if e.size else errors
    (unsorted,) = columns(e.size, **{f"possible_{name}": given})
    most = unsorted[order]
    own: Vector = most[first]
    for wrong, what, way_out in (
        (most != own[e], f"has two numbers in possible_{name}", "give one for all its intervals"),
        (
            ~((errors <= most) & (most < np.inf)),
            f"has more {name} than possible_{name}",
            "give the number of its labels with which this error can be made",
        ),
    ):
        if wrong.any():
            k = int(wrong.argmax())
            _refuse(e[k], f"{what}: {name} = {errors[k]}, possible_{name} = {most[k]}", way_out)
    return own


def _refuse(example: int, what: str, way_out: str) -> NoReturn:
    raise DataError(f"example {example} {what}; {way_out}")
