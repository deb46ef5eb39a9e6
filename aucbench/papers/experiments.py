"""The papers and their experiments, each paper a file `PAPER.toml` beside this module.

A table whose keys are scales, or protocols, has a value for each; that of the experiment counts:

    trials = { quick = 2, full = 5 }

The cells are described by `grids`. Each row of a grid is a data set, or one for each trial, which
differ by their seed; `over` repeats the grids with other values for the names in braces. What is no
cell is described by `measurements`. A line is what one method has on one row. The `numbers` that
the paper prints, the `drawings` and the `claims` are about lines.

A key that is not known is refused, so that no word of a file is without effect.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.values import read_choice
from aucbench.data.targets import REST
from aucbench.datasets.located import AWAY, place_of
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import AucbenchError, DataError, ParameterError, UnknownNameError
from aucbench.papers.claims import check_claim
from aucbench.papers.drawings import check_drawing
from aucbench.papers.parts import (
    Entry,
    Experiment,
    Line,
    Measurement,
    Plain,
    Protocol,
    Published,
    Scale,
    require_keys,
)
from aucbench.papers.results import MEASURES
from aucbench.registry.specs import parse_chain, parse_spec

CHOICES = ({*Scale}, {*Protocol})
OF_PAPER = ("values", "methods", "notes", "experiments")
OF_EXPERIMENT = (
    *("title", "as-published", "methods", "fresh", "splits", "plan", "over", "notes", "grids"),
    *("measurements", "numbers", "drawings", "claims"),
)
OF_A_ROW = ("over", "rows", "row", "set")
OF_GRID = (*(*OF_A_ROW, "plan", "trials", "first_seed", "methods", "each", "values", "features"),)
OF_METHOD = ("name", "solver", "tune", "truncated", "minimum", "at")
OF_MEASUREMENT = ("call", "request", "rows", "over", "runs", "name", "methods")
OF_NUMBERS = ("runs", "why", "columns", "printed")


@dataclass(frozen=True, slots=True)
class Paper:
    """A source paper: its name, and its file as plain values."""

    name: str
    plain: Plain

    @property
    def places(self) -> tuple[str, ...]:
        """Its tables and figures, such as "table 3", in the order of the paper."""
        return tuple(self.plain["experiments"])

    @property
    def as_published(self) -> frozenset[str]:
        """The places for which the protocol of the published code can be run too."""
        description = self.plain["experiments"]
        return frozenset(place for place in self.places if description[place].get("as-published"))

    def experiment(self, place: str, scale: Scale, protocol: Protocol) -> Experiment:
        """Return the experiment of a place.

        Raises
        ------
        DataError
            When its description has a key that is not known, or a value that cannot be read.
        """
        try:
            made = _read_experiment(self.plain, place, scale, protocol)
        except (AucbenchError, KeyError, ValueError) as error:
            reason = f"{error} is not there" if isinstance(error, KeyError) else error
            raise DataError(f"{self.name}.toml, {place}: {reason}") from error
        return replace(made, paper=self.name, place=place, scale=scale, protocol=protocol)


def paper_names() -> tuple[str, ...]:
    """Return the names of the papers, sorted."""
    there = files(__package__).iterdir()
    return tuple(sorted(file.name[:-5] for file in there if file.name.endswith(".toml")))


@cache
def paper(name: str) -> Paper:
    """Return a paper by its name, or by the path of its file.

    Raises
    ------
    UnknownNameError
        When there is none of this name, or its file has a key that is not known.
    DataError
        When the file cannot be read.
    """
    file = Path(name) if name.endswith(".toml") else files(__package__).joinpath(f"{name}.toml")
    if not name.endswith(".toml") and name not in paper_names():
        raise UnknownNameError("paper", name, paper_names())
    try:
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{name} cannot be read ({error})") from error
    require_keys("the file of a paper", plain, OF_PAPER)
    return Paper(Path(name).stem if name.endswith(".toml") else name, plain)


def experiments(
    chosen: Paper,
    *,
    table: int | None = None,
    figure: int | None = None,
    scale: Scale = Scale.QUICK,
    protocol: Protocol = Protocol.CLEAN,
) -> tuple[Experiment, ...]:
    """Return a table or a figure of a paper, or all that can be repeated.

    Raises
    ------
    ParameterError
        When the paper has no such table or figure here, or when the protocol of the published
        code is asked for where it is the same, or not known.
    """
    if table is not None and figure is not None:
        raise ParameterError("give a table or a figure, not both; without either all are run")
    places = [*chosen.places]
    if table is not None or figure is not None:
        place = f"table {table}" if table is not None else f"figure {figure}"
        if place not in places:
            raise ParameterError(
                f"{chosen.name} has no {place} here; there are {', '.join(places)}"
            )
        places = [place]
    if protocol is Protocol.AS_PUBLISHED:
        available = [place for place in places if place in chosen.as_published]
        if not available:
            which = ", ".join(sorted(chosen.as_published)) or "none"
            raise ParameterError(
                f"--protocol as-published is not known for {', '.join(places)} of {chosen.name}; "
                f"it is for: {which}"
            )
        places = available
    return tuple(chosen.experiment(place, scale, protocol) for place in places)


def _read_experiment(plain: Plain, place: str, scale: Scale, protocol: Protocol) -> Experiment:
    def choose(value: Any) -> Any:
        return choose_values(value, scale, protocol)

    description = choose(plain["experiments"][place])
    texts, methods = (choose(plain.get(key, {})) for key in ("notes", "methods"))
    require_keys("an experiment", description, OF_EXPERIMENT)
    for check, key in ((check_claim, "claims"), (check_drawing, "drawings")):
        for one in description.get(key, ()):
            check(one)
    read = [*_read_grids(description, methods, plain.get("values", {}))]
    measured = [*_read_measurements(description)]
    lines = tuple(line for _, some in (*read, *measured) for line in some)
    texts = {**texts, "missing-sets": "".join(_missing_sets(description))}
    notes = (texts.get(note, note) for note in description["notes"])
    return Experiment(
        title=description["title"],
        notes=tuple(filter(None, notes)),
        plans=tuple(plan for plan, _ in read if plan is not None),
        measurements=tuple({one.name: one for some, _ in measured for one in some}.values()),
        lines=tuple(line for line in lines if not line.at.get("left_out")),
        entries=tuple(_read_entries(description, lines)),
        drawings=tuple(description.get("drawings", ())),
        claims=tuple(description.get("claims", ())),
        splits=description.get("splits", {"ratio": 0.0} if description.get("fresh") else {}),
    )


def choose_values(plain: Any, scale: Scale, protocol: Protocol) -> Any:
    """Return values with those of a scale and a protocol in place of one for each."""
    if isinstance(plain, list):
        return [choose_values(value, scale, protocol) for value in plain]
    if not isinstance(plain, Mapping):
        return plain
    for known, own in zip(CHOICES, (scale, protocol), strict=True):
        if plain and plain.keys() <= known:
            return choose_values(plain[own], scale, protocol)
    return {key: choose_values(value, scale, protocol) for key, value in plain.items()}


def fill_names(plain: Any, names: Plain) -> Any:
    """Return values with the names in braces filled in; a name alone is its value, of any type."""
    if isinstance(plain, Mapping):
        return {key: fill_names(value, names) for key, value in plain.items()}
    if isinstance(plain, list):
        return [fill_names(value, names) for value in plain]
    if isinstance(plain, str) and "{" in plain:
        return names[name] if (name := plain[1:-1]) in names else plain.format(**names)
    return plain


def _read_grids(
    description: Plain, methods: Plain, values: Plain
) -> Iterator[tuple[Plan | None, list[Line]]]:
    """Yield the plan and the lines of each grid; cells that are left out have no plan."""
    for given in description.get("grids", ()):
        require_keys("a grid", given, OF_GRID)
        plan = {**description.get("plan", {}), **given.get("plan", {})}
        grid = {"over": description.get("over", [{}]), **given, "plan": plan}
        for over in grid["over"]:
            rows = grid.get("rows", [{}])
            own = fill_names({key: grid[key] for key in grid if key not in OF_A_ROW}, over)
            first = own.get("first_seed", 0)
            seeds = range(first, first + own.get("trials", 1))
            solvers = [*_read_methods(own, methods, values, over)]
            lines = []
            for at in ({**over, **row} for row in rows):
                texts = (fill_names(grid["set"], {**at, "seed": seed}) for seed in seeds)
                sets, maps = tuple(map(parse_spec, texts)), parse_chain(own["features"])
                words = str(fill_names(grid.get("row", "{row}"), at))
                lines += [
                    replace(method, row=words, at={**at, **method.at}, datasets=sets, features=maps)
                    for method in solvers
                ]
            sets = tuple(dict.fromkeys(name for line in lines for name in line.datasets))
            choices = [method.choice for method in solvers]
            named = {"data": sets, "solvers": choices, "features": own["features"]}
            yield None if over.get("left_out") else Plan.of(named | own["plan"]), lines


def _read_methods(grid: Plain, methods: Plain, values: Plain, over: Plain) -> Iterator[Line]:
    """Yield the methods of a grid, as lines without rows.

    A method that would tune the parameter `each` has a line for each of its values instead.
    """
    fixed = grid.get("each", "")
    for key in grid["methods"]:
        if key not in methods:
            raise UnknownNameError("method", key, methods)
        method = fill_names(methods[key], over)
        require_keys("a method", method, OF_METHOD)
        tune = method.get("tune", False)
        minimum = method.get("minimum")
        line = Line(
            method=method.get("name", key),
            at=method.get("at", {}),
            truncated=method.get("truncated", False),
            minimum=read_choice(0, fill_names(methods[minimum], over)["solver"], False)
            if minimum
            else None,
        )
        if isinstance(tune, Mapping):
            tune = {
                axis: tuple(values[points] if isinstance(points, str) else points)
                for axis, points in tune.items()
            }
        if not isinstance(tune, Mapping) or fixed not in tune:
            yield replace(line, choice=read_choice(0, method["solver"], tune))
            continue
        rest = {axis: points for axis, points in tune.items() if axis != fixed}
        for value in values[grid["values"]] if "values" in grid else tune[fixed]:
            spec = replace(parse_spec(method["solver"]), params={fixed: value})
            yield replace(line, choice=read_choice(0, spec, rest), at={fixed: value})


def _read_measurements(description: Plain) -> Iterator[tuple[list[Measurement], list[Line]]]:
    """Yield the measurements of each row at hand, and its lines: each method has all `runs`."""
    for given in description.get("measurements", ()):
        require_keys("measurements", given, OF_MEASUREMENT)
        for row in (row for row in given["rows"] if _is_at_hand(row)):
            for over in given.get("over", [{}]):
                at = {**row, **over}
                names = {**at, "methods": over.get("methods", given.get("methods"))}
                some = [
                    Measurement(
                        name=fill_names(given["name"], {**names, **run}),
                        call=given["call"],
                        request=fill_names(given["request"], {**names, **run}),
                        dataset=parse_spec(row["set"]),
                        reading=ReadOptions(positive=tuple(row["positive"]), negative=REST)
                        if "positive" in row
                        else ReadOptions(),
                    )
                    for run in given["runs"]
                ]
                called = tuple(one.name for one in some)
                yield (
                    some,
                    [
                        Line(method=method, row=row["row"], at=at, measurements=called)
                        for method in names["methods"]
                    ],
                )


def _is_at_hand(row: Plain) -> bool:
    """Whether a row of measurements takes part: it is not `optional`, or its file is at hand."""
    return not row.get("optional") or place_of(row["set"]) not in AWAY


def _missing_sets(description: Plain) -> Iterator[str]:
    rows = [row for given in description.get("measurements", ()) for row in given["rows"]]
    if missing := [row for row in rows if not _is_at_hand(row)]:
        fetch = ", ".join(f"`aucbench data fetch {row['set']}`" for row in missing)
        yield (
            f"{', '.join(row['row'] for row in missing)} of the paper are left out, because their "
            f"files are not at hand; {fetch} get them."
        )


def _read_entries(description: Plain, lines: Sequence[Line]) -> Iterator[Entry]:
    """Yield the numbers of each measure; rivals are lines of one method and the same rows."""
    by_place: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.at.get("aside"):
            continue
        place = line.row, line.method
        place = place[::-1] if description.get("methods") == "rows" else place
        by_place.setdefault(place, []).append(line)
    for measure, numbers in description.get("numbers", {}).items():
        require_keys("numbers", numbers, OF_NUMBERS)
        if measure not in MEASURES:
            raise UnknownNameError("measure", measure, MEASURES)
        printed: Plain = numbers.get("printed", {})
        order = [*dict.fromkeys((*printed, *(row for row, _ in by_place)))]
        for row, column in sorted(by_place, key=lambda place: order.index(place[0])):
            [line, *rivals] = by_place[row, column]
            of_row = zip(numbers.get("columns", ()), printed.get(row, ()), strict=False)
            number = dict(of_row).get(column)
            left_out = line.at.get("left_out", "")
            if left_out and not number:
                continue
            yield Entry(
                row=row,
                column=column,
                measure=measure,
                line=line,
                rivals=tuple(rivals),
                published=Published(number[0], number[1], numbers["runs"]) if number else None,
                why=numbers.get("why", "") or line.at.get("why", ""),
                fresh=description.get("fresh", False),
                left_out=left_out,
            )
