"""Figure 1: how many passes SHT-AUC needs, by the share of positives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aucbench.bench.plan.fields import Choice
from aucbench.kernels.vectors import Vector
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Entry, Grid, Line, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.sht_auc.methods import (
    CLEAN_MAP,
    against,
    code_step,
    mean_over,
    simulated,
    trials,
)
from aucbench.report.sections import Chart, Table
from aucbench.stats.words import ROPE

Lines = Mapping[tuple[str, int, float], Line]  # by step, k*, r
SHARES = (0.05, 0.25, 0.5)  # r
SPARSITIES = {Scale.QUICK: (20, 80), Scale.FULL: (20, 40, 60, 80)}  # k* = k
TRIALS = {Scale.QUICK: 2, Scale.FULL: 5}
PASSES = 300.0
BLOCKS = 16  # of 50 rows, of 800
OWN, CODE = "step 1/(2L)", "step r(1 − r)"
NEAR = 0.05  # of the way of the objective to its end
GRID = np.concatenate([np.arange(1.0, 20.0), np.arange(20.0, 301.0, 5.0)])
CURVES = {"train_auc": "AUC of the training rows", "test_auc": "AUC of the test rows"}
REACHED = {
    "objective": f"objective, within {NEAR:.0%} of its way",
    "train_auc": f"training AUC, within {ROPE}",
    "test_auc": f"test AUC, within {ROPE}",
}
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
    grids = [
        Grid(
            rows={(k, r): simulated(k, r, TRIALS[scale], Protocol.CLEAN)},
            methods={
                OWN: Choice(f"sht-auc[k={k},blocks={BLOCKS}]"),
                CODE: Choice(f"sht-auc[k={k},blocks={BLOCKS},gamma={code_step(r)}]"),
            },
            features=CLEAN_MAP,
            more={"splits": 5, "passes": PASSES},
        )
        for k in SPARSITIES[scale]
        for r in SHARES
    ]
    lines = {(step, *at): line for grid in grids for (step, at), line in grid.lines.items()}
    return Experiment(
        title="convergence of SHT-AUC by the share of positives",
        notes=(*NOTES, *([QUICK] if scale is Scale.QUICK else [])),
        plans=tuple(grid.plan for grid in grids),
        entries=tuple(
            Entry(row=f"k* = {k}, r = {r}", column=step, line=line)
            for (step, k, r), line in lines.items()
        ),
        shown=lambda results: curves(lines, results),
        claims=lambda results: slower(lines, results),
    )


def curves(lines: Lines, results: Results) -> list[Chart | Table]:
    """Return a chart for each step, k* and AUC, with a line for each r, and the passes needed."""
    charts = []
    for step, k in dict.fromkeys((step, k) for step, k, _ in lines):
        for y, title in CURVES.items():
            means = {
                f"r = {r}": mean_curve(results, line, y)
                for (own, sparsity, r), line in lines.items()
                if (own, sparsity) == (step, k)
            }
            known = {name: curve for name, curve in means.items() if curve is not None}
            if known:
                charts.append(Chart(f"{title}, k* = {k}, {step}", "passes", "AUC", known))
    rows = [
        (step, str(k), str(r), *(f"{np.median(v):.3g}" if v.size else None for v in both))
        for (step, k, r), line in lines.items()
        for both in [[needed(results, line, y) for y in REACHED]]
    ]
    header = ("step", "k*", "r", *(f"passes by {said}" for said in REACHED.values()))
    return [*charts, Table(header, rows)]


def mean_curve(results: Results, line: Line, y: str) -> tuple[list[float], list[float]] | None:
    """Return the mean over the runs at the passes of `GRID`; None without a run."""
    curves = results.curves(line, "passes", y)
    inside = [np.interp(GRID, passes, values) for passes, values in curves if passes.size]
    return ([*GRID], [*np.mean(inside, axis=0)]) if inside else None


def needed(results: Results, line: Line, y: str) -> Vector:
    """Return for each run the passes from which on y is near its end, in the sense of `REACHED`."""
    curves = [curve for curve in results.curves(line, "passes", y) if curve[0].size]
    return np.array([reached(*curve, y) for curve in curves])


def reached(passes: Vector, values: Vector, y: str) -> float:
    """Return the first passes from which on a curve is near its end, for good.

    The end is the mean over the last tenth of the passes, since the last iterates are noisy. An
    AUC is near if it differs by at most 0.005. The objective, which is 1 at w = 0, is near if at
    most 5 % of its way from there are left.
    """
    end = float(values[passes >= 0.9 * passes[-1]].mean())
    near = NEAR * abs(1.0 - end) if y == "objective" else ROPE
    far = np.flatnonzero(np.abs(values - end) > near)
    return float(passes[min(far[-1] + 1, passes.size - 1)]) if far.size else float(passes[0])


def slower(lines: Lines, results: Results) -> list[Claim]:
    """Test for each step that more imbalanced sets need more passes, over all k*."""
    return [
        _slower(step, y, lines, results)
        for step in dict.fromkeys(step for step, _, _ in lines)
        for y in REACHED
    ]


def _slower(step: str, y: str, lines: Lines, results: Results) -> Claim:
    """Compare log2 of the passes of the same trial and fold at the smallest r and at each other."""
    shares = sorted({r for _, _, r in lines})
    doublings = {
        r: mean_over(
            np.log2(needed(results, line, y))
            for (own, _, share), line in lines.items()
            if (own, share) == (step, r)
        )
        for r in shares
    }
    return against(
        f"With the {step}, SHT-AUC needs more passes at r = {shares[0]} than at a larger r "
        f"({REACHED[y]}; in doublings; section IV-A, of figure 1)",
        doublings[shares[0]],
        {f"r = {r}": doublings[r] for r in shares[1:]},
        trials(lines),
    )
