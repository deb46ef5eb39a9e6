"""Explainable boosting machine of interpret."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import require_above, require_at_least, require_count
from aucbench.optim.trees import Tree, TreeSum
from aucbench.ranges import Range
from aucbench.stats.vectors import unit_weights

from .parts import dense, require, threads

Nodes = NDArray[np.int64]  # a number of each node


@about("curves of columns and of pairs of columns, by boosting", cites=("lou2013", "nori2019"))
@dataclass(frozen=True)
class Ebm(Solver):
    """F(x) = c + Σ_j f_j(x_j) + Σ_jk f_jk(x_j, x_k), boosted by the logistic loss of the rows.

    Each f is a table over bins of its columns. Small trees of one column are added in turn, so that
    correlated columns share an effect. Then trees of pairs are added, of those pairs that would
    lower the loss most. Each of `outer_bags` models holds out 15 % of the rows, and ends if their
    loss falls no more. The result is the mean of the models.

    The tables are saved as trees (`aucbench.optim.trees.TreeSum`). Its histograms read dense
    columns. Sparse rows are made dense while they take at most 2 GiB, and are refused beyond.

    Parameters
    ----------
    interactions : float
        Pairs of columns for each column, ≥ 0; 0 leaves none, and takes a small part of the time.
    learning_rate : float
        Share of a tree that is added, > 0.
    max_leaves : int
        Leaves of a tree, at least 2.
    min_samples_leaf : int
        Rows of each leaf, at least.
    outer_bags : int
        Models whose mean is taken; more than one thread fits several at a time.
    max_rounds : int
        Of each model and stage, at most. A round has a tree for each term, and counts as a pass.

    References
    ----------
    Lou, Caruana, Gehrke & Hooker, "Accurate intelligible models with pairwise interactions", KDD
    2013. Nori, Jenkins, Koch & Caruana, "InterpretML: a unified framework for machine learning
    interpretability", arXiv:1909.09223, 2019. The space is ours, around the defaults.
    """

    interactions: float = 3.0
    learning_rate: float = 0.015
    max_leaves: int = 2
    min_samples_leaf: int = 4
    outer_bags: int = 14
    max_rounds: int = 50_000

    space: ClassVar = {
        "interactions": (0.0, 1.0, 3.0, 5.0),
        "learning_rate": Range(0.005, 0.1, log=True),
        "max_leaves": (2, 3, 5),
        "min_samples_leaf": Range(2, 50, log=True, integer=True),
    }
    needs: ClassVar = Needs(frozenset({"weights"}), packages=("interpret",), extra="baselines")

    def __post_init__(self) -> None:
        require_at_least(0, interactions=self.interactions)
        require_above(0, learning_rate=self.learning_rate)
        require_count(2, max_leaves=self.max_leaves)
        require_count(
            1,
            min_samples_leaf=self.min_samples_leaf,
            outer_bags=self.outer_bags,
            max_rounds=self.max_rounds,
        )
        require("interpret", "ebm")
        import_module("interpret.glassbox")  # off the clock of a fit

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The rows, dense; no objective is listed."""
        return Problem(train=data.with_rows(dense(data.rows, "ebm")))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the tables."""
        from interpret.glassbox import ExplainableBoostingClassifier
        from joblib import parallel_config

        data = problem.data
        machine = ExplainableBoostingClassifier(
            feature_types=["continuous"] * data.d,  # else a column of two values is a category
            interactions=f"{self.interactions}x",
            learning_rate=self.learning_rate,
            max_leaves=self.max_leaves,
            min_samples_leaf=self.min_samples_leaf,
            outer_bags=self.outer_bags,
            max_rounds=self.max_rounds,
            n_jobs=threads(),
            random_state=int(rng.integers(2**31)),
        )
        with parallel_config("threading"):  # by default joblib starts a process for each bag
            machine.fit(data.rows.matrix, data.y > 0, unit_weights(data.weights))
        count_rows(_rounds(machine) * data.n)
        return State(model=tables(machine))


def _rounds(machine: Any) -> int:
    """Return the rounds of all models: steps of a stage over its number of terms."""
    orders = [len(columns) for columns in machine.term_features_]
    stages = enumerate(np.sum(machine.best_iteration_, axis=1), 1)
    return sum(int(steps) // max(1, orders.count(order)) for order, steps in stages)


def tables(machine: Any) -> TreeSum:
    """Return the terms of a fitted machine as trees, whose inner nodes halve the bins.

    A value x is in the bin with the number of cuts ≤ x. Bin 0 of the machine is for missing values
    and its last one for values that are no numbers, and rows have neither.
    """
    trees = []
    for columns, scores in zip(machine.term_features_, machine.term_scores_, strict=True):
        levels = [machine.bins_[j] for j in columns]
        cuts = [level[min(len(level), len(columns)) - 1] for level in levels]
        inside = np.asarray(scores)[(slice(1, -1),) * len(columns)]
        trees.append(_tree(columns, cuts, inside))
    return TreeSum.of_trees(trees, int(machine.n_features_in_), base=float(machine.intercept_[0]))


def _tree(columns: tuple[int, ...], cuts: list[Vector], scores: Vector) -> Tree:
    """Return the nodes of a table over one column or two, with a leaf for each of its entries."""
    cut, left, right, bins = _halved(len(cuts[0]) + 1)
    feature, threshold = np.where(cut < 0, -1, columns[0]), np.zeros(cut.size)
    inner = np.flatnonzero(cut >= 0)
    threshold[inner] = np.nextafter(cuts[0], -np.inf)[cut[inner]]  # x ≤ it if x < cut
    if len(columns) == 1:
        return feature, threshold, left, right, scores[bins]
    # The inner nodes of the first column come first. Its leaves are trees of the second column.
    below = [*map(np.asarray, _tree(columns[1:], cuts[1:], scores[0]))]
    roots = inner.size + below[0].size * np.arange(len(scores))
    place = np.where(cut < 0, roots[bins], np.cumsum(cut >= 0) - 1)
    return (
        np.append(feature[inner], np.tile(below[0], len(scores))),
        np.append(threshold[inner], np.tile(below[1], len(scores))),
        np.append(place[left[inner]], np.add.outer(roots, below[2])),
        np.append(place[right[inner]], np.add.outer(roots, below[3])),
        np.append(np.zeros(inner.size), scores[:, _halved(scores.shape[1])[3]]),
    )


@cache
def _halved(count: int) -> tuple[Nodes, Nodes, Nodes, Nodes]:
    """Return a tree whose leaves are `count` bins in order: cut, left, right and bin of each node.

    Cut k is between the bins k and k + 1; that of a leaf is -1, and its children are itself.
    """
    cut, bins = np.full(2 * count - 1, -1), np.zeros(2 * count - 1, dtype=np.int64)
    left, right = np.arange(cut.size), np.arange(cut.size)
    waiting = [(0, 0, count)]
    while waiting:
        node, low, high = waiting.pop()
        middle = (low + high) // 2
        if middle == low:
            bins[node] = low
            continue
        cut[node], left[node], right[node] = middle - 1, node + 1, node + 2 * (middle - low)
        waiting += [(node + 1, low, middle), (node + 2 * (middle - low), middle, high)]
    return cut, left, right, bins
