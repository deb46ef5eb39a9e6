"""Trees as arrays: what a forest or a boosting learnt, without the library that learnt it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from aucbench.contract import Model
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.arrays import rows as rows_of
from aucbench.data.layouts import densify
from aucbench.errors import DataError, PluginError, UnsupportedError, short, written_at
from aucbench.kernels import trees

SCORED_AT_ONCE = 4096  # rows, so that their nodes stay in the cache
DENSE_LIMIT = 2 << 30
Tree = Iterable[ArrayLike]  # see `TreeSum.of_trees`
CHECKED = 500  # rows by which trees from private attributes are compared


@dataclass(frozen=True, eq=False)
class TreeSum(Model):
    """F(x) = base + scale Σ_t v_t(x), v_t(x) the value of the leaf of x in tree t.

    A row goes left where x_j ≤ threshold, and right elsewhere. Node numbers count over all trees,
    and children come after their parent.

    Attributes
    ----------
    feature : int32 array of shape (m,)
        j of each node; -1 for a leaf.
    threshold : array of shape (m,)
    left, right : int32 arrays of shape (m,)
        Children; those of a leaf are the leaf itself.
    value : array of shape (m,)
        Of a leaf; 0 elsewhere.
    roots : int32 array
        The first node of each tree.
    d : int
        Number of features.
    base, scale : float
    single : bool
        Whether x is rounded to single precision before it is compared, as scikit-learn's forests
        and XGBoost do.

    Raises
    ------
    DataError
        When the arrays are not those of trees.
    """

    feature: Index
    threshold: Vector
    left: Index
    right: Index
    value: Vector
    roots: Index
    d: int
    base: float = 0.0
    scale: float = 1.0
    single: bool = False

    keeps_rows: ClassVar[bool | None] = False  # type: ignore[misc]  # of all of them

    def __post_init__(self) -> None:
        m = self.feature.size
        node = np.arange(m)
        leaf = self.feature < 0
        each = (self.threshold, self.left, self.right, self.value)
        whole = all(array.shape == (m,) for array in each)
        if not (
            whole
            and self.roots.size
            and self.roots.min() >= 0
            and self.roots.max() < m
            and self.feature.max() < self.d
            and all(
                np.where(leaf, child == node, child > node).all() and child.max() < m
                for child in (self.left, self.right)
            )
            and np.isfinite(self.value).all()
        ):
            raise DataError("the arrays are not those of trees; get the file again")

    @staticmethod
    def of_trees(trees: Iterable[Tree], d: int, **options: Any) -> TreeSum:
        """Return the sum of trees whose nodes have their own numbers, from 0.

        Parameters
        ----------
        trees : iterable of 5 sequences of the same length
            Feature, threshold, left child, right child, and value of each node of a tree; the
            feature of a leaf is below 0, and its other numbers but the value are ignored.
        d : int
            Number of features.
        **options
            base, scale and single.
        """
        grown = [[np.asarray(column) for column in tree] for tree in trees]
        sizes = [len(columns[0]) for columns in grown]
        starts = np.cumsum([0, *sizes]).astype(np.int32)
        feature, threshold, left, right, value = map(np.concatenate, zip(*grown, strict=True))
        leaf, own, first = feature < 0, np.arange(starts[-1]), np.repeat(starts[:-1], sizes)
        return TreeSum(
            np.maximum(feature, -1).astype(np.int32),
            np.where(leaf, 0.0, threshold),
            np.where(leaf, own, first + left).astype(np.int32),
            np.where(leaf, own, first + right).astype(np.int32),
            np.where(leaf, value, 0.0),
            starts[:-1],
            d,
            **options,
        )

    def portable(self) -> TreeSum:
        """Return itself."""
        return self

    def scores(self, rows: Rows) -> Vector:
        """F(x) of rows (n, d) -> (n,).

        Raises
        ------
        DataError
            When the rows have another number of features.
        """
        if rows.d != self.d:
            raise DataError(f"X has {rows.d} columns, the trees have {self.d}; pass the same")
        parts = (
            rows.take(slice(lo, lo + SCORED_AT_ONCE)) for lo in range(0, rows.n, SCORED_AT_ONCE)
        )
        return np.concatenate([self._dense(densify(part, DENSE_LIMIT, "trees")) for part in parts])

    def _dense(self, part: Rows) -> Vector:
        X = part.matrix.astype(np.float32) if self.single else part.matrix
        total = np.empty(part.n)
        trees.scores(
            np.ascontiguousarray(X, np.float64),
            *(self.feature, self.threshold, self.left, self.right, self.value, self.roots),
            total,
        )
        return np.asarray(self.base + self.scale * total)


def trees_of_forest(forest: Any) -> TreeSum | None:
    """Return the trees of a fitted random forest of scikit-learn; None if it is something else.

    Only public attributes are read: `estimators_`, and of each tree the arrays of `tree_`.
    """
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    if type(forest) not in (RandomForestClassifier, ExtraTreesClassifier):
        return None
    positive = [*forest.classes_].index(1)
    grown = [tree.tree_ for tree in forest.estimators_]

    def shares(tree: Any) -> Vector:
        counts = tree.value[:, 0, :]
        return np.asarray(counts[:, positive] / counts.sum(axis=1))

    return TreeSum.of_trees(
        ((t.feature, t.threshold, t.children_left, t.children_right, shares(t)) for t in grown),
        int(forest.n_features_in_),
        scale=1.0 / len(grown),
        single=True,
    )


def trees_of_boosting(boosting: Any) -> TreeSum | None:
    """Return the trees of a fitted `HistGradientBoostingClassifier`; None if it is something else.

    scikit-learn keeps them in private attributes, which another version may arrange in another
    way. So they are used only if they give the scores of `decision_function` for rows that lie on
    their thresholds and next to them.

    Raises
    ------
    UnsupportedError
        When the attributes are not those expected, or the scores differ.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    if type(boosting) is not HistGradientBoostingClassifier:
        return None
    try:
        trees = _boosted(boosting)
        rows = _rows_at_thresholds(trees)
        same = np.allclose(trees.scores(rows), boosting.decision_function(rows.matrix), 1e-9, 1e-9)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, DataError):
        same = False
    if not same:
        raise UnsupportedError(
            "this version of scikit-learn keeps the trees of HistGradientBoostingClassifier in a "
            "way that aucbench does not know; take trees of LightGBM or a random forest"
        )
    return trees


def _boosted(boosting: Any) -> TreeSum:
    grown = [one.nodes for (one,) in boosting._predictors]
    if any(nodes["is_categorical"].any() for nodes in grown):
        raise ValueError("a split by categories")
    return TreeSum.of_trees(
        (
            (
                np.where(nodes["is_leaf"], -1, nodes["feature_idx"].astype(np.int32)),
                *(nodes[name] for name in ("num_threshold", "left", "right", "value")),
            )
            for nodes in grown
        ),
        int(boosting.n_features_in_),
        base=float(boosting._baseline_prediction.item()),
    )


def _rows_at_thresholds(trees: TreeSum) -> Rows:
    """Return rows whose values are thresholds of their feature, or the next larger numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(CHECKED, trees.d))
    for j in range(trees.d):
        thresholds = trees.threshold[trees.feature == j]
        if thresholds.size:
            sample = rng.choice(thresholds, CHECKED)
            X[:, j] = np.where(rng.random(CHECKED) < 0.5, sample, np.nextafter(sample, np.inf))
    return rows_of(X)


def portable(model: Model) -> TreeSum:
    """Return an equal model that consists of arrays, so that it can be saved without pickle.

    Raises
    ------
    UnsupportedError
        When it cannot.
    PluginError
        When its method `portable` returns something else.
    """
    trees = model.portable()
    if not isinstance(trees, TreeSum):
        raise PluginError(
            f"{type(model).__name__}.portable returned {short(trees)}, wanted an "
            f"aucbench.optim.trees.TreeSum{written_at(type(model).portable)}"
        )
    return trees
