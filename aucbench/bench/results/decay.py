"""The decay of a curve towards its limit: how far it has still to fall, and when it gets there."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]

FEWEST = 4  # points of a curve that can be fitted
NOISE = 3.0  # standard deviations by which a curve has to fall
ALIKE = 5.0  # times the error of the best fit: another fit with no more explains the points too
# Exponents that are tried. A curve that falls more slowly than 1/√t cannot be told from one with
# a lower limit, so slower ones are tried only where the limit is known.
POWERS, POWERS_TO_KNOWN = np.geomspace(0.5, 8.0, 24), np.geomspace(0.05, 8.0, 24)
RATES = np.geomspace(1.0, 100.0, 24)


@dataclass(frozen=True, slots=True)
class Decay:
    """y(x) = limit + fall · φ(x), where φ(x) is x^(−rate), or exp(−rate (x − 1)) if geometric.

    x is the number of passes divided by that at the end of the curve, so that φ(1) = 1. `error`
    is the root mean square of its errors, relative ones where the limit was known.
    """

    limit: float
    fall: float
    rate: float
    geometric: bool
    error: float

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


def decays_of(x: Vector, y: Vector, limit: float | None = None) -> tuple[Decay, ...]:
    """Return the decays that explain the points, the best first; none if they hardly fall.

    There are at most two, a power and a geometric one. Both are returned where the points do not
    tell which of them is right.
    """
    if x.size < FEWEST:
        return ()
    seen = y if limit is None else np.log(y - limit)
    noise = float(np.sqrt(np.mean(np.diff(seen, 2) ** 2) / 6.0))  # of independent errors
    if not seen[0] - seen[-1] > NOISE * noise:
        return ()
    powers = POWERS if limit is None else POWERS_TO_KNOWN
    fits = [
        _best(x ** -powers[:, None], y, limit, powers, geometric=False),
        _best(np.exp(-RATES[:, None] * (x - 1.0)), y, limit, RATES, geometric=True),
    ]
    least = min(decay.error for decay in fits)
    return tuple(
        decay
        for decay in sorted(fits, key=lambda decay: decay.error)
        if decay.error <= ALIKE * least and decay.fall > 0.0
    )


def _best(
    phi: NDArray[np.float64], y: Vector, limit: float | None, rates: Vector, *, geometric: bool
) -> Decay:
    """Return the best decay among those with the φ of one row of `phi` (rates, m)."""
    if limit is None:
        weights = np.ones_like(y)
        centred = phi - phi.mean(axis=1, keepdims=True)
        falls = centred @ (y - y.mean()) / np.sum(centred**2, axis=1)
        limits = y.mean() - falls * phi.mean(axis=1)
    else:
        weights = 1.0 / (y - limit)
        falls = np.sum(weights * phi, axis=1) / np.sum((weights * phi) ** 2, axis=1)
        limits = np.full(rates.size, limit)
    errors = weights * (limits[:, None] + falls[:, None] * phi - y)
    squares = np.sum(errors**2, axis=1)
    j = int(np.argmin(squares))
    error = float(np.sqrt(squares[j] / max(1, y.size - 3)))
    return Decay(float(limits[j]), float(falls[j]), float(rates[j]), geometric, error)
