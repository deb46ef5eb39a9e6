"""The memory of a job, compared with its budget: what samples of it say."""

from __future__ import annotations

from collections.abc import Callable

FASTEST = 4e9  # bytes per second that a job can allocate, to choose the time of the next sample
AGREEING = 3  # samples in a row that must be over the budget
SOONEST, LATEST = 0.01, 0.1  # seconds between two samples


class Samples:
    """The largest sample in bytes, and whether some in a row were over the budget."""

    def __init__(self, budget: int | None):
        self.budget = budget
        self.peak = 0
        self._over = 0  # samples in a row over the budget

    def certainly_over(self, quick: int, most: int, exact: Callable[[], int]) -> bool:
        """Take a sample; whether the job certainly holds more than the budget.

        `quick` is what it holds, or too much; `most` is no less than what it holds. Where that may
        be over the budget, the slow `exact` decides. Even that is too high when processes start or
        end while it is taken, so several samples in a row must agree.
        """
        if self.budget is None or most <= self.budget:
            self._over = 0
            self.peak = max(self.peak, quick)
            return False
        held = exact()
        self._over = self._over + 1 if held > self.budget else 0
        certain = self._over == AGREEING
        self.peak = max(self.peak, held if certain else min(held, self.budget))
        return certain

    def pause(self, so_far: float) -> float:
        """Seconds until the next sample: fewer when the job is new or near its budget."""
        room = float("inf") if self.budget is None else (self.budget - self.peak) / FASTEST
        return max(SOONEST, min(so_far, room, LATEST))
