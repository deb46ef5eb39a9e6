"""Whether a fit has converged, from what its record and those beside it hold.

Design
  a. The gap f(w) − f* counts in units of f(0) − f*; here f stands for f + Ω. A fit has not
     converged if its gap is larger than `ENOUGH` of that.
  b. A certified gap is an upper bound. It shows both that a fit has converged and that it has not.
  c. Without a certificate there are two lower bounds of the gap, and the larger one counts. The
     first compares with other fits of the same problem on the same rows: it is f(w) minus the
     smallest value that one of them has reached. The second extrapolates the curve: it assumes
     that f goes on falling as in the last three quarters of the passes, and takes at most the
     fall of the last half. For a curve that falls as 1/t this is exact. (Rejected: the fall of
     the last half alone. It is large for a method that converges at a geometric rate and has
     arrived.) Both can show only that a fit has not converged.
  d. A certificate is disproved where another fit of the same problem on the same rows ends at a
     feasible point with less than f(w) − gap, by more than `CLAIM` of the objective. The fit then
     counts as one without a certificate. Only the ends of fits count here, which `solve` evaluates,
     and not what states claim between them.
  e. Where the method has no objective, or returns weights that are not meant to minimise it,
     nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import ceil, floor, inf, isfinite, log10
from typing import Any

import numpy as np

from aucbench.bench.evaluation.verdict import about, number
from aucbench.bench.results.decay import FEWEST, Decay, Vector, decays_of
from aucbench.bench.results.record import Record
from aucbench.ranges import CLAIM, ENOUGH, GAP_TOL
from aucbench.records import Stop
from aucbench.registry.fingerprints import hash_of

LONG = 100.0  # times the passes: larger factors are not told apart
TAIL = 0.25  # share of the passes before the part of the curve that is fitted
WHOLE = 0.99  # share of the planned passes above which a method has used its budget
ROUNDING = 1e-9  # of f(0): a smaller f(0) − f* is rounding
DISPROVED = "DISPROVED"  # in place of CERTIFIED, in the row of such a fit
BUDGET = frozenset({Stop.PASSES.name, Stop.SECONDS.name})


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """What can be said of the end of a fit; derived from records, and not stored."""

    residual: float | None = about("norm of the gradient at the end, as the method reports it")
    relative_gap: float | None = about("gap at the end, divided by f(0) − f*")
    gap_kind: str | None = about(
        "where `relative_gap` comes from: certified (an upper bound), measured (to the least "
        "objective that is known for this problem), or extrapolated (from the curve); the last "
        "two are estimates from below"
    )
    converged: bool | None = about(
        "false if the gap is larger than 1 % of f(0) − f*, or if the fit stalled and certified "
        "nothing; true if it is smaller and certified"
    )
    passes_factor: float | None = about(
        "of a fit that has not converged: about how many times the passes would do, from its "
        "curve; 100 stands for 100 and more; empty if the curve does not tell, or more passes "
        "will not do"
    )

    disproved: str | None = about(
        "who disproves the certificate of the fit, with both numbers: another fit of the same "
        "problem on the same rows has an objective below `objective` − `gap`"
    )


@dataclass(frozen=True, slots=True)
class Descent:
    """How the objective of a fit fell; a value is None where it is not known."""

    solver: str = ""  # its label
    problem: str | None = None  # equal for fits of one problem on the same rows
    feasible: bool = True  # whether the weights are not known to be outside the set of the problem
    stop: str | None = None  # the name of a `Stop`
    # Whether the method ended before its budget, so that more passes change nothing.
    ended_by_itself: bool = False
    # The objective at the start, at the end, and the least one of the curve.
    start: float | None = None
    value: float | None = None
    least: float | None = None
    gap: float | None = None  # certified
    ahead: float | None = None  # how far the objective has still to fall, by the curve
    # Of the certified gap where the curve has enough of them, else of the objective; the most
    # likely one first. Empty if it no longer falls; None if the curve has too few points.
    decays: tuple[Decay, ...] | None = None
    residual: float | None = None  # norm of the gradient

    @staticmethod
    def of(record: Record) -> Descent:
        """Return the descent of a fit; of a cell that is not ok, one of which nothing is known."""
        if not record.ok:
            return Descent()
        measures, cell = record.measures, record.cell
        planned = cell.passes if measures.passes_limit is None else measures.passes_limit
        last = record.curve[-1] if record.curve else {}
        early = planned is None or measures.passes is None or measures.passes < WHOLE * planned
        descent = Descent(
            solver=cell.label,
            feasible=measures.feasible is not False,
            stop=measures.stop,
            ended_by_itself=measures.stop not in BUDGET and early,
            residual=number(last.get("residual")),
        )
        if measures.objective is None or measures.objective_at_start is None:
            return descent
        gap = None if measures.gap is None else max(0.0, measures.gap)
        descent = replace(
            descent,
            problem=_problem(record),
            start=measures.objective_at_start,
            value=measures.objective,
            least=_least(record),
            gap=gap,
        )
        if gap is not None:
            if gap <= ENOUGH * (measures.objective_at_start - measures.objective):
                return descent  # it has converged, so that nobody asks for its decay
            x, y = _tail(record.curve, "gap")
            if x.size >= FEWEST:
                return replace(descent, decays=decays_of(x, y, limit=0.0))
        x, y = _tail(record.curve, "objective")
        if x.size < FEWEST:
            return descent
        decays, ahead = decays_of(x, y), 0.0
        if decays:  # rule c
            last_half = float(np.interp(0.5, x, y) - y[-1])
            ahead = max(0.0, min(float(y[-1]) - decays[0].limit, last_half))
        return replace(descent, decays=decays, ahead=ahead)


class Optima:
    """The least objective that is known of each problem, by the records that were added."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._least: dict[str, float] = {}
        self._reached: dict[str, tuple[float, str]] = {}  # the least end, and whose it is
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Take one record; the order does not matter."""
        if record.ok:
            measures = record.measures
            end = None if measures.feasible is False else measures.objective
            self._take(_problem(record), _least(record), end, record.cell.label)

    def add_fit(self, descent: Descent) -> None:
        """Take one fit, whose record need not be kept; one without f(0) has no problem here."""
        end = descent.value if descent.feasible else None
        self._take(descent.problem, descent.least, end, descent.solver)

    def _take(
        self, problem: str | None, least: float | None, end: float | None, solver: str
    ) -> None:
        if problem is not None and least is not None:
            self._least[problem] = min(least, self._least.get(problem, inf))
        if problem is not None and end is not None:
            reached = (end, solver)
            self._reached[problem] = min(reached, self._reached.get(problem, reached))

    def _disproof(self, descent: Descent) -> str | None:
        """Return the sentence of rule d; None where no fit disproves the certificate."""
        start, value, gap = descent.start, descent.value, descent.gap
        known = self._reached.get(descent.problem or "")
        if known is None or start is None or value is None or gap is None:
            return None
        reached, solver = known
        if not reached < value - gap - CLAIM * max(abs(value), abs(start)):
            return None
        return (
            f"its certificate says that f + Ω is at least {value - gap:.9g}, and {solver} has "
            f"{reached:.9g} on the same rows"
        )

    def gaps(self, descent: Descent, objective: Vector) -> Vector:
        """Return (f − f*)/(f(0) − f*) along a curve, where f* is the least value that is known.

        NaN where this cannot be had. A fit that has reached f* itself has a gap of 0 there.
        """
        known = self._least.get(descent.problem or "", inf)
        if descent.start is None or not isfinite(known):
            return np.full(objective.shape, np.nan)
        unit = _unit(descent.start, known)
        return np.full(objective.shape, np.nan) if unit is None else (objective - known) / unit

    def judge(self, descent: Descent) -> Convergence:
        """Return what can be said of the end of a fit; the factor is infinity if none will do."""
        if disproved := self._disproof(descent):
            return replace(self.judge(replace(descent, gap=None)), disproved=disproved)
        if descent.stop == Stop.STALLED.name and descent.gap is None:
            return Convergence(residual=descent.residual, converged=False, passes_factor=inf)
        if descent.start is None or descent.value is None:
            return Convergence(residual=descent.residual)
        known = inf if descent.problem is None else self._least.get(descent.problem, inf)
        gap, kind = _gap(descent, descent.start, descent.value, known)
        unit = None if gap is None else _unit(descent.start, descent.value - gap)
        if gap is None or unit is None:
            return Convergence(residual=descent.residual)
        convergence = Convergence(residual=descent.residual, relative_gap=gap / unit, gap_kind=kind)
        nothing = kind == "certified" and gap <= GAP_TOL * descent.start  # w = 0 is as good
        if gap > ENOUGH * unit and not nothing:
            return replace(
                convergence, converged=False, passes_factor=_factor(descent, convergence, unit)
            )
        return replace(convergence, converged=True) if kind == "certified" else convergence


def flat_row(record: Record, optima: Optima) -> dict[str, Any]:
    """Return the flat row of a record, with what can be said of the end of its fit."""
    convergence = asdict(optima.judge(Descent.of(record)))
    if convergence["passes_factor"] == inf:
        convergence["passes_factor"] = None  # JSON has no infinity
    if convergence["disproved"] and record.measures.stop == Stop.CERTIFIED.name:
        convergence["stop"] = DISPROVED
    return record.flat(convergence)


def _problem(record: Record) -> str | None:
    """Return a text that is equal for fits of one problem on the same rows; None: not known."""
    cell, problem = record.cell, record.measures.problem
    if problem is None or record.sizes.data is None:
        return None
    rows = (cell.features, cell.splits, cell.holdout, cell.repeat, cell.split, cell.seed)
    return hash_of([record.sizes.data, *rows, problem])


def _least(record: Record) -> float | None:
    values = (number(point.get("objective")) for point in record.curve)
    known = (record.measures.objective, *values)
    return min((value for value in known if value is not None), default=None)


def _tail(curve: Iterable[Mapping[str, Any]], name: str) -> tuple[Vector, Vector]:
    """Return x, passes divided by those at the end, and a value, of the points that are fitted."""
    points = {number(point.get("passes")): number(point.get(name)) for point in curve}
    least = 0.0 if name == "gap" else -inf  # relative errors need a gap above 0
    known = sorted(
        (t, y) for t, y in points.items() if t is not None and y is not None and t > 0 and y > least
    )
    t, y = np.array(known).reshape(-1, 2).T
    late = t >= TAIL * t.max(initial=0.0)
    return t[late] / t.max(initial=0.0), y[late]


def _gap(
    descent: Descent, start: float, value: float, known: float
) -> tuple[float | None, str | None]:
    if descent.gap is not None:
        return descent.gap, "certified"
    least = min(known, start, value if descent.least is None else descent.least)
    behind, ahead = value - least, descent.ahead
    if ahead is not None and ahead >= behind:
        return ahead, "extrapolated"
    return (behind, "measured") if behind > 0.0 else (None, None)


def _unit(start: float, optimum: float) -> float | None:
    """Return f(0) − f*; f(0) where rounding is all that w = 0 leaves to gain; None where it is 0.

    The AUM without a normalisation is 0 at w = 0, so that nothing can be said relative to it.
    """
    unit = start - optimum
    return unit if unit > ROUNDING * abs(start) else abs(start) or None


def _factor(descent: Descent, convergence: Convergence, unit: float) -> float | None:
    """Return x ≤ `LONG`: x times the passes would do. Infinity if the curve no longer falls.

    Among the decays that explain the curve, that one counts which takes the longest.
    """
    if descent.stop == Stop.CERTIFIED.name:
        return None  # a smaller tolerance would do
    if descent.ended_by_itself:
        return inf
    if descent.decays is None:
        return None
    times = [decay.reaches(_enough(descent, convergence, unit, decay)) for decay in descent.decays]
    longest = max(filter(isfinite, times), default=inf)
    return min(LONG, _rounded_up(longest)) if isfinite(longest) else inf


def _enough(descent: Descent, convergence: Convergence, unit: float, decay: Decay) -> float:
    """Return where the curve of the decay would be if the fit had converged."""
    assert descent.start is not None
    assert descent.value is not None
    assert convergence.relative_gap is not None
    gap = convergence.relative_gap * unit
    if (
        convergence.gap_kind == "certified"
    ):  # a bound, which shrinks as the curve comes to its limit
        gained = descent.start - descent.value  # at most f(0) − f*, which is not known
        return decay.limit + decay.fall * ENOUGH * (gained if gained > 0.0 else unit) / gap
    optimum = decay.limit if convergence.gap_kind == "extrapolated" else descent.value - gap
    return optimum + ENOUGH * (descent.start - optimum)


def _rounded_up(times: float) -> float:
    """Return `times` with one digit, at least 2: 1.3 -> 2, 16 -> 20."""
    digit = 10.0 ** floor(log10(times))
    return max(2.0, ceil(times / digit) * digit)
