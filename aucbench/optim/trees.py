"""Trees as arrays: what a forest or a boosting learnt, without the library that learnt it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Rows, Vector
from aucbench.errors import DataError, UnsupportedError

SCORED_AT_ONCE = 4096  # rows, so that their nodes stay in the cache
DENSE_LIMIT = 2 << 30


@dataclass(frozen=True, eq=False)
class TreeSum:
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

    keeps_rows: ClassVar[bool] = False

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
        return np.concatenate([self._dense(part.densified(DENSE_LIMIT, "trees")) for part in parts])

    def _dense(self, part: Rows) -> Vector:
        X = part.matrix.astype(np.float32) if self.single else part.matrix
        at, total = np.arange(part.n), np.zeros(part.n)
        for root in self.roots:
            node = np.full(part.n, root, dtype=np.int32)
            inner = at if self.feature[root] >= 0 else at[:0]
            while inner.size:
                here = node[inner]
                below = X[inner, self.feature[here]] <= self.threshold[here]
                node[inner] = np.where(below, self.left[here], self.right[here])
                inner = inner[self.feature[node[inner]] >= 0]
            total += self.value[node]
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
    starts = np.cumsum([0, *(tree.node_count for tree in grown)]).astype(np.int32)

    def children(name: str) -> NDArray[np.int32]:
        parts = []
        for tree, start in zip(grown, starts, strict=False):
            child = getattr(tree, name)
            parts.append(start + np.where(child < 0, np.arange(child.size), child))
        return np.concatenate(parts).astype(np.int32)

    feature = np.concatenate([tree.feature for tree in grown]).astype(np.int32)
    shares = np.concatenate([tree.value[:, 0, :] for tree in grown])
    shares /= shares.sum(axis=1, keepdims=True)
    return TreeSum(
        np.maximum(feature, -1),
        np.concatenate([tree.threshold for tree in grown]),
        children("children_left"),
        children("children_right"),
        np.where(feature < 0, shares[:, positive], 0.0),
        starts[:-1],
        int(forest.n_features_in_),
        scale=1.0 / len(grown),
        single=True,
    )


def portable(model: Any) -> TreeSum:
    """Return an equal model that consists of arrays, so that it can be saved without pickle.

    A model says how by a method `portable`.

    Raises
    ------
    UnsupportedError
        When it cannot.
    """
    if isinstance(model, TreeSum):
        return model
    if not hasattr(model, "portable"):
        raise UnsupportedError(
            f"a model of the class {type(model).__name__} does not say how to save it; give it a "
            "method portable that returns aucbench.optim.trees.TreeSum, or use a linear solver"
        )
    trees: TreeSum = model.portable()
    return trees
