"""Figures for print, by matplotlib: intervals and learning curves, in one size.

Design
  a. `matplotlib.figure.Figure` is used without pyplot, so that no window is opened and no global
     state is left behind.
  b. Solvers have the colours, markers and dashes of the page; colour alone tells nothing apart.
  c. Files have no date, so that the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.errors import MissingExtraError, ParameterError, UnknownNameError, shown
from aucbench.report.chart import Chart
from aucbench.report.charts import curve_charts
from aucbench.report.findings import Findings
from aucbench.report.grid import shorten_names
from aucbench.report.within import DatasetFindings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEADERBOARD, CURVES = FIGURES = ("leaderboard", "curves")
COLOURS = ("#0072b2", "#d55e00", "#008a66", "#b0528c", "#a87700", "#2f8fc4", "#6b6b6b")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", ":", "-.")
WIDTH = 6.3  # inches: the text of an A4 page
NAME = 42  # characters of a name
WHOLE: Any = {"clip_on": False}  # a marker on the edge of a panel is plotted whole
# Type 3 fonts are refused by some publishers; a fixed salt keeps the bytes of a SVG the same.
THEME: Any = {
    "pdf.fonttype": 42,
    "svg.hashsalt": "aucbench",
    "font.size": 9.0,
    "grid.linewidth": 0.4,
}
FORMATS = {
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
    ".png": {"Software": None},
}


def check_figure(kind: str, ending: str) -> str:
    """Return the format of a file by its ending, after all checks that need no results."""
    if kind not in FIGURES:
        raise UnknownNameError("figure", kind, FIGURES)
    return check_format(ending)


def check_format(ending: str) -> str:
    """Return the format of a figure in a file that ends so; raise if nothing can plot it."""
    if ending.lower() not in FORMATS:
        raise ParameterError(
            f"cannot plot into a file that ends in {ending!r}; let it end in {', '.join(FORMATS)}"
        )
    if find_spec("matplotlib") is None:
        raise MissingExtraError("a figure", "plot")
    return ending.lower()


def plot_figure(findings: Findings, kind: str, ending: str, dataset: str | None = None) -> bytes:
    """Return a figure, a name in `FIGURES`, as the content of a file that ends so.

    `curves` are of one data set, by default the only one.
    """
    ending = check_figure(kind, ending)
    if kind == CURVES:
        one = findings.datasets[_dataset(findings, dataset)]
        return render_figure(lambda figure: _curves(figure, findings, one), ending)
    if dataset is not None:
        raise ParameterError(f"the figure {kind} is of all data sets; leave --dataset out")
    return render_figure(lambda figure: _leaderboard(figure, findings), ending)


def render_figure(plot: Callable[[Figure], None], ending: str) -> bytes:
    """Return what a function plots into an empty figure, as the content of a file.

    `ending` is a key of `FORMATS`.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(THEME):
        figure = Figure(layout="constrained")
        plot(figure)
        content = BytesIO()
        figure.savefig(content, format=ending[1:], dpi=200, metadata=FORMATS[ending])
    return content.getvalue()


def _dataset(findings: Findings, name: str | None) -> int:
    known = findings.frame.datasets
    if name is None and len(known) == 1:
        return 0
    if name is None:
        raise ParameterError(
            f"the figure is of one data set, and the folder has {len(known)}; name one of "
            f"{', '.join(known)} with --dataset"
        )
    if name not in known:
        raise UnknownNameError("data set", name, known)
    return known.index(name)


def _leaderboard(figure: Figure, findings: Findings) -> None:
    """Average rank of each solver with its interval, or its value on the only data set.

    The best is on top.
    """
    order, names = findings.order, _names(findings.frame.solvers)
    if len(findings.frame.finished) == 1:
        [only] = findings.frame.finished
        rows = {row.solver: row for row in findings.datasets[only].rows}
        values = {j: row.within.delong for j, row in rows.items() if row.within is not None}
        title = findings.measure
    else:
        values, title = dict(enumerate(findings.ranks)), "average rank"
    figure.set_size_inches(WIDTH, 1.0 + 0.25 * len(order))
    ax = figure.add_subplot()
    for place, j in enumerate(order):
        if j not in values or np.isnan(values[j].estimate):
            continue
        x = values[j]
        style = line_style(j)
        if not np.isnan(x.low):
            ax.plot([x.low, x.high], [place, place], color=style["color"], lw=1.5)
        ax.plot([x.estimate], [place], **{**style, "ls": "", **WHOLE})
    ax.set_xlabel(title)
    ax.grid(axis="x")
    if len(findings.frame.finished) != 1:
        ax.invert_xaxis()  # the best is on the right, as if a value is plotted
    ax.set_yticks(range(len(order)), [names[j] for j in order])
    ax.invert_yaxis()


def _curves(figure: Figure, findings: Findings, one: DatasetFindings) -> None:
    """Plot the curves along a fit, a panel for each chart."""
    charts = [*curve_charts(findings, one, len(findings.frame.solvers), diagnostics=False)]
    if not charts:
        of = findings.frame.datasets[one.dataset]
        raise ParameterError(
            f"the folder has no learning curves of {of}, so that nothing can be plotted"
        )
    figure.set_size_inches(WIDTH, 2.8)
    for number, chart in enumerate(charts, 1):
        plot_chart(figure.add_subplot(1, len(charts), number), chart)
    add_legend(figure)
    figure.suptitle(_names(findings.frame.datasets)[one.dataset])


def plot_chart(ax: Any, chart: Chart) -> None:
    """Plot the lines and bands of a chart on axes of matplotlib."""
    names = dict(zip(chart.lines, _names([*chart.lines]), strict=True))
    for name in chart.lines:
        points, band = np.array(chart.points(name)), np.array(chart.band(name))
        if not points.size:
            continue
        style = {**line_style(chart.style(name)), "ms": 4, **WHOLE}
        every = max(1, len(points) // 6)
        ax.plot(*points.T, label=names[name], markevery=every, **style)
        if band.size:
            ax.fill_between(*band.T, color=style["color"], alpha=0.15, lw=0)
    if chart.diagonal:
        ax.plot([0, 1], [0, 1], color="#88888880", lw=0.8, ls=":")
    ax.set(xlabel=chart.x, ylabel=chart.y)
    ax.set(xscale="log" if chart.log_x else "linear", yscale="log" if chart.log_y else "linear")
    ax.grid()


def add_legend(figure: Figure) -> None:
    """Name each line of all panels once, below them."""
    handles = {
        label: handle
        for ax in figure.axes
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    look: Any = {"loc": "outside lower center", "ncols": 3, "fontsize": 7, "frameon": False}
    figure.legend([*handles.values()], [*handles], **look)


def line_style(number: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the solver, or other line, with a number."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "ls": DASHES[number // len(COLOURS) % len(DASHES)],
        "lw": 1.3,
    }


def _names(names: Sequence[str]) -> list[str]:
    """Return names for a figure; $ would start a formula, and long ones are cut in the middle."""
    return [name.replace("$", r"\$") for name in shorten_names([*map(shown, names)], NAME)]
