"""Whether a fit has converged, from what its record and those beside it hold.

Design
  a. The gap f(w) − f* counts in units of f(0) − f*; here f stands for f + Ω. A fit has not
     converged if its gap is larger than `ENOUGH` of that.
  b. A certified gap is an upper bound. It shows both that a fit has converged and that it has not.
  c. Without a certificate there is a lower bound of the gap: f(w) minus the smallest value that a
     fit of the same problem on the same rows has reached. It can show only that a fit has not
     converged.
  d. A certificate is disproved where another fit of the same problem on the same rows ends at a
     feasible point with less than f(w) − gap, by more than `CLAIM` of the objective. The fit then
     counts as one without a certificate. Only the ends of fits count here, which `solve` evaluates,
     and not what states claim between them.
  e. Where the method has no objective, or returns weights that are not meant to minimise it,
     nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.evaluation.verdict import about, number
from aucbench.bench.fingerprints import hash_of
from aucbench.bench.results.record import Record
from aucbench.ranges import CLAIM, ENOUGH, GAP_TOL
from aucbench.records import Stop

Vector: TypeAlias = NDArray[np.float64]

ROUNDING = 1e-9  # of f(0): a smaller f(0) − f* is rounding
DISPROVED = "DISPROVED"  # in place of CERTIFIED, in the row of such a fit
BUDGET = frozenset({Stop.PASSES.name, Stop.SECONDS.name})


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """What can be said of the end of a fit; derived from records, and not stored."""

    residual: float | None = about("norm of the gradient at the end, as the method reports it")
    relative_gap: float | None = about("gap at the end, divided by f(0) − f*")
    gap_kind: str | None = about(
        "where `relative_gap` comes from: certified (an upper bound), or measured (to the least "
        "objective that is known for this problem), which is an estimate from below"
    )
    converged: bool | None = about(
        "false if the gap is larger than 1 % of f(0) − f*, or if the fit stalled and certified "
        "nothing; true if it is smaller and certified"
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
    # The objective at the start, at the end, and the least one of the curve.
    start: float | None = None
    value: float | None = None
    least: float | None = None
    gap: float | None = None  # certified
    residual: float | None = None  # norm of the gradient

    @staticmethod
    def of(record: Record) -> Descent:
        """Return the descent of a fit; of a cell that is not ok, one of which nothing is known."""
        if not record.ok:
            return Descent()
        measures = record.measures
        last = record.curve[-1] if record.curve else {}
        descent = Descent(
            solver=str(record.cell.choice),
            feasible=measures.feasible is not False,
            stop=measures.stop,
            residual=number(last.get("residual")),
        )
        if measures.objective is None or measures.objective_at_start is None:
            return descent
        return replace(
            descent,
            problem=_problem(record),
            start=measures.objective_at_start,
            value=measures.objective,
            least=_least(record),
            gap=None if measures.gap is None else max(0.0, measures.gap),
        )


class Optima:
    """The least objective that is known of each problem, by the records that were added."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._least: dict[str, float] = {}
        self._reached: dict[str, tuple[float, str]] = {}  # the least end, and whose it is
        for record in records:
            self.add_fit(Descent.of(record))

    def add_fit(self, descent: Descent) -> None:
        """Take one fit; the order does not matter. One without f(0) has no problem here."""
        problem, least = descent.problem, descent.least
        if problem is None:
            return
        if least is not None:
            self._least[problem] = min(least, self._least.get(problem, inf))
        if descent.value is not None and descent.feasible:
            reached = (descent.value, descent.solver)
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
        """Return what can be said of the end of a fit."""
        if disproved := self._disproof(descent):
            return replace(self.judge(replace(descent, gap=None)), disproved=disproved)
        if descent.stop == Stop.STALLED.name and descent.gap is None:
            return Convergence(residual=descent.residual, converged=False)
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
            return replace(convergence, converged=False)
        return replace(convergence, converged=True) if kind == "certified" else convergence


def flat_row(record: Record, optima: Optima) -> dict[str, Any]:
    """Return the flat row of a record, with what can be said of the end of its fit."""
    convergence = asdict(optima.judge(Descent.of(record)))
    if convergence["disproved"] and record.measures.stop == Stop.CERTIFIED.name:
        convergence["stop"] = DISPROVED
    return record.flat(convergence)


def _problem(record: Record) -> str | None:
    """Return a text that is equal for fits of one problem on the same rows; None: not known."""
    cell, problem = record.cell, record.measures.problem
    if problem is None or record.sizes.data is None:
        return None
    rows = (str(cell.features), cell.splits, cell.holdout, cell.repeat, cell.split, cell.seed)
    return hash_of([record.sizes.data, *rows, problem])


def _least(record: Record) -> float | None:
    values = (number(point.get("objective")) for point in record.curve)
    known = (record.measures.objective, *values)
    return min((value for value in known if value is not None), default=None)


def _gap(
    descent: Descent, start: float, value: float, known: float
) -> tuple[float | None, str | None]:
    if descent.gap is not None:
        return descent.gap, "certified"
    least = min(known, start, value if descent.least is None else descent.least)
    behind = value - least
    return (behind, "measured") if behind > 0.0 else (None, None)


def _unit(start: float, optimum: float) -> float | None:
    """Return f(0) − f*; f(0) where rounding is all that w = 0 leaves to gain; None where it is 0.

    The AUM without a normalisation is 0 at w = 0, so that nothing can be said relative to it.
    """
    unit = start - optimum
    return unit if unit > ROUNDING * abs(start) else abs(start) or None
