"""Draw AUM and AUC along a line of scores.

    python examples/aum_path.py aum_path.svg

The scores of 100 rows move along a line that lowers those of negatives. The picture shows AUM and
AUC at each step, up to five times the step with the least AUM. matplotlib is needed, as in
`pip install 'aucbench[plot]'`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from aucbench.aum import AumPath, Breakpoints, Lines, aum_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = 500  # with more events than this in view, none has a marker of its own
BEYOND = 1.1  # the end of the step axis, as a multiple of the last event


def plot_path(path: AumPath, step_limit: float | None = None) -> Figure:
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
    step_limit : float, optional
        End of the step axis, > 0. The default is 1.1 times the last event (1 if that is at step 0).

    Returns
    -------
    Figure
        With the axes of AUM and of AUC; it is not shown.
    """
    figure = Figure(layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    end = (BEYOND * float(path.step[-1]) or 1.0) if step_limit is None else step_limit
    _draw_aum(upper, path, end)
    _draw_auc(lower, path, end)
    for ax, name in ((upper, "AUM"), (lower, "AUC")):
        ax.set_xlim(0.0, end)
        ax.set_ylabel(name)
        # Above the axes, because a search for the best place inside them is slow with many events.
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False)
    lower.set_xlabel("step")
    return figure


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


def main(file: Path) -> None:
    """Write the picture of one path."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], [80, 20])
    scores, direction = rng.normal(size=100), rng.normal(size=100) - y
    lines = Lines.of(Breakpoints.of_labels(y), scores, direction)
    path = aum_path(lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff)
    limit = 5.0 * float(path.step[path.aum.argmin()])
    plot_path(path, step_limit=limit).savefig(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
