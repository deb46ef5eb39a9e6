"""`Column`: what one column of a table is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """What one column of a table is."""

    name: str
    kind: str
    # the texts of a category, sorted; the code of a cell is the position of its text
    levels: tuple[str, ...] = ()
    format: str = ""  # the format of dates that are text: that of `datetime.strptime`, or "ISO8601"
    distinct: int = 0  # number of different values, without missing ones
    missing: float = 0.0  # share of the cells that are missing
    # how a cell was understood that could be understood in another way, or an empty text
    remark: str = ""
