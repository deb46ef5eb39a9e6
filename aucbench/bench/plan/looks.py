"""Looks of a plan: it may stop before all data sets are finished, when a difference is decided.

Design
  a. Looks are a part of the plan, and so are planned before the first result. A folder that was
     run without them takes none later; one with looks may go on without them, and keeps its bounds.
  b. They are of one pair of solvers, or of the others against one reference: for whole sets of
     solvers nobody has worked out how often such words are wrong.
  c. Data sets come in random order, so that the order does not know the difference: small ones
     first would stop on what is true of small ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from aucbench.bench.cell import Cell, solver_of
from aucbench.bench.plan.errors import PlanError, require_text, with_place
from aucbench.errors import DataError
from aucbench.registry.specs import anchored

if TYPE_CHECKING:
    from aucbench.bench.plan.plan import Plan
    from aucbench.stats.looks import Look

LOOKS, REFERENCE = "looks", "reference"  # fields of a plan
NONE = (None, None)  # of both


def checked_reference(plan: Plan) -> str | None:
    """Return the label of the reference of looks; it raises `PlanError` where looks make no sense.

    The reference may be named by its label, or by its specification alone.
    """
    if plan.looks is None:
        if plan.reference is not None:
            raise PlanError("the reference of a plan is that of its looks; add looks", REFERENCE)
        return None
    with_place((LOOKS,), looks_of, plan, value=plan.looks)
    if plan.families:
        sentence = "looks count data sets as independent, and those of a family are not"
        raise PlanError(f"{sentence}; leave looks or families out", LOOKS)
    compared = len(columns(plan))
    if plan.reference is not None:
        return _label(plan, plan.reference)
    if compared != 2:
        raise PlanError(
            f"looks are of one pair of solvers, or against one reference; here are {compared}: "
            "name two, or a reference",
            LOOKS,
        )
    return None


def _label(plan: Plan, reference: str) -> str:
    """Return the label of the one solver that a reference names."""
    require_text(reference, REFERENCE, REFERENCE)
    if len(plan.features) > 1:
        sentence = "looks against a reference take one feature map"
        raise PlanError(sentence, REFERENCE, value=reference)
    labels = [choice.label for choice in plan.solvers]
    return with_place((REFERENCE,), solver_of, labels, anchored(reference), value=reference)


def looks_of(plan: Plan) -> tuple[Look, ...]:
    """Return the looks of a plan; none where it has none."""
    if plan.looks is None:
        return ()
    from aucbench.stats.looks import looks_at  # with NumPy, which few plans need

    return looks_at(len(plan.datasets), plan.looks)


def in_order(plan: Plan) -> Sequence[str]:
    """Return the data sets in the order in which they are run: by chance where a plan has looks."""
    if plan.looks is None:
        return plan.datasets
    chance = Random(plan.seeds[0])
    keys = [chance.random() for _ in plan.datasets]
    return [dataset for _, dataset in sorted(zip(keys, plan.datasets, strict=True))]


def stages(plan: Plan) -> Iterator[tuple[Look | None, Plan]]:
    """Yield plans for what is run until each look; one, which is the plan, where there is none."""
    looks, order, done = looks_of(plan), in_order(plan), 0
    if not looks:
        yield None, plan
    for look in looks:
        some = tuple(order[done : look.data_sets])
        yield look, replace(plan, datasets=some, looks=None, reference=None)
        done = look.data_sets


def columns(plan: Plan) -> list[tuple[str, str]]:
    """Return the label and the feature map of each solver that is compared."""
    return [(c.label, maps) for maps, c in product(plan.features, plan.solvers)]


def column(cell: Cell) -> tuple[str, str]:
    """Return which of the `columns` of its plan a cell belongs to."""
    return cell.label, cell.features


def looking(plans: Iterable[Plan]) -> Plan | None:
    """Return the plan of a folder that has looks; None where none has.

    It raises `DataError` when another plan of the folder asks for other cells, or other looks.
    """
    every = [*plans]
    found = next((plan for plan in every if plan.looks is not None), None)
    if found is not None:
        asked = (found.looks, found.reference)
        for other in every:
            if not _same_cells(found, other) or (other.looks, other.reference) not in (NONE, asked):
                raise DataError(
                    f"a plan of the folder has {found.looks} looks, whose bounds hold for no other "
                    "plan; give each a folder of its own"
                )
    return found


def require_planned_before(plan: Plan, before: Sequence[Plan]) -> None:
    """Raise `DataError` where looks come after results, or other plans share their folder."""
    if plan.looks is not None and before and all(other.looks is None for other in before):
        raise DataError(
            "looks are planned before the first result, and the folder was run without them; leave "
            "them out, or give another folder"
        )
    looking([*before, plan])


def _same_cells(a: Plan, b: Plan) -> bool:
    """Whether two plans ask for the same cells; limits, families and looks may differ."""
    return _cells_of(a) == _cells_of(b)


def _cells_of(plan: Plan) -> Plan:
    return replace(plan, looks=None, reference=None, families={}, timeout=0.0, memory=None)
