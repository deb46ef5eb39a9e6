"""The probability of being uncensored, by which pairs of survival times are weighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import DataError


@dataclass(frozen=True, eq=False)
class Censoring:
    """Ĝ, the Kaplan–Meier curve of censoring times: Ĝ(t) is the share that is uncensored after t.

    At one time events leave first. The curve is continuous from the right.

    Attributes
    ----------
    times : array of shape (m,)
        The distinct times, ascending.
    curve : array of shape (m,)
        Ĝ at these times.
    """

    times: Vector
    curve: Vector

    @staticmethod
    def of(time: Vector, event: NDArray[np.bool_]) -> Censoring:
        """Estimate the curve from times (n,) and events (n,)."""
        times, place = np.unique(time, return_inverse=True)
        censored = np.bincount(place, ~event, times.size)
        leaving = np.bincount(place, minlength=times.size)
        at_risk = time.size - np.append(0, np.cumsum(leaving)[:-1]) - (leaving - censored)
        factors = 1.0 - np.divide(censored, at_risk, where=censored > 0, out=np.zeros(times.size))
        return Censoring(times, np.cumprod(factors))

    def weights(self, time: Vector, upper: NDArray[np.bool_]) -> Vector:
        """Return Ĝ(t)⁻² of the rows in `upper`, and 0 of the others, (n,).

        Raises
        ------
        DataError
            When Ĝ is 0 at the time of such a row, or unknown: after the last time, of which some
            rows are still uncensored.
        """
        place = np.searchsorted(self.times, time, side="right")
        G = np.append(1.0, self.curve)[place]
        lost = upper & ((G <= 0.0) | (time > self.times[-1]))
        if lost.any():
            raise DataError(
                f"censoring leaves no row at time {time[lost].min():g}; give a tau that is not "
                "above it"
            )
        return np.where(upper, 1.0 / np.where(upper, G, 1.0) ** 2, 0.0)
