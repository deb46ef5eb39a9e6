"""The fit of a cell with three or more classes: one for each class, and what they are align_points.

The curve is emitted when all classes are fitted, since a point of it needs all of them. So a cell
that is ended before has no curve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import repeat
from statistics import fmean, median
from typing import Any

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.worker.measure import Emit, FittedCell, fitted_cell
from aucbench.contract import Solver
from aucbench.data import Categories, Data
from aucbench.data.arrays import Rows, Vector
from aucbench.records import Point, Run
from aucbench.solving.classes import align_points, join_points, pairs_trained
from aucbench.solving.loop import solve_classes
from aucbench.solving.tuning import weights_of

Result = Mapping[str, Any]
MEANS = ("objective", "gap", "objective_at_zero", "objective_at_start", "passes")
SUMS = ("predict_seconds", "cpu_seconds", "fit_seconds_spread")
MEANS_OF_POINTS = ("train_auc", "validation_auc")
ALL = ("feasible", "keeps_columns", "deterministic")  # true where it is so for each class


def fitted_classes(
    cell: Cell, solver: Solver, train: Data, test: Callable[[], Rows], emit: Emit
) -> FittedCell:
    """Do as `fitted_cell` for each class against the rest.

    Weights have the shape (K, d), if all classes have the same number d of them; scores (n, K), and
    those along the fit (points, n, K). Sets of weights are a list.
    """
    target = train.target
    assert isinstance(target, Categories)
    parts: list[FittedCell] = []
    curves: list[list[dict[str, Any]]] = []

    def fit(own: Solver, data: Data, seconds: float | None) -> Run:
        curve: list[dict[str, Any]] = []
        limited = replace(cell, seconds=seconds)
        part = fitted_cell(
            limited, own, data, test, lambda line: curve.append(line["point"]), target.k
        )
        parts.append(part)
        curves.append(curve)
        return part.run

    run = solve_classes(solver, train, cell.seconds, repeat(fit))
    for name, part in zip(target.names, parts, strict=False):
        if part.result["status"] != "ok":
            reason = f"class {name}: {part.result['reason']}"
            return FittedCell({**part.result, "reason": reason}, run)
    points, places, along = _curve(curves, parts)
    for point in points:
        emit({"point": point})
    weights = weights_of(run)
    arrays = {"scores": np.column_stack([part.arrays["scores"] for part in parts]), "along": along}
    result = _joined([part.result for part in parts], str(pairs_trained(solver, train)))
    return FittedCell(
        {**result, "stop": run.stop.name, "test_points": places},
        run,
        arrays if weights is None else {**arrays, "w": weights},
    )


def _joined(results: Sequence[Result], pairs: str) -> dict[str, Any]:
    """Return the facts about all fits: means of objectives and gaps, sums of times."""
    each = zip(*(r["fit_seconds_each"] for r in results), strict=True)
    seconds = [sum(times) for times in each]
    return {
        **results[0],
        **{name: _of_all(results, name, fmean) for name in MEANS},
        **{name: _of_all(results, name, sum) for name in SUMS},
        **{name: _of_all(results, name, all) for name in ALL},
        "fit_seconds_each": seconds,
        "fit_seconds": median(seconds),
        "overspent": any(r["overspent"] for r in results),
        "score_error": _of_all(results, "score_error", max),
        "problem": _of_all(results, "problem", lambda texts: _problem(texts, pairs)),
        "set": [r.get("set") for r in results],
    }


def _of_all(results: Sequence[Result], name: str, of: Callable[[list[Any]], Any]) -> Any:
    """Return a value of all results; None where one of them does not know it."""
    values = [result.get(name) for result in results]
    return None if None in values else of(values)


def _problem(texts: Sequence[str], pairs: str) -> str:
    """Return a text that is equal for equal problems of all classes, over the same pairs."""
    return f"{pairs}: {' | '.join(dict.fromkeys(texts))}"


def _curve(
    curves: Sequence[Sequence[dict[str, Any]]], parts: Sequence[FittedCell]
) -> tuple[list[dict[str, Any]], list[int], Vector]:
    """Return the points of all classes, which of them score the test rows, and these scores.

    Points at which each class has scores make the curve, where there are some; else all points.
    """
    scored = [part.result["test_points"] for part in parts]
    has_scores = all(scored)
    chosen = [
        [*places, len(curve) - 1] if has_scores else [*range(len(curve))]
        for places, curve in zip(scored, curves, strict=True)
    ]
    own = [[curve[j] for j in places] for places, curve in zip(chosen, curves, strict=True)]
    at = align_points([[point["passes"] for point in points] for points in own])
    points = [_point([some[j] for some, j in zip(own, js, strict=True)]) for js in at]
    n = parts[0].arrays["scores"].size
    if not has_scores:
        return points, [], np.empty((0, n, len(parts)))
    known = [np.vstack([part.arrays["along"], part.arrays["scores"]]) for part in parts]
    stacked = [
        np.column_stack([rows[j] for rows, j in zip(known, js, strict=True)]) for js in at[:-1]
    ]
    along = np.array(stacked).reshape(len(stacked), n, len(parts))
    return points, [*range(len(stacked))], along


def _point(points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a point of all classes."""
    fields = Point.__dataclass_fields__
    joint = asdict(join_points([Point(**{name: p[name] for name in fields}) for p in points]))
    joint |= {name: _of_all(points, name, fmean) for name in MEANS_OF_POINTS}
    infos = [point.get("info", {}) for point in points]
    shared = [name for name in infos[0] if all(name in info for info in infos)]
    info = {name: fmean(one[name] for one in infos) for name in shared}
    return {**joint, "info": info} if info else joint
