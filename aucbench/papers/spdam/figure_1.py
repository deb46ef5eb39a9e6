"""Figure 1: test AUC of SPDAM and regSOLAM along the fit."""

from __future__ import annotations

from aucbench.bench.plan.plan import Choice
from aucbench.papers.experiment import Experiment, Protocol, Scale
from aucbench.papers.spdam.convergence import GAP, PASSES, SETS, Rows
from aucbench.papers.spdam.methods import STEPS, spdam

SOLAM_PASSES = 100.0
EXACT_PASSES, EXACT_GAP = 50.0, 1e-12


def solam(rows: Rows) -> Choice:
    """Return regSOLAM with the number λ of SPDAM, as published, and its step size tuned."""
    return Choice(f"reg-solam[lam={rows.lam:g}]", tune={"xi": STEPS})


def least(rows: Rows) -> Choice:
    """Return the exact minimiser of what regSOLAM minimises."""
    return Choice(f"ls-svm[lam={rows.lam / rows.unit:.12g}]")


def figure_1(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 1; quick: one repeat and three inner folds."""
    return Experiment(
        paper="spdam",
        place="figure 1",
        title="convergence of SPDAM and regSOLAM",
        scale=scale,
        protocol=protocol,
        plans=tuple(
            plan
            for rows in SETS
            for plan in (
                rows.plan([spdam(rows.lam)], scale, PASSES, GAP),
                rows.plan([solam(rows)], scale, SOLAM_PASSES, GAP),
                rows.plan([least(rows)], scale, EXACT_PASSES, EXACT_GAP),
            )
        ),
    )
