"""Kernel machines in representer form, solved in coordinates in which the penalty is ‖v‖²."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
from scipy.linalg.blas import dtrmv

from aucbench.contract import Cut, Problem, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.rounding import Slack
from aucbench.errors import UnsupportedError
from aucbench.objectives import IncompleteHinge, PairwiseHinge
from aucbench.objectives.margins import Margins, scores_at
from aucbench.optim.scale import RIDGE, concentration
from aucbench.projectors import KernelNorm

from .descent import certified_descent


@dataclass(frozen=True, eq=False)
class SpannedNorm(KernelNorm):
    """`KernelNorm` at landmarks that are training rows, with all rows in the coordinates v.

    Attributes
    ----------
    L : array of shape (n, r)
        Row i of L holds the coordinates of training row order[i], so that f(x) = L_i·v there.
        L[:r] = Rᵀ is lower triangular.
    order : int32 array of shape (n,)
        Numbers of the training rows.
    """

    L: Vector
    order: Index

    def scores(self, v: Vector) -> Vector:
        """Return f(x) = (Kα)_x at all training rows, without α, in half of a product with K."""
        r, s = v.size, np.empty(len(self.L))
        count_rows(s.size)
        s[self.order[:r]] = dtrmv(self.root, v, trans=1)
        s[self.order[r:]] = self.L[r:] @ v
        return s

    def pullback(self, c: Vector) -> Vector:
        """Return the gradient in v that belongs to derivatives c (n,) in the scores."""
        r = len(self.root)
        g: Vector = dtrmv(self.root, c[self.order[:r]])
        g += c[self.order[r:]] @ self.L[r:]
        return g

    @cached_property
    def rounding(self) -> float:
        """As in `KernelNorm`, plus a bound of how far `scores` may be from those by α.

        |Lv − Kα| ≤ 3γ|L||R||α|, from L Rα, from the solution α, and from the product with v. A
        row of L is at most as long as R, and an error of the scores counts twice in a hinge.
        """
        return 3.0 * float(KernelNorm(self.lam, self.root).rounding)


@dataclass(frozen=True, eq=False)
class Turned:
    """The loss f and its rows as functions of v. The rows in coordinates v are not formed.

    To form them would cost O(n m²) once, for m columns. To turn w and the gradient costs O(m²) per
    evaluation, which is less as long as there are fewer evaluations than rows. Where the
    decomposition of K has formed them anyway, the norm is a `SpannedNorm`.
    """

    f: PairwiseHinge | IncompleteHinge
    norm: KernelNorm
    _turned: list[tuple[Vector, Vector]] = field(default_factory=list)  # the last two (v, α)

    def cut(self, v: Vector) -> Cut:
        """Return f at v and its cut there, from one reading of the rows."""
        s = self._scores(v)
        value, c, b = self.f.cut_of_scores(s)
        return Cut(value, self._pullback(c), b, scores=s)

    def _scores(self, v: Vector) -> Vector:
        if isinstance(self.norm, SpannedNorm) and v.any():
            return self.norm.scores(v)
        return scores_at(self.f.data, self.weights(v))

    def _pullback(self, c: Vector) -> Vector:
        if isinstance(self.norm, SpannedNorm):
            return self.norm.pullback(c)
        return self.norm.pulled(self.f.data.pullback(c))

    def margins(self, v: Vector, p: Vector) -> Margins:
        """Return mean and covariance of the margins of a pair in the scores of v and of p."""
        return self.f.margins(self.weights(v), self.weights(p))

    def weights(self, v: Vector) -> Vector:
        """Return α; those of the point and of the best point are asked for several times."""
        for known, alpha in self._turned:
            if known is v:
                return alpha
        alpha = self.norm.weights(v)
        self._turned[:] = [*self._turned[-1:], (v, alpha)]
        return alpha

    def rounding(self, v: Vector) -> Slack:
        """Return (e, η) of f in α, where α moves by at most `stretch` per unit of v."""
        alpha, norm = self.weights(v), self.norm
        e, eta = self.f.rounding(alpha)
        at = e + norm.rounding * float(np.linalg.norm(alpha))
        return at, (eta + norm.rounding) * norm.stretch


def kernel_ridge(root: Vector, data: Data) -> float:
    """Return λ = 0.3 D² (1/n₊ + 1/n₋), the ridge of `default_ridge` for the features of a kernel.

    D² is the mean of K_ll + K_mm − 2K_lm over pairs of columns, where K = RᵀR.

    Parameters
    ----------
    root : array of shape (r, r)
        R.
    data : Data
        The labels.
    """
    r = root.shape[0]
    trace, total = float((root * root).sum()), float((root.sum(axis=1) ** 2).sum())
    square = 2.0 * (r * trace - total) / (r * (r - 1)) if r > 1 else trace
    return RIDGE * square * concentration(data)


def representer_descent(problem: Problem, w0: Vector) -> Iterator[State]:
    """Minimise f(α) + (λ/2) αᵀKα as `certified_descent` does, in the coordinates of v.

    Raises
    ------
    UnsupportedError
        When the loss or the penalty of the problem is not that of a kernel ROC-SVM.
    """
    f, norm = problem.objective, problem.project
    if not (isinstance(f, PairwiseHinge | IncompleteHinge) and isinstance(norm, KernelNorm)):
        raise UnsupportedError(
            "a kernel ROC-SVM minimises a hinge over pairs with the kernel norm; leave the "
            "objective and the projector as its `problem` makes them"
        )
    turned = Turned(f, norm)
    for state in certified_descent(turned, norm.lam, norm.coordinates(w0)):
        # The value is that of v, which rounding may turn into another one of α.
        yield State(turned.weights(cast(Vector, state.w)), gap=state.gap)
