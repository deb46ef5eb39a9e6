"""The one run loop: what the store has is yielded, all else is run on an engine and stored.

Design
  a. Only the store says what is finished. A result is stored before it is yielded.
  b. Memory grows by one byte for each item, which is a cell or a measurement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from time import monotonic
from typing import Generic, TypeVar

from aucbench.bench.cell import Cell
from aucbench.bench.engines import Engine
from aucbench.errors import require_above
from aucbench.processes.records import Ending, Job, Limits, Outcome

Item = TypeVar("Item")
Result = TypeVar("Result")
MISSING, STORED, KNOWN = 0, 1, 2  # of an item: has to be run, is in the store, was yielded
LEAST = 0.2  # seconds that are left below which nothing starts


class Loop(ABC, Generic[Item, Result]):
    """One run of the cells of a plan, or of measurements."""

    engine: Engine

    @abstractmethod
    def items(self) -> Iterator[Item]:
        """Yield all items, each time in the same order."""

    @abstractmethod
    def key(self, item: Item) -> str:
        """Return the key of an item in the store."""

    @abstractmethod
    def counts(self) -> Callable[[str], bool]:
        """Return whether the store has a result of a key that need not be computed again."""

    @abstractmethod
    def stored(self, item: Item) -> Result | None:
        """Return the result in the store."""

    def outcome(self, item: Item) -> Outcome | None:
        """Return how an item ends for which nothing has to run."""
        return None

    @abstractmethod
    def job(self, item: Item) -> Job:
        """Return the job of an item that starts now."""

    @abstractmethod
    def keep(self, item: Item, outcome: Outcome) -> Result:
        """Store and return the result of an item that has ended."""

    def may_start(self, item: Item) -> bool:
        """Return whether an item may start now; else it stays missing."""
        return True

    def was_cut(self, item: Item, outcome: Outcome) -> bool:
        """Return whether the end of the run has stopped an item, which then stays missing."""
        return False

    def results(self) -> Iterator[Result]:
        """Yield the result of every item: first those in the store, then as they end.

        What may not start, or was cut, has none.
        """
        self.find()
        while any(state != KNOWN for state in self._state):  # twice, if a result was lost since
            yield from self._round()
            if self._left:
                return

    def find(self) -> None:
        """Mark the items that are in the store."""
        counts, key = self.counts(), self.key
        self._state = bytearray(STORED if counts(key(item)) else MISSING for item in self.items())
        self._running: dict[str, tuple[int, Item]] = {}
        self._left = False  # whether items stay missing

    def _round(self) -> Iterator[Result]:
        """Yield what is stored, and run every other item."""
        outcomes = self.engine.run(self._jobs())
        with closing(outcomes):  # type: ignore[type-var]
            yield from self._stored()  # while the first ones run
            for key, outcome in outcomes:
                number, item = self._running.pop(key)
                if self.was_cut(item, outcome):
                    self._left = True
                else:
                    yield self._kept(number, item, outcome)
            for number, item in self._missing():
                if (ended := self.outcome(item)) is not None:
                    yield self._kept(number, item, ended)

    def _stored(self) -> Iterator[Result]:
        for number, item in enumerate(self.items()):
            if self._state[number] == STORED:
                result = self.stored(item)
                self._state[number] = MISSING if result is None else KNOWN
                if result is not None:
                    yield result

    def _jobs(self) -> Iterator[tuple[str, Job]]:
        for number, item in self._missing():
            key = self.key(item)
            if self.outcome(item) is not None or key in self._running:
                continue
            if self.may_start(item):
                self._running[key] = (number, item)
                yield key, self.job(item)
            else:
                self._left = True

    def _missing(self) -> Iterator[tuple[int, Item]]:
        """Yield the items that have to be run, when they are needed."""
        if MISSING in self._state:
            for number, item in enumerate(self.items()):
                if self._state[number] == MISSING:
                    yield number, item

    def _kept(self, number: int, item: Item, outcome: Outcome) -> Result:
        result = self.keep(item, outcome)
        self._state[number] = KNOWN
        return result


class Until:
    """The time of a run: it begins now, and ends after so many seconds; the rest stays missing.

    No clock interrupts an engine. A cell that starts has the time that is left as its limit, so
    that its supervisor stops it, wherever it runs. What was stopped so is no result. A cell does
    not start where like ones took longer than what is left: its time would be lost. Others start
    in its place.

    Parameters
    ----------
    seconds : float
        Of wall time, above 0.
    clock : function () -> float
        Seconds that never go back.

    Attributes
    ----------
    left_out : bool
        Whether a cell was not started, or was stopped, because of this limit.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = monotonic) -> None:
        require_above(0, seconds=seconds)
        self.left_out = False
        self._clock, self._end = clock, clock() + seconds
        self._took: dict[tuple[str, ...], float] = {}  # seconds of the last cell of a kind
        self._stops: set[Cell] = set()  # running cells that this limit may stop

    @property
    def left(self) -> float:
        """Seconds until the end; below 0 after it."""
        return self._end - self._clock()

    def lets_start(self, cell: Cell) -> bool:
        """Whether a cell may start, by what is left and by what a like one has taken."""
        may = max(LEAST, self._took.get(_kind(cell), 0.0)) < self.left
        self.left_out |= not may
        return may

    def limited(self, cell: Cell, job: Job) -> Job:
        """Return the job of a cell that starts now, which ends when the time is over."""
        left = max(self.left, LEAST)
        limits = _within(job.limits, left)
        if limits is not job.limits:
            self._stops.add(cell)
        steps = tuple(replace(step, limits=_within(step.limits, left)) for step in job.steps)
        return replace(job, limits=limits, steps=steps)

    def has_cut(self, cell: Cell, outcome: Outcome) -> bool:
        """Return whether this limit has stopped a cell that has ended."""
        stops = cell in self._stops
        self._stops.discard(cell)
        if not stops or outcome.ending is not Ending.TIMEOUT:
            self._took[_kind(cell)] = outcome.wall_seconds
            return False
        self.left_out = True
        return True


def _kind(cell: Cell) -> tuple[str, ...]:
    """Return what like cells have in common: all but the split."""
    return cell.label, cell.dataset, cell.features


def _within(limits: Limits, left: float) -> Limits:
    """Return limits of at most so many seconds, the grace for ending included."""
    known = limits.timeout
    return limits if known is not None and known <= left else replace(limits, timeout=left)
