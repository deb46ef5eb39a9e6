"""Tables 1 and 2: the linear ROC-SVM on a sample of the pairs, and the kernel one with landmarks.

Rows are simulated, so that their true scores are known. The truth is linear in table 1 and radial
in table 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import brentq

from aucbench.bench.plan.fields import Choice
from aucbench.datasets.simulated import population_auc
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Claim, Entry, Grid, Line, Protocol, Published, Scale
from aucbench.papers.ranges import Range, deviation_of
from aucbench.papers.results import SECONDS, TRUTH, Results
from aucbench.papers.roc_svm import protocol as of
from aucbench.papers.roc_svm.protocol import Cell, Runs, runs_of
from aucbench.report.sections import Chart, Table

N_TEST: Final = 25_000
SIZES: Final = (5_000, 10_000, 50_000, 100_000)
RUNS: Final = 50
QUICK_RUNS: Final = 5
LAMS: Final = (1.0, 0.1, 0.01, 0.001)
LOSS: Final = 0.001  # an AUC that is lower by less is hardly lower
ALL_PAIRS: Final = "the loss of all pairs is computed in O(n log n) here, and not pair by pair"
Points = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A column of the table."""

    name: str  # as the paper calls it
    choice: Choice
    seconds: Mapping[int, Cell]  # printed for each number of training rows; nothing for "–"
    auc: Mapping[int, Cell]
    most: int = SIZES[-1]  # the largest number of training rows that is run

    @property
    def printed(self) -> dict[int, Published]:
        """The AUC that the paper prints."""
        return {n: of.auc_printed(cell, RUNS) for n, cell in self.auc.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What a table of the paper is about."""

    place: str
    title: str
    model: str  # name of the simulation
    population: float  # the population AUC that the paper prints
    methods: tuple[Method, ...]
    notes: tuple[str, ...]  # beyond those that both tables have

    def grids(self, runs: int) -> dict[int, Grid]:
        """Return the cells for each number of training rows.

        Each run has a data set: n training rows, and the test rows, drawn together. No two sizes
        share a seed, so that their rows are independent.
        """
        return {
            n: Grid(
                rows={
                    n: tuple(
                        f"{self.model}[n={n + N_TEST},seed={place * RUNS + run}]"
                        for run in range(runs)
                    )
                },
                methods={m.name: m.choice for m in self.methods if n <= m.most},
                features="none",  # both features have the variance 1
                more={"holdout": N_TEST / (n + N_TEST), **of.BUDGET},
            )
            for place, n in enumerate(SIZES)
        }

    @property
    def why(self) -> str:
        """Why the AUC of the paper and ours cannot be compared."""
        return (
            f"the printed model has the population AUC {population_auc(self.model):.5f}, and the "
            f"paper says {self.population}"
        )

    def above(self, printed: Published) -> Published:
        """Return an AUC of the paper minus its population AUC."""
        return Published(round(printed.mean - self.population, 6), printed.sd, printed.runs)


def _experiment(
    table: Simulation, claims: Callable[[Simulated], Sequence[Claim]], scale: Scale
) -> Experiment:
    """Return a table of simulated rows; quick: five runs."""
    quick = scale is Scale.QUICK
    grids = table.grids(QUICK_RUNS if quick else RUNS)
    return Experiment(
        title=table.title,
        notes=tuple(_notes(table, quick=quick)),
        plans=tuple(grid.plan for grid in grids.values()),
        entries=tuple(_entries(table, grids)),
        shown=lambda results: tuple(_shown(Simulated(table, grids, results))),
        claims=lambda results: [
            *claims(Simulated(table, grids, results)),
            *_all_vary(Simulated(table, grids, results)),
        ],
    )


def _notes(table: Simulation, *, quick: bool) -> Iterator[str]:
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


def _entries(table: Simulation, grids: Mapping[int, Grid]) -> Iterator[Entry]:
    """Yield the AUC, its distance from that of the truth, and the time."""
    for n, grid in grids.items():
        for method in table.methods:
            if method.name not in grid.methods:
                continue
            printed, seconds = method.printed.get(n), method.seconds.get(n)
            for measure, theirs in (
                (AUC, printed),
                (TRUTH, printed and table.above(printed)),
                (SECONDS, seconds and Published(*seconds, RUNS)),
            ):
                yield Entry(
                    row=f"{n} rows",
                    column=method.name,
                    measure=measure,
                    line=grid.line(method.name, n),
                    published=theirs or None,
                    why=table.why if measure == AUC else "",
                    fresh=True,
                )


@dataclass(frozen=True, slots=True)
class Simulated:
    """The results of a table."""

    table: Simulation
    grids: Mapping[int, Grid]
    results: Results

    def lines(self, method: Method) -> dict[int, Line]:
        """Return the cells of a method by the number of training rows."""
        return {
            n: g.line(method.name, n) for n, g in self.grids.items() if method.name in g.methods
        }

    def runs_of(self, method: Method, measure: str) -> dict[int, Runs]:
        """Return a measure of a method by the number of training rows, and by the run."""
        return {n: runs_of(self.results, line, measure) for n, line in self.lines(method).items()}

    def _both(
        self, a: Method, b: Method, compared: Callable[[Results, Line, Line], Range]
    ) -> dict[str, Range]:
        of_a, of_b = self.lines(a), self.lines(b)
        return {
            f"with {n} rows": compared(self.results, line, of_b[n])
            for n, line in of_a.items()
            if n in of_b
        }

    def no_loss(self, statement: str, method: Method, rival: Method) -> Claim:
        """Decide whether a method has hardly a lower AUC than another, at all sizes of both."""
        return of.decided(
            statement,
            self._both(method, rival, of.gain),
            f"AUC of {method.name} minus that of {rival.name}, where a loss counts from {LOSS}",
            holds=lambda r: r.low > -LOSS,
            fails=lambda r: r.high <= -LOSS,
        )

    def times_as_long(self, statement: str, slow: Method, fast: Method, least: float) -> Claim:
        """Decide whether a method takes at least so many times as long as another, at all sizes."""
        return of.decided(
            statement,
            self._both(slow, fast, of.times),
            f"seconds of {slow.name} divided by those of {fast.name}",
            holds=lambda r: r.low >= least,
            fails=lambda r: r.high < least,
            why=ALL_PAIRS,
        )

    def grows(self, statement: str, method: Method, limit: float, *, above: bool = False) -> Claim:
        """Decide whether the seconds grow with an exponent below a limit, or above it."""
        lines = self.lines(method)
        return of.decided(
            statement,
            {f"of {method.name}": of.exponent(self.results, lines)},
            f"exponent of the seconds from {min(self.grids)} to {max(lines)} rows",
            holds=lambda r: r.low > limit if above else r.high < limit,
            fails=lambda r: r.high <= limit if above else r.low >= limit,
            why=ALL_PAIRS if above else "",
        )


def _shown(one: Simulated) -> Iterator[Chart | Table | str]:
    """Yield how times grow, how near the AUC is to that of the truth, and what it could be."""
    table = one.table
    yield from of.times_table(
        ("training rows", "column"),
        (
            (n, method.name, runs, method.seconds[n][0])
            for method in table.methods
            for n, runs in one.runs_of(method, SECONDS).items()
            if n in method.seconds
        ),
    )
    seconds = {m.name: {n: mean for n, (mean, _) in m.seconds.items()} for m in table.methods}
    distances = {
        m.name: {n: table.above(p).mean for n, p in m.printed.items()} for m in table.methods
    }
    x = "training rows"
    lines = _with_published(one, SECONDS, seconds)
    yield Chart("Seconds of a fit", x, "seconds", lines, log_x=True, log_y=True)
    lines = _with_published(one, TRUTH, distances)
    yield Chart("AUC minus that of the true scores", x, "difference", lines, log_x=True)
    shares = [share / 100 for share in range(50, 96)]
    yield Chart(
        "AUC of the true scores in the population",
        "share of negatives",
        "AUC",
        {
            "the printed model": (shares, [population_auc(table.model, s) for s in shares]),
            "the paper prints, with 0.8": (shares, [table.population] * len(shares)),
        },
    )


def _with_published(
    one: Simulated, measure: str, published: Mapping[str, Mapping[int, float]]
) -> dict[str, Points]:
    """Return ours and theirs against the number of training rows, by names."""
    lines: dict[str, Points] = {}
    for method in one.table.methods:
        by_size = one.runs_of(method, measure)
        means = {n: float(np.mean([*runs.values()])) for n, runs in by_size.items() if runs}
        for words, points in (("", means), (", published", published[method.name])):
            if points:
                lines[f"{method.name}{words}"] = ([*points], [*points.values()])
    return lines


def _all_vary(one: Simulated) -> Iterator[Claim]:
    yield from (_varies(one, method) for method in one.table.methods if method.auc)


def _varies(one: Simulated, method: Method) -> Claim:
    """Decide whether the AUC varies from run to run by as much as the paper prints."""
    place, model = one.table.place, one.table.model
    statement = (
        f"The AUC of {method.name} varies from run to run as the paper prints ({place}, numbers in "
        "parentheses)"
    )
    above = one.runs_of(method, TRUTH)
    told, outside, truths = [], [], []
    for n, runs in one.runs_of(method, AUC).items():
        if n not in method.auc or len(runs) < 2:
            continue
        ours = deviation_of([*runs.values()])
        truths.append(np.var([runs[run] - gap for run, gap in above[n].items()], ddof=1))
        theirs = method.auc[n][1] / 1000
        told.append(f"{ours} with {n} rows, printed {theirs:.3g}")
        outside.append(not ours.low <= theirs <= ours.high)
    if not told:
        return Claim(statement, None, of.FEW)
    because = f"the standard deviation is {'; '.join(told)}"
    if not any(outside):
        return Claim(statement, True, because)
    truth = float(np.sqrt(np.mean(truths)))
    far = abs(population_auc(model) - one.table.population) / truth
    return Claim(
        statement,
        False,
        f"{because}. Drawing {N_TEST} test rows anew makes nearly all of ours: the AUC of the true "
        f"scores on them varies by {truth:.3g}. Where the printed one is smaller, the runs of the "
        "paper may share their test rows, whose chance is then in all of its means. Its population "
        f"AUC is {far:.1f} such deviations away from that of the model",
    )


# Means, and the numbers in parentheses, as the tables print them: seconds, and AUC in %.
FULL: Final = Method(
    name="full",
    choice=of.tuned("roc-svm-full", LAMS),
    seconds={5_000: (196.10, 7.75), 10_000: (819.10, 31.41)},
    auc={5_000: (90.370, 0.88), 10_000: (90.374, 0.37)},
)
INCOMPLETE: Final = Method(
    name="incomplete",
    choice=of.tuned("roc-svm", LAMS),
    seconds={
        5_000: (2.69, 0.15),
        10_000: (3.02, 0.21),
        50_000: (8.03, 0.90),
        100_000: (10.26, 0.24),
    },
    auc={
        5_000: (90.370, 1.14),
        10_000: (90.373, 0.54),
        50_000: (90.375, 0.22),
        100_000: (90.376, 0.10),
    },
)
EXACT: Final = Method(
    name="full, exact (svm-or)", choice=of.tuned("svm-or", LAMS), seconds={}, auc={}
)

LINEAR: Final = Simulation(
    place="table 1",
    title="training time and test AUC of the linear ROC-SVM on all pairs and on a sample",
    model="linear",
    population=0.90377,
    methods=(FULL, INCOMPLETE, EXACT),
    notes=(
        "The paper cannot run the full model on 50 000 rows and more, where it prints a dash. Here "
        "all pairs cost O(n log n), so that it runs on all sizes.",
        "svm-or solves the problem of the full model exactly; the paper has no such line.",
    ),
)


KERNEL: Final = Method(
    name="without Nyström",
    choice=of.tuned("roc-svm-kernel[kernel=rbf]", LAMS),
    seconds={5_000: (10.21, 0.30), 10_000: (19.81, 2.84)},
    auc={5_000: (90.947, 0.53), 10_000: (90.863, 2.27)},
    most=10_000,
)
LANDMARKS = "rank=300,kernel=rbf,gamma=median,landmarks=stratified"
NYSTROM: Final = Method(
    name="Nyström",
    choice=of.tuned(f"roc-svm-nystrom[{LANDMARKS},loss=incomplete]", LAMS),
    seconds={
        5_000: (4.64, 0.25),
        10_000: (4.60, 0.52),
        50_000: (5.19, 0.14),
        100_000: (5.87, 0.14),
    },
    auc={
        5_000: (90.921, 0.69),
        10_000: (90.927, 0.64),
        50_000: (90.936, 0.61),
        100_000: (90.926, 0.64),
    },
)
NYSTROM_OF_ALL: Final = Method(
    name="Nyström, all pairs",
    choice=of.tuned(f"roc-svm-nystrom[{LANDMARKS}]", LAMS),
    seconds={},
    auc={},
)

RADIAL: Final = Simulation(
    place="table 2",
    title="training time and test AUC of the kernel ROC-SVM without and with landmarks",
    model="radial",
    population=0.90985,
    methods=(KERNEL, NYSTROM, NYSTROM_OF_ALL),
    notes=(
        "Without landmarks the kernel matrix of all training rows is factorised, for at most "
        "10 000 rows, as in the paper.",
        "There are 300 landmarks, drawn by class, as the paper says. The width of its radial "
        "kernel is not printed; here 1/γ is the median of ‖x − z‖² over pairs of rows.",
        "The kernel models are solved to their certified optimum, and not by AdaMax. With a sample "
        "of n pairs they solve the problem of the paper. With all pairs it is a line that the "
        "paper does not have.",
    ),
)


def table_1(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 1."""
    return _experiment(LINEAR, linear_claims, scale)


def table_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 2."""
    return _experiment(RADIAL, _radial_claims, scale)


def linear_claims(one: Simulated) -> list[Claim]:
    """Return the statements about table 1."""
    return [
        one.no_loss(
            "The incomplete model loses virtually no AUC against the full one (section 4.1)",
            INCOMPLETE,
            FULL,
        ),
        one.times_as_long(
            "The full model takes at least 70 times as long as the incomplete one (table 1: 73 and "
            "271 times)",
            FULL,
            INCOMPLETE,
            70,
        ),
        one.grows(
            "The time of the full model grows with the square of the rows, and not linearly "
            "(section 1; table 1: exponent 2.06): the exponent is above 1.5",
            FULL,
            1.5,
            above=True,
        ),
        one.grows(
            "The time of the incomplete model grows linearly with the rows, and not with their "
            "square (section 5; table 1: exponent 0.47): the exponent is below 1.5",
            INCOMPLETE,
            1.5,
        ),
    ]


def _radial_claims(one: Simulated) -> list[Claim]:
    return [
        one.no_loss(
            "The Nyström approximation loses only little AUC (section 4.1)", NYSTROM, KERNEL
        ),
        one.times_as_long(
            "The model without landmarks takes at least twice as long (table 2: 2.2 and 4.3 times)",
            KERNEL,
            NYSTROM,
            2,
        ),
        one.grows(
            "The time with landmarks hardly grows with the rows (table 2: exponent 0.08): the "
            "exponent is below 0.5",
            NYSTROM,
            0.5,
        ),
        one.grows(
            "The time with landmarks grows linearly with the rows, and not with their square "
            "(section 5): the exponent is below 1.5",
            NYSTROM,
            1.5,
        ),
    ]
