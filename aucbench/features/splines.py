"""Splines of each column: an additive score whose ridge is on the curvature of its effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.data import Data, Shape
from aucbench.data.arrays import Vector, lock
from aucbench.errors import require_above, require_count
from aucbench.features.by_column import Block, ByColumn, Functions, columns_of
from aucbench.features.crosses import Pair, strongest

TAIL = 1e-3  # share of the rows at either end that lies beyond the outermost knots
CLOSEST = 1e-9  # knots nearer than this part of the range are one
PIECE = 1 << 14  # rows whose B-splines are formed at a time
FLAT = 1e-4  # share of the variance of a column's curved functions below which one is left out
EACH = 3  # functions of a column in a product: the linear part and the two smoothest curved ones


@dataclass(frozen=True, eq=False)
class Spline(Block):
    """Functions with B-spline coefficients C on knots; outside of the knots they are constant.

    Numbers are measured from the lowest one in units of the range of the training rows, so that
    digits are kept at any offset.

    Attributes
    ----------
    low, high : float
        The least and the largest training number.
    knots : array of shape (m + degree + 1,)
        In [0, 1], the ends repeated.
    C : array of shape (m, q)
        The coefficients of q functions.
    degree : int
        1 or 3.
    signs : array of shape (q,)
        As in `Block`.
    straight : int
        1 where the first function is the linear part, 0 where there is none.
    """

    low: float
    high: float
    knots: Vector
    C: Vector
    degree: int
    signs: Vector
    straight: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "C", np.ascontiguousarray(self.C))
        lock(self, "knots", "C", "signs")

    @property
    def curved(self) -> NDArray[np.bool_]:
        """All but the linear part."""
        return np.arange(self.width) >= self.straight

    @property
    def width(self) -> int:
        """q."""
        return int(self.C.shape[1])

    def first(self, count: int) -> Spline:
        """Return the first functions only."""
        return replace(self, C=self.C[:, :count], signs=self.signs[:count])

    def bent(self, factor: float) -> Spline:
        """Return the functions with the curved ones times `factor`; 0 leaves them out.

        Increments of an effect that must rise or fall are all that there is of it, and stay.
        """
        if not self.straight:
            return self
        if not factor:
            kept = ~self.curved
            return replace(self, C=self.C[:, kept], signs=self.signs[kept])
        return replace(self, C=self.C * np.where(self.curved, factor, 1.0))

    def put(self, out: Vector, *columns: Vector) -> None:
        """Write their values into a matrix (n, q)."""
        from aucbench.kernels import splines

        (x,) = columns
        if out.size:
            splines.curves(x, self.low, self.high, self.knots, self.degree, self.C, out)


@dataclass(frozen=True, eq=False)
class Cross(Block):
    """φ_a(x_j) φ_b(x_k) for the first functions a of column j and b of column k.

    Attributes
    ----------
    columns : tuple of int
        (j, k).
    first, second : Spline
        The functions of each column.
    scale : float
        Of all products.
    centre : array of shape (q,)
        What is subtracted.
    """

    columns: Pair
    first: Spline
    second: Spline
    scale: float
    centre: Vector

    def __post_init__(self) -> None:
        lock(self, "centre")

    @staticmethod
    def of(columns: Pair, both: Sequence[Spline], X: Sequence[Vector], *, at_zero: bool) -> Cross:
        """Scale the products so that the sum of their variances over rows is 1.

        X are the two columns, each of shape (n,). The products of sparse rows stay `at_zero` where
        a column is.
        """
        first, second = (block.first(EACH) for block in both)
        bare = Cross(columns, first, second, 1.0, np.zeros(first.width * second.width))
        products = bare(*X)
        total = float(products.var(axis=0).sum())
        scale = 1.0 / np.sqrt(total) if total > 0.0 else 1.0
        if at_zero:
            return replace(bare, scale=scale)
        return replace(bare, scale=scale, centre=scale * products.mean(axis=0))

    @property
    def width(self) -> int:
        """Number of products."""
        return self.first.width * self.second.width

    @property
    def curved(self) -> NDArray[np.bool_]:
        """All of them."""
        return np.ones(self.width, np.bool_)

    @property
    def signs(self) -> Vector:  # type: ignore[override]  # not stored
        """None is bounded."""
        return np.zeros(self.width)

    def bent(self, factor: float) -> Cross:
        """Return the products times a factor."""
        return replace(self, scale=self.scale * factor, centre=self.centre * factor)

    def put(self, out: Vector, *columns: Vector) -> None:
        """Write their values into a matrix (n, q)."""
        x, z = columns
        A, B = self.first(x), self.second(z)
        products = self.scale * (A[:, :, None] * B[:, None, :]).reshape(x.size, -1)
        np.subtract(products, self.centre, out=out)


@about(cites=("eilers1996", "wood2017"))
@dataclass(frozen=True)
class Splines(ByColumn):
    """φ(x) = the linear part and the curved parts of each column, so that w·φ(x) = Σ_j f_j(x_j).

    f_j is a cubic spline with knots at quantiles of the column. It is written as f_j = Σ_i c_i B_i
    in B-splines, and its roughness is Σ_i (c_{i+1} − 2c_i + c_{i−1})², as in P-splines. The
    features are chosen so that the squared length of their weights is the sum of:

    - the square of the slope of the linear part, in units of the deviation of the column;
    - the roughness of what is left, and the square of the part in which c_i is linear in i, both in
      units in which all curved features of a column together have the variance `curve`².

    So a solver with the ridge λ has the ridge λ on slopes and λ/curve² on curvature. The curved
    features of a column are uncorrelated with each other, and with the linear one, over the
    training rows. Those with less than 10⁻⁴ of the variance are left out, which changes no effect
    that the ridge lets through; about 8 features of a column remain of 20 knots.

    A column with at most as many values as knots has a knot at each value, and its effect is
    straight between them. One with two values has the linear feature only, and one with a single
    value none. A value that has its share of the rows, such as 0, takes one knot; the others lie at
    quantiles of the other rows. The outermost 0.1 % of the rows lie beyond the last knots, unless
    the effect must be convex or concave: it bends up to the last training row. Beyond the last
    knots the effect is constant, as it is in trees. Sparse rows stay sparse: their features are 0
    where the column is.

    An effect that must be increasing has c_i that do not fall, and increments c_{i+1} − c_i ≥ 0 as
    weights (I-splines). They are all that there is of it, and have the variance of a linear part,
    whatever `curve` is. One that must be convex has second divided differences of c as weights.
    Solvers that keep bounds of weights train on them. Both hold between the outermost knots.

    Parameters
    ----------
    knots : int
        Number of knots of a column, at least 3.
    curve : float
        Deviation of the curved features of a column, > 0, in units of that of the linear one. The
        smaller it is, the smoother are the effects at the same λ.
    pairs : int
        Number of pairs of columns with a joint effect, at least 0: those that an additive fit
        misses most, see `aucbench.features.crosses.strongest`. Their features are products of the
        linear and the two smoothest curved functions of both columns, which together have the
        variance `curve`². Columns whose effect must have a shape are in none.
    blocks : tuple of Spline or None, learnt by `fit`
        The functions of each column.
    crosses : tuple of Cross, learnt by `fit`
        Those of each pair.

    Raises
    ------
    ParameterError
        When applied before `fit`, or when a parameter is out of its range.
    DataError
        When no column has two values, or when applied to rows with another number of columns.

    References
    ----------
    Eilers & Marx, "Flexible smoothing with B-splines and penalties", Statistical Science 11, 1996.
    Features without correlation that carry the penalty: Wood, "Generalized additive models", 2nd
    edition, 2017, section 5.4.2.
    """

    knots: int = 20
    curve: float = 1.0
    pairs: int = 0
    blocks: tuple[Spline | None, ...] | None = field(default=None, repr=False, compare=False)
    crosses: tuple[Cross, ...] = field(default=(), repr=False, compare=False)

    name = "splines"
    useless = (
        "splines need a column with two values, and each of the {d} column(s) has one value in all "
        "{n} training rows"
    )

    def __post_init__(self) -> None:
        require_count(3, knots=self.knots)
        require_count(0, pairs=self.pairs)
        require_above(0, curve=self.curve)

    def fit(self, data: Data, rng: np.random.Generator) -> Splines:
        """Return the map with knots and scales from `data`; it reads the shapes of effects too."""
        alone = replace(self, blocks=self.learn_blocks(data), crosses=())
        return alone if not self.pairs else alone.crossed(data, alone.strongest(data, self.pairs))

    def strongest(self, data: Data, count: int) -> list[tuple[int, int]]:
        """Return the pairs of columns that the fitted map without pairs misses most in `data`."""
        if not count:
            return []
        alone = replace(self.bent(1.0), crosses=())
        free = [j for j, block in enumerate(self.learnt()) if block and not block.signs.any()]
        return strongest(alone.mapped(data), free, dict(enumerate(columns_of(data.rows))), count)

    def crossed(self, data: Data, pairs: Sequence[tuple[int, int]]) -> Splines:
        """Return the fitted map with joint effects of these pairs of columns."""
        if not pairs:
            return replace(self, crosses=())
        columns, blocks = [*columns_of(data.rows)], self.bent(1.0).learnt()
        crosses = [
            Cross.of(
                (j, k),
                (blocks[j], blocks[k]),
                (columns[j], columns[k]),
                at_zero=data.rows.is_sparse,
            ).bent(self.curve)
            for j, k in pairs
            if blocks[j] and blocks[k]
        ]
        return replace(self, crosses=tuple(crosses))

    @property
    def width(self) -> int:
        """Number of features, without those of pairs."""
        return sum(block.width for block in self.learnt() if block)

    def bent(self, curve: float) -> Splines:
        """Return the fitted map with curved features of another size; 0 leaves them out."""
        blocks = tuple(block and block.bent(curve / self.curve) for block in self.learnt())
        crosses = tuple(cross.bent(curve / self.curve) for cross in self.crosses if curve)
        return replace(self, curve=curve or self.curve, blocks=blocks, crosses=crosses)

    def mapped(self, data: Data) -> Data:
        """Return the data with the features as float64, whatever its rows are, and their terms."""
        return replace(data.with_rows(self(data.rows)), terms=self.terms())

    def functions(self) -> Functions:
        """Return the columns of each block, and the block; those of pairs come last."""
        return [*super().functions(), *((cross.columns, cross) for cross in self.crosses)]

    def learn_block(self, x: Vector, shape: Shape, data: Data) -> Spline | None:
        """Return the functions of a column; None where it has one value."""
        levels, counts = np.unique(x, return_counts=True)
        if levels.size == 1:
            return None
        low, high = _ends(x, levels, shape)
        few = levels.size <= self.knots
        places = levels if few else knots_at(levels, counts, self.knots)
        inner = _apart(unit(places, low, high))
        degree = 1 if few or inner.size <= 3 else 3
        t = np.r_[[0.0] * degree, inner, [1.0] * degree]
        moments = _Moments.of(t, degree, unit(x, low, high))
        C, signs, straight = _shaped(moments, shape, self.curve)
        C -= moments.mean @ C
        block = Spline(low, high, t, C, degree, signs, straight)
        if data.rows.is_sparse:
            block = replace(block, C=C - block(np.zeros(1)))
        return block


def unit(x: Vector, low: float, high: float) -> Vector:
    """Return (x − low)/(high − low), and 0 or 1 where x is outside; halves cannot overflow."""
    u: Vector = (x / 2 - low / 2) / (high / 2 - low / 2)
    return np.clip(u, 0.0, 1.0, out=u)


def knots_at(levels: Vector, counts: Any, k: int) -> Vector:
    """Return about k of the levels: those with a share of 1/k, quantiles of the others, the ends.

    Parameters
    ----------
    levels : array of shape (m,)
        Ascending values.
    counts : array of shape (m,)
        How many rows have them.
    k : int
        At least 3.
    """
    heavy = counts * k >= counts.sum()
    rest, own = levels[~heavy], np.cumsum(counts[~heavy])
    free = max(k - int(heavy.sum()) - 2, 0)
    middles = (np.arange(free) + 0.5) / max(free, 1) * own[-1] if rest.size else np.empty(0)
    inner = rest[np.minimum(np.searchsorted(own, middles), rest.size - 1)]
    knots: Vector = np.unique(np.concatenate([levels[[0, -1]], levels[heavy], inner]))
    return knots


def _ends(x: Vector, levels: Vector, shape: Shape) -> tuple[float, float]:
    """Return the values between which the effect may bend; a flat end would be no convex one."""
    low, high = np.quantile(x, (TAIL, 1.0 - TAIL), method="nearest")
    few = np.count_nonzero((levels >= low) & (levels <= high)) < 3  # rare values are all there is
    if shape.bend or few:
        low, high = levels[0], levels[-1]
    return float(low), float(high)


def _apart(u: Vector) -> Vector:
    """Return 0, 1 and the knots between them that are apart."""
    inner = np.unique(u)
    inner = inner[(inner > CLOSEST) & (inner < 1.0 - CLOSEST)]
    kept = np.r_[True, np.diff(inner) > CLOSEST] if inner.size else np.empty(0, bool)
    knots: Vector = np.r_[0.0, inner[kept], 1.0]
    return knots


@dataclass(frozen=True)
class _Moments:
    """Moments of the B-splines B_i(u) over rows.

    Attributes
    ----------
    knots : array of shape (m + degree + 1,)
    degree : int
    line : array of shape (m,)
        The coefficients of u.
    mean : array of shape (m,)
        Means of B_i.
    cov : array of shape (m, m)
        Covariances of B_i.
    """

    knots: Vector
    degree: int
    line: Vector
    mean: Vector
    cov: Vector

    @staticmethod
    def of(knots: Vector, degree: int, u: Vector) -> _Moments:
        """Measure them at u (n,) in [0, 1]."""
        m = knots.size - degree - 1
        one = Spline(0.0, 1.0, knots, np.eye(m), degree, np.zeros(m), 0)
        mean, gram = np.zeros(m), np.zeros((m, m))
        for lo in range(0, u.size, PIECE):
            B = one(u[lo : lo + PIECE])
            mean += B.sum(axis=0) / u.size
            gram += B.T @ B / u.size
        cov = gram - np.outer(mean, mean)
        line = np.mean([knots[k : k + m] for k in range(1, degree + 1)], axis=0)
        return _Moments(knots, degree, line, mean, cov)

    def inner(self, A: Vector, C: Vector) -> Vector:
        """Return the covariances of functions with coefficients A (m, a) and C (m, c)."""
        both: Vector = A.T @ self.cov @ C
        return both

    def scaled(self, C: Vector, size: float = 1.0) -> Vector:
        """Return the functions so that the sum of their variances is size²."""
        total = float(np.einsum("ij,ik,kj->", C, self.cov, C))
        return C * (size / np.sqrt(total)) if total > 0.0 else C


def _shaped(moments: _Moments, shape: Shape, curve: float) -> tuple[Vector, Vector, int]:
    """Return coefficients (m, q) of a column's functions, their signs, and how many are linear."""
    m, line = moments.line.size, moments.scaled(moments.line[:, None])
    if m == 2:
        return line, np.full(1, float(shape.slope)), 1
    if shape.bend:
        bent = moments.scaled(_bent(moments, shape), curve)
        return np.c_[line, bent], np.r_[float(shape.slope), [float(shape.bend)] * bent.shape[1]], 1
    if shape.slope:
        steps = np.tri(m, k=-1)[:, :-1]  # c_i is the sum of the increments before i
        return moments.scaled(steps), np.full(m - 1, float(shape.slope)), 0
    curved = _uncorrelated(moments, curve)
    return np.c_[line, curved], np.zeros(1 + curved.shape[1]), 1


def _bent(moments: _Moments, shape: Shape) -> Vector:
    """Return c (m, m − 2) of functions whose slope grows at one place.

    An effect that rises ever slower, or falls ever slower, is measured from its right end, so that
    the bound of its linear part is that of its least steep slope.
    """
    m, p = moments.line.size, moments.degree
    spans = (moments.knots[p + 1 : p + m] - moments.knots[1:m]) / p  # of c_{i+1} − c_i
    grown = np.tri(m - 1, k=-1)[:, :-1]
    if shape.slope * shape.bend < 0:
        grown = grown - 1.0
    return np.vstack([np.zeros(m - 2), np.cumsum(spans[:, None] * grown, axis=0)])


def _uncorrelated(moments: _Moments, curve: float) -> Vector:
    """Return c (m, q) of curved functions on which a ridge is the roughness."""
    m, line = moments.line.size, moments.line[:, None]
    bends = np.linalg.pinv(np.diff(np.eye(m), 2, axis=0))
    place = np.linspace(-0.5, 0.5, m)[:, None]  # c_i that is linear in i
    C = np.c_[place * np.sqrt(np.square(bends).sum()), bends]
    C -= line @ (moments.inner(line, C) / moments.inner(line, line))
    values, vectors = np.linalg.eigh(moments.inner(C, C))
    total = float(np.maximum(values, 0.0).sum())
    kept = np.flatnonzero(values > FLAT * total)[::-1]
    return moments.scaled(C @ vectors[:, kept], curve)
