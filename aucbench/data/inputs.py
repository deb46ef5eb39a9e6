"""Check the rows that users give: arrays, data frames or sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import FLOATS, Index, Rows, float_type, rows
from aucbench.data.layouts import PIECE
from aucbench.errors import DataError
from aucbench.stats.vectors import numeric, plain

MOST_COLUMNS = 1 << 24  # that any rows may have in a fit, which takes 128 MiB for each vector
# Types of columns that float32 has exactly.
SINGLE = tuple(map(np.dtype, ("float32", "int8", "uint8", "int16", "uint16", "bool")))
FEWEST_ROWS = 2048  # of a piece of a table
COLUMNS_PER_VALUE = 1000  # that more of them may have


def check_rows(X: Any, dtype: Any = None) -> tuple[Rows, tuple[str, ...] | None]:
    """Return the rows of `X`, and its column names if it has any.

    `Data.of` uses this, and so does everything that takes rows without labels. The rows are stored
    as `dtype`: float64 or float32. None means float64, or as `Rows` are stored already. Zeros that
    a sparse matrix stores are left out of it.
    """
    if isinstance(X, Rows):
        same = dtype is None or X.stored.dtype == float_type(dtype)
        return _without_zeros(X if same else rows(X.matrix, dtype)), None
    wanted = float_type(np.float64 if dtype is None else dtype)
    names = None
    if hasattr(X, "dtypes") and hasattr(X, "to_numpy"):
        names = tuple(map(str, X.columns))
        X = _frame_values(X, wanted)
    elif hasattr(X, "tocsr"):
        X = X.tocsr()
        numeric("X.data", X.data)
    else:
        X = numeric("X", X)
    checked = _without_zeros(rows(X, wanted))
    if not checked.n or not checked.d:
        raise DataError(
            f"X is empty: {checked.n} rows, {checked.d} columns; give at least one of each"
        )
    _refuse_non_finite(checked, names)
    return checked, names


def require_filled(X: Rows, name: str = "X") -> None:
    """Check that rows do not have far more columns than values, before a fit.

    A fit keeps several numbers for each column, also for those in which no row has a value.
    """
    most = max(MOST_COLUMNS, COLUMNS_PER_VALUE * X.stored.size)
    if X.d > most:
        raise DataError(
            f"{name} has {X.d} columns and {X.stored.size} values in them; a fit keeps numbers for "
            f"each column, and takes at most {most} columns here; number the columns without gaps"
        )


def feature_numbers(relevant: Any, d: int) -> Index | None:
    """Return numbers of features, ascending and each once; None for None."""
    if relevant is None:
        return None
    numbers = np.unique(plain("relevant", relevant))
    whole = numbers.dtype.kind in "iu" and numbers.size
    if not whole or numbers[0] < 0 or numbers[-1] >= d:
        raise DataError(
            f"relevant features are numbers from 0 to {d - 1}, got {relevant!r}; leave them out "
            "where they are not known"
        )
    return numbers.astype(np.int32)


def stored_type(X: Any) -> np.dtype[Any] | None:
    """Return float32 for numbers of a source that are float32; None, the usual type, for others.

    In a table, whole numbers of at most 16 bits and truth values, which float32 has exactly, may
    stand beside columns of float32.
    """
    is_frame = hasattr(X, "dtypes") and hasattr(X, "iloc")
    types = [*X.dtypes] if is_frame else [(X.stored if isinstance(X, Rows) else X).dtype]
    single = np.float32 in types and all(kind in SINGLE for kind in types)
    return np.dtype(np.float32) if single else None


def _without_zeros(X: Rows) -> Rows:
    """Return the rows without the zeros that CSR stores; themselves where there are none."""
    if X.columns is None or X.starts is None or (filled := X.stored != 0.0).all():
        return X
    starts = np.concatenate([[0], np.cumsum(filled)])[X.starts].astype(np.int32)
    return Rows(X.stored[filled], X.columns[filled], starts, X.n, X.d)


def _frame_values(frame: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    bad = [str(c) for c, t in frame.dtypes.items() if getattr(t, "kind", "O") not in "fiub"]
    if bad:
        listed = ", ".join(map(repr, bad[:5])) + (", ..." if len(bad) > 5 else "")
        raise DataError(
            f"{len(bad)} column(s) are not numeric: {listed}; drop them or encode them first"
        )
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    for name, column in zip(frame.columns, columns, strict=True):
        if column.dtype.kind in "iu" and column.dtype.itemsize == 8:
            numeric(f"column {name!r} of X", column.to_numpy())
    plain_columns = [*map(_plain_column, columns)]
    if plain_columns and plain_columns[0].strides[0] != plain_columns[0].itemsize:
        values: NDArray[Any] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
        return values  # a view, where all columns are parts of one matrix
    single = dtype == np.float32 and all(column.dtype in SINGLE for column in columns)
    return _interleaved(plain_columns, len(frame), dtype if single else FLOATS[0])


def _plain_column(column: Any) -> NDArray[Any]:
    """Return the numbers of a column without a copy, unless its type has marks of gaps."""
    plain: NDArray[Any] = (
        column.to_numpy()
        if isinstance(column.dtype, np.dtype)
        else column.to_numpy(dtype=np.float64, na_value=np.nan)
    )
    return plain


def _interleaved(
    columns: Sequence[NDArray[Any]], n: int, dtype: np.dtype[Any]
) -> NDArray[np.float64] | NDArray[np.float32]:
    """Return columns as a matrix in C order, filled in pieces that stay in the cache."""
    matrix = np.empty((n, len(columns)), dtype)
    step = max(FEWEST_ROWS, PIECE // (4 * max(1, len(columns))))
    for lo in range(0, n, step):
        for j, column in enumerate(columns):
            matrix[lo : lo + step, j] = column[lo : lo + step]
    return matrix


def _refuse_non_finite(X: Rows, names: tuple[str, ...] | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = X.stored.sum(dtype=np.float64)
    if np.isfinite(total):  # one fast pass: a sum with NaN or infinity in it is not finite
        return
    bad = np.flatnonzero(~np.isfinite(X.stored))
    if not bad.size:
        return  # all values are finite, only their sum overflowed
    missing = np.isnan(X.stored[bad])
    firsts = [int(bad[of][0]) for of in (missing, ~missing) if of.any()]
    found = " and ".join(f"{X.stored[at]} {_place(X, at, names)}" for at in firsts)
    raise DataError(
        f"X has {found}, and {bad.size} value(s) in total that are NaN or infinite; impute or drop "
        "them first"
    )


def _place(X: Rows, at: int, names: tuple[str, ...] | None) -> str:
    """Return where a stored value is."""
    if X.columns is None or X.starts is None:
        row, column = divmod(at, X.d)
    else:
        row, column = int(np.searchsorted(X.starts, at, side="right")) - 1, int(X.columns[at])
    return f"in row {row}, column {column}" + (f" ({names[column]!r})" if names else "")
