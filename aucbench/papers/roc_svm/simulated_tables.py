"""Tables 1 and 2 with their results: what is drawn, and the statements that are tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from aucbench.datasets.simulated import population_auc
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Claim, Line, Protocol, Published, Scale
from aucbench.papers.ranges import deviation_of
from aucbench.papers.results import TRUTH, Results
from aucbench.papers.roc_svm import protocol as of
from aucbench.papers.roc_svm.protocol import Cell
from aucbench.papers.roc_svm.simulation import (
    N_TEST,
    QUICK_RUNS,
    RUNS,
    SIZES,
    Method,
    Simulation,
    above_population,
    entries,
    notes,
    plan,
)
from aucbench.papers.roc_svm.tested import FEW, Runs, decided, difference, exponent, runs_of, times
from aucbench.sections import Chart, Table

LOSS: Final = 0.001  # an AUC that is lower by less is hardly lower
ALL_PAIRS: Final = "the loss of all pairs is computed in O(n log n) here, and not pair by pair"


def experiment(
    table: Simulation,
    claims: Callable[[Found], Sequence[Claim]],
    scale: Scale,
    protocol: Protocol,
) -> Experiment:
    """Return a table of simulated rows; quick: five runs."""
    quick = scale is Scale.QUICK
    runs = QUICK_RUNS if quick else RUNS

    def found(results: Results) -> Found:
        return Found(table, SIZES, runs, results)

    return Experiment(
        paper=of.PAPER,
        place=table.place,
        title=table.title,
        scale=scale,
        protocol=protocol,
        notes=tuple(notes(table, quick=quick)),
        plans=tuple(plan(table, n, runs) for n in SIZES),
        entries=tuple(entries(table, SIZES, runs)),
        shown=lambda results: tuple(_shown(found(results))),
        claims=lambda results: [*claims(found(results)), *_all_vary(found(results))],
    )


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a table.

    Attributes
    ----------
    table : Simulation
    sizes : sequence of int
        Numbers of training rows.
    runs : int
    results : Results
    """

    table: Simulation
    sizes: Sequence[int]
    runs: int
    results: Results

    def lines(self, method: Method) -> dict[int, Line]:
        """Return the cells of a method by the number of training rows."""
        sizes = [n for n in self.sizes if n <= method.most]
        return {n: self.table.line(method, n, self.runs) for n in sizes}

    def runs_of(self, method: Method, measure: str) -> dict[int, Runs]:
        """Return a measure of a method by the number of training rows, and by the run."""
        return {n: runs_of(self.results, line, measure) for n, line in self.lines(method).items()}

    def no_loss(self, statement: str, method: Method, rival: Method) -> Claim:
        """Decide whether a method has hardly a lower AUC than another, at all sizes of both."""
        found = {
            f"with {n} rows": difference(self.results, line, self.lines(rival)[n])
            for n, line in self.lines(method).items()
            if n in self.lines(rival)
        }
        return decided(
            statement,
            found,
            f"AUC of {method.name} minus that of {rival.name}, where a loss counts from {LOSS}",
            holds=lambda r: r.low > -LOSS,
            fails=lambda r: r.high <= -LOSS,
        )

    def times_as_long(self, statement: str, slow: Method, fast: Method, least: float) -> Claim:
        """Decide whether a method takes at least so many times as long as another, at all sizes."""
        found = {
            f"with {n} rows": times(self.results, line, self.lines(fast)[n])
            for n, line in self.lines(slow).items()
            if n in self.lines(fast)
        }
        return decided(
            statement,
            found,
            f"seconds of {slow.name} divided by those of {fast.name}",
            holds=lambda r: r.low >= least,
            fails=lambda r: r.high < least,
            why=ALL_PAIRS,
        )

    def grows_below(self, statement: str, method: Method, limit: float) -> Claim:
        """Decide whether the seconds grow with an exponent below a limit."""
        return decided(
            statement,
            {f"of {method.name}": exponent(self.results, self.lines(method))},
            self._exponents(method),
            holds=lambda r: r.high < limit,
            fails=lambda r: r.low >= limit,
        )

    def grows_above(self, statement: str, method: Method, limit: float) -> Claim:
        """Decide whether the seconds grow with an exponent above a limit."""
        return decided(
            statement,
            {f"of {method.name}": exponent(self.results, self.lines(method))},
            self._exponents(method),
            holds=lambda r: r.low > limit,
            fails=lambda r: r.high <= limit,
            why=ALL_PAIRS,
        )

    def _exponents(self, method: Method) -> str:
        return f"exponent of the seconds from {self.sizes[0]} to {max(self.lines(method))} rows"


def _shown(found: Found) -> Iterator[Chart | Table | str]:
    """Yield how times grow, how near the AUC is to that of the truth, and what it could be."""
    yield from _times(found)
    yield Chart(
        "Seconds of a fit",
        "training rows",
        "seconds",
        _with_published(found, of.SECONDS, lambda method: _means(method.seconds)),
        log_x=True,
        log_y=True,
    )
    population = found.table.population
    yield Chart(
        "AUC minus that of the true scores",
        "training rows",
        "difference",
        _with_published(
            found,
            TRUTH,
            lambda m: {n: above_population(p, population).mean for n, p in _printed(m).items()},
        ),
        log_x=True,
    )
    shares = [share / 100 for share in range(50, 96)]
    yield Chart(
        "AUC of the true scores in the population",
        "share of negatives",
        "AUC",
        {
            "the printed model": (shares, [population_auc(found.table.model, s) for s in shares]),
            "the paper prints, with 0.8": (shares, [population] * len(shares)),
        },
    )


def _times(found: Found) -> Iterator[Table | str]:
    rows: list[tuple[str | float | None, ...]] = []
    for method in found.table.methods:
        for n, runs in found.runs_of(method, of.SECONDS).items():
            if n in method.seconds and runs:
                ours, theirs = float(np.mean([*runs.values()])), method.seconds[n][0]
                rows.append((n, method.name, ours, theirs, theirs / ours))
    if rows:
        yield of.TIMES_TITLE
        yield Table(("training rows", "column", "ours", "published", "published / ours"), rows)


def _with_published(
    found: Found, measure: str, published: Callable[[Method], Mapping[int, float]]
) -> dict[str, tuple[Sequence[float], Sequence[float]]]:
    """Return ours and theirs against the number of training rows, by names."""
    lines: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    for method in found.table.methods:
        by_size = found.runs_of(method, measure)
        means = {n: float(np.mean([*runs.values()])) for n, runs in by_size.items() if runs}
        for name, points in (
            (method.name, means),
            (f"{method.name}, published", published(method)),
        ):
            if points:
                lines[name] = ([*points], [*points.values()])
    return lines


def _means(cells: Mapping[int, Cell]) -> dict[int, float]:
    return {n: mean for n, (mean, _) in cells.items()}


def _printed(method: Method) -> dict[int, Published]:
    return {n: of.auc_printed(cell, RUNS) for n, cell in method.auc.items()}


def _all_vary(found: Found) -> Iterator[Claim]:
    yield from (_varies(found, method) for method in found.table.methods if method.auc)


def _varies(found: Found, method: Method) -> Claim:
    """Decide whether the AUC varies from run to run by as much as the paper prints."""
    place = found.table.place
    statement = (
        f"The AUC of {method.name} varies from run to run as the paper prints ({place}, numbers in "
        "parentheses)"
    )
    above = found.runs_of(method, TRUTH)
    told, outside, truths = [], [], []
    for n, runs in found.runs_of(method, AUC).items():
        if n not in method.auc or len(runs) < 2:
            continue
        ours = deviation_of([*runs.values()])
        truths.append(np.var([runs[run] - gap for run, gap in above[n].items()], ddof=1))
        theirs = method.auc[n][1] / 1000
        told.append(f"{ours} with {n} rows, printed {theirs:.3g}")
        outside.append(not ours.low <= theirs <= ours.high)
    if not told:
        return Claim(statement, None, FEW)
    because = f"the standard deviation is {'; '.join(told)}"
    if not any(outside):
        return Claim(statement, True, because)
    truth = float(np.sqrt(np.mean(truths)))
    far = abs(population_auc(found.table.model) - found.table.population) / truth
    return Claim(
        statement,
        False,
        f"{because}. Drawing {N_TEST} test rows anew makes nearly all of ours: the AUC of the true "
        f"scores on them varies by {truth:.3g}. Where the printed one is smaller, the runs of the "
        "paper may share their test rows, whose chance is then in all of its means. Its population "
        f"AUC is {far:.1f} such deviations away from that of the model",
    )
