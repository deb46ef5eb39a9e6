"""How a model is fitted to rows, once its solver and its parameters are chosen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.targets import Labels
from aucbench.datasets.reading import Plain
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.changes import ranges_of
from aucbench.features.chain import applied
from aucbench.models.model import Model
from aucbench.protocols import MAPPED_ROWS
from aucbench.registry import get_preprocessing, get_solver
from aucbench.registry.specs import Spec
from aucbench.solving.loop import solve

PINNED = "OMP_NUM_THREADS"  # what the solvers with trees look at
MOST_SCORED = 20_000  # training rows whose scores tell the scale of a model
FEW_NUMBERS = 1 << 22  # of rows that are mapped at once


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A solver with its parameters, a feature map, and the limits of a fit.

    Attributes
    ----------
    spec : Spec
        The solver.
    features : str
        The feature map.
    passes, seconds : float or None
        Limits of a fit, as of `solve`.
    seed : int
    """

    spec: Spec
    features: str = "auto"
    passes: float | None = None
    seconds: float | None = None
    seed: int = 0

    def fitted(self, data: Data, rows: Index | None = None, *, split: int = 0) -> Model:
        """Return the model of these rows, or of all; its threshold is 0.

        Parameters
        ----------
        split : int
            Of the random numbers of the feature map, as the number of a split of a run.

        Raises
        ------
        UnsupportedError
            When a model of this solver, or with this feature map, cannot be saved.
        DataError
            When the solver cannot be fitted to these rows.
        """
        whole = rows is None or (rows.size == data.n and np.array_equal(rows, np.arange(data.n)))
        part = data if whole or rows is None else data.take(rows)
        encoding = None if part.schema is None else Encoding.learn(part.schema, part.rows)
        train = part if encoding is None else encoding.applied(part)
        phi = get_preprocessing(self.features).fit(train, np.random.default_rng([self.seed, split]))
        with one_thread():
            run = solve(
                get_solver(self.spec),
                applied(phi, train),
                passes=self.passes,
                seconds=self.seconds,
                seed=self.seed,
            )
        model = Model.of_run(
            run,
            phi,
            width=part.d,
            columns=part.names,
            encoding=encoding,
            **classes_of(part),
            threshold=0.0,
            provenance={
                "solver": str(self.spec),
                "features": self.features,
                "seed": self.seed,
                "n": part.n,
                **part.target.numbers,
                "target": part.target.what,
                "stop": run.stop.name,
            },
        )
        spread, ranges = _spread_of_mapped(model, part.rows), ranges_of(part.rows)
        return replace(model, spread=spread, ranges=ranges)


def classes_of(data: Data) -> dict[str, tuple[Plain, ...]]:
    """Return the labels of both classes by name; none where rows have another target."""
    if not isinstance(data.target, Labels):
        return {"negative": (), "positive": ()}
    known = data.understood
    return {"negative": known.negative or ("-1",), "positive": known.positive or ("1",)}


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


def _spread_of_mapped(model: Model, X: Rows) -> Vector:
    """Return the standard deviation of each feature that a model makes of rows, in pieces.

    Deviations are from the first row, so that a column far from 0 keeps its digits.
    """
    first_row = model.mapped(X.take(slice(0, 1)))
    if X.n * X.d <= FEW_NUMBERS or first_row.is_sparse:
        return spread_of(model.mapped(X))
    first = first_row.matrix[0]
    total, squares = np.zeros(first.size), np.zeros(first.size)
    for lo in range(0, X.n, MAPPED_ROWS):
        moved = model.mapped(X.take(slice(lo, lo + MAPPED_ROWS))).matrix - first
        total += moved.sum(axis=0)
        squares += (moved * moved).sum(axis=0)
    variance = squares / X.n - (total / X.n) ** 2
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
