"""The chapter of a scorecard on the page of a model."""

from __future__ import annotations

from collections.abc import Iterator

from aucbench.models.scorecard import BASE, Scorecard
from aucbench.report.document import Cell, Grid, grid


def parts_of_card(card: Scorecard | None) -> Iterator[str | Grid]:
    """Yield what points mean, what rounding costs, and the points of each attribute."""
    if card is None:
        return
    yield f"{card.said}. The score of a row is the sum of its points."
    yield card.judgement
    lines: list[list[Cell]] = [[BASE, "", card.base, None, None]]
    for one in card.lines:
        share = None if one.rows is None else (one.positives or 0) / one.rows
        lines.append([one.attribute, one.value, one.points, one.rows, share])
    yield grid(
        ("attribute", "value", "points", "rows", "share of positives"),
        lines,
        ("", "", "d", "d", ".3f"),
    )
