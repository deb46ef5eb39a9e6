"""Figure 1: test AUC of SPDAM and regSOLAM along the fit."""

from __future__ import annotations

import numpy as np

from aucbench.bench.plan.fields import Choice
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Line, Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.spdam import convergence as along
from aucbench.papers.spdam.convergence import GAP, PASSES, SETS, STRAIGHT, Curve, Rows
from aucbench.papers.spdam.methods import STEPS, spdam
from aucbench.papers.spdam.notes import FIGURE_1, FIGURES, figures_of_scale
from aucbench.sections import Chart
from aucbench.stats.words import ROPE

SOLAM_PASSES = 100.0
EXACT_PASSES, EXACT_GAP = 50.0, 1e-12
ROUNDING = 1e-9  # a gap, or an excess of an objective, that is rounding
BOUND = -0.5  # the exponent of 1/√t


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
        notes=(*FIGURES, *FIGURE_1, *figures_of_scale(scale)),
        plans=tuple(
            plan
            for rows in SETS
            for plan in (
                rows.plan([spdam(rows.lam)], scale, PASSES, GAP),
                rows.plan([solam(rows)], scale, SOLAM_PASSES, GAP),
                rows.plan([least(rows)], scale, EXACT_PASSES, EXACT_GAP),
            )
        ),
        shown=_shown,
        claims=_claims,
    )


def _lines(rows: Rows) -> tuple[Line, Line, Line]:
    return rows.line(spdam(rows.lam)), rows.line(solam(rows)), rows.line(least(rows))


def _shown(results: Results) -> list[Chart]:
    charts, falls = [], {}
    for rows in SETS:
        own, other, _ = _lines(rows)
        found = {"SPDAM": results.curves(own), "regSOLAM": results.curves(other)}
        if lines := along.drawn(found):
            title = f"{rows.name}: test AUC, median of the splits"
            charts.append(Chart(title, "passes", "test AUC", lines, log_x=True))
        falls[f"{rows.name}, SPDAM"] = along.gaps(results, own)
        falls[f"{rows.name}, regSOLAM"] = [*_excess(results, rows).values()]
    if lines := along.drawn(falls, log=True):
        title = "certified gap of SPDAM, and objective of regSOLAM above its minimum"
        charts.append(Chart(title, "passes", "above the minimum", lines, log_y=True))
    return charts


def _excess(results: Results, rows: Rows) -> dict[tuple[int, int], Curve]:
    """Return the objective of regSOLAM above its exact minimum, from the first pass on."""
    _, other, lowest = _lines(rows)
    least_of = {s: y[-1] for s, (_, y) in along.by_split(results, lowest, "objective").items()}
    found = {}
    for split, (x, y) in along.by_split(results, other, "objective").items():
        if split in least_of:
            kept = (x >= 1) & (y - least_of[split] > ROUNDING)
            found[split] = x[kept], (y - least_of[split])[kept]
    return {split: curve for split, curve in found.items() if curve[0].size}


def _claims(results: Results) -> list[Claim]:
    return [_linear(results), _root(results), _sooner(results), _nearer(results)]


def _linear(results: Results) -> Claim:
    """Test whether log(gap) is a falling line in passes."""
    statement = "SPDAM converges linearly (theorem 4.1, section 5.3)."
    slopes, told, straight = {}, {}, True
    for rows in SETS:
        line = _lines(rows)[0]
        fits = along.gap_fits(results, line)
        gaps = [gap for _, gap in along.gaps(results, line) if gap.size]
        slopes[rows.name] = along.interval(results, line, [fit.slope for fit in fits])
        r2 = min((fit.r2 for fit in fits), default=np.nan)
        straight &= r2 >= STRAIGHT
        decades = float(np.median([np.log10(gap[0] / gap[-1]) for gap in gaps])) if gaps else 0.0
        told[rows.name] = (
            f"{along.said(slopes[rows.name])}, r² at least {r2:.3f}, over {decades:.1f} decades"
        )
    because = f"log10(gap) changes in a pass by, with a 95 % interval, {along.listed(told)}"
    return along.decided(
        statement, slopes, all(s.high < 0 for s in slopes.values()) and straight, because
    )


def _root(results: Results) -> Claim:
    """Test whether regSOLAM converges like a power of the passes, at least as fast as 1/√t."""
    statement = "regSOLAM converges more slowly than linearly, with the rate O(1/√t) (section 5.3)."
    powers, told, curved = {}, {}, True
    for rows in SETS:
        curves = _excess(results, rows).values()
        power = [along.fitted(np.log(x), np.log(y)) for x, y in curves]
        line = [along.fitted(x, np.log(y)) for x, y in curves]
        found = along.interval(results, _lines(rows)[1], [fit.slope for fit in power])
        powers[rows.name] = found
        both = [
            float(np.median([fit.r2 for fit in fits])) if fits else np.nan for fits in (power, line)
        ]
        curved &= both[0] > both[1]
        told[rows.name] = (
            f"{along.said(found)}, r² {both[0]:.3f}, and {both[1]:.3f} of a linear rate"
        )
    because = (
        "its objective comes nearer to its minimum as a power of the passes, with the exponent "
        f"and its 95 % interval {along.listed(told)}; the bound 1/√t is the exponent {BOUND:g}"
    )
    return along.decided(
        statement, powers, all(p.high <= BOUND for p in powers.values()) and curved, because
    )


def _sooner(results: Results) -> Claim:
    """Test whether the AUC of SPDAM is near its limit after fewer passes."""
    statement = "SPDAM reaches its test AUC faster than regSOLAM (figure 1, section 5.3)."
    ratios, told = {}, {}
    for rows in SETS:
        own, other, lowest = (along.by_split(results, line) for line in _lines(rows))
        shared = sorted(own.keys() & other.keys() & lowest.keys())
        first = [along.until(own[s], own[s][1][-1] - ROPE) for s in shared]
        second = [along.until(other[s], lowest[s][1][-1] - ROPE) for s in shared]
        ratios[rows.name] = along.interval(
            results, _lines(rows)[0], [float(v) for v in np.log2(first) - np.log2(second)]
        )
        if shared:
            told[rows.name] = (
                f"{np.median(first):.0f} and {np.median(second):.0f} passes, log2 of their ratio "
                f"{along.said(ratios[rows.name])}"
            )
    because = (
        f"the test AUC stays within {ROPE} of that of its own minimiser after, in the median of "
        f"SPDAM and of regSOLAM, with a 95 % interval, {along.listed(told)}"
    )
    return along.decided(statement, ratios, all(r.high < 0 for r in ratios.values()), because)


def _nearer(results: Results) -> Claim:
    """Test whether SPDAM is nearer to its minimum at the end of regSOLAM."""
    statement = (
        f"After {SOLAM_PASSES:g} passes SPDAM is nearer to its minimum than regSOLAM (a linear "
        "rate against O(1/√t), section 5.3)."
    )
    ratios, told = {}, {}
    for rows in SETS:
        line = _lines(rows)[0]
        own, other = along.by_split(results, line, "gap"), _excess(results, rows)
        shared = sorted(own.keys() & other.keys())
        ratios[rows.name] = along.interval(
            results,
            line,
            [
                float(np.interp(SOLAM_PASSES, own[s][0], np.log10(np.fmax(own[s][1], ROUNDING))))
                - float(np.log10(other[s][1][-1]))
                for s in shared
            ],
        )
        told[rows.name] = along.said(ratios[rows.name])
    because = (
        "log10 of its certified gap by the excess of regSOLAM is, with a 95 % interval, "
        f"{along.listed(told)}"
    )
    return along.decided(statement, ratios, all(r.high < 0 for r in ratios.values()), because)
