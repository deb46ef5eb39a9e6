"""How a model is fitted to rows, once its solver and its parameters are chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucbench.contract import FeatureMap, NoMap, Solver
from aucbench.data import Categories, Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.shapes import written_shapes
from aucbench.data.targets import Labels
from aucbench.datasets.chunked import data as chunked
from aucbench.datasets.reading import Plain
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.changes import ranges_of
from aucbench.errors import DataError, UnsupportedError
from aucbench.features import Chain, Standard
from aucbench.features.chain import applied
from aucbench.features.chain import mapped as map_rows
from aucbench.features.chunked import map_of, with_features
from aucbench.models.model import Model
from aucbench.models.score_function import as_steps, functions_of
from aucbench.ranges import GAP_TOL
from aucbench.records import Run
from aucbench.registry import get_preprocessing, get_solver
from aucbench.registry.specs import Spec
from aucbench.scale import ChunkedData
from aucbench.solving.loop import solve
from aucbench.solving.scoring import MAPPED_ROWS

PINNED = "OMP_NUM_THREADS"  # what the solvers with trees look at
MOST_SCORED = 20_000  # training rows whose scores tell the scale of a model
FEW_NUMBERS = 1 << 22  # of rows that are mapped at once


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """Training rows with their features, as a solver takes them.

    Attributes
    ----------
    data : Data or ChunkedData
        The rows as they were read.
    encoding : Encoding or None
        Makes features of codes.
    phi : FeatureMap or None
        Applied to these features; None: a reader in chunks has made them.
    mapped : Data or ChunkedData
        The rows with the features that a solver sees.
    """

    data: Data | ChunkedData
    encoding: Encoding | None
    phi: FeatureMap | None
    mapped: Data | ChunkedData

    def features_of(self, rows: Rows) -> Rows:
        """Return the features of other rows in memory."""
        assert self.phi is not None
        return map_rows(self.phi, rows if self.encoding is None else self.encoding(rows))


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A solver with its parameters, a feature map, and the limits of a fit.

    Attributes
    ----------
    solver : str, Spec or Solver
    features : str or FeatureMap
    passes, seconds : float or None
        Limits of a fit, as of `solve`.
    gap_tol : float
        Certified relative gap at which a solver that has one stops.
    seed : int
    """

    solver: str | Spec | Solver
    features: str | FeatureMap = "auto"
    passes: float | None = None
    seconds: float | None = None
    gap_tol: float = GAP_TOL
    seed: int = 0

    def fit(
        self,
        data: Data | ChunkedData,
        rows: Index | None = None,
        *,
        split: int = 0,
        start: Model | None = None,
    ) -> tuple[Model, Run]:
        """Return the model of these rows, or of all, and its run; a threshold is 0.

        Parameters
        ----------
        data : Data or ChunkedData
            In memory, or read in chunks.
        rows : array, optional
            Numbers of the training rows.
        split : int
            Of the random numbers of the feature map, as the number of a split of a run.
        start : Model, optional
            The solver goes on from its weights, on features of its encoding and its maps.

        Raises
        ------
        UnsupportedError
            When a start is given and has no weights, or the solver takes none; or when the solver
            or the map needs all rows in memory, and they are read in chunks.
        DataError
            When the solver cannot be fitted to these rows.
        """
        prepared = self.prepared(data, rows, split=split, start=start)
        return self.fit_prepared(prepared, start)

    def prepared(
        self,
        data: Data | ChunkedData,
        rows: Index | None = None,
        *,
        split: int = 0,
        start: Model | None = None,
    ) -> Prepared:
        """Return training rows with their features; parameters and errors are those of `fit`."""
        whole = rows is None or (rows.size == data.n and np.array_equal(rows, np.arange(data.n)))
        part = data if whole or rows is None else data.take(rows)
        if isinstance(part, ChunkedData):
            part = part if part.seed == self.seed else replace(part, seed=self.seed)
            mapped = with_features(str(self.features), part)
            return Prepared(data=part, encoding=chunked.encoding_of(part), phi=None, mapped=mapped)
        if start is not None and start.labels != class_labels(part):
            raise DataError(
                f"warm_start goes on from the classes {[*start.labels]}, and the rows have others; "
                "fit it with warm_start=False"
            )
        encoding = _encoding_of(part, start)
        train = part if encoding is None else encoding.applied(part)
        if start is None:
            rng = np.random.default_rng([self.seed, split])
            phi = get_preprocessing(self.features).fit(train, rng)
        else:
            phi = _chain(start)
        return Prepared(data=part, encoding=encoding, phi=phi, mapped=applied(phi, train))

    def fit_prepared(self, prepared: Prepared, start: Model | None = None) -> tuple[Model, Run]:
        """Return the model of training rows with their features, and its run; as `fit`."""
        solver, part = get_solver(self.solver), prepared.data
        if isinstance(part, ChunkedData):
            assert isinstance(prepared.mapped, ChunkedData)
            return self._fit_chunks(part, prepared.mapped, start)
        assert prepared.phi is not None
        run = self._solve(solver, prepared.mapped, None if start is None else weights_of(start))
        model = Model(
            functions=functions_of(run),
            labels=class_labels(part),
            width=part.d,
            columns=part.names,
            encoding=prepared.encoding,
            maps=as_steps(prepared.phi),
            ranges=ranges_of(part.rows),
            provenance={
                **self._origin(run, part.n, part.target.numbers, part.target.what),
                **_constraints(part),
                **({"trained_on": run.trained_on} if run.trained_on else {}),
                **_class_rows(part),
            },
        )
        return model, run

    def _fit_chunks(
        self, data: ChunkedData, train: ChunkedData, start: Model | None
    ) -> tuple[Model, Run]:
        """Return the model of rows that are read in chunks, with the spreads of its features."""
        solver, w0 = get_solver(self.solver), None
        if start is not None and "warm-start" in solver.needs.capabilities:
            # on features of other rows, whose scales are close
            w0 = weights_of(start)[: train.d] * (train.scale / scale_of(start))
        run = self._solve(solver, train, w0)
        encoding = chunked.encoding_of(data)
        names = data.names if encoding is None else encoding.schema.names
        spread = train.deviation / train.scale
        functions = (
            replace(one, spread=np.pad(spread, (0, one.d - spread.size)))
            for one in functions_of(run)
        )
        model = Model(
            functions=tuple(functions),
            labels=class_labels(data),
            width=data.d if encoding is None else len(encoding.schema.columns),
            columns=names,
            encoding=encoding,
            maps=as_steps(map_of(train)),
            ranges=chunked.ranges_of(train),
            provenance=self._origin(run, data.n, {"n_pos": train.n_pos}, Labels.what),
        )
        return model, run

    def _solve(self, solver: Solver, train: Data | ChunkedData, w0: Vector | None) -> Run:
        return solve(
            solver,
            train,
            passes=self.passes,
            seconds=self.seconds,
            gap_tol=self.gap_tol,
            seed=self.seed,
            w0=w0,
        )

    def _origin(self, run: Run, n: int, counts: Mapping[str, int], target: str) -> dict[str, Any]:
        return {
            "solver": str(self.solver),
            "features": str(self.features),
            "seed": self.seed,
            "n": n,
            **counts,
            "target": target,
            "stop": run.stop.name,
            "passes": run.points[-1].passes,
        }

    def fitted(
        self,
        data: Data | ChunkedData,
        rows: Index | None = None,
        *,
        split: int = 0,
        start: Model | None = None,
    ) -> Model:
        """Return the model of these rows by one thread, with the spreads of its features.

        Of rows that are read in chunks, other threads read. Parameters and errors are those of
        `fit`.
        """
        with one_thread():
            model = self.fit(data, rows, split=split, start=start)[0]
        if isinstance(data, ChunkedData):
            return model
        return with_spreads(model, data.rows if rows is None else data.rows.take(rows))


def scale_of(model: Model) -> Vector | float:
    """Return the scale of each column by the map of a model; 1 if it has none."""
    for phi in model.maps:
        if isinstance(phi, Standard) and phi.spread is not None:
            return phi.spread
    return 1.0


def _chain(start: Model) -> FeatureMap:
    """Return the maps of a model as one."""
    return Chain(start.maps) if start.maps else NoMap()


def weights_of(start: Model) -> Vector:
    """Return the weights of a model, (d,); of K classes (K, d).

    Raises
    ------
    UnsupportedError
        When it has none, or those of the classes differ in length.
    """
    each = [function.weights for function in start.functions if function.weights is not None]
    if len(each) < len(start.functions) or len({w.size for w in each}) > 1:
        raise UnsupportedError(
            f"{start.provenance.get('solver', 'the model')!r} learns no weights to start from; fit "
            "it with warm_start=False"
        )
    return np.array(each) if len(each) > 1 else each[0]


def _encoding_of(data: Data, start: Model | None) -> Encoding | None:
    """Return what makes features of rows; that of a start with the free texts of these rows."""
    if data.schema is None:
        return None
    if start is not None and start.encoding is not None:
        return replace(start.encoding, schema=data.schema)
    return Encoding.learn(data.schema, data.rows)


def _class_rows(data: Data) -> dict[str, list[int]]:
    """Return the number of rows of each of three or more classes."""
    if not isinstance(data.target, Categories):
        return {}
    return {"class_rows": data.target.counts.tolist()}


def _constraints(data: Data) -> dict[str, str]:
    """Return as text the shapes that effects of columns must have."""
    if data.shapes is None:
        return {}
    names = data.names or range(data.d)
    shapes = {str(names[j]): shape for j, shape in data.shapes.of_columns}
    return {"monotone": written_shapes(shapes)}


def class_labels(data: Data | ChunkedData) -> tuple[tuple[Plain, ...], ...]:
    """Return the labels of each class, see `Model.labels`; none if the rows have no classes."""
    known = data.understood
    if isinstance(data, ChunkedData):
        return known.negative, known.positive
    if isinstance(data.target, Categories):
        names = known.labels if len(known.labels) == data.target.k else data.target.names.tolist()
        return tuple((label,) for label in names)
    if not isinstance(data.target, Labels):
        return ()
    return known.negative or ("-1",), known.positive or ("1",)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let OpenMP and BLAS have one thread, as the cells of a comparison have by default.

    Threads of OpenMP wait for each other at each level of each tree. Where other programs take
    their cores, LightGBM is ten times slower with two of them.
    """
    from threadpoolctl import threadpool_limits

    before = os.environ.get(PINNED)
    os.environ[PINNED] = "1"
    try:
        with threadpool_limits(1):
            yield
    finally:
        if before is None:
            del os.environ[PINNED]
        else:
            os.environ[PINNED] = before


def some_of(rows: Index, seed: int) -> Index:
    """Return numbers of rows: all, or `MOST_SCORED` of them in their order."""
    if rows.size <= MOST_SCORED:
        return rows
    drawn = np.random.default_rng(seed).choice(rows, MOST_SCORED, replace=False)
    return np.sort(drawn).astype(np.int32)


def spread_of(rows: Rows) -> Vector:
    """Return the standard deviation of each column (divisor n), shape (d,)."""
    X = rows.matrix
    if not rows.is_sparse:
        return np.asarray(X.std(axis=0))
    mean = np.asarray(X.mean(axis=0)).reshape(-1)
    squares = np.asarray(X.power(2).mean(axis=0)).reshape(-1)
    return np.asarray(np.sqrt(np.maximum(squares - mean**2, 0.0)))


def with_spreads(model: Model, X: Rows) -> Model:
    """Return the model with the spread of each feature over its training rows."""
    both = ((one, lambda part, one=one: one.mapped(model.mapped(part))) for one in model.functions)
    functions = tuple(replace(one, spread=_spread_of_mapped(mapped, X)) for one, mapped in both)
    return replace(model, functions=functions)


def _spread_of_mapped(mapped: Callable[[Rows], Rows], X: Rows) -> Vector:
    """Return the standard deviation of each mapped feature of rows, in blocks.

    Deviations are from the first row, so that a column far from 0 keeps its digits.
    """
    first_row = mapped(X.take(slice(0, 1)))
    if X.n * X.d <= FEW_NUMBERS or first_row.is_sparse:
        return spread_of(mapped(X))
    first = first_row.matrix[0]
    total, squares = np.zeros(first.size), np.zeros(first.size)
    for lo in range(0, X.n, MAPPED_ROWS):
        moved = mapped(X.take(slice(lo, lo + MAPPED_ROWS))).matrix - first
        total += moved.sum(axis=0)
        squares += (moved * moved).sum(axis=0)
    variance = squares / X.n - (total / X.n) ** 2
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
