"""Figure 5: events of a line search and steps of a descent, against the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb, isnan, log, nan
from typing import Any

import numpy as np

from aucbench.data.targets import REST
from aucbench.datasets.located import AWAY, place_of
from aucbench.datasets.reading import Reading
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Measurement, Protocol, Scale
from aucbench.papers.ranges import Range, growth, range_of
from aucbench.papers.results import Results
from aucbench.report.sections import Chart, Table

CALL = "aucbench.papers.aum.descents.figure_5:measured"
SETS = {  # the name of each set here, and its labels; the first class is the negative one
    "MNIST": ("mnist", range(10)),
    "FashionMNIST": ("fashion-mnist", range(10)),
    "CIFAR10": ("cifar10", range(10)),
    "STL10": ("stl10", range(1, 11)),
}
ALWAYS = "MNIST"  # is downloaded when it is not at hand
SIZES = (10, 32, 100, 316, 1_000, 3_162, 10_000)
SEEDS = (0, 1, 2, 3)
QUADRATIC_TO = 3_162  # rows; with more, it takes too long to visit all events
QUICK_SIZES, QUICK_QUADRATIC = SIZES[:-1], 1_000
FROM = 100  # rows, from which the growth is taken: as in the paper, about 10 of the rarer class
VARIANTS = ("first_min", "linear", "quadratic")
Tested = tuple[bool | None, str]  # whether a statement holds, None if that is not known; and why
SAME = 0.05  # of a number of steps: a smaller difference is none
NOTES = (
    "For each n, rows are drawn with the shares of the classes and standardised, and the first "
    "weights are N(0, 1), for four seeds. A descent ends with the first step that lowers the AUM "
    "by less than 0.001, in numbers of errors times a unit of the score. The paper does not say "
    "the sizes, whether it standardises, nor the unit of its 0.001.",
    "Errors are counts, the default of the authors' package for labels.",
    "Seconds are those of the processor. All searches of one n and one seed run in one process, "
    "one after another, so that they are compared under the same load. The paper's are seconds of "
    "an R package. Each result holds the machine, the versions, and how many ran at once.",
)


@dataclass(frozen=True)
class Descents:
    """The descents of one data set: rows with counts as errors."""

    name: str
    rows: Sequence[Mapping[str, Any]]

    def values(self, search: str, field: str, n: int) -> dict[int, float]:
        """Return a number of the descents with n rows by their seeds.

        A descent whose start has an AUM of 0 takes no step, and is left out.
        """
        return {
            row["seed"]: float(row[field])
            for row in self.rows
            if (row["search"], row["n"]) == (search, n) and row["steps"]
        }

    def mean(self, search: str, field: str, n: int) -> float | None:
        """Return the mean over the seeds; None where there is no descent."""
        values = [*self.values(search, field, n).values()]
        return float(np.mean(values)) if values else None

    def sizes(self, search: str, least: int = 0) -> list[int]:
        """Return the numbers of rows, from `least` on, with which a search has run."""
        return sorted({r["n"] for r in self.rows if r["search"] == search and r["n"] >= least})

    def slope(self, search: str, field: str) -> Range:
        """Return the exponent by which a number grows with n, over the seeds with all sizes."""
        sizes = self.sizes(search, FROM)
        if len(sizes) < 2:
            return range_of([])
        by_size = [self.values(search, field, n) for n in sizes]
        seeds = set.intersection(*map(set, by_size))
        return range_of([growth(sizes, [v[s] for v in by_size]) for s in sorted(seeds)])

    def ratio(self, a: str, b: str, field: str, sizes: Iterable[int]) -> Range:
        """Return by how much a exceeds b: the geometric mean over sizes, then over seeds."""
        by_seed: dict[int, list[float]] = {}
        for n in sizes:
            of_a, of_b = self.values(a, field, n), self.values(b, field, n)
            for seed in sorted(of_a.keys() & of_b.keys()):
                by_seed.setdefault(seed, []).append(log(of_a[seed] / of_b[seed]))
        return range_of([float(np.mean(logs)) for logs in by_seed.values()]).exp()


def figure_5(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 5 for the data sets at hand; quick: up to 3162 rows."""
    quick = scale is Scale.QUICK
    sizes, most = (QUICK_SIZES, QUICK_QUADRATIC) if quick else (SIZES, QUADRATIC_TO)
    here = [n for n, (file, _) in SETS.items() if n == ALWAYS or place_of(file) not in AWAY]
    planned = {name: _measurements(name, sizes, most) for name in here}

    def descents(results: Results) -> list[Descents]:
        each = {name: results.rows(one.name for one in some) for name, some in planned.items()}
        return [Descents(name, rows) for name, rows in each.items() if rows]

    return Experiment(
        title="events of a line search and steps of a descent",
        notes=(*_notes(here, sizes, most), *NOTES),
        measurements=tuple(chain.from_iterable(planned.values())),
        shown=lambda results: [part for one in descents(results) for part in _shown(one)],
        claims=lambda results: claims_of(descents(results)),
    )


def _measurements(name: str, sizes: Sequence[int], quadratic_to: int) -> list[Measurement]:
    file, labels = SETS[name]
    reading = Reading(positive=tuple(labels[1:]), negative=REST)
    return [
        Measurement(
            name=f"{name}, n = {n}, seed {seed}",
            call=CALL,
            request={"n": n, "seed": seed, "quadratic_to": quadratic_to},
            dataset=file,
            reading=reading,
        )
        for n in sizes
        for seed in SEEDS
    ]


def _notes(here: Sequence[str], sizes: Sequence[int], quadratic_to: int) -> Iterator[str]:
    yield (
        f"n goes up to {sizes[-1]}, and for the search quadratic to {quadratic_to}, because it "
        "would take too long beyond."
    )
    if missing := [name for name in SETS if name not in here]:
        fetch = ", ".join(f"`aucbench data fetch {SETS[name][0]}`" for name in missing)
        yield (
            f"{', '.join(missing)} of the paper are left out, because their files are not at "
            f"hand; {fetch} get them."
        )


def _shown(one: Descents) -> Iterator[Chart | Table | str]:
    sizes = one.sizes("linear")
    fields = {"events": "events per step", "steps": "steps", "seconds": "seconds"}
    yield f"{one.name}: means over the seeds"
    yield Table(
        ("n", "n(n − 1)/2", *(f"{title}: {v}" for title in fields.values() for v in VARIANTS)),
        [
            (n, comb(n, 2), *(_number(one.mean(v, name, n)) for name in fields for v in VARIANTS))
            for n in sizes
        ],
    )
    yield f"{one.name}: exponents of growth from n = {FROM}, with 95 % intervals over the seeds"
    growing = {**fields, "search_seconds": "s per search"}
    del growing["seconds"]
    yield Table(
        ("search", *growing.values()),
        [(v, *(str(one.slope(v, name)) for name in growing)) for v in VARIANTS],
    )
    for name, what in (
        ("events", "a line search"),
        ("steps", "a descent"),
        ("seconds", "a descent"),
    ):
        known = {v: one.sizes(v) for v in VARIANTS}
        lines: dict[str, Any] = {
            v: (some, [one.mean(v, name, n) for n in some]) for v, some in known.items() if some
        }
        if name == "events":
            lines["n(n − 1)/2"] = (sizes, [comb(n, 2) for n in sizes])
        title = f"{name} of {what}"
        yield Chart(f"{one.name}: {title}", "n", title, lines, log_x=True, log_y=True)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def claims_of(sets: Sequence[Descents]) -> list[Claim]:
    """Return what section 5.1 says of figure 5; a statement holds where it does on every set."""
    claims = []
    for statement, test in TESTS.items() if sets else ():
        tested = {one.name: test(one) for one in sets}
        each = [holds for holds, _ in tested.values()]
        holds = None if None in each and False not in each else all(each)
        told = "; ".join(f"{name}: {why}" for name, (_, why) in tested.items())
        claims.append(Claim(f"{statement} (section 5.1)", holds, told))
    return claims


def _below_quadratic(one: Descents) -> Tested:
    slope = one.slope("first_min", "events")
    return _decided(slope, slope.high < 2, f"the exponent is {slope}, and that of n² is 2")


def _nearly_log_linear(one: Descents) -> Tested:
    slope = one.slope("first_min", "events")
    sizes = one.sizes("first_min", FROM)
    log_linear = growth(sizes, [n * log(n) for n in sizes]) if len(sizes) > 1 else nan
    between = " to ".join(str(n) for n in (sizes[:1] + sizes[-1:]))
    told = f"the exponent is {slope}, and that of n log n is {log_linear:.3g} for {between} rows"
    return _decided(slope, slope.low <= log_linear, told)


def _as_few_steps(one: Descents) -> Tested:
    sizes = one.sizes("quadratic")
    ratio = one.ratio("first_min", "quadratic", "steps", sizes)
    same = ratio.low >= 1 - SAME and ratio.high <= 1 + SAME
    return _decided(ratio, same, f"the ratio of steps, first_min / quadratic, is {ratio}")


def _more_steps(one: Descents) -> Tested:
    n = max(one.sizes("linear"), default=0)
    ratio = one.ratio("linear", "first_min", "steps", [n])
    told = f"the ratio of steps, linear / first_min, is {ratio} for {n} rows"
    return _decided(ratio, ratio.low > 1, told)


def _faster(one: Descents) -> Tested:
    n = max(one.sizes("quadratic"), default=0)
    ratio = one.ratio("quadratic", "first_min", "search_seconds", [n])
    told = f"the ratio of seconds, quadratic / first_min, is {ratio} for {n} rows"
    return _decided(ratio, ratio.low > 1, told)


def _decided(interval: Range, holds: bool, told: str) -> Tested:
    if isnan(interval.low):
        return None, f"it takes two seeds, and for growth two sizes from {FROM} rows on"
    return holds, told


TESTS: Mapping[str, Callable[[Descents], Tested]] = {
    "The events of a search with first_min grow more slowly than quadratically": _below_quadratic,
    "The events of a search with first_min grow nearly log-linearly": _nearly_log_linear,
    "A descent takes as few steps with first_min as with quadratic": _as_few_steps,
    "A descent takes more steps with linear than with first_min": _more_steps,
    "A search with first_min is faster than one with quadratic": _faster,
}
