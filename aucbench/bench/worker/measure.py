"""One fit: its curve, its times, and the weights and scores that the parent measures.

Points of the curve are emitted one by one, so that a fit that is killed leaves them. They are one
pass apart at first, and later `GROWTH` times the passes, so that no curve has more than
`MAX_POINTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, log
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.worker.independence import require_scored_alone
from aucbench.bench.worker.plain import plain_fields
from aucbench.contract import FeatureMap, NoMap, Problem, Solver, State
from aucbench.data import Data, rounding
from aucbench.data.arrays import Rows, Vector
from aucbench.data.passes import square_norms
from aucbench.errors import CollapsedWarning
from aucbench.features.chunked import map_of
from aucbench.metrics import auc_of
from aucbench.processes.records import MOST_BYTES
from aucbench.ranges import OVERSPENT
from aucbench.records import Point, Run, Stop
from aucbench.registry.discovery import BUILT_IN
from aucbench.scale import ChunkedData
from aucbench.solving.loop import passes_limit, solve
from aucbench.solving.scoring import Scorer, Scoring
from aucbench.solving.tuning import fault_of
from aucbench.solving.values import contains, objective_at
from aucbench.solving.wrappers import WithProblems, core

MOST = 24
WEIGHT_BYTES = MOST_BYTES
SCORE_BYTES = MOST_BYTES // 4  # the weights and the scores at the end are handed over too
FLOOR = 1e-6  # passes; less of them count as this, since 0 has no logarithm
GROWTH = 0.08  # 50 passes give 31 points, a million of them 160
MAX_POINTS = 200
Emit = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Kept:
    """Weights at a point of the curve."""

    place: int  # number of the point, from 0
    at: float  # log(passes)
    w: Vector


class KeptWeights:
    """Weights at some points of one curve, which is one of `curves` that share the limits.

    They are copied during the fit, and score the test rows after it. There are at most `MOST`
    points, about equally far apart in log(passes). How long a fit lasts is not known before, so
    that one is removed when there is one too many: that whose neighbours are closest. The copies
    take at most `WEIGHT_BYTES`, and the scores `SCORE_BYTES`.
    """

    def __init__(self, curves: int = 1) -> None:
        self.points: list[Kept] = []
        self._curves = curves

    def add(self, place: int, passes: float, w: Vector) -> None:
        """Copy the weights at a point, and forget those of another one if they are too many."""
        most = min(MOST, WEIGHT_BYTES // self._curves // (8 * max(1, w.size)))
        if most:
            at = log(max(passes, FLOOR))
            self.points.append(Kept(place, at, np.array(w, dtype=np.float64)))
        if len(self.points) > most:
            # The point between two others that leaves the smallest gap; else the first one.
            logs, inner = [point.at for point in self.points], range(1, len(self.points) - 1)
            del self.points[min(inner, key=lambda j: logs[j + 1] - logs[j - 1], default=0)]

    def scores(self, problem: Problem, test: Rows, last: int) -> tuple[list[int], Vector]:
        """Score the test rows by the weights of all points but the last one of the curve.

        The weights at the end of the fit score them anyway.
        """
        some = [point for point in self.points if point.place < last]
        at_end = 2 * 8 * (test.n + problem.data.d)  # twice what that takes, to be safe
        free = MOST_BYTES // self._curves - at_end
        most = max(0, min(SCORE_BYTES // self._curves, free)) // (8 * test.n)
        if len(some) > most:
            some = [some[j] for j in np.linspace(0, len(some) - 1, most).round().astype(int)]
        if not some:
            return [], np.empty((0, test.n))
        return [point.place for point in some], Scorer.of(problem).by_each(
            [point.w for point in some], test
        )


class FittedCell(NamedTuple):
    """The result of a fit: facts, and the arrays that the parent measures."""

    result: dict[str, Any]
    run: Run
    arrays: Mapping[str, Vector] = {}  # w (if there are weights), scores, along: when it is valid


def fitted_cell(
    cell: Cell,
    solver: Solver,
    train: Data | ChunkedData,
    test: Callable[[], Rows | ChunkedData],
    emit: Emit,
    fits: int = 1,
) -> FittedCell:
    """Fit to mapped rows, then score the test rows, which `test` gives; `emit` takes the curve.

    It is one of so many `fits` of the cell, which share the limits of what is handed over.

    `deterministic` says whether several fits gave the same weights, or the same scores.
    `score_error` bounds what rounding does to a typical training score, `exempt` counts the
    trailing weights that are no features, `keeps_columns` says whether the others belong to the
    columns of the training rows, and `set` describes the projector where it is one of aucbench.
    `test_points` are the numbers of the points of the curve whose weights score the test rows.
    """
    curve = Curve(emit, fits)
    run, result = _run(cell, solver, train, curve)
    if result["status"] != "ok":
        return FittedCell(result, run)
    begin = perf_counter()
    rows = test()
    if isinstance(train, ChunkedData) and isinstance(rows, ChunkedData):
        return _scored_in_chunks(run, result, train, rows)
    assert isinstance(rows, Rows)
    scores = run.decision_function(rows)
    result["predict_seconds"] = perf_counter() - begin
    if not _scored_by_us(run, solver):
        name, slack = type(core(solver)).__name__, 8.0 * (result.get("score_error") or 0.0)
        require_scored_alone(name, run.decision_function, rows, scores, slack)
    problem = curve.problems[-1]
    result["test_points"], along = curve.weights.scores(problem, rows, curve.count - 1)
    weights = {} if run.w is None else {"w": run.w}
    return FittedCell(result, run, {**weights, "scores": scores, "along": along})


def _scored_in_chunks(
    run: Run, result: dict[str, Any], train: ChunkedData, test: ChunkedData
) -> FittedCell:
    """Score the test rows by the last weights: one reading."""
    begin = perf_counter()
    scores = test.scores(partial(_scores_of, run, map_of(train)))
    result["predict_seconds"], result["test_points"] = perf_counter() - begin, []
    weights = {} if run.w is None else {"w": run.w}
    along = np.empty((0, scores.size))
    return FittedCell(result, run, {**weights, "scores": scores, "along": along})


def _scores_of(run: Run, phi: FeatureMap, raw: Rows) -> Vector:
    return run.decision_function(phi(raw))


def _run(
    cell: Cell, solver: Solver, train: Data | ChunkedData, curve: Curve
) -> tuple[Run, dict[str, Any]]:
    """Fit, with its curve; return the run and its facts."""
    run = fit(cell, WithProblems(solver, curve.problems), train, every=1.0, watch=curve)
    problem = curve.problems[-1]
    last = run.points[-1]
    if run.stop is not Stop.INVALID:
        curve.end(last, run)
    result = {**_timed(cell, solver, train, run), "passes": last.passes, "stop": run.stop.name}
    if run.collapsed:
        result["collapsed"] = True
    limit = result["passes_limit"] = passes_limit(solver, cell.passes, cell.seconds)
    result["overspent"] = any(
        most is not None and used > OVERSPENT * most
        for used, most in ((last.passes, limit), (last.seconds, cell.seconds))
    )
    fault = fault_of(run, problem)
    status = "invalid" if fault else "ok"
    result |= {"status": status, "reason": fault, **_quality(run, problem, train)}
    return run, result


def fit(
    cell: Cell,
    solver: Solver,
    data: Data | ChunkedData,
    *,
    every: float = inf,
    watch: Callable[[Point, State], None] | None = None,
    w0: Vector | None = None,
) -> Run:
    """`solve` with the budget and the seed of a cell."""
    with catch_warnings():  # the record says that w = 0 is the best
        simplefilter("ignore", CollapsedWarning)
        return solve(
            solver,
            data,
            passes=cell.passes,
            seconds=cell.seconds,
            gap_tol=cell.gap_tol,
            seed=cell.seed,
            every=every,
            growth=GROWTH,
            watch=watch,
            w0=w0,
        )


class Curve:
    """Measures and emits the points of one fit."""

    def __init__(self, emit: Emit, fits: int = 1) -> None:
        self.problems: list[Problem] = []  # the one that is solved
        self.weights = KeptWeights(fits)
        self.count = 0
        self._emit = emit
        self._last: Point | None = None

    def __call__(self, point: Point, state: State) -> None:
        """Emit the point, while there is room for the last one after it."""
        if self.count < MAX_POINTS - 1:
            self._write(point, state)
            if state.w is not None:
                self.weights.add(self.count - 1, point.passes, state.w)

    def end(self, point: Point, learnt: Scoring) -> None:
        """Emit the last point unless this was done."""
        if point is not self._last:
            self._write(point, learnt)

    def _write(self, point: Point, learnt: Scoring) -> None:
        (problem,) = self.problems
        self.count, self._last = self.count + 1, point
        known: dict[str, Any] = {
            "step": point.step,
            "passes": point.passes,
            "seconds": point.seconds,
            "objective": point.objective,
            "gap": point.gap,
            "residual": point.residual,
            "train_auc": _auc(problem, problem.data, learnt),
            "validation_auc": _auc(problem, problem.holdout, learnt),
        }
        if isinstance(learnt, State) and learnt.info:
            known["info"] = learnt.info
        self._emit({"point": known})


def _auc(problem: Problem, data: Data | ChunkedData | None, learnt: Scoring) -> float | None:
    """Return the AUC of rows that a solver keeps; their columns show whether they are mapped.

    It is None of rows in chunks, which would be read once more; and if a score is NaN, which
    overflow can cause with finite weights.
    """
    if data is None or isinstance(data, ChunkedData):
        return None
    if learnt.w is not None and data.d == learnt.w.size:
        scores = data.scores(np.array(learnt.w, dtype=np.float64))
    else:
        scores = Scorer.of(problem)(learnt, data.rows)
    return None if np.isnan(scores).any() else auc_of(data.target, scores)


def _scored_by_us(run: Run, solver: Solver) -> bool:
    """Whether the scores are products x·w, or those of a built-in, which the laws hold to this."""
    built_in = type(core(solver)).__module__.startswith(f"{BUILT_IN}.")
    return built_in or (run.model is None and isinstance(run.scorer.features, NoMap))


def _timed(cell: Cell, solver: Solver, train: Data | ChunkedData, first: Run) -> dict[str, Any]:
    more = [fit(cell, solver, train) for _ in range(cell.repeat_fits - 1)]
    seconds = [run.seconds for run in (first, *more)]
    cpu = [run.cpu_seconds for run in (first, *more) if run.cpu_seconds is not None]
    same = all(_same(run, first, train) for run in more)
    return {
        "fit_seconds": median(seconds),
        "cpu_seconds": median(cpu) if cpu else None,
        "fit_seconds_each": seconds,
        "fit_seconds_spread": max(seconds) - min(seconds) if more else None,
        "deterministic": same if more else None,
    }


def _same(run: Run, first: Run, train: Data | ChunkedData) -> bool:
    """Whether two runs have the same weights, or models that score the rows the same."""
    if run.w is not None and first.w is not None:
        return np.array_equal(run.w, first.w, equal_nan=True)
    if run.model is None or first.model is None or isinstance(train, ChunkedData):
        return False
    a, b = (each.decision_function(train.rows) for each in (run, first))
    return np.array_equal(a, b, equal_nan=True)


def _quality(run: Run, problem: Problem, train: Data | ChunkedData) -> dict[str, Any]:
    if run.stop is Stop.INVALID:
        return {"feasible": None}
    last = run.points[-1]
    quality = {"objective": last.objective, "gap": last.gap}
    if run.w is None:
        return quality
    with np.errstate(all="ignore"):  # infinity is the answer where rows or weights overflow
        typical = _typical(problem.data)
        error = rounding.gamma(run.w.size + 16) * typical * float(np.linalg.norm(run.w))
    start = at_zero = objective_at(problem, np.zeros_like(run.w))
    if at_zero is not None and not isfinite(at_zero):  # 0 is not in the set of the problem
        start = objective_at(problem, problem.project(np.zeros_like(run.w), 1.0))
    return {
        **quality,
        "objective_at_zero": at_zero,
        "objective_at_start": None if problem.early_stopping else start,
        "problem": _named(problem, train),
        "score_error": error,
        "exempt": problem.features.exempt,
        "keeps_columns": problem.features.keeps_columns,
        "feasible": contains(problem.project, run.w),
        "set": _described(problem),
    }


def _typical(data: Data | ChunkedData) -> float:
    """Return the median length of a row."""
    table = data.sample.rows if isinstance(data, ChunkedData) else data.rows
    return float(np.sqrt(np.median(square_norms(table))))


def _named(problem: Problem, train: Data | ChunkedData) -> str | None:
    """Return a text that is equal for equal problems on these rows; None if that is not certain."""
    if problem.f is None or problem.early_stopping or isinstance(train, ChunkedData):
        return None
    if problem.data.target is not train.target:
        return None
    parts = [_text(problem.f, but=("data",)), _text(problem.project)]
    if not isinstance(problem.features, NoMap):
        parts.append(_text(problem.features))
    if problem.data.pairs is not None:
        parts.append(_text(problem.data.pairs))
    known = [part for part in parts if part is not None]
    return " + ".join(known) if len(known) == len(parts) else None


def _text(thing: object, but: Collection[str] = ()) -> str | None:
    """Return class and parameters, as "ElasticNet[l1=0.0,l2=0.01]"; None if they are not plain."""
    fields = plain_fields(thing, but)
    if fields is None:
        return None
    kind = type(thing)
    own = kind.__module__.startswith("aucbench.")
    name = kind.__qualname__ if own else f"{kind.__module__}.{kind.__qualname__}"
    values = ",".join(f"{key}={value}" for key, value in fields.items())
    return f"{name}[{values}]" if values else name


def _described(problem: Problem) -> dict[str, Any] | None:
    """Class and parameters of a projector of aucbench, from which the parent makes it again."""
    kind = type(problem.project)
    fields = plain_fields(problem.project)
    ours = kind.__module__.startswith("aucbench.projectors.")
    return {"class": kind.__name__, "parameters": fields} if ours and fields is not None else None
