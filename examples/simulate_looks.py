"""Stopping early: one pair of solvers, or several against a reference, looked at more than once.

    python examples/simulate_looks.py

Differences of a pair are normal, or of Student's t with 3 degrees of freedom, with an effect that a
test at the end finds with a probability of about .8. "Error" is the share of runs without an effect
that end with a word, "power" that of runs with one, "used" the mean number of data sets in these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from simulated import Tables, grid, mean, print_tables, repeated, share

from aucbench.stats import against
from aucbench.stats.looks import looks_at
from aucbench.stats.signed_rank import p_values

EFFECTS = {20: 0.68, 50: 0.41, 130: 0.25}  # data sets -> effect in standard deviations
FIRST = 6  # data sets after which the impatient one looks first
EVERY = {20: 1, 50: 1, 130: 4}  # and how often then
SOLVERS = 5
FLIPS = 1999

Array = NDArray[np.float64]
Plan = Sequence[tuple[int, float]]  # data sets and bound of each look


def at_the_end(n: int) -> Plan:
    """Return the plan of who looks once."""
    return [(n, 0.05)]


def after_each(n: int) -> Plan:
    """Return the plan of who looks again and again, and stops when he likes what he sees."""
    return [(k, 0.05) for k in range(FIRST, n + 1, EVERY[n])]


def planned(count: int, n: int) -> Plan:
    """Return the looks of the package."""
    return [(look.data_sets, look.bound) for look in looks_at(n, count)]


PLANS: dict[str, Callable[[int], Plan]] = {
    "one test at the end": at_the_end,
    "p < .05 after each": after_each,
    "2 planned looks": partial(planned, 2),
    "4 planned looks": partial(planned, 4),
    "8 planned looks": partial(planned, 8),
}
NOISE: dict[str, Callable[[np.random.Generator, tuple[int, int]], Array]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t with 3 degrees": lambda rng, shape: rng.standard_t(3, size=shape) / 1.7,
}


def stopped(d: Array, plan: Plan) -> tuple[NDArray[np.bool_], Array]:
    """Return which runs (rows of differences) stop with a word, and the data sets they take."""
    word = np.zeros(len(d), bool)
    used = np.full(len(d), float(d.shape[1]))
    for size, bound in plan:
        now = (p_values(d[:, :size].copy()) < bound) & ~word
        used[now] = size
        word |= now
    return word, used


def of_pairs(count: int) -> list[tuple[str, ...]]:
    """Return a line for each number of data sets, noise and plan."""
    lines: list[tuple[str, ...]] = []
    for (n, effect), (noise, draw) in product(EFFECTS.items(), NOISE.items()):
        null = draw(np.random.default_rng([32, n]), (count, n))
        for name, plan in PLANS.items():
            wrong, _ = stopped(null, plan(n))
            found, used = stopped(null + effect, plan(n))
            rates = (share(wrong.mean(), count), share(found.mean(), count))
            lines.append((str(n), noise, name, *rates, mean(used.tolist())))
    return lines


@dataclass(frozen=True)
class Run:
    """What a run against a reference has said."""

    ever: bool  # a word at some look
    last: bool  # one at the look at which it ended
    all: bool  # words on all others there
    used: int  # data sets


def against_first(values: Array, plan: Plan) -> Run:
    """Run until each other solver differs from the first one at a look."""
    names = [*map(str, range(values.shape[1]))]
    ever, now, size = False, np.zeros(1, bool), 0
    for size, bound in plan:
        found = against(values[:size], names, "0", shares=False, flips=FLIPS)
        now = np.array(found.stepwise) < bound
        ever = ever or bool(now.any())
        if now.all():
            break
    return Run(ever, bool(now.any()), bool(now.all()), size)


def of_references(count: int) -> list[tuple[str, ...]]:
    """Return lines of several solvers against one, which is equal to them, and then ahead."""
    lines: list[tuple[str, ...]] = []
    for n, name in product((20, 50), ("one test at the end", "4 planned looks")):
        draws = (np.random.default_rng([33, n, i]).normal(size=(n, SOLVERS)) for i in range(count))
        ahead = 2.0 * EFFECTS[n] * (np.arange(SOLVERS) == 0)
        plan = PLANS[name](n)
        both = [(against_first(x, plan), against_first(x + ahead, plan)) for x in draws]
        wrong = (np.mean([run.ever for run, _ in both]), np.mean([run.last for run, _ in both]))
        found = np.mean([run.all for _, run in both])
        rates = (share(float(rate), count) for rate in (*wrong, found))
        lines.append((str(n), name, *rates, mean([float(run.used) for _, run in both])))
    return lines


def tables(effort: float = 1.0) -> Tables:
    """Return the tables of docs/statistics.md about looks."""
    rates = ("error", "power", "data sets used")
    reference = ("false word at some look", "false word at the last", "all four found", rates[-1])
    pairs, against_one = of_pairs(repeated(10_000, effort)), of_references(repeated(2000, effort))
    return {
        "looks_pair": grid(("data sets", "differences", "plan", *rates), pairs, 3),
        "looks_reference": grid(("data sets", "plan", *reference), against_one, 2),
    }


if __name__ == "__main__":
    print_tables(tables)
