"""What a metric returned, checked against what it says of its values."""

from __future__ import annotations

from functools import partial
from math import isclose, isfinite
from typing import Any

from aucbench.about import scale_of
from aucbench.errors import PluginError, float_of, short, written_at

ROUNDING = 1e-12  # of a sum of shares, say


def origin(metric: Any) -> Any:
    """Return the function that was registered, without the parameters that are bound to it."""
    return metric.func if isinstance(metric, partial) else metric


def checked_value(metric: Any, value: Any) -> float:
    """Return the value of a metric as a float; the end of its range where rounding led beyond it.

    `PluginError`: it is no finite number, or not in the range that `@metric` names.
    """
    found, scale = float_of(value), scale_of(origin(metric))
    if found is None or not isfinite(found):
        place = written_at(origin(metric))
        raise PluginError(f"it returned {short(value)}, wanted a finite float{place}")
    within = min(max(found, float(scale.low)), float(scale.high))
    if not isclose(found, within, rel_tol=ROUNDING, abs_tol=ROUNDING):
        raise PluginError(
            f"it returned {found!r}, and says that its values are in [{scale.low:g}, "
            f"{scale.high:g}]; correct @metric(low=..., high=...)"
        )
    return within
