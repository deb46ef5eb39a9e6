"""Figure 2: AUC and F1 of all methods against the share of positives, k* = 20."""

from __future__ import annotations

from aucbench.bench.plan.plan import Plan
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Entry, Line, Protocol, Scale
from aucbench.papers.sht_auc.imbalance import against_share, falls, gains
from aucbench.papers.sht_auc.methods import (
    CLEAN_MAP,
    CLEAN_NOTES,
    PASSES,
    methods,
    simulated,
    support_measure,
)

SPARSITY = 20  # k*
SHARES = {
    Scale.QUICK: (0.05, 0.2, 0.35, 0.5),
    Scale.FULL: tuple(round(0.05 * j, 2) for j in range(1, 11)),
}
TRIALS = {Scale.QUICK: 2, Scale.FULL: 3}
POINTS = {Scale.QUICK: 12, Scale.FULL: 20}
SMALLER = {
    Scale.QUICK: "Quick: r = 0.05, 0.2, 0.35 and 0.5, two trials, 12 points of each grid, and "
    "three inner folds. SPAM-ℓ1 has a good AUC only for penalties near 0.001; the points have few.",
    Scale.FULL: "Smaller than in the paper: three trials of the five, 20 points of each grid, and "
    "three inner folds. Table 1 has more points.",
}
NOTES = (
    "The curves in the paper are drawings without numbers, so that only its statements are tested. "
    "SPAM with both penalties, which the text names, is neither in the tables nor here.",
)


def figure_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 2: test AUC, and F1 of the support."""
    chosen = methods(Protocol.CLEAN, SHARES[scale][0])
    sets = {r: simulated(SPARSITY, r, TRIALS[scale], Protocol.CLEAN) for r in SHARES[scale]}
    plan = Plan(
        tuple(name for names in sets.values() for name in names),
        tuple(chosen.values()),
        (CLEAN_MAP,),
        splits=5,
        passes=PASSES,
        tune_evals=POINTS[scale],
        inner_splits=3,
    )
    lines = {
        (method, r): Line(names, choice, CLEAN_MAP)
        for method, choice in chosen.items()
        for r, names in sets.items()
    }
    entries = tuple(
        Entry(row=method, column=f"r = {r}", measure=measure, line=line)
        for kind in (AUC, "support-f1")
        for (method, r), line in lines.items()
        for measure in [AUC if kind == AUC else support_measure(kind, method)]
    )
    return Experiment(
        paper="sht-auc",
        place="figure 2",
        title="test AUC and F1 of the support by the share of positives",
        scale=scale,
        protocol=protocol,
        notes=(*CLEAN_NOTES, SMALLER[scale], *NOTES),
        plans=(plan,),
        entries=entries,
        shown=lambda results: against_share(lines, results),
        claims=lambda results: (*falls(lines, results), *gains(lines, results)),
    )
