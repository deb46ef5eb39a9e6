"""The one run loop: what the store has is yielded, all else is run on an engine and stored.

Design
  a. Only the store says what is finished. A result is stored before it is yielded.
  b. Memory grows by one byte for each item, which is a cell or a measurement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Generic, TypeVar

from aucbench.bench.engines import Engine
from aucbench.processes.records import Job, Outcome

Item = TypeVar("Item")
Result = TypeVar("Result")
MISSING, STORED, KNOWN = 0, 1, 2  # of an item: has to be run, is in the store, was yielded


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
