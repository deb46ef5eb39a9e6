"""Long tables: one value in each row, or a column for each metric."""

from __future__ import annotations

from collections.abc import Sequence

from aucbench.judging.files import Sheet
from aucbench.judging.metrics import UNNAMED, direction, plain
from aucbench.judging.options import Columns
from aucbench.judging.roles import column_of, roles_of
from aucbench.judging.table import Long, long_of, stacked, texts

ERROR = "metric_error"  # a column: what a metric lacks to its best value


def fits(names: Sequence[str], asked: Columns) -> bool:
    """Whether a column has the methods."""
    return "method" in roles_of(names, asked)


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the values; without a column of data sets all of a file are of one."""
    import pandas as pd

    frame = stacked(sheets)
    names = [*frame.columns]
    roles = roles_of(names, asked)
    column_of("method", "methods", roles, names)
    own = {role: frame[column] for role, column in roles.items() if role not in ("value", "metric")}
    if "dataset" not in roles:
        own["dataset"] = pd.Series(
            [sheet.name for sheet in sheets for _ in range(len(sheet.frame))]
        )
    metric = texts(frame[roles["metric"]]) if "metric" in roles else None
    parts = []
    for column in _values(names, roles, by):
        name = column if metric is None else metric
        if metric is not None and plain(column) == ERROR:
            name = metric + "_error"
        parts.append(long_of(frame[column], metric=name, **own))
    return Long(pd.concat(parts, ignore_index=True))


def _values(names: Sequence[str], roles: dict[str, str], by: str | None) -> list[str]:
    """Return the columns of the values: the one of this role, or else those named as metrics."""
    taken = {column for role, column in roles.items() if role != "value"}
    asked = [by] if by is not None and by in names and by not in taken else []
    if "value" in roles:
        return asked or [roles["value"]]
    free = [name for name in names if name not in taken and plain(name) not in UNNAMED]
    metrics = [name for name in free if direction(name) is not None or name in asked]
    return metrics or [column_of("value", "values", roles, names)]
