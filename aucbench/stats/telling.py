"""Parts of sentences that advice on one data set and on many share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from aucbench.stats.words import Difference

NAMED = 3  # solvers, or data sets, that a sentence names; of more it gives the number


def top(sign: float) -> str:
    """Return what the best value of a measure is; the sign is -1 where smaller is better."""
    return "highest" if sign > 0.0 else "lowest"


def with_interval(d: Difference) -> str:
    """Return an effect with its interval, or alone where it has none."""
    if isnan(d.low):
        return f"{d.effect:+.4f}"
    return f"{d.effect:+.4f}, {d.level * 100:.4g} % interval {' to '.join(d.ends())}"


def listed(names: Sequence[str], last: str = "and", most: int = NAMED) -> str:
    """Return names as in "a, b and c"; of more than `most`, some and the number of the others."""
    if len(names) == 1:
        return names[0]
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} {last} {len(names) - most} others"
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def counted(count: int) -> str:
    """Return a number of data sets in words."""
    return f"{count} data set{'' if count == 1 else 's'}"


def times(factor: float) -> str:
    """Return a factor in words: "14 times"."""
    return f"{factor:.0f} times" if factor >= 9.95 else f"{factor:.1f} times"
