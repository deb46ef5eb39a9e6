"""Words and numbers of the page of the study."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf, isnan

from page_study_figures import minus

from aucbench.stats import Difference, Pair

SHOWN = 4  # solvers that a sentence names


def format_signed(value: float) -> str:
    """Return a difference with its sign; infinite where too many cells failed."""
    if isnan(value):
        return "–"
    return minus(f"{value:+.4f}") if not isinf(value) else ("−∞" if value < 0 else "+∞")


def format_code(text: str) -> str:
    """Return the solvers of "a" or "a − b" as code; other names stay as they are."""
    return " − ".join(part if " " in part else f"`{part}`" for part in text.split(" − "))


def list_names(solvers: Sequence[str], most: int = SHOWN) -> str:
    """Return solvers as code, all or the first ones."""
    shown = [format_code(solver) for solver in solvers[:most]]
    more = len(solvers) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def format_count(count: int, one: str, more: str = "") -> str:
    """Return a number with its word."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def format_interval(pair: Pair | Difference) -> str:
    """Return a difference with its interval."""
    d = pair.difference if isinstance(pair, Pair) else pair
    low, high = d.ends() if d.open else (format_signed(d.low), format_signed(d.high))
    return f"{format_signed(d.estimate)} [{minus(low)}, {minus(high)}]"


def format_p(p: float) -> str:
    """Return a p-value with three digits."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
