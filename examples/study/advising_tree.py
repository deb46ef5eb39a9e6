"""Which solver when: a small tree over properties of data sets, and what it loses on unseen ones.

Design
  a. A split is good if the best single solver on either side loses little. So the tree is grown by
     this regret itself. (Rejected: a regression tree of all solvers, or a classifier of the best
     one. The first splits where bad solvers scatter, the second where ties are broken by chance.)
  b. A tree is judged on families of data sets that it has not seen, and so is the one solver that
     it must beat: both are chosen anew without each family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, require_whole
from aucbench.stats.tables import Array, ResultTable, family_numbers
from aucbench.stats.vectors import floats
from aucbench.stats.words import LEVEL, Difference
from study.clustered import mean_over_families

DEPTH = 3
LEAST = 0.1  # share of the families that a leaf holds at least
GAIN = 1e-9  # of the mean regret, below which a split is none


@dataclass(frozen=True, slots=True)
class Leaf:
    """A solver, for the data sets that come here."""

    solver: str
    families: float  # of which it is chosen; part of one counts as a part
    regret: float  # mean loss there against the best solver of each data set


@dataclass(frozen=True, slots=True)
class Split:
    """A question: is the property at most this threshold?"""

    question: str
    threshold: float
    yes: Split | Leaf
    no: Split | Leaf

    def leaves(self) -> tuple[Leaf, ...]:
        """Return the leaves from left to right."""
        return (*leaves_of(self.yes), *leaves_of(self.no))


Tree = Split | Leaf


@dataclass(frozen=True, slots=True)
class AdvisingTree:
    """A tree, and what its advice loses.

    Attributes
    ----------
    tree : Split or Leaf
        Grown on all data sets.
    single : str
        The solver with the smallest mean regret.
    seen : float
        Mean regret of the tree on the data sets that it was grown on, which is too good.
    by_tree, by_single : Difference
        Mean regret over families that were left out, by the tree and by one solver.
    gain : Difference
        How much less the tree loses than one solver; above 0 where it is better.
    chosen : tuple of str
        For each data set, what the tree without its family advises.
    """

    tree: Tree
    single: str
    seen: float
    by_tree: Difference
    by_single: Difference
    gain: Difference
    chosen: tuple[str, ...]

    @property
    def helps(self) -> bool:
        """Whether the tree is shown to lose less than one solver."""
        return self.gain.low > 0.0


def regrets_of(values: ArrayLike, names: Sequence[str]) -> Array:
    """Return how much each solver loses against the best one of each data set, (N, m).

    A solver without a value loses as much as the worst one that has a value.

    Raises
    ------
    DataError
        When the table has another shape or an infinite value, or a data set has no value.
    """
    table: Array = ResultTable(values, names).values
    if len(table) and np.isnan(table).all(axis=1).any():
        raise DataError("on some data set no solver has a value; leave it out")
    best = np.nanmax(table, axis=1, keepdims=True)
    worst = np.nanmin(table, axis=1, keepdims=True)
    return np.asarray(best - np.where(np.isnan(table), worst, table))


def advising_tree(
    values: ArrayLike,
    names: Sequence[str],
    properties: ArrayLike,
    questions: Sequence[str],
    *,
    families: Sequence[str | None] | None = None,
    depth: int = DEPTH,
    least: float = LEAST,
    level: float = LEVEL,
) -> AdvisingTree:
    """Grow a tree that advises a solver, and measure it on families that were left out.

    At each node that split is taken for which the best single solver below the threshold and the
    best one above it lose least, by the mean over families; each side keeps a share `least` of all
    families. A node whose splits gain nothing is a leaf.

    Parameters
    ----------
    values : array of shape (N, m)
        One value for each data set and solver, of which larger ones are better; NaN as in
        `regrets_of`.
    names : sequence of str
        Of the m solvers.
    properties : array of shape (N, k)
        What is known of a data set before anything is fitted.
    questions : sequence of str
        Names of the k properties.
    families : sequence of str or None, optional
        As in `best_set`; they have equal weights.
    depth : int
        Questions on a way through the tree, at most.
    least : float
        Share of the families that a leaf holds at least, in (0, 0.5].
    level : float
        Of the intervals over families.

    Raises
    ------
    DataError
        When shapes do not fit, or there is one family only.
    ParameterError
        When a number makes no sense.

    Notes
    -----
    Zhou, Athey and Wager (2023), "Offline multi-action policy learning", Operations Research 71,
    on trees that are grown by their regret.
    """
    require_whole(0, depth=depth)
    if not 0.0 < least <= 0.5:
        raise DataError(f"the least share of a leaf must be in (0, 0.5], got {least}")
    regrets = regrets_of(values, names)
    x = floats("properties", properties)
    if x.shape != (len(regrets), len(questions)) or not np.isfinite(x).all():
        raise DataError(
            f"properties must be finite numbers of {len(regrets)} data sets and {len(questions)} "
            f"questions, got the shape {x.shape}"
        )
    family = family_numbers(families, len(regrets))
    if len({*family.tolist()}) < 2:
        raise DataError("a tree is measured on families that are left out; give two or more")
    weights = 1.0 / np.bincount(family)[family]

    def grown(rows: NDArray[np.intp]) -> tuple[Tree, int]:
        w = weights[rows]
        grower = _Grower(regrets[rows], x[rows], w, names, questions, least * float(w.sum()))
        return grower.grow(np.arange(rows.size), depth), int(np.argmin(w @ regrets[rows]))

    tree, single = grown(np.arange(len(regrets)))
    chosen, plain = [""] * len(regrets), np.zeros(len(regrets), np.intp)
    for g in range(int(family.max()) + 1):
        out = np.flatnonzero(family == g)
        own, plain[out] = grown(np.flatnonzero(family != g))
        for row in out:
            chosen[row] = advised(own, x[row], questions)
    at = np.arange(len(regrets))
    column = {name: j for j, name in enumerate(names)}
    by_tree = regrets[at, [column[name] for name in chosen]]
    by_single = regrets[at, plain]
    mean = partial(mean_over_families, families=families, level=level)
    total = sum(leaf.families for leaf in leaves_of(tree))
    seen = sum(leaf.families * leaf.regret for leaf in leaves_of(tree)) / total
    return AdvisingTree(
        tree,
        names[single],
        seen,
        mean(by_tree),
        mean(by_single),
        mean(by_single - by_tree),
        tuple(chosen),
    )


def advised(tree: Tree, row: Array, questions: Sequence[str]) -> str:
    """Return the solver that a tree advises for a data set with these properties."""
    while isinstance(tree, Split):
        tree = tree.yes if row[[*questions].index(tree.question)] <= tree.threshold else tree.no
    return tree.solver


def leaves_of(tree: Tree) -> tuple[Leaf, ...]:
    """Return the leaves of a tree from left to right."""
    return (tree,) if isinstance(tree, Leaf) else tree.leaves()


@dataclass(frozen=True, slots=True)
class _Grower:
    regrets: Array
    x: Array
    weights: Array
    names: Sequence[str]
    questions: Sequence[str]
    least: float  # weight of a leaf

    def grow(self, rows: NDArray[np.intp], depth: int) -> Tree:
        """Return the tree of some data sets."""
        leaf = self._leaf(rows)
        if not depth:
            return leaf
        lost, k, threshold = self._best(rows)
        if lost >= leaf.regret * leaf.families - GAIN * leaf.families:
            return leaf
        below = self.x[rows, k] <= threshold
        yes, no = (self.grow(side, depth - 1) for side in (rows[below], rows[~below]))
        if {one.solver for one in (*leaves_of(yes), *leaves_of(no))} == {leaf.solver}:
            return leaf
        return Split(self.questions[k], threshold, yes, no)

    def _leaf(self, rows: NDArray[np.intp]) -> Leaf:
        weight = float(self.weights[rows].sum())
        lost = self.weights[rows] @ self.regrets[rows]
        return Leaf(self.names[int(np.argmin(lost))], weight, float(lost.min()) / weight)

    def _best(self, rows: NDArray[np.intp]) -> tuple[float, int, float]:
        """Return the weighted regret of the best split, its property and its threshold."""
        best = (inf, 0, 0.0)
        for k in range(self.x.shape[1]):
            order = rows[np.argsort(self.x[rows, k], kind="stable")]
            x, w = self.x[order, k], self.weights[order]
            lost = np.cumsum(w[:, None] * self.regrets[order], axis=0)
            weight = np.cumsum(w)
            both = lost[:-1].min(axis=1) + (lost[-1] - lost[:-1]).min(axis=1)
            room = np.minimum(weight[:-1], weight[-1] - weight[:-1]) >= self.least - 1e-9
            both[~room | (x[:-1] == x[1:])] = inf
            if both.size and (at := int(np.argmin(both))) >= 0 and both[at] < best[0]:
                best = (float(both[at]), k, float((x[at] + x[at + 1]) / 2.0))
        return best
