"""Laws of objectives. What is checked is a class or function that makes one from `Data`."""

from __future__ import annotations

import pickle
from math import isfinite
from typing import Any

import numpy as np

from aucbench.data import ALL, Data
from aucbench.data.arrays import Vector
from aucbench.errors import UnsupportedError, float_of, short
from aucbench.protocols import Smooth
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
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
    weights,
)
from aucbench.testing.traces import add_nothing_left

laws = Laws("objectives")
STEP = 1e-6  # of a difference quotient


def reading(f: Any, w: Vector) -> float:
    """f(w), which must be one finite number."""
    number = float_of(value := f.value(w))
    if number is None or not isfinite(number):
        raise LawBroken(f"value returned {short(value)}, wanted a finite float")
    return number


def slope(f: Any, w: Vector, rows: Any = ALL) -> Vector:
    """The gradient of a block, which must be d finite numbers."""
    g: Vector = f.grad(w, rows)
    kind = f"{g.dtype} of shape {g.shape}" if isinstance(g, np.ndarray) else type(g).__name__
    fits = isinstance(g, np.ndarray) and g.dtype == np.float64 and g.shape == w.shape
    require(fits, f"grad returned {kind}, wanted a float64 array of shape {w.shape}")
    require(np.isfinite(g).all(), "grad is not finite")
    return g


def _use(factory: Any) -> None:
    f = factory(sample())
    for w in weights(2, extent().d):
        reading(f, w)
        slope(f, w)


add_nothing_left(laws, _use)


@laws("exact")
def declared(factory: Any) -> None:
    """An objective is made from `Data`, keeps it as `data`, and has `value` and `grad`."""
    data = sample()
    f = factory(data)
    require(f.data is data, "data is not the Data that it was made from")
    for w in weights(3, extent().d):
        reading(f, w)
        slope(f, w)


@laws("between the difference quotients of both sides; 1e-5 of their size")
def gradient(factory: Any) -> None:
    """grad is the slope of value: it lies between the difference quotients of both sides.

    At a kink a subgradient is meant, which lies there too. A wrong sign or factor sends every
    method the wrong way, and it may still descend for a while.
    """
    f = factory(sample())
    rng = np.random.default_rng(8)
    for w in weights(8, extent().d):
        w *= 0.3
        direction = rng.normal(size=extent().d)
        here, h = reading(f, w), STEP
        right = (reading(f, w + h * direction) - here) / h
        left = (here - reading(f, w - h * direction)) / h
        claimed = float(slope(f, w) @ direction)
        slack = 1e-5 * max(1.0, abs(left), abs(right))
        require(
            min(left, right) - slack <= claimed <= max(left, right) + slack,
            f"the slope of value is {left:.6g} to {right:.6g} along a direction, and grad gives "
            f"{claimed:.6g}",
        )


@laws("1e-9 of the largest number")
def blocks(factory: Any) -> None:
    """The gradients of blocks, weighted by their rows, add up to the gradient of all rows.

    Methods that read blocks rely on it: a block then is an unbiased estimate of the whole.
    """
    f = factory(sample())
    for w in weights(3, extent().d):
        w *= 0.3
        whole = slope(f, w)
        for m in (2, 5):
            parts = f.data.blocks(m, np.random.default_rng(m))
            try:
                mean = sum(part.size / extent().n * slope(f, w, part) for part in parts)
            except UnsupportedError as refusal:
                not_asked(f"it refuses blocks: {refusal}")
            size = float(np.abs(whole).max())
            require_close(f"the mean of {m} blocks", mean, whole, rtol=1e-9, atol=1e-9 * (1 + size))


@laws("1e-5 of its size")
def curvature(factory: Any) -> None:
    """v · curvature(v) is at least the second derivative of f along v, at every w.

    Steps of the length 1/L are made from it, and diverge where it is too small.
    """
    f = factory(sample())
    if not isinstance(f, Smooth):
        not_asked("it has no curvature")
    for w, v in zip(weights(6, extent().d, 1), weights(6, extent().d, 2), strict=True):
        bound = float(v @ f.curvature(v))
        for at in (0.0 * w, 0.3 * w, w):
            change = slope(f, at + 1e-5 * v) - slope(f, at - 1e-5 * v)
            true = float(v @ change) / 2e-5
            require(
                bound >= true - 1e-5 * max(1.0, abs(true)),
                f"v · curvature(v) is {bound:.6g}, and the second derivative is {true:.6g}",
            )


@laws("exact")
def fresh_gradient(factory: Any) -> None:
    """grad returns a fresh array, and leaves w and the rows alone.

    Methods change the gradient in place.
    """
    f = factory(Data.of(features(), labels()))
    w = next(iter(weights(1, extent().d)))
    kept = w.copy()
    first = slope(f, w)
    before = first.copy()
    first += 7.0
    reading(f, w)
    require(np.array_equal(w, kept), "w was changed")
    again = slope(f, w)
    require(np.array_equal(again, before), "the gradient is other numbers after the first array "
            "was changed; return a fresh array")  # fmt: skip
    require(np.array_equal(f.data.rows.matrix, features()), "the rows were changed")


@laws("1e-12 of its size")
def no_memory(factory: Any) -> None:
    """value and grad depend on w alone, and not on what was asked before."""
    f, w = factory(sample()), next(iter(weights(1, extent().d)))
    value, grad = reading(f, w), slope(f, w)
    for other in weights(3, extent().d, 9):
        reading(f, other)
        slope(f, other)
    require_close("value, asked again", reading(f, w), value, rtol=1e-12, atol=1e-12)
    require_close("grad, asked again", slope(f, w), grad, rtol=1e-9, atol=1e-12)


@laws("1e-10 of the largest number")
def layouts(factory: Any) -> None:
    """Dense rows, CSR rows and rows in Fortran order give the same numbers."""
    w = next(iter(weights(1, extent().d)))
    wanted = factory(sample())
    for name, layout in (("CSR rows", csr), ("rows in Fortran order", np.asfortranarray)):
        f = factory(sample(layout))
        _require_equal(name, f, wanted, w)


def _require_equal(what: str, f: Any, wanted: Any, w: Vector) -> None:
    require_close(f"value of {what}", reading(f, w), reading(wanted, w), rtol=1e-10, atol=1e-12)
    g = slope(wanted, w)
    atol = 1e-10 * (1.0 + float(np.abs(g).max()))
    require_close(f"grad of {what}", slope(f, w), g, rtol=1e-10, atol=atol)


@laws("1e-10 of the largest number")
def float32(factory: Any) -> None:
    """Rows that are stored as float32 give what the same numbers give as float64.

    A user stores them so to halve their memory. They are rounded once; all is computed in float64.
    An objective that cannot read them refuses them by an `UnsupportedError`.
    """
    w = next(iter(weights(1, extent().d)))
    for X in (features(), csr(features())):
        wanted = factory(locked(rounded(X), labels()))
        try:
            _require_equal("float32 rows", factory(locked(single(X), labels())), wanted, w)
        except UnsupportedError as refusal:
            not_asked(f"it refuses them: {refusal}")


@laws("1e-10 of the largest number")
def order_of_rows(factory: Any) -> None:
    """The order of the rows does not matter."""
    order = np.random.default_rng(4).permutation(extent().n)
    w = next(iter(weights(1, extent().d)))
    _require_equal("shuffled rows", factory(sample(rows=order)), factory(sample()), w)


@laws("1e-10 of the largest number")
def duplicated_rows(factory: Any) -> None:
    """Each row twice gives the same numbers: f is a mean over rows, or over pairs of them."""
    twice = np.repeat(np.arange(extent().n), 2)
    w = next(iter(weights(1, extent().d)))
    _require_equal("duplicated rows", factory(sample(rows=twice)), factory(sample()), w)


@laws("1e-9 of the largest number")
def weights_of_rows(factory: Any) -> None:
    """A row of weight 2 counts like two rows, or weights are refused by `require_no_weights`."""
    v = np.where(np.arange(extent().n) % 3 == 0, 2.0, 1.0)
    try:
        heavy = factory(locked(features(), labels(), weights=v))
    except UnsupportedError as refusal:
        not_asked(f"it refuses weights: {refusal}")
    twice = factory(sample(rows=np.repeat(np.arange(extent().n), v.astype(int))))
    w = 0.3 * next(iter(weights(1, extent().d)))
    try:
        _require_equal("weights of rows", heavy, twice, w)
    except LawBroken as broken:
        raise LawBroken(f"{broken}; call data.require_no_weights in __init__") from broken


@laws("finite")
def odd_rows(factory: Any) -> None:
    """One positive, ties, a constant column and w = 0 give finite numbers."""
    X, y = features(), labels()
    some = np.r_[np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)]
    flat = np.sign(X)
    flat[:, 2] = 1.0
    for data in (locked(X[some], y[some]), locked(flat, y), locked(X[:, :1].copy(), -y)):
        f = factory(data)
        for w in (np.zeros(data.d), np.ones(data.d)):
            reading(f, w)
            slope(f, w)


@laws("finite")
def scales(factory: Any) -> None:
    """Rows in units 1e8 times smaller or larger give finite numbers, at weights that fit."""
    for scale in (1e-8, 1e8):
        f = factory(locked(features() * scale, labels()))
        for w in (np.zeros(extent().d), np.full(extent().d, 1.0 / scale)):
            reading(f, w)
            slope(f, w)


@laws("exact")
def pickles(factory: Any) -> None:
    """An objective survives a pickle."""
    f, w = factory(sample()), next(iter(weights(1, extent().d)))
    again = pickle.loads(pickle.dumps(f))
    require_close("value after a pickle", again.value(w), f.value(w), rtol=1e-12)
