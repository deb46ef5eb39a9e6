"""What one data set says in words: who leads on it, and how the others compare with the leader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from aucbench.stats.tables import Array
from aucbench.stats.telling import counted, listed, top, with_interval
from aucbench.stats.words import Difference, Word, holm


def alone(column: Array, name: str, measure: str) -> Iterator[str]:
    """Say what is known of the only solver, by its value on each data set."""
    known = column[~np.isnan(column)]
    yield f"{name} has a mean {measure} of {known.mean():.4f} over {counted(known.size)}."
    if known.size < column.size:
        yield f"It has no value on {column.size - known.size} of {counted(column.size)}."
    yield "There is no other solver to compare it with."


def inside(
    row: Array,
    sign: float,
    names: Sequence[str],
    data_set: str,
    within: Mapping[tuple[str, str], Difference],
    measure: str,
    rope: float,
) -> Iterator[str]:
    """Say what a single data set says, by the differences inside it."""
    best = int(np.nanargmax(row))
    leader = names[best]
    yield f"On {data_set}, {leader} has the {top(sign)} {measure}, {sign * row[best]:.4f}."
    texts: dict[Word, list[str]] = {word: [] for word in Word}
    adjusted = holm([d.p for d in within.values()])
    for ((a, b), d), p in zip(within.items(), adjusted.tolist(), strict=True):
        if leader in (a, b):
            rival, ours = (b, d) if a == leader else (a, d.flipped())
            word = ours.word(rope, p)
            by_itself = f"; Holm's correction for {len(within)} pairs makes it unclear"
            doubt = by_itself if ours.word(rope, ours.p) is not word else ""
            texts[word].append(f"{rival} ({with_interval(ours)}{doubt})")
    for word, some in texts.items():
        if some:
            yield f"There it is {word.between} {', '.join(some)}."
    if failed := [name for name, value in zip(names, row, strict=True) if np.isnan(value)]:
        have = "has" if len(failed) == 1 else "have"
        yield f"{listed(failed)} {have} no value."
    yield "One data set says nothing about others: run more of them."
