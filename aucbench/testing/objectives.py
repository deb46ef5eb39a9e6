"""Laws of objectives. What is checked is a class or function that makes one from `Data`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from aucbench.contract import Cut
from aucbench.data import ALL, Data
from aucbench.data.arrays import Vector
from aucbench.data.tally import counting
from aucbench.errors import UnsupportedError, float_of, short
from aucbench.pairs import Group
from aucbench.testing.common import add_layouts, add_pickles
from aucbench.testing.laws import LawBroken, Laws, not_asked, require
from aucbench.testing.samples import (
    extent,
    features,
    labels,
    locked,
    require_close,
    sample,
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


def point() -> Vector:
    """Weights of the length d."""
    w: Vector = 0.3 * next(iter(weights(1, extent().d)))
    return w


def answer(f: Any, *points: Vector) -> list[tuple[float, Vector]]:
    """The value and the gradient at some points, finite numbers."""
    return [(reading(f, w), slope(f, w)) for w in points]


def require_same(what: str, one: Any, other: Any, tolerance: float = 1e-10) -> None:
    """Raise `LawBroken` unless two answers agree."""
    for (value, g), (wanted, wanted_g) in zip(one, other, strict=True):
        require_close(f"value of {what}", value, wanted, rtol=tolerance, atol=1e-12)
        atol = max(tolerance, 1e-12) * (1.0 + float(np.abs(wanted_g).max()))
        require_close(f"grad of {what}", g, wanted_g, rtol=tolerance, atol=atol)


def of_data(factory: Any, data: Data) -> list[tuple[float, Vector]]:
    """The answer of an objective of these rows at one point."""
    return answer(factory(data), point())


add_nothing_left(laws, lambda factory: answer(factory(sample()), *weights(2, extent().d)))


@laws("exact")
def declared(factory: Any) -> None:
    """An objective is made from `Data`, keeps it as `data`, and has `value` and `grad`."""
    data = sample()
    f = factory(data)
    require(f.data is data, "data is not the Data that it was made from")
    answer(f, *weights(3, extent().d))


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
    """The gradient of a block is the mean over its rows; one that is in it twice counts twice.

    A slice, with a step too, is the block of its rows. Methods that read blocks rely on it: a
    block then is an unbiased estimate of the whole.
    """
    f, rng = factory(sample()), np.random.default_rng(2)
    some = rng.integers(0, extent().n, 7).astype(np.int32)
    for w in weights(3, extent().d):
        w *= 0.3
        twice, steps = np.append(some, some[:1]), np.arange(3, extent().n, 4, dtype=np.int32)
        for name, whole, parts in (
            ("2 blocks", ALL, f.data.blocks(2, rng)),
            ("5 blocks", ALL, f.data.blocks(5, rng)),
            ("rows, of which one came twice,", twice, np.split(twice, twice.size)),
            ("the rows of a slice", slice(3, None, 4), np.split(steps[::-1], [5])),
        ):
            wanted, n = _of_block(f, w, whole), sum(part.size for part in parts)
            mean = sum(part.size / n * _of_block(f, w, part) for part in parts)
            atol = 1e-9 * (1.0 + float(np.abs(wanted).max()))
            require_close(f"the mean of {name}", mean, wanted, rtol=1e-9, atol=atol)


def _of_block(f: Any, w: Vector, rows: Any) -> Vector:
    """The gradient of a block; the law is not asked where it is refused."""
    try:
        return slope(f, w, rows)
    except UnsupportedError as refusal:
        not_asked(f"it refuses blocks: {refusal}")


@laws("1e-5 of its size; 1e-9 for a matrix")
def curvature(factory: Any) -> None:
    """v · curvature(v) is at least the second derivative of f along v, at every w.

    Steps of the length 1/L are made from it, and diverge where it is too small. It is the product
    with a symmetric matrix; that of a block is asked for where the gradients of blocks add up.
    """
    f = factory(sample())
    if (first := curved(f, np.ones(extent().d))) is None:
        not_asked("it has no curvature")
    blocks = _blocks_that_add_up(f)
    for w, v in zip(weights(6, extent().d, 1), weights(6, extent().d, 2), strict=True):
        came = f.curvature(v)
        size = float(np.linalg.norm(came) * np.linalg.norm(v))
        require_close("u · curvature(v)", came.sum(), v @ first, atol=1e-9 * size)
        require_close("curvature(-2v)", f.curvature(-2.0 * v), -2.0 * came, atol=1e-9 * size)
        for rows in (ALL, *blocks):
            bound = float(v @ f.curvature(v, rows))
            for at in (0.0 * w, 0.3 * w, w):
                change = slope(f, at + 1e-5 * v, rows) - slope(f, at - 1e-5 * v, rows)
                true = float(v @ change) / 2e-5
                require(
                    bound >= true - 1e-5 * max(1.0, abs(true)),
                    f"v · curvature(v) is {bound:.6g}, and the second derivative is {true:.6g}",
                )


def _blocks_that_add_up(f: Any) -> list[Any]:
    """Two blocks, if their gradients add up to that of all rows; else none."""
    w = point()
    parts = f.data.blocks(2, np.random.default_rng(2))
    try:
        mean = sum(part.size / extent().n * slope(f, w, part) for part in parts)
    except UnsupportedError:
        return []
    whole = slope(f, w)
    return parts if np.allclose(mean, whole, rtol=1e-9, atol=1e-9) else []


def curved(f: Any, v: Vector) -> Vector | None:
    """curvature(v) over all rows, d finite numbers; None where it is refused."""
    try:
        Hv: Vector = f.curvature(v)
    except UnsupportedError:
        return None
    fits = isinstance(Hv, np.ndarray) and Hv.shape == v.shape and bool(np.isfinite(Hv).all())
    require(fits, f"curvature returned {short(Hv)}, wanted {v.size} finite numbers")
    return Hv


@laws("the bounds of `rounding`, else 1e-9 of the size")
def cut(factory: Any) -> None:
    """`cut(w)` lies below f everywhere, and meets it at w, but for its slack and rounding.

    Cutting planes and certified gaps are made of cuts.
    """
    f = factory(sample())
    if f.cut(np.zeros(extent().d)) is None:
        not_asked("it has no cut")
    for w in _points():
        cut_w = f.cut(w)
        require(isinstance(cut_w, Cut) and cut_w.slack >= 0.0, f"cut returned {short(cut_w)}")
        (e, eta), value = _rounding(f, w), reading(f, w)
        meets = cut_w.intercept + float(cut_w.slope @ w) + cut_w.slack
        require(
            value - e <= cut_w.value <= meets + e,
            f"the value of a cut is {cut_w.value:.9g}, f is {value:.9g}, and the cut with its "
            f"slack is {meets:.9g} there",
        )
        if cut_w.scores is not None:
            require_close("the scores of a cut", cut_w.scores, f.data.scores(w), atol=1e-9)
        step = 1e-3 * cut_w.slope / (1e-300 + np.linalg.norm(cut_w.slope))
        for u in (*_points(), w + step, w - step, 30.0 * w):
            allowed = e + eta * float(np.linalg.norm(u - w)) + _rounding(f, u)[0]
            _require_below(f, u, cut_w.intercept, cut_w.slope, allowed)


def _points() -> Iterable[Vector]:
    return (np.zeros(extent().d), *(0.3 * w for w in weights(5, extent().d, 4)))


def _rounding(f: Any, w: Vector) -> tuple[float, float]:
    """(e, η) at w; small numbers where f knows none."""
    e, eta = f.rounding(w)
    return (e, eta) if isfinite(e) else (1e-9 * (1.0 + abs(reading(f, w))), 1e-9)


def _require_below(f: Any, u: Vector, b: float, g: Vector, allowed: float) -> None:
    """Raise `LawBroken` unless f(u) ≥ b + g · u, but for what is allowed."""
    value, bound = reading(f, u), b + float(g @ u)
    own = 1e-14 * (1.0 + abs(b) + float(np.abs(g) @ np.abs(u)))
    require(value >= bound - allowed - own, f"a cut is {bound:.9g} where f is {value:.9g}: it is "
            "to lie below f")  # fmt: skip


@laws("exact")
def rounding(factory: Any) -> None:
    """`rounding(w)` bounds the errors of f and of its tangents, on rows with an offset too.

    f of the same rows in another order differs by rounding errors only.
    """
    y, order = labels(), np.random.default_rng(4).permutation(extent().n)
    for offset in (0.0, 1e6):
        X = features() + offset
        f, other = factory(locked(X, y)), factory(locked(X[order], y[order]))
        if not isfinite(f.rounding(np.zeros(extent().d))[0]):
            not_asked("it knows no bound of its rounding errors")
        for w in _points():
            (e, eta), value = f.rounding(w), reading(f, w)
            apart, most = abs(reading(other, w) - value), e + other.rounding(w)[0]
            require(apart <= most, f"f of the same rows in another order differs by {apart:.3g}, "
                    f"and rounding says {most:.3g}")  # fmt: skip
            g = slope(f, w)
            for u in _points():
                allowed = e + eta * float(np.linalg.norm(u - w)) + f.rounding(u)[0]
                _require_below(f, u, value - float(g @ w), g, allowed)


@laws("exact")
def counts_rows(factory: Any) -> None:
    """value, grad, curvature and cut count the rows that they read, which are the passes of a fit.

    Products of `Data` and `Rows` count themselves; what reads raw arrays calls `count_rows`.
    """
    n, w = extent().n, point()
    block = np.arange(0, n, 3, dtype=np.int32)
    asks: Mapping[str, tuple[int, Callable[[Any], Any]]] = {
        "value": (n, lambda f: f.value(w)),
        "grad": (n, lambda f: f.grad(w)),
        "grad of a block": (block.size, lambda f: f.grad(w, block)),
        "curvature": (n, lambda f: f.curvature(w)),
        "cut": (n, lambda f: f.cut(w)),
    }
    for name, (rows, ask) in asks.items():
        X = features()
        try:
            with counting() as first:
                before = ask(f := factory(Data.of(X, labels())))
            X *= 1.5  # what f reads now, and did not keep
            with counting() as second:
                after = ask(f)
        except UnsupportedError:
            continue
        if before is None:  # it has no cut
            continue
        reads = not _same(before, after)
        for counted, asked in ((first, True), (second, reads)):
            require(
                not asked or counted.rows >= rows,
                f"{name} has counted {counted.rows} of {rows} rows; call count_rows(n) where you "
                "read raw arrays",
            )


def _same(one: Any, other: Any) -> bool:
    values = [x.value if isinstance(x, Cut) else x for x in (one, other)]
    return bool(np.array_equal(values[0], values[1]))


@laws("1e-10 of the largest number")
def over_pairs(factory: Any) -> None:
    """`over_pairs` says whether the pairs of `data.pairs` count: with them, others count nothing.

    A solver whose objective has them is asked for pairs inside groups, and others are refused.
    """
    half = np.arange(extent().n) < extent().n // 2
    alone = np.where(half, 0, np.arange(extent().n))  # one group, and single rows
    said = factory(sample()).over_pairs
    require(isinstance(said, bool), f"over_pairs is {said!r}, wanted True or False")
    try:
        f = factory(locked(features(), labels(), groups=alone, pairs=Group()))
    except UnsupportedError as refusal:
        not_asked(f"it refuses the pairs of groups: {refusal}")
    rows, what = (half, "one group") if said else (slice(None), "all pairs")
    wanted = of_data(factory, sample(rows=rows))
    try:
        require_same(f"{what}, where over_pairs is {said},", answer(f, point()), wanted)
    except LawBroken as broken:
        raise LawBroken(f"{broken}; sum over the pairs of data.pairs, or say over_pairs = "
                        f"{not said}") from broken  # fmt: skip


@laws("exact")
def fresh_gradient(factory: Any) -> None:
    """grad and curvature return fresh arrays, and leave w and the rows alone.

    Methods change the gradient in place.
    """
    f = factory(Data.of(features(), labels()))
    w = point()
    kept = w.copy()
    first = slope(f, w)
    before = first.copy()
    first += 7.0
    reading(f, w)
    require(np.array_equal(w, kept), "w was changed")
    again = slope(f, w)
    require(np.array_equal(again, before), "the gradient is other numbers after the first array "
            "was changed; return a fresh array")  # fmt: skip
    Hw = curved(f, w)
    if Hw is not None:
        before = Hw.copy()
        Hw += 7.0
        require(np.array_equal(f.curvature(w), before), "curvature returns other numbers after the "
                "first array was changed; return a fresh array")  # fmt: skip
    require(np.array_equal(f.data.rows.matrix, features()), "the rows were changed")


@laws("1e-12 of its size")
def no_memory(factory: Any) -> None:
    """value and grad depend on the numbers in w alone, not on calls before or on other objectives.

    Methods change w in place, and tuning has an objective for each fold.
    """
    f, w, u = factory(sample()), point(), point()
    before = answer(f, w)
    other = factory(locked(-2.0 * features()[::-1], labels()))
    for v in weights(3, extent().d, 9):
        u[:] = v
        came = answer(f, u)
        answer(other, u)
        require_same("weights changed in place", came, answer(factory(sample()), u.copy()))
    require_same("the first weights, asked again", answer(f, w), before)


@laws("1e-10 of the largest number")
def order_of_rows(factory: Any) -> None:
    """The order of the rows does not matter."""
    order = np.random.default_rng(4).permutation(extent().n)
    shuffled = of_data(factory, sample(rows=order))
    require_same("shuffled rows", shuffled, of_data(factory, sample()))


@laws("1e-10 of the largest number")
def duplicated_rows(factory: Any) -> None:
    """Each row twice gives the same numbers: f is a mean over rows, or over pairs of them."""
    twice = np.repeat(np.arange(extent().n), 2)
    doubled = of_data(factory, sample(rows=twice))
    require_same("duplicated rows", doubled, of_data(factory, sample()))


@laws("1e-9 of the largest number")
def weights_of_rows(factory: Any) -> None:
    """A row of weight 2 counts like two rows, or weights are refused by `require_no_weights`."""
    v = np.where(np.arange(extent().n) % 3 == 0, 2.0, 1.0)
    try:
        heavy = factory(locked(features(), labels(), weights=v))
    except UnsupportedError as refusal:
        not_asked(f"it refuses weights: {refusal}")
    twice = sample(rows=np.repeat(np.arange(extent().n), v.astype(int)))
    try:
        require_same("weights of rows", answer(heavy, point()), of_data(factory, twice))
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
        answer(factory(data), np.zeros(data.d), np.ones(data.d))


@laws("finite")
def scales(factory: Any) -> None:
    """Rows in units 1e8 times smaller or larger give finite numbers, at weights that fit."""
    for scale in (1e-8, 1e8):
        f = factory(locked(features() * scale, labels()))
        answer(f, np.zeros(extent().d), np.full(extent().d, 1.0 / scale))


@laws("finite")
def long_weights(factory: Any) -> None:
    """Weights 100 and 10 000 times as long give no NaN, and a finite value where grad is finite."""
    f = factory(sample())
    for w in weights(3, extent().d):
        for scale in (1e2, 1e4):
            with np.errstate(all="ignore"):
                value, g = float(f.value(scale * w)), f.grad(scale * w)
            finite = bool(np.isfinite(g).all())
            require(not np.isnan(value) and (isfinite(value) or not finite), f"value is {value} at "
                    f"weights {scale:g} times as long, and grad is {'' if finite else 'not '}"
                    "finite")  # fmt: skip


add_layouts(laws, of_data, require_same, 1e-10, 1e-10)
add_pickles(
    laws,
    lambda factory: factory(sample()),
    lambda f: np.append(slope(f, point()), reading(f, point())),
    require_close,
)
