"""Figure 2: test AUC of SPDAM along the fit, for batches of several sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Line, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.spdam import convergence as along
from aucbench.papers.spdam.convergence import GAP, PASSES, SETS, Fitted, Rows
from aucbench.papers.spdam.methods import BATCH, spdam
from aucbench.papers.spdam.notes import FIGURE_2, FIGURES, figures_of_scale
from aucbench.sections import Chart
from aucbench.stats.words import ROPE, Interval

BATCHES = (0.01, 0.05, BATCH, 0.2, 0.5)  # of the rows
SAMPLINGS = {"uniform": "batches drawn as published", "blocks": "blocks of a fixed partition"}
EARLY = 20.0  # passes after which a small batch should be poor


def figure_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 2; quick: one repeat."""
    return Experiment(
        paper="spdam",
        place="figure 2",
        title="convergence of SPDAM with batches of several sizes",
        scale=scale,
        protocol=protocol,
        notes=(*FIGURES, *FIGURE_2, *figures_of_scale(scale)),
        plans=tuple(
            rows.plan(
                [spdam(rows.lam, b, sampling) for sampling in SAMPLINGS for b in BATCHES],
                scale,
                PASSES,
                GAP,
            )
            for rows in SETS
        ),
        shown=_shown,
        claims=_claims,
    )


def _lines(rows: Rows, sampling: str) -> dict[float, Line]:
    return {b: rows.line(spdam(rows.lam, b, sampling)) for b in BATCHES}


def _shown(results: Results) -> list[Chart]:
    return [
        chart
        for rows in SETS
        for chart in (
            *_charts(results, rows, "step", "test_auc"),
            *_charts(results, rows, "passes", "gap"),
        )
    ]


def _charts(results: Results, rows: Rows, x: str, y: str) -> list[Chart]:
    """Return a chart for each way of drawing batches that has cells."""
    titles = {"test_auc": "test AUC", "gap": "certified gap", "step": "iterations"}
    charts = []
    for sampling, how in SAMPLINGS.items():
        gap = y == "gap"
        found = {
            f"{b:.0%}": along.gaps(results, line, x) if gap else results.curves(line, x, y)
            for b, line in _lines(rows, sampling).items()
        }
        if lines := along.drawn(found, log=gap):
            title = f"{rows.name}, {how}: {titles[y]}"
            axis = titles.get(x, x)
            charts.append(Chart(title, axis, titles[y], lines, log_x=not gap, log_y=gap))
    return charts


def _claims(results: Results) -> list[Claim]:
    return [
        *(_faster(results, x, s) for s in SAMPLINGS for x in ("iteration", "pass")),
        _poor(results),
    ]


def _faster(results: Results, unit: str, sampling: str) -> Claim:
    """Test whether the rate grows with the batch."""
    statement = (
        f"A larger batch converges faster, in rate for each {unit}, with "
        f"{SAMPLINGS[sampling]} (figure 2, section 5.3)."
    )
    powers = {rows.name: _power(results, rows, unit, sampling) for rows in SETS}
    told = along.listed({name: along.said(one) for name, one in powers.items()})
    because = (
        f"the decades of the gap for each {unit} are proportional to a power of the batch, whose "
        f"exponent is, with a 95 % interval, {told}"
    )
    return along.decided(statement, powers, all(p.low > 0 for p in powers.values()), because)


def _power(results: Results, rows: Rows, unit: str, sampling: str) -> Interval:
    """Return the exponent e of rate ∝ batch^e over the splits."""
    x = "passes" if unit == "pass" else "step"
    lines = _lines(rows, sampling)
    by_batch = [along.gap_fits(results, line, x) for line in lines.values()]
    splits: Sequence[tuple[Fitted, ...]] = [*zip(*by_batch, strict=False)]
    exponents = [
        along.fitted(np.log(BATCHES), np.log([-fit.slope for fit in fits])).slope
        for fits in splits
        if all(fit.slope < 0 for fit in fits)
    ]
    return along.interval(results, lines[BATCH], exponents)


def _poor(results: Results) -> Claim:
    """Test whether the smallest batch has a lower AUC than that of 10 %."""
    statement = (
        f"Too small a batch, here {min(BATCHES):.0%} of the rows, gives a much poorer AUC than one "
        f"of {BATCH:.0%} (figure 2, section 5.3)."
    )
    found = {}
    for rows in SETS:
        lines = _lines(rows, "uniform")
        small, usual = (along.by_split(results, lines[b]) for b in (min(BATCHES), BATCH))
        gains = [along.at(small[s], EARLY) - along.at(usual[s], EARLY) for s in small if s in usual]
        found[rows.name] = along.interval(results, lines[BATCH], gains)
    told = along.listed({name: along.said(one, "+.4f") for name, one in found.items()})
    because = (
        f"after {EARLY:g} passes with {SAMPLINGS['uniform']} its AUC differs by, with a 95 % "
        f"interval, {told}"
    )
    return along.decided(statement, found, all(d.high < -ROPE for d in found.values()), because)
