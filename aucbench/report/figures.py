"""Figures for print, by matplotlib: one function for each, and one size for all.

Design
  a. `matplotlib.figure.Figure` is used without pyplot, so that no window is opened and no global
     state is left behind.
  b. Solvers have the colours, markers and dashes of the page; colour alone tells nothing apart.
  c. Files have no date, so that the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aucbench.bench.text import shown
from aucbench.errors import MissingExtraError, ParameterError, UnknownNameError
from aucbench.report.curves import (
    SHARES,
    TARGETS,
    UNITS,
    LearningCurve,
    front,
    learning_curve,
)
from aucbench.report.document import cut
from aucbench.report.findings import Findings
from aucbench.report.inside import Inside
from aucbench.stats.profiles import Profile
from aucbench.stats.ranking import critical_difference
from aucbench.stats.words import Word

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Lines: TypeAlias = dict[int, Any]  # what stands for a solver in the legend, by its number
COLOURS = ("#0072b2", "#d55e00", "#008a66", "#b0528c", "#a87700", "#2f8fc4", "#6b6b6b")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", ":", "-.")
WIDTH = 6.3  # inches: the text of an A4 page
NAME = 42  # characters of a solver's name that are drawn
GAP = "relative gap"
WHOLE: Any = {"clip_on": False}  # a marker on the edge of a panel is drawn whole
WORDS = {Word.BETTER: "#9ecae1", Word.WORSE: "#f4a582", Word.EQUIVALENT: "#d9d9d9"}
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
    """Return the format of a figure in a file that ends so; raise if nothing can draw it."""
    if ending.lower() not in FORMATS:
        raise ParameterError(
            f"cannot draw into a file that ends in {ending!r}; let it end in {', '.join(FORMATS)}"
        )
    if find_spec("matplotlib") is None:
        raise MissingExtraError("a figure", "plot")
    return ending.lower()


def drawn_figure(findings: Findings, kind: str, ending: str, dataset: str | None = None) -> bytes:
    """Return a figure, a name in `FIGURES`, as the content of a file that ends so.

    `curves`, `roc` and `pareto` are of one data set, by default the only one.
    """
    ending = check_figure(kind, ending)
    if kind in LOCAL_FIGURES:
        one = findings.insides[_dataset(findings, dataset)]
        return rendered(lambda figure: _local(figure, kind, findings, one), ending)
    if dataset is not None:
        raise ParameterError(f"the figure {kind} is of all data sets; leave --dataset out")
    return rendered(lambda figure: GLOBAL_FIGURES[kind](figure, findings), ending)


def _local(figure: Figure, kind: str, findings: Findings, one: Inside) -> None:
    """Draw a figure of one data set, with its name and a legend of what was drawn."""
    draw, what = LOCAL_FIGURES[kind]
    name = findings.evidence.datasets[one.dataset]
    lines = draw(figure, findings, one)
    if not lines:
        raise ParameterError(f"the folder has no {what} of {name}, so that nothing can be drawn")
    _legend(figure, lines, findings)
    figure.suptitle(_drawn(findings.evidence.datasets)[one.dataset])


def rendered(
    draw: Callable[[Figure], None], ending: str, settings: Mapping[str, Any] | None = None
) -> bytes:
    """Return what a function draws into an empty figure, as the content of a file.

    `ending` is a key of `FORMATS`; `settings` are those of matplotlib (`rcParams`) beside those of
    all figures.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(THEME | dict(settings or {})):
        figure = Figure(layout="constrained")
        draw(figure)
        content = BytesIO()
        figure.savefig(content, format=ending[1:], dpi=200, metadata=FORMATS[ending])
    return content.getvalue()


def _dataset(findings: Findings, name: str | None) -> int:
    known = findings.evidence.datasets
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
    """Mean, average rank and rating of each solver with their intervals, the best on top."""
    order, names = findings.order, _names(findings)
    if len(findings.evidence.finished) == 1:
        [only] = findings.evidence.finished
        rows = {row.solver: row for row in findings.insides[only].rows}
        intervals = {j: row.known.delong for j, row in rows.items() if row.known is not None}
        panels = [(findings.measure, intervals)]
    else:
        ranks = {j: standing.value for j, standing in enumerate(findings.ranks)}
        ratings = {j: standing.value for j, standing in enumerate(findings.ratings)}
        panels = [("average rank", ranks), ("rating (Bradley–Terry, Elo)", ratings)]
    figure.set_size_inches(WIDTH, 1.0 + 0.25 * len(order))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (title, values) in zip(axes, panels, strict=True):
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
        if title == "average rank":
            ax.invert_xaxis()  # the best is on the right in all panels
    axes[0].set_yticks(range(len(order)), [names[j] for j in order])
    axes[0].invert_yaxis()


def _pairs(figure: Figure, findings: Findings) -> None:
    """Mean difference of each solver (row) to each other one (column), and the verdict."""
    order, names = findings.order, _names(findings)
    if not findings.pairs:
        raise ParameterError("the folder has one solver, and a pair takes two")
    _require_several(findings)
    both, k = findings.pairs_both_ways, len(order)
    figure.set_size_inches(max(WIDTH, 1.9 + 0.85 * k), 1.2 + 0.55 * k)
    ax = figure.subplots()
    for row, a in enumerate(order):
        for column, b in enumerate(order):
            if a == b:
                continue
            pair = both[a, b]
            colour = WORDS.get(pair.word, "white")
            ax.add_patch(_square(column, row, colour))
            text = f"{pair.mean:+.4f}\n{pair.wins}/{pair.ties}/{pair.losses}"
            weight = "bold" if pair.word in (Word.BETTER, Word.WORSE) else "normal"
            ax.text(column, row, text, ha="center", va="center", fontsize=7, fontweight=weight)
    ax.set_xlim(-0.5, k - 0.5)
    ax.set_ylim(k - 0.5, -0.5)
    ax.set_xticks(range(k), [names[j] for j in order], rotation=35, ha="left")
    ax.set_yticks(range(k), [names[j] for j in order])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_xlabel(
        f"row less column: mean {findings.measure}; wins/ties/losses. Bold: better or worse "
        "(Wilcoxon, Holm); grey: equivalent",
        fontsize=7,
    )


def _cd(figure: Figure, findings: Findings) -> None:
    """Critical-difference diagram of the average ranks, with the warning that it needs."""
    _require_several(findings)
    cd = critical_difference(
        findings.unit_gains, findings.evidence.solvers, level=findings.settings.level
    )
    k = len(cd.names)
    left = (k + 1) // 2
    figure.set_size_inches(WIDTH, 1.3 + 0.2 * left + 0.12 * len(cd.groups))
    ax = figure.subplots()
    depth = 0.6 + 0.35 * len(cd.groups)
    names = dict(zip(findings.evidence.solvers, _names(findings), strict=True))
    ax.plot([1, k], [0, 0], color="black", lw=1)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, -0.15], color="black", lw=1)
        ax.text(tick, -0.25, str(tick), ha="center", va="bottom")
    for place, (name, rank) in enumerate(zip(cd.names, cd.ranks, strict=True)):
        first = place < left
        end, align = (0.6, "right") if first else (float(k) + 0.4, "left")
        level = depth + (place if first else k - 1 - place)
        ax.plot([rank, rank, end], [0, level, level], color="black", lw=0.8)
        text = f"{names[name]} ({rank:.2f})"
        ax.text(end + (-0.05 if first else 0.05), level, text, ha=align, va="center")
    ranks = dict(zip(cd.names, cd.ranks, strict=True))
    for number, group in enumerate(cd.groups):
        ends = [ranks[group[0]] - 0.03, ranks[group[-1]] + 0.03]
        ax.plot(ends, [0.3 + 0.35 * number] * 2, color="black", lw=3, solid_capstyle="butt")
    ax.plot([1, 1 + cd.difference], [-1.1, -1.1], color="black", lw=1.5)
    ax.text(1, -1.25, f"CD = {cd.difference:.2f}", ha="left", va="bottom")
    ax.invert_yaxis()
    ax.set_axis_off()
    figure.supxlabel(
        f"{cd.data_sets} data sets, Friedman p = {cd.friedman_p:.2g}. {cd.warning}",
        fontsize=6,
        wrap=True,
    )


def _curves(figure: Figure, findings: Findings, one: Inside) -> Lines:
    """AUC of the test rows against passes and seconds, and the gap of the objective.

    A panel without a curve is not drawn.
    """
    known = {
        row.solver: curve
        for row in one.rows
        if (curve := learning_curve(row.group.ok, findings.evidence.optima, findings.points))
    }
    name = f"test {findings.quality}"
    units = UNITS[1:] if findings.times else UNITS[::-1]
    asked = [*((unit, name, "test_auc") for unit in units), ("passes", GAP, "gap")]
    panels = [(x, y, some) for x, y, of in asked if (some := _along(known, x, of))]
    figure.set_size_inches(WIDTH, 2.8)
    lines = {}
    for number, (unit, y, some) in enumerate(panels, 1):
        ax = figure.add_subplot(1, len(panels), number)
        for solver, (places, values) in some.items():
            every = max(1, places.size // 6)
            style = {**line_style(solver), "markevery": every, "ms": 4, **WHOLE}
            lines[solver] = ax.plot(places, values, **style)[0]
        ax.set(xscale="log", xlabel=unit, ylabel=y, yscale="log" if y == GAP else "linear")
        ax.grid()
    return lines


def _along(known: Mapping[int, LearningCurve], unit: str, name: str) -> dict[int, Any]:
    """Return x and y of a curve by solver; a gap of 0 has no place on its axis, a logarithm."""
    curves = {}
    for solver, curve in known.items():
        medians = getattr(curve, unit)
        values = getattr(medians, name)
        values = np.where(values > 0.0, values, np.nan) if name == "gap" else values
        if not np.isnan(values).all():
            curves[solver] = medians.x, values
    return curves


def _roc(figure: Figure, findings: Findings, one: Inside) -> Lines:
    """Mean ROC and precision-recall curves over the folds, and their range."""
    figure.set_size_inches(WIDTH, 3.6)
    axes = figure.subplots(1, 2)
    lines = {}
    for row in one.rows:
        if row.roc is None or row.pr is None:
            continue
        style = {key: value for key, value in line_style(row.solver).items() if key != "marker"}
        axes[0].plot([0, 0], [0, row.roc.mean[0]], **style)
        for ax, band in zip(axes, (row.roc, row.pr), strict=True):
            lines[row.solver] = ax.plot(band.x, band.mean, **style)[0]
            ax.fill_between(band.x, band.low, band.high, color=style["color"], alpha=0.12, lw=0)
    axes[0].plot([0, 1], [0, 1], color="grey", lw=0.6, ls=":")
    if findings.range is not None:
        left, right, low, high = findings.range
        axes[0].fill_between([left, right], low, high, color="grey", alpha=0.15, lw=0)
    axes[0].set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    axes[1].set(xlabel="recall", ylabel="precision")
    return lines


def _profile(figure: Figure, findings: Findings) -> None:
    """Performance profiles of Dolan and Moré: a row for each unit, a column for each target."""
    units = [unit for unit in UNITS if unit != "seconds" or not findings.times]
    if not any(p.ratios for unit in units for t in TARGETS for p in findings.profiles[unit, t]):
        raise ParameterError("no solver reaches a target, so that there is no profile to draw")
    figure.set_size_inches(WIDTH, 0.8 + 2.4 * len(units))
    axes = figure.subplots(len(units), len(TARGETS), sharey=True, squeeze=False)
    for unit, panels in zip(units, axes, strict=True):
        for target, share, ax in zip(TARGETS, SHARES, panels, strict=True):
            lines = _profile_panel(ax, findings.profiles[unit, target])
            ax.set(xscale="log", xlabel=f"{unit} divided by the fewest")
            ax.set_title(f"until {share} of the best test {findings.quality}", fontsize=8)
            ax.grid()
        panels[0].set_ylabel("share of data sets")
    _legend(figure, lines, findings)


def _profile_panel(ax: Any, profiles: Sequence[Profile]) -> Lines:
    end = max((ratio for p in profiles for ratio in p.ratios), default=1.0)
    lines = {}
    for solver, profile in enumerate(profiles):
        corners = np.unique([1.0, *profile.ratios, end])
        style = {**line_style(solver), "ms": 4, "drawstyle": "steps-post", **WHOLE}
        lines[solver] = ax.plot(corners, profile.share(corners), **style)[0]
    return lines


def _pareto(figure: Figure, findings: Findings, one: Inside) -> Lines:
    """The measure against non-zero weights and against time, with the Pareto fronts.

    A panel without a point is not drawn.
    """
    figure.set_size_inches(WIDTH, 3.2)
    values = np.array([row.estimate for row in one.rows])
    gains = np.array([-row.loss for row in one.rows])
    nonzeros = np.array([row.group.mean("nnz") for row in one.rows])
    seconds = np.array([row.group.median("seconds") for row in one.rows])
    if findings.times:
        seconds = np.full(seconds.shape, np.nan)
    lines: Lines = {}
    costs = ((nonzeros, "non-zero weights"), (seconds, "seconds of a fit"))
    panels = [cost for cost in costs if ((cost[0] > 0) & ~np.isnan(values)).any()]
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0] if panels else []
    for ax, (cost, label) in zip(axes, panels, strict=True):
        on = list(front(cost, gains))
        ax.plot(cost[on], values[on], color="grey", lw=0.8)
        for row, x, y in zip(one.rows, cost, values, strict=True):
            if x > 0 and not np.isnan(y):
                style = {**line_style(row.solver), "ls": "", **WHOLE}
                lines[row.solver] = ax.plot([x], [y], **style)[0]
        low, high = ax.get_xlim()
        if low > 0 and high > 10 * low:  # a log axis has few labels inside one power of ten
            ax.set_xscale("log")
        ax.set_xlabel(label)
        ax.grid()
        if not ax.get_subplotspec().colspan.start:
            ax.set_ylabel(findings.measure)
    return lines


def line_style(number: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the solver, or other line, with a number."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "ls": DASHES[number // len(COLOURS) % len(DASHES)],
        "lw": 1.3,
    }


def _names(findings: Findings) -> list[str]:
    return _drawn(findings.evidence.solvers)


def _drawn(names: Sequence[str]) -> list[str]:
    """Return names for a figure; $ would start a formula, and long ones are cut in the middle."""
    return [name.replace("$", r"\$") for name in cut([*map(shown, names)], NAME)]


def _legend(figure: Figure, lines: Lines, findings: Findings) -> None:
    names = _names(findings)
    told = [names[solver] for solver in lines]
    look: Any = {"loc": "outside lower center", "ncols": 3, "fontsize": 7, "frameon": False}
    figure.legend([*lines.values()], told, **look)


def _square(x: int, y: int, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", lw=1)


def _require_several(findings: Findings) -> None:
    count = len(findings.evidence.finished)
    if count < 2:
        raise ParameterError(
            f"this figure is about several data sets, and the folder has {count} that are "
            "finished; draw leaderboard, curves, roc or pareto"
        )


GLOBAL_FIGURES: dict[str, Callable[[Figure, Findings], None]] = {
    "leaderboard": _leaderboard,
    "pairs": _pairs,
    "cd": _cd,
    "profile": _profile,
}
LOCAL_FIGURES: dict[str, tuple[Callable[[Figure, Findings, Inside], Lines], str]] = {
    "curves": (_curves, "learning curves"),
    "roc": (_roc, "scores with labels"),
    "pareto": (_pareto, "values with a cost"),
}
FIGURES = (*GLOBAL_FIGURES, *LOCAL_FIGURES)
