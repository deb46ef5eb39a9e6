"""Figures 3 and 4: gene expressions, against the number of genes k."""

from __future__ import annotations

from math import isnan

import numpy as np

from aucbench.datasets.catalogue import entry_of
from aucbench.papers.parts import AUC
from aucbench.papers.reading import Answers, Found, Tested
from aucbench.papers.sht_auc.comparisons import SHT, means_along
from aucbench.report.chart import Chart


def _charts(found: Found, figure: str) -> list[Chart]:
    return [
        Chart(
            f"{figure}, {row}: {title}",
            "k",
            title,
            means_along(found, "k", measure, row),
            log_x=True,
        )
        for row in found.rows
        for measure, title in found.told["drawn"].items()
    ]


def _peak(found: Found, row: str) -> Tested:
    """The best k is moderately larger than the number of related genes."""
    few = len(entry_of(found.where(row=row)[0].datasets[0].name).relevant)
    best = {
        method: ks[int(np.nanargmax(means))]
        for method, (ks, means) in means_along(found, "k", AUC, row).items()
        if np.isfinite(means).any()
    }
    if not best:
        return None, "no cell was run"
    told = ", ".join(f"{method} at k = {k}" for method, k in best.items())
    return all(k > few for k in best.values()), f"the greatest means are those of {told}"


def _most_related(found: Found, row: str) -> Tested:
    """SHT-AUC chooses the most related genes when k is about their number."""
    entry = entry_of(found.where(row=row)[0].datasets[0].name)
    few = len(entry.relevant)
    lines = means_along(found, "k", "support-precision", row)
    k = min(lines[SHT][0], key=lambda k: abs(k - few))
    means = {method: shares[ks.index(k)] for method, (ks, shares) in lines.items()}
    if any(map(isnan, means.values())):
        return None, "no cell was run"
    told = ", ".join(f"{method} {value:.3f}" for method, value in means.items())
    return (
        max(means, key=lambda method: means[method]) == SHT,
        f"at k = {k} the shares are {told}; genes drawn at random have {few / entry.d:.3f}",
    )


FIGURE_3 = Answers(shown=lambda found: _charts(found, "Figure 3"), tests={"peak": _peak})
FIGURE_4 = Answers(
    shown=lambda found: _charts(found, "Figure 4"), tests={"most-related": _most_related}
)
