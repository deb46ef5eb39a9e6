"""Whether a run may stop at a look: from the records so far, by `aucbench.stats.looks`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aucbench.bench.plan.looks import column, columns, in_order, looking, looks_of
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record

if TYPE_CHECKING:
    from aucbench.stats.looks import Look

Place = tuple[str, tuple[str, str]]  # of a data set, and a column of the plan


class Watch:
    """The AUCs of the cells of a plan with looks, as far as they are known.

    With `going_on`, the run does not end at the looks that decide.
    """

    def __init__(self, plan: Plan, *, going_on: bool = False):
        self.plan, self._going_on = plan, going_on
        self._cells = frozenset(plan.cells())
        self._columns = columns(plan)
        self._per_place = len(plan) // (len(plan.datasets) * len(self._columns))
        self._aucs: dict[Place, dict[tuple[int, int], float]] = defaultdict(dict)

    def add(self, record: Record) -> None:
        """Take a record; one of a cell that the plan does not ask for is left out."""
        cell = record.cell
        if cell not in self._cells:
            return
        auc = record.measures.auc if record.ok else None
        of_place = self._aucs[cell.dataset, column(cell)]
        of_place[cell.seed, cell.split] = float("nan") if auc is None else auc

    def passed(self) -> tuple[Look, ...]:
        """Return the looks whose data sets are finished."""
        finished = [*map(self._is_finished, in_order(self.plan))]
        return tuple(look for look in looks_of(self.plan) if all(finished[: look.data_sets]))

    def stopped(self) -> Look | None:
        """Return the look at which the run ends; None where it goes on, or has reached its end."""
        if self._going_on:
            return None
        return next((look for look in self.passed() if self.decides(look)), None)

    def decides(self, look: Look) -> bool:
        """Return whether the run may stop at a look, all of whose data sets are finished."""
        if look.number == look.of:
            return False  # nothing is left to stop
        done = in_order(self.plan)[: look.data_sets]
        names = [*map(str, range(len(self._columns)))]
        values = [[self._mean(dataset, one) for one in self._columns] for dataset in done]
        return look.decides(values, names, self._reference(names))

    def _reference(self, names: Sequence[str]) -> str | None:
        reference = self.plan.reference
        labels = [label for label, _ in self._columns]
        return None if reference is None else names[labels.index(reference)]

    def _is_finished(self, dataset: str) -> bool:
        return all(len(self._aucs[dataset, one]) == self._per_place for one in self._columns)

    def _mean(self, dataset: str, one: tuple[str, str]) -> float:
        """Return the mean AUC over the splits; NaN where a cell failed, as in all that is said."""
        aucs = [auc for _, auc in sorted(self._aucs[dataset, one].items())]
        return sum(aucs) / len(aucs)


def watch_of(plans: Sequence[Plan]) -> Watch | None:
    """Return the watch of the plan of a folder that has looks; None where none has.

    A second plan of the folder for the same cells, without looks, goes on where they stopped.
    """
    plan = looking(plans)
    going_on = any(other.looks is None for other in plans)
    return None if plan is None else Watch(plan, going_on=going_on)
