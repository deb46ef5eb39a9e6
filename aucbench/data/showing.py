"""What objects show of themselves in a notebook: small pieces of HTML, without scripts.

Colours are those of the text around, so that light and dark notebooks need nothing of their own.
Every name is escaped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape

from aucbench.errors import shown

CELL = "padding:2px 10px 2px 2px"
BOX = "overflow-x:auto;max-width:100%"  # wide tables scroll inside their box


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
