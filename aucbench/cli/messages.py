"""Messages of commands to people: lines that a terminal can show, broken at its width."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import TextIO

import typer

from aucbench.errors import shown

INDENT = "  "  # of what a line goes on with, beyond its own


def say(line: str, *, err: bool = False) -> None:
    """Print one line without control characters; a terminal gets it broken between words."""
    width = line_width(sys.stderr if err else sys.stdout)
    own = line[: len(line) - len(line.lstrip(" "))]
    typer.echo("\n".join(wrapped(line, width, f"{own}{INDENT}")), err=err)


def warn(sentence: str) -> None:
    """Print a warning on stderr."""
    say(f"warning: {sentence}", err=True)


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


def format_columns(lines: Iterable[Sequence[str]], indent: str = "") -> str:
    """Align columns, and wrap the last one between words so that lines fit a terminal.

    Only a word that is longer than its column makes a line longer.
    """
    from aucbench.report.grid import align_columns

    *columns, last = map(list, zip(*lines, strict=True))
    heads = align_columns(zip(*columns, strict=True)).split("\n")
    at = len(indent) + max(map(len, heads)) + 2
    found = []
    for head, text in zip(heads, last, strict=True):
        pieces = wrapped(text, max(line_width() - at, 20))
        found += [
            f"{indent}{head}".ljust(at) + pieces[0],
            *(" " * at + p for p in pieces[1:]),
        ]
    return "\n".join(line.rstrip() for line in found)
