"""Figure 1: how fast SHT-AUC converges, by the share of positives."""

from __future__ import annotations

from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Entry, Line, Protocol, Scale
from aucbench.papers.sht_auc.convergence import curves, slower
from aucbench.papers.sht_auc.methods import CLEAN_MAP, code_step, simulated

SHARES = (0.05, 0.25, 0.5)  # r
SPARSITIES = {Scale.QUICK: (20, 80), Scale.FULL: (20, 40, 60, 80)}  # k* = k
TRIALS = {Scale.QUICK: 2, Scale.FULL: 5}
PASSES = 300.0
BLOCKS = 16  # of 50 rows, of 800
OWN, CODE = "step 1/(2L)", "step r(1 − r)"
NOTES = (
    "k is k*, and blocks have 50 rows. The paper does not print the step. Here there are two: "
    "1/(2L̂), where L̂ is the largest curvature of a block; and γ = r(1 − r), which the step 1 of "
    "the published code amounts to. Both are shorter for smaller r.",
    "The published code computes the AUC of this figure on the training rows, from one data set "
    "and three folds for each r, and divides it by the largest one of that r; the paper says only "
    "that it is scaled. Here there are both AUCs, of five folds for each trial, as they are.",
    "The first step from w = 0 goes along the difference of the class means. It gives nearly the "
    "AUC of the end, since an AUC does not depend on the length of w; the objective does.",
    "The curves in the paper are drawings without numbers, so that only its statement is tested.",
)
QUICK = "Quick: k* = 20 and 80 of four, and two trials of the five."


def figure_1(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 1: AUC against passes."""
    sparsities, trials = SPARSITIES[scale], TRIALS[scale]
    steps = {
        (k, r): {
            OWN: Choice(f"sht-auc[k={k},blocks={BLOCKS}]"),
            CODE: Choice(f"sht-auc[k={k},blocks={BLOCKS},gamma={code_step(r)}]"),
        }
        for k in sparsities
        for r in SHARES
    }
    sets = {(k, r): simulated(k, r, trials, Protocol.CLEAN) for k, r in steps}
    plans = tuple(
        Plan(sets[at], tuple(chosen.values()), (CLEAN_MAP,), splits=5, passes=PASSES)
        for at, chosen in steps.items()
    )
    lines = {
        (step, *at): Line(sets[at], choice, CLEAN_MAP)
        for at, chosen in steps.items()
        for step, choice in chosen.items()
    }
    entries = tuple(
        Entry(row=f"k* = {k}, r = {r}", column=step, line=line)
        for (step, k, r), line in lines.items()
    )
    return Experiment(
        paper="sht-auc",
        place="figure 1",
        title="convergence of SHT-AUC by the share of positives",
        scale=scale,
        protocol=protocol,
        notes=(*NOTES, *([QUICK] if scale is Scale.QUICK else [])),
        plans=plans,
        entries=entries,
        shown=lambda results: curves(lines, results),
        claims=lambda results: slower(lines, results),
    )
