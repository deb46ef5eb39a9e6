"""Tables 1 and 2: simulated rows whose true scores are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scipy.optimize import brentq

from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.datasets.simulated import population_auc
from aucbench.papers.parts import AUC, Entry, Line, Published
from aucbench.papers.results import TRUTH
from aucbench.papers.roc_svm import protocol as of
from aucbench.papers.roc_svm.protocol import Cell

N_TEST: Final = 25_000
SIZES: Final = (5_000, 10_000, 50_000, 100_000)
RUNS: Final = 50
QUICK_RUNS: Final = 5
LAMS: Final = (1.0, 0.1, 0.01, 0.001)
RAW: Final = "none"  # both features have the variance 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A column of the table.

    Attributes
    ----------
    name : str
        As the paper calls it.
    choice : Choice
        Our solver.
    seconds, auc : mapping of int to Cell
        What the paper prints for each number of training rows; nothing where it prints "–".
    most : int
        The largest number of training rows that is run.
    """

    name: str
    choice: Choice
    seconds: Mapping[int, Cell]
    auc: Mapping[int, Cell]
    most: int = SIZES[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What a table of the paper is about.

    Attributes
    ----------
    place, title : str
        Of the table.
    model : str
        Name of the simulation.
    population : float
        The population AUC that the paper prints.
    methods : tuple of Method
    notes : tuple of str
        Beyond those that both tables have.
    """

    place: str
    title: str
    model: str
    population: float
    methods: tuple[Method, ...]
    notes: tuple[str, ...]

    def datasets(self, n: int, runs: int) -> tuple[str, ...]:
        """Return a data set for each run: n training rows, and the test rows, drawn together.

        No two sizes share a seed, so that their rows are independent.
        """
        first = SIZES.index(n) * RUNS
        return tuple(
            f"{self.model}[n={n + N_TEST},seed={seed}]" for seed in range(first, first + runs)
        )

    def line(self, method: Method, n: int, runs: int) -> Line:
        """Return the cells of a column and a number of rows."""
        return Line(self.datasets(n, runs), method.choice, RAW)

    @property
    def why(self) -> str:
        """Why the AUC of the paper and ours cannot be compared."""
        return (
            f"the printed model has the population AUC {population_auc(self.model):.5f}, and the "
            f"paper says {self.population}"
        )


def notes(table: Simulation, *, quick: bool) -> Iterator[str]:
    """Yield the protocol, what the paper leaves open, and what is smaller here."""
    yield (
        f"Each run draws training rows and {N_TEST} test rows of its own, and holds the same share "
        "of each class out. The paper calls its repetitions independent; it does not say whether "
        "they share their test rows."
    )
    yield (
        "A model is compared with the truth on the same test rows, because the AUC of the paper "
        f"does not follow from its model: {table.why}. The published distance is its AUC minus "
        "its population AUC."
    )
    yield (
        f"By quadrature the printed model has the population AUC {table.population} with "
        f"{_share(table):.1%} negatives, and {population_auc(table.model):.5f} with exactly 80 %. "
        "The paper says about 80 %."
    )
    yield of.grid_note(LAMS)
    yield of.BUDGET_NOTE
    yield from table.notes
    yield of.TIMES_NOTE
    if quick:
        yield f"Quick: {QUICK_RUNS} runs of {RUNS}."


def _share(table: Simulation) -> float:
    """Return the share of negatives, from 0.5 on, with which the printed population AUC comes out.

    From there on the AUC of both models rises with the share.
    """

    def excess(share: float) -> float:
        return population_auc(table.model, share) - table.population

    return float(brentq(excess, 0.5, 0.99))


def plan(table: Simulation, n: int, runs: int) -> Plan:
    """Return the cells with n training rows."""
    return Plan(
        table.datasets(n, runs),
        tuple(method.choice for method in table.methods if n <= method.most),
        (RAW,),
        holdout=N_TEST / (n + N_TEST),
        **of.BUDGET,
    )


def entries(table: Simulation, sizes: Sequence[int], runs: int) -> Iterator[Entry]:
    """Yield the AUC, its distance from that of the truth, and the time."""
    for n in sizes:
        for method in table.methods:
            if n > method.most:
                continue
            auc, seconds = method.auc.get(n), method.seconds.get(n)
            printed = auc and of.auc_printed(auc, RUNS)
            time = seconds and of.seconds_printed(seconds, RUNS)
            line = table.line(method, n, runs)
            for measure, theirs in (
                (AUC, printed),
                (TRUTH, printed and above_population(printed, table.population)),
                (of.SECONDS, time),
            ):
                yield Entry(
                    row=f"{n} rows",
                    column=method.name,
                    measure=measure,
                    line=line,
                    published=theirs or None,
                    why=table.why if measure == AUC else "",
                    fresh=True,
                )


def above_population(printed: Published, population: float) -> Published:
    """Return the paper's AUC minus its population AUC."""
    return Published(round(printed.mean - population, 6), printed.sd, printed.runs)
