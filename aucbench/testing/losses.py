"""Laws of losses that others wrote, compared with the exact mean over all pairs of rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import process_time
from typing import Any

import numpy as np
import psutil

from aucbench.data.arrays import Vector
from aucbench.testing.foreign import Answer, ForeignLoss
from aucbench.testing.laws import Laws, not_asked, require, warn
from aucbench.testing.samples import extent, labels
from aucbench.testing.traces import add_nothing_left

laws = Laws("losses")
NEAR = "1e-6 of values, 1e-5 of differences and ratios; 100 times that if it computes in float32"
LOOSE = 10.0  # times that, where differences or ratios of values are compared
MANY, FEWEST = 100_000, 3_125  # rows, and those of the first of the steps that double to them
BYTES, SECONDS = 2**30, 60.0  # that many rows may take, in memory and on the CPU
NOTHING = 2**26, 1.0  # bytes and seconds that say nothing about more rows
QUADRATIC = 3.0  # times the cost of half as many rows, from which on it grows with their square


def scores() -> Vector:
    """Distinct scores of the sample (n,), none of them 0: an AUC of about 0.7."""
    s: Vector = np.random.default_rng(9).normal(size=extent().n) + 0.35 * labels() + 1e-5
    return s


def cases() -> Iterator[tuple[str, Vector]]:
    """Yield scores with their names; the latter are tied within the classes and between them."""
    yield "distinct scores", scores()
    yield "scores with ties", np.round(2.0 * scores()) / 2.0


def number(f: ForeignLoss, what: str, s: Vector, y: Vector) -> Answer:
    """What it answers: a finite number, and a gradient of the shape of the scores."""
    answer = f(s, y)
    require(np.isfinite(answer.value), f"{what}: it gave {answer.value}, wanted a finite number")
    if answer.gradient is not None:
        shape, lost = answer.gradient.shape, int((~np.isfinite(answer.gradient)).sum())
        require(shape == s.shape, f"{what}: its gradient has shape {shape}, wanted {s.shape}")
        require(not lost, f"{what}: its gradient is not finite at {lost} of {s.size} scores")
    return answer


def unless_refused(f: ForeignLoss, s: Any, y: Any) -> Answer | None:
    """What it answers to arrays as they are; None where it raises an exception."""
    try:
        return f.raw(s, y)
    except Exception:
        return None


def own_arrays(f: ForeignLoss) -> tuple[Any, Any]:
    """The scores and the labels of the sample, as it takes them."""
    return scores().astype(f.way.dtype), f.way.labels(labels())


def require_value(f: ForeignLoss, what: str, came: float, wanted: float, of: str) -> None:
    """Raise `LawBroken` unless two values are near to each other."""
    close = abs(came - wanted) <= f.near * max(abs(came), abs(wanted), 1e-3)
    require(close, f"{what}: it gave {came:.9g}, and {of} is {wanted:.9g}")


def require_exact(f: ForeignLoss, what: str, s: Vector, y: Vector) -> None:
    """Raise `LawBroken` unless it is finite, and its exact loss if it has one.

    The factor of its exact loss is that of reversed scores: it may depend on the numbers of rows.
    """
    answer = number(f, what, s, y)
    if f.exact is not None:
        t = 0.3 * np.random.default_rng(2).normal(size=s.size) - y
        exact = f.exact._replace(factor=1.0)
        exact = exact._replace(factor=number(f, "reversed scores", t, y).value / exact(t, y))
        pairs = int((y > 0).sum()) * int((y < 0).sum())
        require_value(f, what, answer.value, exact(s, y), f"{exact} over {pairs} pairs")


add_nothing_left(laws, lambda f: f(scores(), labels()))


@laws("exact")
def declared(f: ForeignLoss) -> str:
    """It can be called with scores and labels, and gives a number; it is said how it was called."""
    number(f, "the scores", scores(), labels())
    return f"it takes {f}"


@laws(NEAR)
def exact_loss(f: ForeignLoss) -> str:
    """It is one of the exact losses over all pairs, with a margin and a factor; it is said which.

    They are the squared hinge, the hinge, the logistic loss and the square of the difference of two
    scores, and the AUM. Six vectors of scores are compared, without ties.
    """
    if f.exact is None:
        nearest, low, high = f.nearest(f.way)
        warn(f"it is none of the exact losses; it is {low:.4g} to {high:.4g} times the nearest "
             f"one, {nearest._replace(factor=1.0)}")  # fmt: skip
    return f"it is {f.exact}"


@laws("1e-5 of the largest number, 1e-3 if it computes in float32")
def gradient(f: ForeignLoss) -> None:
    """The gradient is that of the value, by differences at each score; at a kink it is between."""
    y, h = labels(), LOOSE * f.near
    for what, s in cases():
        value, g, _ = number(f, what, s, y)
        if g is None:
            not_asked("it gives no gradient")
        apart = h * max(float(np.abs(g).max()), abs(value) / s.size)
        for i in range(0, s.size, max(1, s.size // 16)):
            step = np.where(np.arange(s.size) == i, h, 0.0)
            sides = [(f(s + sign * step, y).value - value) * sign / h for sign in (-1, 1)]
            require(
                min(sides) - apart <= g[i] <= max(sides) + apart,
                f"{what}: its gradient at row {i} is {g[i]:.6g}, and differences of its values "
                f"give {sides[0]:.6g} on the left and {sides[1]:.6g} on the right",
            )


@laws(NEAR)
def offsets(f: ForeignLoss) -> None:
    """A constant that is added to all scores changes nothing, so that the gradient adds up to 0."""
    for what, s in cases():
        here = number(f, what, s, labels())
        for c in (1.0, -7.5):
            there = number(f, f"{what} {c:+g}", s + c, labels())
            require_value(f, f"{what} {c:+g}", there.value, here.value, "without it")
    if (g := number(f, "distinct scores", scores(), labels()).gradient) is not None:
        total, size = float(g.sum()), float(np.abs(g).sum())
        message = f"the gradient adds up to {total:.3g}, and its absolute numbers to {size:.3g}"
        require(abs(total) <= f.near * size, message)


@laws(NEAR)
def repeated_rows(f: ForeignLoss) -> None:
    """All rows of a class twice change nothing: a pair counts 1 / (positives · negatives).

    Of a factor that depends on the numbers of rows alone it is warned: batches with other shares of
    the classes count differently.
    """
    s, y, factors = scores(), labels(), {}
    for name, sign in (("positive", 1), ("negative", -1)):
        twice, ratios = np.repeat(np.arange(s.size), np.where(y == sign, 2, 1)), []
        for u in (s, 0.3 * s, -s):
            here = number(f, "distinct scores", u, y).value
            require(here > 0.0, f"it gave {here:.3g}, and there are pairs that are out of order")
            ratios.append(number(f, f"each {name} twice", u[twice], y[twice]).value / here)
        message = (
            f"with each {name} twice it is {min(ratios):.6g} to {max(ratios):.6g} times as large"
        )
        require(np.ptp(ratios) <= LOOSE * f.near * max(ratios), message)
        factors[name] = float(np.mean(ratios))
    if max(abs(x - 1.0) for x in factors.values()) > LOOSE * f.near:
        message = " and ".join(f"{x:.4g} with each {name} twice" for name, x in factors.items())
        warn(f"it is multiplied by {message}; divide by the number of pairs")


@laws(NEAR)
def ties(f: ForeignLoss) -> None:
    """Tied scores give what scores give that are nearly tied, and equal rows have equal gradients.

    A pair of equal scores loses φ(0), which a sum over sorted scores misses easily.
    """
    y, size = labels(), abs(number(f, "distinct scores", scores(), labels()).value)
    for t in ([*cases()][1][1], np.full(y.size, 0.3)):
        tied, pairs = int((t[y > 0][:, None] == t[y < 0]).sum()), (y > 0).sum() * (y < 0).sum()
        what = f"ties in {tied} of {pairs} pairs"
        value, g, _ = number(f, what, t, y)
        noise = np.random.default_rng(3).uniform(-0.1, 0.1, t.size) * f.near
        nearly = number(f, "nearly tied scores", t + noise, y).value
        near = abs(value - nearly) <= LOOSE * f.near * max(abs(nearly), size)
        require(near, f"{what}: it gave {value:.9g}, and {nearly:.9g} where they nearly tie")
        require_exact(f, what, t, y)
        if g is not None:
            _, equal = np.unique(np.column_stack([t, y]), axis=0, return_inverse=True)
            apart = float(np.abs(g - (np.bincount(equal, g) / np.bincount(equal))[equal]).max())
            message = f"{what}: gradients of equal rows are up to {apart:.3g} from their mean"
            require(apart <= LOOSE * f.near * np.abs(g).max(), message)


@laws("exact")
def repeatable(f: ForeignLoss) -> None:
    """Two calls with the same arrays give the same: no moving average, and nothing drawn."""
    first, second = f.again(*own_arrays(f), times=2)
    message = f"it gave {first.value:.9g}, and {second.value:.9g} when it was called again"
    require(first.value == second.value, f"{message}; what it keeps from call to call changes it")


@laws("exact without a pair, else " + NEAR)
def one_class(f: ForeignLoss) -> None:
    """Rows of one class have no pair: it gives 0 and the gradient 0, or refuses them; never NaN.

    A single positive row, a single negative one, and a single pair are enough.
    """
    s, y = own_arrays(f)[0], labels()
    for sign, name in ((1, "positives"), (-1, "negatives")):
        for n in (s.size, 1):
            answer = unless_refused(f, s[:n], f.way.labels(np.full(n, sign)))
            value, g = (0.0, None) if answer is None else answer[:2]
            message = f"{n} {name} only: it gave {value:.6g}; return 0, or refuse them"
            require(value == 0.0, message)
            require(g is None or not g.any(), f"{n} {name} only: its gradient is not 0")
    up, down = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    for name, rows in (
        ("one positive", np.r_[up[:1], down]),
        ("one negative", np.r_[up, down[:1]]),
        ("one pair", np.r_[up[:1], down[:1]]),
    ):
        require_exact(f, name, scores()[rows], y[rows])


@laws(NEAR)
def separated(f: ForeignLoss) -> None:
    """Separated classes, reversed ones and constant scores give finite numbers, far apart too.

    So ends each training that succeeds.
    """
    y = labels()
    for up, down in ((1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (1e3, -1e3), (-1e3, 1e3)):
        what = f"positives at {up:g}, negatives at {down:g}"
        require_exact(f, what, np.where(y > 0, up, down), y)
    ranks = np.argsort(np.argsort(scores() + 100.0 * y)).astype(np.float64)
    require_exact(f, "separated scores", 0.1 * ranks - 4.03, y)


@laws(NEAR)
def labels_and_shapes(f: ForeignLoss) -> None:
    """Labels 0 and 1, −1 and 1, booleans, (n,) and (n, 1) mean the same, or are refused.

    A difference of (n, 1) and (n,) is a matrix.
    """
    (s, y), signs = own_arrays(f), labels()
    wanted = number(f, "the scores", scores(), signs).value
    for name, a, b in (
        ("labels 0 and 1", s, f.way._replace(negative=0.0).labels(signs)),
        ("labels -1 and 1", s, f.way._replace(negative=-1.0).labels(signs)),
        ("booleans", s, signs > 0),
        ("scores (n, 1), labels (n,)", s[:, np.newaxis], y),
        ("scores (n,), labels (n, 1)", s, y[:, np.newaxis]),
        ("both (n, 1)", s[:, np.newaxis], y[:, np.newaxis]),
    ):
        if (answer := unless_refused(f, a, b)) is not None:
            of = f"that of {f.way}"
            require_value(f, f"{name}, which it did not refuse", answer.value, wanted, of)


@laws(f"{MANY} rows in {SECONDS:g} CPU seconds and 1 GiB")
def many_rows(f: ForeignLoss) -> str:
    """It computes 100 000 rows, and their loss is the exact one; it is said what they cost.

    Rows are doubled until there are so many, or more would take too much.
    """
    rng = np.random.default_rng(6)
    y = np.where(rng.random(MANY) < 0.2, 1, -1)
    s, n, before = rng.normal(size=MANY) + 0.35 * y, FEWEST, (0.0, 0.0)
    while True:
        with _growing_memory() as grown:
            begin = process_time()
            number(f, f"{n} rows", s[:n], y[:n])
            seconds = process_time() - begin
        message = f"{n} rows took {seconds:.2g} CPU seconds and {grown[0] / 2**20:.0f} MiB"
        if n == MANY:
            break
        costs = grown[0], seconds
        for cost, last, nothing, most in zip(costs, before, NOTHING, (BYTES, SECONDS), strict=True):
            times = (MANY / n) ** (2 if cost > QUADRATIC * last else 1)
            require(
                not last or cost < nothing or cost * times <= most,
                f"{message}; at this rate {MANY} rows take {seconds * times:.3g} seconds and "
                f"{grown[0] * times / 2**30:.3g} GiB",
            )
        n, before = 2 * n, costs
    require_exact(f, f"{MANY} rows", s, y)
    return message


@contextmanager
def _growing_memory() -> Iterator[list[float]]:
    """Keep in the list how many bytes more than at the start this process has had."""
    process, done, most = psutil.Process(), Event(), [0.0]
    start = process.memory_info().rss

    def look() -> None:
        while not done.wait(0.001):
            most[0] = max(most[0], process.memory_info().rss - start)

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        done.set()
        thread.join()
