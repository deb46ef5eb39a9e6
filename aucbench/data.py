"""`Data.of(X, y)`: the ONE door where input is checked; behind it, everything is trusted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.arrays import ALL, Block, Rows, Vector, rows, size, span
from aucbench.errors import DataError
from aucbench.kernels import linear
from aucbench.targets import Labels, side_of


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows and their labels, perhaps of one class only: what streaming methods learn from.

    Attributes
    ----------
    rows : Rows
    y : array of shape (n,), int8 in {-1, +1}
    """

    rows: Rows
    y: NDArray[np.int8]

    n = property(lambda self: self.rows.n, doc="Number of rows.")
    d = property(lambda self: self.rows.d, doc="Number of features.")

    @staticmethod
    def of(X: Any, y: Any, *, positive: Any = None) -> Chunk:
        """Check input as `Data.of` does, but allow one class.

        Raises
        ------
        DataError
            As `Data.of`. Labels that do not occur in this chunk are no error.
        """
        checked, _ = check_rows(X)
        signs = side_of(y, positive)
        if signs.size != checked.n:
            raise DataError(f"X has {checked.n} rows but y has {signs.size} labels")
        return Chunk(checked, signs)

    @cached_property
    def square_norms(self) -> Vector:
        """|x_i|^2 of each row, shape (n,)."""
        out = np.empty(self.n)
        linear.square_norms(*self.rows.arrays, self.n, out)
        return out


@dataclass(frozen=True, eq=False)
class Data:
    """Checked rows and labels; what every objective and solver reads.

    Attributes
    ----------
    rows : Rows
        n rows of d features, dense or CSR.
    target : Labels
        y in {-1, +1}.
    names : tuple of str or None
        Feature names, where the input had them.
    """

    rows: Rows
    target: Labels
    names: tuple[str, ...] | None = None

    @staticmethod
    def of(X: Any, y: Any = None, *, positive: Any = None) -> Data:
        """Check input and turn it into `Data`, without a copy where none is needed.

        Parameters
        ----------
        X : array, DataFrame or scipy sparse matrix of any format, shape (n, d)
            Float64 or float32 or integers or booleans; computed with as float64.
        y : array of shape (n,)
            Labels in {-1, 1}, {0, 1} or booleans, or two arbitrary values with `positive`.
        positive : label or list of labels, optional
            Which labels are the positive class; a list makes several classes binary.

        Raises
        ------
        DataError
            One sentence that says what came, what was wanted and the way out.
        """
        if isinstance(X, Data) and y is None:
            return X
        checked, names = check_rows(X)
        if y is None:
            raise DataError("y is missing; pass the labels of the rows")
        if np.shape(y)[:1] != (checked.n,):
            got = np.shape(y)[0] if np.ndim(y) else 0
            raise DataError(f"X has {checked.n} rows but y has {got} labels")
        return Data(checked, Labels.of(y, positive), names)

    n = property(lambda self: self.rows.n, doc="Number of rows.")
    d = property(lambda self: self.rows.d, doc="Number of features.")
    y = property(lambda self: self.target.y, doc="Labels, int8 in {-1, +1}, shape (n,).")

    @property
    def p(self) -> float:
        """n_+ / n, the share of positives (the SHT-AUC paper's r)."""
        return self.target.n_pos / self.rows.n

    @cached_property
    def chunk(self) -> Chunk:
        """The same rows and labels for methods that learn from chunks."""
        return Chunk(self.rows, self.y)

    @cached_property
    def means(self) -> tuple[Vector, Vector]:
        """Class means (m_-, m_+), each of shape (d,)."""
        positive = (self.y > 0).astype(np.float64)
        m_pos = self.pullback(positive) / self.target.n_pos
        m_neg = self.pullback(1.0 - positive) / self.target.n_neg
        return m_neg, m_pos

    def scores(self, w: Vector, block: Block = ALL) -> Vector:
        """X_B w, shape (|B|,)."""
        return scores(self.rows, w, block)

    def pullback(self, r: Vector, block: Block = ALL) -> Vector:
        """X_B^T r, shape (d,)."""
        out = np.zeros(self.d)
        linear.pullback(*self.rows.arrays, *span(block, self.n), r, out)
        return out

    def blocks(self, m: int, rng: np.random.Generator | None = None) -> list[Block]:
        """Partition of the rows into `m` blocks whose sizes differ by at most one.

        Blocks of a random permutation with `rng`, else consecutive rows. Row numbers
        within a block ascend, so that a pass over it walks forward through memory.
        """
        if not 1 <= m <= self.n:
            raise DataError(f"{m} blocks of {self.n} rows: ask for 1 to {self.n} blocks")
        if m == 1:
            return [ALL]
        cuts = [i * self.n // m for i in range(m + 1)]
        if rng is None:
            return [slice(lo, hi) for lo, hi in pairwise(cuts)]
        order = rng.permutation(self.n).astype(np.int32)
        return [np.sort(part) for part in np.split(order, cuts[1:-1])]

    def take(self, block: Block) -> Data:
        """Copy of some rows, which must hold both classes."""
        return Data(self.rows.take(block), Labels.of(self.y[block]), self.names)

    def split(self, fraction: float, rng: np.random.Generator) -> tuple[Data, Data]:
        """Stratified (rest, drawn): about `fraction` of each class is drawn, at least one."""
        drawn = [_draw(np.flatnonzero(self.y == side), fraction, rng) for side in (-1, 1)]
        mask = np.zeros(self.n, dtype=np.bool_)
        mask[np.concatenate(drawn)] = True
        rest, out = (np.flatnonzero(m).astype(np.int32) for m in (~mask, mask))
        return self.take(rest), self.take(out)

    def with_rows(self, mapped: Rows) -> Data:
        """Return the same target over mapped rows (feature names are not carried over)."""
        return Data(mapped, self.target)


def _draw(members: NDArray[np.intp], fraction: float, rng: np.random.Generator) -> NDArray[np.intp]:
    count = max(1, round(fraction * members.size))
    if not 0 < fraction < 1 or count >= members.size:
        raise DataError(
            f"a class of {members.size} rows cannot be split at fraction {fraction}: "
            "both parts need a row of it"
        )
    return rng.permutation(members)[:count]


def scores(X: Rows, w: Vector, block: Block = ALL) -> Vector:
    """X_B w, shape (|B|,).

    Raises
    ------
    DataError
        When there are more or fewer weights than features: kernels trust their number.
    """
    if X.d != w.size:
        raise DataError(
            f"the rows have {X.d} features after mapping and there are {w.size} weights; "
            "give the columns of the training rows"
        )
    out = np.empty(size(block, X.n))
    linear.scores(*X.arrays, *span(block, X.n), np.ascontiguousarray(w), out)
    return out


def check_rows(X: Any) -> tuple[Rows, tuple[str, ...] | None]:
    """Rows of `X` and its column names, if it has any; the same door, without labels.

    Raises
    ------
    DataError
        When `X` is empty, not numeric, not a matrix, or holds NaN or infinity.
    """
    if isinstance(X, Rows):
        return X, None
    names = None
    if hasattr(X, "dtypes") and hasattr(X, "to_numpy"):
        names = tuple(map(str, X.columns))
        X = _frame_values(X)
    elif not hasattr(X, "tocsr"):
        X = np.asarray(X)
    if X.dtype.kind not in "fiub":
        raise DataError(f"X has the type {X.dtype}; encode it as numbers first")
    checked = rows(X)
    if not checked.n or not checked.d:
        raise DataError(f"X is empty: {checked.n} rows, {checked.d} columns")
    _refuse_non_finite(checked, names)
    return checked, names


def _frame_values(frame: Any) -> NDArray[Any]:
    bad = [str(c) for c, t in frame.dtypes.items() if getattr(t, "kind", "O") not in "fiub"]
    if bad:
        listed = ", ".join(map(repr, bad[:5])) + (", ..." if len(bad) > 5 else "")
        raise DataError(
            f"{len(bad)} column(s) are not numeric: {listed}; drop them or encode them first"
        )
    values: NDArray[Any] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _refuse_non_finite(X: Rows, names: tuple[str, ...] | None) -> None:
    if np.isfinite(X.values.sum()):  # one pass; a finite sum has no NaN or infinity in it
        return
    bad = np.flatnonzero(~np.isfinite(X.values))
    if not bad.size:
        return  # finite values whose sum overflowed
    at = int(bad[0])
    if X.columns is None or X.starts is None:
        row, column = divmod(at, X.d)
    else:
        row, column = int(np.searchsorted(X.starts, at, side="right")) - 1, int(X.columns[at])
    named = f" ({names[column]!r})" if names else ""
    raise DataError(
        f"X has {X.values[at]} in row {row}, column {column}{named} and {bad.size} such "
        "value(s) in all; impute or drop them first"
    )
