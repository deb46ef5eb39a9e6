"""The experiments of a paper from its file: settings, methods, published numbers and statements.

A table whose keys are scales, or protocols, has a value for each; that of the experiment counts:

    trials = { quick = 2, full = 5 }

The cells are said by grids. Each row of a grid is a data set, or one for each trial, which differ
by their seed; `over` repeats the grids with other values for the names in braces.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from typing import Any

from aucbench.bench.cell import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.values import read_choice
from aucbench.papers.experiment import Experiment, Paper, Shown
from aucbench.papers.parts import AUC, Claim, Entry, Line, Measurement, Protocol, Published, Scale
from aucbench.papers.results import Results
from aucbench.registry.specs import parse_chain, parse_spec

Plain = Mapping[str, Any]
# Whether a statement holds, None where that is not known, and the numbers that decide it.
Tested = tuple[bool | None, str]
OF_A_ROW = ("over", "rows", "row", "set")
CHOICES = ({*Scale}, {*Protocol})


@dataclass(frozen=True, slots=True)
class Found:
    """What a drawing or a statement is made of: the file, the lines, and what was measured."""

    told: Plain  # of the experiment
    lines: tuple[Line, ...]
    entries: tuple[Entry, ...]
    results: Results

    def where(self, method: str | None = None, row: str | None = None, **at: Any) -> list[Line]:
        """Return the lines of a method and of rows with these words and values."""
        return [
            line
            for line in self.lines
            if method in (None, line.method)
            and row in (None, line.row)
            and all(line.at.get(name) == value for name, value in at.items())
        ]

    def one(self, method: str, row: str) -> Line:
        """Return the line of a method on some rows."""
        return self.where(method, row)[0]

    def printed(self, line: Line, measure: str = AUC) -> Published | None:
        """Return what the paper prints of a line."""
        asked = measure, line.method, line.row
        return next(
            (e.published for e in self.entries if (e.measure, e.line.method, e.line.row) == asked),
            None,
        )

    @property
    def methods(self) -> list[str]:
        """The methods in their order."""
        return [*dict.fromkeys(line.method for line in self.lines)]

    @property
    def rows(self) -> list[str]:
        """The words for the rows in their order."""
        return [*dict.fromkeys(line.row for line in self.lines)]


@dataclass(frozen=True, slots=True)
class Answers:
    """What code makes of the results of an experiment."""

    shown: Callable[[Found], Shown] = lambda _: ()
    # Called with what was found and the other keys of a claim in the file, by its key `test`.
    # Nothing is said of a claim whose test returns None.
    tests: Mapping[str, Callable[..., Tested | None]] = field(default_factory=dict)
    measurements: Callable[[Plain], Sequence[Measurement]] = lambda _: ()
    notes: Callable[[Plain], Sequence[str]] = lambda _: ()  # those that depend on what is at hand


def read_paper(package: str, answers: Mapping[str, Answers]) -> Paper:
    """Return the paper whose package has a file `paper.toml`; answers are by place."""
    plain = tomllib.loads(files(package).joinpath("paper.toml").read_text(encoding="utf-8"))
    places: Plain = plain["experiments"]
    return Paper(
        name=package.rpartition(".")[2].replace("_", "-"),
        experiments={p: partial(read_experiment, plain, p, answers[p]) for p in places},
        as_published=frozenset(p for p in places if places[p].get("as-published")),
    )


def read_experiment(
    plain: Plain, place: str, answer: Answers, scale: Scale, protocol: Protocol
) -> Experiment:
    """Return an experiment of the file."""
    told = chosen(plain["experiments"][place], scale, protocol)
    texts, methods = (chosen(plain.get(key, {}), scale, protocol) for key in ("notes", "methods"))
    read = [*_cells(told, methods, plain.get("values", {}))]
    lines = tuple(line for _, some in read for line in some)
    notes = [*answer.notes(told), *(texts.get(note, note) for note in told["notes"])]
    entries = tuple(_entries(told, lines))

    def found(results: Results) -> Found:
        return Found(told, lines, entries, results)

    return Experiment(
        title=told["title"],
        notes=tuple(filter(None, notes)),
        plans=tuple(plan for plan, _ in read if plan is not None),
        measurements=tuple(answer.measurements(told)),
        entries=entries,
        shown=lambda results: tuple(answer.shown(found(results))),
        claims=lambda results: [*_claims(found(results), answer.tests)],
    )


def chosen(plain: Any, scale: Scale, protocol: Protocol) -> Any:
    """Return values with those of a scale and a protocol in place of one for each."""
    if isinstance(plain, list):
        return [chosen(value, scale, protocol) for value in plain]
    if not isinstance(plain, Mapping):
        return plain
    for known, own in zip(CHOICES, (scale, protocol), strict=True):
        if plain and plain.keys() <= known:
            return chosen(plain[own], scale, protocol)
    return {key: chosen(value, scale, protocol) for key, value in plain.items()}


def filled(plain: Any, names: Plain) -> Any:
    """Return values with the names in braces filled in; a name alone is its value, of any type."""
    if isinstance(plain, Mapping):
        return {key: filled(value, names) for key, value in plain.items()}
    if isinstance(plain, list):
        return [filled(value, names) for value in plain]
    if isinstance(plain, str) and "{" in plain:
        return names[name] if (name := plain[1:-1]) in names else plain.format(**names)
    return plain


def _cells(told: Plain, methods: Plain, values: Plain) -> Iterator[tuple[Plan | None, list[Line]]]:
    """Yield the plan and the lines of each grid; cells that are left out have no plan."""
    for given in told.get("grids", ()):
        plan = {**told.get("plan", {}), **given.get("plan", {})}
        grid = {"over": told.get("over", [{}]), **given, "plan": plan}
        for over in grid["over"]:
            rows = grid.get("rows", [{}])
            own = filled({key: grid[key] for key in grid if key not in OF_A_ROW}, over)
            first = own.get("first_seed", 0)
            seeds = range(first, first + own.get("trials", 1))
            solvers = [*_solvers(own, methods, values, over)]
            lines = []
            for at in ({**over, **row} for row in rows):
                texts = (filled(grid["set"], {**at, "seed": seed}) for seed in seeds)
                sets, maps = tuple(map(parse_spec, texts)), parse_chain(own["features"])
                words = str(filled(grid.get("row", "{row}"), at))
                lines += [
                    Line(sets, solver, maps, name, words, {**at, **more}, truncated)
                    for name, solver, truncated, more in solvers
                ]
            sets = tuple(dict.fromkeys(name for line in lines for name in line.datasets))
            choices = [solver for _, solver, *_ in solvers]
            named = {"data": sets, "solvers": choices, "features": own["features"]}
            yield None if over.get("left_out") else Plan.of(named | own["plan"]), lines


def _solvers(
    grid: Plain, methods: Plain, values: Plain, over: Plain
) -> Iterator[tuple[str, Choice, bool, Plain]]:
    """Yield the methods of a grid: name, solver, whether it is truncated, and what is fixed.

    A method that would tune the parameter `each` has a line for each of its values instead.
    """
    fixed = grid.get("each", "")
    for key in grid["methods"]:
        method = filled(methods[key], over)
        name = method.get("name", key)
        tune, truncated = method.get("tune", False), method.get("truncated", False)
        if isinstance(tune, Mapping):
            tune = {
                axis: tuple(values[points] if isinstance(points, str) else points)
                for axis, points in tune.items()
            }
        if not isinstance(tune, Mapping) or fixed not in tune:
            yield name, read_choice(0, method["solver"], tune), truncated, {}
            continue
        rest = {axis: points for axis, points in tune.items() if axis != fixed}
        for value in values[grid["values"]] if "values" in grid else tune[fixed]:
            spec = replace(parse_spec(method["solver"]), params={fixed: value})
            solver = read_choice(0, spec, rest)
            yield name, solver, truncated, {fixed: value}


def _entries(told: Plain, lines: Sequence[Line]) -> Iterator[Entry]:
    """Yield the numbers of each measure; rivals are lines of one method and the same rows."""
    by_place: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if line.at.get("aside"):
            continue
        place = line.row, line.method
        place = place[::-1] if told.get("methods") == "rows" else place
        by_place.setdefault(place, []).append(line)
    for measure, numbers in told.get("numbers", {}).items():
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
                fresh=told.get("fresh", False),
                left_out=left_out,
            )


def _claims(found: Found, tests: Mapping[str, Callable[..., Tested | None]]) -> Iterator[Claim]:
    for claim in found.told.get("claims", ()):
        more = {key: value for key, value in claim.items() if key not in ("statement", "test")}
        if tested := tests[claim["test"]](found, **more):
            yield Claim(claim["statement"], *tested)
