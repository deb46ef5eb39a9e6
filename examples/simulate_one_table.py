"""One table of rows and splits that repeat: how often words are false, and how much they find.

    python examples/simulate_one_table.py

Tables are drawn anew, with solvers that are equally good on average: each one learns from features
of its own and from one that all share. In the table of power, the first solver has better features.
Splits are stratified folds, or a fifth of the rows that is drawn again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import TypeAlias

import numpy as np
import xgboost
from numpy.typing import NDArray
from simulated import Tables, grid, mean, print_tables, repeated, share

from aucbench.report.grid import Grid
from aucbench.stats import Fold, SplitTest, WithinDataset, Word

LANDMARKS, TREES = 50, 30
OWN, GOOD, SIGNAL = 12, 3, 0.5  # features of a solver, those that tell, and by how much
AHEAD = 0.3  # how much more those of the better solver tell: .09 to .10 of an AUC
CERTAIN = (Word.BETTER, Word.WORSE)
PROBABLE = (Word.PROBABLY_BETTER, Word.PROBABLY_WORSE)

Array: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Table: TypeAlias = dict[str, dict[tuple[int, int], Fold]]
# Features (m, n, p) of training rows, their labels, and features of test rows: scores (m, n_test).
Learner: TypeAlias = Callable[[Array, Flags, Array, np.random.Generator], Array]


def ridge(X: Array, y: Flags, tested: Array, _: np.random.Generator) -> Array:
    """Least squares on both classes with equal weights, and a small penalty."""
    weights = np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum()) * y.size
    ones = [np.concatenate([np.ones((*rows.shape[:2], 1)), rows], axis=2) for rows in (X, tested)]
    weighted = ones[0] * weights[:, None]
    products = weighted.transpose(0, 2, 1) @ ones[0] + np.eye(ones[0].shape[2])
    targets = weighted.transpose(0, 2, 1) @ np.where(y, 1.0, -1.0)
    w = np.linalg.solve(products, targets[..., None])
    return np.asarray((ones[1] @ w)[..., 0])


def kernel(X: Array, y: Flags, tested: Array, rng: np.random.Generator) -> Array:
    """Ridge on Gaussian similarities to landmarks among the training rows."""
    landmarks = X[:, rng.choice(y.size, min(LANDMARKS, y.size // 2), replace=False)]

    def similar(rows: Array) -> Array:
        squares = (rows**2).sum(axis=2)[..., None] + (landmarks**2).sum(axis=2)[:, None]
        far = squares - 2.0 * rows @ landmarks.transpose(0, 2, 1)
        return np.asarray(np.exp(-far / (2.0 * rows.shape[2])))

    return ridge(similar(X), y, similar(tested), rng)


def boosting(X: Array, y: Flags, tested: Array, _: np.random.Generator) -> Array:
    """Thirty trees of depth 3 by XGBoost."""
    how = {"max_depth": 3, "eta": 0.2, "objective": "binary:logistic", "tree_method": "hist"}
    plain = {**how, "nthread": 1, "verbosity": 0}
    scores = []
    for rows, others in zip(X, tested, strict=True):
        trees = xgboost.train(plain, xgboost.DMatrix(rows, y, nthread=1), TREES)
        scores.append(trees.predict(xgboost.DMatrix(others, nthread=1), output_margin=True))
    return np.array(scores, np.float64)


LEARNERS: Mapping[str, Learner] = {"ridge": ridge, "kernel": kernel, "boosting": boosting}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a table is drawn, and how it is divided."""

    learner: str = "ridge"
    rows: int = 300
    positive: float = 0.4  # their share
    folds: int = 5
    repeats: int = 1
    drawn: bool = False  # each repeat tests 1 / folds of the rows, and not all of them
    solvers: int = 5
    ahead: float = 0.0
    count: int = 250  # tables

    @property
    def splits(self) -> str:
        """The splits, for people."""
        if self.drawn:
            return f"{self.repeats} × {100 // self.folds} % of the rows"
        return f"{self.folds} folds" + (f" × {self.repeats}" if self.repeats > 1 else "")

    @property
    def texts(self) -> tuple[str, ...]:
        """What a line of a table says of it."""
        return self.learner, str(self.rows), f"{self.positive * self.rows:.0f}", self.splits

    def table(self, number: int) -> Table:
        """Draw a table, and fit all solvers in all splits."""
        rng = np.random.default_rng([33, self.rows, self.folds, self.repeats, number])
        y = np.arange(self.rows) < round(self.positive * self.rows)
        own = rng.normal(size=(self.solvers, self.rows, OWN))
        own[:, :, :GOOD] += SIGNAL * y[:, None]
        own[0, :, :GOOD] += self.ahead * y[:, None]
        common = np.broadcast_to(rng.normal(size=(self.rows, 1)), (*own.shape[:2], 1))
        X = np.concatenate([common, own], axis=2)
        table: Table = {str(j): {} for j in range(self.solvers)}
        for split, tested in self.divided(y, rng):
            scores = LEARNERS[self.learner](X[:, ~tested], y[~tested], X[:, tested], rng)
            for of, own_scores in zip(table.values(), scores, strict=True):
                of[split] = Fold(y[tested], own_scores)
        return table

    def compared(self, table: Table, repeats: int) -> WithinDataset:
        """Compare the solvers on a table."""
        return SplitTest(ratio=1.0 / (self.folds - 1), repeats=repeats).of_rows(table)

    def divided(
        self, y: Flags, rng: np.random.Generator
    ) -> Iterator[tuple[tuple[int, int], Flags]]:
        """Yield repeat and fold of each split, and its test rows."""
        for repeat in range(self.repeats):
            dealt = np.empty(y.size, np.int64)
            for rows in (np.flatnonzero(y), np.flatnonzero(~y)):
                dealt[rng.permutation(rows)] = np.arange(rows.size) % self.folds
            for fold in range(1 if self.drawn else self.folds):
                yield (repeat, fold), dealt == fold

    @property
    def over_the_rows(self) -> int:
        """How often the splits go over the same rows, as a report has it."""
        return ceil(1 + (self.repeats - 1) / self.folds) if self.drawn else self.repeats


@dataclass(frozen=True)
class Said:
    """What is said of one table."""

    alone: Flags  # pairs that are distinguished by themselves
    among: Flags  # those that are distinguished among all pairs
    stars: Flags


def read_words(found: WithinDataset) -> Said:
    """Return what the words of a comparison say."""
    among = np.array([pair.word in CERTAIN for pair in found.pairs])
    alone = np.array([pair.word in (*CERTAIN, *PROBABLE) for pair in found.pairs])
    return Said(alone, among, np.array([solver.not_worse for solver in found.solvers]))


def simulate(kind: Kind, effort: float) -> list[Said]:
    """Return what is said of each table of a kind."""
    several = (kind.table(number) for number in range(repeated(kind.count, effort)))
    return [read_words(kind.compared(table, kind.over_the_rows)) for table in several]


def false_words(kinds: list[Kind], effort: float) -> Grid:
    """Return how often words of equal solvers are false."""
    lines = []
    for kind in kinds:
        said = simulate(kind, effort)
        alone = mean([one.alone.mean() for one in said], 3).replace("0.", ".")
        lost = mean([(~one.stars).mean() for one in said], 3).replace("0.", ".")
        certain = share(float(np.mean([one.among.any() for one in said])), len(said))
        lines.append((*kind.texts, alone, certain, lost))
    shares = ("pairs distinguished alone", "tables with a false better", "stars lost")
    return grid(("learner", "rows", "positive", "splits", *shares), lines, 4)


def power(kinds: list[Kind], effort: float) -> Grid:
    """Return how often a solver that is better by .10 of an AUC is found to be."""
    lines = []
    for kind in kinds:
        said = simulate(kind, effort)
        first = slice(0, kind.solvers - 1)  # the pairs of the first solver
        shares = [float(np.mean([one.alone[first].mean() for one in said]))]
        shares.append(float(np.mean([one.among[first].mean() for one in said])))
        kept = float(np.mean([one.stars[0] for one in said]))
        stars = mean([float(one.stars.sum()) for one in said])
        texts = (*(f"{value:.2f}" for value in shares), f"{1 - kept:.3f}", stars)
        lines.append((*kind.texts, *texts))
    header = ("probably better, or better", "better", "best one lost its star", "stars of 5")
    return grid(("learner", "rows", "positive", "splits", *header), lines, 4)


FEW = Kind(rows=200, positive=0.05)  # two positives in a fold
EQUAL = [
    Kind(rows=60),
    Kind(rows=60, repeats=10),
    Kind(),
    Kind(repeats=5),
    Kind(positive=0.1, repeats=10),
    Kind(folds=2, repeats=5),
    FEW,
    replace(FEW, repeats=5),
    Kind(learner="kernel", rows=60, repeats=10, count=200),
    Kind(learner="kernel", count=200),
    Kind(learner="kernel", repeats=5, count=200),
    Kind(learner="boosting", count=100),
    Kind(learner="boosting", repeats=5, count=60),
    replace(FEW, learner="boosting", repeats=5, count=30),
]
SHARES = [
    Kind(drawn=True, repeats=5),
    Kind(drawn=True, repeats=10),
    Kind(drawn=True, rows=60, repeats=10),
    Kind(drawn=True, learner="boosting", repeats=10, count=60),
]
POWER = [
    replace(kind, ahead=AHEAD)
    for kind in (
        *(Kind(repeats=repeats, count=200) for repeats in (1, 2, 5, 10)),
        Kind(learner="kernel", repeats=5, count=150),
        Kind(learner="boosting", repeats=5, count=30),
    )
]


def tables(effort: float = 1.0) -> Tables:
    """Return the tables of docs/statistics.md about one data set."""
    return {
        "one_equal": false_words(EQUAL, effort),
        "one_share": false_words(SHARES, effort),
        "one_power": power(POWER, effort),
    }


if __name__ == "__main__":
    print_tables(tables)
