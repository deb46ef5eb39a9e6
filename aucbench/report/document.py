"""A document: headings, sentences, tables and charts, as text and Markdown; tables as LaTeX.

Design
  a. What `compare` prints, a model and a reproduction are the same parts, and each
     format has one function for each kind of part. HTML has the template `sections.html`.
  b. Every name and number is escaped; no part can hand over markup.
  c. Numbers are never cut or wrapped. Where a terminal is too narrow, names lose their middle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import inf, isnan
from textwrap import wrap
from typing import TypeAlias

from aucbench.bench.text import aligned
from aucbench.data import showing
from aucbench.errors import shown
from aucbench.report.sections import Chart, Table

NOTHING = "-"
Cell: TypeAlias = str | float | None
WIDEST = 100  # characters of a line where stdout is no terminal
SHORTEST = 12  # characters of a name that is shortened
BLOCKS = "▁▂▃▄▅▆▇█"
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
class Grid:
    """A table whose digits are chosen."""

    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    right: Collection[int]  # the columns of numbers, which are aligned right
    title: str = ""  # what it is about; empty where the text before it says it
    facts: tuple[str, ...] = ()  # what else is to be known; a line each
    best: tuple[bool, ...] = ()  # which lines stand out; empty if none does
    names: int | None = None  # the column whose texts lose their middle in a narrow terminal
    keys: tuple[tuple[str, ...], ...] = ()  # by which a page sorts the lines
    # The interval of each cell and a note on it, or empty texts; a page shows them beside it.
    ranges: tuple[tuple[str, ...], ...] = ()
    notes: tuple[tuple[str, ...], ...] = ()
    # Low, value and high of each line, or None, which a page draws in a last column.
    spans: tuple[tuple[float, float, float] | None, ...] = ()
    # How a page shades each cell, from -1 to 1: a heat map.
    shades: tuple[tuple[float | None, ...], ...] = ()

    @property
    def bars(self) -> list[tuple[float, float, float] | None]:
        """Begin, width and point of each span, in per cent of the room from the least to the most.

        The room reaches from the least to the largest of all of them.
        """
        ends = [x for span in self.spans if span for x in span]
        low, room = min(ends, default=0.0), (max(ends, default=1.0) - min(ends, default=0.0)) or 1.0
        scale = 100.0 / room
        return [
            span and (scale * (span[0] - low), scale * (span[2] - span[0]), scale * (span[1] - low))
            for span in self.spans
        ]

    @staticmethod
    def of(table: Table) -> Grid:
        """Choose six significant digits."""
        columns = enumerate(zip(*table.rows, strict=True))
        return Grid(
            tuple(table.header),
            tuple(tuple(map(_cell, row)) for row in table.rows),
            [j for j, column in columns if not any(isinstance(x, str) for x in column)],
            keys=tuple(tuple("" if x is None else str(x) for x in row) for row in table.rows),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """Parts below a heading, with a line that says who has written it."""

    title: str
    origin: str  # may be empty
    parts: tuple[str | Grid | Chart, ...]  # a str is a paragraph; each of its lines stays a line


Part: TypeAlias = str | Grid | Chart | Section


def _cell(value: str | float | None) -> str:
    if value is None:
        return NOTHING
    return str(value) if isinstance(value, str | int) else format(value, ".6g")


def _lines(part: str | Chart) -> list[str]:
    """Return the lines of a paragraph, or where those of a chart begin and end: a page draws it."""
    if isinstance(part, str):
        return part.splitlines()
    told = [f"{part.title} ({part.y} against {part.x})"]
    for name, (xs, ys) in part.lines.items():
        known = [(x, y) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None]
        ends = " to ".join(f"({x:g}, {y:g})" for x, y in dict.fromkeys((*known[:1], *known[-1:])))
        told.append(f"{name}: {len(known)} points{f', {ends}' if ends else ''}")
    return told


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
    return "\n".join(line for told in _lines(part) for line in _wrapped(told, width))


def _wrapped(line: str, width: int | None, indent: str = "  ") -> list[str]:
    return wrap(shown(line), width or WIDEST, initial_indent="  ", subsequent_indent=indent)


def _heading(grid: Grid, width: int | None) -> list[str]:
    title = shown(grid.title)
    if width is not None and len(title) > width:
        name, _, facts = title.partition(": ")
        title = f"{shortened(name, max(SHORTEST, width - len(facts) - 2))}: {facts}"
    facts_told = [line for fact in grid.facts for line in _wrapped(fact, width, "    ")]
    return [*([title] if title else []), *facts_told]


def _text_lines(grid: Grid, width: int | None, strong: Callable[[str], str]) -> list[str]:
    lines, place = [grid.header, *grid.lines], grid.names
    head, *told = aligned(lines, grid.right).split("\n")
    too_long = max(map(len, (head, *told))) - (width or inf)
    if place is not None and too_long > 0:
        names = [shown(line[place]) for line in lines]
        names = cut(names, max(SHORTEST, max(map(len, names)) - int(too_long)))
        lines = [
            (*line[:place], name, *line[place + 1 :])
            for line, name in zip(lines, names, strict=True)
        ]
        head, *told = aligned(lines, grid.right).split("\n")
    flagged = zip_longest(told, grid.best, fillvalue=False)
    return [head, *(strong(str(line)) if flag else str(line) for line, flag in flagged)]


def cut(names: Sequence[str], room: int) -> list[str]:
    """Return names of at most `room` characters; whole ones where two would become the same."""
    short = [shortened(name, room) for name in names]
    return short if len({*short}) == len({*names}) else [*names]


def shortened(name: str, room: int) -> str:
    """Return a name of at most `room` characters; one that is longer loses its middle."""
    if len(name) <= room:
        return name
    end = (room - 1) // 2
    return f"{name[: room - 1 - end]}…{name[len(name) - end :]}"


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """Return one block for each value, from the lowest at `low` to the highest at `high`."""
    room = (high - low) or 1.0
    steps = (round((len(BLOCKS) - 1) * (value - low) / room) for value in values)
    return "".join(BLOCKS[min(max(step, 0), len(BLOCKS) - 1)] for step in steps)


def fragment(parts: Sequence[Part]) -> str:
    """Return parts as a piece of HTML without scripts, for a notebook; a section is folded."""
    return "".join(map(_fragment, parts))


def _fragment(part: Part) -> str:
    if isinstance(part, Section):
        return showing.folded(part.title, fragment(part.parts))
    if isinstance(part, Grid):
        table = showing.grid(part.header, part.lines, part.right, part.best)
        title = showing.heading(part.title) if part.title else ""
        return f"{title}{showing.paragraphs(part.facts)}{table}"
    return showing.paragraphs(_lines(part))


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
    first, *more = map(marked, _lines(part)) if part else [""]
    if isinstance(part, Chart):
        return [first, "\n".join(f"- {line}" for line in more)]
    return ["\n".join([first, *more])]


def marked(text: str) -> str:
    """Return a line that means itself in Markdown."""
    escaped = _escaped(text)
    return rf"\{escaped}" if escaped[:1] in STARTS and escaped != NOTHING else escaped


def _escaped(text: str) -> str:
    return shown(text).translate(MARKDOWN)


def _bold(grid: Grid, escaped: Callable[[str], str], form: str) -> list[list[str]]:
    """Return the lines of a table in a format, with the first columns of the best ones in bold."""
    lines = [[*map(escaped, line)] for line in grid.lines]
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


def grid(
    header: Sequence[str],
    lines: Sequence[Sequence[Cell]],
    forms: Sequence[str],
    *,
    best: Sequence[bool] = (),
    spans: Sequence[tuple[float, float, float] | None] = (),
    shades: Sequence[Sequence[float | None]] = (),
    title: str = "",
) -> Grid:
    """Return a table of texts and of numbers in the given forms."""
    texts = tuple(
        tuple(_cell_text(cell, form) for cell, form in zip(line, forms, strict=True))
        for line in lines
    )
    keys = tuple(tuple("" if cell is None else str(cell) for cell in line) for line in lines)
    right = [j for j, form in enumerate(forms) if form]
    return Grid(
        tuple(header),
        texts,
        right,
        title=title,
        best=tuple(best),
        keys=keys,
        spans=tuple(spans) if any(spans) else (),
        shades=tuple(map(tuple, shades)),
    )


def _cell_text(cell: Cell, form: str) -> str:
    if isinstance(cell, str):
        return cell
    return NOTHING if cell is None or isnan(cell) else format(cell, form)
