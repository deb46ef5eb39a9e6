"""Rows with their target. `Data.of(X, y)` checks input; code that reads `Data` trusts it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import ALL, Block, Index, Rows, Vector, lock
from aucbench.data.inputs import check_rows, feature_numbers
from aucbench.data.kinds import Target, checked_target, needs_labels
from aucbench.data.passes import pullback, scores, square_norms
from aucbench.data.row_roles import held_out, numbered
from aucbench.data.shapes import Shapes
from aucbench.data.targets import Classes, Labels, side_of
from aucbench.data.terms import Terms
from aucbench.data.understood import Understood
from aucbench.errors import DataError, UnsupportedError

TIES = ("folds", "groups", "times")  # fields of `Data` that say how rows may be divided
NEEDS_FEATURES = (
    "the rows are codes of a table, not features; call encode_table(data), which learns an "
    "encoding from all of its rows, or give numbers without missing cells"
)
IGNORES_WEIGHTS = (
    "learns without the weights of rows; take a solver whose objective has them, or "
    "leave the weights out"
)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows and their labels, from which streaming methods learn; one class may be missing.

    Attributes
    ----------
    rows : Rows
        n rows of d features, dense or CSR.
    y : array of shape (n,), int8 in {-1, +1}
        Their labels.
    classes : Classes, or None
        How the source writes both labels, as far as it is known: a class that is neither named
        nor seen yet is empty. None: as -1 and 1, which also stand for classes of several labels.
    """

    rows: Rows
    y: NDArray[np.int8]
    classes: Classes | None = None

    def __post_init__(self) -> None:
        lock(self, "y")

    n = property(lambda self: self.rows.n, doc="Number of rows.")
    d = property(lambda self: self.rows.d, doc="Number of features.")

    @staticmethod
    def of(X: Any, y: Any, *, positive: Any = None, dtype: Any = None) -> Chunk:
        """Check input as `Data.of` does, but allow that one class is missing.

        Parameters and errors are those of `Data.of`. A label in `positive` need not occur in
        this chunk.
        """
        checked, _ = check_rows(X, dtype)
        signs = side_of(y, positive)
        if signs.size != checked.n:
            raise DataError(
                f"X has {checked.n} rows but y has {signs.size} labels; give one label per row"
            )
        return Chunk(checked, signs)

    @property
    def sides(self) -> Classes:
        """How its source writes both labels, or else -1 and 1."""
        return self.classes or Classes(positive=(1,), negative=(-1,))

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row as its source writes it, (n,)."""
        each = [(*side, None)[0] for side in (self.sides.negative, self.sides.positive)]
        return np.array([each[positive] for positive in (self.y > 0).tolist()])

    @cached_property
    def square_norms(self) -> Vector:
        """|x_i|^2 of each row, shape (n,)."""
        return square_norms(self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """Checked rows and their target. Every objective and every solver reads this.

    `rows`, `target` and `terms` are for plugins, as the methods are; the harness reads the others.

    Attributes
    ----------
    rows : Rows
        n rows of d features, dense or CSR.
    target : Labels, Breakpoints, Survival, Grades or Categories
        y in {-1, +1}; how the errors of each row change as its score grows; times of events; or
        ordered grades.
    names : tuple of str, or None
        Feature names, if the input had them.
    folds : array of shape (n,), or None
        The fold of each row, numbered from 0, if the source divides its rows into folds. Rows of
        fold -1 are learnt from in every split.
    groups : array of shape (n,), or None
        The number of the group of each row. No group is on both sides of a split.
    times : array of shape (n,), or None
        The place of each row in the order of time; equal times have equal numbers. What is learnt
        from comes before what is held out.
    dropped : tuple of str
        Columns of the source that were left out because they hold missing or infinite values, or
        because they cannot rank rows.
    schema : Schema, or None
        Of a table with text, dates or missing cells: what its columns are. Then the rows are its
        codes, and an `Encoding` learnt from training rows makes features of them.
    understood : Understood
        What the reader of a file took from it, for people. Nothing computes with it.
    relevant : array of shape (k,), or None
        The numbers of the features that matter, ascending, where they are known, as in a
        simulation. No solver gets them: they tell how well its weights find these features.
    pairs : Pairs, or None
        Which pairs of rows count in a loss over pairs, and how much, as in `aucbench.pairs`. None:
        all pairs of a positive and a negative, or those of another target.
    shapes : Shapes, or None
        What the effects of some columns must be, such as increasing. A feature map makes bounds of
        weights of it.
    terms : Terms, or None
        The terms of an additive score that the features belong to, and the bounds of their weights.
    """

    rows: Rows
    target: Target
    names: tuple[str, ...] | None = None
    folds: Index | None = None
    dropped: tuple[str, ...] = ()
    schema: Any = None  # `datasets.tables.Schema`, which stands above this room
    understood: Understood = field(default_factory=Understood)
    groups: Index | None = None
    times: Index | None = None
    relevant: Index | None = None
    pairs: Any = None  # `aucbench.pairs.Pairs`, which stands above this room
    shapes: Shapes | None = None
    terms: Terms | None = None

    def __post_init__(self) -> None:
        lock(self, *TIES, "relevant")

    @staticmethod
    def of(
        X: Any,
        y: Any = None,
        *,
        positive: Any = None,
        negative: Any = None,
        groups: Any = None,
        times: Any = None,
        weights: Any = None,
        relevant: Any = None,
        pairs: Any = None,
        dtype: Any = None,
    ) -> Data:
        """Check input and turn it into `Data`; it is copied only where that is necessary.

        The arrays of the result are read-only views, so that what reads them, such as a solver,
        cannot write to the arrays that were given.

        Parameters
        ----------
        X : array, DataFrame or scipy sparse matrix of any format, shape (n, d)
            Floats, integers or booleans; they are stored as `dtype`. A masked array has no masked
            entries.
        y : array of shape (n,), or Survival, Grades or Categories
            Labels in {-1, 1}, {0, 1}, booleans, or a pair of words such as no and yes; any values
            with `positive`. Or another target of n rows, such as `Survival.of(time, event)`.
        positive, negative : label or list of labels, optional
            The two classes. One of them is enough for two labels; more than two need both, and
            negative="rest" means every label that is not positive.
        groups : array of shape (n,), optional
            The group of each row, such as a customer: any values. No group is on both sides of a
            split.
        times : array of shape (n,), optional
            When each row was seen: numbers, dates, or anything that can be sorted. What is learnt
            from comes before what is held out.
        weights : array of shape (n,), optional
            What each row counts for, above 0: in the AUC, and in training. Only ratios count,
            except in solvers that add up losses of rows, see `aucbench.stats.vectors.unit_weights`.
        relevant : array of int of shape (k,), optional
            The numbers of the features that matter, from 0, where they are known.
        pairs : Pairs, optional
            Which pairs of rows count, such as `aucbench.pairs.Group()`; see the attribute.
        dtype : "float64" or "float32", optional
            How the numbers are stored; float64 if it is not given, also where X is float32.
            float32 takes half the memory, and a pass over the rows about half the time. It rounds
            each number to 24 bits, a relative error of at most 6e-8. All is computed in float64
            from the rounded numbers.

        Raises
        ------
        DataError
            When X is not a matrix of finite numbers that floats hold, when an entry is masked, when
            y does not fit to it, when the labels
            are not two classes, when a group, a time or a weight is missing or makes no sense,
            when there is no relevant feature of such a number, or when a number is outside the
            range of float32, 1.2e-38 to 3.4e38.
        """
        if isinstance(X, Data) and y is None:
            unused = {
                "groups": groups,
                "times": times,
                "weights": weights,
                "relevant": relevant,
                "pairs": pairs,
                "dtype": dtype,
            }
            if named := [name for name, value in unused.items() if value is not None]:
                raise DataError(
                    f"X is a Data already and {' and '.join(named)} would be ignored; give them "
                    "with the rows and labels"
                )
            return X
        checked, names = check_rows(X, dtype)
        if y is None:
            raise DataError("y is missing; give the label of each row")
        target = checked_target(y, checked.n, positive, negative, weights)
        grouped, ordered = (
            numbered("groups", groups, checked.n),
            numbered("times", times, checked.n),
        )
        known = feature_numbers(relevant, checked.d)
        whole = Data(checked, target, names, groups=grouped, times=ordered, relevant=known)
        return whole if pairs is None else replace(whole, pairs=pairs)

    def __repr__(self) -> str:
        """Return how many rows and features there are, and of which kind."""
        layout = "CSR" if self.rows.is_sparse else "dense"
        return (
            f"<Data: {self.n} rows, {self.target.size}, {self.d} features, {layout} "
            f"{self.rows.stored.dtype}>"
        )

    n = property(lambda self: self.rows.n, doc="Number of rows.")
    d = property(lambda self: self.rows.d, doc="Number of features.")
    y = property(lambda self: self.labels.y, doc="Labels, int8 in {-1, +1}, shape (n,).")

    @property
    def weights(self) -> Vector | None:
        """What each row counts for, (n,); None where all count the same."""
        return self.target.weights

    @property
    def labels(self) -> Labels:
        """The target as labels.

        Raises
        ------
        UnsupportedError
            When the target is another one.
        """
        if isinstance(self.target, Labels):
            return self.target
        raise UnsupportedError(needs_labels(self.target))

    def require_no_weights(self, name: str) -> None:
        """Raise `UnsupportedError` where rows have weights, which the objective `name` ignores."""
        if self.weights is not None:
            raise UnsupportedError(f"{name} {IGNORES_WEIGHTS}")

    @cached_property
    def means(self) -> tuple[Vector, Vector]:
        """Class means (m_-, m_+), each of shape (d,), weighted where rows have weights."""
        positive = (self.y > 0).astype(np.float64)
        if self.weights is not None:
            shares = self.labels.shares
            return self.pullback(shares * (1.0 - positive)), self.pullback(shares * positive)
        m_pos = self.pullback(positive) / self.labels.n_pos
        m_neg = self.pullback(1.0 - positive) / self.labels.n_neg
        return m_neg, m_pos

    def scores(self, w: Vector, block: Block = ALL) -> Vector:
        """Return X_B w, shape (|B|,), the scores of the rows in a block B."""
        require_features(self)
        return scores(self.rows, w, block)

    def pullback(self, r: Vector, block: Block = ALL) -> Vector:
        """Return X_Bᵀ r, shape (d,), where r has one number for each row in the block B."""
        require_features(self)
        return pullback(self.rows, r, block)

    def blocks(self, m: int, rng: np.random.Generator | None = None) -> list[Block]:
        """Divide the rows into `m` blocks whose sizes differ by at most one, or n if m > n.

        With `rng` the blocks are random, otherwise they are consecutive rows. Row numbers ascend
        within a block, so that a pass over it reads memory forwards.

        Raises
        ------
        DataError
            When m < 1.
        """
        if m < 1:
            raise DataError(f"{m} blocks of {self.n} rows; ask for at least 1 block")
        m = min(m, self.n)
        if m == 1:
            return [ALL]
        cuts = [i * self.n // m for i in range(m + 1)]
        if rng is None:
            return [slice(lo, hi) for lo, hi in pairwise(cuts)]
        order = rng.permutation(self.n).astype(np.int32)
        return [np.sort(part) for part in np.split(order, cuts[1:-1])]

    def take(self, block: Block) -> Data:
        """Return a copy of some rows with their target.

        Raises
        ------
        DataError
            When the rows have labels and a class is missing.
        """
        ties = {name: array[block] for name, array in ties_of(self).items()}
        if hasattr(self.pairs, "take"):  # pairs that hold something of each row
            ties["pairs"] = self.pairs.take(block)
        return replace(self, rows=self.rows.take(block), target=self.target.take(block), **ties)

    def split(self, fraction: float, rng: np.random.Generator) -> tuple[Data, Data]:
        """Divide the rows into two parts (rest, drawn): at random, or as groups and times say.

        With times the last rows are drawn. With groups, whole groups are; see `held_out`.

        Parameters
        ----------
        fraction : float
            The share that is drawn, in (0, 1): of each class, or of all rows where there are no
            labels. At least one row of each is drawn.
        rng : numpy.random.Generator
            Draws the rows.

        Raises
        ------
        DataError
            When a part would have no row of a class.
        """
        rest, drawn = divide_rows(self, fraction, rng)
        return self.take(rest), self.take(drawn)

    def with_rows(self, mapped: Rows) -> Data:
        """Return the same target over mapped rows, without what is known of the columns."""
        of_columns: dict[str, Any] = dict.fromkeys(
            ("names", "schema", "relevant", "shapes", "terms")
        )
        return replace(self, rows=mapped, understood=Understood(), **of_columns)


def ties_of(data: Data) -> dict[str, Any]:
    """Return folds, groups and times by name, those that there are."""
    arrays = {name: getattr(data, name) for name in TIES}
    return {name: array for name, array in arrays.items() if array is not None}


def divide_rows(data: Data, fraction: float, rng: np.random.Generator) -> tuple[Index, Index]:
    """Return the numbers of the rows of both parts of `Data.split`; raises as `held_out`."""
    masks = held_out(data.target.strata, fraction, rng, data.groups, data.times)
    rest, drawn = (np.flatnonzero(mask).astype(np.int32) for mask in masks)
    return rest, drawn


def require_features(data: Data) -> None:
    """Raise `DataError` if the rows are codes of a table."""
    if data.schema is not None:
        raise DataError(NEEDS_FEATURES)
