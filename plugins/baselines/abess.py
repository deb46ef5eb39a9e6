"""Best-subset logistic regression of abess."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data.arrays import Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import ParameterError
from aucbench.optim.choice import AUTO, require_whole_or_auto
from aucbench.stats.vectors import unit_weights

from .parts import require, threads

CRITERIA = ("gic", "ebic", "bic", "aic")
MOST = 100  # features, up to which "auto" tries all numbers


@about("the best k features, by the logistic loss", sparse=True, cites=("zhu2020", "zhu2022abess"))
@dataclass(frozen=True)
class Abess(Solver):
    """min Σ_i v_i log(1 + exp(−y_i (w·x_i + c))) with at most k weights that are not 0.

    v_i is the weight of row i. abess keeps k features, and exchanges those that matter least for
    those outside that would matter most, while the loss falls. Under conditions on the columns this
    finds the best of all subsets with high probability. Constant columns are left out.

    Rows of classes that a plane separates have no minimum: Newton's method ends after 10 steps, and
    what it returns then has no meaning but for its signs.

    Parameters
    ----------
    k : int or "auto"
        Number of weights to keep, k ≥ 1; the intercept c is not counted. All are kept when k ≥ d.
        "auto" fits k = 1, 2, 3, … up to min(d, 100, n/(log log n · log d)), each from the weights
        of the fit before, and takes the one with the best criterion.
    criterion : {"gic", "ebic", "bic", "aic"}
        The information criterion of "auto". "gic" adds k log d log log n to twice the loss.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Zhu, Wen, Zhu, Zhang & Wang, "A polynomial algorithm for best-subset selection problem", PNAS
    117, 2020. Zhu et al., "abess: a fast best-subset selection library in Python and R", JMLR 23,
    2022. The grid of k is that of `sht-auc`.
    """

    k: int | Literal["auto"] = AUTO
    criterion: Literal["gic", "ebic", "bic", "aic"] = "gic"

    space: ClassVar = {"k": tuple(range(10, 101, 10))}
    needs: ClassVar = Needs(frozenset({"weights"}), packages=("abess",), extra="sparse")

    def __post_init__(self) -> None:
        require_whole_or_auto(1, k=self.k)
        if self.criterion not in CRITERIA:
            raise ParameterError(
                f"criterion must be one of {', '.join(CRITERIA)}, got {self.criterion!r}"
            )
        require("abess", "abess", "sparse")

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the weights of the subset."""
        from abess.linear import LogisticRegression

        data, w = problem.data, np.zeros(problem.data.d)
        X = to_library_matrix(data.rows)
        varying = np.flatnonzero(_ends(X.max(axis=0)) > _ends(X.min(axis=0)))
        if varying.size < data.d:  # abess raises for a constant column
            X = X[:, varying]
        if not varying.size:
            return State(w)
        d = varying.size
        sizes = _sizes(data.n, d) if self.k == AUTO else [min(int(self.k), d)]
        subset: Any = LogisticRegression(
            support_size=sizes,
            ic_type=self.criterion,
            thread=threads(),
        )
        y = (data.y > 0).astype(np.float64)
        subset.fit(X, y, sample_weight=unit_weights(data.weights))
        count_rows(len(sizes) * data.n)  # each size counts as a pass
        w[varying] = np.ravel(subset.coef_)
        return State(w)


def _ends(values: Any) -> Vector:
    """Return the largest or the smallest number of each column, dense."""
    return np.ravel(values.toarray() if hasattr(values, "toarray") else values)


def _sizes(n: int, d: int) -> list[int]:
    """Return the numbers of features that "auto" tries."""
    wide = log(max(log(n), 2.0)) * log(max(d, 3))
    return [*range(1, max(1, min(d, MOST, int(n / wide))) + 1)]
