"""How often the interval of an AUC holds the AUC, compared with the usual rules.

    python examples/simulate_intervals.py [EFFORT]    # .1 is a tenth of the samples

Design
  a. The numbers come from `aucbench.stats`. The usual rules exist here only.
  b. A family of cases says how scores are drawn, and its true AUC is known in closed form. Hidden
     groups are a share e of the positives that score below all negatives, or like them.
  c. Each case has a generator of its own, so that a table of some cases repeats that of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special
from simulated import Tables, grid, print_tables, repeated

from aucbench.report.grid import Grid
from aucbench.stats import Fold, Interval, auc_interval
from aucbench.stats.delong import Placements

Array: TypeAlias = NDArray[np.floating]
Mask: TypeAlias = NDArray[np.bool_]
Shape: TypeAlias = tuple[int, int]  # samples, rows of a class
Bounds: TypeAlias = tuple[Array, Array]
Drawn: TypeAlias = tuple[Array, Array, float]  # scores of each class in each sample, the true AUC
SAMPLES = 1500
LEVEL, TAIL = 0.95, 0.025
Z = -special.ndtri(TAIL)
FAR = 1e4  # beyond all other scores
POSITIVES, NEGATIVES = (5, 10, 20, 40, 80, 150, 500), (50, 200, 1000, 2000)


def binormal(
    rng: Generator, positives: Shape, negatives: Shape, auc: float, sd: float = 1.0
) -> Drawn:
    """Draw normal scores; those of positives have the standard deviation `sd`."""
    shift = special.ndtri(auc) * sqrt(1 + sd * sd) if auc < 1 else FAR / 10
    return shift + sd * rng.normal(size=positives), rng.normal(size=negatives), auc


def below(
    rng: Generator, positives: Shape, negatives: Shape, share: float, auc: float = 1.0
) -> Drawn:
    """Draw a share of the positives below all negatives."""
    s, r, _ = binormal(rng, positives, negatives, auc)
    return np.where(rng.random(positives) < share, -FAR, s), r, (1 - share) * auc


def like(
    rng: Generator, positives: Shape, negatives: Shape, share: float, auc: float = 1.0
) -> Drawn:
    """Draw a share of the positives like negatives."""
    s, r, _ = binormal(rng, positives, negatives, auc)
    hidden = rng.random(positives) < share
    return np.where(hidden, rng.normal(size=positives), s), r, (1 - share) * auc + share / 2


def above(rng: Generator, positives: Shape, negatives: Shape, share: float) -> Drawn:
    """Draw a share of the negatives above all positives."""
    s, r, _ = binormal(rng, positives, negatives, 1.0)
    return s, np.where(rng.random(negatives) < share, FAR, r), 1 - share


def binary(rng: Generator, positives: Shape, negatives: Shape, yes: float, no: float) -> Drawn:
    """Draw scores of 0 and 1; `yes` and `no` are the shares of ones of the two classes."""
    s, r = rng.random(positives) < yes, rng.random(negatives) < no
    return s * 1.0, r * 1.0, (1 + yes - no) / 2


def tied(rng: Generator, positives: Shape, negatives: Shape, auc: float, levels: int) -> Drawn:
    """Draw normal scores and cut them to a few levels."""
    s, r, _ = binormal(rng, positives, negatives, auc)
    shift = special.ndtri(auc) * sqrt(2)
    cuts = np.linspace(-1, 1 + shift, levels - 1)
    p, q = (np.diff(np.r_[0, special.ndtr(cuts - at), 1]) for at in (shift, 0.0))
    true = float(np.sum(p * (np.cumsum(q) - q / 2)))
    return np.searchsorted(cuts, s) * 1.0, np.searchsorted(cuts, r) * 1.0, true


SHARES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
FAMILIES: dict[str, tuple[Callable[..., Drawn], Sequence[tuple[float, ...]]]] = {
    "binormal": (binormal, [(a,) for a in (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)]),
    "binormal, sd 2": (binormal, [(0.8, 2.0), (0.95, 2.0)]),
    "below": (below, [(e,) for e in SHARES]),
    "like": (like, [(e,) for e in SHARES]),
    "above": (above, [(e,) for e in SHARES]),
    ".95 and below": (below, [(e, 0.95) for e in SHARES]),
    ".95 and like": (like, [(e, 0.95) for e in SHARES]),
    "binary": (
        binary,
        [
            *((0.9, 0.1), (0.99, 0.01), (0.98, 0.0), (0.9, 0.0)),
            *((0.5, 0.0), (1.0, 0.02), (0.8, 0.3), (0.999, 0.001)),
        ],
    ),
    "ties": (tied, [*product((0.7, 0.9, 0.98), (3, 5))]),
}


@dataclass(frozen=True)
class Case:
    """One way to draw scores."""

    family: str
    parameters: tuple[float, ...]
    positives: int
    negatives: int

    @property
    def name(self) -> str:
        """Its family and the sizes, for people."""
        return f"{self.family} {self.parameters[0]:g}, {self.positives} and {self.negatives}"

    def draw(self, samples: int, seed: int = 0) -> Drawn:
        """Draw the scores of some samples; the same ones whatever other cases are drawn."""
        rng = np.random.default_rng([seed, crc32(repr(self).encode())])
        draw = FAMILIES[self.family][0]
        sizes = (samples, self.positives), (samples, self.negatives)
        return draw(rng, *sizes, *self.parameters)


def cases() -> Iterator[Case]:
    """Yield the 1458 cases."""
    for m, n in product(POSITIVES, NEGATIVES):
        if (m, n) != (500, 2000):
            for family, (_, several) in FAMILIES.items():
                yield from (Case(family, parameters, m, n) for parameters in several)


@dataclass(frozen=True)
class Sampled:
    """Samples of m positives and n negatives: AUC, DeLong's variance, the interval of aucbench."""

    auc: Array
    variance: Array
    degrees: Array
    bounds: Bounds
    m: int
    n: int

    @classmethod
    def of(cls, positives: Array, negatives: Array) -> Sampled:
        """Place the rows of each sample."""
        m, n = positives.shape[1], negatives.shape[1]
        y, told = np.repeat([True, False], [m, n]), []
        for scores in np.hstack([positives, negatives]):
            placed = Placements.of([Fold(y, scores)])
            ours = placed.interval(LEVEL)
            told.append((ours.estimate, *placed.variance(1), ours.low, ours.high))
        auc, variance, degrees, low, high = np.array(told).T
        return cls(auc, variance, degrees, (low, high), m, n)


def ours(x: Sampled) -> Bounds:
    """Return the bounds of aucbench."""
    return x.bounds


def delong(x: Sampled) -> Bounds:
    """logit(A) ± t √V / (A (1 − A)); a point where V is 0."""
    known = x.variance > 0
    a, v = np.where(known, x.auc, 0.5), np.where(known, x.variance, 0.0)
    half = -special.stdtrit(np.where(known, x.degrees, 9.0), TAIL) * np.sqrt(v) / (a * (1 - a))
    bounds = (special.expit(special.logit(a) + side * half) for side in (-1, 1))
    low, high = (np.where(known, bound, x.auc) for bound in bounds)
    return low, high


def hanley_mcneil(x: Sampled) -> Bounds:
    """Each θ with |A − θ| <= z √V(θ), by the variance of Hanley and McNeil."""
    k = (x.m + x.n) / 2 - 1

    def held(theta: Array) -> Mask:
        spread = 1 + k * (1 - theta) / (2 - theta) + k * theta / (1 + theta)
        return (x.auc - theta) ** 2 <= Z**2 * theta * (1 - theta) * spread / (x.m * x.n)

    bounds = []
    for far in (0.0, 1.0):
        outside, inside = np.full_like(x.auc, far), x.auc.copy()
        for _ in range(45):
            middle = (outside + inside) / 2
            inside = np.where(held(middle), middle, inside)
            outside = np.where(held(middle), outside, middle)
        bounds.append(inside)
    return bounds[0], bounds[1]


def switched(x: Sampled) -> Bounds:
    """The usual rule: Hanley and McNeil if fewer than 5 rows are misplaced, else DeLong."""
    few = (min(x.m, x.n) * np.minimum(x.auc, 1 - x.auc) < 5) | ~(x.variance > 0)
    pairs = zip(hanley_mcneil(x), delong(x), strict=True)
    low, high = (np.where(few, a, b) for a, b in pairs)
    return low, high


RULES = {
    "Hanley-McNeil if < 5 misplaced, else DeLong": switched,
    "DeLong, logit": delong,
    "mixture beta": ours,
}


@dataclass(frozen=True)
class Told:
    """How often the intervals of a rule held the AUC of a case, and their mean width."""

    case: Case
    rule: str
    coverage: float
    width: float


def simulated(several: Iterable[Case], samples: int, seed: int = 0) -> Iterator[Told]:
    """Yield what each rule does in each case."""
    for case in several:
        s, r, true = case.draw(samples, seed)
        x = Sampled.of(s, r)
        for name, rule in RULES.items():
            low, high = rule(x)
            held = (low <= true + 1e-12) & (true - 1e-12 <= high)
            yield Told(case, name, float(held.mean()), float((high - low).mean()))


def coverage_table(told: Sequence[Told]) -> Grid:
    """Return worst and mean coverage of each rule over the cases."""
    lines = []
    for rule in RULES:
        c = np.array([one.coverage for one in told if one.rule == rule])
        numbers = (c.min(), np.quantile(c, 0.01), c.mean())
        lines.append((rule, *map("{:.3f}".format, numbers), f"{100 * np.mean(c < 0.94):.1f} %"))
    return grid(("rule", "worst", "1 % worst", "mean", "cases below .94"), lines)


def width_table(told: Sequence[Told]) -> Grid:
    """Return median widths over the first rule's, of normal scores and AUCs of .7 to .95."""
    usual = [x for x in told if x.case.family == "binormal" and 0.7 <= x.case.parameters[0] <= 0.95]
    width = {(one.case, one.rule): one.width for one in usual}
    old, *others = RULES

    def ratio(rule: str, m: int) -> str:
        several = [case for case, at in width if at == rule and case.positives == m]
        return f"{np.median([width[case, rule] / width[case, old] for case in several]):.2f}"

    sizes = sorted({one.case.positives for one in usual})
    lines = [(rule, *(ratio(rule, m) for m in sizes)) for rule in others]
    return grid(("width, by the number of positives", *map(str, sizes)), lines)


REPRODUCERS = (
    Case("below", (0.02,), 150, 1000),
    Case("below", (0.1,), 20, 200),
    Case("below", (0.05,), 40, 200),
    Case("like", (0.1,), 20, 2000),
    Case("binormal", (0.8,), 500, 1000),
)


def of_folds(case: Case, samples: int, count: int = 5) -> tuple[float, float]:
    """Return coverage and mean width where the rows are dealt to some folds."""
    s, r, true = case.draw(samples)

    def fold(i: int, k: int) -> Fold:
        own = s[i, k::count], r[i, k::count]
        return Fold(np.repeat([1, 0], [own[0].size, own[1].size]), np.r_[own])

    return _held((auc_interval([fold(i, k) for k in range(count)]) for i in range(samples)), true)


def of_weights(case: Case, samples: int) -> tuple[float, float]:
    """Return coverage and mean width where rows stand for .2 to 3 rows of the population."""
    s, r, true = case.draw(samples)
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [s.shape[1], r.shape[1]])
    rows = (Fold(y, np.r_[s[i], r[i]], rng.uniform(0.2, 3, y.size)) for i in range(samples))
    return _held((auc_interval([fold]) for fold in rows), true)


def of_groups(case: Case, samples: int, size: int = 4) -> tuple[float, float]:
    """Return coverage and mean width where each drawn row is a group of rows with like scores.

    A case draws the groups. So a hidden group of rows is hidden wholly.
    """
    s, r, true = case.draw(samples)
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [s.shape[1] * size, r.shape[1] * size])
    group = np.repeat(np.arange(y.size // size), size)

    def fold(i: int) -> Fold:
        scores = np.repeat(np.r_[s[i], r[i]], size)
        return Fold(y, scores + 1e-9 * rng.normal(size=y.size), None, group)

    return _held((auc_interval([fold(i)]) for i in range(samples)), true)


def _held(intervals: Iterable[Interval], true: float) -> tuple[float, float]:
    bounds = np.array([(one.low, one.high) for one in intervals])
    held = (bounds[:, 0] <= true + 1e-12) & (true - 1e-12 <= bounds[:, 1])
    return float(held.mean()), float(np.diff(bounds).mean())


DESIGNS = {"five folds": of_folds, "weights": of_weights, "groups of four rows": of_groups}
DESIGNED = (
    Case("below", (0.1,), 20, 200),
    Case("below", (0.05,), 40, 200),
    Case("below", (0.02,), 150, 1500),
    Case("like", (0.1,), 50, 500),
    Case("binormal", (0.8,), 20, 200),
    Case("binormal", (0.95,), 50, 500),
)


def designs_table(samples: int) -> Grid:
    """Return coverage and mean width with folds, weights and groups."""
    lines = []
    for case in DESIGNED:
        told = [design(case, samples) for design in DESIGNS.values()]
        lines.append((case.name, *(f"{held:.3f} / {width:.3f}" for held, width in told)))
    return grid(("coverage / width", *DESIGNS), lines)


def tables(effort: float) -> Tables:
    """Return what intervals of one AUC hold."""
    samples = repeated(SAMPLES, effort)
    told = [*simulated(cases(), samples)]
    return {
        "interval_coverage": coverage_table(told),
        "interval_width": width_table(told),
    }


if __name__ == "__main__":
    print_tables(tables)
