"""What a plan amounts to before it is run, and what a results folder holds of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.lookup import Meanings, meanings_of
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plugin_probe import safe_supervisor
from aucbench.infra.store import Store

BANDWIDTH = 10e9  # bytes per second that one core reads; no pass over the rows is faster


@dataclass(frozen=True, slots=True)
class Survey:
    """What a results folder holds of a plan.

    Attributes
    ----------
    planned : int
        Cells of the plan.
    statuses : mapping of str to int
        Finished cells by status.
    missing : int
        Cells of the plan that are not finished.
    stale : int
        Records in the folder that belong to no cell of the plan as it stands: its data, its
        plugins or aucbench have changed since, or the plan has.
    """

    planned: int
    statuses: Mapping[str, int]
    missing: int
    stale: int


def survey(plan: Plan, store: Store) -> Survey:
    """Count what is done, failed, missing and stale; raises as `run` does at its start."""
    meanings = _meanings(plan)
    wanted = {meanings.id(cell) for cell in plan.cells()}
    statuses: dict[str, int] = {}
    stale = 0
    for record in store.records():
        if record["id"] in wanted:
            statuses[record["status"]] = statuses.get(record["status"], 0) + 1
        else:
            stale += 1
    return Survey(len(plan), statuses, len(plan) - sum(statuses.values()), stale)


def estimate(plan: Plan) -> str:
    """Sentences about the number of fits, the data, and the time that they take.

    The lower bound reads the rows once per pass at the speed of memory; the upper ones are
    those that the budget and the limits of the plan impose. What lies between is the
    solver's own.

    Raises
    ------
    AucbenchError
        As a run would at its start.
    """
    meanings = _meanings(plan)
    return "\n".join([_fits(plan), *_data(plan, meanings), *_bounds(plan, meanings)])


def _fits(plan: Plan) -> str:
    tuned = sum(choice.tuning is not False for choice in plan.solvers)
    inner = tuned * plan.tune_evals * plan.inner_splits * (len(plan) // len(plan.solvers))
    return f"{len(plan) * plan.repeat_fits + inner} fits, at most {inner} of them for tuning"


def _data(plan: Plan, meanings: Meanings) -> Iterator[str]:
    for dataset in plan.datasets:
        found = meanings.known["data", dataset].found
        if found:
            yield f"{dataset}: {found['n']} x {found['d']}, {_target(found)}"


def _target(found: Mapping[str, Any]) -> str:
    if "n_pos" in found:
        told = f"{found['n_pos'] / found['n']:.2%} positive"
    else:
        told = f"{found['breakpoints']} breakpoints"
    return told + (f", {found['dropped']} columns left out" if found["dropped"] else "")


def _bounds(plan: Plan, meanings: Meanings) -> Iterator[str]:
    cores = len(os.sched_getaffinity(0))
    if plan.limit_of_passes is not None:
        found = [meanings.known["data", dataset].found for dataset in plan.datasets]
        bytes_read = sum(8.0 * about["n"] * about["d"] for about in found if about)
        cells = len(plan) // len(plan.datasets)
        least = bytes_read * cells * plan.limit_of_passes / BANDWIDTH / cores
        yield f"at least {_told(least)} on {cores} core(s), if all rows are dense"
    if plan.timeout is not None:
        yield f"at most {_told(len(plan) * plan.timeout / cores)}, the time-outs of all cells"
    elif plan.seconds is None:
        yield "no upper bound: give --timeout or a budget in seconds"


def _told(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds))) if seconds >= 1 else "a second"


def _meanings(plan: Plan) -> Meanings:
    engine = LocalEngine(len(os.sched_getaffinity(0)))
    with safe_supervisor(engine) as (supervisor, deadly):
        return meanings_of(plan, engine.on(supervisor), deadly)
