"""Line searches by the sweep, beside one sort of the thresholds: read the ratios."""

from __future__ import annotations

import numpy as np

from aucbench import aum


class LineSearch:
    """Overlapping binary labels with rates; the direction is noise, or leads down a little."""

    version = "2"
    params = ([10_000], ["noise", "good"])
    param_names = ("n", "direction")

    def setup(self, n: int, direction: str) -> None:
        rng = np.random.default_rng(0)
        y = rng.random(n) < 0.5
        scores = rng.standard_normal(n) + y
        pull = 0.3 if direction == "good" else 0.0
        d = rng.standard_normal(n) - pull * y
        self.lines = aum.Lines.of(aum.Breakpoints.of_labels(y), scores, d)
        columns = self.lines.intercept, self.lines.slope, self.lines.fp_diff, self.lines.fn_diff
        self.limit = aum.aum_path(*columns, max_events=n).step[-1]

    def time_first_min(self, n: int, direction: str) -> None:
        aum.first_min(self.lines)

    def time_best_max_auc(self, n: int, direction: str) -> None:
        aum.best_max_auc(self.lines, step_limit=self.limit)

    def time_sort(self, n: int, direction: str) -> None:
        np.sort(self.lines.intercept)

    def track_events_of_first_min(self, n: int, direction: str) -> int:
        return aum.first_min(self.lines).events
