"""The effects of an additive model as lines for a terminal, and as JSON holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from aucbench.bench.text import aligned
from aucbench.models.assessment import TAKEN_OUT
from aucbench.models.model import Model
from aucbench.models.shape import EffectShape, sparkline

SHOWN, MAPS = 20, 3  # effects that are listed; of two columns, those whose map is drawn
WIDE = 16  # blocks of a curve
LEVELS = 3  # of a category that a line names
INDENT = "  "


def plain(model: Model) -> list[dict[str, Any]]:
    """Return the shapes as JSON holds them, with name and importance."""
    worth = drops(model)
    return [
        {"name": shape.name, "importance": worth.get(shape.name), **asdict(shape)}
        for shape in model.shapes
    ]


def drops(model: Model) -> dict[str, float]:
    """Return how far the measure falls without each effect, where that is known."""
    known = model.assessment
    if known is None or known.how != TAKEN_OUT:
        return {}
    return {one.column: one.drop.estimate for one in known.importance}


def shape_lines(model: Model) -> Iterator[str]:
    """Yield a line for each effect, those without which the measure falls most first."""
    if not model.shapes:
        return
    worth = drops(model)
    ranked = sorted(model.shapes, key=lambda shape: -worth.get(shape.name, -np.inf))
    yield head(model)
    lines = [_cells(shape, worth.get(shape.name)) for shape in ranked[:SHOWN]]
    maps = [shape for shape in ranked[:SHOWN] if len(shape.axes) > 1][:MAPS]
    told = aligned(lines, (1,)).splitlines()
    for shape, line in zip(ranked, told, strict=False):
        yield f"{INDENT}{line}"
        if shape in maps:
            yield from (f"{INDENT}{INDENT}{row}" for row in _map(shape))
    if len(ranked) > SHOWN:
        yield f"{INDENT}and {len(ranked) - SHOWN} more; --json has all"


def head(model: Model) -> str:
    """Return what the lines of effects show."""
    fall = f"fall of the {model.measure} without it, " if drops(model) else ""
    return f"effects on the score: {fall}curve, lowest to highest"


def _cells(shape: EffectShape, drop: float | None) -> list[str]:
    span = f"{min(shape.effect):+.3g} to {max(shape.effect):+.3g}"
    fall = "" if drop is None else f"{drop:.4f}"
    return [shape.name, fall, _curve(shape), span]


def _curve(shape: EffectShape) -> str:
    """Return blocks of the curve with its ends; the levels of a category; nothing of a map."""
    if len(shape.axes) > 1:
        return ""
    [axis], numbers, effect = shape.axes, shape.axes[0].line, shape.effect
    named = [k for k in range(len(effect)) if k not in numbers]
    some = sorted(named, key=lambda k: -effect[k])
    levels = [f"{axis.texts[k]} {effect[k]:+.3g}" for k in some[:LEVELS]]
    levels += ["…"] if len(some) > LEVELS else []
    if not numbers:
        return ", ".join(levels)
    picked = [
        numbers[k] for k in np.linspace(0, len(numbers) - 1, min(WIDE, len(numbers))).astype(int)
    ]
    blocks = sparkline([effect[k] for k in picked], min(effect), max(effect))
    ends = f"{axis.texts[numbers[0]]} {blocks} {axis.texts[numbers[-1]]}"
    return ", ".join([ends, *levels])


def _map(shape: EffectShape) -> Iterator[str]:
    """Yield a line of blocks for each place of the first column."""
    first, second = (axis.texts for axis in shape.axes)
    low, high = min(shape.effect), max(shape.effect)
    blocks = [sparkline(row.tolist(), low, high) for row in shape.table]
    yield from aligned(zip(first, blocks, strict=True), (0,)).splitlines()
    yield f"{shape.axes[1].column} from {second[0]} to {second[-1]}"
