"""Arrays that users and plugins give: numbers that floats hold, and weights of rows.

Design
  a. An entry that is masked is missing, and what lies under its mask counts for nothing. So it is
     refused, as NaN is. A masked array without masked entries is a plain one.
  b. A number that no float of 64 bits holds exactly is refused, and not rounded: it is the name of
     something, or a time, and two of them may become one. So are complex numbers, texts and dates.
  c. Where only ratios of weights count, weights are divided by a power of two, which is exact, so
     that the largest is between 1 and 2. Then sums and products neither overflow nor vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import frexp, nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, float_of, short, whole_of

Vector: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

EXACT = 2**53  # up to here all whole numbers are floats
FAR = 1e30  # weights beyond, or below 1/FAR, mean nothing in a sum of losses
LIGHTEST = 2.0**-1000  # weight of a row beside the largest one


def plain(name: str, values: Any) -> NDArray[Any]:
    """Return anything that NumPy can read as an array without a mask.

    Raises
    ------
    DataError
        When an entry is masked, or rows have different lengths.
    """
    for front, part in _with_masks(values):
        at = np.argwhere(np.ma.getmaskarray(part))
        if len(at):
            raise DataError(
                f"{name} has {len(at)} masked entries, the first at {_place([*front, *at[0]])}; "
                "fill them or leave them out first"
            )
    try:
        return np.asarray(values)
    except ValueError as error:
        raise DataError(f"{name} is no array: {error}") from error


def _with_masks(values: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the masked arrays among what is given and its rows, and where they begin."""
    if isinstance(values, np.ma.MaskedArray):
        yield (), values
    elif isinstance(values, list | tuple):
        yield from (((i,), p) for i, p in enumerate(values) if isinstance(p, np.ma.MaskedArray))


def numeric(name: str, values: Any) -> NDArray[Any]:
    """Return floats, integers or truth values, all of which floats hold; objects become float64.

    None and its relatives among objects become NaN.

    Raises
    ------
    DataError
        As `plain`, and when there is something else than real numbers, or a whole number that no
        float holds.
    """
    array = plain(name, values)
    kind = array.dtype.kind
    if kind == "f" and isinstance(values, list | tuple) and np.abs(array).max(initial=0.0) >= EXACT:
        array = np.array(values, dtype=object)  # of whole numbers NumPy has made floats
        kind = "O"
    if kind == "O":
        return _from_objects(name, array)
    if kind not in "biuf":
        raise DataError(
            f"{name} has the type {array.dtype}, which is not numeric; encode it as numbers first"
        )
    if kind in "iu" and array.dtype.itemsize == 8 and array.size:
        require_exact(name, array)
    return _shortened(name, array) if kind == "f" and array.dtype.itemsize > 8 else array


def _shortened(name: str, array: NDArray[Any]) -> Vector:
    """Return floats of more than 64 bits as float64; refuse those that would be rounded."""
    with np.errstate(over="ignore"):
        short_ones: Vector = array.astype(np.float64)
    different = np.argwhere((short_ones != array) & ~np.isnan(array))
    if len(different):
        raise DataError(
            f"{name} has {array[*different[0]]} at {_place(different[0].tolist())}, which float64 "
            f"does not hold, in {array.dtype}; round it by astype(float) if that makes no "
            "difference"
        )
    return short_ones


def floats(name: str, values: Any) -> NDArray[np.float64]:
    """Return `numeric` as a contiguous array of float64."""
    return np.asarray(numeric(name, values), dtype=np.float64, order="C")


def require_exact(name: str, array: NDArray[Any]) -> None:
    """Raise `DataError` where one of some whole numbers is none that a float holds exactly."""
    if array.min() >= -EXACT and array.max() <= EXACT:
        return
    as_floats = array.astype(np.float64)
    for at in np.argwhere(np.abs(as_floats) >= EXACT).tolist():
        if int(as_floats[*at]) != (whole := int(array[*at])):
            raise _inexact(name, whole, at)


def is_missing(value: Any) -> bool:
    """Whether an object is None, NaN, or one of their relatives, which are not themselves."""
    # NA of pandas is not comparable, so it is told by its class.
    return value is None or type(value).__name__ == "NAType" or value != value


def row_weights(values: ArrayLike | None, n: int) -> Vector | None:
    """Return what n rows count for; None for None, and where all are 1; raises as `weights_of`."""
    if values is None:
        return None
    weights = weights_of(values, n)
    return None if (weights == 1.0).all() else weights


def weights_of(values: ArrayLike, n: int, name: str = "weights", *, zeros: bool = False) -> Vector:
    """Return what n rows count for, as float64.

    `name` is what the caller calls it, and `zeros` allows weights of 0.

    Raises
    ------
    DataError
        When there is not one for each row; when one is no finite number above 0, or nothing
        beside the largest one.
    """
    weights = floats(name, values)
    if weights.shape != (n,):
        raise DataError(f"{name} has shape {weights.shape} for {n} rows; give one for each row")
    bad = np.flatnonzero(~(np.isfinite(weights) & ((weights >= 0) if zeros else (weights > 0))))
    if bad.size:
        wanted = "at least 0" if zeros else "above 0; leave rows out that shall not count"
        raise DataError(
            f"the weight of row {bad[0]} is {weights[bad[0]]}, and {bad.size} weight(s) in total "
            f"are not finite and {wanted}"
        )
    largest = weights.max(initial=0.0)
    smallest = weights.min(initial=largest, where=weights > 0)
    if smallest < LIGHTEST * largest:
        raise DataError(
            f"the weights of rows go from {smallest:.3g} to {largest:.3g}, and the smallest are "
            "nothing beside the largest; leave rows out that shall not count"
        )
    return weights


def even(weights: Vector) -> Vector:
    """Return weights divided by a power of two, such that the largest is in [1, 2)."""
    power = frexp(weights.max(initial=0.0))[1] - 1
    return np.ldexp(weights, -power) if power else weights


def unit_weights(weights: Vector | None) -> Vector | None:
    """Return weights for a sum of losses that they multiply, where not only their ratios count.

    Raises
    ------
    DataError
        When one is so far from 1 that such a sum means nothing.
    """
    if weights is not None and not (weights.min() >= 1.0 / FAR and weights.max() <= FAR):
        raise DataError(
            f"the weights of rows go from {weights.min():.3g} to {weights.max():.3g}, and the "
            "solver adds up losses that they multiply; divide them by their mean"
        )
    return weights


def even_classes(weights: Vector, positive: Mask) -> Vector:
    """Return the weights of each class as `even`, where a pair of rows counts for their product."""
    found = np.empty_like(weights)
    for rows in (positive, ~positive):
        found[rows] = even(weights[rows])
    return found


def _from_objects(name: str, array: NDArray[Any]) -> Vector:
    numbers = np.empty(array.size)
    for i, value in enumerate(array.ravel().tolist()):
        number = float(value) if isinstance(value, bool | np.bool_) else float_of(value)
        whole = whole_of(value)
        if whole is not None and whole != number:
            raise _inexact(name, whole, np.unravel_index(i, array.shape))
        if number is None and not (value is None or type(value).__name__ == "NAType"):
            raise DataError(
                f"{name} has {short(value)} at {_place(np.unravel_index(i, array.shape))}, which "
                "is no number; encode it as numbers, or leave it out"
            )
        numbers[i] = nan if number is None else number
    return numbers.reshape(array.shape)


def _inexact(name: str, whole: int, at: Sequence[Any]) -> DataError:
    return DataError(
        f"{name} has {short(whole)} at {_place(at)}, a whole number that no float holds exactly; "
        "subtract a constant, or leave it out if it is a name and no quantity"
    )


def _place(at: Sequence[Any]) -> str:
    """Return where an entry is, for people."""
    named = zip(("row", "column"), at, strict=False)
    return ", ".join(f"{axis} {i}" for axis, i in named) if len(at) < 3 else f"{[*map(int, at)]}"
