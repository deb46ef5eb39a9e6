"""The decay of a curve towards its limit: how far it has still to fall, and when it gets there."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]

FEWEST = 4  # points of a curve that can be fitted
NOISE = 3.0  # standard deviations of the points by which a curve has to fall
# Exponents that are tried. A curve that falls to an unknown limit more slowly than 1/√t cannot be
# told from one with a lower limit, so slower ones are tried where the limit is known.
SLOWEST, SLOWEST_TO_KNOWN, FASTEST = 0.5, 0.05, 8.0
RATES = np.geomspace(1.0, 100.0, 24)


@dataclass(frozen=True, slots=True)
class Decay:
    """y(x) = limit + fall · φ(x), where φ(x) is x^(−rate), or exp(−rate (x − 1)) if geometric.

    x is the number of passes divided by that at the end of the curve, so that φ(1) = 1.
    """

    limit: float
    fall: float
    rate: float
    geometric: bool

    def reaches(self, level: float) -> float:
        """Return the x ≥ 1 from which y(x) ≤ level; infinity if there is none."""
        if not level > self.limit:
            return inf
        share = (level - self.limit) / self.fall
        if share >= 1.0:
            return 1.0
        try:
            return 1.0 - log(share) / self.rate if self.geometric else share ** (-1.0 / self.rate)
        except OverflowError:
            return inf


def decay_of(x: Vector, y: Vector, limit: float | None = None) -> Decay | None:
    """Return the decay that fits the points best; None if they do not fall by more than noise.

    Parameters
    ----------
    x : array of shape (m,)
        Passes divided by those at the end, positive and ascending.
    y : array of shape (m,)
        Values; positive where the limit is given.
    limit : float, optional
        The limit where it is known. Then the relative errors are the least squares, because such
        values fall by orders of magnitude. None: it is fitted too.
    """
    if x.size < FEWEST or x[0] == x[-1]:
        return None
    powers = np.geomspace(SLOWEST if limit is None else SLOWEST_TO_KNOWN, FASTEST, 24)
    phi = np.concatenate([x ** -powers[:, None], np.exp(-RATES[:, None] * (x - 1.0))])
    if limit is None:
        weights = np.ones_like(y)
        centred = phi - phi.mean(axis=1, keepdims=True)
        falls = centred @ (y - y.mean()) / np.sum(centred**2, axis=1)
        limits = y.mean() - falls * phi.mean(axis=1)
    else:
        weights = 1.0 / (y - limit)
        falls = np.sum(weights * phi, axis=1) / np.sum((weights * phi) ** 2, axis=1)
        limits = np.full(len(phi), limit)
    errors = weights * (limits[:, None] + falls[:, None] * phi - y)
    squares = np.sum(errors**2, axis=1)
    best = int(np.argmin(squares))
    noise = np.sqrt(squares[best] / max(1, x.size - 3)) / weights[-1]
    fallen = falls[best] * (phi[best, 0] - phi[best, -1])
    if not fallen > NOISE * noise:
        return None
    geometric = best >= powers.size
    rate = RATES[best - powers.size] if geometric else powers[best]
    return Decay(float(limits[best]), float(falls[best]), float(rate), bool(geometric))
