"""Benchmarks for asv (https://asv.readthedocs.io) that a package of plugins inherits.

A subclass names what is measured, and asv keeps the history of it in the repository of the
package. The classes here are abstract, so that asv does not run them where they are imported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.metrics import auc
from aucbench.protocols import Solver
from aucbench.registry import (
    get_dataset,
    get_features,
    get_metric,
    get_objective,
    get_pairs,
    get_projector,
    get_solver,
)
from aucbench.solving.loop import solve

TEST = 0.3  # share of the rows that are tested on


@cache  # asv calls setup before each sample
def rows_of(name: str) -> tuple[Data, Data]:
    """Return training and test rows of a data set, scaled by `maxabs`: always the same rows.

    Parameters
    ----------
    name : str
        A registered data set, such as "digits-8", or "digits-8 as CSR".
    """
    name, _, layout = name.partition(" as ")
    train, test = get_dataset(name).split(TEST, np.random.default_rng(0))
    scaled = get_features("maxabs").fit(train, np.random.default_rng(0))
    parts = [part.with_rows(scaled(part.rows)) for part in (train, test)]
    if layout == "CSR":
        parts = [Data.of(csr_array(part.rows.matrix), part.y) for part in parts]
    return parts[0], parts[1]


class OnData(ABC):
    """What is measured on three embedded data sets, one of them as CSR rows.

    Attributes
    ----------
    version : str
        asv forgets what it measured before when this changes.
    params, param_names : tuple
        The names of the data sets, for asv.
    """

    version: ClassVar[str] = "1"
    params: ClassVar[Any] = (["breast-cancer", "digits-8", "digits-8 as CSR"],)
    param_names: ClassVar[Any] = ("data",)

    train: Data
    test: Data

    def setup(self, data: str) -> None:
        """Read the rows, which is not measured."""
        self.train, self.test = rows_of(data)


class SolverSuite(OnData):
    """Time, memory and test AUC of fits of a solver.

    ```python
    class HeavyBall(SolverSuite):
        solver = "heavy-ball"
    ```

    Attributes
    ----------
    solver : str or Solver
        A name, such as "heavy-ball[beta=0.5]", or an instance.
    passes : float
        Budget of each fit.
    """

    passes: float = 20.0

    @property
    @abstractmethod
    def solver(self) -> str | Solver:
        """Name of the solver, or an instance."""

    def setup(self, data: str) -> None:
        """Read the rows and build the solver."""
        super().setup(data)
        self.built = get_solver(self.solver)

    def time_fit(self, data: str) -> None:
        """Seconds of a fit."""
        self._fitted()

    def peakmem_fit(self, data: str) -> None:
        """Memory of the process, at most."""
        self._fitted()

    def track_auc(self, data: str) -> float:
        """AUC of the scores of the test rows."""
        return auc(self.test.y, self._fitted().decision_function(self.test.rows))

    track_auc.unit = "AUC"  # type: ignore[attr-defined]

    def _fitted(self) -> Any:
        return solve(self.built, self.train, passes=self.passes, every=inf)


class ObjectiveSuite(OnData):
    """Times of the value and the gradient of an objective.

    Attributes
    ----------
    objective : str
        Its name, such as "logistic".
    """

    @property
    @abstractmethod
    def objective(self) -> str:
        """Name of the objective."""

    def setup(self, data: str) -> None:
        """Read the rows and draw weights."""
        super().setup(data)
        self.f = get_objective(self.objective, self.train)
        self.w = np.random.default_rng(0).normal(size=self.train.d)

    def time_value(self, data: str) -> None:
        """Seconds of f(w)."""
        self.f.value(self.w)

    def time_grad(self, data: str) -> None:
        """Seconds of the gradient over all rows."""
        self.f.grad(self.w)


class ProjectorSuite(ABC):
    """Times of a projector, on vectors of 100 and of 10 000 weights.

    Attributes
    ----------
    projector : str
        Its name, such as "box[R=1]".
    """

    version: ClassVar[str] = "1"
    params: ClassVar[Any] = ([100, 10_000],)
    param_names: ClassVar[Any] = ("d",)

    @property
    @abstractmethod
    def projector(self) -> str:
        """Name of the projector."""

    def setup(self, d: int) -> None:
        """Draw a vector that is far outside."""
        self.project = get_projector(self.projector)
        self.far = 100.0 * np.random.default_rng(0).normal(size=d)

    def time_project(self, d: int) -> None:
        """Seconds of a projection, with a copy of the vector."""
        self.project(self.far.copy())


class FeaturesSuite(OnData):
    """Time and memory of a feature map.

    Attributes
    ----------
    features : str
        Its name, such as "standard".
    """

    @property
    @abstractmethod
    def features(self) -> str:
        """Name of the feature map."""

    def setup(self, data: str) -> None:
        """Read the rows and fit the map."""
        super().setup(data)
        self.fitted = self._fitted()

    def time_fit(self, data: str) -> None:
        """Seconds of learning the map from training rows."""
        self._fitted()

    def time_map(self, data: str) -> None:
        """Seconds of mapping the test rows."""
        self.fitted(self.test.rows)

    def peakmem_map(self, data: str) -> None:
        """Memory of the process, at most."""
        self.fitted(self.test.rows)

    def _fitted(self) -> Any:
        return get_features(self.features).fit(self.train, np.random.default_rng(0))


class PairsSuite(OnData):
    """Time and memory of the pairs of rows, and of the share of them that scores have in order.

    Attributes
    ----------
    pairs : str
        Their name, such as "group[each=group]". The rows have groups of ten.
    """

    @property
    @abstractmethod
    def pairs(self) -> str:
        """Name of the pairs."""

    def setup(self, data: str) -> None:
        """Read the rows, and draw scores."""
        super().setup(data)
        self.train = replace(self.train, groups=np.arange(self.train.n, dtype=np.int32) // 10)
        self.scores = np.random.default_rng(0).normal(self.train.y)

    def time_members(self, data: str) -> None:
        """Seconds of finding the pairs."""
        self._members()

    def time_concordance(self, data: str) -> None:
        """Seconds of the share of pairs in order, with the search for the pairs."""
        self._members().concordance(self.scores)

    def peakmem_members(self, data: str) -> None:
        """Memory of the process, at most."""
        self._members()

    def _members(self) -> Any:
        return get_pairs(self.pairs).members(self.train)


class DatasetSuite(ABC):
    """Time and memory of reading or drawing a data set.

    Attributes
    ----------
    dataset : str
        Its name, such as "outbreak[n=1000]".
    """

    version: ClassVar[str] = "1"

    @property
    @abstractmethod
    def dataset(self) -> str:
        """Name of the data set."""

    def time_read(self) -> None:
        """Seconds of reading it."""
        get_dataset(self.dataset)

    def peakmem_read(self) -> None:
        """Memory of the process, at most."""
        get_dataset(self.dataset)


class MetricSuite(ABC):
    """Times of a metric, on 1000 and on 100 000 scores, one in ten of them of a positive row.

    Attributes
    ----------
    metric : str
        Its name, such as "pauc[max_fpr=0.1]".
    """

    version: ClassVar[str] = "1"
    params: ClassVar[Any] = ([1_000, 100_000],)
    param_names: ClassVar[Any] = ("n",)

    @property
    @abstractmethod
    def metric(self) -> str:
        """Name of the metric."""

    def setup(self, n: int) -> None:
        """Draw labels and scores."""
        self.f = get_metric(self.metric)
        self.y = (np.arange(n) % 10 == 0).astype(np.int8)
        self.scores = np.random.default_rng(0).normal(self.y)

    def time_metric(self, n: int) -> None:
        """Seconds of one value."""
        self.f(self.y, self.scores)
