"""A loss that others wrote, as a function of scores and labels: a module of torch, or a function.

Design
  a. It is called in the first way in which it is an exact loss; if there is none, in the first one
     in which it gives a number: with arrays or tensors, in float64 or float32, with 0 or −1 as the
     label of negatives.
  b. Each call has a copy of its own, so that moving averages are where they were at the start.
  c. Some losses have parameters that are learnt with the network, such as a, b and α of the AUC
     margin loss, in which it is a saddle. They are moved to where the loss is stationary in them.
     There its gradient in the scores is that of the value of the saddle.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cached_property, partial
from inspect import Parameter, isclass, signature
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.losses.pair_loss import PairLoss
from aucbench.testing.laws import EXPECTED, LawBroken

FIRST = {"scores", "score", "s", "preds", "pred", "y_pred", "y_score", "logits", "input", "output"}
INDEX = {"index", "indices", "idx", "ids"}
POWERS = {"squared-hinge": 2, "hinge": 1, "logistic": 0, "square": 2, "aum": 0}  # of a margin in φ
FAR = 30.0  # differences of scores from which on φ is a line or a square, for usual margins
DOUBLE, SINGLE = 1e-6, 1e-4  # of a value, by which two ways to compute it may differ
STEPS, MOST_PARAMETERS, FLAT = 5, 50, 1e4  # of Newton's method; roundings of a slope that is 0
TINY = float(np.finfo(np.float64).tiny)


def is_loss(thing: Any) -> bool:
    """Whether a class, an instance or a function is called with scores, and then labels.

    A module of torch is one if it is called with two things: a network is called with one.
    """
    cls = thing if isclass(thing) else type(thing)
    if hasattr(cls, "value_and_gradient"):
        return True
    member = "forward" if is_module(thing) else "__call__"
    called: Any = getattr(thing, member, thing) if isclass(thing) or is_module(thing) else thing
    with suppress(TypeError, ValueError):  # what has no signature
        names = [name for name in signature(called).parameters if name != "self"]
        return len(names) > 1 and (is_module(thing) or names[0] in FIRST)
    return False


def is_module(thing: Any) -> bool:
    """Whether it is a module of torch, or a class of them; torch is not imported for it."""
    bases = (thing if isclass(thing) else type(thing)).__mro__
    return any((b.__module__, b.__name__) == ("torch.nn.modules.module", "Module") for b in bases)


class Answer(NamedTuple):
    """What a loss gives: its value, and its gradient in the scores (n,) if it has one."""

    value: float
    gradient: Vector | None
    settled: bool = False  # whether its parameters were moved to where it is stationary in them


class Way(NamedTuple):
    """How a loss is called."""

    tensors: bool
    dtype: Any
    negative: float  # the label of negative rows

    def labels(self, y: Vector) -> Any:
        """Return labels in {−1, 1} as the loss takes them."""
        return np.where(y > 0, 1.0, self.negative).astype(self.dtype)

    def __str__(self) -> str:
        kind = "tensors" if self.tensors else "arrays"
        return f"{kind} of {self.dtype.__name__} (n,), labels {self.negative:g} and 1"


class Exact(NamedTuple):
    """factor · mean of φ over all pairs, with φ(z) = [margin − z]₊ or another one; or the AUM."""

    loss: Any
    margin: float
    factor: float = 1.0

    def __call__(self, s: Vector, y: Vector) -> float:
        """Return its value at labels in {−1, 1}."""
        value, _ = PairLoss(self.loss).value_and_gradient(s / self.margin, y)
        return float(self.factor * self.margin ** POWERS[self.loss] * value)

    def __str__(self) -> str:
        times = f"{self.factor:.6g} times "
        margin = {"aum": "", "logistic": f" of z / {self.margin:.6g}"}
        what = margin.get(self.loss, f" with margin {self.margin:.6g}")
        return f"{'' if times == '1 times ' else times}the {self.loss}{what}"


class ForeignLoss:
    """A loss as a function of scores (n,) and labels in {−1, 1}.

    Parameters
    ----------
    thing : class, module of torch, function or instance
        A class is called without arguments. A function returns a number, or a number and its
        gradient; so does the method `value_and_gradient` of an instance.
    """

    def __init__(self, thing: Any):
        is_class = isclass(thing.func if isinstance(thing, partial) else thing)
        self.thing = thing() if is_class else thing
        self.expected_failures = getattr(getattr(self.thing, "func", self.thing), EXPECTED, {})

    def __str__(self) -> str:
        index = ", and the numbers of the rows" if self.takes_index else ""
        own = [name for name, _ in getattr(self.thing, "named_parameters", list)()]
        if not own:
            return f"{self.way}{index}"
        where = "where it is stationary in them" if self(_S, _Y).settled else "as they are"
        return f"{self.way}{index}; its parameters {', '.join(own)} are {where}"

    def __call__(self, s: Vector, y: Vector) -> Answer:
        """Return the value and the gradient; exceptions of the loss pass through."""
        return self.raw(s.astype(self.way.dtype), self.way.labels(y))

    def raw(self, scores: Any, labels: Any, way: Way | None = None) -> Answer:
        """Return what it answers to arrays, whose types and shapes are kept."""
        return self.again(scores, labels, way)[0]

    def again(
        self, scores: Any, labels: Any, way: Way | None = None, times: int = 1
    ) -> list[Answer]:
        """Return what one copy answers to several calls with the same arrays."""
        way = way or self.way
        f, call = deepcopy(self.thing), _of_tensors if way.tensors else _of_arrays
        index = [np.arange(len(scores))] if self.takes_index else []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return [call(f, scores, labels, *index) for _ in range(times)]

    @cached_property
    def takes_index(self) -> bool:
        """Whether it needs the numbers of the rows as its third argument, for moving averages."""
        called = getattr(self.thing, "forward", _called(self.thing))
        third = [*signature(called).parameters.values()][2:3]
        return any(p.name in INDEX and p.default is Parameter.empty for p in third)

    @cached_property
    def way(self) -> Way:
        """The way in which it is called."""
        ways, errors = [], []
        for way in self._ways():
            try:
                value = self.raw(_S.astype(way.dtype), way.labels(_Y), way).value
                if np.isfinite(value) and self._find_exact(way):
                    return way
                ways.append(way)
            except Exception as error:
                errors.append(f"{way}: {type(error).__name__}: {error}")
        if not ways:
            raise LawBroken(f"no way to call it gives a number; {errors[0]}")
        return ways[0]

    def _ways(self) -> Iterator[Way]:
        tensors = [True] if is_module(self.thing) else [False]
        if not is_module(self.thing) and "torch" in sys.modules:
            tensors.append(True)
        yield from starmap(Way, product(tensors, (np.float64, np.float32), (0.0, -1.0)))

    @cached_property
    def exact(self) -> Exact | None:
        """The exact loss that it is; None if it is none of ours."""
        return self._find_exact(self.way)

    @cached_property
    def near(self) -> float:
        """How far two values of it may differ, relative to their size."""
        value = self(_S, _Y).value
        return SINGLE if value == float(np.float32(value)) != 0.0 else DOUBLE

    def _find_exact(self, way: Way) -> Exact | None:
        exact, low, high = self.nearest(way)
        near = DOUBLE if way.dtype is np.float64 else SINGLE
        return exact if high != 0.0 and high - low <= near * abs(high) else None

    def nearest(self, way: Way) -> tuple[Exact, float, float]:
        """Return the exact loss that it is most nearly, and the least and the largest ratio."""

        def value(s: Vector, y: Vector) -> float:
            return self.raw(s.astype(way.dtype), way.labels(y), way).value

        some = (_S, 0.2 * _S, 3.0 * _S, -_S, np.exp(_S), _S + 2.0 * (_Y > 0))
        values, found = np.array([value(s, _Y) for s in some]), []
        for loss in POWERS:
            exact = Exact(loss, self._margin(loss, value))
            ratios = values / [exact(s, _Y) for s in some]
            if (ratios := ratios[np.isfinite(ratios)]).size:
                factor, low, high = map(float, (np.median(ratios), ratios.min(), ratios.max()))
                found.append((exact._replace(factor=factor), low, high))
        if not found:
            return Exact("square", 1.0, np.nan), np.nan, np.nan
        return min(found, key=lambda one: (one[2] - one[1]) / max(abs(one[2]), TINY))

    def _margin(self, loss: str, value: Callable[[Vector, Vector], float]) -> float:
        """Return the margin of φ, from two rows whose scores are far apart; 1 if there is none."""
        pair = np.array([1.0, -1.0])
        with suppress(Exception), np.errstate(all="ignore"):
            of = [value(np.array([0.37 - z, 0.37]), pair) for z in (0.0, FAR, 2.0 * FAR)]
            if loss == "logistic":
                margin = FAR * of[0] / (np.log(2.0) * (of[2] - of[1]))
            else:
                a, b = (v ** (1.0 / (POWERS[loss] or 1)) for v in of[1:])
                margin = a * FAR / (b - a) - FAR
            if loss != "aum" and 1e-3 < margin < FAR / 2:
                return float(f"{margin:.5g}")
        return 1.0


def _sample() -> tuple[Vector, Vector]:
    """Return distinct scores, none of them 0, and labels."""
    y = np.where(np.arange(24) % 4 == 0, 1.0, -1.0)
    return np.round(np.random.default_rng(8).normal(size=24), 4) + 0.4 * y + 0.00003, y


_S, _Y = _sample()


def _called(f: Any) -> Callable[..., Any]:
    called: Callable[..., Any] = getattr(f, "value_and_gradient", f)
    return called


def _of_arrays(f: Any, s: Any, y: Any, *index: Any) -> Answer:
    came = _called(f)(s, y, *index)
    value, gradient = came if isinstance(came, tuple) else (came, None)
    g = None if gradient is None else np.asarray(gradient, np.float64).reshape(-1)
    return Answer(float(np.asarray(value).item()), g)


def _of_tensors(f: Any, s: Any, y: Any, *index: Any) -> Answer:
    import torch

    x, z = torch.tensor(s, requires_grad=True), torch.tensor(y)
    more = [torch.as_tensor(i) for i in index]
    settled = is_module(f) and settle(f.to(x.dtype), lambda: f(x.detach(), z, *more))
    value = f(x, z, *more)
    if not value.requires_grad:
        return Answer(float(value), np.zeros(len(s)), settled)
    [g] = torch.autograd.grad(value.reshape(()), [x], materialize_grads=True)
    return Answer(float(value), g.reshape(-1).double().numpy(), settled)


def settle(f: Any, value: Callable[[], Any]) -> bool:
    """Move the parameters of a module to where its value is stationary in them, by Newton steps.

    Return whether that was possible; if not, they are where they were.
    """
    import torch

    params = [p for p in f.parameters() if p.requires_grad]
    start, sizes = [p.detach().clone() for p in params], [p.numel() for p in params]
    if not params or sum(sizes) > MOST_PARAMETERS:
        return False

    def slopes(of: Any) -> Any:
        parts = torch.autograd.grad(of, params, create_graph=True, materialize_grads=True)
        return torch.cat([part.reshape(-1) for part in parts])

    for _ in range(STEPS):
        v = value().reshape(())
        g = slopes(v)
        if not torch.isfinite(g).all():
            break
        if float(g.abs().max()) <= FLAT * torch.finfo(g.dtype).eps * (1.0 + abs(float(v))):
            return True
        H = torch.stack([slopes(one) if one.requires_grad else 0.0 * g for one in g])
        A, b = (x.detach().double().numpy() for x in (H, -g))
        step = np.linalg.lstsq(A, b, rcond=1e-10)[0]
        for p, part in zip(params, np.split(step, np.cumsum(sizes)[:-1]), strict=True):
            p.data += torch.as_tensor(part, dtype=p.dtype).reshape(p.shape)
    for p, before in zip(params, start, strict=True):
        p.data = before
    return False
