"""How methods fare by the share of positives: figure 2 and the paper's statements about it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aucbench.papers.parts import AUC, Claim, Line
from aucbench.papers.results import Results, Vector
from aucbench.papers.sht_auc.claims import against, mean_over, methods_of, trials
from aucbench.papers.sht_auc.methods import FOR_AUC, HSG, SHT, STO, support_measure
from aucbench.sections import Chart

Lines = Mapping[tuple[str, float], Line]  # by method and r
RARE = 0.1  # shares of positives up to this one are the imbalanced ones


def against_share(lines: Lines, results: Results) -> list[Chart]:
    """Return the mean AUC and the mean F1 of each method against r."""
    shares = _shares(lines)
    charts = []
    for kind, title in ((AUC, "test AUC"), ("support-f1", "F1 of the support")):
        means = {
            method: (shares, [_mean(values(lines, results, method, r, kind)) for r in shares])
            for method in methods_of(lines)
        }
        charts.append(Chart(f"{title}, k* = 20", "share of positives r", title, means))
    return charts


def values(lines: Lines, results: Results, method: str, r: float, kind: str) -> Vector:
    """Return the AUC or a measure of the support of a method for each run at r."""
    measure = AUC if kind == AUC else support_measure(kind, method)
    return results.values(lines[method, r], measure)


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
    columns = [values(lines, results, method, r, kind) for r in shares]
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
        theirs = mean_over(values(lines, results, m, r, AUC) for m in (STO, HSG) for r in some)
        ours = mean_over(values(lines, results, m, r, AUC) for m in FOR_AUC for r in some)
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


def _mean(found: Vector) -> float | None:
    known = found[~np.isnan(found)]
    return float(known.mean()) if known.size else None
