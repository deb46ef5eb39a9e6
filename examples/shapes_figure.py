"""Draw the shapes of the effects of a model for print, a panel for each.

    python examples/shapes_figure.py model.aucbench shapes.pdf

The 12 effects that move the score most are drawn: of a score that is a sum of effects the effects,
else mean predictions. matplotlib is needed, as in
`pip install 'aucbench[plot]'`.
"""

from __future__ import annotations

import sys
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from aucbench.errors import shown
from aucbench.models import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from aucbench.models.shape import EffectShape

MOST, ACROSS = 12, 3  # panels, and those side by side
WIDTH, HIGH = 6.9, 1.9  # inches of the figure, and of a row of panels
LABEL = 14  # characters of a level
YEAR = 365.2425 * 86400.0  # seconds
EPOCH = 1970.0  # year from which the seconds of a date count


def draw_shapes(shapes: Sequence[EffectShape]) -> Figure:
    """Draw the first shapes: a curve over numbers or dates, a point for each level, or a map."""
    shapes = shapes[:MOST]
    across = min(ACROSS, len(shapes))
    down = ceil(len(shapes) / across)
    figure = Figure(figsize=(WIDTH, 0.3 + HIGH * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for shape, panel in zip(shapes, panels, strict=False):
        if len(shape.axes) > 1:
            _draw_map(figure, panel, shape)
        elif len(shape.axes[0].line) > 1:
            _draw_curve(panel, shape)
        else:
            _draw_levels(panel, shape)
        panel.set_title(_plain(shape.name), fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels[len(shapes) :]:
        panel.set_axis_off()
    figure.supylabel(shapes[0].unit, fontsize=8)
    return figure


def _draw_curve(panel: Axes, shape: EffectShape) -> None:
    axis = shape.axes[0]
    x = np.array([axis.values[k] or 0.0 for k in axis.line])
    panel.axhline(0.0, color="grey", lw=0.6, ls=":")
    dates = axis.kind == "date"
    panel.plot(EPOCH + x / YEAR if dates else x, np.array(shape.effect)[axis.line], lw=1.3)
    panel.locator_params(axis="x", nbins=4)
    if dates:
        panel.set_xlabel("year", fontsize=7)


def _draw_levels(panel: Axes, shape: EffectShape) -> None:
    at = np.arange(len(shape.effect))
    panel.axvline(0.0, color="grey", lw=0.6, ls=":")
    panel.plot(shape.effect, at, "o", ms=4)
    panel.set_yticks(at, [*map(_label, shape.axes[0].texts)], fontsize=6)
    panel.invert_yaxis()


def _draw_map(figure: Figure, panel: Axes, shape: EffectShape) -> None:
    most = max(map(abs, shape.effect)) or 1.0
    look: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -most, "vmax": most, "aspect": "auto"}
    image = panel.imshow(shape.table.T, origin="lower", **look)
    for axis, place in zip(shape.axes, (panel.set_xticks, panel.set_yticks), strict=True):
        ends = sorted({0, len(axis.texts) - 1})
        place(ends, [_label(axis.texts[k]) for k in ends], fontsize=6)
    panel.set_xlabel(_plain(shape.axes[0].column), fontsize=7)
    panel.set_ylabel(_plain(shape.axes[1].column), fontsize=7)
    figure.colorbar(image, ax=panel).ax.tick_params(labelsize=6)


def _label(text: str) -> str:
    return _plain(text if len(text) <= LABEL else f"{text[: LABEL - 1]}…")


def _plain(text: str) -> str:
    """Return a name that is printable; $ would start a formula."""
    return shown(text).replace("$", r"\$")


def main(model: str, file: str) -> None:
    """Draw the shapes of a saved model into a file."""
    shapes = Model.load(model).functions[0].shapes
    if not shapes:
        sys.exit(
            f"{model} has no shapes: its score is no sum of effects of columns; fit one with "
            "--solver svm-or --features splines"
        )
    draw_shapes(shapes).savefig(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
