"""Figure 4: how many of the chosen genes are known to be related to the disease."""

from __future__ import annotations

import numpy as np

from aucbench.datasets.catalogue import entry_of
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Line, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.sht_auc import genes
from aucbench.papers.sht_auc.figure_3 import charts, ks, mean, plan

RATIOS = {
    "share of the chosen genes that are related": "support-precision",
    "share of the related genes that are chosen": "support-recall",
}


def figure_4(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 4; it has the cells of figure 3."""
    return Experiment(
        paper="sht-auc",
        place="figure 4",
        title="share of related genes against the number of genes",
        scale=scale,
        protocol=protocol,
        notes=(
            *genes.notes(scale),
            "The text of the paper and its code divide by the number of chosen genes, and its "
            "formula divides by the number of related ones. Both are drawn.",
            "The related genes are those of tables IV and V; a gene may have several probes.",
        ),
        plans=(plan(scale),),
        shown=lambda results: charts(results, scale, "Figure 4", RATIOS),
        claims=lambda results: [_best(results, scale, dataset) for dataset in genes.SETS],
    )


def _line(dataset: str, method: str, k: int) -> Line:
    return genes.line(dataset, genes.fixed(method, k))


def _best(results: Results, scale: Scale, dataset: str) -> Claim:
    """SHT-AUC chooses the most related genes when k is about their number."""
    entry = entry_of(dataset)
    few = len(entry.relevant)
    k = min(ks(scale), key=lambda k: abs(k - few))
    means = {
        method: mean(results.values(_line(dataset, method, k), "support-precision"))
        for method in genes.THRESHOLDING
    }
    statement = (
        f"On {dataset} SHT-AUC chooses the greatest share of related genes when k is about their "
        "number (section IV-B)"
    )
    if not all(np.isfinite(value) for value in means.values()):
        return Claim(statement, None, "no cell was run")
    said = ", ".join(f"{method} {value:.3f}" for method, value in means.items())
    return Claim(
        statement,
        max(means, key=lambda method: means[method]) == "SHT-AUC",
        f"at k = {k} the shares are {said}; genes drawn at random have {few / entry.d:.3f}",
    )
