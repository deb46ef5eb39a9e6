"""Many solvers on many data sets: how often words are false, and how much they find.

    python examples/simulate_many_sets.py

Tables are drawn from docs/data/leaderboard.csv: on the scale of log-odds, the
deviations of its 33 solvers from the middle one of a task, rescaled, and flipped at random, so that
differences are symmetric. "All equal" takes the means of the solvers away. In "a third tied" the
first third is at the top, and the others are .3 behind (.03 of an AUC of .9). "As on the
leaderboard" leaves the means as they are.

"Holm" is Holm's method over all pairs, of signed-rank tests of the AUCs: a solver has a star unless
the one with the highest mean is better.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from simulated import Tables, grid, mean, print_tables, rate, repeated, share

from aucbench.report.grid import Grid
from aucbench.stats import ResultTable, SignTest, holm
from aucbench.stats.signed_rank import p_values
from aucbench.stats.tables import average_ranks_of

BOARD = Path(__file__).parents[1] / "docs" / "data" / "leaderboard.csv"
FIVE = ("random-forest", "roc-svm-nystrom", "xgboost", "logistic", "solam")
ALPHA = 0.05
FLIPS = 399
DATA_SETS = (6, 10, 14, 20, 30, 50)
WIDE_KINDS = ("independent", "in families of ten", "of two decimals")
WIDE_TABLES = 200
WIDE = (200, 50)  # methods and data sets of a leaderboard with one value in each cell
REFERENCE = "logistic"
REFERRED = ("Holm over the others", "aucbench")  # rules of words on a reference
TABLES = {5: 2000, 33: 1000}  # drawn for each number of solvers
EQUAL, THIRD, BOARD_MEANS = "all equal", "a third tied", "as on the leaderboard"

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@cache
def leaderboard() -> tuple[tuple[str, ...], Array]:
    """Return the solvers by their mean, and the log-odds of their AUCs on 20 tasks."""
    with BOARD.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tasks, solvers = (sorted({row[key] for row in rows}) for key in ("task", "solver"))
    table = np.full((len(tasks), len(solvers)), np.nan)
    for row in rows:
        if row["auc"]:
            table[tasks.index(row["task"]), solvers.index(row["solver"])] = float(row["auc"])
    middle = np.nanmedian(table, axis=1, keepdims=True)
    table = np.where(np.isnan(table), middle, table)
    order = np.argsort(-table.mean(axis=0))
    odds = np.log((table + 0.0005) / (1.0 - table + 0.0005))
    return tuple(solvers[j] for j in order), odds[:, order]


@dataclass(frozen=True)
class Population:
    """Data sets of which some solvers are equally good, and others behind."""

    names: tuple[str, ...]
    middle: Array  # (tasks,) log-odds of the solver in the middle
    deviations: Array  # (tasks, m), of mean 0
    effects: Array  # (m,)

    @property
    def best(self) -> Flags:
        """Which solvers are the best ones."""
        return np.asarray(self.effects > self.effects.max() - 1e-9)

    @staticmethod
    def of(kind: str, m: int) -> Population:
        """Return the population of a kind, with all solvers, five of them, or the first ones."""
        names, odds = leaderboard()
        columns = [names.index(name) for name in FIVE] if m == 5 else [*range(m)]
        middle = np.median(odds, axis=1)
        some = odds[:, columns] - np.median(odds[:, columns], axis=1, keepdims=True)
        effects = {
            EQUAL: np.zeros(m),
            THIRD: np.where(np.arange(m) < max(2, m // 3), 0.0, -0.3),
            BOARD_MEANS: some.mean(axis=0),
        }[kind]
        return Population(
            tuple(names[j] for j in columns), middle, some - some.mean(axis=0), effects
        )

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Draw the AUCs of all solvers on that many data sets."""
        task = rng.integers(0, len(self.middle), count)
        scale = np.exp(0.4 * rng.normal(size=(count, 1)) - 0.08)
        signs = rng.choice([-1.0, 1.0], size=(count, 1))
        noise = 0.03 * rng.normal(size=(count, len(self.names)))
        level = self.middle[task, None] + 0.5 * rng.normal(size=(count, 1))
        odds = level + self.deviations[task] * scale * signs + noise + self.effects
        return np.asarray(1.0 / (1.0 + np.exp(-odds)))


@dataclass(frozen=True)
class Said:
    """What a rule says of the solvers of a table."""

    star: Flags
    behind: Flags  # Holm: worse than somebody; aucbench: certainly behind


def words_of_holm(values: Array) -> Array:
    """Return 1 where solver i is better than j, -1 where it is worse, by Holm's method."""
    m = values.shape[1]
    a, b = np.triu_indices(m, 1)
    d = np.round(values[:, a] - values[:, b], 12).T
    ahead = np.sign((average_ranks_of(np.abs(d)) * np.sign(d)).sum(axis=1))
    said = np.where(holm(p_values(d)) < ALPHA, ahead, 0.0)
    words = np.zeros((m, m))
    words[a, b], words[b, a] = said, -said
    return words


def rule_of_holm(values: Array) -> Said:
    """Return the stars of Holm's method, and who is worse than anybody.

    The solver with the highest mean has a star, and those than which it is not better.
    """
    words = words_of_holm(values)
    leader = int(np.argmax(values.mean(axis=0)))
    return Said(words[leader] <= 0, np.array((words > 0).any(axis=0)))


def rule_of_aucbench(values: Array) -> Said:
    """Return the stars of `SignTest.best_set`, and who is certainly behind."""
    names = [*map(str, range(values.shape[1]))]
    found = SignTest(flips=FLIPS).best_set(ResultTable(values, names))
    return Said(np.array(found.possible), np.array(found.behind))


RULES: dict[str, Callable[[Array], Said]] = {
    "Holm": rule_of_holm,
    "aucbench": rule_of_aucbench,
}


def drawn(kind: str, m: int, data_sets: int, count: int) -> tuple[Population, list[Array]]:
    """Draw that many tables; each has its own seed."""
    population = Population.of(kind, m)
    seeds = ([32, m, data_sets, number] for number in range(count))
    return population, [population.draw(data_sets, np.random.default_rng(s)) for s in seeds]


def equal_ones(m: int, data_sets: int, count: int) -> list[str]:
    """Return of equal solvers the stars that each rule takes, and tables with one behind."""
    _, tables = drawn(EQUAL, m, data_sets, count)
    said = {name: [rule(table) for table in tables] for name, rule in RULES.items()}
    lost = [rate([float((~one.star).mean()) for one in some]) for some in said.values()]
    behind = [[one.behind.any() for one in some] for some in said.values()]
    return [*lost, *(share(float(np.mean(some)), count) for some in behind)]


def sizes(kind: str, m: int, data_sets: int, count: int) -> list[str]:
    """Return the mean number of stars by each rule, and which share of the best ones lost them."""
    population, tables = drawn(kind, m, data_sets, count)
    stars = {n: np.array([rule(table).star for table in tables]) for n, rule in RULES.items()}
    size = [mean(some.sum(axis=1).tolist()) for some in stars.values()]
    lost = [(~some[:, population.best]).mean(axis=1) for some in stars.values()]
    return [*size, *(rate(some.tolist()) for some in lost)]


def on_reference(kind: str, m: int, data_sets: int, count: int) -> dict[str, tuple[float, float]]:
    """Return for each rule: tables with a false word on the reference, and truths found."""
    population, tables = drawn(kind, m, data_sets, count)
    at = population.names.index(REFERENCE)
    others = np.delete(population.effects, at)
    truth = np.sign(np.round(others - population.effects[at], 9))
    told = {}
    for rule in REFERRED:
        said = np.array([_words_on(rule, table, at) for table in tables])
        wrong = ((said != 0) & (said != truth)).any(axis=1).mean()
        right = ((said != 0) & (said == truth))[:, truth != 0]
        told[rule] = (float(wrong), float(right.mean()) if right.size else 0.0)
    return told


def _words_on(rule: str, table: Array, at: int) -> Array:
    """Return 1 where another solver is better than the one at this place, -1 where it is worse."""
    names = [*map(str, range(table.shape[1]))]
    found = SignTest(flips=FLIPS).against(ResultTable(table, names), names[at])
    d = np.round(np.delete(table - table[:, [at]], at, axis=1), 12).T
    p = np.array(found.adjusted_p) if rule == "aucbench" else holm(p_values(d))
    return np.where(p <= ALPHA, np.sign(found.t), 0.0)


def wide_tables(kind: str, count: int) -> Iterator[ResultTable]:
    """Yield leaderboards of equal methods, whose deviations are symmetric on the log-odds scale."""
    m, n = WIDE
    for number in range(count):
        rng = np.random.default_rng([33, number])
        own = rng.normal(size=(n, m))
        if kind == "in families of ten":
            own = 0.5 * own + np.repeat(rng.normal(size=(n, m // 10)), 10, axis=1)
        scale = np.exp(0.5 * rng.normal(size=(n, 1)))
        odds = 2.0 + rng.normal(size=(n, 1)) + 0.2 * scale * own
        values = 1.0 / (1.0 + np.exp(-odds))
        values = values.round(2) if kind == "of two decimals" else values
        yield ResultTable(values, [*map(str, range(m))])


def wide(kind: str, count: int) -> list[str]:
    """Return which share of the stars equal methods lose, and in how many tables one is behind."""
    found = [SignTest(flips=FLIPS).best_set(table) for table in wide_tables(kind, count)]
    lost = [1.0 - float(np.mean(best.possible)) for best in found]
    behind = float(np.mean([any(best.behind) for best in found]))
    return [kind, rate(lost), share(behind, count)]


def tables(effort: float = 1.0) -> Tables:
    """Return the tables of docs/statistics.md about many data sets."""
    count = {m: repeated(n, effort) for m, n in TABLES.items()}
    by_rule = [*RULES]
    lost = [f"stars lost: {name}" for name in by_rule]
    behind = [f"one behind: {name}" for name in by_rule]
    size = [f"stars: {name}" for name in by_rule] + [f"best ones lost: {n}" for n in by_rule]
    words = [f"{what}: {rule}" for what in ("false word", "found") for rule in REFERRED]
    return {
        "many_equal": _asked((*lost, *behind), equal_ones, count),
        "many_leaderboard": _asked(size, partial(sizes, BOARD_MEANS), count),
        "many_reference": _asked(words, _referred, count),
        "wide_equal": grid(
            ("200 equal methods, 50 data sets", "stars lost", "one behind"),
            [wide(kind, repeated(WIDE_TABLES, effort)) for kind in WIDE_KINDS],
        ),
    }


def _asked(
    told: Sequence[str],
    ask: Callable[[int, int, int], Sequence[str]],
    count: Mapping[int, int],
) -> Grid:
    """Return a table with a line for each number of solvers and of data sets."""
    lines = [
        (str(m), str(data_sets), *ask(m, data_sets, count[m]))
        for m, data_sets in product(count, DATA_SETS)
    ]
    return grid(("solvers", "data sets", *told), lines, 0)


def _referred(m: int, data_sets: int, count: int) -> list[str]:
    wrong, found = (on_reference(kind, m, data_sets, count) for kind in (EQUAL, THIRD))
    shares = [share(wrong[rule][0], count) for rule in REFERRED]
    return [*shares, *(f"{found[rule][1]:.2f}".removeprefix("0") for rule in REFERRED)]


if __name__ == "__main__":
    print_tables(tables)
