"""`cv_results_` of a search of scikit-learn: a row for each point, a column for each split.

All scorers of scikit-learn are larger for a better model; those of losses begin with neg_.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from aucbench.errors import DataError
from aucbench.judging.files import Sheet
from aucbench.judging.metrics import UNNAMED
from aucbench.judging.options import Columns
from aucbench.judging.table import Long, long_of, texts

SPLIT = re.compile(r"split(\d+)_test_(.+)")
PARAM = "param_"
PARAMS = "params"


def fits(names: Sequence[str], asked: Columns) -> bool:
    """Whether a column has the scores of a split."""
    return any(map(SPLIT.fullmatch, names))


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the scores; each file is a data set of its own."""
    import pandas as pd

    parts, points = [], 0
    for sheet in sheets:
        methods = pd.Series(_methods(sheet.frame))
        points = max(points, len(methods))
        for name in sheet.columns:
            if found := SPLIT.fullmatch(name):
                fold, metric = found.groups()
                told = (by or "") if metric in UNNAMED else metric
                own = {"dataset": sheet.name, "metric": told, "fold": fold}
                parts.append(long_of(sheet.frame[name], method=methods, **own))
    if not parts:
        raise DataError("no column has the scores of a split, such as split0_test_score")
    remark = (
        f"A grid of {points} points pays for {points} methods: a smaller one, chosen before, shows "
        "smaller differences."
    )
    return Long(pd.concat(parts, ignore_index=True), smaller=False, remarks=(remark,))


def _methods(frame: Any) -> list[str]:
    """Return the parameters of each row as a text; its number where the table has none."""
    if PARAMS in frame.columns:
        return [_point(one) for one in frame[PARAMS]]
    columns = [name for name in frame.columns if name.startswith(PARAM)]
    if not columns:
        return [f"row {number}" for number in range(len(frame))]
    told = {name.removeprefix(PARAM): texts(frame[name]) for name in columns}
    return [
        ", ".join(f"{name}={column.iloc[row]}" for name, column in told.items() if column.iloc[row])
        for row in range(len(frame))
    ]


def _point(params: Any) -> str:
    """Return parameters as in C=1, penalty=l2; those of a text file are written as Python does."""
    if isinstance(params, Mapping):
        return ", ".join(f"{name}={value}" for name, value in params.items()) or "its defaults"
    plain = str(params).strip().removeprefix("{").removesuffix("}")
    return re.sub(r"'(\w+)': '?([^',]*)'?", r"\1=\2", plain) or "its defaults"
