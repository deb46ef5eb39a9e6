"""Draw the figures of the pages from the tables and the code blocks of the same page.

So a figure cannot say anything else than its page. (The page on growth has its table from a file,
and so has its figure.) A page asks for one with

    <!-- figure NAME: what it shows, as a caption -->

Figures have the colours, markers and dashes of the report. Axes and words take the colour of the
text around them, so that one figure serves the light and the dark mode.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from matplotlib import rc_context
from page_growth import per_size
from page_scale import per_row
from page_tables import Table, code, table

from aucbench.report.figures import WIDTH, line_style, render_figure

ASKED = re.compile(r"^<!-- figure (\w+): (.+) -->$", re.MULTILINE)
INK = "#010203"  # becomes the colour of the text
PARTS = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
SETTINGS = {
    **dict.fromkeys(PARTS, INK),
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "grid.color": "#8888884d",
    "svg.fonttype": "none",  # words stay words, which can be searched and read aloud
}


def with_figures(page: str) -> str:
    """Return a page with its figures in place of what asks for them.

    Raises
    ------
    ValueError
        When there is no such figure.
    """

    def one(asked: re.Match[str]) -> str:
        name, caption = asked[1], " ".join(asked[2].split())
        if name not in FIGURES:
            raise ValueError(f"there is no figure {name}; known are {', '.join(FIGURES)}")
        return figure(name, caption, page)

    return ASKED.sub(one, page)


def figure(name: str, caption: str, page: str) -> str:
    """Return a figure as HTML, drawn from the text of its page."""
    return drawn(name, caption, lambda empty: FIGURES[name](empty, page))


def drawn(name: str, caption: str, draw: Callable[[Any], None]) -> str:
    """Return as HTML what a function draws in an empty figure; `name` is unique on its page."""
    with rc_context(SETTINGS):
        plain = render_figure(draw, ".svg").decode()
    svg = plain[plain.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r"font: (?:\w+ )?([\d.]+px) [^;\"]*", r"font-size: \1", svg)  # of the page
    svg = re.sub(r'((?:\bid|href)="#?|url\(#)', rf"\g<1>{name}-", svg)  # ids are of a whole page
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(caption)}" ', 1)
    one_line = re.sub(r"\s*\n\s*", " ", svg)  # Markdown ends a block at an empty line
    return (
        f'<figure class="drawn">{one_line}<figcaption>{html.escape(caption)}</figcaption></figure>'
    )


def lines(ax: Any, x: Sequence[float], named: dict[str, Any], first: int = 0, **style: Any) -> None:
    """Draw a line with markers for each name; values that are missing are left out."""
    for number, (name, y) in enumerate(named.items(), first):
        known = ~np.isnan(y)
        look = {**line_style(number), "ms": 4, "label": name, **style}
        ax.plot(np.asarray(x)[known], np.asarray(y)[known], **look)


def log_axes(ax: Any, x: str, y: str) -> None:
    """Make both axes logarithmic, and name them."""
    ax.set(xscale="log", yscale="log", xlabel=x, ylabel=y)
    ax.grid(lw=0.5)


def _speed_ratios(empty: Any, page: str) -> None:
    """How many times as fast each call is as its peer, with the quartiles of the rounds."""
    from page_speed import rows

    found = rows("kernels")
    names = [f"{row['what']} / {row['peer']}".replace("`", "") for row in found]
    empty.set_size_inches(WIDTH, 0.8 + 0.22 * len(names))
    ax = empty.subplots()
    for number, group in enumerate(dict.fromkeys(row["group"] for row in found)):
        places = [place for place, row in enumerate(found) if row["group"] == group]
        middle, low, high = np.array([found[place]["ratio"] for place in places]).T
        style = {**line_style(number), "ls": "", "ms": 4, "elinewidth": 1}
        ax.errorbar(middle, places, xerr=[middle - low, high - middle], **style)
    ax.axvline(1, color=INK, lw=1)
    ax.set_yticks(range(len(names)), names, fontsize=6)
    ax.set(xscale="log", xlabel="times as fast as the peer")
    ax.invert_yaxis()
    ax.grid(axis="x", lw=0.5)


def _speed_published(empty: Any, page: str) -> None:
    """Our time and that of published code, joined by a line."""
    from page_speed import published

    found = published()
    ours, theirs = ([1e3 * row["time"] for row, _ in found], [1e3 * s for _, s in found])
    empty.set_size_inches(WIDTH, 1.0 + 0.26 * len(found))
    ax = empty.subplots()
    for place, both in enumerate(zip(ours, theirs, strict=True)):
        ax.plot(both, [place, place], color=INK, lw=0.8, alpha=0.5)
    for number, (label, values) in enumerate((("aucbench", ours), ("published code", theirs))):
        ax.plot(values, range(len(found)), **{**line_style(number), "ls": ""}, label=label)
    names = [row["what"].replace("`", "") for row, _ in found]
    ax.set_yticks(range(len(found)), names, fontsize=7)
    ax.set(xscale="log", xlabel="ms")
    ax.invert_yaxis()
    ax.grid(axis="x", lw=0.5)
    empty.legend(loc="outside lower center", ncols=2)


def _speed_soon(empty: Any, page: str) -> None:
    """Seconds until the AUC that counts; a method that never has it has no mark."""
    from page_speed import soonest

    empty.set_size_inches(WIDTH, 3.6)
    axes = empty.subplots(1, 2, sharey=True)
    number = 0
    for ax, linear in zip(axes, (True, False), strict=True):
        found = soonest(linear)
        for method in dict.fromkeys(name for of in found.values() for name in of):
            x = [of.get(method, (None, 0.0))[0] for of in found.values()]
            style = {**line_style(number), "ls": "", "ms": 5, "label": method.replace("`", "")}
            ax.plot([np.nan if each is None else each for each in x], range(len(x)), **style)
            number += 1
        ax.set(xscale="log", xlabel="seconds", title="linear scores" if linear else "any scores")
        ax.set_yticks(range(len(found)), found)
        ax.grid(lw=0.5)
    axes[0].invert_yaxis()
    empty.legend(loc="outside lower center", ncols=4, fontsize=7)


def _speed_bounds(empty: Any, page: str) -> None:
    """The share of the bound in the time of each kernel."""
    from page_speed import rows

    found = rows("bounds")
    empty.set_size_inches(WIDTH, 0.8 + 0.2 * len(found))
    ax = empty.subplots()
    shares = [100 * row["share"][0] for row in found]
    ax.barh(range(len(found)), shares, color=line_style(0)["color"], height=0.6)
    ax.axvline(100, color=INK, lw=1)
    ax.set_yticks(range(len(found)), [row["what"].replace("`", "") for row in found], fontsize=6)
    ax.set(xlabel="bound / time, %")
    ax.invert_yaxis()
    ax.grid(axis="x", lw=0.5)


def _roc_svm_seconds(empty: Any, page: str) -> None:
    empty.set_size_inches(WIDTH, 3.3)
    axes = empty.subplots(1, 2, sharey=True)
    for ax, model in zip(axes, ("linear", "radial"), strict=True):
        found = table(page, f"{model} model, rows")
        named = {
            name.replace("`", ""): _seconds(found, 2 + j) for j, name in enumerate(found.header[2:])
        }
        lines(ax, found.numbers(0), named)
        log_axes(ax, "rows", "")
        ax.set_title(f"{model} model")
        ax.legend(fontsize=6.5, loc="upper left")
    axes[0].set(ylabel="seconds of a fit", ylim=(1e-3, 1e4))


def _seconds(found: Table, column: int) -> np.ndarray:
    """Return the number before the s of each cell; NaN where a cell is empty."""
    cells = [re.search(r"([\d.]+) s$", row[column]) for row in found.rows]
    return np.array([float(cell[1]) if cell else np.nan for cell in cells])


def _ranges(empty: Any, page: str) -> None:
    """The area up to β of each data set, by what was trained."""
    found = table(page, "range, `rest")
    names = [*dict.fromkeys(found.text(0))]
    empty.set_size_inches(WIDTH, 4.4)
    axes = empty.subplots(2, 2, sharex=True).flat
    for ax, name in zip(axes, names, strict=True):
        at = np.array([of == name for of in found.text(0)])
        columns = ("range", "range and all pairs", "all pairs")
        beta = found.numbers(1)[at]
        lines(ax, beta, {of: found.numbers(2 + j)[at] for j, of in enumerate(columns)})
        ax.plot(beta, beta / 2, color=INK, lw=0.8, ls=":", label="chance")
        ax.set(title=name, xscale="log", ylim=(0, 1))
        ax.set_xticks(beta, [f"{one:g}" for one in beta])
        ax.set_xticks([], minor=True)
        ax.grid(lw=0.5)
    for ax in empty.axes[2:]:
        ax.set_xlabel("β")
    empty.legend(*empty.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)


def _additive(empty: Any, page: str) -> None:
    """Mean AUC and seconds of additive models and trees."""
    found = table(page, "less that of `ebm`")
    empty.set_size_inches(WIDTH, 3.4)
    ax = empty.subplots()
    certified = [bool(word) for word in found.text(6)]
    for number, (label, side) in enumerate((("certified", True), ("peers", False))):
        at = [i for i, one in enumerate(certified) if one is side]
        style = {**line_style(number), "ls": "", "ms": 5, "label": label}
        ax.plot([found.numbers(5)[i] for i in at], [found.numbers(1)[i] for i in at], **style)
    for name, seconds, score in zip(found.text(0), found.numbers(5), found.numbers(1), strict=True):
        words = {"xytext": (4, 3), "textcoords": "offset points", "fontsize": 7}
        ax.annotate(name, (seconds, score), **words)
    ax.set(xscale="log", xlabel="seconds of a fit", ylabel="mean AUC")
    ax.margins(x=0.15)
    ax.grid(lw=0.5)
    ax.legend(fontsize=7, loc="lower right")


def _choice(empty: Any, page: str) -> None:
    """Mean AUC and time of the solvers of the study, with the front of both."""
    from page_choice import CURVED, measured, standings

    found = standings(measured()).sort_values("seconds")
    empty.set_size_inches(WIDTH, 3.8)
    ax = empty.subplots()
    best = found[found["auc"] > found["auc"].cummax().shift(fill_value=0)]
    ax.step(best["seconds"], best["auc"], where="post", color="#888888", lw=1)
    for number, (label, kept) in enumerate(
        (("linear", ~found.index.isin(CURVED)), ("trees and kernels", found.index.isin(CURVED)))
    ):
        style = {**line_style(number), "ls": "", "ms": 5, "label": label}
        ax.plot(found["seconds"][kept], found["auc"][kept], **style)
    for solver in found.index[found.index.isin([*best.index, *CURVED, "logistic", "oam-gra"])]:
        at = (found.loc[solver, "seconds"], found.loc[solver, "auc"])
        words = {"xytext": (4, 3), "textcoords": "offset points", "fontsize": 7}
        ax.annotate(solver, at, **words)
    ax.set(xscale="log", xlabel="seconds of a fit", ylabel="mean AUC over groups of tasks")
    ax.margins(x=0.15)
    ax.grid(lw=0.5)
    ax.legend(loc="upper left")


def _how_soon(empty: Any, page: str) -> None:
    """Seconds to 99.5 % of the best AUC; a bracket says that it was not reached."""
    found = table(page, "rows × features")
    empty.set_size_inches(WIDTH, 0.9 + 0.35 * len(found.rows))
    ax = empty.subplots()
    for number, name in enumerate(found.header[2:]):
        cells = [row[2 + number] for row in found.rows]
        x = [np.nan if "(" in cell else float(cell) for cell in cells]
        style = {**line_style(number), "ls": "", "ms": 6, "label": name.replace("`", "")}
        ax.plot(x, range(len(x)), **style)
    ax.set_yticks(range(len(found.rows)), found.text(0))
    ax.set(xscale="log", xlabel="seconds until 99.5 % of the best test AUC")
    ax.invert_yaxis()
    ax.grid(lw=0.5)
    empty.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=5)


def _within(empty: Any, page: str) -> None:
    """Differences of the pairs of the block, and the region of practical equivalence."""
    found = _run(code(page, "import Fold, SplitTest"))["found"]
    empty.set_size_inches(WIDTH, 0.9 + 0.4 * len(found.pairs))
    ax = empty.subplots()
    ax.axvspan(-0.005, 0.005, color="#88888840", lw=0)
    ax.axvline(0, color=INK, lw=0.8)
    for place, pair in enumerate(found.pairs):
        d, style = pair.verdict, line_style(place)
        ax.plot([d.low, d.high], [place, place], color=style["color"], lw=1.5)
        ax.plot([d.estimate], [place], **{**style, "ls": ""})
        ax.text(0.007, place, str(pair.word), va="center", fontsize=8)
    ax.set_yticks(range(len(found.pairs)), [f"{p.a} − {p.b}" for p in found.pairs])
    ax.set(ylim=(len(found.pairs) - 0.5, -0.5), xlabel="difference of the AUC, 95 % interval")


def _across(empty: Any, page: str) -> None:
    """Differences of two solvers on each data set of the block: what scatters."""
    names = _run(code(page, "import Advice, ResultTable"))
    aucs, solvers = names["aucs"], names["names"]
    pairs = ((0, 1), (0, 2), (1, 2))
    empty.set_size_inches(WIDTH, 2.2)
    ax = empty.subplots()
    ax.axvspan(-0.005, 0.005, color="#88888840", lw=0)
    ax.axvline(0, color=INK, lw=0.8)
    for place, (a, b) in enumerate(pairs):
        gains = aucs[:, a] - aucs[:, b]
        x = gains[~np.isnan(gains)]
        y = place + np.linspace(-0.25, 0.25, x.size)
        ax.plot(x, y, **{**line_style(place), "ls": "", "ms": 4, "alpha": 0.8})
    ax.set_yticks(range(3), [f"{solvers[a]} − {solvers[b]}" for a, b in pairs])
    ax.set(ylim=(2.5, -0.5), xlabel="difference of the mean AUC on a data set")
    ax.grid(axis="x", lw=0.5)


def _splits(empty: Any, page: str) -> None:
    """Which rows of a small table are learnt from, and which are tested, by each rule."""
    from aucbench.data import Data
    from aucbench.data.folds import splits

    n, rng = 48, np.random.default_rng(0)
    customer = np.clip((np.arange(n) + rng.integers(-8, 9, n)) // 6, 0, 7)
    day, y = np.arange(n) * 1.0, np.arange(n) % 2
    rules = {
        "no option": {},
        "--groups": {"groups": customer},
        "--time": {"times": day},
        "--groups --time": {"groups": customer, "times": day},
    }
    empty.set_size_inches(WIDTH, 3.6)
    axes = empty.subplots(4, 1, sharex=True)
    looks = {"learnt from": line_style(5)["color"], "tested": line_style(1)["color"]}
    for ax, (rule, words) in zip(axes, rules.items(), strict=True):
        data = Data.of(np.zeros((n, 1)), y, **words)
        for place, (learnt, held) in enumerate(splits(data, 4, 0)):
            for rows, colour in zip((learnt, held), looks.values(), strict=True):
                marks = "s" if colour == looks["tested"] else "o"
                size = 13 if marks == "s" else 5
                ax.scatter(rows, np.full(len(rows), place), s=size, color=colour, marker=marks)
        ax.set_yticks(range(4), [f"split {j + 1}" for j in range(4)], fontsize=7)
        ax.set(ylim=(3.6, -0.6), title=rule)
        ax.title.set_fontsize(8)
    axes[-1].set_xlabel("row, in the order of its time")
    handles = [
        axes[0].scatter([], [], color=colour, marker="s" if name == "tested" else "o", label=name)
        for name, colour in looks.items()
    ]
    empty.legend(handles=handles, loc="outside lower center", ncols=2)


def _thresholds(empty: Any, page: str) -> None:
    """The ROC curve of the block with its thresholds, and what each threshold finds."""
    from aucbench.metrics import Cuts

    names = _run(code(page, "chosen ="))
    tp, fp = Cuts.of(names["y"], names["scores"]).counts()
    cuts = names["scores"]
    empty.set_size_inches(WIDTH, 3.3)
    left, right = empty.subplots(1, 2)
    left.plot(fp / fp[-1], tp / tp[-1], color=line_style(5)["color"], lw=1.3)
    left.plot([0, 1], [0, 1], color=INK, lw=0.6, ls=":")
    at = np.quantile(cuts, np.linspace(0, 1, 200))
    positive = names["y"] > 0
    right.plot(at, [np.mean(cuts[positive] >= t) for t in at], color="#0072b2", label="sensitivity")
    shares = [np.mean(cuts[~positive] < t) for t in at]
    right.plot(at, shares, color="#d55e00", ls="--", label="specificity")
    shares = [np.mean(positive[cuts >= t]) for t in at]
    right.plot(at, shares, color="#008a66", ls="-.", label="precision")
    for number, (aim, threshold) in enumerate(names["chosen"].items()):
        found = cuts >= threshold
        style = {**line_style(number), "ls": "", "ms": 6, "label": aim}
        left.plot([np.mean(found[~positive])], [np.mean(found[positive])], **style)
        right.axvline(threshold, color=style["color"], lw=0.8, ls=":")
    left.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    left.legend(fontsize=7, loc="lower right")
    right.set(xlabel="threshold", ylabel="share of the rows")
    right.legend(fontsize=7, loc="lower left")
    for ax in (left, right):
        ax.grid(lw=0.5)


def _run(block: str) -> dict[str, Any]:
    """Run a block of the page, and return its names."""
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(block, names)
    return names


def _shapes(empty: Any, page: str) -> None:
    """Draw the curves that the block computes, a panel for each column."""
    curves = _run(code(page, 'AUCClassifier("additive")'))["curves"]
    empty.set_size_inches(WIDTH, 3.2)
    panels = empty.subplots(2, 3, sharey=True)
    for panel, (column, curve) in zip(panels.ravel(), curves.items(), strict=True):
        panel.plot(*curve, **{**line_style(0), "marker": "", "lw": 1.5})
        panel.set_title(column, fontsize=8)
        panel.grid(lw=0.5)
    empty.supylabel("score", fontsize=8)


def _growth(empty: Any, page: str) -> None:
    """Nanoseconds for each unit of size: a level line is linear growth."""
    empty.set_size_inches(WIDTH, 3.4)
    left, right = empty.subplots(1, 2)
    scores = ("AUC", "pairwise hinge", "pairwise squared hinge", "AUM and its gradient")
    rows = {
        "X w, dense, 20 features": "n",
        "X w, CSR": "nnz",
        "pass of sht-auc": "n",
        "pass of spam-l1": "nnz",
    }
    for number, what in enumerate(scores):
        left.plot(*per_size(what, "n"), **{**line_style(number), "ms": 4, "label": what})
    for number, (what, of) in enumerate(rows.items(), len(scores)):
        style = {**line_style(number), "ms": 4, "label": f"{what} ({of})"}
        right.plot(*per_size(what, of), **style)
    log_axes(left, "scores n", "ns of a core for each")
    log_axes(right, "rows n, or stored values nnz", "")
    for ax in (left, right):
        ax.legend(fontsize=6.5)


def _scale(empty: Any, page: str) -> None:
    """Nanoseconds of two threads for each row: a level line is linear growth."""
    ax = empty.subplots()
    lines_of = {
        "decode all columns": ("readings", "reading"),
        "an evaluation, 1024 bins": ("readings", "1024 bins"),
        "svm-or, certified": ("svm-or", ""),
        "ls-svm, certified": ("ls-svm", ""),
        "rank-svm, certified": ("rank-svm", ""),
    }
    for number, (name, asked) in enumerate(lines_of.items()):
        ax.plot(*per_row(*asked), **{**line_style(number), "ms": 4, "label": name})
    log_axes(ax, "rows", "ns for each row")
    ax.legend(fontsize=7)


def _losses(empty: Any, page: str) -> None:
    """CPU time for each score, and what exact pairs change on each table."""
    from page_losses import FAMILIES, rows, short, times

    empty.set_size_inches(WIDTH, 4.4)
    left, right = empty.subplots(1, 2)
    ways = {
        "aucbench": ("squared-hinge", "aucbench"),
        "aucbench, aum": ("aum", "aucbench"),
        "aucbench in torch": ("squared-hinge, float32", "aucbench in torch"),
        "a matrix of all pairs": ("squared hinge, a matrix of all pairs", "torch"),
        "LibAUC AUCM": ("AUCMLoss", "LibAUC"),
        "lambdarank": ("lambdarank", "LightGBM"),
        "no truncation": ("lambdarank, no truncation", "LightGBM"),
    }
    for number, (name, asked) in enumerate(ways.items()):
        n, seconds = times(*asked)
        each = [1e9 * time / size for time, size in zip(seconds, n, strict=True)]
        left.plot(n, each, **{**line_style(number), "ms": 4, "label": name})
    log_axes(left, "scores n", "ns of a core for each, value and gradient")
    left.legend(fontsize=6.5, loc="upper right")
    exact = ("exact squared-hinge", "exact squared-hinge, all rows")
    found = [row for row in rows("tables") if short(row["method"]) in exact]
    names = [*dict.fromkeys(row["set"] for row in found)]
    right.axvspan(-0.005, 0.005, color="#88888840", lw=0)
    right.axvline(0, color=INK, lw=0.8)
    for number, family in enumerate(FAMILIES):
        mine = {row["set"]: row["auc"] for row in found if row["family"] == family}
        for name, auc in mine.items():
            place = names.index(name) + 0.18 * (number - 1.5)
            right.plot(auc["within"], [place, place], color=line_style(number)["color"], lw=1)
            style = {**line_style(number), "ls": "", "ms": 3.5}
            first = name == next(iter(mine))
            right.plot(auc["less"], place, **style, label=family if first else None)
    right.set_yticks(range(len(names)), names, fontsize=7)
    right.set(xlabel="AUC of exact pairs less that of the loss of rows")
    right.invert_yaxis()
    right.grid(axis="x", lw=0.5)
    right.legend(fontsize=6.5)


FIGURES: dict[str, Callable[[Any, str], None]] = {
    "speed_ratios": _speed_ratios,
    "speed_soon": _speed_soon,
    "speed_bounds": _speed_bounds,
    "speed_published": _speed_published,
    "roc_svm_seconds": _roc_svm_seconds,
    "ranges": _ranges,
    "choice": _choice,
    "additive": _additive,
    "shapes": _shapes,
    "how_soon": _how_soon,
    "within": _within,
    "across": _across,
    "splits": _splits,
    "thresholds": _thresholds,
    "growth": _growth,
    "scale": _scale,
    "losses": _losses,
}
