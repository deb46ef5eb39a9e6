"""Losses over the pairs of groups, times, grades and ranges beside all pairs: read the ratios."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import aucbench
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.rows import TargetRows, bare
from aucbench.pairs import Fpr, Grade, Group
from aucbench.stats import Fold

SIZES = [100_000, 1_000_000]
OBJECTIVES = ["pairwise-hinge", "pairwise-squared-hinge"]
GROUP = 100  # rows of a group
TIMES = 10  # rows of a time
GRADES = 5


def paired(n: int, kind: str) -> aucbench.Data:
    """Return n rows with pairs of a kind; half of the labels are positive."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    X = np.zeros((n, 1))
    if kind == "times":
        time = rng.integers(1, n // TIMES + 1, n).astype(float)
        return aucbench.Data.of(X, Survival.of(time, y > 0))
    if kind == "grades":
        return aucbench.Data.of(X, Grades.of(rng.integers(0, GRADES, n)))
    if kind == "gains":
        grades = Grades.of(rng.integers(0, GRADES, n))
        return aucbench.Data.of(X, grades, pairs=Grade(gain="exp2"))
    pairs: dict[str, Any] = {
        "all": {},
        "groups": {"pairs": Group(), "groups": rng.integers(0, n // GROUP, n)},
        "range": {"pairs": Fpr(max=0.1)},
        "two-way": {"pairs": Fpr(max=0.3, min_tpr=0.5)},
        "weights": {"weights": rng.uniform(0.5, 2.0, n)},
    }
    return aucbench.Data.of(X, y, **pairs[kind])


KINDS = ["all", "weights", "groups", "times", "grades", "gains", "range", "two-way"]


class OtherPairs:
    """Value and derivatives of scores, whose order changes with each call."""

    version = "1"
    params = (SIZES, OBJECTIVES, KINDS)
    param_names = ("n", "objective", "pairs")

    def setup(self, n: int, objective: str, kind: str) -> None:
        rng = np.random.default_rng(1)
        self.scores = [rng.standard_normal(n) for _ in range(2)]
        self.f = aucbench.get_objective(objective, paired(n, kind))
        self.f.of_scores(self.scores[1])
        self.turn = 0

    def time_of_scores(self, n: int, objective: str, kind: str) -> None:
        self.turn ^= 1
        self.f.of_scores(self.scores[self.turn])


class Concordance:
    """The share of pairs in order, and the sums of each row from which its variance follows."""

    version = "1"
    params = (SIZES, ["groups", "times", "grades"])
    param_names = ("n", "pairs")

    def setup(self, n: int, kind: str) -> None:
        self.members = aucbench.pairs.members_of(paired(n, kind))
        self.scores = np.random.default_rng(1).standard_normal(n)

    def time_concordance(self, n: int, kind: str) -> None:
        aucbench.pairs.concordance(self.members, self.scores)


class OfPairs:
    """Measures of pairs of n test rows, and parts of the ROC curve: value and influences."""

    version = "1"
    params = (
        [10_000, 100_000],
        ["gauc", "cindex", "grade-auc", "pauc[max_fpr=.1]", "pauc[max_fpr=.00005]"],
    )
    param_names = ("n", "measure")

    def setup(self, n: int, measure: str) -> None:
        rng = np.random.default_rng(0)
        y, s = rng.random(n) < 0.3, rng.standard_normal(n)
        self.measure = measure_of(measure)
        self.rows: Fold | TargetRows = Fold(y, s + y)
        if measure == "gauc":
            self.rows = Fold(y, s + y, groups=rng.integers(0, n // 10, n))
        elif measure == "cindex":
            self.rows = TargetRows(bare(Survival(rng.exponential(np.exp(-s)), y)), s)
        elif measure == "grade-auc":
            self.rows = TargetRows(bare(Grades(np.clip(np.round(s), -2.0, 2.0))), s)

    def time_influence(self, n: int, measure: str) -> None:
        self.measure.influence(self.rows)


class Fits:
    """A certified fit on 100 000 rows of 20 features, with each kind of pairs."""

    version = "1"
    params = (["svm-or", "rank-svm", "ls-svm"], ["all", "groups", "times", "grades"])
    param_names = ("solver", "pairs")

    def setup(self, solver: str, kind: str) -> None:
        data = paired(100_000, kind)
        X = np.random.default_rng(2).standard_normal((data.n, 20))
        target: Any = data.target
        better = {"times": lambda: -np.log(target.time), "grades": lambda: target.y}
        shown = better.get(kind, lambda: target.y.astype(float))()
        X[:, :5] += 0.3 * (shown - shown.mean())[:, None] / shown.std()
        self.data = data.with_rows(aucbench.Data.of(X, np.arange(data.n) % 2).rows)
        self.solver = aucbench.get_solver(solver)

    def time_solve(self, solver: str, kind: str) -> None:
        aucbench.solve(self.solver, self.data)


class GroupMembers:
    """The search for the pairs within groups of ten rows, and the share of them in order."""

    version = "1"
    params = ([1_000, 100_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        rng = np.random.default_rng(0)
        data = aucbench.Data.of(rng.standard_normal((n, 5)), rng.random(n) < 0.3)
        self.data = replace(data, groups=np.arange(n, dtype=np.int32) // 10)
        self.pairs, self.scores = Group(each="group"), rng.standard_normal(n)

    def time_members(self, n: int) -> None:
        self.pairs.members(self.data)

    def time_concordance(self, n: int) -> None:
        aucbench.pairs.concordance(self.pairs.members(self.data), self.scores)

    def peakmem_members(self, n: int) -> None:
        self.pairs.members(self.data)
