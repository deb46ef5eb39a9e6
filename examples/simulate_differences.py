"""How often the difference of two AUCs is in its interval, where a group of rows may be hidden.

    python examples/simulate_differences.py [EFFORT]    # .1 is a tenth of the samples

Design
  a. Both solvers have scores of the same rows, and the true AUCs are known in closed form. The
     models are fixed: that other training rows give other models is left to other simulations.
  b. The bad cases are those of two solvers that err in different ways. One places a small share of
     the positives below all negatives and is right otherwise; the other one errs a little on all
     rows and has the same AUC. Where few of that share are in the test rows, the first looks
     better.
  c. With folds the verdict is that of `within`: what DeLong and the values of the folds both say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import special
from simulate_intervals import FAR, LEVEL, TAIL, Array, Shape
from simulated import Tables, grid, print_tables, repeated

from aucbench.report.grid import Grid
from aucbench.stats import Difference, Fold, corrected_difference
from aucbench.stats.delong import Placements, placed_rows
from aucbench.stats.within import both

SAMPLES = 400
POSITIVES, NEGATIVES = (10, 20, 40, 80, 150, 500), (50, 200, 1000)
# Scores of the positives and negatives of two solvers, each of shape (samples, rows); AUC a - b.
Pair: TypeAlias = tuple[Array, Array, Array, Array, float]


def shift(auc: float) -> float:
    """Return the distance of two normal distributions with this AUC."""
    return FAR / 10 if auc == 1 else float(special.ndtri(auc)) * sqrt(2)


def correlated(rng: Generator, size: Shape, rho: float) -> tuple[Array, Array]:
    """Draw the normal scores of two solvers."""
    common = sqrt(rho) * rng.normal(size=size)
    a, b = (common + sqrt(1 - rho) * rng.normal(size=size) for _ in range(2))
    return a, b


def smooth(rng: Generator, m: Shape, n: Shape, a: float, b: float, rho: float) -> Pair:
    """Draw normal scores with the AUCs a and b."""
    (s, o), (r, q) = correlated(rng, m, rho), correlated(rng, n, rho)
    return s + shift(a), r, o + shift(b), q, a - b


def against_smooth(rng: Generator, m: Shape, n: Shape, share: float, auc: float) -> Pair:
    """Let a fail on a share, and b err a little everywhere; both have the same AUC."""
    rho = 0.5 if auc == 1 else 0.9
    s, r, o, q, _ = smooth(rng, m, n, auc, (1 - share) * auc, rho)
    return np.where(rng.random(m) < share, -FAR, s), r, o, q, 0.0


def like_smooth(rng: Generator, m: Shape, n: Shape, share: float) -> Pair:
    """Let a score a share of the positives like negatives."""
    s, r, o, q, _ = smooth(rng, m, n, 1.0, 1 - share / 2, 0.5)
    return np.where(rng.random(m) < share, rng.normal(size=m), s), r, o, q, 0.0


def negatives_smooth(rng: Generator, m: Shape, n: Shape, share: float) -> Pair:
    """Let a score a share of the negatives above all positives."""
    s, r, o, q, _ = smooth(rng, m, n, 1.0, 1 - share, 0.5)
    return s, np.where(rng.random(n) < share, FAR, r), o, q, 0.0


def only_one(rng: Generator, m: Shape, n: Shape, share: float, auc: float) -> Pair:
    """Let a fail on a share, where b is the same solver without this fault."""
    s, r = rng.normal(size=m) + shift(auc), rng.normal(size=n)
    return np.where(rng.random(m) < share, -FAR, s), r, s, r, -share * auc


def each_fails(rng: Generator, m: Shape, n: Shape, share: float) -> Pair:
    """Let both fail on a share of their own."""
    s, r = np.full(m, 1.0), np.zeros(n)
    a, b = (np.where(rng.random(m) < share, -1.0, s) for _ in range(2))
    return a, r, b, r, 0.0


SHARES = (0.005, 0.01, 0.02, 0.05, 0.1)
EQUAL = [*((a, a, rho) for a in (0.5, 0.8, 0.9, 0.95, 0.99) for rho in (0.5, 0.9))]
APART = [(0.9, 0.8, 0.5), (0.95, 0.9, 0.9), (0.99, 0.95, 0.5), (0.7, 0.5, 0.5)]
FAMILIES: dict[str, tuple[Callable[..., Pair], Sequence[tuple[float, ...]]]] = {
    "smooth, equal": (smooth, [*EQUAL, (0.9, 0.9, 0.999)]),
    "smooth, apart": (smooth, APART),
    "a group against errors everywhere": (against_smooth, [*product(SHARES, (1.0, 0.95))]),
    "a group like negatives against errors everywhere": (like_smooth, [(e,) for e in SHARES]),
    "negatives above against errors everywhere": (negatives_smooth, [(e,) for e in SHARES]),
    "a group, else the same": (only_one, [*product(SHARES, (1.0, 0.95))]),
    "a group each": (each_fails, [(e,) for e in (0.005, 0.02, 0.1, 0.3)]),
}


@dataclass(frozen=True)
class Case:
    """One way to draw the scores of two solvers."""

    family: str
    parameters: tuple[float, ...]
    positives: int
    negatives: int

    def draw(self, samples: int) -> Pair:
        """Draw the scores of some samples; the same ones whatever other cases are drawn."""
        rng = np.random.default_rng(crc32(repr(self).encode()))
        sizes = (samples, self.positives), (samples, self.negatives)
        return FAMILIES[self.family][0](rng, *sizes, *self.parameters)


def cases(sizes: Iterable[tuple[int, int]]) -> Iterator[Case]:
    """Yield the cases of some numbers of positives and negatives."""
    for m, n in sizes:
        for family, (_, several) in FAMILIES.items():
            yield from (Case(family, parameters, m, n) for parameters in several)


Dealt: TypeAlias = tuple[NDArray[np.integer], NDArray[np.integer]]  # rows of a fold


@dataclass(frozen=True)
class Design:
    """Folds of the rows, and how often they are drawn."""

    name: str
    folds: int
    repeats: int
    sizes: tuple[tuple[int, int], ...]
    effort: float  # of the samples

    def deal(self, rng: Generator, m: int, n: int) -> Iterator[Dealt]:
        """Yield the numbers of the positives and of the negatives of each fold."""
        for _ in range(self.repeats):
            orders = rng.permutation(m), rng.permutation(n)
            for k in range(self.folds):
                yield orders[0][k :: self.folds], orders[1][k :: self.folds]


FEW = ((20, 100), (40, 200), (80, 400), (150, 750), (500, 1000))
DESIGNS = (
    Design("one split", 1, 1, tuple(product(POSITIVES, NEGATIVES)), 1.0),
    Design("5 folds", 5, 1, FEW, 0.75),
    Design("5 times 5 folds", 5, 5, FEW[1:4], 0.5),
)
Placed: TypeAlias = list[Placements]  # of both solvers


def placed(pair: Pair, i: int, deals: Sequence[Dealt]) -> Placed:
    """Place the rows of sample i by both solvers, in each fold."""
    solvers = []
    for s, r in (pair[:2], pair[2:4]):
        folds = (
            Fold(np.repeat([1, 0], [p.size, q.size]), np.r_[s[i][p], r[i][q]]) for p, q in deals
        )
        solvers.append(Placements.joined([placed_rows(fold) for fold in folds]))
    return solvers


def wald(a: Placements, b: Placements, repeats: int) -> Difference:
    """Return DeLong's interval: effect ± t √V; the rule of three if all rows are placed alike."""
    ours, less = a.difference(b, LEVEL, repeats), a.minus(b)
    variance, degrees = less.variance(repeats)
    if ours.method == "rule of three" or less.flaw or variance == 0:
        return ours
    se = sqrt(variance)
    half = -float(special.stdtrit(degrees, TAIL)) * se
    p = 2 * float(special.stdtr(degrees, -abs(ours.estimate) / se))
    return replace(ours, low=ours.estimate - half, high=ours.estimate + half, p=p)


RULES: dict[str, Callable[[Placements, Placements, int], Difference]] = {
    "DeLong, t": wald,
    "DeLong, mixture beta": lambda a, b, repeats: a.difference(b, LEVEL, repeats),
}


@dataclass(frozen=True)
class Told:
    """How often a rule held the difference of a case, and said that the solvers differ."""

    case: Case
    design: str
    rule: str
    coverage: float
    differ: float
    width: float


def simulated(design: Design, several: Iterable[Case], samples: int) -> Iterator[Told]:
    """Yield what each rule does in each case, with the folds where there are some."""
    for case in several:
        pair, told = case.draw(samples), []
        rng = np.random.default_rng(0)
        for i in range(samples):
            a, b = placed(pair, i, [*design.deal(rng, case.positives, case.negatives)])
            over = corrected_difference(
                a.aucs, b.aucs, 1 / max(1, design.folds - 1), LEVEL, design.repeats
            )
            found = [both(rule(a, b, design.repeats), over) for rule in RULES.values()]
            told.append([(x.low, x.high, x.p) for x in found])
        for rule, (low, high, p) in zip(RULES, np.transpose(told, (1, 2, 0)), strict=True):
            held = (low <= pair[4] + 1e-9) & (pair[4] - 1e-9 <= high)
            numbers = (held.mean(), (p < 1 - LEVEL).mean(), (high - low).mean())
            yield Told(case, design.name, rule, *map(float, numbers))


def coverage_table(told: Sequence[Told]) -> Grid:
    """Return worst and mean coverage of each rule over the cases of each design."""
    lines = []
    for design, rule in product(dict.fromkeys(one.design for one in told), RULES):
        c = np.array([x.coverage for x in told if (x.design, x.rule) == (design, rule)])
        numbers = (c.min(), np.quantile(c, 0.01), c.mean())
        below = f"{100 * np.mean(c < 0.94):.1f} %"
        lines.append((design, rule, str(c.size), *map("{:.3f}".format, numbers), below))
    header = ("rows", "rule", "cases", "worst", "1 % worst", "mean", "cases below .94")
    return grid(header, lines, 2)


def _both_rules(told: Sequence[Told], design: str, case: Case) -> str:
    own = {x.rule: x.differ for x in told if (x.design, x.case) == (design, case)}
    return " → ".join(f"{own[rule]:.2f}" for rule in RULES)


def errors_table(told: Sequence[Told]) -> Grid:
    """Return how often each rule says that equal solvers differ, in the worst families."""
    lines = []
    for family, design in product(FAMILIES, DESIGNS):
        equal = [x for x in told if x.case.family == family and x.design == design.name]
        if equal and family not in ("smooth, apart", "a group, else the same"):
            worst = (max(x.differ for x in equal if x.rule == rule) for rule in RULES)
            lines.append((family, design.name, *(f"{x:.3f}" for x in worst)))
    return grid(("equal solvers", "rows", *RULES), lines, 2)


def power_table(told: Sequence[Told]) -> Grid:
    """Return how often each rule says that different solvers differ."""
    lines = []
    for parameters, design in product(APART, DESIGNS[:2]):
        several = [Case("smooth, apart", parameters, *size) for size in _sizes(design)]
        a, b, rho = parameters
        numbers = (_both_rules(told, design.name, case) for case in several)
        lines.append((f"{a:g} and {b:g}, correlation {rho:g}", design.name, *numbers))
    header = ("AUCs", "rows", *(f"{m} positives" for m, _ in _sizes(DESIGNS[1])))
    return grid(header, lines, 2)


def _sizes(design: Design) -> list[tuple[int, int]]:
    return [*FEW[:4]] if design.folds > 1 else [(m, 200) for m, _ in FEW[:4]]


def tables(effort: float) -> Tables:
    """Return what intervals and tests of differences hold."""
    told = [
        one
        for design in DESIGNS
        for one in simulated(
            design, cases(design.sizes), repeated(round(design.effort * SAMPLES), effort)
        )
    ]
    return {
        "difference_coverage": coverage_table(told),
        "difference_errors": errors_table(told),
        "difference_power": power_table(told),
    }


if __name__ == "__main__":
    print_tables(tables)
