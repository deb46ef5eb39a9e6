"""Draw AUM and AUC along a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from aucbench.aum.path import AumPath
from aucbench.errors import MissingExtraError, ParameterError, require_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = 500  # with more events than this in view, none has a marker of its own
BEYOND = 1.1  # the end of the step axis, as a multiple of the last event


def plot_path(
    path: AumPath, *, axes: Sequence[Axes] | None = None, step_limit: float | None = None
) -> tuple[Axes, Axes]:
    """Draw AUM and, below it, AUC over the step; mark the least AUM and the largest AUC.

    AUM is linear between events. AUC is constant between events. A point at an event shows an
    AUC that differs from the AUC after it. After the last event of the path, both lines are
    dotted: they hold if there are no more events, which a path cut off by max_events does not
    know. The least AUM in view is marked at the first event that has it. The largest AUC is
    marked in the middle of the steps that have it. With more than 500 events in view, no event
    has a marker of its own.

    Parameters
    ----------
    path : AumPath
        What to draw.
    axes : two matplotlib Axes, optional
        The axes for AUM and for AUC. The default is a new figure with one above the other.
    step_limit : float, optional
        End of the step axis. The default is 1.1 times the last event (1 if that is at step 0).

    Returns
    -------
    upper, lower : Axes
        The axes of AUM and of AUC. `upper.figure` is the figure; it is not shown.

    Raises
    ------
    MissingExtraError
        When matplotlib is not installed.
    ParameterError
        When `axes` are not two, or `step_limit` is not a finite number > 0.
    """
    require_above(0, step_limit=step_limit)
    upper, lower = _new_axes() if axes is None else _pair(axes)
    end = (BEYOND * float(path.step[-1]) or 1.0) if step_limit is None else float(step_limit)
    _draw_aum(upper, path, end)
    _draw_auc(lower, path, end)
    for ax, name in ((upper, "AUM"), (lower, "AUC")):
        ax.set_xlim(0.0, end)
        ax.set_ylabel(name)
        # Above the axes, because a search for the best place inside them is slow with many events.
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False)
    lower.set_xlabel("step")
    return upper, lower


def _draw_aum(ax: Axes, path: AumPath, end: float) -> None:
    shown, marker, style = _sight(path, end)
    step, aum = path.step[:shown], path.aum[:shown]
    ax.plot(step, aum, color="C0", marker=marker)
    last = aum[-1] + path.aum_slope_after[shown - 1] * (end - step[-1])
    ax.plot([step[-1], end], [aum[-1], last], color="C0", linestyle=style)
    k = int(aum.argmin())
    label = f"minimum {aum[k]:.4g} at step {step[k]:.4g}"
    ax.plot(step[k], aum[k], "o", color="C3", label=label)


def _draw_auc(ax: Axes, path: AumPath, end: float) -> None:
    shown, marker, style = _sight(path, end)
    step, at, after = path.step[:shown], path.auc[:shown], path.auc_after[:shown]
    ax.plot(step, after, color="C0", drawstyle="steps-post")
    ax.plot([step[-1], end], [after[-1], after[-1]], color="C0", linestyle=style)
    if marker:
        differs = (at != after) | (at != np.r_[at[0], after[:-1]])
        ax.plot(step[differs], at[differs], color="C0", marker=marker, linestyle="")
    k = int(after.argmax())
    other = np.flatnonzero(after[k:] != after[k])
    until = float(step[k + other[0]]) if other.size else end
    label = f"maximum {after[k]:.4g} on steps {step[k]:.4g} to {until:.4g}"
    ax.plot((step[k] + until) / 2, after[k], "o", color="C3", label=label)


def _sight(path: AumPath, end: float) -> tuple[int, str, str]:
    """Return how many events are in view, their marker, and the line style after the last one."""
    shown = int(np.searchsorted(path.step, end, side="right"))
    return shown, "." if shown <= MARKED else "", "-" if shown < path.step.size else ":"


def _pair(axes: Sequence[Axes]) -> tuple[Axes, Axes]:
    both = np.ravel(np.asarray(axes, dtype=object))
    if both.size != 2:
        raise ParameterError(f"axes must be two, one for AUM and one for AUC, got {both.size}")
    return both[0], both[1]


def _new_axes() -> tuple[Axes, Axes]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("plot_path", "plot") from error
    return _pair(Figure(layout="constrained").subplots(2, 1, sharex=True))
