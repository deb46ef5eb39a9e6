"""roc-svm-kernel: the ROC-SVM with a kernel, in representer form, for few rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import UnsupportedError, require_above, require_count
from aucbench.features import Kernel, KernelColumns
from aucbench.objectives import IncompleteHinge

from .representer import SpannedNorm, kernel_ridge, representer_descent

MAX_ROWS = 11_585  # the kernel matrix of so many rows takes 1 GiB


@about(
    "curved scores for at most some thousand rows",
    certified=True,
    cites=("bae2025", "rakotomamonjy2004"),
)
@dataclass(frozen=True)
class RocSvmKernel(Solver):
    """Minimise (1/B) Σ_b [1 − f(x_{i_b}) + f(x_{j_b})]₊ + (λ/2) αᵀKα, f(x) = Σ_l α_l K(x_l, x).

    l runs over the training rows. A row is left out when the other rows span its K(x_l, ·) to
    1e-12. The loop is in `certified.py`, which `svm-or` shares, and each state has a certified gap.
    `representer.py` turns α into the coordinates of this loop.

    With r weights, it takes 16n² bytes, O(n² r) time to factorise K, and O(n r) per evaluation. So
    n evaluations cost as much as K, and without a budget of the user a fit has up to 500.
    It is for at most 11 585 rows, where a fit takes 2 to 3 GiB and less than a minute on one core.
    More rows are refused.

    Parameters
    ----------
    lam : float, optional
        Ridge λ > 0, in units of the mean hinge per squared unit of ‖f‖. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean of K(x, x) + K(z, z) − 2K(x, z) over pairs of
        rows.
    kernel, gamma, degree, coef0
        The kernel K and its parameters, as in the feature map `nystroem`.
    pairs : int, optional
        Number B ≥ 1 of pairs. They are drawn once per fit, with replacement. None means n.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When the kernel matrix would take more than 1 GiB.

    References
    ----------
    Bae & Shin, "Scaling up ROC-optimizing support vector machines", 2025, equation 10. They
    print no grid; the one here is ours.
    """

    lam: float | None = None
    kernel: Literal["auto", "linear", "poly", "rbf"] = "auto"
    gamma: float | str = "median"
    degree: int = 3
    coef0: float = 1.0
    pairs: int | None = None

    space: ClassVar = {
        "lam": tuple(10.0**e for e in range(0, -6, -1)),
        "gamma": ("median", "scale", 1e-3, 1e-2, 1e-1, 1.0, 10.0),
    }
    needs: ClassVar = Needs(
        frozenset({"warm-start", "group-pairs", "order-pairs", "class-pairs"}),
        passes=500,
        path="lam",
    )

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)
        require_count(1, pairs=self.pairs)
        self._kernel()  # checks the parameters of the kernel

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the hinge over B pairs drawn by `rng`, with the norm of f."""
        if data.n > MAX_ROWS:
            memory = f"{8 * data.n**2 >> 20} MiB for K of {data.n} rows, at most 1024"
            raise UnsupportedError(
                f"it takes {memory}; use roc-svm-nystrom, which has few landmarks"
            )
        whole = KernelColumns(self._kernel().scaled(data.rows), data.rows)
        columns, mapped, L, order = whole.spanned()
        C = data.with_rows(mapped)
        f = IncompleteHinge.draw(C, self.pairs or C.n, rng)
        root = L[: L.shape[1]].T
        lam = self.lam or kernel_ridge(root, C)
        return Problem(f, SpannedNorm(lam, root, L, order), columns)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state for each evaluation of the loss."""
        return representer_descent(problem, w0)

    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.gamma, self.degree, self.coef0)
