"""The formats of tables of results, and how one is known by its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucbench.errors import DataError, UnknownNameError
from aucbench.judging.files import Sheet
from aucbench.judging.formats import amlb, benchopt, cv_results, long, tabarena, wide
from aucbench.judging.options import Columns
from aucbench.judging.table import Long

AUTO = "auto"
NO_COLUMNS = Columns()
Rows = Callable[[Sequence[Sheet], Columns, str | None], Long]
READERS: dict[str, Rows] = {
    "long": long.rows,
    "wide": wide.rows,
    "benchopt": benchopt.rows,
    "amlb": amlb.rows,
    "tabarena": tabarena.rows,
    "sklearn": cv_results.rows,
}
# The first one that fits; tools are known by their columns, unless others are asked for.
TOOLS = {"sklearn": cv_results, "benchopt": benchopt, "tabarena": tabarena, "amlb": amlb}


def long_table(sheets: Sequence[Sheet], form: str, asked: Columns, by: str | None) -> Long:
    """Return the single values of tables of one format.

    Raises
    ------
    UnknownNameError
        When there is no such format.
    DataError
        When tables are of different formats, or hold something else than this one.
    """
    if form != AUTO and form not in READERS:
        raise UnknownNameError("format", form, (AUTO, *READERS))
    forms = {sheet.name: form if form != AUTO else _form(sheet, asked) for sheet in sheets}
    if len({*forms.values()}) > 1:
        told = ", ".join(f"{name} {one}" for name, one in forms.items())
        raise DataError(f"the files are of different formats: {told}; judge them one by one")
    return READERS[next(iter(forms.values()))](sheets, asked, by)


def _form(sheet: Sheet, asked: Columns) -> str:
    if asked == NO_COLUMNS:
        for name, tool in TOOLS.items():
            if tool.fits(sheet.columns, asked):
                return name
    return "long" if long.fits(sheet.columns, asked) or asked.value else "wide"
