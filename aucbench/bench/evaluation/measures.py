"""The measures of the parent, which has the test labels; a worker returns plain numbers.

No plugin of a third party is imported here, and a worker reports only what it alone can know. Other
values than plain numbers become None, and times must fit into the life of its process. A fit has
diverged when its objective is more than `DIVERGED` times that at w = 0, or when the differences of
test scores are no larger than rounding errors, so that their order means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench import projectors
from aucbench.bench.evaluation.verdict import CellResult, Measures, Status, number
from aucbench.data import Categories, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.packed import pack_arrays
from aucbench.errors import AucbenchError
from aucbench.metrics.pairs import quality_of
from aucbench.processes.records import Outcome
from aucbench.ranges import DIVERGED
from aucbench.records import CellStatus, Stop

# Seconds by which a cell may have worked longer than its process lived, as the parent saw it: the
# parent notes the begin when it hears of it, on a busy machine too late, and the clock of a virtual
# machine may jump. A wrong unit, or a sum of wrong parts, is off by more.
SLACK = 1.0
ANY = -1  # as a length
MOST_WEIGHTS = 100_000  # of one cell that are kept
NUMBERS = (  # that a worker reports, and of which it alone can know
    *("objective", "objective_at_start", "gap", "passes", "passes_limit", "fit_seconds"),
    *("cpu_seconds", "fit_seconds_spread", "tune_seconds", "predict_seconds"),
)
FLAGS = ("overspent", "deterministic", "feasible", "collapsed")
STOPS = frozenset(stop.name for stop in Stop)


class UnfitScoresError(Exception):
    """The result of a worker cannot be measured; the message says why."""


def measured(
    outcome: Outcome,
    numbers: Index,
    held: Data,
    points: int,
    *,
    keep_weights: bool = False,
) -> CellResult:
    """Judge a cell whose process returned; its curve has so many points.

    `numbers` and `held` are of the test rows, and `held` has their target and groups. With
    `keep_weights` the weights are kept beside the scores, where each belongs to a column of the
    data.
    """
    result = outcome.result or {}
    reported = _reported(result)
    status = result.get("status")
    if status != CellStatus.OK:
        return CellResult(_own_status(result), reported)
    try:
        _require_time(result, outcome.wall_seconds)
        each = (held.target.k,) if isinstance(held.target, Categories) else ()
        scores = _array(outcome.files, "scores.npy", numbers.size, *each)
        w = _array(outcome.files, "w.npy", *each, ANY) if "w.npy" in outcome.files else None
        along = _along(result, outcome.files, (numbers.size, *each), points)
    except UnfitScoresError as unfit:
        return CellResult(Status(status=CellStatus.ERROR, reason=str(unfit)), reported)
    columns = _without_exempt(result, w)
    nnz = None if columns is None else int(np.count_nonzero(columns))
    measures = replace(reported, nnz=nnz, feasible=_feasible(result, w))
    if fault := _fault(measures, result, scores, w):
        return CellResult(Status(status=CellStatus.INVALID, reason=fault), measures)
    try:
        auc = quality_of(held, scores)
        aucs = {point: quality_of(held, row) for point, row in along if not np.isnan(row).any()}
    except AucbenchError as error:
        failed = Status(status=CellStatus.ERROR, reason=str(error), error_type=type(error).__name__)
        return CellResult(failed, measures)
    arrays: dict[str, NDArray[Any]] = {"scores": scores, "rows": numbers}
    own = keep_weights and columns is not None and columns.ndim == 1  # not of several classes
    if own and columns is not None and result.get("keeps_columns") is True:
        arrays |= {"w": columns} if columns.size <= MOST_WEIGHTS else {}
    file = pack_arrays(arrays)
    last = {points - 1: auc} if points else {}
    return CellResult(
        Status(status=CellStatus.OK), replace(measures, auc=auc), file, {**aucs, **last}
    )


def _own_status(result: Mapping[str, Any]) -> Status:
    own = (CellStatus.INVALID, CellStatus.SKIPPED, CellStatus.ERROR)
    if result.get("status") not in own:
        said = f"the cell returned the status {result.get('status')!r}"
        return Status(status=CellStatus.ERROR, reason=said)
    reason, kind = result.get("reason"), result.get("error_type")
    return Status(
        status=CellStatus(result["status"]),
        reason=None if reason is None else str(reason),
        error_type=None if kind is None else str(kind),
    )


def _reported(result: Mapping[str, Any]) -> Measures:
    """Return what only the worker can know, as plain finite numbers."""
    known: dict[str, Any] = {name: number(result.get(name)) for name in NUMBERS}
    known |= {name: flag for name in FLAGS if isinstance(flag := result.get(name), bool)}
    each, stop, problem = (result.get(name) for name in ("fit_seconds_each", "stop", "problem"))
    if isinstance(each, list):
        known["fit_seconds_each"] = tuple(x for x in map(number, each) if x is not None)
    return Measures(
        **known,
        stop=stop if stop in STOPS else None,
        problem=problem if isinstance(problem, str) else None,
    )


def _along(
    result: Mapping[str, Any], files: Mapping[str, bytes], size: tuple[int, ...], points: int
) -> list[tuple[int, Vector]]:
    """Return numbers of points of the curve, without the last one, and the test scores there."""
    numbers = result.get("test_points") or []
    if not numbers:
        return []
    whole = isinstance(numbers, list) and all(type(number) is int for number in numbers)
    if not whole or numbers != sorted({*numbers}) or not 0 <= numbers[0] <= numbers[-1] < points:
        raise UnfitScoresError(f"the cell names points of a curve of {points} that are none")
    scores = _array(files, "along.npy", len(numbers), *size)
    return [*zip(numbers, scores, strict=True)]


def _array(files: Mapping[str, bytes], name: str, *shape: int) -> Vector:
    """Return an array of the worker, of this shape, in which `ANY` is any length."""
    try:
        array: NDArray[Any] = np.load(BytesIO(files[name]), allow_pickle=False)
    except KeyError:
        raise UnfitScoresError(f"the cell handed over no {name}") from None
    except Exception as error:  # from bytes of a plugin the parser may raise anything
        raise UnfitScoresError(f"{name} of the cell is no array: {type(error).__name__}") from error
    wanted, axes = len(shape), ("vector", "matrix", "block")
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.ndim != wanted:
        raise UnfitScoresError(f"{name} of the cell is no {axes[wanted - 1]} of float64")
    if any(size not in (ANY, own) for own, size in zip(array.shape, shape, strict=True)):
        sizes = (" x ".join(map(str, sizes)) for sizes in (array.shape, shape))
        raise UnfitScoresError("{} of the cell has {} numbers, wanted {}".format(name, *sizes))
    return array


def _require_time(result: Mapping[str, Any], lived: float) -> None:
    each = result.get("fit_seconds_each")
    each = each if isinstance(each, list) else [result.get("fit_seconds")]
    times = [number(t) for t in (*each, result.get("tune_seconds"), result.get("predict_seconds"))]
    total = sum(t for t in times if t is not None)
    if any(t is not None and t < 0 for t in times) or total > lived + SLACK:
        raise UnfitScoresError(
            f"the cell reports {total:.3g} s of work and its process lived {lived:.3g} s"
        )


def _without_exempt(result: Mapping[str, Any], w: Vector | None) -> Vector | None:
    """Return the weights of features, without the trailing ones that belong to none."""
    exempt = result.get("exempt")
    if w is None or not isinstance(exempt, int) or not 0 <= exempt <= w.shape[-1]:
        return None
    return w[..., : w.shape[-1] - exempt]


def _feasible(result: Mapping[str, Any], w: Vector | None) -> bool | None:
    """Check with projectors of aucbench that are built here; else take the report of the worker."""
    described, reported = result.get("set"), result.get("feasible")
    sets = described if isinstance(described, list) else [described]
    if w is None or not sets or not all(isinstance(one, dict) for one in sets):
        return reported if isinstance(reported, bool) else None
    return len(sets) == len(np.atleast_2d(w)) and all(
        _contains(one, row) for one, row in zip(sets, np.atleast_2d(w), strict=True)
    )


def _contains(described: Mapping[str, Any], w: Vector) -> bool:
    """Whether a set has the weights, by its class and its parameters."""
    try:
        project = getattr(projectors, described["class"])(**described["parameters"])
        return bool(project.contains(w))
    except (LookupError, AttributeError, TypeError, ValueError, AucbenchError):
        return False  # `fitted_cell` did not write this description, so nothing is certain


def _fault(
    measures: Measures, result: Mapping[str, Any], scores: Vector, w: Vector | None
) -> str | None:
    if w is not None and not np.isfinite(w).all():
        return "The weights are not finite."
    if np.isnan(scores).any():
        return "Scores of test rows are NaN."
    if measures.feasible is False:
        return "The weights are not in the set of the problem."
    if "objective" in result and result["objective"] is None and result.get("objective_at_zero"):
        return "diverged: the objective is not finite"
    start = number(result.get("objective_at_zero"))
    if measures.objective is not None and start and measures.objective > DIVERGED * start > 0.0:
        end, times = measures.objective, measures.objective / start
        return (
            f"diverged: the objective is {end:.3g}, {times:.3g} times its value at w = 0; take "
            "smaller steps, or scale the features"
        )
    if w is None:
        return None
    spread = _spread(scores)
    error = result.get("score_error", 0.0)
    error = inf if error is None else number(error) or 0.0
    if 0.0 < spread <= error:
        return (
            f"diverged: with weights of norm {np.linalg.norm(w):.3g} the test scores differ by "
            f"{spread:.3g}, and rounding may move each by {error:.3g}; scale the features"
        )
    return None


def _spread(scores: Vector) -> float:
    """Return the range of the scores, the least one of several classes."""
    with np.errstate(all="ignore"):
        spread = float(np.min(scores.max(axis=0) - scores.min(axis=0)))
    return inf if np.isnan(spread) else spread
