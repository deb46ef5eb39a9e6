"""The shapes of effects as parts of the page of a model: curves, levels, heat maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aucbench.models.model import Model
from aucbench.models.shape import Axis, EffectShape
from aucbench.report.document import Cell, Grid, grid
from aucbench.report.sections import Chart

ADDED = "added to the score"
YEAR, EPOCH = 31_556_952.0, 1970  # seconds of a mean year


def shape_parts(model: Model, most: int | None = None) -> Iterator[str | Grid | Chart]:
    """Yield what each column adds to the score; nothing where the model is no sum of effects."""
    if not model.shapes:
        return
    yield (
        "The score is the sum of these effects, and each is 0 in the mean over the training rows. "
        "Effects of columns that say the same are shared between them."
    )
    some = model.shapes[:most]
    curves = [shape for shape in some if is_curve(shape)]
    yield from map(_chart, curves)
    if (gaps := _gaps(curves)) is not None:
        yield gaps
    others = [shape for shape in some if not is_curve(shape)]
    yield from (_map(one) if len(one.axes) > 1 else _levels(one) for one in others)


def is_curve(shape: EffectShape) -> bool:
    """Whether a line can be drawn: one column of numbers or dates."""
    return len(shape.axes) == 1 and len(line_of(shape.axes[0])[0]) > 1


def line_of(axis: Axis) -> tuple[list[int], list[float], str]:
    """Return the places of a line, their numbers, dates as years, and what these are."""
    places = axis.line
    numbers = [float(axis.values[k] or 0.0) for k in places]
    if axis.kind == "date":
        return places, [EPOCH + x / YEAR for x in numbers], f"{axis.column}, year"
    return places, numbers, axis.column


def _chart(shape: EffectShape) -> Chart:
    places, x, name = line_of(shape.axes[0])
    lines = {shape.name: (x, [shape.effect[k] for k in places])}
    return Chart(shape.name, name, ADDED, lines)


def _gaps(shapes: Sequence[EffectShape]) -> Grid | None:
    """Return what missing cells add."""
    known = [
        (shape, k)
        for shape in shapes
        for k, value in enumerate(shape.axes[0].values)
        if value is None
    ]
    if not known:
        return None
    lines: list[list[Cell]] = [
        [shape.name, shape.axes[0].rows[k], shape.effect[k]] for shape, k in known
    ]
    header, forms = ("column", "rows", ADDED), ("", "d", "+.4f")
    return grid(header, lines, forms, title="Missing cells")


def _levels(shape: EffectShape) -> Grid:
    [axis] = shape.axes
    lines: list[list[Cell]] = [
        [text, axis.rows[k], shape.effect[k]] for k, text in enumerate(axis.texts)
    ]
    header, forms = (axis.column, "rows", ADDED), ("", "d", "+.4f")
    return grid(header, lines, forms, title=shape.name)


def _map(shape: EffectShape) -> Grid:
    """Return a heat map: a line for each place of the first column, shaded by what it adds."""
    first, second = shape.axes
    most = max(map(abs, shape.effect)) or 1.0
    lines: list[list[Cell]] = [
        [text, *row.tolist()] for text, row in zip(first.texts, shape.table, strict=True)
    ]
    return grid(
        (f"{first.column} \\ {second.column}", *second.texts),
        lines,
        ("", *["+.2f"] * len(second.values)),
        shades=[[None, *(row / most).tolist()] for row in shape.table],
        title=shape.name,
    )
