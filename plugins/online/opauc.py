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
from aucbench.errors import (
    LARGE,
    UnsupportedError,
    require_above,
    require_at_least,
    require_at_most,
)
from aucbench.kernels.opauc import opauc_pass
from aucbench.objectives import square_over
from aucbench.optim import passes
from aucbench.projectors import ElasticNet
from aucbench.ranges import DEFAULT_PASSES

from .reach import SHARE, require_squares
from .span import fits_span, passes_in_span

MAX_BYTES = 4 << 30  # of both scatter matrices: enough for about 16 000 features
ENTRY_SECONDS = 4e-10  # of a step, for each of d² entries: 2.5e-10 in the cache, 5e-10 out of it
MAX_MINUTES = 10  # of a fit on one core
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
        # Where seconds alone limit a fit, it ends after the pass in which they are up.
        count = budget.passes or (DEFAULT_PASSES if budget.seconds is None else 1.0)
        d = min(data.n, data.d) if fits_span(data) else data.d
        minutes = count * data.n * ENTRY_SECONDS * d**2 / 60
        if minutes > MAX_MINUTES:
            raise UnsupportedError(
                f"{count:g} pass(es) over {data.n} rows with {d} x {d} matrices would take "
                f"about {minutes:.0f} minutes of at most {MAX_MINUTES}; use fewer passes, "
                "or opauc-lr, which keeps sketches of them"
            )
        return Problem(square_over(data), ElasticNet(0.0, 2 * self.lam))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        run = passes_in_span if fits_span(problem.data) else passes
        return run(self, problem, w0, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Covariances:
        """Return the memory before the first row.

        Raises
        ------
        UnsupportedError
            When the two matrices would take more than `MAX_BYTES`.
        """
        d = w.size
        if 16 * d * d > MAX_BYTES:
            raise UnsupportedError(
                f"two {d} x {d} matrices would take {16 * d * d >> 20} MiB of at most "
                f"{MAX_BYTES >> 20} MiB; use opauc-lr, which keeps sketches of them"
            )
        return Covariances(
            w,
            n=np.zeros(2),
            mean=np.zeros((2, d)),
            scatter=np.zeros((2, d, d)),
            pending=np.zeros((2, SLOTS, d)),
            held=np.zeros(2, dtype=np.int32),
            spread=np.zeros(3),
        )

    def update(self, memory: Covariances, chunk: Chunk, order: Index) -> None:
        """Count each row into its class, then take a step against the other class.

        Row x of class k: N ← N + 1, M ← M + ((N − 1)/N) (x − c)(x − c)ᵀ, c ← c + (x − c)/N, all
        of class k. Then w ← w − η[λw − y q + (q·w) q + S w], where q = x − c and S = M/N are of the
        other class. CSR rows take the same centred form. (Σ x xᵀ − N c cᵀ would touch stored values
        only, but it cancels where means are large, and S w costs O(d²) anyway.)

        Where η is derived, it is SHARE/(κ + λ). When κ grows, w shrinks by the root of
        κ old/new.
        """
        if self.eta is None:
            require_squares(chunk, "eta")
        opauc_pass(
            *chunk.rows.stored_arrays,
            order,
            chunk.y,
            SHARE if self.eta is None else self.eta,
            self.lam,
            memory.n,
            memory.held,
            memory.mean,
            memory.scatter,
            memory.pending,
            memory.w,
            np.empty((3, max(memory.w.size, SLOTS))),
            memory.spread if self.eta is None else None,
        )

    def weights(self, memory: Covariances) -> Vector:
        """Return the last iterate."""
        return memory.w


@dataclass(slots=True)
class Covariances:
    """The weights, and the moments of the negative (0) and the positive class (1).

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    n : array of shape (2,)
        Number N of rows of each class so far.
    mean : array of shape (2, d)
        Mean c of each class.
    scatter : array of shape (2, d, d)
        M = Σ (x − c)(x − c)ᵀ of each class: its upper triangle, without the terms that wait.
    pending, held : arrays of shape (2, SLOTS, d) and (2,)
        The first `held` vectors v of a class stand for terms v vᵀ that wait. They are added to
        the scatter together. Until then they are added to each product with it.
    spread : array of shape (3,)
        κ, which is the largest ‖q‖² + tr S so far, and tr M of each class. It is kept only where η
        is derived.
    """

    w: Vector
    n: Vector
    mean: Vector
    scatter: Vector
    pending: Vector
    held: Index
    spread: Vector
