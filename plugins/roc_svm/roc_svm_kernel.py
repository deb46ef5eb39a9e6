"""roc-svm-kernel: the ROC-SVM with a kernel in representer form, for few rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import DataError, require_above, require_whole
from aucbench.features import Kernel, KernelColumns
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import IncompleteHinge
from aucbench.projectors import KernelNorm
from aucbench.protocols import Needs, Problem, State

from .representer import representer_descent

MAX_ROWS = 11_585  # whose kernel matrix takes 1 GiB


@dataclass(frozen=True)
class RocSvmKernel:
    """Minimise (1/B) Σ_b [1 − f(x_{i_b}) + f(x_{j_b})]₊ + (λ/2) αᵀKα, f(x) = Σ_l α_l K(x_l, x).

    l runs over the training rows but those whose K(x_l, ·) others span to 1e-12. Certified as
    svm-or. O(n²) memory, O(n² r) for a factor of K, O(n r) an evaluation, r weights.

    Parameters
    ----------
    lam : float
        λ > 0, in units of the mean hinge per squared unit of ‖f‖.
    kernel, gamma, degree, coef0 :
        Of the feature map `nystroem`.
    pairs : int, optional
        Number B ≥ 1 of pairs, drawn once per fit, with replacement; None: n.

    References
    ----------
    Bae & Shin, "Scaling up ROC-optimizing support vector machines", 2025, equation 10.
    """

    lam: float = 0.01
    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    pairs: int | None = None

    space: ClassVar = {"lam": tuple(10.0**e for e in range(0, -6, -1))}
    needs: ClassVar = Needs(path="lam")

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)
        require_whole(1, pairs=self.pairs)
        self._kernel()  # checks the others

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the hinge over B pairs drawn by `rng`, with the norm of f."""
        if data.n > MAX_ROWS:
            memory = f"{8 * data.n**2 >> 20} MiB for K of {data.n} rows, at most 1024"
            raise DataError(f"it takes {memory}; use roc-svm-nystrom, which has few landmarks")
        columns, root = KernelColumns(self._kernel().scaled(data.rows), data.rows).independent()
        C = data.with_rows(columns(data.rows))
        f = IncompleteHinge.draw(C, self.pairs or C.n, rng)
        return Problem(f, KernelNorm(self.lam, root), columns)

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """One state for each evaluation of the loss."""
        return representer_descent(problem)

    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.gamma, self.degree, self.coef0)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"roc-svm-kernel": RocSvmKernel}
