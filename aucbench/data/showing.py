"""What objects show of themselves in a notebook: small pieces of HTML, without scripts.

Colours are those of the text around, so that light and dark notebooks need nothing of their own.
Every name is escaped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from math import isfinite
from typing import NamedTuple

from aucbench.errors import shown

LEADING, OTHER = "#0072b2", "#888888"
WIDTH, LINE, NAMES, NUMBERS = 640, 22, 220, 90  # pixels: of a chart, of its lines and columns
NAME = 30  # characters of a name in a chart
CELL = "padding:2px 10px 2px 2px"
BOX = "overflow-x:auto;max-width:100%"  # wide tables scroll inside their box


class Span(NamedTuple):
    """A line of a chart: a name, a value, where it may be, and whether it stands out."""

    name: str
    value: float
    low: float
    high: float
    strong: bool = False


def words(text: object) -> str:
    """Return a text as HTML."""
    return escape(shown(str(text)))


def paragraphs(lines: Iterable[str]) -> str:
    """Return lines as HTML, one below the other."""
    return "".join(f"<div>{words(line)}</div>" for line in lines)


def heading(text: str) -> str:
    """Return the first line of an object."""
    return f"<div><strong>{words(text)}</strong></div>"


def grid(
    header: Sequence[str],
    lines: Iterable[Sequence[str]],
    right: Collection[int] = (),
    best: Sequence[bool] = (),
) -> str:
    """Return a table; the columns in `right` are aligned right, and the best lines are bold."""
    sides = ["right" if j in right else "left" for j in range(len(header))]
    rows = [_row("th", header, sides)]
    for number, line in enumerate(lines):
        strong = number < len(best) and best[number]
        rows.append(_row("td", line, sides, ";font-weight:bold" if strong else ""))
    return _table(rows)


def _row(kind: str, cells: Sequence[str], sides: Sequence[str], style: str = "") -> str:
    each = zip(cells, sides, strict=True)
    told = "".join(
        f'<{kind} style="{CELL};text-align:{s}{style}">{words(c)}</{kind}>' for c, s in each
    )
    return f"<tr>{told}</tr>"


def _table(rows: Iterable[str]) -> str:
    return f'<div style="{BOX}"><table><tbody>{"".join(rows)}</tbody></table></div>'


def listed(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with what they are."""
    left = f'style="{CELL};text-align:left;vertical-align:top"'
    return _table(
        f"<tr><th {left}>{words(name)}</th><td {left}>{words(value)}</td></tr>"
        for name, value in pairs
    )


def folded(title: str, html: str) -> str:
    """Return HTML that is shown when its title is pressed."""
    return f"<details><summary>{words(title)}</summary>{html}</details>"


def spans(title: str, lines: Sequence[Span], form: str = ".3f") -> str:
    """Return a chart of values with intervals; its axis begins and ends where they do."""
    known = [line for line in lines if isfinite(line.value)]
    ends = [x for line in known for x in (line.low, line.value, line.high) if isfinite(x)]
    if not ends:
        return ""
    low, high = min(ends), max(ends)
    room = (high - low) or abs(high) or 1.0
    low, high = low - 0.05 * room, high + 0.05 * room
    parts = [_span(line, j, low, high, form) for j, line in enumerate(known)]
    return _chart(title, len(known), parts)


def bars(title: str, lines: Sequence[tuple[str, float]], form: str = ".3g") -> str:
    """Return a chart of bars from zero; those below zero have the other colour."""
    known = [(name, value) for name, value in lines if isfinite(value)]
    most = max((abs(value) for _, value in known), default=0.0)
    if not most:
        return ""
    parts = []
    for j, (name, value) in enumerate(known):
        colour = LEADING if value >= 0 else "#d55e00"
        length = abs(value) / most * (WIDTH - NAMES - NUMBERS)
        box = f'x="{NAMES}" y="{LINE * j + 5}" width="{length:.1f}" height="{LINE - 10}"'
        parts.append(f'{_named(name, j)}<rect {box} fill="{colour}"/>{_number(value, j, form)}')
    return _chart(title, len(known), parts)


def _span(line: Span, j: int, low: float, high: float, form: str) -> str:
    def at(value: float) -> float:
        return NAMES + (value - low) / (high - low) * (WIDTH - NAMES - NUMBERS)

    colour, y = LEADING if line.strong else OTHER, LINE * j + LINE / 2
    reach = ""
    if isfinite(line.low) and isfinite(line.high):
        ends = f'x1="{at(line.low):.1f}" x2="{at(line.high):.1f}" y1="{y}" y2="{y}"'
        reach = f'<line {ends} stroke="{colour}" stroke-width="2"/>'
    dot = f'<circle cx="{at(line.value):.1f}" cy="{y}" r="4" fill="{colour}"/>'
    return _named(line.name, j) + reach + dot + _number(line.value, j, form)


def _named(name: str, j: int) -> str:
    text = shown(name)
    text = text if len(text) <= NAME else f"{text[: NAME - 1]}…"
    return f'<text x="{NAMES - 8}" y="{LINE * j + 15}" text-anchor="end">{escape(text)}</text>'


def _number(value: float, j: int, form: str) -> str:
    return f'<text x="{WIDTH - NUMBERS + 8}" y="{LINE * j + 15}">{value:{form}}</text>'


def _chart(title: str, count: int, parts: Iterable[str]) -> str:
    height = LINE * count + 4
    return (
        f'<div style="{BOX}"><div><small>{words(title)}</small></div>'
        f'<svg role="img" aria-label="{words(title)}" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-size="13" fill="currentColor" '
        f'font-family="sans-serif">{"".join(parts)}</svg></div>'
    )
