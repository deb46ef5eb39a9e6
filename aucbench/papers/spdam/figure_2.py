"""Figure 2: test AUC of SPDAM along the fit, for batches of several sizes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Line, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.spdam import convergence as along
from aucbench.papers.spdam.convergence import GAP, PASSES, Rows, Tested
from aucbench.papers.spdam.methods import BATCH, spdam
from aucbench.report.sections import Chart
from aucbench.stats.words import ROPE

BATCHES = (0.01, 0.05, BATCH, 0.2, 0.5)  # of the rows
SAMPLINGS = {"uniform": "batches drawn as published", "blocks": "blocks of a fixed partition"}
EARLY = 20.0  # passes after which a small batch should be poor
NOTE = (
    "Both ways of drawing batches are shown: as published, rows without replacement, where the "
    "longest row decides how long steps are; and one block of a fixed partition, where the norm "
    "of the blocks decides."
)


def figure_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 2; quick: one repeat."""
    return Experiment(
        title="convergence of SPDAM with batches of several sizes",
        notes=(*along.NOTES, NOTE, along.note_of(scale)),
        plans=tuple(
            rows.plan(
                [spdam(rows.lam, b, sampling) for sampling in SAMPLINGS for b in BATCHES],
                scale,
                PASSES,
                GAP,
            )
            for rows in along.SETS
        ),
        shown=lambda results: [*_shown(results)],
        claims=_claims,
    )


def _lines(rows: Rows, sampling: str) -> dict[float, Line]:
    return {b: rows.line(spdam(rows.lam, b, sampling)) for b in BATCHES}


def _shown(results: Results) -> Iterator[Chart]:
    """Yield a chart of AUC and one of gaps for each set and each way to draw batches with cells."""
    for rows in along.SETS:
        for what in ("test AUC", "certified gap"):
            for sampling, how in SAMPLINGS.items():
                gap = what == "certified gap"
                curves = {
                    f"{b:.0%}": along.gaps(results, line) if gap else results.curves(line, "step")
                    for b, line in _lines(rows, sampling).items()
                }
                if lines := along.drawn(curves, log=gap):
                    axis = "passes" if gap else "iterations"
                    title = f"{rows.name}, {how}: {what}"
                    yield Chart(title, axis, what, lines, log_x=not gap, log_y=gap)


def _claims(results: Results) -> list[Claim]:
    larger = [
        along.decided(
            f"A larger batch converges faster, in rate for each {unit}, with {how} (figure 2, "
            "section 5.3).",
            f"the decades of the gap for each {unit} are proportional to a power of the batch, "
            "whose exponent is, with a 95 % interval, {}",
            partial(_faster, x=x, sampling=sampling),
            results,
        )
        for sampling, how in SAMPLINGS.items()
        for unit, x in (("iteration", "step"), ("pass", "passes"))
    ]
    small = along.decided(
        f"Too small a batch, here {min(BATCHES):.0%} of the rows, gives a much poorer AUC than one "
        f"of {BATCH:.0%} (figure 2, section 5.3).",
        f"after {EARLY:g} passes with {SAMPLINGS['uniform']} its AUC differs by, with a 95 % "
        "interval, {}",
        _poor,
        results,
    )
    return [*larger, small]


def _faster(results: Results, rows: Rows, x: str, sampling: str) -> Tested:
    """Test whether the exponent e of rate ∝ batch^e over the splits is above 0."""
    lines = _lines(rows, sampling)
    by_batch = [along.gap_fits(results, line, x) for line in lines.values()]
    exponents = [
        along.fitted(np.log(BATCHES), np.log([-fit.slope for fit in fits])).slope
        for fits in zip(*by_batch, strict=False)
        if all(fit.slope < 0 for fit in fits)
    ]
    power = along.interval(results, lines[BATCH], exponents)
    return Tested(power, power.low > 0, str(power))


def _poor(results: Results, rows: Rows) -> Tested:
    """Test whether the smallest batch has a lower AUC than that of 10 %."""
    lines = _lines(rows, "uniform")
    small, usual = (along.by_split(results, lines[b]) for b in (min(BATCHES), BATCH))
    gains = [along.at(small[s], EARLY) - along.at(usual[s], EARLY) for s in small if s in usual]
    gain = along.interval(results, lines[BATCH], gains)
    return Tested(gain, gain.high < -ROPE, f"{gain:+.4f}")
