"""What a fit is given: axes of a grid of hyperparameters, and the budget where nobody names one.

An axis is a list of values, a range, or a distribution of scipy.stats.

Design
  a. A range is a record of four plain values. JSON and plans can hold it, and its values are
     found without SciPy. The space of a solver, which is never sent anywhere, may also contain
     frozen distributions of scipy.stats.
  b. Every axis has a value at each share u of its length, 0 < u < 1. So points are spread in the
     unit cube, and the axes turn them into values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, isfinite, log
from typing import Any

from aucbench.errors import ParameterError, UnknownNameError

Space = Mapping[str, Any] | Sequence[Mapping[str, Any]]  # axes by parameter, or several such
# The budget of a fit where the user gives none, and tolerances that plans and `solve` share.
DEFAULT_PASSES = 50.0  # where neither passes nor seconds are given
OVERSPENT = 1.1  # times its budget, from which on a fit has used more than it was given
DEFAULT_SPLITS = 5
DEFAULT_TIMEOUT = 3600.0  # seconds; far more than a cell takes that makes progress
MEGABYTE = 10**6
GAP_TOL = 1e-6  # certified gap, relative to the objective, at which a fit ends
ENOUGH = 0.01  # of f(0) − f*, or of what a fit has gained: above it a fit has not converged
CLAIM = 1e-6  # largest error of an objective that a state claims, relative to that at w or at 0
DIVERGED = 100.0  # times the objective at w = 0, above which a fit has diverged
RANGE_EXAMPLE = "write it like {low = 1e-6, high = 1.0, log = true}"
RANGE_FIELDS = ("low", "high", "log", "integer")


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, of which tuning tries some.

    Parameters
    ----------
    low, high : float
        low < high, both finite.
    log : bool
        Whether numbers are spread evenly on a logarithmic scale, with low > 0; else evenly.
    integer : bool
        Only whole numbers; both ends belong to the range.

    Raises
    ------
    ParameterError
        When the numbers make no range.
    """

    low: float
    high: float
    log: bool = False
    integer: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ParameterError(
                    f"{name} must be a finite number, got {value!r}; {RANGE_EXAMPLE}"
                )
            if self.integer and value != floor(value):
                raise ParameterError(
                    f"{name} of a range of integers must be a whole number, got {value}"
                )
        for name in ("log", "integer"):
            if not isinstance(getattr(self, name), bool):
                value = getattr(self, name)
                raise ParameterError(
                    f"{name} must be true or false, got {value!r}; {RANGE_EXAMPLE}"
                )
        whole = int if self.integer else float  # 1 and 1.0 are one range
        for name in ("low", "high"):
            object.__setattr__(self, name, whole(getattr(self, name)))
        if not self.low < self.high:
            raise ParameterError(f"low must be less than high, got {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise ParameterError(f"low of a logarithmic range must be above 0, got {self.low}")

    @staticmethod
    def of(fields: Mapping[str, Any]) -> Range:
        """Range from its fields by name, as JSON and TOML have them.

        Raises
        ------
        UnknownNameError, ParameterError
            When a name is unknown or missing, or the numbers make no range.
        """
        for name in fields:
            if name not in RANGE_FIELDS:
                raise UnknownNameError("key of a range", str(name), RANGE_FIELDS)
        if lacking := {"low", "high"} - fields.keys():
            raise ParameterError(f"a range needs {' and '.join(sorted(lacking))}; {RANGE_EXAMPLE}")
        return Range(**fields)

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.low <= value <= self.high and (not self.integer or value == floor(value))

    def at(self, u: float) -> float | int:
        """The number at the share 0 < u < 1 of the range.

        It is low + u (high − low), or low (high/low)^u on a logarithmic scale. For integers,
        high + 1 takes the place of high, and the whole part is returned.
        """
        low, high = self.low, self.high + self.integer
        value = low * exp(u * log(high / low)) if self.log else low + u * (high - low)
        if self.integer:
            return int(min(max(floor(value), self.low), self.high))
        return float(min(max(value, self.low), self.high))

    def __str__(self) -> str:
        kind = " log" * self.log + " integer" * self.integer
        return f"{self.low}..{self.high}{kind}"


def is_continuous(axis: Any) -> bool:
    """Whether the axis is a `Range` or a distribution, and not a list of values."""
    return isinstance(axis, Range) or hasattr(axis, "rvs")


def is_axis(axis: Any) -> bool:
    """Whether it is a list of values, a range, or a frozen distribution."""
    listed = isinstance(axis, Sequence) and not isinstance(axis, str) and len(axis) > 0
    return listed or is_continuous(axis)


def value_at(axis: Any, u: float) -> Any:
    """The value at the share 0 < u < 1 of an axis.

    Of a list of m values it is the one with the number ⌊u m⌋, counted from 0; of a distribution,
    the u-quantile.
    """
    if isinstance(axis, Range):
        return axis.at(u)
    if is_continuous(axis):
        quantile = axis.ppf(u).item()
        return int(quantile) if hasattr(axis, "pmf") else quantile
    return axis[int(u * len(axis))]


def holds(axis: Any, value: Any) -> bool:
    """Whether a value is one of an axis of any kind."""
    if isinstance(axis, Range) or not is_continuous(axis):
        return value in axis
    number = isinstance(value, int | float) and not isinstance(value, bool)
    low, high = axis.support()
    return number and bool(low <= value <= high)


def samples(axis: Any) -> Sequence[Any]:
    """Values that a solver must take if it takes the axis: all, the two ends, or the median."""
    if isinstance(axis, Range):
        return axis.low, axis.high
    return (value_at(axis, 0.5),) if is_continuous(axis) else axis


def axis_text(axis: Any) -> str:
    """The axis for people: values, `1e-06..1.0 log`, or `loguniform(1e-06, 1)`."""
    if isinstance(axis, Range):
        return str(axis)
    if is_continuous(axis):
        arguments = [*map(repr, axis.args), *(f"{k}={v!r}" for k, v in axis.kwds.items())]
        return f"{axis.dist.name}({', '.join(arguments)})"
    return ", ".join(map(repr, axis))
