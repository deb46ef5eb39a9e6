"""Figure 3: test AUC against the number of genes k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aucbench.bench.plan.plan import Plan
from aucbench.data.arrays import Vector
from aucbench.datasets.catalogue import entry_of
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Claim, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.sht_auc import genes
from aucbench.sections import Chart

TRIALS = 4  # 20 of the 100 runs of the paper
QUICK_K = (1, 5, 20, 50, 100, 500)


def figure_3(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 3; quick: one trial and six values of k."""
    return Experiment(
        paper="sht-auc",
        place="figure 3",
        title="test AUC against the number of genes",
        scale=scale,
        protocol=protocol,
        notes=(
            *genes.notes(scale),
            f"{_trials(scale) * genes.FOLDS} runs for each k; the paper has 100.",
            "The paper also draws the methods that are not sparse, as constant lines; table III "
            "has their values.",
        ),
        plans=(plan(scale),),
        shown=lambda results: charts(results, scale, "Figure 3", {"mean test AUC": AUC}),
        claims=lambda results: _claims(results, scale),
    )


def plan(scale: Scale) -> Plan:
    """Return the plan, which figure 4 shares."""
    chosen = [genes.fixed(name, k) for name in genes.THRESHOLDING for k in ks(scale)]
    return genes.plan(chosen, scale, _trials(scale))


def ks(scale: Scale) -> tuple[int, ...]:
    """Return the values of k."""
    return QUICK_K if scale is Scale.QUICK else genes.K


def _trials(scale: Scale) -> int:
    return 1 if scale is Scale.QUICK else TRIALS


def against_k(
    results: Results, scale: Scale, measure: str, dataset: str
) -> dict[str, tuple[Sequence[float], Sequence[float]]]:
    """Return the mean of a measure for each k, by method."""
    return {
        method: (
            ks(scale),
            [
                mean(results.values(genes.line(dataset, genes.fixed(method, k)), measure))
                for k in ks(scale)
            ],
        )
        for method in genes.THRESHOLDING
    }


def mean(values: Vector) -> float:
    """Return the mean of the known values; NaN when there is none."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def charts(results: Results, scale: Scale, figure: str, measures: Mapping[str, str]) -> list[Chart]:
    """Return a chart against k for each set and measure; measures have their titles as keys."""
    return [
        Chart(
            f"{figure}, {name}: {title}",
            "k",
            title,
            against_k(results, scale, measure, dataset),
            log_x=True,
        )
        for dataset, name in genes.SETS.items()
        for title, measure in measures.items()
    ]


def _claims(results: Results, scale: Scale) -> list[Claim]:
    return [_peak(results, scale, dataset) for dataset in genes.SETS]


def _peak(results: Results, scale: Scale, dataset: str) -> Claim:
    """The best k is moderately larger than the number of related genes."""
    few = len(entry_of(dataset).relevant)
    lines = against_k(results, scale, AUC, dataset)
    best = {
        method: int(xs[int(np.nanargmax(ys))])
        for method, (xs, ys) in lines.items()
        if np.isfinite(ys).any()
    }
    said = ", ".join(f"{method} at k = {k}" for method, k in best.items())
    return Claim(
        f"On {dataset} the AUC is greatest for a k above the number of related genes, {few} "
        "(section IV-B)",
        all(k > few for k in best.values()) if best else None,
        f"the greatest means are those of {said}" if best else "no cell was run",
    )
