"""Until when cells are run: a limit of the time of a whole run, whose rest stays missing."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from time import monotonic

from aucbench.bench.cell import Cell
from aucbench.errors import require_above
from aucbench.processes.records import Ending, Job, Limits, Outcome

LEAST = 0.2  # seconds that are left below which nothing starts


class Until:
    """The time of a run: it begins now, and ends after so many seconds.

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
        self._took: dict[Hashable, float] = {}  # seconds of the last cell of a kind
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


def _kind(cell: Cell) -> Hashable:
    """Return what like cells have in common: all but the split."""
    return cell.choice, cell.dataset, cell.features


def _within(limits: Limits, left: float) -> Limits:
    """Return limits of at most so many seconds, the grace for ending included."""
    known = limits.timeout
    return limits if known is not None and known <= left else replace(limits, timeout=left)
