"""`Column`: what one column of a table is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """What one column of a table is.

    Attributes
    ----------
    name : str
    kind : "numeric", "boolean", "category" or "date"
    levels : tuple of str
        The texts of a category, sorted; the code of a cell is the position of its text.
    format : str
        The format of dates that are text: that of `datetime.strptime`, or "ISO8601".
    distinct : int
        Number of different values, without missing ones.
    missing : float
        Share of the cells that are missing.
    remark : str
        How a cell was understood that could be understood in another way, or an empty text.
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    format: str = ""
    distinct: int = 0
    missing: float = 0.0
    remark: str = ""
