"""Uni-Exp: online minimisation of the weighted univariate exponential loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp2, inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import LARGE, require_above, require_at_least, require_at_most
from aucbench.kernels.uni_exp import uni_exp_pass
from aucbench.objectives import UnivariateExp
from aucbench.optim import passes
from aucbench.projectors import ElasticNet
from aucbench.scale import ChunkedData

from .derived import SHARE, require_squares, widen


@about("streams of rows, by a loss of single rows and not of pairs", cites=("kotlowski2011",))
@dataclass(frozen=True)
class UniExp(Solver):
    """w ← (1 − ηλ) w + η y exp(−y (w·x + c)) x / (2 p_y), p_y the share of class y so far.

    The offset c takes the same step, without λ: c ← c + η y exp(−y (w·x + c)) u² / (2 p_y). It does
    not change the AUC, but without it w has to separate the classes at 0. The share p_y counts all
    rows seen so far, in all passes, this row included. It is a streaming method.

    The cost per row is O(d) for dense rows, and O(stored values) for CSR.

    Parameters
    ----------
    eta : float, optional
        Constant step η > 0, in squared units of w. A step that is too large makes the weights
        overflow, and the run ends as invalid. None means the step 1/(8(λ + L/(2p))) at each row,
        where p is the share of the rarer class so far, and L the largest |x|² + u² so far. The
        factor of x is then at most 1/L in size, so that no margin moves by more than 1. The unit u
        of the offset is the largest |x| so far. With a number, it is 1.
    lam : float
        Weight λ ≥ 0 of |w|²/2 in the objective.
    intercept : bool
        Whether there is an offset c. False, as published: c = 0 and u = 0.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    DataError
        When `eta` is None and a row is too long to derive a step size from.

    References
    ----------
    Kotłowski, Dembczyński & Hüllermeier, "Bipartite ranking through minimization of univariate
    loss", ICML 2011. The online method is the one that Gao, Jin, Zhu & Zhou compare with in
    "One-pass AUC optimization", ICML 2013, with this grid, but for the derived step.
    """

    eta: float | None = None
    lam: float = 2.0**-10
    intercept: bool = True
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
        """Minimise the univariate exponential, at its best offset, plus (λ/2)|w|².

        Of rows in chunks it is not listed, since its value would cost a reading.
        """
        if isinstance(data, ChunkedData):
            return Problem(train=data)
        return Problem(UnivariateExp(data, self.intercept), ElasticNet(0.0, self.lam))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        return passes(self, problem, w0, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Univariate:
        """Return the memory before the first row."""
        return Univariate(w, np.zeros(2, np.int64), self.eta, self.lam, self.intercept)

    def update(self, memory: Univariate, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`: `reference_update`, by a kernel."""
        if self.eta is None:
            require_squares(chunk, "eta")
        uni_exp_pass(chunk, order, memory)

    def weights(self, memory: Univariate) -> Vector:
        """Return w."""
        return memory.w


@dataclass(slots=True)
class Univariate:
    """Weights, what is known of the rows so far, and the constants of a step.

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    seen : int64 array of shape (2,)
        Number of negatives and of positives seen so far, in all passes.
    eta : float or None
        η; None where it is derived.
    lam : float
        λ.
    intercept : bool
        Whether c moves.
    offset : float
        c.
    longest : float
        The largest |x|² so far. It is kept only where η is derived.
    share : float
        A derived η is this share of 1/(λ + L/(2p)).
    """

    w: Vector
    seen: NDArray[np.int64]
    eta: float | None
    lam: float
    intercept: bool
    offset: float = 0.0
    longest: float = 0.0
    share: float = SHARE


def reference_update(point: Univariate, x: Vector, y: int) -> None:
    """Take the step of `UniExp` for the row x of class y.

    This is the definition of the step in plain NumPy. `uni_exp_pass` takes the same steps, up to
    rounding, in O(stored values of the row).

    Where η is given, exp is not bounded. A bound would hide that η is too large for the data,
    which is the case when η |x|² exp(−y w·x) / (2 p_y) is well above 2: the weights would be
    finite, but meaningless. Without a bound they overflow, and the run ends as invalid.

    Where η is derived, it is 1/(8(λ + L/(2p))), where p is the smaller of p₊ and p₋, and the
    factor of x is at most 1/L in size. Such a step does not move two points w apart: it is the
    gradient step of a loss that continues as a straight line where its curvature times η |x|²
    would exceed 1. When L grows, w shrinks by the root of L old/new.
    """
    point.seen[int(y > 0)] += 1
    shares = point.seen / point.seen.sum()
    w, c, lam, eta, most = point.w, point.offset, point.lam, point.eta, inf
    square = float(point.intercept)  # u²
    if eta is None:
        point.longest, w = widen(point.longest, np.dot(x, x), w)
        square *= point.longest
        L, p = point.longest + square, shares.min()
        eta, most = 2 * p * point.share / (2 * p * lam + L), 1 / L
    pull = y * min(eta * np.exp(-y * (w @ x + c)) / (2 * shares[int(y > 0)]), most)
    point.w = (1 - eta * lam) * w + pull * x
    point.offset = c + pull * square
