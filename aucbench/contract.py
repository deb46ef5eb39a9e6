"""The contract between a solver, what it minimises, and the harness: all of it is here.

A solver is a frozen dataclass of hyperparameters with one generator. It knows no clock, tolerance
or history: the caller stops it, counts its states and the rows that it reads, and measures it. All
random numbers come from the generator that it is given. A method that updates after every row calls
one kernel for a pass, and yields after it. What calls back is run by `aucbench.optim.reported`.

A class inherits from the protocol that it follows: what it leaves out keeps its default. It may
name laws that it breaks, with the reasons, in `expected_failures: ClassVar[Mapping[str, str]]`, and
in `law_columns: ClassVar[int]` how many columns its laws are checked on, if it takes no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from aucbench.data import Chunk, Data, Terms
from aucbench.data.arrays import ALL, Block, Index, Rows, Vector
from aucbench.data.tally import count_rows as count_rows
from aucbench.errors import DataError, UnsupportedError, require_above, require_known
from aucbench.ranges import Space

CAPABILITIES = {
    "any-objective": "It minimises whatever f is put into its problem.",
    "any-projector": "It keeps whatever Ω is put into its problem.",
    "warm-start": "It starts from the weights w0 that it is given.",
    "breakpoints": "It learns from error functions too, not from labels only.",
    "weights": "Its objective counts the weights of rows.",
    "group-pairs": "It trains on the pairs inside groups.",
    "order-pairs": "It trains on the ordered pairs of survival times and of grades.",
    "range-pairs": "It trains on the pairs in a range of the ROC curve.",
    "class-pairs": "Without weights of rows, it draws pairs by their weights.",
    "shapes": "It keeps the bounds of weights in `Data.terms`, as those of increasing effects.",
    "chunks": "It also learns from `aucbench.scale.ChunkedData`, rows that are read in chunks.",
}


@dataclass(frozen=True, eq=False)
class Cut:
    """An affine function below a convex f: f(u) ≥ intercept + slope · u for all u."""

    value: float  # f(w), or a bound of it from above
    slope: Vector  # a subgradient at w, (d,)
    intercept: float
    slack: float = 0.0  # how far `value` is above the cut at w, rounding apart
    scores: Vector | None = None  # X w (n,), where it is known


class Objective(Protocol):
    """f(w), a mean over the rows of `data`. What reads raw arrays calls `count_rows`."""

    data: Data
    over_pairs: ClassVar[bool] = False  # whether it is a loss over the pairs of `data.pairs`

    def value(self, w: Vector) -> float:
        """f(w)."""

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Gradient (or a subgradient) averaged over the block `rows`, a fresh array."""

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """H v, where H is at least the Hessian of the block `rows` at every w."""
        raise UnsupportedError(f"{type(self).__name__} has no curvature; give a step, as gamma=0.1")

    def cut(self, w: Vector) -> Cut | None:
        """An affine function below f that touches it at w; None where f gives none."""
        return None

    def rounding(self, w: Vector) -> tuple[float, float]:
        """(e, η): f(w) errs by at most e, and a cut at w exceeds f(u) by at most e + η‖u − w‖."""
        return inf, inf


class Projector(Protocol):
    """prox of step · Ω: argmin_u step Ω(u) + ‖u − v‖²/2; of a set, the nearest point."""

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite the writable contiguous `v` with its prox, and return it."""
        return v

    def contains(self, w: Vector) -> bool:
        """Whether w is in the domain of Ω (always, for a penalty)."""
        return True

    def value(self, w: Vector) -> float:
        """Ω(w); of a set, 0 inside and infinity outside."""
        return 0.0 if self.contains(w) else inf

    def of_terms(self, terms: Terms) -> Self:
        """Ω over groups of features that belong together, where it has groups."""
        return self


@dataclass(frozen=True)
class Identity(Projector):
    """Ω = 0: no constraint and no penalty."""


class FeatureMap(Protocol):
    """φ, learnt from training rows only (labels included) and then applied to any rows."""

    exempt: ClassVar[int] = 0  # trailing features that are no features of the rows (an intercept)
    shared: ClassVar[bool] = False  # uses neither labels nor rows: it is fitted once for a split
    keeps_rows: ClassVar[bool] = False  # holds rows that it was fitted to
    keeps_columns: ClassVar[bool] = False  # feature j of φ(x) belongs to column j of x

    def fit(self, data: Data, rng: np.random.Generator) -> FeatureMap:
        """Return another map that is fitted to `data`; itself where there is nothing to learn."""
        return self

    def __call__(self, rows: Rows) -> Rows:
        """φ(rows)."""
        return rows

    def input_weights(self, w: Vector) -> tuple[Vector, float] | None:
        """(v, c) with w · φ(x) = v · x + c, of an affine map; None of another one."""
        return None

    def terms(self) -> Terms | None:
        """The terms of its features, of a map of columns one by one, or of pairs of them."""
        return None


@dataclass(frozen=True)
class NoMap(FeatureMap):
    """φ(x) = x."""

    shared: ClassVar[bool] = True
    keeps_columns: ClassVar[bool] = True

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (w, 0)."""
        return w, 0.0


class Model(Protocol):
    """Scores rows in another way than w · φ(x): trees, kernels, wrapped estimators."""

    keeps_rows: bool | None = None  # whether it holds training rows; None: somebody else's code

    def scores(self, rows: Rows) -> Vector:
        """Scores of raw rows (n, d) -> (n,); larger means more positive."""

    def portable(self) -> Model:
        """An equal `aucbench.optim.trees.TreeSum`, whose arrays are saved without pickle."""
        raise UnsupportedError(f"{type(self).__name__} has no method portable, and cannot be saved")


@dataclass(frozen=True)
class Problem:
    """Minimise f(w) + Ω(w) over the weights w of features."""

    f: Objective | None = None  # None: nothing is listed as minimised
    project: Projector = field(default_factory=Identity)  # Ω
    features: FeatureMap = field(default_factory=NoMap)  # φ, fitted: of raw rows to those of f
    holdout: Data | None = None  # rows drawn from the training rows to validate
    train: Data | None = None  # the rows in the space of w, where f is None
    early_stopping: bool = False  # whether another measure than f + Ω has chosen the weights

    @property
    def objective(self) -> Objective:
        """f, for solvers that evaluate it; `UnsupportedError` where it is not listed."""
        if self.f is None:
            raise UnsupportedError("this problem has no listed objective, and the solver needs one")
        return self.f

    @property
    def data(self) -> Data:
        """The training rows in the feature space of w."""
        data = self.train if self.f is None else self.f.data
        if data is None:
            raise DataError(
                "a Problem has an objective or rows: Problem(f), or Problem(train=data)"
            )
        return data


@dataclass(slots=True, kw_only=True)
class State:
    """One iterate: weights, which are live (copy what you keep), or a model, which stays."""

    w: Vector | None = field(default=None, kw_only=False)  # (d,), float64
    model: Model | None = None
    gap: float | None = None  # bound of f(w) + Ω(w) − minimum, rounding included; inf: no bound
    residual: float | None = None  # length of the gradient of f + Ω
    value: float | None = None  # f(w) + Ω(w), where the method knows it; it is verified
    info: Mapping[str, float] = field(default_factory=dict)  # at most 20 numbers, shown as curves


@dataclass(frozen=True)
class Budget:
    """What a fit may use; None is no limit."""

    passes: float | None = None  # over the training rows
    seconds: float | None = None


@dataclass(frozen=True)
class Needs:
    """What a solver supports and asks for; other requests are refused before it runs."""

    capabilities: frozenset[str] = frozenset()  # some of `CAPABILITIES`
    passes: float | None = None  # of a fit without a budget; None: 50
    path: str | None = None  # parameter along which fits of tuning start from each other's weights
    packages: tuple[str, ...] = ()  # modules whose code it runs: their versions count in results
    extra: str | None = None  # the extra of aucbench that installs them

    def __post_init__(self) -> None:
        require_above(0, passes=self.passes)
        require_known("capability", self.capabilities, CAPABILITIES)


class Solver(Protocol):
    """A frozen dataclass; its fields are the hyperparameters, and all of them have defaults."""

    # The grid {parameter: values, a Range, or a distribution}; what matters most comes first.
    space: ClassVar[Space] = MappingProxyType({})
    needs: ClassVar[Needs] = Needs()

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """What it minimises on `data`; without this method, nothing is listed."""
        return Problem(train=data)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State] | State:
        """Yield states until it is finished, or without end: the caller stops it.

        `w0` (d,) is the start, and belongs to the solver. A method that makes one state returns it.
        """


@runtime_checkable
class Streaming(Protocol):
    """A solver of chunks of rows: `aucbench.optim.passes` makes `iterates` of these functions."""

    def start(self, w: Vector, rng: np.random.Generator) -> Any:
        """The memory before the first row, a mutable record; it owns `w` (d,)."""

    def update(self, memory: Any, chunk: Chunk, order: Index) -> None:
        """Learn from the rows `order` of the chunk, in this order; one class is enough."""

    def weights(self, memory: Any) -> Vector:
        """The weights learnt so far, (d,)."""
