"""The group lasso over terms, with a ridge and the bounds of the terms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from aucbench.contract import Problem, Projector
from aucbench.data import Data, Terms
from aucbench.data.arrays import ALL, Index, Vector
from aucbench.errors import ParameterError, UnsupportedError, require_at_least, require_count
from aucbench.projectors.argument import require_writable_vector
from aucbench.projectors.elastic_net import ElasticNet

if TYPE_CHECKING:
    from aucbench.scale import ChunkedData


@dataclass(frozen=True)
class GroupL2(Projector):
    """Ω(w) = group Σ_t √p_t ‖w_t‖ + (l2/2)‖w‖², and infinity outside of the bounds of the terms.

    t are the terms of the features, each of p_t features: all that a feature map such as `splines`
    makes of a column. So a column drops out as a whole. Without terms each column is one, and Ω is
    an elastic net.

    Bounds are 0 or infinite, such as those of effects that must not fall. Then a set of weights of
    a term is a cone K, and the prox is max(0, 1 − step group √p_t / ‖v‖) v / (1 + step l2) of the
    nearest point v of K. NaN stays NaN.

    Parameters
    ----------
    group : float
        Weight of the sum of lengths in the objective, at least 0. From max_t ‖∇f(0)_t‖/√p_t on,
        all weights are 0.
    l2 : float
        Weight of ‖w‖²/2, at least 0.
    free : int
        The last `free` coordinates (intercepts) have no penalty and no bound.
    terms : Terms, or None
        The terms of the coordinates before these. A solver that takes any projector gets it with
        those of its training rows.

    Raises
    ------
    ParameterError
        When a weight is not a finite number of at least 0, when free is not a whole number of at
        least 0, or when a vector has another number of coordinates than the terms.

    References
    ----------
    Yuan & Lin, "Model selection and estimation in regression with grouped variables", Journal of
    the Royal Statistical Society B 68, 2006.
    """

    group: float = 0.01
    l2: float = 0.0
    free: int = 0
    terms: Terms | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_at_least(0, group=self.group, l2=self.l2)
        require_count(0, free=self.free)
        if self.terms is not None and not isinstance(self.terms, Terms):
            raise ParameterError(
                f"terms of group-l2 are those of the training rows, got {self.terms!r}; leave them "
                "out, or give a Terms of aucbench.data"
            )

    def of_terms(self, terms: Terms) -> GroupL2:
        """Return the penalty over these terms."""
        return replace(self, terms=terms)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its prox and return it."""
        require_writable_vector(v)
        u = self.bounded(self._penalised(v))
        if self.group and u.size:
            u *= self._shrinkage(u, step)
        u /= 1.0 + step * self.l2
        return v

    def bounded(self, u: Vector, part: slice = ALL) -> Vector:
        """Overwrite the coordinates `part` of the terms with their nearest point in the bounds."""
        if self.bounds is None:
            return u
        low, high = self.bounds
        return np.clip(u, low[part], high[part], out=u)

    @property
    def bounds(self) -> tuple[Vector, Vector] | None:
        """The lower and the upper bounds of the weights of the terms; None where there are none."""
        if self.terms is None or self.terms.low is None or self.terms.high is None:
            return None
        return self.terms.low, self.terms.high

    @property
    def is_ridge(self) -> bool:
        """Whether there are neither groups nor bounds."""
        return not self.group and self.bounds is None

    def _shrinkage(self, u: Vector, step: float) -> Vector:
        """Return the factor of each coordinate, (d,)."""
        lengths = self.lengths(u)
        rest = lengths - np.minimum(step * self.weights(u.size), lengths)
        with np.errstate(invalid="ignore"):  # of lengths that are infinite
            factors = np.divide(rest, lengths, out=np.ones_like(rest), where=lengths != 0.0)
        return self.each(factors)

    def contains(self, w: Vector) -> bool:
        """Return whether w is within the bounds of the terms, if there are some."""
        if self.bounds is None:
            return True
        u, (low, high) = self._penalised(w), self.bounds
        return bool(np.all((u >= low) & (u <= high)))

    def value(self, w: Vector) -> float:
        """Return group Σ_t √p_t ‖w_t‖ + (l2/2)‖w‖², or infinity."""
        if not self.contains(w):
            return inf
        u = self._penalised(w)
        with np.errstate(over="ignore"):  # an infinite penalty is a valid result
            return self.of_lengths(u) + float(np.dot(self.l2 / 2 * u, u))

    def of_lengths(self, u: Vector) -> float:
        """Return group Σ_t √p_t ‖u_t‖ alone."""
        if not self.group or not u.size:
            return 0.0
        return float(self.weights(u.size) @ self.lengths(u))

    def weights(self, d: int) -> Vector:
        """Return group √p_t of each term of d coordinates."""
        return self.group * np.sqrt(np.diff(self.starts(d), append=d))

    def lengths(self, u: Vector) -> Vector:
        """Return ‖u_t‖ of each term; no square overflows."""
        starts = self.starts(u.size)
        peak = np.maximum.reduceat(np.abs(u), starts)
        unit = np.where((peak > 0.0) & (peak < inf), peak, 1.0)
        parts = u / self.each(unit)
        return np.asarray(unit * np.sqrt(np.add.reduceat(parts * parts, starts)))

    def each(self, of_terms: Vector) -> Vector:
        """Return the number of its term for each coordinate."""
        return of_terms if self.terms is None else of_terms[self._numbers]

    def numbers(self, d: int) -> Index:
        """Return the number of the term of each of d coordinates."""
        return np.arange(d, dtype=np.int32) if self.terms is None else self._numbers

    def starts(self, d: int) -> Index:
        """Return the first coordinate of each term of d coordinates."""
        return np.arange(d, dtype=np.int32) if self.terms is None else self._starts

    @cached_property
    def _numbers(self) -> Index:
        return np.cumsum(np.diff(self._owner, prepend=self._owner[:1]) != 0).astype(np.int32)

    @cached_property
    def _starts(self) -> Index:
        return np.flatnonzero(np.diff(self._owner, prepend=-1)).astype(np.int32)

    @property
    def _owner(self) -> Index:
        return np.zeros(0, np.int32) if self.terms is None else self.terms.owner

    def _penalised(self, w: Vector) -> Vector:
        """Return the coordinates that are no intercepts, a view."""
        u = w[: max(0, w.size - self.free)]
        if self.terms is not None and u.size != self._owner.size:
            raise ParameterError(
                f"the terms have {self._owner.size} features, and the vector has {u.size} "
                "coordinates without those that are free; give the terms of its features"
            )
        return u


def penalty_of(
    data: Data | ChunkedData, lam: float, group: float | None = None
) -> ElasticNet | GroupL2:
    """Return the ridge (λ/2)‖w‖², with the bounds of the terms of `data`, and their group lasso.

    Raises
    ------
    UnsupportedError
        When there is a `group`, and the rows are read in chunks.
    """
    if not isinstance(data, Data):  # rows in chunks
        if group is not None:
            raise UnsupportedError(
                f"group={group:g} needs rows in memory, and these are read in chunks; leave it out"
            )
        return ElasticNet(0.0, lam)
    terms = data.terms
    if not group and (terms is None or not terms.are_bounded):
        return ElasticNet(0.0, lam)
    return GroupL2(group or 0.0, lam, terms=Terms.each(data.d) if terms is None else terms)


def term_penalty(problem: Problem) -> GroupL2 | None:
    """Return Ω of a problem with bounds or groups of terms; None where it is another one."""
    return problem.project if isinstance(problem.project, GroupL2) else None
