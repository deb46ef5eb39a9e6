"""Bins of each column: an additive score of steps, whose ridge is on the differences of bins."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import floor, log10, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.data import Data, Shape
from aucbench.data.arrays import Vector, lock
from aucbench.data.targets import Labels
from aucbench.errors import UnknownNameError, UnsupportedError, require_count
from aucbench.features.by_column import Block, ByColumn

RULES = ("quantile", "tree")
SMALLEST = 0.02  # share of the rows that a leaf of a tree has at least


@dataclass(frozen=True, eq=False)
class Steps(Block):
    """scale · (1[x ≥ t_k] − rest_k) for each threshold t_k.

    Attributes
    ----------
    thresholds : array of shape (q,)
        Ascending.
    scale : float
        Common to all steps.
    rest : array of shape (q,)
        What is subtracted, so that features of sparse rows are 0 where the column is.
    sign : int
        The sign that all weights must have; 0 for either.
    """

    thresholds: Vector
    scale: float
    rest: Vector
    sign: int = 0

    def __post_init__(self) -> None:
        lock(self, "thresholds", "rest")

    @property
    def width(self) -> int:
        """q."""
        return int(self.thresholds.size)

    @property
    def curved(self) -> NDArray[np.bool_]:
        """All of them; a table with two values has one step, which is its linear part."""
        return np.full(self.width, self.width > 1)

    @property
    def signs(self) -> Vector:  # type: ignore[override]  # not stored
        """`sign` for each step."""
        return np.full(self.width, float(self.sign))

    def put(self, out: Vector, *columns: Vector) -> None:
        """Write their values into a matrix (n, q)."""
        (x,) = columns
        np.subtract(x[:, None] >= self.thresholds, self.rest, out=out)
        out *= self.scale


@about(cites=("siddiqi2017", "tibshirani2005"))
@dataclass(frozen=True)
class Bins(ByColumn):
    """φ(x) = steps 1[x_j ≥ t_jk] of each column, so that w·φ(x) = Σ_j f_j(x_j), constant in bins.

    The weight of a step is the difference of two neighbouring bins. So a ridge is the sum of the
    squares of these differences, and an l1 penalty is the total variation of the effects, as in the
    fused lasso. The steps of a column have one common factor, with which the sum of their variances
    is 1, as that of a standardised column.

    The bin of a number is that of the largest threshold that it reaches. A threshold between two
    training values is a number of few digits. Numbers outside of the
    training range are in the first or the last bin. Sparse rows stay sparse: the steps are measured
    from the bin of 0. An effect that must be increasing has weights ≥ 0 on solvers that keep
    bounds.

    Parameters
    ----------
    count : int
        Number of bins of a column at most, at least 2. A column with fewer values has a bin for
        each.
    rule : str
        "quantile": thresholds are at quantiles; a value with its share of the rows, such as 0, has
        a bin of its own. "tree": they are the splits of a tree of the column on the labels, with
        `count` leaves of at least 2 % of the rows each. It needs labels of two classes. A
        solver that chooses its penalty by rows that it holds out itself (`lam=auto`) holds out rows
        that the tree has seen, and takes too little of it: tune it instead, which learns the bins
        anew in each fold.
    blocks : tuple of Steps or None, learnt by `fit`
        The steps of each column.

    Raises
    ------
    ParameterError
        When applied before `fit`, or when a parameter is out of its range.
    UnknownNameError
        When there is no such rule.
    UnsupportedError
        When a tree has no labels, or when an effect must be convex or concave.
    DataError
        When no column has two values, or when applied to rows with another number of columns.

    References
    ----------
    Bins of scorecards: Siddiqi, "Intelligent credit scoring", 2nd edition, 2017. Differences of
    neighbours: Tibshirani, Saunders, Rosset, Zhu & Knight, "Sparsity and smoothness via the fused
    lasso", JRSS B 67, 2005.
    """

    count: int = 10
    rule: Literal["quantile", "tree"] = "quantile"
    blocks: tuple[Steps | None, ...] | None = field(default=None, repr=False, compare=False)

    name = "bins"
    useless = (
        "bins need a column that can be divided, and none of the {d} column(s) can: each has one "
        "value in all {n} training rows, or no split helps"
    )

    def __post_init__(self) -> None:
        require_count(2, count=self.count)
        if self.rule not in RULES:
            raise UnknownNameError("rule of bins", self.rule, RULES)

    def fit(self, data: Data, rng: np.random.Generator) -> Bins:
        """Return the map with thresholds from `data`; it reads the shapes of effects too."""
        return replace(self, blocks=self.learn_blocks(data))

    def learn_block(self, x: Vector, shape: Shape, data: Data) -> Steps | None:
        """Return the steps of a column; None where it has one bin."""
        if shape.bend:
            raise UnsupportedError(
                f"the effect of bins has steps, and cannot be {shape}; give --features splines"
            )
        thresholds = self._thresholds(x, data)
        if not thresholds.size:
            return None
        shares = np.searchsorted(np.sort(x), thresholds) / x.size  # of the rows below
        scale = 1.0 / sqrt(float(shares @ (1.0 - shares)))
        at_zero = data.rows.is_sparse
        rest = (thresholds <= 0.0).astype(np.float64) if at_zero else 1.0 - shares
        return Steps(thresholds, scale, rest, shape.slope)

    def _thresholds(self, x: Vector, data: Data) -> Vector:
        levels, counts = np.unique(x, return_counts=True)
        if self.rule == "tree":
            return _splits(x, data, self.count)
        first = levels
        if levels.size > self.count:
            first = _first_of_bins(levels, counts, self.count)
        return _between(levels, first[1:])


def _first_of_bins(levels: Vector, counts: Any, count: int) -> Vector:
    """Return the lowest value of each of at most `count` bins.

    A value with its share of the rows begins a bin, and so does the value after it.
    """
    heavy = counts * count >= counts.sum()
    first = np.union1d(levels[:1], np.union1d(levels[heavy], levels[1:][heavy[:-1]]))
    free, rest = count - first.size, levels[~heavy]
    if free > 0 and rest.size:
        rows = np.cumsum(counts[~heavy])
        inner = np.arange(1, free + 1) / (free + 1) * rows[-1]
        first = np.union1d(first, rest[np.searchsorted(rows, inner)])
    return first[:count]


def _splits(x: Vector, data: Data, count: int) -> Vector:
    """Return the thresholds of a tree with `count` leaves that tells the classes by x alone."""
    from sklearn.tree import DecisionTreeClassifier

    if not isinstance(data.target, Labels):
        raise UnsupportedError(
            f"bins[rule=tree] needs labels of two classes, and the rows have {data.target.what}; "
            "take bins[rule=quantile]"
        )
    tree = DecisionTreeClassifier(
        max_leaf_nodes=count, min_samples_leaf=SMALLEST, criterion="entropy", random_state=0
    )
    inner = tree.fit(x[:, None], data.y, sample_weight=data.weights).tree_
    thresholds = inner.threshold[inner.children_left >= 0]
    values = np.unique(x)  # the least value above each split, so that x ≥ t says the same as x > t
    above = np.searchsorted(values, thresholds, side="right")
    return _between(values, np.unique(values[above[above < values.size]]))


def _between(levels: Vector, first: Vector) -> Vector:
    """Return for each of some levels a number of few digits that only it and higher ones reach."""
    last = levels[np.searchsorted(levels, first) - 1]
    return np.array([few_digits(a, b) for a, b in zip(last, first, strict=True)], np.float64)


def few_digits(a: float, b: float) -> float:
    """Return a number t with few digits and a < t ≤ b."""
    apart = b - a
    if not 1e-290 < apart < 1e290:
        return float(b)
    start = floor(-log10(apart))
    for digits in range(start, start + 3):
        t = round(floor((a + apart / 2) * 10.0**digits + 0.5) / 10.0**digits, digits)
        if a < t <= b:
            return t
    return float(b)
