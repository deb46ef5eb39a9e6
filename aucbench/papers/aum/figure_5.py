"""Figure 5: events of a line search and steps of a descent, against the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, isnan, log, nan
from typing import Any

import numpy as np

from aucbench.data.targets import REST
from aucbench.datasets.places import AWAY, place_of
from aucbench.datasets.reading import Reading
from aucbench.papers.aum.descents.figure_5 import FIGURE5_SEEDS, QUADRATIC_TO, SIZES, growth
from aucbench.papers.aum.rows import Row, rows_in
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Measurement, Protocol, Scale
from aucbench.papers.ranges import Range, range_of
from aucbench.papers.results import Results
from aucbench.sections import Chart, Table

CALL = "aucbench.papers.aum.descents.figure_5:measured"
SETS = {  # the name of each set here, and its labels; the first class is the negative one
    "MNIST": ("mnist", range(10)),
    "FashionMNIST": ("fashion-mnist", range(10)),
    "CIFAR10": ("cifar10", range(10)),
    "STL10": ("stl10", range(1, 11)),
}
ALWAYS = "MNIST"  # is downloaded when it is not at hand
QUICK_SIZES, QUICK_QUADRATIC = SIZES[:-1], 1_000
FROM = 100  # rows, from which the growth is taken: as in the paper, about 10 of the rarer class
VARIANTS = ("first_min", "linear", "quadratic")
COUNT = "count"
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
    rows: Sequence[Row]

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

    def sizes(self, search: str) -> list[int]:
        """Return the numbers of rows with which a search has run."""
        return sorted({row["n"] for row in self.rows if row["search"] == search})

    def slope(self, search: str, field: str) -> Range:
        """Return the exponent by which a number grows with n, over the seeds with all sizes."""
        sizes = [n for n in self.sizes(search) if n >= FROM]
        if len(sizes) < 2:
            return range_of([])
        by_size = [self.values(search, field, n) for n in sizes]
        seeds = set.intersection(*(set(found) for found in by_size))
        return range_of([growth(sizes, [found[s] for found in by_size]) for s in sorted(seeds)])

    def ratio(self, a: str, b: str, field: str, sizes: Iterable[int]) -> Range:
        """Return by how much a exceeds b: the geometric mean over sizes, then over seeds."""
        found: dict[int, list[float]] = {}
        for n in sizes:
            of_a, of_b = self.values(a, field, n), self.values(b, field, n)
            for seed in sorted(of_a.keys() & of_b.keys()):
                found.setdefault(seed, []).append(log(of_a[seed] / of_b[seed]))
        return range_of([float(np.mean(logs)) for logs in found.values()]).exp()


def figure_5(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 5 for the data sets at hand; quick: up to 3162 rows."""
    quick = scale is Scale.QUICK
    sizes, most = (QUICK_SIZES, QUICK_QUADRATIC) if quick else (SIZES, QUADRATIC_TO)
    sets = [name for name, (file, _) in SETS.items() if name == ALWAYS or _is_here(file)]
    planned = {name: _measurements(name, sizes, most) for name in sets}
    names = {name: [one.name for one in some] for name, some in planned.items()}

    def found(results: Results) -> Iterator[Descents]:
        for name in sets:
            rows = [row for row in rows_in(results, names[name]) if row["errors"] == COUNT]
            if rows:
                yield Descents(name, rows)

    return Experiment(
        paper="aum",
        place="figure 5",
        title="events of a line search and steps of a descent",
        scale=scale,
        protocol=protocol,
        notes=(*_notes(sets, sizes, most), *NOTES),
        measurements=tuple(one for some in planned.values() for one in some),
        shown=lambda results: [part for one in found(results) for part in _shown(one)],
        claims=lambda results: claims_of([*found(results)]),
    )


def _is_here(file: str) -> bool:
    return place_of(file) not in AWAY


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
        for seed in FIGURE5_SEEDS
    ]


def _notes(sets: Sequence[str], sizes: Sequence[int], quadratic_to: int) -> Iterator[str]:
    yield (
        f"n goes up to {sizes[-1]}, and for the search quadratic to {quadratic_to}, because it "
        "would take too long beyond."
    )
    missing = [name for name in SETS if name not in sets]
    if missing:
        fetch = ", ".join(f"`aucbench data fetch {SETS[name][0]}`" for name in missing)
        yield (
            f"{', '.join(missing)} of the paper are left out, because their files are not at "
            f"hand; {fetch} get them."
        )


def _shown(found: Descents) -> Iterator[Chart | Table | str]:
    sizes = found.sizes("linear")
    bound = {"n(n − 1)/2": (sizes, [comb(n, 2) for n in sizes])}
    yield f"{found.name}: means over the seeds"
    yield _table(found, sizes)
    yield f"{found.name}: exponents of growth from n = {FROM}, with 95 % intervals over the seeds"
    yield _slopes(found)
    yield _chart(found, "events of a line search", "events", bound)
    yield _chart(found, "steps of a descent", "steps", {})
    yield _chart(found, "seconds of a descent", "seconds", {})


def _table(found: Descents, sizes: Sequence[int]) -> Table:
    fields = (("events", "events per step"), ("steps", "steps"), ("seconds", "seconds"))
    header = ["n", "n(n − 1)/2", *(f"{title}: {v}" for _, title in fields for v in VARIANTS)]
    rows: list[list[str | float | None]] = [
        [n, comb(n, 2), *(_number(found.mean(v, name, n)) for name, _ in fields for v in VARIANTS)]
        for n in sizes
    ]
    return Table(header, rows)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _slopes(found: Descents) -> Table:
    fields = (("events", "events per step"), ("steps", "steps"), ("search_seconds", "s per search"))
    rows = [[v, *(str(found.slope(v, name)) for name, _ in fields)] for v in VARIANTS]
    return Table(["search", *(title for _, title in fields)], rows)


def _chart(found: Descents, title: str, field: str, more: Mapping[str, Any]) -> Chart:
    lines = {v: (s := found.sizes(v), [found.mean(v, field, n) for n in s]) for v in VARIANTS}
    named = {name: line for name, line in lines.items() if line[0]}
    return Chart(f"{found.name}: {title}", "n", title, {**named, **more}, log_x=True, log_y=True)


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


def _below_quadratic(found: Descents) -> Tested:
    slope = found.slope("first_min", "events")
    return _decided(slope, slope.high < 2, f"the exponent is {slope}, and that of n² is 2")


def _nearly_log_linear(found: Descents) -> Tested:
    slope = found.slope("first_min", "events")
    sizes = [n for n in found.sizes("first_min") if n >= FROM]
    log_linear = growth(sizes, [n * log(n) for n in sizes]) if len(sizes) > 1 else nan
    between = " to ".join(str(n) for n in (sizes[:1] + sizes[-1:]))
    told = f"the exponent is {slope}, and that of n log n is {log_linear:.3g} for {between} rows"
    return _decided(slope, slope.low <= log_linear, told)


def _as_few_steps(found: Descents) -> Tested:
    sizes = found.sizes("quadratic")
    ratio = found.ratio("first_min", "quadratic", "steps", sizes)
    same = ratio.low >= 1 - SAME and ratio.high <= 1 + SAME
    return _decided(ratio, same, f"the ratio of steps, first_min / quadratic, is {ratio}")


def _more_steps(found: Descents) -> Tested:
    n = max(found.sizes("linear"), default=0)
    ratio = found.ratio("linear", "first_min", "steps", [n])
    told = f"the ratio of steps, linear / first_min, is {ratio} for {n} rows"
    return _decided(ratio, ratio.low > 1, told)


def _faster(found: Descents) -> Tested:
    n = max(found.sizes("quadratic"), default=0)
    ratio = found.ratio("quadratic", "first_min", "search_seconds", [n])
    told = f"the ratio of seconds, quadratic / first_min, is {ratio} for {n} rows"
    return _decided(ratio, ratio.low > 1, told)


def _decided(found: Range, holds: bool, told: str) -> Tested:
    if isnan(found.low):
        return None, f"it takes two seeds, and for growth two sizes from {FROM} rows on"
    return holds, told


TESTS: Mapping[str, Callable[[Descents], Tested]] = {
    "The events of a search with first_min grow more slowly than quadratically": _below_quadratic,
    "The events of a search with first_min grow nearly log-linearly": _nearly_log_linear,
    "A descent takes as few steps with first_min as with quadratic": _as_few_steps,
    "A descent takes more steps with linear than with first_min": _more_steps,
    "A search with first_min is faster than one with quadratic": _faster,
}
