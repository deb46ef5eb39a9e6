"""The table of results: a terminal, a page, a notebook, Markdown and LaTeX show this one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TypeAlias

from aucbench.errors import ParameterError, shown

SCREEN = 30  # lines of a table that fits a screen
NOTHING = "-"  # a number that is not known
Value: TypeAlias = str | float | None
Span: TypeAlias = tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts and numbers.

    Attributes
    ----------
    header : sequence of str
    lines : sequence of sequences of str, float or None
        Each as long as the header. None and NaN are shown as a dash.
    forms : sequence of str
        The format of the numbers of each column, such as ".4f". An empty format gives six
        significant digits; without formats, all columns have these.
    numeric : collection of int, optional
        Columns that are aligned right and sorted as numbers. Default: those without texts.
    title : str
        The content of the table, if the text before it does not say it.
    facts : sequence of str
        What else is to be known; a line each.
    best : sequence of bool
        Lines that stand out; empty if none does.
    names : int, optional
        The column whose texts lose their middle in a narrow terminal.
    details : sequence of sequences of str
        The interval of each cell, or another remark on it, for a page; empty if there is none.
    spans : sequence of (float, float, float) or None
        Low, value and high of each line, which a page plots in a last column.
    shades : sequence of sequences of float or None
        How a page shades each cell, from -1 to 1: a heat map.
    styles : sequence of int
        The number of the style by which the charts of a page show each line.

    Raises
    ------
    ParameterError
        When a line is shorter or longer than the header.
    """

    header: Sequence[str]
    lines: Sequence[Sequence[Value]]
    forms: Sequence[str] = ()
    numeric: Collection[int] | None = None
    title: str = ""
    facts: Sequence[str] = ()
    best: Sequence[bool] = ()
    names: int | None = None
    details: Sequence[Sequence[str]] = ()
    spans: Sequence[Span] = ()
    shades: Sequence[Sequence[float | None]] = ()
    styles: Sequence[int] = ()

    def __post_init__(self) -> None:
        for line in self.lines:
            if len(line) != len(self.header):
                raise ParameterError(
                    f"a line of a table has {len(line)} cells, and its header {len(self.header)}"
                )
        for name in ("header", "facts", "best"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("lines", "details", "shades"):
            object.__setattr__(self, name, tuple(map(tuple, getattr(self, name))))

    @property
    def right(self) -> frozenset[int]:
        """The columns that are aligned right."""
        if self.numeric is not None:
            return frozenset(self.numeric)
        columns = enumerate(zip(*self.lines, strict=True))
        return frozenset(j for j, column in columns if not any(isinstance(x, str) for x in column))

    @property
    def texts(self) -> list[list[str]]:
        """The lines as texts, with the digits that are chosen."""
        forms = self.forms or [""] * len(self.header)
        return [[*map(_format_value, line, forms)] for line in self.lines]

    def first(self) -> Grid:
        """Return a table that fits a screen, with a fact that says how many lines it has."""
        if len(self.lines) <= SCREEN:
            return self
        fact = f"the first {SCREEN} of {len(self.lines)} lines"
        return replace(self, lines=self.lines[:SCREEN], facts=(*self.facts, fact))


def _format_value(value: Value, form: str) -> str:
    if isinstance(value, str):
        return value
    if value is None or isnan(value):
        return NOTHING
    return str(value) if isinstance(value, int) and not form else format(value, form or ".6g")


def align_columns(lines: Iterable[Sequence[str]], right: Collection[int] = ()) -> str:
    """Return lines with their columns aligned, two spaces apart; those in `right` to the right."""
    table = [[shown(text) for text in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if j in right else text.ljust(width)
            for j, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )


def shorten_names(names: Sequence[str], room: int) -> list[str]:
    """Return names of at most `room` characters; whole ones if two would become the same."""
    short = [shorten_name(name, room) for name in names]
    return short if len({*short}) == len({*names}) else [*names]


def shorten_name(name: str, room: int) -> str:
    """Return a name of at most `room` characters; one that is longer loses its middle."""
    if len(name) <= room:
        return name
    end = (room - 1) // 2
    return f"{name[: room - 1 - end]}…{name[len(name) - end :]}"
