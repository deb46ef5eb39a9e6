"""The shapes of the effects of a model as a figure for print: a panel for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.errors import ParameterError, shown
from aucbench.models.classes import ClassModel
from aucbench.models.model import Model
from aucbench.models.page import ADDED, is_curve, line_of
from aucbench.models.shape import EffectShape
from aucbench.report.document import cut
from aucbench.report.figures import COLOURS, WIDTH, check_format, rendered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST, ACROSS = 12, 3  # panels, and those side by side
HIGH = 1.9  # inches of a row of panels
LABEL = 14  # characters of a level


def shapes_figure(model: Model | ClassModel, ending: str) -> bytes:
    """Return the effects that move the score most, as the content of a file that ends so.

    Raises
    ------
    ParameterError
        When the model has no shapes.
    """
    ending = check_format(ending)
    if isinstance(model, ClassModel):
        raise ParameterError(
            "the model has a score for each class, and the figure shows the effects of one score; "
            "see the page that explain --html writes"
        )
    if not model.shapes:
        raise ParameterError(
            "the model has no shapes: its score is no sum of effects of columns; fit one with "
            "--solver svm-or --features splines"
        )
    some = model.shapes[:MOST]
    return rendered(lambda figure: _draw(figure, some), ending)


def _draw(figure: Figure, shapes: Sequence[EffectShape]) -> None:
    across = min(ACROSS, len(shapes))
    down = ceil(len(shapes) / across)
    figure.set_size_inches(WIDTH, 0.3 + HIGH * down)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    names = cut([_plain(shape.name) for shape in shapes], 34)
    for shape, panel, name in zip(shapes, panels, names, strict=False):
        if len(shape.axes) > 1:
            _draw_map(figure, panel, shape)
        else:
            (_draw_curve if is_curve(shape) else _draw_levels)(panel, shape)
        panel.set_title(name, fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels[len(shapes) :]:
        panel.set_axis_off()
    figure.supylabel(ADDED, fontsize=8)


def _draw_curve(panel: Axes, shape: EffectShape) -> None:
    places, x, name = line_of(shape.axes[0])
    panel.axhline(0.0, color="grey", lw=0.6, ls=":")
    panel.plot(x, np.array(shape.effect)[places], color=COLOURS[0], lw=1.3)
    panel.locator_params(axis="x", nbins=4)
    if name != shape.name:
        panel.set_xlabel(_plain(name), fontsize=7)


def _draw_levels(panel: Axes, shape: EffectShape) -> None:
    effect = np.array(shape.effect)
    at = np.arange(effect.size)
    panel.axvline(0.0, color="grey", lw=0.6, ls=":")
    panel.plot(effect, at, "o", color=COLOURS[0], ms=4)
    panel.set_yticks(at, cut([*map(_plain, shape.axes[0].texts)], LABEL), fontsize=6)
    panel.invert_yaxis()


def _draw_map(figure: Figure, panel: Axes, shape: EffectShape) -> None:
    most = max(map(abs, shape.effect)) or 1.0
    look: Any = {"cmap": "RdBu_r", "vmin": -most, "vmax": most, "aspect": "auto"}
    image = panel.imshow(shape.table.T, origin="lower", **look)
    for axis, place in zip(shape.axes, (panel.set_xticks, panel.set_yticks), strict=True):
        texts = cut([*map(_plain, axis.texts)], LABEL)
        ends = sorted({0, len(texts) - 1})
        place(ends, [texts[k] for k in ends], fontsize=6)
    panel.set_xlabel(_plain(shape.axes[0].column), fontsize=7)
    panel.set_ylabel(_plain(shape.axes[1].column), fontsize=7)
    figure.colorbar(image, ax=panel).ax.tick_params(labelsize=6)


def _plain(text: str) -> str:
    """Return a name for a figure; $ would start a formula."""
    return shown(text).replace("$", r"\$")
