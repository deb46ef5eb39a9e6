"""Results of benchopt: a Parquet file with a row for each point of each curve.

The columns are those of version 1.10: objective_name, solver_name, dataset_name, stop_val,
idx_rep, and objective_... for each value. Earlier versions write data_name for dataset_name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aucbench.errors import DataError
from aucbench.judging.files import Sheet
from aucbench.judging.options import Columns
from aucbench.judging.table import Long, long_of, numbers, require_columns, stacked, texts

NEEDED = ("solver_name", "stop_val")
DATA = ("dataset_name", "data_name")
START = "objective_"
NAME, VALUE = "objective_name", "objective_value"
DIVERGED = "The last value of the curve is infinite."


def fits(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of benchopt."""
    known = {*NEEDED} <= {*names} and bool({*DATA} & {*names})
    return known and any(name.startswith(START) for name in names)


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the last point of each curve."""
    import pandas as pd

    frame = stacked(sheets)
    data = next((name for name in DATA if name in frame.columns), DATA[0])
    require_columns(frame, (*NEEDED, data), "benchopt")
    dataset = texts(frame[data])
    if NAME in frame.columns and frame[NAME].nunique() > 1:
        dataset = dataset + ", " + texts(frame[NAME])
    repeat = texts(frame["idx_rep"]) if "idx_rep" in frame.columns else pd.Series("", frame.index)
    keys = [texts(frame["solver_name"]), dataset, repeat]
    steps = pd.Series(numbers(frame["stop_val"]), frame.index).fillna(-1.0)
    last = steps.groupby(keys, sort=False).idxmax().to_numpy()
    curves = {"method": keys[0][last], "dataset": dataset[last], "repeat": repeat[last]}
    parts = []
    for name in frame.columns:
        if name.startswith(START) and name != NAME and _is_numeric(frame[name]):
            metric = name if name == VALUE else name.removeprefix(START)
            parts.append(_values(frame.loc[last, name], metric, curves))
    if not parts:
        raise DataError(f"no column of numbers begins with {START}, so that it has no value")
    return Long(pd.concat(parts, ignore_index=True))


def _values(column: Any, metric: str, curves: dict[str, Any]) -> Any:
    values = column.astype(np.float64)
    infinite = np.isinf(values)
    why = infinite.map({True: DIVERGED, False: ""})
    return long_of(values.mask(infinite), metric=metric, why=why, **curves)


def _is_numeric(column: Any) -> bool:
    from pandas.api.types import is_numeric_dtype

    return bool(is_numeric_dtype(column.dtype))
