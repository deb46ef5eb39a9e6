"""A network of one hidden layer, and what its training by mini-batches needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, cos, pi, sqrt
from typing import Any, ClassVar

import numpy as np

from aucbench.contract import (
    Budget,
    FeatureMap,
    Model,
    Needs,
    Problem,
    Solver,
    State,
    count_rows,
)
from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.errors import (
    MissingExtraError,
    UnsupportedError,
    require_above,
    require_at_least,
    require_at_most,
    require_count,
)
from aucbench.features import Standard
from aucbench.pairs import Members
from aucbench.ranges import DEFAULT_PASSES, Range

SCORED_AT_ONCE = 8192  # rows, so that their hidden units take little memory
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam, as published
INERTIA = 0.9  # of steps with momentum


@dataclass(frozen=True)
class Network(Solver):
    """What the solvers with a network share; each of them says how its `iterates` takes a step.

    The score is s = v·[W x + c]₊ of the standardised row x. All weights are θ. A pass visits the
    rows in batches, in a fresh random order. The pairs of a batch are those of its rows, so that it
    has both sides of pairs, or whole groups.

    Parameters
    ----------
    width : int
        Units of the hidden layer. 0: none, and s = v·x is linear.
    batch : int
        Rows of a batch, about; at least 2.
    step : float
        η > 0, the step at the first batch.
    ridge : float
        λ ≥ 0: λθ is added to the gradient, in units of the loss per squared unit of a weight.
    minority : float
        In [0, 1/2]: least share of a batch that the rarer side of pairs has; its rows are repeated.
        0: as many as its share, and at least one. Not of groups.
    """

    width: int = 64
    batch: int = 64
    step: float = 0.003
    ridge: float = 0.01
    minority: float = 0.25

    space: ClassVar = {
        "step": Range(1e-3, 0.1, log=True),
        "ridge": Range(1e-5, 0.1, log=True),
        "width": Range(8, 256, log=True, integer=True),
    }
    needs: ClassVar = Needs(packages=("torch",), extra="torch")

    def __post_init__(self) -> None:
        try:
            import torch  # noqa: F401  # off the clock of a fit
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise MissingExtraError("a network", "torch") from error
        require_count(0, width=self.width)
        require_count(2, batch=self.batch)
        require_above(0, step=self.step)
        require_at_least(0, ridge=self.ridge, minority=self.minority)
        require_at_most(0.5, minority=self.minority)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Learn from standardised rows; nothing is listed as minimised."""
        phi = Standard().fit(data, rng)
        return Problem(train=data.with_rows(phi(data.rows)), features=phi)


class Net:
    """The network on the training rows: scores of some rows, and Jᵀc with J = ∂s/∂θ.

    Parameters
    ----------
    problem : Problem
        Has the standardised rows.
    width : int
        Units of the hidden layer.
    rng : numpy.random.Generator
        Draws W from N(0, 2/d) and v from N(0, 1/width), as He et al. 2015 for such layers; c = 0.
        Without a hidden layer v begins at 0.
    more : int
        How many further variables are kept behind θ.

    Attributes
    ----------
    variables : array
        θ, and the further variables, which begin at 0. A step changes them in place.
    theta : array
        θ, a view of it.
    """

    def __init__(self, problem: Problem, width: int, rng: np.random.Generator, more: int = 0):
        self._rows, self._phi = problem.data.rows, problem.features
        d = problem.data.d
        self._shape = width, d
        size = width * (d + 2) or d
        self.variables = np.zeros(size + more)
        self.theta = self.variables[:size]
        if width:
            W, _, v = _layers(self.theta, width, d)
            W[:] = rng.normal(0.0, sqrt(2.0 / d), W.shape)
            v[:] = rng.normal(0.0, sqrt(1.0 / width), width)
        self._graph: Any = None

    def scores(self, batch: Index) -> Vector:
        """Return the scores of some rows, (n_B,), and remember how they came."""
        import torch

        count_rows(batch.size)
        x = torch.from_numpy(self._rows.matrix[batch])
        theta = torch.from_numpy(self.theta).requires_grad_()
        W, c, v = _layers(theta, *self._shape)
        s = x @ v if W is None else torch.relu(x @ W.T + c) @ v
        self._graph = s, theta
        return np.asarray(s.detach().numpy())

    def pullback(self, c: Vector) -> Vector:
        """Return the gradient in θ of a loss with the derivatives c (n_B,) in the last scores."""
        import torch

        s, theta = self._graph
        [gradient] = torch.autograd.grad(s @ torch.from_numpy(c), theta)
        return np.asarray(gradient.numpy())

    def state(self) -> State:
        """Return the network as it is now: weights without a hidden layer, else a model."""
        if not self._shape[0]:
            return State(self.theta.copy())
        return State(model=Layer(self._phi, *_layers(self.theta.copy(), *self._shape)))


@dataclass(frozen=True, eq=False)
class Layer(Model):
    """s = v·[W φ(x) + c]₊, by NumPy.

    Attributes
    ----------
    phi : FeatureMap
        Standardises the rows.
    W, c, v : arrays of shape (width, d), (width,) and (width,)
        Weights of the hidden units, their intercepts, and the weights of the score.
    """

    phi: FeatureMap
    W: Vector
    c: Vector
    v: Vector
    keeps_rows: ClassVar[bool | None] = False  # type: ignore[misc]  # of all of them

    def scores(self, rows: Rows) -> Vector:
        """Return the scores of raw rows, (n,)."""
        parts = (
            rows.take(slice(lo, lo + SCORED_AT_ONCE)) for lo in range(0, rows.n, SCORED_AT_ONCE)
        )
        x = (self.phi(part).matrix for part in parts)
        return np.concatenate([np.maximum(part @ self.W.T + self.c, 0.0) @ self.v for part in x])

    def portable(self) -> Model:
        """Raise `UnsupportedError`: only weights and trees are saved without pickle."""
        raise UnsupportedError(
            "a network is neither weights of features nor trees, so that it cannot be saved; take "
            "width=0, or another solver"
        )


def _layers(theta: Any, width: int, d: int) -> tuple[Any, Any, Any]:
    """Return W (width, d), c and v (width,) as views of θ; None, None and v (d,) without layer."""
    if not width:
        return None, None, theta
    return theta[: width * d].reshape(width, d), theta[-2 * width : -width], theta[-width:]


class Adam:
    """g ↦ m̂/(√v̂ + ε), the direction of Adam, with m ← β₁ m + (1 − β₁) g and v ← β₂ v + (1 − β₂) g².

    m̂ = m/(1 − β₁ᵗ) and v̂ = v/(1 − β₂ᵗ), from m = v = 0. Kingma & Ba, ICLR 2015, Algorithm 1.
    """

    def __init__(self, size: int):
        self.m, self.v = np.zeros((2, size))
        self.t = 0

    def __call__(self, g: Vector) -> Vector:
        """Return the direction for the next gradient."""
        self.t += 1
        self.m += (1.0 - BETA1) * (g - self.m)
        self.v += (1.0 - BETA2) * (g * g - self.v)
        spread = np.sqrt(self.v / (1.0 - BETA2**self.t)) + EPSILON
        return np.asarray(self.m / (1.0 - BETA1**self.t) / spread)


class Momentum:
    """g ↦ u, with u ← μ u + (1 − μ) g from u = 0 and μ = 0.9."""

    def __init__(self, size: int):
        self.u = np.zeros(size)

    def __call__(self, g: Vector) -> Vector:
        """Return the direction for the next gradient."""
        self.u += (1.0 - INERTIA) * (g - self.u)
        return self.u


def passes(
    solver: Network, members: Members, budget: Budget, rng: np.random.Generator
) -> Iterator[list[tuple[Index, float]]]:
    """Yield for each planned pass its batches, and the share of all batches that came before each.

    Without a number of passes in the budget 50 are planned.
    """
    planned = ceil(budget.passes or DEFAULT_PASSES)
    for done in range(planned):
        drawn = draw_batches(members, solver.batch, solver.minority, rng)
        yield [(batch, (done + b / len(drawn)) / planned) for b, batch in enumerate(drawn)]


def falling(share: float) -> float:
    """Return ½(1 + cos πu), by which steps fall to 0 with the share u of the training.

    Loshchilov & Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR 2017.
    """
    return 0.5 * (1.0 + cos(pi * share))


def draw_batches(
    members: Members, size: int, minority: float, rng: np.random.Generator
) -> list[Index]:
    """Divide the rows that have pairs into batches that have some, in a random order.

    Rows of which no pair leads from one part to the other, as groups, are drawn part by part. Else
    each batch has its share of upper rows, such as positives or events, and of the others.

    Parameters
    ----------
    members : Members
        The pairs.
    size : int
        Rows of a batch. It may have more: a last group, or repeated rows.
    minority : float
        Least share of the rarer side, see `Network`; of one part only.
    """
    rows, part = members.components
    if part[0] != part[-1]:
        return _by_parts(rows, np.unique(part, return_inverse=True)[1], size, rng)
    is_upper = members.row_masses[0][rows] > 0.0
    count = ceil(rows.size / size)
    sides = [rng.permutation(rows[side]) for side in (is_upper, ~is_upper) if side.any()]
    dealt = (_dealt(side, count, size, minority) for side in sides)
    return [np.concatenate(each) for each in zip(*dealt, strict=True)]


def _dealt(side: Index, count: int, size: int, minority: float) -> list[Index]:
    """Divide shuffled rows of a side into `count` parts, with rows repeated if they are too few."""
    least = min(max(1, ceil(minority * size)), side.size)
    if side.size < least * count:
        side = np.resize(side, least * count)
    return [side[b::count] for b in range(count)]


def _by_parts(rows: Index, part: Any, size: int, rng: np.random.Generator) -> list[Index]:
    sizes = np.bincount(part)
    order = rng.permutation(sizes.size)
    batch = np.empty(sizes.size, np.int64)
    batch[order] = (np.cumsum(sizes[order]) - 1) // size
    of_row = batch[part]
    drawn = np.argsort(of_row, kind="stable")
    return np.split(rows[drawn], np.flatnonzero(np.diff(of_row[drawn])) + 1)
