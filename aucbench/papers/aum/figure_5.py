"""Figure 5: events of a line search and steps of a descent, against the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, isnan, log, nan
from typing import Any

import numpy as np

from aucbench.data.targets import REST
from aucbench.datasets.located import AWAY, place_of
from aucbench.datasets.reading import ReadOptions
from aucbench.papers.parts import Measurement
from aucbench.papers.ranges import Range, growth, range_of
from aucbench.papers.reading import Answers, Found, Plain, Tested
from aucbench.registry.specs import parse_spec
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid

CALL = "aucbench.papers.aum.descents.figure_5:measured"
FROM = 100  # rows, from which the growth is taken: as in the paper, about 10 of the rarer class
VARIANTS = ("first_min", "linear", "quadratic")
SAME = 0.05  # of a number of steps: a smaller difference is none


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


def _here(told: Plain) -> list[str]:
    """Return the sets that are at hand, and that which is downloaded."""
    sets = told["sets"]
    return [n for n in sets if n == told["always"] or place_of(sets[n]["file"]) not in AWAY]


def _measurements(told: Plain, name: str) -> list[Measurement]:
    """Return the measurements on a set."""
    one = told["sets"][name]
    reading = ReadOptions(positive=tuple(one["labels"][1:]), negative=REST)
    return [
        Measurement(
            name=f"{name}, n = {n}, seed {seed}",
            call=CALL,
            request={"n": n, "seed": seed, "quadratic_to": told["quadratic_to"]},
            dataset=parse_spec(one["file"]),
            reading=reading,
        )
        for n in told["sizes"]
        for seed in told["seeds"]
    ]


def _notes(told: Plain) -> Iterator[str]:
    yield (
        f"n goes up to {told['sizes'][-1]}, and for the search quadratic to "
        f"{told['quadratic_to']}, because it would take too long beyond."
    )
    if missing := [name for name in told["sets"] if name not in _here(told)]:
        fetch = ", ".join(f"`aucbench data fetch {told['sets'][n]['file']}`" for n in missing)
        yield (
            f"{', '.join(missing)} of the paper are left out, because their files are not at "
            f"hand; {fetch} get them."
        )


def _descents(found: Found) -> list[Descents]:
    """Return the descents of each set that has some."""
    each = {
        name: found.results.rows(one.name for one in _measurements(found.told, name))
        for name in found.told["sets"]
    }
    return [Descents(name, rows) for name, rows in each.items() if rows]


def _shown(one: Descents) -> Iterator[Chart | Grid | str]:
    sizes = one.sizes("linear")
    fields = {"events": "events per step", "steps": "steps", "seconds": "seconds"}
    yield f"{one.name}: means over the seeds"
    yield Grid(
        ("n", "n(n − 1)/2", *(f"{title}: {v}" for title in fields.values() for v in VARIANTS)),
        [
            (n, comb(n, 2), *(_number(one.mean(v, name, n)) for name in fields for v in VARIANTS))
            for n in sizes
        ],
    )
    yield f"{one.name}: exponents of growth from n = {FROM}, with 95 % intervals over the seeds"
    growing = {**fields, "search_seconds": "s per search"}
    del growing["seconds"]
    yield Grid(
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


def on_every_set(test: Callable[..., Tested]) -> Callable[..., Tested | None]:
    """Return a test that holds where it does on every set; nothing is said without a set."""

    def tested(found: Found, **more: str) -> Tested | None:
        told = {one.name: test(one, **more) for one in _descents(found)}
        each = [holds for holds, _ in told.values()]
        holds = None if None in each and False not in each else all(each)
        because = "; ".join(f"{name}: {why}" for name, (_, why) in told.items())
        return (holds, because) if told else None

    return tested


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


def _more(one: Descents, a: str, b: str, field: str, what: str) -> Tested:
    """Test whether a number is larger with a search than with another, with the most rows."""
    n = max(one.sizes(a), default=0)
    ratio = one.ratio(a, b, field, [n])
    told = f"the ratio of {what}, {a} / {b}, is {ratio} for {n} rows"
    return _decided(ratio, ratio.low > 1, told)


def _decided(interval: Range, holds: bool, told: str) -> Tested:
    if isnan(interval.low):
        return None, f"it takes two seeds, and for growth two sizes from {FROM} rows on"
    return holds, told


FIGURE_5 = Answers(
    shown=lambda found: [part for one in _descents(found) for part in _shown(one)],
    tests={
        "below-quadratic": on_every_set(_below_quadratic),
        "nearly-log-linear": on_every_set(_nearly_log_linear),
        "as-few-steps": on_every_set(_as_few_steps),
        "more": on_every_set(_more),
    },
    measurements=lambda told: [one for n in _here(told) for one in _measurements(told, n)],
    notes=lambda told: [*_notes(told)],
)
