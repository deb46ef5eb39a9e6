"""How a model is fitted to rows, once its solver and its parameters are chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.datasets.tables import Encoding
from aucbench.models.model import Model
from aucbench.registry import get_preprocessing, get_solver
from aucbench.registry.specs import Spec
from aucbench.solving.loop import solve


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
        part = data if rows is None else data.take(rows)
        encoding = None if part.schema is None else Encoding.learn(part.schema, part.rows)
        train = part if encoding is None else part.with_rows(encoding(part.rows))
        phi = get_preprocessing(self.features).fit(train, np.random.default_rng([self.seed, split]))
        run = solve(
            get_solver(self.spec),
            train.with_rows(phi(train.rows)),
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
            negative=part.understood.negative or ("-1",),
            positive=part.understood.positive or ("1",),
            threshold=0.0,
            provenance={
                "solver": str(self.spec),
                "features": self.features,
                "seed": self.seed,
                "n": part.n,
                "n_pos": part.labels.n_pos,
                "stop": run.stop.name,
            },
        )
        return replace(model, spread=spread_of(model.mapped(part.rows)))


def spread_of(rows: Rows) -> Vector:
    """Return the standard deviation of each column (divisor n), shape (d,)."""
    X = rows.matrix
    if not rows.is_sparse:
        return np.asarray(X.std(axis=0))
    mean = np.asarray(X.mean(axis=0)).reshape(-1)
    squares = np.asarray(X.power(2).mean(axis=0)).reshape(-1)
    return np.asarray(np.sqrt(np.maximum(squares - mean**2, 0.0)))
