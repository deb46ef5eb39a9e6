"""Intervals and tests: DeLong's variance on many test rows, bounds, signed ranks."""

from __future__ import annotations

import numpy as np

from aucbench import stats


class DeLong:
    """n test rows, three tenths of them positive; scores without ties, and with many."""

    version = "1"
    params = ([100_000, 1_000_000], ["distinct", "tied"])
    param_names = ("n", "scores")

    def setup(self, n: int, scores: str) -> None:
        rng = np.random.default_rng(0)
        y = rng.random(n) < 0.3
        drawn = [rng.standard_normal(n) + y for _ in range(2)]
        if scores == "tied":
            drawn = [np.round(s, 2) for s in drawn]
        self.a, self.b = ([stats.Fold(y, s)] for s in drawn)

    def time_interval(self, n: int, scores: str) -> None:
        stats.auc_interval(self.a)

    def time_difference(self, n: int, scores: str) -> None:
        stats.auc_difference(self.a, self.b)


class OneTable:
    """All pairs of solvers on one data set of 2000 rows, in five folds."""

    version = "1"
    params = ([5, 40], [1, 5])
    param_names = ("solvers", "repeats")

    def setup(self, solvers: int, repeats: int) -> None:
        rng = np.random.default_rng(0)
        self.folds: dict[str, dict[tuple[int, int], stats.Fold]] = {}
        y = rng.random(2000) < 0.3
        for solver in range(solvers):
            scores = y + rng.standard_normal((repeats, y.size))
            self.folds[str(solver)] = {
                (repeat, fold): stats.Fold(y[fold::5], scores[repeat, fold::5])
                for repeat in range(repeats)
                for fold in range(5)
            }

    def time_words(self, solvers: int, repeats: int) -> None:
        stats.SplitTest(ratio=0.25, repeats=repeats).of_rows(self.folds)


class Bounds:
    """Few rows, where the bounds take most of the time: a table of results has hundreds."""

    version = "1"
    params = ([1, 15, 150],)
    param_names = ("positives",)

    def setup(self, positives: int) -> None:
        rng = np.random.default_rng(0)
        y = np.repeat([1, 0], [positives, 5 * positives])
        common = rng.standard_normal(y.size) + y
        folds = [stats.Fold(y, common + 0.5 * rng.standard_normal(y.size)) for _ in range(2)]
        self.a, self.b = ([fold] for fold in folds)

    def time_interval(self, positives: int) -> None:
        stats.auc_interval(self.a)

    def time_difference(self, positives: int) -> None:
        stats.auc_difference(self.a, self.b)


class SignedRank:
    """Differences over data sets; those that are tied look for an end beside 0 by the test."""

    version = "1"
    params = ([14, 50, 150], ["distinct", "tied"])
    param_names = ("n", "differences")

    def setup(self, n: int, differences: str) -> None:
        rng = np.random.default_rng(0)
        drawn = rng.standard_normal(n) - 0.5
        self.d = drawn if differences == "distinct" else np.round(drawn - 0.2)

    def time_signed_rank(self, n: int, differences: str) -> None:
        stats.signed_rank(self.d)
