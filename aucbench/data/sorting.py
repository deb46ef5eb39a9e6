"""The sorting door: every sort of scores, with its rows or without them, goes through here.

a. What is sorted are integers of 64 bits: keys of doubles, or a key with its row (cython/sort.pyx).
   So there is one question, which sort of integers to use, and both answers give equal bits.
b. The answers are `np.sort` and our own sort by digits. NumPy's is the faster one where its vector
   instructions are fast. What NumPy reports does not say so: on some CPUs with AVX-512 (AMD Zen 4)
   its vectorised sort takes five times as long as with AVX2. So a trial of about a millisecond
   decides, once in a process, when it first sorts many numbers.
c. AUCBENCH_SORT=numpy or digits decides instead.
"""

from __future__ import annotations

import os
from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError, ParameterError
from aucbench.kernels import sort

Keys = NDArray[np.uint64]
SORTS = ("numpy", "digits")
FEW = 1_000  # below this NumPy's sorts of doubles are as fast, on every CPU (measured)
TRIAL = 1 << 14  # keys of the trial; below this both sorts take less time than it
MAX_ROWS = 2**31 - 1


def sort_keys(keys: Keys) -> None:
    """Sort keys in place, ascending. Time: O(n) by digits, O(n log n) by NumPy."""
    if _by_numpy(keys.size):
        keys.sort()
    else:
        _by_digits(keys, np.empty_like(keys))


def argsort(x: Vector) -> tuple[Vector, Index]:
    """Return x ascending, and its stable order: rows with equal values ascend, NaN comes last.

    Parameters
    ----------
    x : float64 array of shape (n,)
        Any doubles. -0.0 and 0.0 are equal.

    Returns
    -------
    values, order : arrays of shape (n,)
        values = x[order]; order is int32 and equal to `np.argsort(x, kind="stable")`.

    Raises
    ------
    DataError
        When there are 2**31 rows or more.
    """
    if x.size > MAX_ROWS:
        raise DataError(f"there are {x.size} numbers to sort, more than {MAX_ROWS}; use fewer rows")
    if x.size >= (2 if _forced() else FEW):
        packed, values = np.empty(x.size, np.uint64), np.empty(x.size)
        order = np.empty(x.size, np.int32)
        x = np.ascontiguousarray(x)
        sort.pack(x, packed)
        if _by_numpy(x.size):
            packed.sort()
        else:
            _by_digits(packed, values.view(np.uint64))
        if sort.unpack(packed, x, values, order):
            return values, order
    order = np.argsort(x, kind="stable").astype(np.int32)
    return x[order], order


def sort_in_use() -> str:
    """Return which sort this process uses for many numbers: "numpy" or "digits".

    Raises
    ------
    ParameterError
        When AUCBENCH_SORT is neither of them.
    """
    return _forced() or _faster()


def _by_numpy(n: int) -> bool:
    if named := _forced():
        return named == "numpy"
    return n < FEW or (n >= TRIAL and _faster() == "numpy")


def _by_digits(keys: Keys, spare: Keys) -> None:
    sort.by_digits(keys, spare, np.empty((6, 2048), np.uint32))


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
def _faster() -> str:
    """Return the sort that is faster here, for keys like those of scattered numbers."""
    keys = np.arange(TRIAL, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    spare = np.empty_like(keys)
    seconds = dict.fromkeys(SORTS, np.inf)
    for _ in range(3):
        for name in SORTS:
            trial = keys.copy()
            start = perf_counter()
            if name == "numpy":
                trial.sort()
            else:
                _by_digits(trial, spare)
            seconds[name] = min(seconds[name], perf_counter() - start)
    return min(SORTS, key=seconds.__getitem__)
