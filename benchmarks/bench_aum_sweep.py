"""The sweep of the AUM beside NumPy's sort of the thresholds: read the ratios, not the times."""

from __future__ import annotations

import numpy as np

from aucbench import aum

SIZES = [1_000, 10_000, 100_000, 1_000_000]


def normal_lines(n: int) -> list[np.ndarray]:
    """Lines of binary labels with rates: half are positive, and scores overlap."""
    rng = np.random.default_rng(0)
    positive = rng.random(n) < 0.5
    scores = rng.standard_normal(n) + positive
    fp, fn = ~positive / np.count_nonzero(~positive), -1.0 * positive / np.count_nonzero(positive)
    return [-scores, rng.standard_normal(n), fp, fn]


class AumSweep:
    """A sweep over as many events as there are lines."""

    version = "1"
    params = SIZES
    param_names = ("n",)

    def setup(self, n: int) -> None:
        self.lines = normal_lines(n)

    def time_path(self, n: int) -> None:
        aum.aum_path(*self.lines, max_events=n)

    def time_start(self, n: int) -> None:
        """Sort the lines and find the first crossings."""
        aum.aum_path(*self.lines, max_events=1)

    def time_argsort(self, n: int) -> None:
        np.argsort(self.lines[0])


class AumSweepOfAll:
    """All events: of 1000 random lines, of lines with ties, of lines through one point."""

    version = "1"
    params = ("normal", "whole", "star")
    param_names = ("lines",)

    def setup(self, lines: str) -> None:
        self.lines = normal_lines(1_000 if lines == "normal" else 20_000)
        if lines == "whole":
            self.lines[:2] = np.round(self.lines[0] * 5), np.round(self.lines[1] * 5)
        if lines == "star":
            self.lines[1] = np.random.default_rng(0).permutation(20_000) * 1.0
            self.lines[0] = -self.lines[1]

    def time_path(self, lines: str) -> None:
        aum.aum_path(*self.lines)

    def track_microseconds_per_event(self, lines: str) -> float:
        from time import perf_counter

        begin = perf_counter()
        events = aum.aum_path(*self.lines).step.size
        return 1e6 * (perf_counter() - begin) / events
