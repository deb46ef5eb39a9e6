"""Effects, factors and lists of names in the words of the advice."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan

from aucbench.stats.pairs import Pair
from aucbench.stats.words import Difference

NAMED = 3  # solvers, or data sets, that a sentence names; of more it gives the number


def with_effects(pairs: Sequence[Pair]) -> str:
    """Return names with their differences; of many, how many and the range."""
    if len(pairs) <= NAMED:
        return listed([f"{pair.b} ({effect(pair)})" for pair in pairs])
    known = sorted(pairs, key=lambda pair: pair.difference.effect)
    least, most = (f"{pair.difference.effect:+.4f} ({pair.b})" for pair in (known[0], known[-1]))
    return f"{len(pairs)} solvers, from {least} to {most}"


def effect(pair: Pair) -> str:
    """Return the difference and its interval; where it is infinite, who failed most often."""
    if isfinite(pair.difference.effect):
        return interval(pair.difference)
    return f"{pair.b if pair.difference.ahead else pair.a} has no value on most data sets"


def interval(d: Difference) -> str:
    """Return an effect with its interval, where it has one."""
    if isnan(d.low):
        return f"{d.effect:+.4f}"
    return f"{d.effect:+.4f}, {d.level * 100:g} % interval {d.low:+.4f} to {d.high:+.4f}"


def times(factor: float) -> str:
    """Return a factor as in "3.2 times"."""
    return f"{factor:.0f} times" if factor >= 9.95 else f"{factor:.1f} times"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names as in "a, b and c"; of many, some and the number of the others."""
    if len(names) == 1:
        return names[0]
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} {last} {len(names) - NAMED} others"
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def have(names: Sequence[str]) -> str:
    """Return the verb that goes with so many names."""
    return "has" if len(names) == 1 else "have"


def number(count: int) -> str:
    """Return a number of data sets in words."""
    return f"{count} data set{'' if count == 1 else 's'}"
