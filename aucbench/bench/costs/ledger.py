"""What is known of the seconds of a plan's cells: those that were run, and those that are left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from math import inf, log
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from aucbench.bench.answers import Name
from aucbench.bench.cell import Cell
from aucbench.bench.costs.model import LEAST, OF_SPLITS, Arm
from aucbench.bench.evaluation.verdict import number
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.bench.runner import Runner
from aucbench.registry.specs import TUNED_MARK

if TYPE_CHECKING:
    from aucbench.bench.costs.model import Array

Place = tuple[int, int]  # numbers of an arm and of a data set
Key = tuple[str, str]  # label of a solver, and feature map
IDLE = 0.05  # seconds of the process of a cell beside its fits, before any has told its own
AFTER_CUT, CUT_VARIANCE = log(1.6), 0.5**2  # how far beyond its stop a stopped cell may have ended
OVER = 1.1  # a budget in seconds is overspent by this at most, beside a second to end


class Ledger:
    """The cells of a plan by arm and data set.

    Parameters
    ----------
    plan : Plan
    sizes : mapping of str to (int, int)
        Rows and features of the data sets that can be read.

    Attributes
    ----------
    datasets : tuple of str
    keys : tuple of Key
        Of the arms.
    tuned : tuple of bool
        Whether they are tuned.
    missing : dict of Place to list of Cell
        Cells that are to be run.
    there : int
        Cells that have a result.
    """

    def __init__(self, plan: Plan, sizes: Mapping[str, tuple[int, int]]) -> None:
        self.plan, self.sizes = plan, tuple(sizes.values())
        self.datasets = tuple(sizes)
        solvers = [*product(plan.features, plan.solvers)]
        self.keys = tuple((choice.label, features) for features, choice in solvers)
        self.tuned = tuple(choice.tuning is not False for _, choice in solvers)
        self.missing: dict[Place, list[Cell]] = defaultdict(list)
        self.there = 0
        self._arm_of = {key: number for number, key in enumerate(self.keys)}
        self._set_of = {name: number for number, name in enumerate(self.datasets)}
        self._seconds: dict[Place, list[float]] = defaultdict(list)
        self._idle: dict[int, list[float]] = defaultdict(list)
        self._cut: dict[Place, float] = {}
        self._crowds: list[float] = []  # of the records, in their order

    @staticmethod
    def of(runner: Runner) -> Ledger:
        """Return the ledger of a run that has not begun, with what its store has.

        Cells that cannot be run are left out: they cost nothing.
        """
        plan, known = runner.plan, runner.lookups.known
        about = {name: known[Name("datasets", name)] for name in plan.datasets}
        ledger = Ledger(
            plan,
            {
                name: (max(1, one.answer["n"]), max(1, one.answer["d"]))
                for name, one in about.items()
                if one.failure is None
            },
        )
        counts = runner.counts()
        for cell in plan.cells():
            if runner.outcome(cell) is None:
                there = runner.stored(cell) if counts(runner.key(cell)) else None
                ledger.expect(cell)
                if there is not None:
                    ledger.add(there)
        return ledger

    def expect(self, cell: Cell) -> None:
        """Take a cell that is to be run."""
        self.missing[self._place(cell)].append(cell)

    def add(self, record: Record) -> None:
        """Take the record of a cell that was missing."""
        place = self._place(record.cell)
        self.missing[place].remove(record.cell)
        self._note(place, record)

    def add_cut(self, cell: Cell, seconds: float) -> None:
        """Take it that a cell was stopped after so many seconds; it stays missing."""
        self._cut[self._place(cell)] = seconds / self.crowd(1)

    def tried(self, place: Place) -> bool:
        """Whether something is known of the cells of an arm on a data set."""
        return place in self._seconds or place in self._cut

    def tried_of(self, number: int) -> bool:
        """Whether something is known of an arm."""
        return any(self.tried((number, at)) for at in range(len(self.datasets)))

    @property
    def left(self) -> int:
        """How many cells are to be run."""
        return sum(map(len, self.missing.values()))

    def crowd(self, last: int) -> float:
        """Return how many times as long cells took as on an idle machine, of the last records."""
        return median(self._crowds[-last:]) if last and self._crowds else 1.0

    def arms(self, slow: float = 1.0) -> list[Arm]:
        """Return what is known of each arm, where cells take so many times as long as alone."""
        idles = {arm: min(seen) for arm, seen in self._idle.items()}
        usual = median(idles.values()) if idles else IDLE
        return [
            self._arm(number, idles.get(number, usual), slow) for number in range(len(self.keys))
        ]

    def _arm(self, number: int, idle: float, slow: float) -> Arm:
        plan, (label, features) = self.plan, self.keys[number]
        twin, times = None, 1.0
        if self.tuned[number]:
            untuned = (label.partition(TUNED_MARK)[0], features)
            twin = self._arm_of.get(untuned)
            times += plan.tune_evals * (plan.inner_splits - 1)
        left = [len(self.missing.get((number, at), ())) for at in range(len(self.datasets))]
        return Arm(
            _floats(left),
            tuple(self._seen(number, idle)),
            idle,
            slow,
            self._most(number, idle * slow),
            twin,
            times,
        )

    def _seen(self, number: int, idle: float) -> Iterator[tuple[int, float, float]]:
        for at in range(len(self.datasets)):
            if walls := self._seconds.get((number, at)):
                logs = [log(max(wall - idle, LEAST)) for wall in walls]
                yield at, mean(logs), OF_SPLITS**2 / len(walls)
            elif stop := self._cut.get((number, at)):
                yield at, log(stop) + AFTER_CUT, CUT_VARIANCE

    def _most(self, number: int, idle: float) -> float:
        """Return the seconds after which limits of the plan end a cell."""
        plan, limits = self.plan, [self.plan.timeout or inf]
        tuned = self.tuned[number]
        if tuned and plan.tune_seconds is not None:
            limits.append(plan.tune_seconds * OVER + 1 + idle)
        if plan.seconds is not None:
            fits = plan.repeat_fits + tuned * plan.tune_evals * plan.inner_splits
            limits.append(fits * (plan.seconds * OVER + 1) + idle)
        return min(limits)

    def _note(self, place: Place, record: Record) -> None:
        wall, measures = record.process.wall_seconds, record.measures
        self.there += 1
        if wall is None:
            return
        slow = crowd_of(record.machine)
        self._crowds.append(slow)
        self._seconds[place].append(wall / slow)
        if measures.fit_seconds is not None:
            fits = measures.fit_seconds * record.cell.repeat_fits
            work = fits + (measures.tune_seconds or 0.0) + (measures.predict_seconds or 0.0)
            self._idle[place[0]].append(max(wall - work, 0.0) / slow)

    def _place(self, cell: Cell) -> Place:
        return self._arm_of[cell.label, cell.features], self._set_of[cell.dataset]


def crowd_of(machine: Mapping[str, Any]) -> float:
    """Return how many times as long as alone a process takes, by the load and the cores."""
    load, cores = (number(machine.get(name)) for name in ("load", "cores"))
    return max(1.0, load / cores) if load and cores else 1.0


def _floats(counts: list[int]) -> Array:
    import numpy as np

    return np.array(counts, float)
