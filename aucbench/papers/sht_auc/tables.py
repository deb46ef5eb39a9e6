"""Tables I and II: AUC, and F1 and Jaccard index of the support, on four simulated sets.

Both are made from the same cells, so that the second one needs no fit.
"""

from __future__ import annotations

from aucbench.bench.plan.plan import Plan
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Entry, Line, Protocol, Published, Scale
from aucbench.papers.sht_auc import published
from aucbench.papers.sht_auc.claims import best_auc, best_support
from aucbench.papers.sht_auc.methods import (
    PASSES,
    methods,
    notes,
    of_map,
    simulated,
    support_measure,
)

SHARE = 0.05  # r, of positives
TRIALS = {Scale.QUICK: 2, Scale.FULL: 5}
POINTS = {Scale.QUICK: 12, Scale.FULL: 50}  # of a grid; the paper has 40 to 147
INNER = {Scale.QUICK: 3, Scale.FULL: 5}
NOTES = {
    Scale.QUICK: "Quick: two trials of the five, 12 points of each grid and three inner folds.",
    Scale.FULL: "Each method tries 50 points of its grid, or all if it has fewer: 50 of 50 for "
    "SHT-AUC and StoIHT, 40 of 40 for HSG-HT, 50 of 96 for SPAM, of 84 for SOLAM and of 147 for "
    "FSAUC. The points that are left out are between those that are tried.",
}
INCONSISTENT = (
    "In a run the Jaccard index is F1/(2 − F1), a convex function, so that the mean of the first "
    "is at least that function of the mean of the second. In {} of the 28 places the paper prints "
    "a smaller one, so that the two halves of table II cannot come from the same runs there."
)


def table_1(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table I: the test AUC."""
    plan, lines = _cells(scale, protocol)
    return Experiment(
        paper="sht-auc",
        place="table 1",
        title="test AUC on simulated sets with a share of positives of 0.05",
        scale=scale,
        protocol=protocol,
        notes=(*notes(protocol), NOTES[scale]),
        plans=(plan,),
        entries=_entries(lines, published.TABLE_1, dict.fromkeys(published.TABLE_1, AUC)),
        claims=lambda results: best_auc(lines, results),
    )


def table_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table II: F1 and Jaccard index of the support."""
    plan, lines = _cells(scale, protocol)
    entries = [
        entry
        for measure, numbers in (
            ("support-f1", published.F1),
            ("support-jaccard", published.JACCARD),
        )
        for entry in _entries(lines, numbers, {m: support_measure(measure, m) for m in numbers})
    ]
    return Experiment(
        paper="sht-auc",
        place="table 2",
        title="how well the support is found on simulated sets",
        scale=scale,
        protocol=protocol,
        notes=(
            *notes(protocol),
            NOTES[scale],
            "Weights of at most 0.001 count as 0 for the methods without a hard threshold, as in "
            "footnote 2 of the paper. Which weights are that small depends on the length of the "
            "rows, which is 1 here.",
            INCONSISTENT.format(len(impossible())),
        ),
        plans=(plan,),
        entries=tuple(entries),
        claims=lambda results: best_support(lines, results),
    )


def impossible() -> list[tuple[str, int]]:
    """Return method and k* where the printed Jaccard index is too small for the printed F1.

    Half a unit of the last digit is allowed for rounding, of both.
    """
    return [
        (method, k)
        for method, cells in published.F1.items()
        for k, (f1, _), (jaccard, _) in zip(
            published.SPARSITIES, cells, published.JACCARD[method], strict=True
        )
        if jaccard + 5e-4 < (f1 - 5e-4) / (2 - (f1 - 5e-4))
    ]


Lines = dict[tuple[str, int], Line]


def _cells(scale: Scale, protocol: Protocol) -> tuple[Plan, Lines]:
    """Return the plan, and its lines by method and k*."""
    sets = {k: simulated(k, SHARE, TRIALS[scale], protocol) for k in published.SPARSITIES}
    chosen = methods(protocol, SHARE)
    clean = protocol is Protocol.CLEAN
    plan = Plan(
        tuple(name for names in sets.values() for name in names),
        tuple(chosen.values()),
        (of_map(protocol),),
        splits=5 if clean else None,
        holdout=None if clean else 0.2,
        repeats=1 if clean else 5,
        passes=PASSES,
        tune_evals=POINTS[scale],
        inner_splits=INNER[scale],
    )
    lines = {
        (method, k): Line(names, choice, of_map(protocol))
        for k, names in sets.items()
        for method, choice in chosen.items()
    }
    return plan, lines


def _entries(
    lines: Lines, numbers: dict[str, published.Cells], measures: dict[str, str]
) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            row=method,
            column=f"k* = {k}",
            measure=measures[method],
            line=lines[method, k],
            published=Published(mean, sd, published.RUNS),
        )
        for method, cells in numbers.items()
        for k, (mean, sd) in zip(published.SPARSITIES, cells, strict=True)
    )
