"""OPAUC with low-rank sketches of the covariances, for many features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp2, sqrt
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import LARGE, require_above, require_at_least, require_at_most, require_count
from aucbench.kernels.sketch import sketch_pass
from aucbench.objectives import square_over
from aucbench.projectors import ElasticNet

from .aligned import aligned, padded
from .derived import SHARE, require_squares, widen
from .span import passes_in_span

SLICE = 4096  # rows whose random numbers are drawn at a time
WORK = 26  # vectors that the kernel needs as work space


@about("one pass over rows of many features, with sketched covariances", cites=("gao2013",))
@dataclass(frozen=True)
class OpaucLowRank(Solver):
    """w ← w − η[λw − y q + (q·w) q + Ŝ w], q = x − c; c and Ŝ belong to the other class.

    c is the mean of the rows of the other class seen so far, and Ŝ a sketch of their covariance:
    Ŝ = Y Yᵀ/N, Y = Σ (x − c) rᵀ, where each r ~ N(0, I)/√τ is a fresh random vector. Ŝ is unbiased
    and positive semi-definite. The aim is the minimum of F(w) + λ‖w‖², where F is the pairwise
    square. It is a streaming method.

    The cost per row is O((stored values of the row) τ + τ²), with τ Gaussian numbers. With τ = 50 a
    pass over 10⁶ rows of few features takes about 2 s, so that `opauc` is faster for fewer than τ
    features. Where rows store more than 2n values, `fit` works on their n coordinates in their
    span.

    Parameters
    ----------
    eta : float, optional
        Step size η > 0, in squared units of w. None means 1/(8(κ + λ)) at each row, where κ is the
        largest ‖q‖² + tr Ŝ so far.
    lam : float
        Ridge λ ≥ 0, in units of F per squared unit of w. The default is the least of the grid.
    rank : int
        Number τ ≥ 1 of columns of a sketch; 50 as in the experiments of the paper on
        high-dimensional data.
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
    Gao, Jin, Zhu & Zhou, "One-pass AUC optimization", ICML 2013. The grid is theirs,
    but for the derived step.
    """

    eta: float | None = None
    lam: float = 2.0**-10
    rank: int = 50
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
        require_count(1, rank=self.rank)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise F(w) + λ‖w‖²."""
        return Problem(square_over(data), ElasticNet(0.0, 2 * self.lam))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        return passes_in_span(self, problem, w0, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> Sketches:
        """Return the memory before the first row."""
        W = padded(self.rank + 1)
        return Sketches(
            w,
            self.eta,
            self.lam,
            rng,
            B=aligned(w.size, 2 * W),
            G=aligned(3, W, W),
            ha=aligned(2, 2 * W),
            n=np.zeros(2),
            q=aligned(2, W),
        )

    def update(self, memory: Sketches, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`: `reference_update`, by a kernel."""
        if self.eta is None:
            require_squares(chunk, "eta")
        for lo in range(0, order.size, SLICE):
            part = order[lo : lo + SLICE]
            r = memory.rng.standard_normal((part.size, self.rank))
            r /= sqrt(self.rank)
            sketch_pass(chunk, part, memory, r, work=aligned(WORK, memory.q.shape[1]))

    def weights(self, memory: Sketches) -> Vector:
        """Return the last iterate."""
        return memory.w


@dataclass(slots=True)
class Sketches:
    """Sketches of the negative (0) and the positive class (1), and the weights w = s u + B a.

    All directions of a step are combinations of the row x, of w and of the columns of B. So a
    step changes only the stored values of x in u, and the few numbers of a.

    Attributes
    ----------
    u : array of shape (d,)
        Part of w, see above.
    eta : float or None
        η; None where it is derived.
    lam : float
        λ.
    rng : Generator
        Draws the vectors r, one row after the other.
    B : array of shape (d, 2W)
        [Z, X, 0] of the negative class, then of the positive class: Z = Σ x rᵀ and X = Σ x. Zeros
        fill τ + 1 columns up to W, the next multiple of 8, so that vector instructions fit.
    G : array of shape (3, W, W)
        BᵀB of the negatives, of the positives, and of the negatives with the positives.
    ha : array of shape (2, 2W)
        Bᵀu, and a.
    n, q : arrays of shape (2,) and (2, W)
        Number N of rows of each class so far, and Σ r of each class, with zeros after it.
    s : float
        As above.
    spent : float
        The work done since u was last set to w.
    kappa : float
        κ, which is the largest ‖x − c‖² + tr Ŝ so far. It is kept only where η is derived.
    share : float
        A derived η is this share of 1/(κ + λ).
    """

    u: Vector
    eta: float | None
    lam: float
    rng: np.random.Generator
    B: Vector
    G: Vector
    ha: Vector
    n: Vector
    q: Vector
    s: float = 1.0
    spent: float = 0.0
    kappa: float = 0.0
    share: float = SHARE

    def sums(self, k: int, tau: int) -> tuple[Vector, Vector]:
        """Return Z (d, τ) and X (d,) of a class, as views of B."""
        at = k * self.q.shape[1]
        return self.B[:, at : at + tau], self.B[:, at + tau]

    @property
    def w(self) -> Vector:
        """Return s u + B a as a fresh array, in O(dτ)."""
        w: Vector = self.s * self.u + self.B @ self.ha[1]
        return w


def reference_update(memory: Sketches, x: Vector, y: int, r: Vector) -> None:
    """Take the step of `OpaucLowRank` for the row x of class y, with its random vector r.

    This is the definition of the step in plain NumPy. `sketch_pass` takes the same steps, up to
    rounding. It never forms w, but v = Zᵀw − (c·w) q and Ŝw = (Zv − (q·v) c)/N. Here w is u, since
    s = 1 and a = 0, and G and Bᵀu are not kept. (The authors' MATLAB code subtracts only 1/N of
    c cᵀ, which is biased.)

    Where η is derived, it is 1/(8(κ + λ)), and w shrinks when κ grows.
    """
    k, o = int(y > 0), int(y < 0)  # the class of x, and the other one
    w, lam, eta, N, q = memory.u, memory.lam, memory.eta, memory.n, memory.q[:, : r.size]
    Z, X = memory.sums(k, r.size)
    N[k] += 1  # line 1
    X += x  # line 2: c = X/N
    Z += np.outer(x, r)  # line 3: the sketch is Z − c qᵀ
    q[k] += r
    if not N[o]:
        return
    Z, X = memory.sums(o, r.size)
    c = X / N[o]
    d = x - c
    Y = Z - np.outer(c, q[o])  # Σ (x − c) rᵀ, so that Ŝ = Y Yᵀ/N
    if eta is None:
        memory.kappa, w = widen(memory.kappa, d @ d + np.sum(Y * Y) / N[o], w)
        eta = memory.share / (lam + memory.kappa)
    g = lam * w - y * d + (d @ w) * d + Y @ (Y.T @ w) / N[o]  # line 4
    memory.u = w - eta * g  # line 5
