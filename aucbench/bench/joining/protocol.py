"""What plans must agree in, so that their results can stand in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from aucbench.bench.plan.plan import Plan
from aucbench.errors import DataError
from aucbench.registry.specs import short

# What is called how in the sentence of a refusal. The solvers are each one's own.
SAME: Mapping[str, Callable[[Plan], Any]] = {
    "data sets": lambda plan: frozenset(plan.datasets),
    "how files are read": lambda plan: plan.reading.to_json(),
    "feature maps": lambda plan: plan.features,
    "objective": lambda plan: plan.objective,
    "projector": lambda plan: plan.projector,
    "pairs": lambda plan: plan.pairs,
    "shapes of effects": lambda plan: plan.monotone,
    "splits": lambda plan: plan.split_count,
    "holdout": lambda plan: _number(plan.holdout),
    "repeats": lambda plan: plan.repeats,
    "seeds": lambda plan: plan.seeds,
    "passes": lambda plan: _number(plan.passes),
    "seconds": lambda plan: _number(plan.seconds),
    "gap_tol": lambda plan: float(plan.gap_tol),
    "points of tuning": lambda plan: plan.tune_evals,
    "inner splits of tuning": lambda plan: plan.inner_splits,
    "seconds of tuning": lambda plan: _number(plan.tune_seconds),
    "repeats of a fit": lambda plan: plan.repeat_fits,
}
LIMITS: Mapping[str, Callable[[Plan], float]] = {  # another plan may have less
    "timeout": lambda plan: plan.timeout or inf,
    "memory": lambda plan: plan.memory or inf,
}
LISTED = 3  # data sets that a sentence names


def agreed(plan: Plan, whole: Sequence[Plan], folder: str, first: str) -> Plan:
    """Return a plan as it stands beside those of the first folder: with their families.

    Raises
    ------
    DataError
        When it agrees with none of them; the sentence says in what, of the one that is nearest.
    """
    faults = {number: [*_faults(plan, other)] for number, other in enumerate(whole)}
    nearest = min(faults, key=lambda number: len(faults[number]))
    if not faults[nearest]:
        return replace(plan, families=whole[nearest].families, looks=None, reference=None)
    what = "; ".join(faults[nearest])
    raise DataError(
        f"{folder} was run by another protocol than {first}: {what}; run its solvers by the plan "
        f"of {first}, and submit them again"
    )


def _faults(plan: Plan, other: Plan) -> Iterator[str]:
    """Yield in what a plan differs from the other one."""
    for name, value in SAME.items():
        here, there = value(plan), value(other)
        if here != there:
            yield _sets(here, there) if name == "data sets" else f"its {name}: {here} and {there}"
    for name, limit in LIMITS.items():
        if limit(plan) > limit(other):
            yield f"its {name}: {limit(plan):g}, more than {limit(other):g}"
    if _tunes(plan) and not _tunes(other):
        yield "it tunes its solvers, and none is tuned there"


def _sets(here: frozenset[str], there: frozenset[str]) -> str:
    lacking, further = sorted(there - here), sorted(here - there)
    parts = [(f"{len(lacking)} data sets are missing", lacking), ("it has further ones", further)]
    return ", and ".join(f"{said} ({_some(names)})" for said, names in parts if names)


def _some(names: Sequence[str]) -> str:
    more = "" if len(names) <= LISTED else f" and {len(names) - LISTED} more"
    return f"{', '.join(map(short, names[:LISTED]))}{more}"


def _tunes(plan: Plan) -> bool:
    return any(choice.tuning is not False for choice in plan.solvers)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
