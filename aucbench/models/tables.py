"""Tables that an estimator gets: text, dates and missing cells become codes, as in `fit`.

An array with missing or other cells is a table whose columns have numbers as names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.data.arrays import Rows
from aucbench.datasets.memory import frame_of, is_table
from aucbench.datasets.tables import Schema, is_numeric
from aucbench.kernels.vectors import plain


def plain_frame(X: Any) -> Any:
    """Return a table of polars or pyarrow as one of pandas; anything else as it is."""
    return frame_of(X) if is_table(X) and not hasattr(X, "iloc") else X


def plain_column(y: Any) -> Any:
    """Return a column of polars or pyarrow as an array; anything else as it is."""
    own = hasattr(y, "to_numpy") and not hasattr(y, "iloc") and not hasattr(y, "columns")
    return np.asarray(y) if own else y


def table_of(X: Any) -> Any:
    """Return rows as a frame where they are no plain matrix of finite numbers; else None.

    Numbers that are infinite are no table: who takes the matrix says where they are.
    """
    if isinstance(X, Rows) or hasattr(X, "tocsr"):
        return None
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return None if is_numeric(X) else frame_of(X)
    array = plain("X", X)
    if array.ndim != 2 or not array.size or not _has_gaps(array):
        return None
    import pandas as pd

    frame = pd.DataFrame(array, columns=[*map(str, range(array.shape[1]))])
    return frame.convert_dtypes() if array.dtype.kind == "O" else frame


def coded(X: Any, schema: Schema) -> tuple[Any, Schema]:
    """Return the codes of rows by a schema that is known, and the schema with their free texts."""
    frame = table_of(X)
    if frame is None:
        import pandas as pd

        table = hasattr(X, "iloc")
        names = None if table else [*map(str, range(np.shape(X)[1]))]
        frame = frame_of(X) if table else pd.DataFrame(plain("X", X), columns=names)
    schema = schema.bound(frame)
    return schema.codes(frame), schema


def _has_gaps(array: Any) -> bool:
    if array.dtype.kind == "f":
        return bool(np.isnan(array.sum())) and not np.isinf(array).any()
    if array.dtype.kind in "UT":
        return True
    texts = (isinstance(value, str) or value is None for value in array.flat)
    return array.dtype.kind == "O" and any(texts)
