"""Whether `Data` that another package has made can be computed with: kernels check nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data.arrays import Rows
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import FEWEST, Categories
from aucbench.data.data import Data, ties_of
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.stats.vectors import row_weights

ARRAYS: dict[type, tuple[tuple[str, str, type], ...]] = {  # names for people, fields and types
    Labels: (("labels", "y", np.int8),),
    Survival: (("times", "time", np.float64), ("events", "event", np.bool_)),
    Grades: (("grades", "y", np.float64),),
    Categories: (("classes", "y", np.int32),),
}


def unsound(data: Any) -> str | None:
    """Return what is wrong with the result of a data-set function; None when nothing is."""
    if not isinstance(data, Data):
        return f"it is {_kind(data)}, wanted Data: return Data.of(X, y), which checks all of this"
    return next(_faults_of_rows(data.rows, table=data.schema is not None), None) or next(
        _faults_around(data), None
    )


def _faults_of_rows(X: Any, *, table: bool) -> Iterator[str]:
    if not isinstance(X, Rows):
        yield f"its rows are {_kind(X)}, wanted Rows"
        return
    if not all(isinstance(count, int | np.integer) and count > 0 for count in (X.n, X.d)):
        yield f"it has {X.n} rows of {X.d} columns, wanted at least one of each"
        return
    kind = getattr(X.stored, "dtype", None)
    single = np.float32 if kind == np.float32 else np.float64
    yield from _fault_of_array("the numbers of its rows", X.stored, single)
    if X.columns is None or X.starts is None:
        if X.columns is not X.starts:
            yield "of the columns and the starts of its sparse rows one is missing"
        elif X.stored.size != X.n * X.d:
            yield f"{X.stored.size} numbers are not {X.n} rows of {X.d} columns"
    else:
        yield from _faults_of_pattern(X)
    if not table and not np.isfinite(X.stored).all():
        yield "a number of its rows is NaN or infinite"


def _faults_of_pattern(X: Rows) -> Iterator[str]:
    assert X.columns is not None
    assert X.starts is not None
    yield from _fault_of_array("the columns of its sparse rows", X.columns, np.int32)
    yield from _fault_of_array("the starts of its sparse rows", X.starts, np.int32)
    stored, starts = X.stored.size, X.starts
    if X.columns.size != stored or starts.size != X.n + 1:
        yield (
            f"its sparse rows have {stored} numbers, {X.columns.size} columns and {starts.size} "
            f"starts, wanted as many columns as numbers, and {X.n + 1} starts"
        )
    elif starts[0] != 0 or starts[-1] != stored or (np.diff(starts) < 0).any():
        yield "the starts of its sparse rows do not grow from 0 to the number of stored numbers"
    elif stored and not 0 <= X.columns.min() <= X.columns.max() < X.d:
        yield f"its sparse rows have a column that is not in 0 to {X.d - 1}"
    elif np.setdiff1d(np.flatnonzero(np.diff(X.columns) <= 0) + 1, starts).size:
        yield "the columns of a sparse row do not grow"


def _faults_around(data: Data) -> Iterator[str]:
    """Yield what is wrong with target, names and what divides the rows."""
    n, target = data.n, data.target
    if isinstance(target, Breakpoints):
        if target.n != n:
            yield f"it has {n} rows and error functions for {target.n}"
    elif isinstance(target, Labels | Survival | Grades | Categories):
        yield from _faults_of_target(target, n)
    else:
        yield f"its target is {_kind(target)}, wanted one of aucbench.data.kinds.Target"
    for name, array in ties_of(data).items():
        yield from _fault_of_array(f"its {name}", array, np.int32)
        if array.size != n:
            yield f"it has {n} rows, and {name} for {array.size}"
    if data.names is not None and len(data.names) != data.d:
        yield f"it has {data.d} columns and {len(data.names)} names"


def _faults_of_target(target: Labels | Survival | Grades | Categories, n: int) -> Iterator[str]:
    arrays = {called: (getattr(target, of), dtype) for called, of, dtype in ARRAYS[type(target)]}
    if target.weights is not None:
        arrays["weights"] = target.weights, np.float64
    for called, (array, dtype) in arrays.items():
        yield from _fault_of_array(f"its {called}", array, dtype)
        if array.size != n:
            yield f"it has {n} rows and {array.size} {called}"
    try:
        _check_values(target)
        row_weights(target.weights, n)
    except DataError as error:
        yield str(error)


def _check_values(target: Labels | Survival | Grades | Categories) -> None:
    """Raise `DataError` where the values of a target are none that its constructor makes."""
    if isinstance(target, Survival):
        Survival.of(target.time, target.event)
    elif isinstance(target, Grades):
        Grades.of(target.y)
    elif isinstance(target, Labels):
        if {*np.unique(target.y).tolist()} != {-1, 1}:
            raise DataError(f"its labels are {np.unique(target.y)}, wanted -1 and 1, both of them")
    elif getattr(target.names, "dtype", np.dtype(object)).kind != "U" or target.k < FEWEST:
        raise DataError(f"it has {target.names!r} as classes, wanted three texts or more")
    elif {*np.unique(target.y).tolist()} != {*range(target.k)}:
        raise DataError(f"its classes are not the numbers from 0 to {target.k - 1}")


def _fault_of_array(what: str, array: Any, dtype: Any) -> Iterator[str]:
    wanted = f"wanted a contiguous array of one dimension of {np.dtype(dtype)}"
    if not isinstance(array, np.ndarray):
        yield f"{what} are {_kind(array)}, {wanted}"
    elif array.dtype != dtype or array.ndim != 1 or not array.flags.c_contiguous:
        yield f"{what} are {array.dtype} of shape {array.shape}, {wanted}"


def _kind(thing: Any) -> str:
    return "None" if thing is None else f"a {type(thing).__name__}"
