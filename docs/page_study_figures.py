"""Figures of the page of the study; each draws what `page_study_answers` has computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from page_figures import INK
from page_study_answers import (
    BEST,
    CURVED,
    LOSSES,
    SPARSE,
    SURROGATES,
    Split,
    Study,
    Tree,
    beside_the_best,
    leaves_of,
)

from aucbench.report.figures import WIDTH, line_style
from aucbench.stats import ROPE, Pair, Word

COLOURS = {  # of a word: those of the report, and a marker, since colour alone tells nothing
    Word.BETTER: ("#0072b2", "^"),
    Word.WORSE: ("#d55e00", "v"),
    Word.EQUIVALENT: ("#008a66", "s"),
    Word.UNCLEAR: ("#6b6b6b", "o"),
}
BAND = {"color": "#88888840", "lw": 0}
TICKS = (-0.2, -0.1, -0.05, -0.02, -0.01, -0.005, 0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
FAR = 0.5  # a bound beyond, as of a solver that failed often, is drawn here
ARMS = {
    "tuned": "tuned",
    "default": "by default",
    "seconds": "tuned in equal seconds",
    "large": "by default, up to 50 000 rows",
}


def minus(text: str) -> str:
    """Return a number with the sign that print has for it."""
    return text.replace("-", "−").replace("inf", "∞")


def label(pair: Pair, pairs: Sequence[Pair]) -> str:
    """Return the first solver of a pair; both where the second is not that of all."""
    own = pair.b.startswith(f"{pair.a}, ")  # the same solver in another arm
    return pair.a if own or len({one.b for one in pairs}) == 1 else f"{pair.a} − {pair.b}"


def forest(empty: Any, pairs: Sequence[Pair], x: str) -> None:
    """Draw differences with their intervals, the region of equivalence, and the words."""
    ordered = sorted(pairs, key=lambda pair: -pair.difference.estimate)
    empty.set_size_inches(WIDTH, 1.1 + 0.21 * len(ordered))
    ax = empty.subplots()
    if not ordered:
        ax.axis("off")
        ax.text(0.5, 0.5, "not run", ha="center")
        return
    ax.set_xscale("symlog", linthresh=ROPE, linscale=0.5)
    ax.axvspan(-ROPE, ROPE, **BAND)
    ax.axvline(0, color=INK, lw=0.8)
    for place, pair in enumerate(ordered):
        d, (colour, marker) = pair.difference, COLOURS[pair.word]
        low, effect, high = np.clip(np.nan_to_num([d.low, d.estimate, d.high]), -FAR, FAR)
        ax.plot([low, high], [place, place], color=colour, lw=1.5)
        ax.plot([effect], [place], color=colour, marker=marker, ls="", ms=5)
    ends = np.clip([b for p in ordered for b in (p.difference.low, p.difference.high)], -FAR, FAR)
    low, high = min(-0.02, 1.1 * np.nanmin(ends)), max(0.02, 1.1 * np.nanmax(ends))
    shown = [tick for tick in TICKS if low <= tick <= high]
    ax.set_xticks(shown, [minus(f"{tick:g}") for tick in shown], fontsize=7)
    ax.set_xticks([], minor=True)
    ax.set_yticks(range(len(ordered)), [label(pair, pairs) for pair in ordered], fontsize=8)
    ax.set(xlim=(low, high), ylim=(len(ordered) - 0.5, -0.5), xlabel=x)
    ax.grid(axis="x", lw=0.5)
    there = [word for word in COLOURS if any(pair.word is word for pair in ordered)]
    marks = [_mark(ax, *COLOURS[word], str(word)) for word in there]
    empty.legend(handles=marks, loc="outside lower center", ncols=4)


def _mark(ax: Any, colour: str, marker: str, label: str) -> Any:
    return ax.plot([], [], color=colour, marker=marker, ls="-", lw=1.5, ms=5, label=label)[0]


def _question(key: str, x: str = "difference of the AUC") -> Callable[[Any, Study], None]:
    def draw(empty: Any, study: Study) -> None:
        answers = {"all": study.everyone} if key == "all" else study.answers[key]
        pairs = [pair for answer in answers.values() for pair in answer.pairs]
        forest(empty, pairs, f"{x}, 95 % interval")

    return draw


def _boosted(empty: Any, study: Study) -> None:
    """Draw exact losses of pairs less the usual ones, in each arm."""
    names = [one.names for one in LOSSES]
    pairs = [
        replace(pair, b=f"{pair.b}, {ARMS[arm]}")
        for arm, answer in study.answers["g"].items()
        for pair in answer.pairs
        if (pair.a, pair.b) in names
    ]
    forest(empty, pairs, "difference of the AUC, 95 % interval")


def _networks(empty: Any, study: Study) -> None:
    forest(empty, study.answers["h"]["AUC"].pairs, "difference of the AUC, 95 % interval")


def _sparse(empty: Any, study: Study) -> None:
    """Draw sht-auc less other sparse solvers, at each number of features."""
    pairs = [
        replace(pair, b=f"{pair.b}, {SPARSE[arm]}")
        for arm, answer in study.answers["i"].items()
        for pair in answer.pairs
    ]
    forest(empty, pairs, "difference of the AUC, 95 % interval")


def _slopes(empty: Any, study: Study) -> None:
    """Draw the slopes of each contrast: alone a thick line, together a thin one."""
    columns = 3
    lines = -(-len(study.slopes) // columns)
    empty.set_size_inches(WIDTH, 0.6 + 1.75 * lines)
    panels = empty.subplots(lines, columns, squeeze=False, sharey=True)
    names = [
        one.name for one in max(study.slopes, key=lambda s: len(s.together.slopes)).together.slopes
    ]
    for ax, one in zip(panels.flat, study.slopes, strict=False):
        ax.axvspan(-ROPE, ROPE, **BAND)
        ax.axvline(0, color=INK, lw=0.8)
        for slope in one.together.slopes:
            place, d, f = names.index(slope.name), slope.difference, one.factor
            certain = slope.low > 0 or slope.high < 0
            colour, marker = COLOURS[Word.BETTER if certain else Word.UNCLEAR]
            ax.plot([f * slope.low, f * slope.high], [place, place], color=colour, lw=0.7)
            ax.plot([f * d.low, f * d.high], [place, place], color=colour, lw=2.2)
            ax.plot([f * d.estimate], [place], color=colour, marker=marker, ls="", ms=4)
        ax.set_title(one.name, fontsize=7)
        ax.set_yticks(range(len(names)), names, fontsize=7)
        ax.tick_params(axis="x", labelsize=6)
        ax.locator_params(axis="x", nbins=4)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(axis="x", lw=0.5)
    for ax in panels.flat[len(study.slopes) :]:
        ax.set_visible(False)
    empty.supxlabel("AUC for one standard deviation more", fontsize=8)


def _ranks(empty: Any, study: Study) -> None:
    """Draw the ranks that each solver may have."""
    found = study.ranks
    order = sorted(range(len(found.names)), key=lambda j: (found.low[j], found.high[j]))
    empty.set_size_inches(WIDTH, 0.8 + 0.19 * len(order))
    ax = empty.subplots()
    for place, j in enumerate(order):
        star = study.best.possible[study.best.names.index(found.names[j])]
        colour, marker = COLOURS[Word.BETTER if star else Word.UNCLEAR]
        ax.plot([found.low[j], found.high[j]], [place, place], color=colour, lw=2)
        ax.plot(
            [found.low[j], found.high[j]], [place, place], color=colour, marker=marker, ms=3, ls=""
        )
    ax.set_yticks(range(len(order)), [found.names[j] for j in order], fontsize=8)
    ax.set(ylim=(len(order) - 0.5, -0.5), xlabel="rank, 95 % for all solvers together")
    ax.grid(axis="x", lw=0.5)
    marks = [
        _mark(ax, *COLOURS[Word.BETTER], "may be the best"),
        _mark(ax, *COLOURS[Word.UNCLEAR], "is not, or probably not"),
    ]
    empty.legend(handles=marks, loc="outside lower center", ncols=2)


def _pareto(empty: Any, study: Study) -> None:
    """Draw mean AUC against seconds, a panel for each arm, with the front."""
    arms = study.arms()
    empty.set_size_inches(WIDTH, 0.8 + 2.3 * len(arms))
    panels = empty.subplots(len(arms), 1, squeeze=False, sharex=True)[:, 0]
    for ax, arm in zip(panels, arms, strict=True):
        of, front = study.costs[study.costs["arm"] == arm], study.front(arm)
        ax.step(front["seconds"], front["auc"], where="post", color="#888888", lw=1)
        curved = of["solver"].isin(CURVED)
        for number, (name, kind) in enumerate((("linear scores", ~curved), ("curved", curved))):
            style = {**line_style(number), "ls": "", "ms": 5, "label": name}
            ax.plot(of["seconds"][kind], of["auc"][kind], **style)
        ax.set(xscale="log", ylabel="mean AUC")
        ax.set_title(ARMS[arm], fontsize=8)
        ax.margins(x=0.15, y=0.1)
        ax.grid(lw=0.5)
    for ax, arm in zip(panels, arms, strict=True):  # when all panels have their limits
        _named(ax, study.front(arm))
    panels[-1].set_xlabel("seconds of tuning and fit, geometric mean over groups")
    empty.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)


def _named(ax: Any, front: Any) -> None:
    """Write the names of the front beside its points, each below those that it would hide."""
    height, width = 0.07, 0.013  # of a line, and of a letter, as shares of the panel
    to_panel = ax.transData + ax.transAxes.inverted()
    ax.autoscale_view()
    taken: list[tuple[float, float, float]] = []
    for row in front.sort_values("auc", ascending=False).itertuples():
        x, y = to_panel.transform((row.seconds, row.auc))
        left = x + width * (len(row.solver) + 1) > 1.0  # no room on the right
        x = x - 0.01 - width * len(row.solver) if left else x + 0.015
        mine = width * len(row.solver)
        while any(
            abs(y - other) < height and x < start + length and start < x + mine
            for start, other, length in taken
        ):
            y -= height / 4
        taken.append((x, y, mine))
        ax.text(x, y, row.solver, transform=ax.transAxes, fontsize=7, va="center")


def _tree(empty: Any, study: Study) -> None:
    """Draw the tree from left to right, its leaves below each other."""
    leaves = leaves_of(study.tree.tree)
    empty.set_size_inches(WIDTH, 0.5 + 0.5 * len(leaves))
    ax = empty.subplots()
    ax.axis("off")
    _branch(ax, study.tree.tree, 0, 0)
    ax.set(xlim=(-0.1, 4.2), ylim=(len(leaves) - 0.4, -0.6))


def _branch(ax: Any, tree: Tree, column: int, first: int) -> float:
    """Draw a tree whose first leaf has this place; return the place of its root."""
    look = {"fontsize": 7.5, "va": "center", "ha": "left"}
    if not isinstance(tree, Split):
        text = f"{tree.solver}\nloses {tree.regret:.4f}; {tree.families:.0f} groups"
        ax.text(column, first, text, **look, fontweight="bold")
        return float(first)
    half = len(leaves_of(tree.yes))
    ends = (
        _branch(ax, tree.yes, column + 1, first),
        _branch(ax, tree.no, column + 1, first + half),
    )
    place = sum(ends) / 2
    for end, word in zip(ends, ("yes", "no"), strict=True):
        ax.plot([column + 0.62, column + 0.95], [place, end], color=INK, lw=0.8)
        ax.text(column + 0.78, (place + end) / 2, word, fontsize=6.5, ha="center", va="bottom")
    ax.text(
        column, place, asked(tree).replace(" of the ", " of\nthe ").replace(" ≤", "\n≤"), **look
    )
    return place


def asked(split: Split) -> str:
    """Return the question of a split in words."""
    if split.question == "categories":
        return "numbers only?"
    shown = f"{split.threshold:.3f}" if split.threshold < 1 else f"{split.threshold:,.0f}"
    return f"{split.question} ≤ {shown.replace(',', ' ')}?"


def _two_features(empty: Any, study: Study) -> None:
    """Draw what losses lack to the best AUC of two features: a point is a pair of features."""
    names = [*SURROGATES]
    empty.set_size_inches(WIDTH, 1.2 + 0.42 * len(names))
    for ax, differences, rows in zip(
        empty.subplots(1, 2, sharey=True),
        beside_the_best().values(),
        ("training", "test"),
        strict=True,
    ):
        ax.set_xscale("symlog", linthresh=0.001, linscale=0.5)
        ax.axvspan(-ROPE, ROPE, **BAND)
        ax.axvline(0, color=INK, lw=0.8)
        for place, name in enumerate(names):
            x = np.sort(differences[name])
            y = place + np.linspace(-0.3, 0.3, x.size)
            ax.plot(x, y, **{**line_style(place), "ls": "", "ms": 2.5})
        ticks = [tick for tick in (-0.1, -0.01, -0.001, 0, 0.001, 0.01) if tick <= 0 or x.max() > 0]
        ax.set_xticks(ticks, [minus(f"{tick:g}") for tick in ticks], fontsize=7)
        ax.set_xticks([], minor=True)
        ax.set_yticks(range(len(names)), [f"{n}\n{SURROGATES[n]}" for n in names], fontsize=7)
        ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=f"AUC of {rows} rows, less that of {BEST}")
        ax.grid(axis="x", lw=0.5)


LESS = "AUC less that of logistic"
FIGURES: dict[str, Callable[[Any, Study], None]] = {
    "all": _question("all", LESS),
    "a": _question("a", LESS),
    "b": _question("b"),
    "c": _question("c"),
    "d": _question("d", LESS),
    "tuning": _question("e", "AUC tuned, less by default"),
    "boosted": _boosted,
    "networks": _networks,
    "sparse": _sparse,
    "slopes": _slopes,
    "ranks": _ranks,
    "pareto": _pareto,
    "tree": _tree,
    "two_features": _two_features,
}
