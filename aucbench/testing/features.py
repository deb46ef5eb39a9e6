"""Laws of feature maps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from aucbench.data import Data, Terms
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import UnsupportedError
from aucbench.protocols import input_weights
from aucbench.testing.laws import Laws, not_asked, require, require_frozen
from aucbench.testing.samples import (
    csr,
    extent,
    features,
    labels,
    locked,
    require_close,
    rounded,
    sample,
    single,
    under_two_states,
)
from aucbench.testing.traces import add_nothing_left

laws = Laws("features")


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


add_nothing_left(laws, lambda phi: numbers(fitted(phi, sample()), sample().rows))


@laws("exact")
def declared(phi: Any) -> None:
    """A feature map is a frozen dataclass; `exempt` counts trailing columns of the result."""
    require_frozen(phi)
    values = numbers(fitted(phi, sample()), sample().rows)
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


@laws("1e-10 of each number")
def layouts(phi: Any) -> None:
    """Dense rows, CSR rows and rows in Fortran order give the same features."""
    wanted = numbers(fitted(phi, sample()), sample().rows)
    for name, layout in (("CSR rows", csr), ("rows in Fortran order", np.asfortranarray)):
        values = numbers(fitted(phi, sample(layout)), sample(layout).rows)
        require_close(f"features of {name}", values, wanted, rtol=1e-10, atol=1e-10)


@laws("1e-12 of each number")
def float32(phi: Any) -> None:
    """Rows that are stored as float32 give the features of the same numbers as float64.

    A user stores them so to halve their memory. `values` and `matrix` of `Rows` are float64.
    """
    for X in (features(), csr(features())):
        wanted, data = locked(rounded(X), labels()), locked(single(X), labels())
        try:
            values = numbers(fitted(phi, data), data.rows)
        except UnsupportedError as refusal:
            not_asked(f"it refuses them: {refusal}")
        same = numbers(fitted(phi, wanted), wanted.rows)
        require_close("features of float32 rows", values, same, rtol=1e-12, atol=1e-12)


@laws("exact")
def same_seed(phi: Any) -> None:
    """The same seed gives the same map, whatever the global generator is set to."""
    values = under_two_states(lambda: numbers(fitted(phi, sample()), sample().rows))
    require_close("two fits of one seed", *values)


@laws("exact")
def shared(phi: Any) -> None:
    """`shared = True` is true: the map does not use labels.

    Tuning then fits it once, with rows whose labels it must not know.
    """
    if not getattr(phi, "shared", False):
        not_asked("it does not declare shared = True")
    one = fitted(phi, sample())
    other = fitted(phi, locked(features(), -labels()))
    rows = sample().rows
    require_close("features after a fit to other labels", numbers(other, rows), numbers(one, rows))


@laws("1e-9 of each number")
def affine(phi: Any) -> None:
    """`input_weights(w)` returns (v, c) with w · phi(x) = v · x + c."""
    map_ = fitted(phi, sample())
    mapped = numbers(map_, sample().rows)
    w = np.linspace(-1.0, 2.0, mapped.shape[1])
    linear = input_weights(map_, w)
    if linear is None:
        not_asked("it has no method input_weights, or no such form")
    v, c = linear
    require_close("v · x + c", features() @ v + c, mapped @ w, rtol=1e-9, atol=1e-9)


@laws("exact")
def terms(phi: Any) -> None:
    """`terms()` says which columns each feature needs: it does not change with another one.

    The features of a term are neighbours, and bounds are 0 or infinite.
    """
    method = getattr(map_ := fitted(phi, sample()), "terms", None)
    known = None if method is None else method()
    if known is None:
        not_asked("it has no method terms, or does not know them")
    mapped = numbers(map_, sample().rows)
    own = mapped.shape[1] - phi.exempt
    require(
        known.owner.size == known.curved.size == own and bool(np.all(np.diff(known.owner) >= 0)),
        f"its terms have {known.owner.size} features, and it has {own}; name the term of each, in "
        "the order of the terms",
    )
    for j in range(extent().d):
        _require_own_columns(map_, known, mapped, j)
    for low, high in [] if known.low is None else zip(known.low, known.high, strict=True):
        require(
            low in (0.0, -np.inf) and high in (0.0, np.inf),
            f"a weight has the bounds {low} and {high}; each is 0 or infinite",
        )


def _require_own_columns(map_: Any, known: Terms, mapped: Vector, j: int) -> None:
    """Raise `LawBroken` where a feature changes with column j that is none of its term."""
    X = features()
    X[:, j] = np.roll(X[:, j], 1)
    moved = np.any(numbers(map_, locked(X, labels()).rows) != mapped, axis=0)
    for k in np.flatnonzero(moved[: known.owner.size]):
        columns = known.columns[known.owner[k]]
        require(j in columns, f"feature {k} has changed with column {j}, and is of {columns}")


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
    """Rows in units 1e8 times smaller or larger do no harm."""
    for scale in (1e-8, 1e8):
        data = locked(features() * scale, labels())
        numbers(fitted(phi, data), data.rows)


@laws("no number of five marked rows")
def keeps_rows(phi: Any) -> None:
    """A map that holds training rows says so by `keeps_rows = True`.

    A model that is sent away takes its rows along.
    """
    marked = np.random.default_rng(1).uniform(0.5, 0.7, size=(5, features().shape[1]))
    X = features()
    X[10:15] = marked
    text = pickle.dumps(fitted(phi, locked(X, labels())), protocol=5)
    held = sum(number.tobytes() in text for number in marked.ravel())
    said = getattr(phi, "keeps_rows", False)
    require(held == 0 or said, f"it holds {held} numbers of 5 rows; declare keeps_rows = True")


@laws("exact")
def pickles(phi: Any) -> None:
    """A fitted map survives a pickle: models are stored with it."""
    map_ = fitted(phi, sample())
    again = pickle.loads(pickle.dumps(map_))
    rows = sample().rows
    require_close("features after a pickle", numbers(again, rows), numbers(map_, rows))
