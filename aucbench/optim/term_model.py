"""The minimum of a quadratic model under bounds of weights and the group lasso over terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data.arrays import Index, Vector
from aucbench.data.tally import READ
from aucbench.projectors import GroupL2

Map = Callable[[Vector], Vector]
ROUNDS = 100  # of a model; most take 3 to 10
DECREMENT = 1e-14  # fall of a step, relative to that of all steps, which is rounding
ARMIJO = 1e-4
HALVINGS = 30
CHOLESKY = 0.0015  # numbers that are read in the time of d³ products


@dataclass(frozen=True, eq=False)
class Face:
    """The weights that may move at a point v, where Ω is smooth in them.

    They are those that are not 0, and those at a bound which the gradient moves inwards. Terms
    that are 0 as a whole stay so where there is a group penalty.

    Attributes
    ----------
    free : array of shape (m,)
        Their numbers.
    unit : array of shape (d,)
        v_t/‖v_t‖ of each term; 0 without a group penalty.
    bend : array of shape (d,)
        group √p_t/‖v_t‖ of the term of each weight, or 0.
    pull : array of shape (d,)
        The gradient of group Σ √p_t ‖v_t‖.
    """

    penalty: GroupL2
    free: Index
    unit: Vector
    bend: Vector
    pull: Vector

    @staticmethod
    def at(penalty: GroupL2, v: Vector, gradient: Vector) -> Face:
        """Return the face at v, where the smooth part has this gradient."""
        moves = np.ones(v.size, np.bool_)
        if penalty.bounds is not None:
            low, high = penalty.bounds
            moves = ~((v <= low) & (gradient >= 0.0) | (v >= high) & (gradient <= 0.0))
        if not penalty.group:
            zero = np.zeros(v.size)
            return Face(penalty, _numbers(moves), zero, zero, zero)
        lengths = penalty.lengths(v)
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
        unit = v * penalty.each(inverse)
        weights = penalty.weights(v.size)
        free = _numbers(moves & (penalty.each(lengths) > 0.0))
        return Face(
            penalty, free, unit, penalty.each(weights * inverse), penalty.each(weights) * unit
        )

    def without(self, number: int) -> Face:
        """Return the face on which one weight more stays where it is."""
        free = self.free[self.free != number]
        return Face(self.penalty, free, self.unit, self.bend, self.pull)

    def left_by(self, v: Vector) -> NDArray[np.bool_]:
        """Return the weights that v has beyond a bound, or in a term that has turned round."""
        outside: NDArray[np.bool_] = self.penalty.bounded(v.copy()) != v
        if self.penalty.group:
            along = np.add.reduceat(self.unit * v, self.penalty.starts(v.size))
            outside |= self.penalty.each(along) < 0.0
        return outside

    def curved(self, x: Vector) -> Vector:
        """Return the product of the second derivatives of group Σ √p_t ‖v_t‖ with x."""
        if not self.penalty.group:
            return np.zeros(x.size)
        along = np.add.reduceat(self.unit * x, self.penalty.starts(x.size))
        return self.bend * (x - self.unit * self.penalty.each(along))

    def matrix(self, M: Vector) -> Vector:
        """Return M and these second derivatives between the free weights."""
        free = self.free
        H = M[np.ix_(free, free)]
        if self.penalty.group and free.size:
            owner = self.penalty.numbers(M.shape[0])[free]
            same = owner[:, None] == owner
            H -= same * np.outer(self.unit[free] * self.bend[free], self.unit[free])
            H[np.diag_indices(free.size)] += self.bend[free]
        return H

    def kept(self, x: Vector) -> Vector:
        """Return x, and 0 for the weights that may not move."""
        return x if self.free.size == x.size else self.placed(x[self.free])

    def placed(self, part: Vector) -> Vector:
        """Return the free weights `part` (m,) among zeros, (d,)."""
        out = np.zeros(self.unit.size)
        out[self.free] = part
        return out


class Model:
    """A quadratic model of a loss around a point: M (d, d), or a diagonal M (d,), and its factor.

    Parameters
    ----------
    M : array of shape (d, d) or (d,)
        Positive definite.
    """

    def __init__(self, M: Vector) -> None:
        self.M = M

    def times(self, x: Vector) -> Vector:
        """Return M x."""
        return self.M * x if self.M.ndim == 1 else self.M @ x

    def diagonal(self) -> Model:
        """Return the model by the diagonal of M."""
        return self if self.M.ndim == 1 else Model(self.M.diagonal().copy())

    def inverse(self) -> Map:
        """Return r -> M⁻¹ r, or by the diagonal if M has no Cholesky factor."""
        if self.M.ndim == 1:
            return lambda r: r / self.M
        try:
            return self._solve
        except LinAlgError:  # of rows so long that products overflow
            return self.diagonal().inverse()

    def solver(self, face: Face) -> Map:
        """Return x (d,) -> the solution with `Face.matrix`, 0 elsewhere.

        Raises
        ------
        LinAlgError
            When it has no Cholesky factor.
        """
        free = face.free
        if self.M.ndim == 1:
            diagonal = self.M + face.bend
            return lambda x: face.kept(x / diagonal)
        if not free.size:
            return np.zeros_like
        if free.size == len(self.M) and not face.penalty.group:
            return self._solve
        solve = _solver(face.matrix(self.M))
        return lambda x: face.placed(solve(x[free]))

    @cached_property
    def _solve(self) -> Map:
        return _solver(self.M.copy())


def _solver(H: Vector) -> Map:
    READ.get().add(0, CHOLESKY * len(H) ** 3)
    factor = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    return lambda x: np.asarray(cho_solve(factor, x, check_finite=False))


def _numbers(mask: NDArray[np.bool_]) -> Index:
    return np.flatnonzero(mask).astype(np.int32)


def model_minimum(model: Model, g: Vector, penalty: GroupL2, w: Vector) -> Vector:
    """Return the v with the least g·(v − w) + ½(v − w)ᵀM(v − w) + Ω(v), without the ridge of Ω.

    A round takes a block step for each term, which finds out which terms are 0, and a Newton step
    on the face, along which weights stop at their bounds (projected Newton). Without a group
    penalty it is the Newton step alone. Both lower the model, and the last steps are exact.

    Parameters
    ----------
    model : Model
        M; a diagonal takes one step, to the minimum of a model with the largest entry of each term.
    g : array of shape (d,)
        The gradient at w.
    penalty : GroupL2
        Ω, of which group and bounds count.
    w : array of shape (d,)
        A point within the bounds.

    References
    ----------
    Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM
    J. Control and Optimization 20, 1982. Block steps: Tseng & Yun, "A coordinate gradient descent
    method for nonsmooth separable minimization", Mathematical Programming 117, 2009.
    """
    if model.M.ndim == 1:
        return _separable(model.M, g, penalty, w)
    at = _ModelPoint(model, g, penalty, w)
    for _ in range(ROUNDS):
        changed = bool(penalty.group) and at.sweep()
        if not at.newton() and not changed:
            break
    return at.v


def _separable(M: Vector, g: Vector, penalty: GroupL2, w: Vector) -> Vector:
    scale = M
    if penalty.group:
        scale = penalty.each(np.maximum.reduceat(M, penalty.starts(M.size)))
    v = penalty.bounded(w - g / scale)
    if not penalty.group:
        return v
    lengths = penalty.lengths(v)
    limits = penalty.weights(v.size) / np.maximum.reduceat(M, penalty.starts(M.size))
    rest = np.maximum(lengths - limits, 0.0)
    factors = np.divide(rest, lengths, out=np.zeros_like(rest), where=lengths > 0.0)
    out: Vector = v * penalty.each(factors)
    return out


class _ModelPoint:
    """A point v of the model, and its gradient r without Ω."""

    def __init__(self, model: Model, g: Vector, penalty: GroupL2, w: Vector) -> None:
        self.model, self.M, self.penalty = model, model.M, penalty
        self.v, self.r = w.copy(), g.copy()
        self.fallen = 0.0
        self._steps: dict[int, float] = {}

    def sweep(self) -> bool:
        """Take a block step for each term, and return whether a term has become 0, or has left it.

        It is the prox of Ω at the gradient of the block, for the largest eigenvalue of its part
        of M.
        """
        d = self.v.size
        starts = [*self.penalty.starts(d).tolist(), d]
        changed = False
        for t, weight in enumerate(self.penalty.weights(d).tolist()):
            part = slice(starts[t], starts[t + 1])
            before, r = self.v[part], self.r[part]
            bend = self._steps.get(t)
            if bend is None:
                bend = self._steps[t] = float(np.linalg.eigvalsh(self.M[part, part])[-1])
            after = self.penalty.bounded(before - r / bend, part)
            length = float(np.sqrt(after @ after))
            after *= max(0.0, 1.0 - weight / bend / length) if length > 0.0 else 0.0
            move = after - before
            if move.any():
                changed |= before.any() != after.any()
                rise = float(r @ move) + 0.5 * float(move @ self.M[part, part] @ move)
                lengths = float(np.sqrt(after @ after)) - float(np.sqrt(before @ before))
                self.fallen -= rise + weight * lengths
                self.v[part] = after
                self.r += move @ self.M[part]
        return changed

    def newton(self) -> bool:
        """Take a Newton step on the face, and return whether there is more to gain."""
        face = Face.at(self.penalty, self.v, self.r)
        slope = self.r + face.pull
        p = -self.model.solver(face)(slope)
        fall = -float(slope @ p)
        if not fall > DECREMENT * self.fallen:
            return False
        return self._search(p, slope)

    def _search(self, p: Vector, slope: Vector) -> bool:
        """Go along p as far as the model falls enough; weights stop at their bounds."""
        t = 1.0
        before = self.penalty.of_lengths(self.v)
        for _ in range(HALVINGS):
            v = self.penalty.bounded(self.v + t * p)
            move = v - self.v
            turned = self.M @ move
            change = float(self.r @ move) + 0.5 * float(move @ turned)
            change += self.penalty.of_lengths(v) - before
            if change <= ARMIJO * float(slope @ move) and change < 0.0:
                self.v, self.r = v, self.r + turned
                self.fallen -= change
                return True
            t *= 0.5
        return False
