"""The fit of a cell with three or more classes: one for each class, and what they are together.

The curve is told when all classes are fitted, since a point of it needs all of them. So a cell that
is ended before has no curve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import hypot
from statistics import fmean, median
from typing import Any

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.worker.measure import Emit, FittedCell, fitted_cell
from aucbench.data import Categories, Data
from aucbench.data.arrays import Rows, Vector
from aucbench.protocols import Solver
from aucbench.records import Stop
from aucbench.solving.classes import ENDS, against_rest, pairs_trained, together
from aucbench.solving.loop import LEAST
from aucbench.solving.wrappers import of_class

Result = Mapping[str, Any]
MEANS = ("objective", "gap", "objective_at_zero", "objective_at_start", "passes")
SUMS = ("predict_seconds", "cpu_seconds", "fit_seconds_spread")
OF_POINTS = ("objective", "gap", "train_auc", "validation_auc", "passes")  # means of points
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
    for k, data in enumerate(against_rest(solver, train)):
        curves.append([])
        spent = sum(part.result["fit_seconds"] for part in parts)
        part = fitted_cell(
            _within(cell, spent, target.k - k),
            of_class(solver, k),
            data,
            test,
            lambda line: curves[-1].append(line["point"]),
            target.k,
        )
        if part.result["status"] != "ok":
            why = f"class {target.names[k]}: {part.result['reason']}"
            return FittedCell({**part.result, "reason": why})
        parts.append(part)
    points, places, along = _curve(curves, parts)
    for point in points:
        emit({"point": point})
    scores = np.column_stack([part.arrays["scores"] for part in parts])
    pairs = str(pairs_trained(solver, train))
    result = {**_joined([part.result for part in parts], pairs), "test_points": places}
    return FittedCell(result, {**_weights(parts), "scores": scores, "along": along})


def _within(cell: Cell, spent: float, left: int) -> Cell:
    """Return the cell with the share of its seconds that the next fit may take."""
    if cell.seconds is None:
        return cell
    return replace(cell, seconds=max(cell.seconds - spent, LEAST) / left)


def _weights(parts: Sequence[FittedCell]) -> dict[str, Vector]:
    each = [part.arrays["w"] for part in parts if "w" in part.arrays]
    same = len(each) == len(parts) and len({w.size for w in each}) == 1
    return {"w": np.array(each)} if same else {}


def _joined(results: Sequence[Result], pairs: str) -> dict[str, Any]:
    """Return what is said of all fits: means of objectives and gaps, sums of times."""
    first = results[0]
    each = [[*times] for times in zip(*(r["fit_seconds_each"] for r in results), strict=True)]
    seconds = [sum(times) for times in each]
    ends = [Stop[r["stop"]] for r in results]
    return {
        **first,
        **{name: _of_all(results, name, fmean) for name in MEANS},
        **{name: _of_all(results, name, sum) for name in SUMS},
        **{name: _of_all(results, name, all) for name in ALL},
        "fit_seconds_each": seconds,
        "fit_seconds": median(seconds),
        "overspent": any(r["overspent"] for r in results),
        "stop": min(ends, key=ENDS.index).name,
        "score_error": _of_all(results, "score_error", max),
        "problem": _named([r.get("problem") for r in results], pairs),
        "set": [r.get("set") for r in results],
    }


def _of_all(results: Sequence[Result], name: str, of: Callable[[list[Any]], Any]) -> Any:
    """Return a number of all results; None where one of them does not know it."""
    values = [result.get(name) for result in results]
    return None if None in values else of(values)


def _named(problems: Sequence[str | None], pairs: str) -> str | None:
    """Return a text that is equal for equal problems of all classes, over the same pairs."""
    known = [problem for problem in problems if problem is not None]
    if len(known) < len(problems):
        return None
    return f"{pairs}: {' | '.join(dict.fromkeys(known))}"


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
    at = together([[point["passes"] for point in points] for points in own])
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
    joint = {name: _of_all(points, name, fmean) for name in OF_POINTS}
    joint |= {name: _of_all(points, name, sum) for name in ("step", "seconds")}
    joint["residual"] = _of_all(points, "residual", lambda each: hypot(*each) / len(each))
    told = [point.get("info", {}) for point in points]
    shared = [name for name in told[0] if all(name in one for one in told)]
    info = {name: fmean(one[name] for one in told) for name in shared}
    return {**joint, "info": info} if info else joint
