"""Figure 4: how many of the chosen genes are known to be related to the disease."""

from __future__ import annotations

from functools import cache

import numpy as np

from aucbench import datasets
from aucbench.data.arrays import Vector
from aucbench.metrics import support_precision, support_recall
from aucbench.papers.experiment import Claim, Experiment, Line, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.sht_auc import genes
from aucbench.papers.sht_auc.figure_3 import ks, mean, plan
from aucbench.sections import Chart

RATIOS = {
    "share of the chosen genes that are related": support_precision,
    "share of the related genes that are chosen": support_recall,
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
        shown=lambda results: _shown(results, scale),
        claims=lambda results: [_best(results, scale, dataset) for dataset in genes.SETS],
    )


@cache
def _truth(dataset: str) -> Vector:
    """Return 1 for the features that stand for related genes, and 0 for the others."""
    names = datasets.load(dataset).names
    assert names is not None  # the two sets come with theirs
    truth = np.zeros(len(names))
    truth[genes.related(dataset, names)] = 1.0
    return truth


def ratios(results: Results, line: Line, ratio: str) -> Vector:
    """Return a ratio for each ok cell of a line; NaN where its weights were not kept."""
    [dataset] = line.datasets
    kept = [results.store.scores(r.id, r.sizes.data) or {} for r in results.of(line) if r.ok]
    found = [RATIOS[ratio](one["w"], _truth(dataset)) if "w" in one else np.nan for one in kept]
    return np.array(found, dtype=np.float64)


def _line(dataset: str, method: str, k: int) -> Line:
    return genes.line(dataset, genes.fixed(method, k))


def _shown(results: Results, scale: Scale) -> list[Chart]:
    return [
        Chart(
            f"Figure 4, {title}: {ratio}",
            "k",
            "ratio",
            {
                method: (
                    ks(scale),
                    [mean(ratios(results, _line(dataset, method, k), ratio)) for k in ks(scale)],
                )
                for method in genes.THRESHOLDING
            },
            log_x=True,
        )
        for dataset, title in genes.SETS.items()
        for ratio in RATIOS
    ]


def _best(results: Results, scale: Scale, dataset: str) -> Claim:
    """SHT-AUC chooses the most related genes when k is about their number."""
    few = len(genes.GENES[dataset])
    k = min(ks(scale), key=lambda k: abs(k - few))
    [chosen, _] = RATIOS
    means = {
        method: mean(ratios(results, _line(dataset, method, k), chosen))
        for method in genes.THRESHOLDING
    }
    known = all(np.isfinite(value) for value in means.values())
    said = ", ".join(f"{method} {value:.3f}" for method, value in means.items())
    return Claim(
        f"On {dataset} SHT-AUC chooses the greatest share of related genes when k is about their "
        "number (section IV-B)",
        max(means, key=lambda method: means[method]) == "SHT-AUC" if known else None,
        f"at k = {k} the shares are {said}; {_chance(dataset)}" if known else "no cell was run",
    )


def _chance(dataset: str) -> str:
    truth = _truth(dataset)
    return f"genes drawn at random have {np.mean(truth):.3f}"
