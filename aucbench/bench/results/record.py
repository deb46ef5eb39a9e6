"""The record of a cell: one flat dictionary, whatever happened to the cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any

from aucbench import errors
from aucbench.bench.results.conditions import Conditions
from aucbench.cell import Cell
from aucbench.infra.supervise.records import Ending, Outcome
from aucbench.records import CellStatus

OWN = (CellStatus.OK, CellStatus.INVALID, CellStatus.SKIPPED, CellStatus.ERROR)  # of a result
MEASURES = (
    "auc",
    "fit_seconds",
    "nnz",
    "passes",
    "stop",
    "objective",
    "gap",
    "feasible",
    "tune_seconds",
    "predict_seconds",
    "fit_seconds_each",
    "fit_seconds_spread",
    "deterministic",
)
REFUSALS = {
    name
    for name, thing in vars(errors).items()
    if isinstance(thing, type) and issubclass(thing, errors.AucbenchError)
}


def make_record(
    cell: Cell, cell_id: str, outcome: Outcome, conditions: Conditions
) -> dict[str, Any]:
    """What is known of a cell after it ended, as strict JSON.

    Parameters
    ----------
    cell, cell_id :
        The cell and its id.
    outcome : Outcome
        Of its job. An `AucbenchError` of a step makes it "skipped": there are no such rows.
    conditions : Conditions
        What the run imposed.

    Returns
    -------
    dict
        id, and from the cell: solver, dataset, repeat, split, seed, preprocess,
        with_objective, with_projector, tune, and all of it under `cell`.
        status, reason : how it ended, and why unless "ok".
        auc, nnz, objective, gap, feasible, passes, stop : measured by the harness.
        fit_seconds (median), fit_seconds_each, fit_seconds_spread, deterministic : of the
        fits with the final hyperparameters; tune_seconds (with map_seconds), predict_seconds.
        n_train, n_test, d, data : sizes of the split, hash of the data set.
        parameters : plain hyperparameters of the solver that was fitted.
        tuning : {"chosen": point, "map_seconds": of inner folds, "table": rows} or None.
        curve : points; of a cell that was killed those that it had reached.
        plugin : [distribution, version, value].
        conditions : engine, concurrency, limits, host, cpu, cores, threads, load, versions.
        wall_seconds, peak_memory (bytes) : of its process. log : its last output, unless "ok".
    """
    status, reason = _ending(outcome)
    told = _told(outcome)
    about = told["about"]
    result = outcome.result or {}
    record = {
        "id": cell_id,
        **_names(cell),
        "status": status,
        "reason": reason,
        **{name: result.get(name) for name in MEASURES},
        **{name: about.get(name) for name in ("n_train", "n_test", "d", "data", "plugin")},
        "parameters": told["parameters"],
        "tuning": told["tuning"],
        "curve": told["curve"],
        "conditions": {**asdict(conditions), **about.get("conditions", {})},
        "wall_seconds": outcome.wall_seconds,
        "peak_memory": outcome.peak_memory,
        "log": None if status == CellStatus.OK else outcome.log,
        "cell": cell.to_json(),
    }
    return {name: _strict(value) for name, value in record.items()}


def _strict(value: Any) -> Any:
    """`value` with None for every number that is not finite."""
    if isinstance(value, Mapping):
        return {name: _strict(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_strict, value)]
    return None if isinstance(value, float) and not isfinite(value) else value


def _names(cell: Cell) -> dict[str, Any]:
    return {
        "solver": cell.solver,
        "dataset": cell.dataset,
        "repeat": cell.repeat,
        "split": cell.split,
        "seed": cell.seed,
        "preprocess": cell.preprocess,
        "with_objective": cell.objective,
        "with_projector": cell.projector,
        "tune": cell.to_json()["tune"],
    }


def _ending(outcome: Outcome) -> tuple[str, str | None]:
    """Status and reason; nothing that a plugin could have written is believed unseen."""
    if outcome.ending is Ending.OK:
        result = outcome.result or {}
        if result.get("status") not in OWN:
            return CellStatus.ERROR, f"the cell returned the status {result.get('status')!r}"
        if result["status"] == CellStatus.OK and not isinstance(result.get("auc"), float):
            return CellStatus.ERROR, f"the cell returned the AUC {result.get('auc')!r}"
        return str(result["status"]), result.get("reason")
    reason = outcome.reason or outcome.ending.value
    if outcome.step is None:
        return outcome.ending.value, reason
    kind, _, sentence = reason.partition(": ")
    if outcome.ending is Ending.ERROR and kind in REFUSALS:
        return CellStatus.SKIPPED, sentence
    return outcome.ending.value, f"while its rows were prepared: {reason}"


def _told(outcome: Outcome) -> dict[str, Any]:
    """The lines of a cell, put together; of a failed step they are about no cell."""
    told: dict[str, Any] = {"about": {}, "parameters": {}, "tuning": None, "curve": []}
    for line in outcome.lines if outcome.step is None else ():
        for name, thing in line.items():
            if name == "point":
                told["curve"].append(thing)
            elif name == "about" and isinstance(thing, Mapping):
                told["about"] |= thing
            elif name in ("parameters", "tuning"):
                told[name] = thing
    return told
