"""A document: headings, sentences, tables and charts, as text and Markdown; tables as LaTeX.

Design
  a. What `compare` prints, the page of a folder, a model and a reproduction are the same parts,
     and each format has one function for each kind of part. `html` has those of a page.
  b. Every name and number is escaped; no part can hand over markup.
  c. Numbers are never cut or wrapped. Where a terminal is too narrow, names lose their middle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from textwrap import wrap
from typing import TypeAlias

from aucbench.errors import shown
from aucbench.report.chart import Chart
from aucbench.report.grid import NOTHING, Grid, align_columns, shorten_name, shorten_names

WIDEST = 100  # characters of a line where stdout is no terminal
SHORTEST = 12  # characters of a name that is shortened
STRONG = 3  # first columns that are bold in the best lines
STARTS = ("#", "+", "-", "=", "~")  # of a line, which Markdown takes for a heading or a list
TEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
        "–": "--",
    }
)
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\|*_`<>[]"})


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines that are shown as they are, such as the end of a log."""

    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Parts below a heading, with a line that says who has written it."""

    title: str
    origin: str  # may be empty
    parts: tuple[Part, ...]  # a str is a paragraph; each of its lines stays a line
    is_open: bool = False  # inside of another section: whether a page shows it at once


Part: TypeAlias = "str | Grid | Chart | Listing | Section"


def describe_chart(chart: Chart) -> list[str]:
    """Return where the lines of a chart begin and end, since text has no charts."""
    lines = [f"{chart.title} ({chart.y} against {chart.x})"]
    for name in chart.lines:
        known = chart.points(name)
        ends = " to ".join(f"({x:g}, {y:g})" for x, y in dict.fromkeys((*known[:1], *known[-1:])))
        lines.append(f"{name}: {len(known)} points{f', {ends}' if ends else ''}")
    return lines


def text(
    parts: Sequence[Part], width: int | None = None, strong: Callable[[str], str] = str
) -> str:
    """Return parts as lines without control characters.

    `width` is that of the terminal; without one, no name is cut. `strong` makes a line of a table
    stand out.
    """
    return "\n\n".join(_text(part, width, strong) for part in parts)


def _text(part: Part, width: int | None, strong: Callable[[str], str]) -> str:
    if isinstance(part, Grid):
        return "\n".join([*_heading(part, width), *_text_lines(part, width, strong)])
    if isinstance(part, Section):
        head = "\n".join([shown(part.title), *_wrapped(part.origin, width)])
        return "\n\n".join([head, *(_text(one, width, strong) for one in part.parts)])
    if isinstance(part, Listing):
        return "\n".join(map(shown, part.text.splitlines()))
    lines = describe_chart(part) if isinstance(part, Chart) else part.splitlines()
    return "\n".join(line for one in lines for line in _wrapped(one, width))


def _wrapped(line: str, width: int | None, indent: str = "  ") -> list[str]:
    return wrap(shown(line), width or WIDEST, initial_indent="  ", subsequent_indent=indent)


def _heading(grid: Grid, width: int | None) -> list[str]:
    title = shown(grid.title)
    if width is not None and len(title) > width:
        name, _, facts = title.partition(": ")
        title = f"{shorten_name(name, max(SHORTEST, width - len(facts) - 2))}: {facts}"
    facts_below = [line for fact in grid.facts for line in _wrapped(fact, width, "    ")]
    return [*([title] if title else []), *facts_below]


def _text_lines(grid: Grid, width: int | None, strong: Callable[[str], str]) -> list[str]:
    lines, place = [[*grid.header], *grid.texts], grid.names
    head, *body = align_columns(lines, grid.right).split("\n")
    too_long = max(map(len, (head, *body))) - (width or inf)
    if place is not None and too_long > 0:
        names = [shown(line[place]) for line in lines]
        names = shorten_names(names, max(SHORTEST, max(map(len, names)) - int(too_long)))
        for line, name in zip(lines, names, strict=True):
            line[place] = name
        head, *body = align_columns(lines, grid.right).split("\n")
    flagged = zip_longest(body, grid.best, fillvalue=False)
    return [head, *(strong(str(line)) if flag else str(line) for line, flag in flagged)]


def markdown(parts: Sequence[Part]) -> str:
    """Return parts in Markdown."""
    return "\n\n".join(block for part in parts for block in _markdown(part))


def _markdown(part: Part) -> list[str]:
    if isinstance(part, Section):
        head = [f"## {marked(part.title)}", *([marked(part.origin)] if part.origin else [])]
        return [*head, markdown(part.parts)] if part.parts else head
    if isinstance(part, Grid):
        title = [marked(part.title)] if part.title else []
        facts = ["\n".join(f"- {_escaped(fact)}" for fact in part.facts)] if part.facts else []
        rule = ["---:" if j in part.right else "---" for j in range(len(part.header))]
        lines = _bold(part, _escaped, "**{}**")
        rows = [map(_escaped, part.header), rule, *lines]
        return [*title, *facts, "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    if isinstance(part, Listing):
        return ["\n".join(f"    {shown(line)}" for line in part.text.splitlines())]
    if isinstance(part, Chart):
        first, *more = map(marked, describe_chart(part))
        return [first, "\n".join(f"- {line}" for line in more)]
    return ["\n".join(map(marked, part.splitlines()))]


def marked(text: str) -> str:
    """Return a line that means itself in Markdown."""
    escaped = _escaped(text)
    return rf"\{escaped}" if escaped[:1] in STARTS and escaped != NOTHING else escaped


def _escaped(text: str) -> str:
    return shown(text).translate(MARKDOWN)


def _bold(grid: Grid, escaped: Callable[[str], str], form: str) -> list[list[str]]:
    """Return the lines of a table in a format, with the first columns of the best ones in bold."""
    lines = [[*map(escaped, line)] for line in grid.texts]
    for line, best in zip(lines, grid.best, strict=False):
        if best:
            line[:STRONG] = [form.format(cell) if cell else cell for cell in line[:STRONG]]
    return lines


def tex(grids: Sequence[Grid]) -> str:
    """Return tables in LaTeX, for the package booktabs."""
    return "\n\n".join(map(_tex, grids))


def _tex(part: Grid) -> str:
    sides = "".join("r" if j in part.right else "l" for j in range(len(part.header)))
    rows = [[*map(texed, part.header)], *_bold(part, texed, r"\textbf{{{}}}")]
    top, *lines = (rf"{' & '.join(row)} \\" for row in rows)
    notes = (f"% {shown(line)}" for line in (part.title, *part.facts) if line)
    body = (r"\toprule", top, r"\midrule", *lines, r"\bottomrule")
    table = (rf"\begin{{tabular}}{{{sides}}}", *body, r"\end{tabular}")
    return "\n".join([*notes, *table])


def texed(text: str) -> str:
    """Return a text as LaTeX shows it."""
    return shown(text).translate(TEX)
