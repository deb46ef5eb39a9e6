"""What a metric returned, checked against what it says of its values."""

from __future__ import annotations

from functools import partial
from math import isfinite
from numbers import Real
from typing import Any

from aucbench.about import scale_of
from aucbench.errors import PluginError


def origin(metric: Any) -> Any:
    """Return the function that was registered, without the parameters that are bound to it."""
    return metric.func if isinstance(metric, partial) else metric


def checked_value(metric: Any, value: Any) -> float:
    """Return the value of a metric as a float.

    Raises
    ------
    PluginError
        When it is no finite number, or not in the range that `@metric` names.
    """
    # A NumPy float is a Real; a NumPy bool is not, but True is.
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise PluginError(f"it returned {_short(value)}, wanted a finite float")
    scale, found = scale_of(origin(metric)), float(value)
    if not scale.low <= found <= scale.high:
        raise PluginError(
            f"it returned {found!r}, and says that its values are in [{scale.low:g}, "
            f"{scale.high:g}]; correct @metric(low=..., high=...)"
        )
    return found


def _short(value: Any) -> str:
    """Return a value as text that fits into a sentence."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of a class of the plugin
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:59]}…"
