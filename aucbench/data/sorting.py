"""The sorting door: every sort of scores, with its rows or without them, goes through here.

What is sorted are doubles: scores, or the bits of a key and its row (cython/sort.pyx). NumPy's sort
is faster than ours by digits where its vector instructions are fast, which it does not report: on
AMD Zen 4 its AVX-512 sort takes five times as long as with AVX2. So a trial of about a millisecond
decides, once in a process, when it first sorts many numbers; or AUCBENCH_SORT=numpy or digits does.
"""

from __future__ import annotations

import os
from functools import cache
from time import perf_counter

import numpy as np

from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError, ParameterError
from aucbench.kernels.sort import by_digits, pack, unpack

SORTS = ("numpy", "digits")
FEW = 1_000  # below this NumPy's sorts of doubles are as fast, on every CPU (measured)
TRIAL = 1 << 14  # doubles of the trial; below this both sorts take less time than it
MAX_ROWS = 2**31 - 1


def sort(x: Vector) -> None:
    """Sort doubles in place, ascending; there is no NaN, and -0.0 may become 0.0.

    Time: O(n) by digits, O(n log n) by NumPy.
    """
    if _by_numpy(x.size):
        x.sort()
    else:
        _by_digits(x, np.empty_like(x))


def argsort(x: Vector) -> tuple[Vector, Index]:
    """Return x ascending, and its stable order: rows with equal values ascend, NaN comes last.

    The order is int32 and equal to `np.argsort(x, kind="stable")`; -0.0 and 0.0 are equal.
    """
    if x.size > MAX_ROWS:
        raise DataError(f"there are {x.size} numbers to sort, more than {MAX_ROWS}; use fewer rows")
    if x.size >= (2 if _forced() else FEW):
        pairs, values = np.empty(x.size), np.empty(x.size)
        order = np.empty(x.size, np.int32)
        x = np.ascontiguousarray(x)
        pack(x, pairs.view(np.uint64))
        if _by_numpy(x.size):
            pairs.sort()
        else:
            _by_digits(pairs, values)
        if unpack(pairs.view(np.uint64), x, values, order):
            return values, order
    order = np.argsort(x, kind="stable").astype(np.int32)
    return x[order], order


def sort_in_use() -> str:
    """Return which sort this process uses for many numbers: "numpy" or "digits"."""
    return _forced() or faster()


def _by_numpy(n: int) -> bool:
    if named := _forced():
        return named == "numpy"
    return n < FEW or (n >= TRIAL and faster() == "numpy")


def _by_digits(x: Vector, spare: Vector) -> None:
    by_digits(x.view(np.uint64), spare.view(np.uint64), np.empty((6, 2048), np.uint32))


@cache
def _forced() -> str:
    named = os.environ.get("AUCBENCH_SORT", "")
    if named and named not in SORTS:
        raise ParameterError(
            f"AUCBENCH_SORT is {named!r}; set it to numpy or to digits, or leave it out, so that "
            "the faster one is used"
        )
    return named


@cache
def faster() -> str:
    """Return the sort that is faster here, for scattered numbers."""
    scattered = np.modf(np.arange(TRIAL) * 0.6180339887498949)[0] - 0.5  # as scores of two classes
    spare = np.empty_like(scattered)
    seconds = dict.fromkeys(SORTS, np.inf)
    for _ in range(3):
        for name in SORTS:
            trial = scattered.copy()
            start = perf_counter()
            if name == "numpy":
                trial.sort()
            else:
                _by_digits(trial, spare)
            seconds[name] = min(seconds[name], perf_counter() - start)
    return min(SORTS, key=seconds.__getitem__)
