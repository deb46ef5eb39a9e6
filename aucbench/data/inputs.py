"""Check the rows that users give: arrays, data frames or sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Rows, float_type, rows
from aucbench.errors import DataError
from aucbench.kernels.vectors import EXACT, numeric, plain

MOST_COLUMNS = 1 << 24  # that any rows may have in a fit, which takes 128 MiB for each vector
COLUMNS_PER_VALUE = 1000  # that more of them may have


def check_rows(X: Any, dtype: Any = None) -> tuple[Rows, tuple[str, ...] | None]:
    """Return the rows of `X`, and its column names if it has any.

    `Data.of` uses this, and so does everything that takes rows without labels. The rows are stored
    as `dtype`: float64 or float32. None means float64, or as `Rows` are stored already.
    """
    if isinstance(X, Rows):
        same = dtype is None or X.dtype == float_type(dtype)
        return (X if same else rows(X.matrix, dtype)), None
    wanted = float_type(np.float64 if dtype is None else dtype)
    names = None
    if hasattr(X, "dtypes") and hasattr(X, "to_numpy"):
        names = tuple(map(str, X.columns))
        X = _frame_values(X)
    elif hasattr(X, "tocsr"):
        X = X.tocsr()
        numeric("X.data", X.data)
    else:
        X = numeric("X", X)
    checked = rows(X, wanted)
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


def _frame_values(frame: Any) -> NDArray[Any]:
    bad = [str(c) for c, t in frame.dtypes.items() if getattr(t, "kind", "O") not in "fiub"]
    if bad:
        listed = ", ".join(map(repr, bad[:5])) + (", ..." if len(bad) > 5 else "")
        raise DataError(
            f"{len(bad)} column(s) are not numeric: {listed}; drop them or encode them first"
        )
    values: NDArray[Any] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    wide = [j for j, t in enumerate(frame.dtypes) if t.kind in "iu" and t.itemsize == 8]
    if wide and not -EXACT < values.min() <= values.max() < EXACT:
        for j in wide:
            numeric(f"column {frame.columns[j]!r} of X", frame.iloc[:, j].to_numpy())
    return values


def _refuse_non_finite(X: Rows, names: tuple[str, ...] | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = X.stored.sum(dtype=np.float64)
    if np.isfinite(total):  # one fast pass: a sum with NaN or infinity in it is not finite
        return
    bad = np.flatnonzero(~np.isfinite(X.stored))
    if not bad.size:
        return  # all values are finite, only their sum overflowed
    at = int(bad[0])
    if X.columns is None or X.starts is None:
        row, column = divmod(at, X.d)
    else:
        row, column = int(np.searchsorted(X.starts, at, side="right")) - 1, int(X.columns[at])
    named = f" ({names[column]!r})" if names else ""
    raise DataError(
        f"X has {X.stored[at]} in row {row}, column {column}{named}, and {bad.size} value(s) in "
        "total that are NaN or infinite; impute or drop them first"
    )
