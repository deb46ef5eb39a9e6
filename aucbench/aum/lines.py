"""What a line search takes and returns: thresholds along a line, and the step it found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import DataError
from aucbench.stats.vectors import floats

LARGEST_LINE = 2.0**1000  # limit of thresholds and slopes: no difference or product overflows


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Thresholds T_b(η) = intercept_b + η slope_b, and how the errors change at them.

    Attributes
    ----------
    intercept, slope, fp_diff, fn_diff : arrays of shape (B,)
        As in `aum_path`.
    """

    intercept: Vector
    slope: Vector
    fp_diff: Vector
    fn_diff: Vector

    @classmethod
    def of(cls, breakpoints: Breakpoints, scores: ArrayLike, direction: ArrayLike) -> Lines:
        """Return the thresholds of the scores `scores - step * direction`.

        Raises
        ------
        DataError
            Unless scores and direction have shape (n,).
        """
        s, d = floats("scores", scores), floats("direction", direction)
        if not s.shape == d.shape == (breakpoints.n,):
            raise DataError(
                f"scores and direction have shapes {s.shape} and {d.shape}; give one number in "
                f"each for every one of the {breakpoints.n} examples"
            )
        b = breakpoints
        return cls(b.value - s[b.example], d[b.example], b.fp_diff, b.fn_diff)

    @classmethod
    def checked(
        cls, intercept: ArrayLike, slope: ArrayLike, fp_diff: ArrayLike, fn_diff: ArrayLike
    ) -> Lines:
        """Return the columns as float64 vectors of one length; a sweep checks the errors.

        Raises
        ------
        DataError
            When lengths differ, or an intercept or slope is not finite or is too large.
        """
        given = {"intercept": intercept, "slope": slope, "fp_diff": fp_diff, "fn_diff": fn_diff}
        arrays = {name: floats(name, column) for name, column in given.items()}
        shapes = {array.shape for array in arrays.values()}
        if len(shapes) > 1 or arrays["slope"].ndim != 1:
            got = ", ".join(str(array.shape) for array in arrays.values())
            raise DataError(
                "intercept, slope, fp_diff and fn_diff must be vectors of one length, got shapes "
                f"{got}"
            )
        for name in ("intercept", "slope"):  # the comparison is also false for NaN
            if not np.maximum.reduce(np.abs(arrays[name]), initial=0.0) <= LARGEST_LINE:
                raise DataError(
                    f"{name} holds a number that is not finite or is above 2**1000 in magnitude; "
                    "drop rows with missing values, or divide it by a constant"
                )
        return cls(**arrays)


@dataclass(frozen=True, slots=True)
class Found:
    """What a line search found.

    Attributes
    ----------
    step : float
        The chosen step, in [step_lo, step_hi].
    step_lo, step_hi : float
        The interval of equally good steps; step_hi may be inf.
    value : float
        AUM, or AUC as in `aum_path`, at the step.
    events : int
        Distinct steps that were visited, without step 0.
    """

    step: float
    step_lo: float
    step_hi: float
    value: float
    events: int
