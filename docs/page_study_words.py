"""Words and numbers of the page of the study."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf, isnan

from page_study_figures import minus

from aucbench.stats import Difference, Pair

SHOWN = 4  # solvers that a sentence names


def signed(value: float) -> str:
    """Return a difference with its sign; infinite where too many cells failed."""
    if isnan(value):
        return "–"
    return minus(f"{value:+.4f}") if not isinf(value) else ("−∞" if value < 0 else "+∞")


def coded(text: str) -> str:
    """Return the solvers of "a" or "a − b" as code; other names stay as they are."""
    return " − ".join(part if " " in part else f"`{part}`" for part in text.split(" − "))


def named(solvers: Sequence[str], most: int = SHOWN) -> str:
    """Return solvers as code, all or the first ones."""
    told = [coded(solver) for solver in solvers[:most]]
    more = len(solvers) - len(told)
    if more:
        return f"{', '.join(told)} and {more} more"
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def plural(count: int, one: str, more: str = "") -> str:
    """Return a number with its word."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def interval(pair: Pair | Difference) -> str:
    """Return a difference with its interval."""
    d = pair.difference if isinstance(pair, Pair) else pair
    low, high = d.ends() if d.open else (signed(d.low), signed(d.high))
    return f"{signed(d.estimate)} [{minus(low)}, {minus(high)}]"


def p_value(p: float) -> str:
    """Return a p-value with three digits."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
