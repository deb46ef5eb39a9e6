"""The AUM beside one pass over the scores, and beside a sort: read the ratios, not the times."""

from __future__ import annotations

import numpy as np

from aucbench import aum

SIZES = [10_000, 100_000, 1_000_000]
SHARES = [0.5, 0.2, 0.01]


class Loss:
    """Value and derivatives of the AUM of binary labels, by selection."""

    version = "1"
    params = (SIZES, SHARES)
    param_names = ("n", "positive")

    def setup(self, n: int, positive: float) -> None:
        rng = np.random.default_rng(0)
        y = np.where(rng.random(n) < positive, 1, -1)
        self.s = rng.standard_normal(n) + (y > 0)
        self.breakpoints = aum.Breakpoints.of_labels(y)
        self.missed = np.where(y > 0, 1.0 / np.count_nonzero(y > 0), 0.0)
        self.accepted = np.where(y > 0, 0.0, 1.0 / np.count_nonzero(y < 0))
        aum.aum_loss(self.breakpoints, self.s)  # the first call finds the labels of the breakpoints

    def time_loss(self, n: int, positive: float) -> None:
        aum.aum_loss(self.breakpoints, self.s)

    def time_loss_and_gradient(self, n: int, positive: float) -> None:
        _ = aum.aum_loss(self.breakpoints, self.s).gradient

    def time_one_pass(self, n: int, positive: float) -> None:
        """Masks at one threshold and their weighted sums."""
        mask = self.s >= 0
        _ = self.missed @ mask, self.accepted @ mask

    def time_sort(self, n: int, positive: float) -> None:
        np.sort(self.s)


class AnyBreakpoints:
    """The AUM of three breakpoints per example, with errors that rise and fall."""

    version = "1"
    params = (SIZES[:2],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        rng = np.random.default_rng(0)
        value = np.sort(rng.standard_normal((n, 3)), axis=1).ravel()
        fp_diff, fn_diff = np.tile([1.0, 0.0, -1.0], n), np.tile([0.0, -1.0, 0.0], n)
        example = np.repeat(np.arange(n, dtype=np.int32), 3)
        ends = [np.zeros(n)] * 4
        self.breakpoints = aum.Breakpoints(example, value, fp_diff, fn_diff, n, *ends)
        self.s = rng.standard_normal(n)

    def time_loss(self, n: int) -> None:
        aum.aum_loss(self.breakpoints, self.s)

    def time_argsort(self, n: int) -> None:
        np.argsort(self.breakpoints.value)
