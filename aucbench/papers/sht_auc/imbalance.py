"""Figure 2: AUC and F1 of all methods against the share of positives, k* = 20."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aucbench.kernels.vectors import Vector
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Claim, Entry, Grid, Line, Protocol, Scale
from aucbench.papers.results import Results, mean_of
from aucbench.papers.sht_auc.methods import (
    CLEAN_MAP,
    CLEAN_NOTES,
    FOR_AUC,
    HSG,
    PASSES,
    SHT,
    STO,
    against,
    mean_over,
    measured_as,
    methods,
    methods_of,
    simulated,
    trials,
)
from aucbench.report.sections import Chart

Lines = Mapping[tuple[str, float], Line]  # by method and r
TITLES = {AUC: "test AUC", "support-f1": "F1 of the support"}
RARE = 0.1  # shares of positives up to this one are the imbalanced ones
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
    grid = Grid(
        rows={r: simulated(SPARSITY, r, TRIALS[scale], Protocol.CLEAN) for r in SHARES[scale]},
        methods=methods(Protocol.CLEAN, SHARES[scale][0]),
        features=CLEAN_MAP,
        more={"splits": 5, "passes": PASSES, "tune_evals": POINTS[scale], "inner_splits": 3},
    )
    lines = grid.lines
    return Experiment(
        title="test AUC and F1 of the support by the share of positives",
        notes=(*CLEAN_NOTES, SMALLER[scale], *NOTES),
        plans=(grid.plan,),
        entries=tuple(
            Entry(row=method, column=f"r = {r}", measure=measured_as(kind, method), line=line)
            for kind in TITLES
            for (method, r), line in lines.items()
        ),
        shown=lambda results: against_share(lines, results),
        claims=lambda results: (*falls(lines, results), *gains(lines, results)),
    )


def against_share(lines: Lines, results: Results) -> list[Chart]:
    """Return the mean AUC and the mean F1 of each method against r."""
    shares = _shares(lines)
    return [
        Chart(
            f"{title}, k* = {SPARSITY}",
            "share of positives r",
            title,
            {
                method: (
                    shares,
                    [mean_of(_values(lines, results, method, r, kind)) for r in shares],
                )
                for method in methods_of(lines)
            },
        )
        for kind, title in TITLES.items()
    ]


def _values(lines: Lines, results: Results, method: str, r: float, kind: str) -> Vector:
    return results.values(lines[method, r], measured_as(kind, method))


def falls(lines: Lines, results: Results) -> list[Claim]:
    """Test that AUC and F1 fall with r, by the slope over r of each trial and fold."""
    return [
        against(
            f"{title} of {method} falls as classes become less balanced, by its slope over r "
            "(section IV-A, of figure 2)",
            slope := slopes(lines, results, method, kind),
            {"a slope of 0": np.zeros(slope.size)},
            trials(lines),
        )
        for kind, title in ((AUC, "AUC"), ("support-f1", "F1"))
        for method in (FOR_AUC if kind == AUC else (SHT,))
    ]


def slopes(lines: Lines, results: Results, method: str, kind: str) -> Vector:
    """Return the slope of least squares over r for each run; nothing where a cell was not run."""
    shares = _shares(lines)
    columns = [_values(lines, results, method, r, kind) for r in shares]
    if len({column.size for column in columns}) != 1:
        return np.empty(0)
    centred = np.array(shares) - np.mean(shares)
    slope: Vector = centred @ np.array(columns) / (centred @ centred)
    return slope


def gains(lines: Lines, results: Results) -> list[Claim]:
    """Test that methods for the AUC are ahead of the others, most where classes are imbalanced."""
    shares = _shares(lines)
    rare = [r for r in shares if r <= RARE]
    common = [r for r in shares if r > RARE]

    def ahead(some: list[float]) -> Vector:
        theirs = mean_over(_values(lines, results, m, r, AUC) for m in (STO, HSG) for r in some)
        ours = mean_over(_values(lines, results, m, r, AUC) for m in FOR_AUC for r in some)
        return ours - theirs if ours.size == theirs.size else np.empty(0)

    return [
        against(
            f"Methods for the AUC have a higher AUC than StoIHT and HSG-HT for r ≤ {RARE} "
            "(section IV-A, of figure 2)",
            gain := ahead(rare),
            {"no gain": np.zeros(gain.size)},
            trials(lines),
        ),
        against(
            f"This gain is larger for r ≤ {RARE} than for larger r (section IV-A, of figure 2)",
            gain,
            {f"the gain for r > {RARE}": ahead(common)},
            trials(lines),
        ),
    ]


def _shares(lines: Lines) -> list[float]:
    return sorted({r for _, r in lines})
