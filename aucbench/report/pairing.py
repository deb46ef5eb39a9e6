"""What is said of the pairs that fits trained on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan

from aucbench.pairs.collapse import COLLAPSED
from aucbench.report.evidence import Evidence
from aucbench.report.fits import Fit


def pair_notes(evidence: Evidence) -> Iterator[str]:
    """Yield what is left out of training, what cannot help, and which fits are at w = 0."""
    several = len(evidence.datasets) > 1
    one = "grade" if str(evidence.common.get("pairs")).startswith("grade") else "class"
    for number, name in enumerate(evidence.datasets):
        fits = [fit for _, group in evidence.row(number) for fit in group.ok]
        of = f"{name}: " if several else ""
        yield from (f"{of}{line}" for line in (*_left_out(fits, one), *_constant(fits)))
        for solver, group in evidence.row(number):
            if any(fit.collapsed for fit in group.ok):
                yield f"{of}{evidence.solvers[solver]}: {COLLAPSED}"


def _left_out(fits: Iterable[Fit], one: str) -> Iterator[str]:
    known = [(f.left_out, f.left_out + f.groups) for f in fits if not isnan(f.left_out)]
    if any(left for left, _ in known):
        left, all_groups = (_span(values) for values in zip(*known, strict=True))
        yield f"training parts: {left} of {all_groups} groups hold one {one} and are left out"


def _constant(fits: Iterable[Fit]) -> Iterator[str]:
    counts = [fit.constant for fit in fits if fit.constant > 0 and not isnan(fit.groups)]
    if counts:
        yield f"{_span(counts)} feature(s) have one value in each group, and cannot help inside one"


def _span(values: Iterable[float]) -> str:
    numbers = sorted({int(value) for value in values})
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
