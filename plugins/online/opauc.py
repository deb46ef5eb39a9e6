"""OPAUC: one-pass AUC optimisation with running class means and covariances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp2
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import LARGE, require_above, require_at_least, require_at_most
from aucbench.kernels.opauc import opauc_pass
from aucbench.objectives import square_over
from aucbench.projectors import ElasticNet

from .derived import SHARE, require_squares, widen
from .matrices import require_memory, require_time
from .span import fits_span, passes_in_span

SLOTS = 32  # at d = 1000 a pass takes 170 ms with 1 slot, 90 with 16 or 32, 98 with 64


@about("one pass over rows of few features, with exact covariances", cites=("gao2013",))
@dataclass(frozen=True)
class Opauc(Solver):
    """w ← w − η[λw − y q + (q·w) q + S w], q = x − c; c and S belong to the other class.

    c and S are the mean and the covariance of the rows of the other class seen so far. It
    minimises F(w) + λ‖w‖², where F is the pairwise square. It is a streaming method.

    The cost per row is O(d²), for CSR rows too: S is not sparse, and S w reads all of it. The
    memory is 16 d² bytes. Where there are n < d rows, and a dense copy of them takes at most
    512 MiB, `fit` works on their n coordinates in their span, so that n takes the place of d.

    A fit that would take more than 10 minutes on one core is refused. With the default budget of 50
    passes it is for n d² ≤ 3e10: 300 000 rows with 300 features, or 30 000 with 1000. A stream has
    no such limit.

    Parameters
    ----------
    eta : float, optional
        Step size η > 0, in squared units of w. None means 1/(8(κ + λ)) at each row, where κ is the
        largest ‖q‖² + tr S so far. (‖q‖² + tr S is the mean of ‖x − x′‖² over the rows x′ of the
        other class.) With this step no rows make w diverge: Theorem 1 asks for η ≤ 1/(2(κ + λ)),
        with κ = 4 where ‖x‖ ≤ 1.
    lam : float
        Ridge λ ≥ 0, in units of F per squared unit of w. The default is the least of the grid.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When the two matrices would take more than 4 GiB, or a fit more than 10 minutes.
    DataError
        When `eta` is None and a row is too long to derive a step size from.

    References
    ----------
    Gao, Jin, Zhu & Zhou, "One-pass AUC optimization", ICML 2013. The grid is theirs,
    but for the derived step.
    """

    eta: float | None = None
    lam: float = 2.0**-10
    shuffle: bool = True

    space: ClassVar = {
        "eta": (None, *map(exp2, range(-12, 11))),
        "lam": (*map(exp2, range(-10, 3)),),
    }
    needs: ClassVar = Needs(frozenset({"warm-start", "chunks"}))

    def __post_init__(self) -> None:
        require_above(0, eta=self.eta)
        require_at_least(0, lam=self.lam)
        require_at_most(LARGE, lam=self.lam)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise F(w) + λ‖w‖²."""
        require_time(data, budget)
        return Problem(square_over(data), ElasticNet(0.0, 2 * self.lam))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        return passes_in_span(self, problem, w0, rng, shuffle=self.shuffle, where=fits_span)

    def start(self, w: Vector, rng: np.random.Generator) -> Covariances:
        """Return the memory before the first row.

        Raises
        ------
        UnsupportedError
            When the two matrices would take more than 4 GiB.
        """
        require_memory(d := w.size)
        return Covariances(
            w,
            self.eta,
            self.lam,
            n=np.zeros(2),
            mean=np.zeros((2, d)),
            scatter=np.zeros((2, d, d)),
            pending=np.zeros((2, SLOTS, d)),
            held=np.zeros(2, dtype=np.int32),
            traces=np.zeros(2),
        )

    def update(self, memory: Covariances, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`: `reference_update`, by a kernel."""
        if self.eta is None:
            require_squares(chunk, "eta")
        opauc_pass(chunk, order, memory, work=np.empty((3, max(memory.w.size, SLOTS))))

    def weights(self, memory: Covariances) -> Vector:
        """Return the last iterate."""
        return memory.w


@dataclass(slots=True)
class Covariances:
    """The weights, the moments of the negative (0) and the positive class (1), and constants.

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    eta : float or None
        η; None where it is derived.
    lam : float
        λ.
    n : array of shape (2,)
        Number N of rows of each class so far.
    mean : array of shape (2, d)
        Mean c of each class.
    scatter : array of shape (2, d, d)
        M = Σ (x − c)(x − c)ᵀ of each class: its upper triangle, without the terms that wait.
    pending, held : arrays of shape (2, SLOTS, d) and (2,)
        The first `held` vectors v of a class stand for terms v vᵀ that wait. They are added to
        the scatter together. Until then they are added to each product with it.
    traces : array of shape (2,)
        tr M of each class. The kernel keeps it only where η is derived.
    kappa : float
        κ, which is the largest ‖q‖² + tr S so far. It is kept only where η is derived.
    share : float
        A derived η is this share of 1/(κ + λ).
    """

    w: Vector
    eta: float | None
    lam: float
    n: Vector
    mean: Vector
    scatter: Vector
    pending: Vector
    held: Index
    traces: Vector
    kappa: float = 0.0
    share: float = SHARE


def reference_update(memory: Covariances, x: Vector, y: int) -> None:
    """Take the step of Algorithm 1 for the row x of class y.

    This is the definition of the step in plain NumPy. `opauc_pass` takes the same steps, up to
    rounding; no term waits here, and M has both triangles. CSR rows take the same centred form.
    (Σ x xᵀ − N c cᵀ would touch stored values only, but it cancels where means are large, and S w
    costs O(d²) anyway.)

    Where η is derived, it is 1/(8(κ + λ)), and w shrinks when κ grows.
    """
    k, o = int(y > 0), int(y < 0)  # the class of x, and the other one
    w, lam, N, c, M = memory.w, memory.lam, memory.n, memory.mean, memory.scatter
    N[k] += 1  # line 1
    v = x - c[k]
    c[k] += v / N[k]  # line 2
    M[k] += (N[k] - 1) / N[k] * np.outer(v, v)  # line 3: S = M/N
    if not N[o]:
        return
    q, S, eta = x - c[o], M[o] / N[o], memory.eta
    if eta is None:
        memory.kappa, w = widen(memory.kappa, q @ q + np.trace(S), w)
        eta = memory.share / (lam + memory.kappa)
    g = lam * w - y * q + (q @ w) * q + S @ w  # line 4
    memory.w = w - eta * g  # line 5
