"""The tables of the page on names that have moved, from the table that the package reads."""

from __future__ import annotations

from collections.abc import Iterator

from aucbench.moved import Move, moves

MOVED = ("modules", "names", "members", "parameters", "options", "commands", "keys")


def rows_of(kind: str) -> Iterator[str]:
    """Yield a line for each old name of a kind."""
    listed = sorted((move for move in moves() if move.kind == kind), key=lambda move: move.old)
    if not listed:
        yield "None has moved."
        return
    yield "| it was | use | since | the old name |"
    yield "|---|---|---|---|"
    yield from map(_row, listed)


def _row(move: Move) -> str:
    new = f"`{move.new}`" if move.named else move.new
    works = f"works until {move.until}, with a warning" if move.works else "is refused"
    return f"| `{move.old}` | {new} | {move.since} | {works} |"
