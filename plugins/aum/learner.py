"""Parameters and parts that the solvers for the AUM share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucbench.aum.steps import AumObjective, search_called
from aucbench.contract import FeatureMap, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import of_pullback
from aucbench.data.targets import Labels
from aucbench.errors import (
    DataError,
    ParameterError,
    require_at_least,
    require_count,
)

from .descent import aum_descent
from .published import published_descent
from .vertex import load

ENOUGH_TO_HOLD = 10  # rows of each class from which some are held out without being asked for


@dataclass(frozen=True)
class AumLearner(Solver):
    """The parameters of a descent of the AUM, and their checks.

    The docstrings of the solvers explain them.
    """

    line_search: str | None = None
    memory: int = 30
    validation: float | None = None
    early_stopping: bool = True
    intercept: bool = False
    tol: float = 1e-6

    # The papers tune nothing. They compare the searches, with the memory 1.
    space: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "memory": (30, 1),
        "line_search": ("exact", "linear", "max_auc"),
    }
    few: ClassVar[int] = (
        0  # rows for which "max_auc" is the default, since it sweeps O(n²) crossings
    )
    held: ClassVar[float] = 0.0  # share of the rows that judge where `validation` is None

    def __post_init__(self) -> None:
        if self.line_search is not None:
            search_called(self.line_search)
        load()  # here, so that the time of a fit does not include this import
        require_count(1, memory=self.memory)
        require_at_least(0, tol=self.tol, validation=self.validation)
        searched = self.line_search == "max_auc_validation"
        if searched and not self.validation:
            raise ParameterError(
                "line_search='max_auc_validation' needs rows that judge; set validation=0.2, say"
            )
        if self.validation and not (searched or self.early_stopping):
            raise ParameterError(
                f"validation={self.validation} would judge nothing without early_stopping; leave "
                "one of them out"
            )

    def share(self, data: Data) -> float:
        """Return the share of the rows that is held out, to judge the weights."""
        if self.validation is not None:
            return self.validation
        target = data.target
        enough = isinstance(target, Labels) and min(target.n_pos, target.n_neg) >= ENOUGH_TO_HOLD
        return self.held if self.early_stopping and enough else 0.0

    def search(self, data: Data) -> str:
        """Return how steps are chosen on these rows."""
        few = self.early_stopping and data.n <= self.few
        default = "max_auc" if few or not isinstance(data.target, Labels) else "exact"
        return self.line_search or default

    def parts(
        self, data: Data, phi: FeatureMap, rng: np.random.Generator
    ) -> tuple[Data, Data | None]:
        """Return the training rows and the validation rows, both mapped."""
        mapped = data.with_rows(phi(data.rows))
        share = self.share(data)
        return mapped.split(share, rng) if share else (mapped, None)

    def descend(
        self, problem: Problem, w: Vector, objective: Callable[[Data], AumObjective]
    ) -> Iterator[State]:
        """Yield one state per line search from w, on the rows of the problem and those held out."""
        held = None if problem.holdout is None else objective(problem.holdout)
        descent = published_descent if self.memory == 1 else aum_descent
        return descent(self, problem.project, w, objective(problem.data), held)


def mean_gap(data: Data) -> Vector:
    """Return m₊ − m₋, (d,).

    Raises
    ------
    DataError
        When the difference is 0, or no more than the rounding error of the means.
    """
    m_neg, m_pos = data.means
    gap = m_pos - m_neg
    if not np.linalg.norm(gap) > of_pullback(data, 2.0):
        raise DataError(
            "both classes have the same mean, up to rounding, so that no weights set the means of "
            "their scores apart; use normalise=False, or aum-margin"
        )
    return gap
