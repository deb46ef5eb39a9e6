"""How many passes SHT-AUC needs, by the share of positives: curves, and the paper's statement."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aucbench.papers.experiment import Claim, Line
from aucbench.papers.results import Results, Vector
from aucbench.papers.sht_auc.claims import against, mean_over
from aucbench.sections import Chart, Table

Lines = Mapping[tuple[str, int, float], Line]  # by step, k*, r
NEAR = 0.05  # of the way to the end
GRID = np.concatenate([np.arange(1.0, 20.0), np.arange(20.0, 301.0, 5.0)])
CURVES = {"train_auc": "AUC of the training rows", "test_auc": "AUC of the test rows"}


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
        (step, str(k), str(r), *(f"{np.median(v):.0f}" if v.size else None for v in both))
        for (step, k, r), line in lines.items()
        for both in [[needed(results, line, y) for y in REACHED]]
    ]
    header = ("step", "k*", "r", *(f"passes by the {said}" for said in REACHED.values()))
    return [*charts, Table(header, rows)]


def mean_curve(results: Results, line: Line, y: str) -> tuple[list[float], list[float]] | None:
    """Return the mean over the runs at the passes of `GRID`; None without a run."""
    found = results.curves(line, "passes", y)
    inside = [np.interp(GRID, passes, values) for passes, values in found if passes.size]
    return ([*GRID], [*np.mean(inside, axis=0)]) if inside else None


REACHED = {"objective": "objective", "train_auc": "training AUC"}
START = {"objective": 1.0, "train_auc": 0.5}  # at w = 0


def needed(results: Results, line: Line, y: str) -> Vector:
    """Return for each run the first passes at which y has come `1 - NEAR` of its way to the end."""
    found = results.curves(line, "passes", y)
    return np.array([reached(*curve, START[y]) for curve in found if curve[0].size])


def reached(passes: Vector, values: Vector, start: float) -> float:
    """Return the first passes from which on y is near its end, for good.

    Near is at most `NEAR` of the way from the start to the end away from the end, and the end is
    the mean over the last tenth of the passes, since the last iterates are noisy.
    """
    end = float(values[passes >= 0.9 * passes[-1]].mean())
    far = np.flatnonzero(np.abs(values - end) > NEAR * abs(end - start))
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
        f"With the {step}, SHT-AUC needs more passes where classes are less balanced (section "
        f"IV-A, of figure 1), by the {REACHED[y]}; in doublings of the passes at r = {shares[0]}.",
        doublings[shares[0]],
        {f"r = {r}": doublings[r] for r in shares[1:]},
        len(next(iter(lines.values())).datasets),
    )
