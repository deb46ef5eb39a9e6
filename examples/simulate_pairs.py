"""How often intervals and words of measures of pairs hold, beside plain rules.

    python examples/simulate_pairs.py [EFFORT]    # .1 is a tenth of the samples

Design
  a. The numbers come from `aucbench.metrics` and `aucbench.stats`. The plain rules exist here only.
  b. A design says how rows with one or two scores are drawn. Its true value is the mean over large
     samples; the error of that is below a tenth of the standard error of 500 units.
  c. Sizes are 10, 50 and 500 of what an interval rests on: groups, events, positives, rows of the
     rarest class, or a tenth of the rows with grades.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special
from simulated import Tables, grid, print_tables, repeated, share

from aucbench.data.categories import Categories
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.errors import DataError
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.rows import TargetRows, bare
from aucbench.report.grid import Grid
from aucbench.stats import Fold, Influences
from aucbench.stats.rows import Rows

Array: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[Generator, int], list[Rows]]  # the same rows with two scores
SAMPLES, SIZES, LEVEL = 2000, (10, 50, 500), 0.95
LARGE, TRUTHS = 4000, 12  # size and number of the samples that tell a true value
PAIR = (1.0, 0.6, 0.6)  # of both scores: the signal, their own noise, and what they share


def scored(rng: Generator, signal: Array) -> list[Array]:
    """Return two scores that are equally good, and alike."""
    strength, own, common = PAIR
    base = strength * signal + common * rng.normal(size=signal.shape)
    return [base + own * rng.normal(size=signal.shape) for _ in range(2)]


def groups(rng: Generator, size: int) -> list[Rows]:
    """Draw groups of 2 to 7 rows of both classes, each with a level of its own."""
    group = np.repeat(np.arange(size), rng.integers(2, 8, size))
    y = rng.random(group.size) < 0.5
    first = np.flatnonzero(np.diff(group, prepend=-1))
    y[first], y[first + 1] = True, False
    level = rng.normal(size=size)[group]
    signal = y.astype(np.float64)
    return [Fold(y, s + level, groups=group) for s in scored(rng, signal)]


def unlike(rng: Generator, size: int) -> list[Rows]:
    """Draw groups that scores order well, except for one in twenty, which they order wrongly."""
    rows = groups(rng, size)
    assert all(isinstance(one, Fold) for one in rows)
    wrong = (rng.random(size) < 0.05)[rows[0].groups]
    shift = np.where(wrong, -3.0, 2.0) * rows[0].positive  # type: ignore[attr-defined]
    return [
        Fold(one.positive, one.scores + shift, groups=one.groups)  # type: ignore[attr-defined]
        for one in rows
    ]


def times(rng: Generator, size: int) -> list[Rows]:
    """Draw survival times of which two thirds are events."""
    n = size * 3 // 2
    x = rng.normal(size=n)
    time, end = rng.exponential(np.exp(-x)), rng.exponential(2.0, n)
    target = Survival(np.minimum(time, end), time <= end)
    return [TargetRows(bare(target), s) for s in scored(rng, x)]


def grades(rng: Generator, size: int) -> list[Rows]:
    """Draw five grades; the lowest and the highest are rare."""
    x = rng.normal(size=10 * size)
    target = Grades(np.clip(np.floor(x + 2.5), 0.0, 4.0))
    return [TargetRows(bare(target), s) for s in scored(rng, x)]


def classes(rng: Generator, size: int) -> list[Rows]:
    """Draw three classes with the shares .2, .3 and .5, and a score of each."""
    y = rng.choice(3, 5 * size, p=(0.2, 0.3, 0.5)).astype(np.int32)
    target = Categories(y, np.array(["a", "b", "c"]))
    if target.counts.min() < 2:
        raise DataError("a class has one row, or none")
    return [TargetRows(bare(target), s) for s in scored(rng, np.eye(3)[y])]


def labels(rng: Generator, size: int) -> list[Rows]:
    """Draw positives among ten times as many negatives."""
    y = np.repeat([1.0, 0.0], [size, 10 * size])
    return [Fold(y, s) for s in scored(rng, 1.5 * y)]


@dataclass(frozen=True)
class Design:
    """A measure, and how rows are drawn for it."""

    name: str
    measure: str
    draw: Draw
    tied: float = 0.0  # scores are rounded to multiples of it, and times too

    def rows(self, rng: Generator, size: int) -> list[Rows]:
        """Draw rows with two scores, until some of them can be compared."""
        while True:
            try:
                drawn = self.draw(rng, size)
                return [rounded(rows, self.tied) for rows in drawn] if self.tied else drawn
            except DataError:
                continue

    def told(self, rows: Rows) -> Influences:
        """Return what the rows say of the measure."""
        grouped = rows.groups is not None
        return Influences.joined([measure_of(self.measure).influence(rows)], grouped=grouped)

    def truth(self) -> float:
        """Return the mean over large samples."""
        rng, chosen = np.random.default_rng(7), measure_of(self.measure)
        large = (self.rows(rng, LARGE) for _ in range(TRUTHS))
        return float(np.mean([chosen.values(rows) for rows in large]))


def rounded(rows: Rows, step: float) -> Rows:
    """Return rows whose scores are multiples of a step, and so are their times."""
    if isinstance(rows, Fold):
        return Fold(rows.positive, np.round(rows.scores / step) * step, groups=rows.groups)
    assert isinstance(rows, TargetRows)
    target = rows.data.target
    if isinstance(target, Survival):
        target = Survival(np.ceil(target.time * 4) / 4, target.event)
    return TargetRows(bare(target), np.round(rows.scores / step) * step)


KINDS: tuple[tuple[str, str, Draw], ...] = (
    ("within groups, each pair", "gauc", groups),
    ("within groups, each group", "gauc[each=group]", groups),
    ("within groups, one in 20 unlike", "gauc", unlike),
    ("survival times, Harrell", "cindex", times),
    ("survival times, Uno before 1", "cindex[weight=ipcw,tau=1]", times),
    ("five grades", "grade-auc", grades),
    ("three classes, Hand–Till", "hand-till", classes),
    ("FPR at most .1", "pauc[max_fpr=.1,scale=norm]", labels),
    ("FPR .1 to .3", "pauc[max_fpr=.3,min_fpr=.1,scale=norm]", labels),
    ("FPR at most .4, TPR from .5", "pauc[max_fpr=.4,min_tpr=.5,scale=norm]", labels),
)
TIES = {"": 0.0, ", ties": 0.7}


def designs() -> Iterator[Design]:
    """Yield all measures, with distinct scores and with ties."""
    for name, measure, draw in KINDS:
        yield from (Design(f"{name}{words}", measure, draw, step) for words, step in TIES.items())


@dataclass(frozen=True)
class Shares:
    """How often intervals held, and how often equal scores were told apart, of so many samples."""

    plain: float
    ours: float
    none: float  # samples without an interval
    differ: float
    plainly: float  # the same by a normal test
    samples: int


def simulated(design: Design, size: int, samples: int, seed: int = 0) -> Shares:
    """Draw samples of a design, and count."""
    rng, true = np.random.default_rng([seed, size]), design.truth()
    held: list[tuple[bool, bool]] = []
    apart: list[tuple[bool, bool]] = []
    z = float(special.ndtri((1 + LEVEL) / 2))
    for _ in range(samples):
        try:
            a, b = (design.told(rows) for rows in design.rows(rng, size))
        except DataError:  # all are censored before 1: there is no Uno's C
            continue
        ours, less = a.interval(LEVEL), a.difference(b, LEVEL)
        if np.isnan(ours.low):
            continue
        half = z * a.variance()[0] ** 0.5
        held.append((abs(ours.estimate - true) <= half, ours.low <= true <= ours.high))
        wide = z * a.minus(b).variance()[0] ** 0.5
        apart.append((less.p < 1 - LEVEL, abs(less.estimate) > wide))
    kept = max(1, len(held))
    none = [(False, False)]
    (plain, new), (differ, plainly) = (np.sum(x or none, axis=0) / kept for x in (held, apart))
    return Shares(plain, new, 1 - len(held) / samples, differ, plainly, kept)


def count_of(size: int, samples: int) -> int:
    """Return fewer samples of many rows."""
    return max(10, samples // (1 if size < 100 else 2))


def tables(effort: float) -> Tables:
    """Return coverage and errors of all designs."""
    samples = repeated(SAMPLES, effort)
    told = {
        design.name: [simulated(design, size, count_of(size, samples)) for size in SIZES]
        for design in designs()
    }
    return {"pairs_coverage": coverage_table(told), "pairs_differences": error_table(told)}


def coverage_table(told: dict[str, list[Shares]]) -> Grid:
    """Return how often intervals hold the true value: θ ± 1.96 √V, and those of aucbench."""

    def line(name: str, several: Sequence[Shares]) -> tuple[str, ...]:
        plain = (f"{one.plain:.3f}".replace("0.", ".") for one in several)
        return (name, *plain, *(share(one.ours, one.samples) for one in several))

    head = (*(f"θ ± z √V, {size}" for size in SIZES), *(f"aucbench, {size}" for size in SIZES))
    return grid(("measure", *head), [line(*one) for one in told.items()])


def error_table(told: dict[str, list[Shares]]) -> Grid:
    """Return how often two equal scores are told apart: by a normal test, and by aucbench."""

    def line(name: str, several: Sequence[Shares]) -> tuple[str, ...]:
        plain = (f"{one.plainly:.3f}".replace("0.", ".") for one in several)
        return (name, *plain, *(share(one.differ, one.samples) for one in several))

    head = (*(f"z-test, {size}" for size in SIZES), *(f"aucbench, {size}" for size in SIZES))
    return grid(("equal scores", *head), [line(*one) for one in told.items()])


if __name__ == "__main__":
    print_tables(tables)
