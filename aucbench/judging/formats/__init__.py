"""The formats of tables of results, and how one is known by its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.judging.files import Sheet
from aucbench.judging.formats import amlb, benchopt, cv_results, long, tabarena, wide
from aucbench.judging.options import Columns
from aucbench.judging.roles import ROLES
from aucbench.judging.table import Long

AUTO = "auto"
Rows = Callable[[Sequence[Sheet], Columns, str | None], Long]
READERS: dict[str, Rows] = {
    "long": long.rows,
    "wide": wide.rows,
    "benchopt": benchopt.rows,
    "amlb": amlb.rows,
    "tabarena": tabarena.rows,
    "sklearn": cv_results.rows,
}
# The columns that can be named; the others have the names of their tools.
TAKES: dict[str, tuple[str, ...]] = {
    "long": ROLES,
    "wide": ("dataset", "fold", "repeat", "family"),
    "tabarena": ("method", "dataset", "fold", "repeat", "metric"),
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
    chosen = next(iter(forms.values()))
    if others := _not_taken(chosen, asked):
        raise ParameterError(
            f"--{others[0]} cannot name a column in the format {chosen}, which has its own; leave "
            "it out, or give --from long"
        )
    return READERS[chosen](sheets, asked, by)


def _not_taken(form: str, asked: Columns) -> list[str]:
    """Return the roles that are asked for, and that a format does not take."""
    known = TAKES.get(form, ())
    return [role for role in ROLES if getattr(asked, role) is not None and role not in known]


def _form(sheet: Sheet, asked: Columns) -> str:
    for name, tool in TOOLS.items():
        if not _not_taken(name, asked) and tool.fits(sheet.columns, asked):
            return name
    return "long" if long.fits(sheet.columns, asked) or asked.value else "wide"
