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

NEEDED = ("framework", "task", "fold", "metric", "result")
SAME = 1e-5  # relative difference of two columns that are rounded


def fits(names: Sequence[str], asked: Columns) -> bool:
    """Whether it has the columns of AMLB."""
    return {*NEEDED} <= {*names}


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the results; a framework under several constraints counts as several methods."""
    frame = stacked(sheets)
    require_columns(frame, NEEDED, "AMLB")
    method = texts(frame["framework"])
    if "constraint" in frame.columns and frame["constraint"].nunique() > 1:
        method = method + ", " + texts(frame["constraint"])
    metric = texts(frame["metric"]).str.removeprefix(NEGATIVE)
    own = {"method": method, "dataset": frame["task"], "fold": frame["fold"]}
    if "info" in frame.columns:
        own["why"] = frame["info"]
    if by is not None and by not in {*metric} and by in frame.columns:
        return Long(long_of(frame[by], metric=by, **own))
    told = long_of(frame["result"], metric=metric, **own)
    for name in dict.fromkeys(metric):
        at = (metric == name).to_numpy()
        if name in frame.columns:
            told.loc[at, "value"] = _own(numbers(frame[name])[at], told[at])
        elif direction(name):  # a loss is at least 0
            told.loc[at, "value"] = told.loc[at, "value"].abs()
    return Long(told)


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
