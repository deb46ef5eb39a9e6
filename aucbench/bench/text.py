"""Text for a terminal or a pipe: aligned columns, and names without control characters."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import TextIO

from aucbench.errors import shown

FORMULA = ("=", "+", "-", "@")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")


def cell_text(text: str) -> str:
    """`text` as `shown` for a cell of CSV; what a spreadsheet would run gets an apostrophe.

    A number is no formula, whatever its sign.
    """
    line = shown(text)
    return f"'{line}" if line.startswith(FORMULA) and not NUMBER.fullmatch(line) else line


def reason_text(error_type: str | None, reason: str | None) -> str:
    """Return class of the error, if there was one, and reason, as in "ValueError: k is 0"."""
    return ": ".join(part for part in (error_type, reason) if part)


def aligned(lines: Iterable[Sequence[str]], right: Collection[int] = ()) -> str:
    """Align columns, two spaces apart; those in `right` are aligned right."""
    table = [[shown(text) for text in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if j in right else text.ljust(width)
            for j, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )


def line_width(stream: TextIO | None = None) -> int:
    """Return the characters of a line on a terminal; a line in a pipe is never broken."""
    terminal = (sys.stdout if stream is None else stream).isatty()
    return get_terminal_size().columns if terminal else sys.maxsize


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return lines of `text`, broken between words only; there is at least one line.

    `indent` is of all lines but the first.
    """
    return wrap(
        shown(text),
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def folded(lines: Iterable[Sequence[str]], indent: str = "") -> str:
    """Align columns, and wrap the last one between words so that lines fit a terminal.

    Only a word that is longer than its column makes a line longer.
    """
    *columns, last = map(list, zip(*lines, strict=True))
    heads = aligned(zip(*columns, strict=True)).split("\n")
    at = len(indent) + max(map(len, heads)) + 2
    told = []
    for head, text in zip(heads, last, strict=True):
        pieces = wrapped(text, max(line_width() - at, 20))
        told += [f"{indent}{head}".ljust(at) + pieces[0], *(" " * at + p for p in pieces[1:])]
    return "\n".join(line.rstrip() for line in told)
