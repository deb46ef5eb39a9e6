"""The whole contract between a solver, what it minimises, and the harness.

It is one long file, so that an author of a plugin has read all of it after one file.

Design
  a. A solver is a frozen dataclass of hyperparameters with one generator. It knows no
     clock, no tolerance and no history. The caller stops it and measures it.
     (Rejected: init/step/terminate classes, which split one formula over four methods.)
  b. All random numbers come from the given generator.
  c. Methods that update after every row call one kernel per pass and yield after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from aucbench.data import Chunk, Data, Shapes, Terms, scores
from aucbench.data.arrays import ALL, Block, Index, Rows, Vector
from aucbench.data.inputs import check_rows
from aucbench.errors import (
    DataError,
    ParameterError,
    PluginError,
    UnsupportedError,
    float_of,
    require_above,
    short,
    written_at,
)
from aucbench.ranges import Space
from aucbench.stats.vectors import plain

MAPPED_ROWS = 8192  # rows mapped at a time: with 300 landmarks 20 MB


class Objective(Protocol):
    """f(w), a mean over the rows of `data`."""

    @property
    def data(self) -> Data:
        """The rows."""
        ...

    def value(self, w: Vector) -> float:
        """f(w)."""
        ...

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Gradient (or a subgradient) averaged over the block `rows`, a fresh array."""
        ...


@runtime_checkable
class Smooth(Protocol):
    """An objective whose Hessian is bounded by a matrix, which gives step sizes 1/L."""

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """H v, where H is at least the Hessian of the block `rows` at every w."""
        ...


class Projector(Protocol):
    """prox of step * Omega: argmin_u Omega(u) * step + |u - v|^2 / 2; for a set, nearest point."""

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite the writable contiguous `v` with its prox and return it."""
        ...

    def contains(self, w: Vector) -> bool:
        """Whether w is in the domain of Omega (always, for a penalty)."""
        ...

    def value(self, w: Vector) -> float:
        """Omega(w); 0 or infinity for a set."""
        ...


@dataclass(frozen=True)
class Identity:
    """No constraint and no penalty: Omega = 0."""

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Return `v` as it is."""
        return v

    def contains(self, w: Vector) -> bool:
        """Return True: every w is allowed."""
        return True

    def value(self, w: Vector) -> float:
        """Return 0."""
        return 0.0


def value_of(part: Objective | Projector, w: Vector) -> float:
    """Return f(w) or Omega(w) as a float.

    Raises
    ------
    PluginError
        When it is no number that a float holds.
    """
    value = float_of(came := part.value(w))
    if value is None:
        raise PluginError(
            f"{type(part).__name__}.value returned {short(came)}, wanted a number that a float "
            f"holds{written_at(part.value)}"
        )
    return value


def contains(project: Projector, w: Vector) -> bool:
    """Return whether the set of a projector has w.

    Raises
    ------
    PluginError
        When the answer is neither True nor False.
    """
    answer = project.contains(w)
    if not isinstance(answer, bool | np.bool_):
        raise PluginError(
            f"{type(project).__name__}.contains returned {short(answer)}, wanted True or False"
            f"{written_at(project.contains)}"
        )
    return bool(answer)


class FeatureMap(Protocol):
    """phi, learnt from the training rows only and then applied to any rows.

    It may use labels, since tuning fits it again for each inner fold. A class with
    `shared = True` is fitted only once for a split: it must not use labels, and what it learns
    from rows must not matter. A class with `keeps_rows = True` holds rows that it was fitted to.
    With `keeps_columns = True` feature j of phi(x) belongs to column j of x.
    An affine map may have a method `input_weights`, and a map of columns one by one, or of pairs of
    them, a method `terms`: see the functions of these names. A map that bends columns makes the
    shapes of effects that are asked for, `Data.shapes`, of bounds of weights.
    """

    exempt: ClassVar[int]  # trailing coordinates that are not features (an intercept)

    def fit(self, data: Data, rng: np.random.Generator) -> Self:
        """Return a map that is fitted to `data`."""
        ...

    def __call__(self, rows: Rows) -> Rows:
        """phi(rows)."""
        ...


@dataclass(frozen=True)
class NoMap:
    """phi(x) = x."""

    exempt: ClassVar[int] = 0
    shared: ClassVar[bool] = True
    keeps_columns: ClassVar[bool] = True

    def fit(self, data: Data, rng: np.random.Generator) -> NoMap:
        """Return itself: there is nothing to learn."""
        return self

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (w, 0), as w . phi(x) = w . x + 0."""
        return w, 0.0

    def __call__(self, rows: Rows) -> Rows:
        """Return `rows` as they are."""
        return rows


identity = NoMap()


def input_weights(phi: FeatureMap, w: Vector) -> tuple[Vector, float] | None:
    """Return (v, c) with w . phi(x) = v . x + c; None where the map has no such form.

    A map that has it declares a method `input_weights(w)`.
    """
    method = getattr(phi, "input_weights", None)
    linear: tuple[Vector, float] | None = None if method is None else method(w)
    return linear


def terms(phi: FeatureMap, d: int, shapes: Shapes | None = None) -> Terms | None:
    """Return the terms of the features of phi, and the bounds of their weights; None if unknown.

    A map that makes several features of a column declares a method `terms()`. Where feature j is
    column j times a positive number, and a constant, each column is a linear term.

    Parameters
    ----------
    phi : FeatureMap
        A map that is fitted.
    d : int
        The number of its features.
    shapes : Shapes, optional
        What the effects of some columns must be.

    Raises
    ------
    UnsupportedError
        When the map cannot say what the shapes mean for its features.
    """
    method = getattr(phi, "terms", None)
    known: Terms | None = None if method is None else method()
    if known is None and (scales_columns(phi, d) or shapes is not None):
        require_scaled_columns(phi, d)
        known = Terms.each(d, shapes)
    return known


def scales_columns(phi: FeatureMap, d: int) -> bool:
    """Return whether each of d features is a column times a positive number, and a constant."""
    by_columns = getattr(phi, "keeps_columns", False) and not phi.exempt
    return by_columns and input_weights(phi, np.zeros(d)) is not None


def require_scaled_columns(phi: FeatureMap, d: int) -> None:
    """Raise `UnsupportedError` unless `scales_columns`, for the shapes of effects."""
    if not scales_columns(phi, d):
        raise UnsupportedError(
            f"the features of {type(phi).__name__} mix columns or rows, so that no effect of a "
            "column can be increasing or convex; take splines, bins, auto, standard or none"
        )


class Model(Protocol):
    """Scores rows in another way than w . phi(x): trees, kernels, wrapped estimators.

    A class whose instances hold training rows declares `keeps_rows = True`, and None when that
    depends on somebody else's code.
    """

    def scores(self, rows: Rows) -> Vector:
        """Scores of raw rows (n, d) -> (n,); larger means more positive."""
        ...


class Scoring(Protocol):
    """Weights or a model, one of them: a `State`, or a `Run`."""

    @property
    def w(self) -> Vector | None:
        """Weights of the mapped features, (d,); None with a model."""
        ...

    @property
    def model(self) -> Model | None:
        """The model, which scores raw rows; None with weights."""
        ...


@dataclass(frozen=True)
class Scorer:
    """Scores raw rows by weights or by a model. It is all that a `Run` keeps of a problem.

    It holds no training row, unless the map needs some: see `Run.keeps_rows`.

    Attributes
    ----------
    features : FeatureMap
        Maps raw rows to the features of the weights, already fitted.
    d : int
        Number of weights, or of the columns that a model was trained on.
    """

    features: FeatureMap
    d: int

    def by_each(self, weights: Sequence[Vector], X: Any) -> Vector:
        """Scores by each of m weights, (m, n): each row is mapped once for all of them."""
        raw, phi = check_rows(X)[0], self.features
        if isinstance(phi, NoMap):
            return np.array([scores(raw, w) for w in weights])
        parts = (raw.take(slice(lo, lo + MAPPED_ROWS)) for lo in range(0, raw.n, MAPPED_ROWS))
        mapped = map(phi, parts)
        return np.concatenate([[scores(part, w) for w in weights] for part in mapped], axis=1)

    def __call__(self, learnt: Scoring, X: Any) -> Vector:
        """Scores of raw rows X (n, d) -> (n,) by the weights or the model of a state or a run.

        A score of a model that is not finite becomes NaN, which every measure refuses.

        Raises
        ------
        DataError
            When `X` is not a matrix of finite numbers with the columns trained on.
        PluginError
            When a model does not return n numbers, or there is neither model nor weights.
        """
        if learnt.model is not None:
            return _scores_by(learnt.model, check_rows(X)[0], self.d)
        if learnt.w is None:
            raise PluginError("there is neither w nor a model to score with; yield one of them")
        by_weights: Vector = self.by_each([learnt.w], X)[0]
        return by_weights


@dataclass(frozen=True)
class Problem:
    """Minimise f(w) + Omega(w) over the weights of the features `features`.

    A solver whose states have a model returns `Problem(None, train=data)` with the raw rows.

    Attributes
    ----------
    f : Objective or None
        None when the objective is not one of the listed ones (a scikit-learn baseline).
    project : Projector
        Omega.
    features : FeatureMap
        Maps raw rows to the rows of `f.data`, already fitted.
    holdout : Data or None
        Rows drawn from the training rows by solvers that validate inside.
    w0 : array of shape (d,) or None
        Start; None is 0.
    train : Data or None
        The mapped training rows; None takes them from `f`.
    early_stopping : bool
        Whether the states hold weights that another measure than f + Omega has chosen. They are
        not meant to minimise it, so the harness does not ask whether they do.
    """

    f: Objective | None
    project: Projector = field(default_factory=Identity)
    features: FeatureMap = identity
    holdout: Data | None = None
    w0: Vector | None = None
    train: Data | None = None
    early_stopping: bool = False

    @property
    def objective(self) -> Objective:
        """f, for solvers that evaluate it.

        Raises
        ------
        UnsupportedError
            When f is not listed.
        """
        if self.f is None:
            raise UnsupportedError("this problem has no listed objective, and the solver needs one")
        return self.f

    @property
    def data(self) -> Data:
        """The training rows in the feature space of w."""
        data = self.train if self.f is None else self.f.data
        if data is None:
            raise DataError("a Problem without objective needs its rows: Problem(None, train=data)")
        return data

    def start(self) -> Vector:
        """Return a fresh w_0."""
        return np.zeros(self.data.d) if self.w0 is None else self.w0.copy()

    def value(self, w: Vector) -> float | None:
        """f(w) + Omega(w); None where f is not listed.

        Raises
        ------
        PluginError
            As `value_of`.
        """
        return None if self.f is None else value_of(self.f, w) + value_of(self.project, w)

    @property
    def scorer(self) -> Scorer:
        """What scores raw rows; it holds no row of the problem."""
        return Scorer(self.features, self.data.d)


def _scores_by(model: Model, rows: Rows, d: int) -> Vector:
    if rows.d != d:
        raise DataError(f"X has {rows.d} columns, the model was trained on {d}; pass the same")
    name = f"what {type(model).__name__}.scores returned"
    try:
        s = plain(name, model.scores(rows))
    except DataError as error:
        raise PluginError(str(error)) from error
    if s.shape != (rows.n,) or s.dtype.kind not in "biuf":
        raise PluginError(
            f"{type(model).__name__}.scores returned {s.dtype} of shape {s.shape} for "
            f"{rows.n} rows, wanted numbers of shape ({rows.n},)"
            f"{written_at(model.scores)}"
        )
    return np.where(np.isfinite(s), s, np.nan).astype(np.float64, copy=False)


@dataclass(slots=True)
class State:
    """One iterate: weights, or a model. Both are live: copy the `w` that you keep.

    `step` counts the states, 1, 2, 3, ... `rows_seen` counts the rows read since the start, each
    time they are read for a product with weights, and never falls. `solve` counts along, and takes
    no number below its own. `w` is an array of float64, one weight for each column of
    `Problem.data`. `solve` ends a run with `PluginError` when a state breaks a law, see
    docs/contract.md.

    A gap is an upper bound of f(w) + Ω(w) minus its minimum, rounding errors included. Infinity
    means that nothing is certified. A method without certificates leaves it None. A method that
    ends by itself with a gap above the tolerance of `solve` has stalled.

    A state with a model has w = None; it has no objective, no gap and no non-zeros.

    A method that knows the objective at w yields it as `value`, which saves an evaluation for each
    point of the curve. `solve` evaluates steps 1, 2, 4, 8, ... and the last state itself, and a
    value that is not the objective ends the run with `PluginError`.

    Attributes
    ----------
    step : int
        Number of the state.
    w : array of shape (d,), or None
        The weights; None with a model.
    rows_seen : int
        Rows read since the start.
    gap : float or None
        Certified optimality gap, where the method has one.
    residual : float or None
        Length of the gradient of the objective, where the method has it.
    value : float or None
        f(w) + Omega(w), where the method knows it.
    model : Model or None
        What scores rows, where it is not w . phi(x).
    info : mapping of str to float
        The method's own diagnostics, at most 20: kept in the record, and shown as curves.
    last : bool
        Whether the method ends with this state, whatever the budget is.
    """

    step: int
    w: Vector | None
    rows_seen: int
    gap: float | None = None
    residual: float | None = None
    value: float | None = None
    model: Model | None = None
    info: Mapping[str, float] = field(default_factory=dict)
    last: bool = False


@dataclass(frozen=True)
class Budget:
    """What a fit may use: the first limit that is reached ends it; None is no limit.

    A method whose `problem` or `iterates` has a parameter `budget: Budget | None = None` gets the
    one of `solve`. It is for methods that plan with a horizon, and for set-up work that should not
    cost more than the fit. It is None where nobody has set a limit, as in a loop of your own. The
    caller stops the solver in any case.

    Attributes
    ----------
    passes : float or None
        Rows that may be read, divided by the training rows; `State.rows_seen` says what counts.
    seconds : float or None
        Seconds inside `problem` and `iterates`.
    """

    passes: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        require_above(0, passes=self.passes, seconds=self.seconds)


@dataclass(frozen=True)
class Needs:
    """What a solver supports; the harness refuses other requests before it runs.

    Attributes
    ----------
    objective : bool or type
        Whether it runs on any objective that is put into `Problem.f`. A protocol, such as
        `Smooth`: on those that follow it.
    unless : str or None
        Parameter that, when it is given, takes the place of this protocol.
    projector : bool
        Whether it runs with any projector that is put into `Problem.project`.
    objective_parameters, projector_parameters : tuple of str
        Parameters of its own f, and of its own Omega. They have no meaning with another one. Then
        they are refused where the user gives them, and left out of records and grids.
    breakpoints : bool
        Whether it learns from error functions too, not from labels only.
    weights : bool
        Whether it minimises an objective with the weights of rows, where there are some.
    pairs : tuple of str
        Kinds of pairs, beside all pairs of labels, that it trains on: "group", "range", "order".
        Solvers with weights train on those of classes too; "class" says that one without draws
        them by their weights.
    shapes : bool
        Whether it keeps the bounds of weights of `Data.terms`, where there are some: those of
        effects that must be increasing, for example.
    parts : bool
        Whether it also runs on rows that are read in chunks and never are in memory together: on
        `aucbench.scale.ChunkedData` in place of `Data`, of which it asks summaries of all rows.
    passes : float or None
        Passes of a fit where the user gives no budget; None: 50.
    path : str or None
        In tuning, a point starts from the weights of its neighbour along this parameter, if the
        axis is a list of values. `Problem.w0` holds these weights. None: each has its own start.
    inert : tuple of str
        Parameters that change nothing on few rows while the others have their defaults, and "seed"
        where random numbers do so; such as the seed of a library which draws on many rows only.
    packages : tuple of str
        Top-level modules, other than the plugin, whose code it runs. Their versions count in the
        id of a cell, or their files if they are not installed.
    extra : str or None
        The extra of aucbench that installs `packages`.

    Raises
    ------
    ParameterError
        When a field has another type, or names parameters of a part that cannot be replaced.
    """

    objective: bool | type = False
    unless: str | None = None
    projector: bool = False
    objective_parameters: tuple[str, ...] = ()
    projector_parameters: tuple[str, ...] = ()
    breakpoints: bool = False
    weights: bool = False
    pairs: tuple[str, ...] = ()
    shapes: bool = False
    parts: bool = False
    passes: float | None = None
    path: str | None = None
    inert: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    extra: str | None = None

    def __post_init__(self) -> None:
        require_above(0, passes=self.passes)
        for name in ("projector", "breakpoints", "weights", "shapes", "parts"):
            if not isinstance(value := getattr(self, name), bool):
                raise ParameterError(f"{name} of Needs must be True or False, got {value!r}")
        if not isinstance(self.objective, bool | type):
            raise ParameterError(
                f"objective of Needs must be True, False or a protocol, such as Smooth, got "
                f"{self.objective!r}"
            )
        for name, what in (
            ("packages", "modules"),
            ("inert", "parameters"),
            ("pairs", "kinds of pairs"),
            ("objective_parameters", "parameters"),
            ("projector_parameters", "parameters"),
        ):
            own = getattr(self, name)
            if not isinstance(own, tuple | list) or not all(isinstance(x, str) for x in own):
                raise ParameterError(
                    f"{name} of Needs must be a tuple of names of {what}, got {own!r}"
                )
        for kind in ("objective", "projector"):
            if getattr(self, f"{kind}_parameters") and not getattr(self, kind):
                raise ParameterError(
                    f"{kind}_parameters of Needs are for solvers whose {kind} can be replaced; "
                    f"declare {kind}=True too, or leave them out"
                )

    def parameters_of(self, kinds: Collection[str]) -> tuple[str, ...]:
        """Return the parameters of its own "objective" or "projector", or of both."""
        return tuple(
            name
            for kind in ("objective", "projector")
            if kind in kinds
            for name in getattr(self, f"{kind}_parameters")
        )


class Solver(Protocol):
    """A frozen dataclass whose fields are the hyperparameters.

    `problem` and `iterates` may have a further parameter `budget: Budget | None = None`.
    """

    @property
    def space(self) -> Space:
        """The published grid {parameter: axis}, a class attribute; what matters most comes first.

        An axis is a tuple of values, a `Range`, or a frozen distribution of scipy.stats. A list
        of such mappings is for parameters that have a meaning only with some others.
        """
        ...

    @property
    def needs(self) -> Needs:
        """What it supports, a class attribute."""
        ...

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Return what it minimises on `data`."""
        ...

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Yield iterates until it is finished, or without end: the caller stops it."""
        ...


@runtime_checkable
class Streaming(Protocol):
    """A solver that learns from successive chunks of rows, in memory that does not grow.

    It needs only the three functions. `aucbench.optim.passes` makes `iterates` of them, and
    `AUCClassifier.partial_fit` calls them. All state is in the memory, a mutable record.
    """

    def start(self, w: Vector, rng: np.random.Generator) -> Any:
        """Return the memory before the first row; it owns `w` (d,), the first weights.

        If updates draw random numbers, the memory keeps `rng`. They draw them row by row, so that
        the numbers do not depend on where chunks end.
        """
        ...

    def update(self, memory: Any, chunk: Chunk, order: Index) -> None:
        """Learn from the rows `order` of the chunk, in this order. One class is enough."""
        ...

    def weights(self, memory: Any) -> Vector:
        """Return the weights learnt so far, (d,), a view or a fresh array."""
        ...
