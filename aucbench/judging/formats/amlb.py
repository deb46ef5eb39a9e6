"""results.csv of the AutoML benchmark (AMLB): framework, task, fold, metric, result, info.

Some versions write the negative of a loss as `result`. So the value is taken from the column of
the metric itself, such as logloss, and `result` must be it but for the sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aucbench.errors import DataError
from aucbench.judging.files import Sheet
from aucbench.judging.metrics import NEGATIVE, direction
from aucbench.judging.options import Columns
from aucbench.judging.table import Long, long_of, numbers, require_columns, stacked, texts

NEEDED = ("framework", "task", "fold", "result")
SAME = 1e-5  # relative difference of two columns that are rounded


def fits(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of AMLB; those of its first version name no metric."""
    return {*NEEDED} <= {*names} and ("metric" in names or bool(_metrics(names)))


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the results; a framework under several constraints counts as several methods."""
    import pandas as pd

    frame = stacked(sheets)
    require_columns(frame, NEEDED, "AMLB")
    method = texts(frame["framework"])
    if "constraint" in frame.columns and frame["constraint"].nunique() > 1:
        method = method + ", " + texts(frame["constraint"])
    keys = {"method": method, "dataset": frame["task"], "fold": frame["fold"]}
    if "info" in frame.columns:
        keys["why"] = frame["info"]
    metric = _metric_of_rows(frame)
    if metric is not None and (by is None or by in {*metric} or by not in frame.columns):
        return Long(_results(frame, metric, keys))
    names = _metrics(frame.columns) if by is None or by not in frame.columns else [by]
    return Long(pd.concat([long_of(frame[name], metric=name, **keys) for name in names]))


def _metrics(names: Sequence[str]) -> list[str]:
    """Return the columns that are metrics by their names."""
    return [name for name in names if name not in NEEDED and direction(name) is not None]


def _metric_of_rows(frame: Any) -> Any:
    """Return the metric of each row; that of its task, where a row that failed names none."""
    if "metric" not in frame.columns:
        return None
    metric, task = texts(frame["metric"]).str.removeprefix(NEGATIVE), texts(frame["task"])
    known = dict(zip(task[metric != ""], metric[metric != ""], strict=True))
    return metric.where(metric != "", task.map(known).fillna(""))


def _results(frame: Any, metric: Any, keys: dict[str, Any]) -> Any:
    told = long_of(frame["result"], metric=metric, **keys)
    for name in dict.fromkeys(metric):
        at = (metric == name).to_numpy()
        if name in frame.columns:
            told.loc[at, "value"] = _own(numbers(frame[name])[at], told[at])
        elif direction(name):  # a loss is at least 0
            told.loc[at, "value"] = told.loc[at, "value"].abs()
    return told


def _own(values: Any, told: Any) -> Any:
    """Return the values of the column of the metric, which `result` must agree with."""
    result = told["value"].to_numpy()
    both = ~np.isnan(values) & ~np.isnan(result)
    apart = np.abs(np.abs(values) - np.abs(result)) > SAME * np.maximum(1.0, np.abs(values))
    for row in np.flatnonzero(both & apart):
        one = told.iloc[row]
        raise DataError(
            f"{one.method} on {one.dataset}, fold {one.fold}, has the {one.metric} "
            f"{values[row]:g} and the result {result[row]:g}; give the column with --value"
        )
    return np.where(np.isnan(result), np.nan, values)
