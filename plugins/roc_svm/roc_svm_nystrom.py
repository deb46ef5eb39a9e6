"""roc-svm-nystrom: the kernel ROC-SVM over the functions that the landmarks span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import ParameterError, require_count
from aucbench.features import Nystroem
from aucbench.objectives import IncompleteHinge, PairwiseHinge
from aucbench.optim.choice import AUTO, require_above_or_auto
from aucbench.projectors import KernelNorm

from .at_landmarks import APART, Machine
from .representer import representer_descent


@about("curved scores for many rows, by landmarks", certified=True, cites=("bae2025",))
@dataclass(frozen=True)
class RocSvmNystrom(Solver):
    """Minimise hinge(f) + (λ/2)‖f‖² over f(x) = Σ_l α_l K(z_l, x), where z_l are landmarks.

    The optimum is that of svm-or on the features of `nystroem`, but only C = K(x, z) is formed.
    The loop is in `certified.py`, which `svm-or` shares, and each state has a certified gap.
    `representer.py` turns α into the coordinates of this loop. An evaluation costs less than the
    features of the kernel, so that without a budget of the user a fit has up to 300.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the mean hinge per squared unit of ‖f‖. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean of K(x, x) + K(z, z) − 2K(x, z) over pairs of
        landmarks. "auto" chooses 1, 1/10, 1/100 or 1/1000 of that by held-out training rows.
    gamma : float, "auto", "median" or "scale"
        γ of the kernel, as in the feature map `nystroem`. "auto" chooses a quarter of "median", or
        4 times it, or "median" itself by held-out training rows; a kernel that is not rbf takes
        "median".
    rank, kernel, degree, coef0, landmarks
        The landmarks and the kernel, as in `nystroem`. A landmark is left out when the others
        explain its K(z, z) up to 1e-8 of the largest: it would add little but rounding.
    loss : {"exact", "incomplete"}
        "exact" takes all pairs. "incomplete" takes a sample of them, as published.
    pairs : int, optional
        Number of pairs of the incomplete loss, drawn once per fit. None means n.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Bae & Shin, "Scaling up ROC-optimizing support vector machines", 2025, section 3. They
    print no grid; the one here is ours.
    """

    lam: float | Literal["auto"] | None = "auto"
    rank: int | None = None
    kernel: Literal["auto", "linear", "poly", "rbf"] = "auto"
    gamma: float | str = "auto"
    degree: int = 3
    coef0: float = 1.0
    landmarks: Literal["uniform", "stratified", "kmeans"] = "uniform"
    loss: Literal["exact", "incomplete"] = "exact"
    pairs: int | None = None

    space: ClassVar = {
        "lam": tuple(10.0**e for e in range(0, -6, -1)),
        "gamma": ("median", "scale", 1e-3, 1e-2, 1e-1, 1.0, 10.0),
    }
    needs: ClassVar = Needs(
        frozenset({"warm-start", "weights", "group-pairs", "range-pairs", "order-pairs"}),
        passes=300,
        path="lam",
    )

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=self.lam)
        require_count(1, pairs=self.pairs)
        if self.loss != "incomplete" and (self.loss != "exact" or self.pairs):
            raise ParameterError(
                f"loss is exact, or incomplete with pairs; got {self.loss}, {self.pairs}"
            )
        self._map()  # checks the parameters of the map

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the hinge over all pairs, or over pairs drawn by `rng`, with the norm of f."""
        columns, exponent = self._map().choose(data, rng), 0.0
        width = self.gamma == AUTO and columns.kernel.name == "rbf"
        machine = Machine(columns, partial(self._loss, rng=rng), self.lam, width)
        if width or self.lam == AUTO:
            columns, exponent = machine.tuned(data, rng, budget)
        columns, root = columns.independent(APART)
        C = data.with_rows(columns(data.rows))
        return Problem(machine.loss(C), KernelNorm(machine.ridge(root, C, exponent), root), columns)

    def _loss(self, C: Data, rng: np.random.Generator) -> PairwiseHinge | IncompleteHinge:
        B = None if self.loss == "exact" else self.pairs or C.n
        return IncompleteHinge.draw(C, B, rng) if B else PairwiseHinge(C)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state for each evaluation of the loss."""
        return representer_descent(problem, w0)

    def _map(self) -> Nystroem:
        gamma = "median" if self.gamma == AUTO else self.gamma
        return Nystroem(self.rank, self.kernel, gamma, self.degree, self.coef0, self.landmarks)
