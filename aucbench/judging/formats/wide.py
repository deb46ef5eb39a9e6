"""Wide tables: a row for each data set, or for each fold, and a column for each method."""

from __future__ import annotations

from collections.abc import Sequence

from aucbench.errors import DataError
from aucbench.judging.files import Sheet
from aucbench.judging.options import Columns
from aucbench.judging.roles import DATASET, FOLD, REPEAT, roles_of
from aucbench.judging.table import Long, long_of, stacked

USUAL = {"dataset": DATASET, "fold": FOLD, "repeat": REPEAT}


def rows(sheets: Sequence[Sheet], asked: Columns, by: str | None) -> Long:
    """Return the values; the first column has the data sets, unless one is named so."""
    import pandas as pd

    frame = stacked(sheets)
    names = [*frame.columns]
    roles = roles_of(names, asked, USUAL)
    if not {"dataset", "fold"} & {*roles}:
        roles["dataset"] = next(name for name in names if name not in roles.values())
    own = {role: frame[column] for role, column in roles.items()}
    if "dataset" not in roles:
        own["dataset"] = pd.Series(
            [sheet.name for sheet in sheets for _ in range(len(sheet.frame))]
        )
    methods = [name for name in names if name not in roles.values()]
    try:
        parts = [long_of(frame[name], **own, method=name, metric=by or "") for name in methods]
    except DataError as error:
        raise DataError(
            f"{error}; each of the columns {', '.join(methods)} is read as a method, since none is "
            "known to hold their names: --method names it in a table with one value in each row"
        ) from error
    if not parts:
        raise DataError(f"it has the columns {', '.join(names)} and none of a method")
    return Long(pd.concat(parts, ignore_index=True))
