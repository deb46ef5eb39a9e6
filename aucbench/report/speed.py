"""How much faster one version is than another: ratios of seconds, by data set and over all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import exp, isnan, log, nan

import numpy as np

from aucbench.report.evidence import Evidence
from aucbench.stats.pairs import pairwise
from aucbench.stats.resampled import corrected_difference
from aucbench.stats.words import Difference, Word

PRACTICALLY = log(1.05)  # ratios up to 5 % are practically 1
WORDS = {
    Word.BETTER: "faster",
    Word.WORSE: "slower",
    Word.EQUIVALENT: "practically the same",
    Word.UNCLEAR: "not distinguishable",
}


def speed_lines(evidence: Evidence) -> Iterator[str]:
    """Yield what the seconds say of solvers 1 and 0, 3 and 2, ...: after and before.

    A ratio is exp of the mean difference of log(seconds). On one data set, the differences are
    those of the splits, and over several ones those of the data sets.
    """
    for before in range(0, len(evidence.solvers), 2):
        yield from _lines(evidence, before, before + 1)


def _lines(evidence: Evidence, before: int, after: int) -> Iterator[str]:
    means = np.full((len(evidence.datasets), 2), nan)
    yield f"seconds of a fit, {evidence.solvers[after]} / {evidence.solvers[before]}:"
    for number, dataset in enumerate(evidence.datasets):
        a, b = (evidence.group(number, solver).fits for solver in (after, before))
        shared = [fold for fold in b if fold in a]
        logs = np.log([[a[fold].seconds, b[fold].seconds] for fold in shared]).reshape(-1, 2)
        known = logs[~np.isnan(logs).any(axis=1)]
        if not known.size:
            yield f"  {dataset}: no split has a time on both sides"
            continue
        ratio = corrected_difference(known[:, 0], known[:, 1], evidence.ratio(number))
        means[number] = known.mean(axis=0)
        seconds = f"{exp(means[number, 1]):.3g} s → {exp(means[number, 0]):.3g} s"
        yield f"  {dataset}: {_said(ratio)} ({seconds})"
    if len(evidence.datasets) > 1:
        names = ("after", "before")
        [pair] = pairwise(means, names, rope=PRACTICALLY, smaller=True)
        yield f"  over {pair.data_sets} data sets: {_said(pair.difference)}"


def _said(d: Difference) -> str:
    """Return "x0.62, 95 % interval 0.50 to 0.77, faster"."""
    told = f"x{exp(d.effect):.2f}"
    if isnan(d.low):
        return f"{told}. {d.note}" if d.note else told
    word = WORDS[replace(d, smaller=True).word(PRACTICALLY)]
    limits = " to ".join(d.ends(".2f", exp))
    return f"{told}, {100 * d.level:g} % interval {limits}, {word}"
