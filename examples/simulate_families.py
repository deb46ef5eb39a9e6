"""Related data sets: how often intervals of slopes, means and ranks hold, and words are false.

    python examples/simulate_families.py

Families have 1, 1, 1 and 12 data sets, in turns. Data sets of a family share seven tenths of the
variance of their differences, and most of their properties: cuts of one table have its columns, and
another share of positives. Nothing depends on anything, so that the true slopes and means are 0.

"Tables counted" takes all data sets for unrelated: HC2 and Student's t. "Families drawn" is the
percentile interval of 400 samples of families with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from simulated import Tables, grid, mean, print_tables, repeated, share
from study.clustered import mean_over_families, meta_regression

from aucbench.stats import SignTest
from aucbench.stats.tables import ResultTable

SIZES = (1, 1, 1, 12)
FAMILIES = (12, 30, 80)
PROPERTIES = ("rows", "features", "share")
SHARED = 0.7  # of the variance of a difference, in a family
TABLES = 200
DRAWN = 400  # samples of the bootstrap
FLIPS = 399

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Differences of two solvers, properties, and families."""

    y: Array
    x: Array
    family: NDArray[np.intp]

    @property
    def names(self) -> list[str]:
        """The family of each data set."""
        return [f"f{g}" for g in self.family]

    @staticmethod
    def draw(families: int, rng: np.random.Generator) -> Sample:
        """Draw that many families."""
        sizes = [SIZES[g % len(SIZES)] for g in range(families)]
        family = np.repeat(np.arange(families), sizes)
        own = rng.normal(size=(families, 3))[family]
        x = own + 0.5 * rng.normal(size=(family.size, 3)) * [0.0, 0.0, 2.0]
        return Sample(related(family, rng), x, family)


def related(family: NDArray[np.intp], rng: np.random.Generator) -> Array:
    """Return normal errors that data sets of a family share in part."""
    shared = rng.normal(size=int(family.max()) + 1)[family]
    own = rng.normal(size=family.size)
    return np.asarray(np.sqrt(SHARED) * shared + np.sqrt(1.0 - SHARED) * own)


Held = tuple[list[bool], bool]  # whether each slope is in its interval, and all in the joint ones


def _tables_counted(sample: Sample, rng: np.random.Generator) -> Held:
    return _inside(sample, None)


def _families_counted(sample: Sample, rng: np.random.Generator) -> Held:
    return _inside(sample, sample.names)


def _inside(sample: Sample, families: Sequence[str] | None) -> Held:
    found = meta_regression(sample.y, sample.x, PROPERTIES, families=families, draws=2000)
    alone = [one.difference.low <= 0.0 <= one.difference.high for one in found.slopes]
    return alone, all(one.low <= 0.0 <= one.high for one in found.slopes)


def _families_drawn(sample: Sample, rng: np.random.Generator) -> Held:
    """Percentiles of slopes over families that are drawn again, with the weights of the rule."""
    count = int(sample.family.max()) + 1
    weights = 1.0 / np.bincount(sample.family)[sample.family]
    X = np.column_stack([np.ones(len(sample.y)), sample.x])
    slopes = []
    for _ in range(DRAWN):
        times = np.bincount(rng.integers(0, count, count), minlength=count)[sample.family]
        w = (weights * times)[:, None]
        slopes.append(np.linalg.lstsq(X.T @ (w * X), X.T @ (w[:, 0] * sample.y), rcond=None)[0][1:])
    low, high = np.quantile(slopes, [0.025, 0.975], axis=0)
    joint = np.quantile(slopes, [0.05 / 6, 1 - 0.05 / 6], axis=0)  # Bonferroni of 3
    alone = [bool(a <= 0.0 <= b) for a, b in zip(low, high, strict=True)]
    return alone, bool(((joint[0] <= 0.0) & (joint[1] >= 0.0)).all())


RULES: dict[str, Callable[[Sample, np.random.Generator], Held]] = {
    "tables counted": _tables_counted,
    "families drawn": _families_drawn,
    "aucbench": _families_counted,
}


def slopes(count: int) -> list[list[str]]:
    """Return how often the intervals of slopes hold, alone and together, for each rule."""
    lines = []
    for families in FAMILIES:
        rng = np.random.default_rng(families)
        samples = [Sample.draw(families, rng) for _ in range(count)]
        line = [str(families), str(len(samples[0].y))]
        for rule in RULES.values():
            held = [rule(sample, rng) for sample in samples]
            line += [share(float(np.mean([alone for alone, _ in held])), count)]
            line += [share(float(np.mean([joint for _, joint in held])), count)]
        lines.append(line)
    return lines


def words(count: int) -> list[list[str]]:
    """Return how often a mean has an interval without 0, and a word on two equal solvers."""
    lines = []
    for families in FAMILIES:
        rng = np.random.default_rng(families + 1)
        false = np.zeros(4)
        for _ in range(count):
            sample = Sample.draw(families, rng)
            odds = np.column_stack([2.0 + 0.1 * sample.y, np.full(len(sample.y), 2.0)])
            values = 1.0 / (1.0 + np.exp(-odds))
            for k, known in enumerate((None, sample.names)):
                false[k] += mean_over_families(sample.y, known).p <= 0.05
                found = SignTest(flips=FLIPS).against(
                    ResultTable(values, "ab", families=known), "b"
                )
                false[2 + k] += found.p[0] <= 0.05
        lines.append([str(families), *(share(float(one / count), count) for one in false)])
    return lines


def ranks(count: int) -> list[list[str]]:
    """Return how often all ranks are in their sets, and how large these are."""
    lines = []
    for m, families in ((5, 20), (5, 80), (25, 20), (25, 80)):
        for gap in (0.0, 0.05, 0.2):
            rng = np.random.default_rng(m * families)
            whole, sizes = [], []
            for _ in range(count):
                family = np.repeat(
                    np.arange(families), [SIZES[g % len(SIZES)] for g in range(families)]
                )
                noise = np.column_stack([related(family, rng) for _ in range(m)])
                scale = np.exp(0.5 * rng.normal(size=families))[family, None]
                odds = 2.0 + gap * np.arange(m)[::-1] + 0.3 * scale * noise
                values = 1.0 / (1.0 + np.exp(-odds))
                names = [*map(str, range(m))]
                told = [f"f{g}" for g in family]
                found = SignTest(flips=FLIPS).rank_sets(ResultTable(values, names, families=told))
                low, high = np.array(found.low), np.array(found.high)
                first, last = (np.arange(1, m + 1),) * 2 if gap else (np.ones(m), np.full(m, m))
                whole.append(bool(((low <= first) & (last <= high)).all()))
                sizes.append(float(np.mean(high - low + 1)))
            lines.append(
                [
                    str(m),
                    str(families),
                    f"{gap:g}",
                    share(float(np.mean(whole)), count),
                    mean(sizes),
                ]
            )
    return lines


def tables(effort: float) -> Tables:
    """Return the tables of docs/statistics.md on related data sets, slopes and ranks."""
    count = repeated(TABLES, effort)
    rules = [f"{rule}, {which}" for rule in RULES for which in ("alone", "together")]
    false = [f"{what}: {how}" for what in ("mean", "word") for how in ("tables", "families")]
    sets = ("solvers", "families", "apart", "all ranks inside", "mean size of a set")
    return {
        "families_slopes": grid(("families", "data sets", *rules), slopes(count)),
        "families_words": grid(("families", *false), words(count)),
        "families_ranks": grid(sets, ranks(repeated(TABLES // 2, effort))),
    }


if __name__ == "__main__":
    print_tables(tables)
