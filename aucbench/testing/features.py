"""Laws of feature maps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.testing.common import add_layouts, add_pickles, add_same_seed
from aucbench.testing.laws import Laws, not_asked, require, require_frozen
from aucbench.testing.samples import (
    extent,
    features,
    labels,
    locked,
    require_close,
    sample,
)
from aucbench.testing.traces import add_nothing_left

laws = Laws("features")
FEW = 5  # numbers of float32 that a map may hold by chance


def fitted(phi: Any, data: Data, seed: int = 0) -> Any:
    """The map, fitted to these rows."""
    return phi.fit(data, np.random.default_rng(seed))


def numbers(phi: Any, rows: Rows) -> Vector:
    """phi(rows) as a dense matrix of finite numbers, with as many rows as came."""
    mapped = phi(rows)
    kind = type(mapped).__name__
    require(isinstance(mapped, Rows), f"it returned {kind}, wanted Rows: aucbench.data.arrays.rows")
    require(mapped.n == rows.n, f"it returned {mapped.n} rows for {rows.n}")
    dense: Vector = mapped.dense().matrix
    require(np.isfinite(dense).all(), "a feature is not finite")
    return dense


def of_data(phi: Any, data: Data) -> Vector:
    """The features of these rows, by a map that is fitted to them."""
    return numbers(fitted(phi, data), data.rows)


def require_same(what: str, one: Vector, other: Vector, tolerance: float = 0.0) -> None:
    """Raise `LawBroken` unless two matrices of features agree."""
    require_close(f"features of {what}", one, other, rtol=tolerance, atol=tolerance)


add_nothing_left(laws, lambda phi: of_data(phi, sample()))


@laws("exact")
def declared(phi: Any) -> None:
    """A feature map is a frozen dataclass; `exempt` counts trailing columns of the result."""
    require_frozen(phi)
    values = of_data(phi, sample())
    whole = isinstance(phi.exempt, int) and not isinstance(phi.exempt, bool)
    require(whole and 0 <= phi.exempt <= values.shape[1], f"exempt is {phi.exempt!r}")
    constant = values[:, values.shape[1] - phi.exempt :]
    require((np.ptp(constant, axis=0) == 0).all(), f"the last {phi.exempt} columns are exempt as "
            "an intercept, and they differ from row to row")  # fmt: skip


@laws("exact")
def fit_returns_another(phi: Any) -> None:
    """`fit` returns a new map: a map that was fitted before gives what it gave.

    Tuning fits one map anew for each inner fold.
    """
    one = fitted(phi, sample())
    before = numbers(one, sample().rows)
    half = np.arange(0, extent().n, 2)
    fitted(phi, locked(3.0 * features()[half], labels()[half]))
    fitted(one, locked(3.0 * features()[half], labels()[half]))
    require_close("a map after another fit", numbers(one, sample().rows), before)


@laws("1e-12 of each number")
def row_by_row(phi: Any) -> None:
    """A row is mapped in the same way alone, with others, and in another order.

    Scores of test rows must not depend on which other test rows there are.
    """
    map_ = fitted(phi, sample())
    whole = numbers(map_, sample().rows)
    for some in (np.array([4]), np.arange(10, 40), np.arange(extent().n)[::-1]):
        part = numbers(map_, sample(rows=np.arange(extent().n)).rows.take(some.astype(np.int32)))
        require_close("rows mapped apart", part, whole[some], rtol=1e-12, atol=1e-12)


@laws("1e-6 of the largest product")
def order_of_rows(phi: Any) -> None:
    """A map that draws nothing learns the same from rows in another order: φ(x)·φ(x′) are equal."""
    if phi.keeps_rows:
        not_asked("it holds some of the rows")
    wanted = numbers(fitted(phi, sample()), rows := sample().rows)
    if not np.array_equal(numbers(fitted(phi, sample(), seed=1), rows), wanted):
        not_asked("it draws random numbers")
    order = np.random.default_rng(4).permutation(extent().n)
    values = numbers(fitted(phi, sample(rows=order)), rows)[:200]
    products, others = wanted[:200] @ wanted[:200].T, values @ values.T
    atol = 1e-6 * float(np.abs(products).max())
    require_close("products of features, fitted to shuffled rows", others, products, atol=atol)


@laws("exact")
def shared(phi: Any) -> None:
    """`shared = True` is true: the map uses neither labels nor rows.

    Tuning then fits it once for a split, with rows that it must not know.
    """
    if not phi.shared:
        not_asked("it does not declare shared = True")
    wanted, rows = of_data(phi, sample()), sample().rows
    for what, data in (
        ("other labels", locked(features(), -labels())),
        ("other rows", locked(2.0 * features()[::-1] + 1.0, labels())),
    ):
        values = numbers(fitted(phi, data), rows)
        require_close(f"features after a fit to {what}", values, wanted)


@laws("1e-9 of each number")
def keeps_columns(phi: Any) -> None:
    """`keeps_columns = True` is true: columns in another order are features in this other order."""
    if not phi.keeps_columns:
        not_asked("it does not declare keeps_columns = True")
    mapped = of_data(phi, sample())
    d = mapped.shape[1] - phi.exempt
    require(d == extent().d, f"it makes {d} features of {extent().d} columns")
    order = np.random.default_rng(6).permutation(d)
    moved = sample(lambda M: np.ascontiguousarray(M[:, order]))
    values = numbers(fitted(phi, moved), moved.rows)[:, :d]
    require_close("features of moved columns", values, mapped[:, order], rtol=1e-9, atol=1e-9)


def some_columns() -> Vector:
    """At most 24 columns, the first and the last among them."""
    return np.unique(np.linspace(0, extent().d - 1, 24).astype(int))


def _changes_with(map_: Any, mapped: Vector, j: int) -> Any:
    """Which features change when the numbers of column j move down by one row."""
    X = features()
    X[:, j] = np.roll(X[:, j], 1)
    return np.any(numbers(map_, locked(X, labels()).rows) != mapped, axis=0)


@laws("1e-9 of each number")
def affine(phi: Any) -> None:
    """`input_weights(w)` returns (v, c) with w · phi(x) = v · x + c."""
    map_ = fitted(phi, sample())
    mapped = numbers(map_, sample().rows)
    w = np.linspace(-1.0, 2.0, mapped.shape[1])
    linear = map_.input_weights(w)
    if linear is None:
        not_asked("it has no such form")
    v, c = linear
    require_close("v · x + c", features() @ v + c, mapped @ w, rtol=1e-9, atol=1e-9)


@laws("exact")
def terms(phi: Any) -> None:
    """`terms()` says which columns each feature needs: it does not change with another one.

    The features of a term are neighbours, and bounds are 0 or infinite.
    """
    if (known := (map_ := fitted(phi, sample())).terms()) is None:
        not_asked("it does not know them")
    mapped = numbers(map_, sample().rows)
    own = mapped.shape[1] - phi.exempt
    require(
        known.owner.size == known.curved.size == own and bool(np.all(np.diff(known.owner) >= 0)),
        f"its terms have {known.owner.size} features, and it has {own}; name the term of each, in "
        "the order of the terms",
    )
    for j in some_columns():
        for k in np.flatnonzero(_changes_with(map_, mapped, j)[:own]):
            columns = known.columns[known.owner[k]]
            require(j in columns, f"feature {k} has changed with column {j}, and is of {columns}")
    for low, high in [] if known.low is None else zip(known.low, known.high, strict=True):
        require(
            low in (0.0, -np.inf) and high in (0.0, np.inf),
            f"a weight has the bounds {low} and {high}; each is 0 or infinite",
        )


@laws("exact")
def rows_are_left_alone(phi: Any) -> None:
    """The rows are as before after `fit` and after the map. Their arrays are read-only views."""
    data = Data.of(features(), labels())
    map_ = fitted(phi, data)
    numbers(map_, data.rows)
    require(np.array_equal(data.rows.matrix, features()), "the map has changed the rows")


@laws("features are finite")
def odd_rows(phi: Any) -> None:
    """A constant column, a column of zeros, a row of zeros and a single column do no harm."""
    X = features()
    X[:, 3], X[:, 5], X[7] = 1.0, 0.0, 0.0
    for rows in (X, X[:, :1].copy()):
        data = locked(rows, labels())
        numbers(fitted(phi, data), data.rows)


@laws("features are finite")
def scales(phi: Any) -> None:
    """Rows in units 1e8 times smaller or larger do no harm, nor do rows far from the others."""
    for scale in (1e-8, 1e8):
        data = locked(features() * scale, labels())
        map_ = fitted(phi, data)
        for far in (1.0, -1e3):
            numbers(map_, locked(far * features() * scale, labels()).rows)


@laws("no number of five marked rows")
def keeps_rows(phi: Any) -> None:
    """A map that holds training rows says so by `keeps_rows = True`.

    A model that is sent away takes its rows along.
    """
    marked = np.random.default_rng(1).uniform(0.5, 0.7, size=(5, features().shape[1]))
    X = features()
    X[10:15] = marked
    text = pickle.dumps(fitted(phi, locked(X, labels())), protocol=5)
    some = marked[:, some_columns()].ravel()
    held = sum(number.tobytes() in text for number in some)
    rounded_ = sum(number.tobytes() in text for number in some.astype(np.float32))
    held = max(held, rounded_ if rounded_ > FEW else 0)
    require(
        held == 0 or phi.keeps_rows, f"it holds {held} numbers of 5 rows; declare keeps_rows = True"
    )


add_layouts(laws, of_data, require_same, 1e-10, 1e-12)
add_same_seed(laws, of_data, require_same)
add_pickles(
    laws,
    lambda phi: fitted(phi, sample()),
    lambda map_: numbers(map_, sample().rows),
    require_same,
)
