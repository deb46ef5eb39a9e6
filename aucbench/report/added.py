"""Sections as text, Markdown and LaTeX; every name and number is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from aucbench.bench.addons import Addon
from aucbench.bench.text import aligned, shown
from aucbench.report.terminal import MARKDOWN, NOTHING, texed
from aucbench.sections import Chart, Section, Table

WIDEST = 100  # characters of a line where stdout is no terminal
STARTS = ("#", "+", "-", "=", "~")  # of a line, which Markdown takes for a heading or a list
Added = Sequence[tuple[str, Section]]  # each with a line about its author, which may be empty


def text(added: Added, width: int | None = None) -> str:
    """Return the sections for a terminal; tables are not cut."""
    return "\n\n".join(_text(byline, section, width or WIDEST) for byline, section in added)


def markdown(added: Added) -> str:
    """Return the sections in Markdown."""
    return "\n\n".join(_markdown(byline, section) for byline, section in added)


def tex(added: Added) -> str:
    """Return the sections in LaTeX, for the package booktabs."""
    return "\n\n".join(_tex(byline, section) for byline, section in added)


FORMS = {"text": text, "md": markdown, "tex": tex}


def cells(table: Table) -> list[tuple[str, ...]]:
    """Return the cells of a table as text; numbers with six significant digits."""
    return [tuple(map(_cell, row)) for row in table.rows]


def numeric(table: Table) -> list[int]:
    """Return the columns that hold numbers only, which are aligned right."""
    columns = zip(*table.rows, strict=True)
    return [j for j, column in enumerate(columns) if not any(isinstance(x, str) for x in column)]


def signed(sections: Sequence[tuple[Addon, Section]]) -> Added:
    """Return sections of plugins, each with a line that says which plugin has written it."""
    return [(f"Written by {a.qualified} {a.version}.", section) for a, section in sections]


def _cell(value: str | float | None) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, str | int):
        return str(value)
    return format(value, ".6g")


def _told(chart: Chart) -> list[str]:
    """Return where the lines of a chart begin and end; the page draws them."""
    lines = []
    for name, (xs, ys) in chart.lines.items():
        known = [(x, y) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None]
        ends = " to ".join(f"({x:g}, {y:g})" for x, y in dict.fromkeys((*known[:1], *known[-1:])))
        lines.append(f"{name}: {len(known)} points{f', {ends}' if ends else ''}")
    return [f"{chart.title} ({chart.y} against {chart.x})", *lines]


def _text(byline: str, section: Section, width: int) -> str:
    found = [shown(section.title), *_wrapped(byline, width)]
    for part in section.parts:
        found.append("")
        if isinstance(part, Table):
            found.append(aligned([part.header, *cells(part)], numeric(part)))
        elif isinstance(part, Chart):
            found += [line for told in _told(part) for line in _wrapped(told, width)]
        else:
            found += [line for told in part.splitlines() for line in _wrapped(told, width)]
    return "\n".join(found)


def _wrapped(line: str, width: int) -> list[str]:
    return wrap(shown(line), width, initial_indent="  ", subsequent_indent="  ")


def _markdown(byline: str, section: Section) -> str:
    blocks = [f"## {marked(section.title)}", *([marked(byline)] if byline else [])]
    for part in section.parts:
        if isinstance(part, Table):
            right = numeric(part)
            rule = ["---:" if j in right else "---" for j in range(len(part.header))]
            rows = [map(marked, part.header), rule, *(map(marked, row) for row in cells(part))]
            blocks.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        elif isinstance(part, Chart):
            title, *lines = map(marked, _told(part))
            blocks.append("\n".join([title, "", *(f"- {line}" for line in lines)]))
        else:
            blocks.append("\n".join(map(marked, part.splitlines())))
    return "\n\n".join(blocks)


def marked(text: str) -> str:
    """Return a text that means itself in Markdown."""
    escaped = shown(text).translate(MARKDOWN)
    return rf"\{escaped}" if escaped[:1] in STARTS and escaped != NOTHING else escaped


def _tex(byline: str, section: Section) -> str:
    blocks = [rf"\section*{{{texed(section.title)}}}", *([texed(byline)] if byline else [])]
    for part in section.parts:
        if isinstance(part, Table):
            right = numeric(part)
            sides = "".join("r" if j in right else "l" for j in range(len(part.header)))
            rows = [rf"{' & '.join(map(texed, row))} \\" for row in (part.header, *cells(part))]
            body = [r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
            table = [rf"\begin{{tabular}}{{{sides}}}", *body, r"\end{tabular}"]
            blocks.append("\n".join(table))
        else:
            told = _told(part) if isinstance(part, Chart) else part.splitlines()
            blocks.append("\n".join(map(texed, told)))
    return "\n\n".join(blocks)
