"""Figure 2: test AUC of SPDAM along the fit, for batches of several sizes."""

from __future__ import annotations

from aucbench.papers.experiment import Experiment, Line, Protocol, Scale
from aucbench.papers.spdam.convergence import GAP, PASSES, SETS, Rows
from aucbench.papers.spdam.methods import spdam

BATCHES = (0.01, 0.05, 0.1, 0.2, 0.5)  # of the rows
SAMPLINGS = ("uniform", "blocks")  # as published, and a fixed partition


def lines(rows: Rows, sampling: str) -> dict[float, Line]:
    """Return the cells of each batch."""
    return {b: rows.line(spdam(rows.lam, b, sampling)) for b in BATCHES}


def figure_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 2; quick: one repeat."""
    return Experiment(
        paper="spdam",
        place="figure 2",
        title="convergence of SPDAM with batches of several sizes",
        scale=scale,
        protocol=protocol,
        plans=tuple(
            rows.plan(
                [spdam(rows.lam, b, sampling) for sampling in SAMPLINGS for b in BATCHES],
                scale,
                PASSES,
                GAP,
            )
            for rows in SETS
        ),
    )
