"""roc-svm-nystrom: the kernel ROC-SVM over the functions that the landmarks span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.data import Data
from aucbench.errors import ParameterError, require_count
from aucbench.features import Nystroem
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import IncompleteHinge, PairwiseHinge
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.projectors import KernelNorm
from aucbench.protocols import Budget, Needs, Problem, State

from .representer import kernel_ridge, representer_descent


@about("curved scores for many rows, by landmarks", certified=True, cites=("bae2025",))
@dataclass(frozen=True)
class RocSvmNystrom:
    """Minimise hinge(f) + (λ/2)‖f‖² over f(x) = Σ_l α_l K(z_l, x), where z_l are landmarks.

    The optimum is that of svm-or on the features of `nystroem`, but only C = K(x, z) is formed.
    The loop is in `certified.py`, which `svm-or` shares, and each state has a certified gap.
    `representer.py` turns α into the coordinates of this loop. An evaluation costs less than the
    features of the kernel, so that without a budget of the user a fit has up to 100.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the mean hinge per squared unit of ‖f‖. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean of K(x, x) + K(z, z) − 2K(x, z) over pairs of
        landmarks. "auto" chooses it by held-out training rows: see `aucbench.optim.ridge`.
    rank, kernel, gamma, degree, coef0, landmarks
        The landmarks and the kernel, as in the feature map `nystroem`. A landmark is left out when
        the others span its K(z_l, ·) to 1e-12.
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

    lam: float | Literal["auto"] | None = None
    rank: int | None = None
    kernel: Literal["auto", "linear", "poly", "rbf"] = "auto"
    gamma: float | str = "median"
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
        path="lam",
        passes=100,
        weights=True,
        inert=("degree", "coef0"),
        pairs=("group", "range", "order"),
    )

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=self.lam)
        require_count(1, pairs=self.pairs)
        if self.loss != "incomplete" and (self.loss != "exact" or self.pairs):
            raise ParameterError(
                f"loss is exact, or incomplete with pairs; got {self.loss}, {self.pairs}"
            )
        self._map()  # checks the parameters of the map

    def problem(
        self, data: Data, rng: np.random.Generator, budget: Budget | None = None
    ) -> Problem:
        """Minimise the hinge over all pairs, or over pairs drawn by `rng`, with the norm of f."""
        columns, root = self._map().choose(data, rng).independent()
        C = data.with_rows(columns(data.rows))
        B = None if self.loss == "exact" else self.pairs or C.n
        f = IncompleteHinge.draw(C, B, rng) if B else PairwiseHinge(C)
        lam = ridge(self, data, rng, budget, default=kernel_ridge(root, C))
        return Problem(f, KernelNorm(lam, root), columns)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Yield one state for each evaluation of the loss."""
        return representer_descent(problem)

    def _map(self) -> Nystroem:
        return Nystroem(self.rank, self.kernel, self.gamma, self.degree, self.coef0, self.landmarks)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"roc-svm-nystrom": RocSvmNystrom}
