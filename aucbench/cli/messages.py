"""Messages of commands to people: lines that a terminal can show, broken at its width."""

from __future__ import annotations

import sys

import typer

from aucbench.bench.text import line_width, wrapped

INDENT = "  "  # of what a line goes on with, beyond its own


def say(line: str, *, err: bool = False) -> None:
    """Print one line without control characters; a terminal gets it broken between words."""
    width = line_width(sys.stderr if err else sys.stdout)
    own = line[: len(line) - len(line.lstrip(" "))]
    typer.echo("\n".join(wrapped(line, width, f"{own}{INDENT}")), err=err)


def warn(sentence: str) -> None:
    """Print a warning on stderr."""
    say(f"warning: {sentence}", err=True)
