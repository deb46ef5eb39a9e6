"""The tables of results: one for each data set, one over all of them, and one of all pairs.

A table of a data set has one line for each solver, and a column only if it says something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan, nan

import numpy as np

from aucbench.report.findings import Findings, Means
from aucbench.report.grid import NOTHING, Grid
from aucbench.report.within import DatasetFindings, SolverFindings, describe_sizes
from aucbench.stats.best_set import BestSet
from aucbench.stats.pairs import Pair
from aucbench.stats.within import PairWithin
from aucbench.stats.words import Interval, Word, counted

LEADING = "*"
SOLVER, END, FOLDER = "solver", "end", "folder"
WORDS = ("", SOLVER, END, FOLDER)  # columns that hold no numbers
BEST = "the best?"  # the column that says who may be the best, where it is tested
PARTIAL = "(…) is over fewer data sets: the solver has no value on the others"
MOST_PAIRED = 30  # solvers in the table of pairs
SHADES = {Word.BETTER: 0.5, Word.WORSE: -0.5}


def grids(findings: Findings) -> list[Grid]:
    """Return the tables of the data sets, and of several finished ones that over all at the end."""
    frame = findings.frame
    several = len(frame.finished) > 1 and len(frame.solvers) > 1
    return [*tables(findings), *([leaderboard(findings)] if several else [])]


def tables(findings: Findings, *, best_first: bool = False) -> list[Grid]:
    """Return one table for each data set, with a column for each further measure."""
    columns = _columns(findings)
    place = {solver: k for k, solver in enumerate(findings.order)} if best_first else {}
    rows = [sorted(one.rows, key=lambda row: place.get(row.solver, 0)) for one in findings.datasets]
    texts = [[[c.text(row) for c in columns] for row in some] for some in rows]
    lines = [line for some in texts for line in some]
    kept = [j for j, c in enumerate(columns) if any(line[j] not in c.idle for line in lines)]
    header = [columns[j].name for j in kept]
    return [
        Grid(
            header,
            [[line[j] for j in kept] for line in texts[number]],
            numeric=[j for j, name in enumerate(header) if name not in WORDS],
            title=_title(findings, one),
            facts=tuple(findings.frame.understood(one.dataset).lines()),
            best=_best(rows[number]),
            names=header.index(SOLVER),
            details=[[columns[j].detail(row) for j in kept] for row in rows[number]],
            styles=_styles(findings, [row.solver for row in rows[number]]),
        )
        for number, one in enumerate(findings.datasets)
    ]


def _best(rows: Sequence[SolverFindings]) -> list[bool]:
    first = min((row.rank for row in rows if not isnan(row.rank)), default=None)
    return [row.rank == first for row in rows]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its text for a row, and the texts that say nothing when all rows have them."""

    name: str
    text: Callable[[SolverFindings], str]
    idle: tuple[str, ...] = ()
    detail: Callable[[SolverFindings], str] = lambda _: ""


def _columns(findings: Findings) -> list[_Column]:
    frame = findings.frame
    level = f"{100 * findings.settings.level:g} % interval"

    def nonzeros(row: SolverFindings) -> str:
        return _number(frame.means("nnz")[row.dataset, row.solver], ".1f").removesuffix(".0")

    def median(name: str) -> Callable[[SolverFindings], str]:
        table = frame.medians(name)
        return lambda row: _number(table[row.dataset, row.solver], ".3g")

    def estimate(row: SolverFindings) -> str:
        text = _number(row.estimate, ".4f")
        return f"({text})" if row.is_partial and text != NOTHING else text

    def over_splits(row: SolverFindings) -> str:
        interval = findings.over_splits(row)
        text = "" if interval == findings.interval(row) else _interval(interval)
        return "" if text == NOTHING else text

    def folders(row: SolverFindings) -> str:
        return frame.source.folders[row.solver] if frame.source.folders else ""

    def mean_of(other: Means) -> Callable[[SolverFindings], str]:
        return lambda row: _number(other.values.get((row.dataset, row.solver), nan), ".4f")

    def interval(row: SolverFindings) -> str:
        return _interval(findings.interval(row))

    return [
        _Column("", lambda row: LEADING if row.leading else ""),
        _Column(SOLVER, lambda row: frame.solvers[row.solver]),
        _Column(findings.measure, estimate),
        _Column(level, interval, (NOTHING,), over_splits),
        *(_Column(other.measure, mean_of(other)) for other in findings.others),
        _Column("rank", lambda row: _number(row.rank, "g")),
        _Column("fit s", median("seconds"), (NOTHING,)),
        _Column("spread s", median("spread"), (NOTHING,)),
        _Column("non-zeros", nonzeros, (NOTHING,)),
        _Column("ok", lambda row: f"{row.ok}/{row.planned}"),
        _Column(END, lambda row: str(findings.ends[row.dataset, row.solver]), ("",)),
        _Column(FOLDER, folders, ("",)),
    ]


def _number(value: float, form: str) -> str:
    return NOTHING if isnan(value) else format(value, form)


def _interval(interval: Interval | None, form: str = ".3f") -> str:
    if interval is None or isnan(interval.low):
        return NOTHING
    return f"{interval.low:{form}}–{interval.high:{form}}"


def _title(findings: Findings, one: DatasetFindings) -> str:
    """Return the name of a data set with its sizes; "interim" stands at it until the run ends."""
    name, facts = findings.frame.datasets[one.dataset], describe_sizes(findings.frame, one)
    name = f"{name} (interim)" if findings.state else name
    return f"{name}: {facts}" if facts else name


@dataclass(frozen=True, slots=True)
class _Standing:
    """A column of the table over all data sets: the text of each solver, and a detail."""

    name: str
    text: Callable[[int], str]
    detail: Callable[[int], str] = lambda _: ""
    is_number: bool = True


def leaderboard(findings: Findings) -> Grid:
    """Return the table over all data sets: a line for each solver, the recommended one first."""
    frame, order = findings.frame, findings.order
    columns = [*_standings(findings)]
    if folders := frame.source.folders:
        columns.append(_Standing(FOLDER, lambda j: folders[j], is_number=False))
    count = counted(len(frame.finished))
    some = f"{count} (interim)" if findings.state else count
    lead = [LEADING if j in findings.leading else "" for j in order]
    return Grid(
        ("", SOLVER, *(column.name for column in columns)),
        [
            [mark, frame.solvers[j], *(column.text(j) for column in columns)]
            for mark, j in zip(lead, order, strict=True)
        ],
        numeric=[k for k, column in enumerate(columns, 2) if column.is_number],
        title=f"{some}; {LEADING} may be the best on a typical one",
        facts=(PARTIAL,) if findings.partial else (),
        names=1,
        details=[["", "", *(column.detail(j) for column in columns)] for j in order],
        styles=_styles(findings, order),
    )


def _standings(findings: Findings) -> Iterator[_Standing]:
    """Yield the columns of the table over all data sets."""
    frame, best = findings.frame, findings.advice.best
    versus = {pair.a: pair for pair in findings.advice.reference}
    names = frame.solvers

    def nonzeros(solver: int) -> str:
        known = findings.nonzeros[:, solver]
        known = known[~np.isnan(known)]
        return _number(float(np.median(known)) if known.size else nan, ".4g")

    def lacking(solver: int) -> str:
        return str(int(np.isnan(findings.values[:, solver]).sum()))

    def mean(solver: int) -> str:
        return _number(findings.means[solver].estimate, ".4f")

    def seconds(solver: int) -> str:
        return _number(findings.mean_seconds[solver], ".3g")

    def partial(text: Callable[[int], str]) -> Callable[[int], str]:
        """Mark a number that is not to be compared with others."""
        return lambda j: f"({text(j)})" if j in findings.partial and text(j) != NOTHING else text(j)

    yield _Standing(
        f"mean {findings.measure}",
        partial(mean),
        lambda j: _detail(_interval(findings.means[j], ".4f"), findings.means[j].note),
    )
    if best is not None and not best.note:
        yield _Standing(BEST, lambda j: _best_word(best, j), lambda j: _best_p(best, j), False)
    if versus:
        reference = next(iter(versus.values())).b
        yield _Standing(
            f"− {reference}",
            lambda j: _difference(versus.get(names[j])),
            lambda j: _difference_word(versus.get(names[j])),
        )
    yield _Standing(
        "average rank",
        lambda j: _number(findings.ranks[j].estimate, ".2f"),
        lambda j: _detail(_interval(findings.ranks[j], ".2f"), findings.ranks[j].note),
    )
    ranks = None if frame.source.external is None else findings.advice.ranks
    if ranks is not None and not ranks.note:
        yield _Standing("ranks", lambda j: f"{ranks.low[j]}–{ranks.high[j]}")
    if frame.source.external is None:
        yield _Standing("fit s", partial(seconds))
        yield _Standing("non-zeros", partial(nonzeros))
    yield _Standing("no value", lacking)
    ok, planned = frame.counts(frame.ok).sum(axis=0), frame.counts().sum(axis=0)
    yield _Standing("ok", lambda j: f"{ok[j]}/{planned[j]}")


def _detail(interval: str, note: str) -> str:
    return note if interval == NOTHING else interval


def _best_word(best: BestSet, j: int) -> str:
    return "may be" if best.possible[j] else "behind" if best.behind[j] else "probably not"


def _best_p(best: BestSet, j: int) -> str:
    return f"p {_number(best.p[j], '.2g')}{', borderline' if best.borderline[j] else ''}"


def _difference(pair: Pair | None) -> str:
    if pair is None:
        return NOTHING
    effect = pair.difference.estimate
    return str(pair.word) if isinf(effect) else _number(effect, "+.4f")


def _difference_word(pair: Pair | None) -> str:
    if pair is None or isnan(pair.difference.estimate):
        return ""
    if isinf(pair.difference.estimate):
        return "One of the two failed on most data sets."
    return f"{pair.word}, p {_number(pair.adjusted_p, '.2g')}"


def _styles(findings: Findings, solvers: Sequence[int]) -> Sequence[int]:
    """Return the styles of some solvers in charts; values from elsewhere have no charts."""
    return solvers if findings.frame.source.external is None else ()


def pair_table(findings: Findings) -> Grid | None:
    """Return the difference of each pair of solvers, the line less the column; None without pairs.

    Over several data sets it is the mean; each pair stands there once.
    """
    names, only = findings.frame.solvers, findings.only
    order = [names[j] for j in findings.order][:MOST_PAIRED]
    found: Sequence[Pair | PairWithin]
    found = findings.pairs.among(order) if only is None else findings.datasets[only].pairs
    if not found:
        return None
    pairs = {(pair.a, pair.b): pair for pair in found}
    cells = [
        [_pair(pairs, a, b) if k < j else None for j, b in enumerate(order)]
        for k, a in enumerate(order[:-1])
    ]
    left = len(names) - len(order)
    facts = [f"{left} more solvers are not in this table."] if left else []
    return Grid(
        ("line − column", *order[1:]),
        [[a, *map(_pair_text, line[1:])] for a, line in zip(order, cells, strict=False)],
        numeric=range(1, len(order)),
        facts=facts,
        names=0,
        details=[["", *map(_pair_detail, line[1:])] for line in cells],
        shades=[[None, *map(_pair_shade, line[1:])] for line in cells],
        styles=_styles(findings, findings.order[: len(order) - 1]),
    )


def _pair(
    pairs: Mapping[tuple[str, str], Pair | PairWithin], a: str, b: str
) -> Pair | PairWithin | None:
    if (a, b) in pairs:
        return pairs[a, b]
    return pairs[b, a].flipped() if (b, a) in pairs else None


def _pair_shade(pair: Pair | PairWithin | None) -> float | None:
    return None if pair is None else SHADES.get(pair.word)


def _pair_text(pair: Pair | PairWithin | None) -> str:
    if pair is None:
        return ""
    value = pair.mean if isinstance(pair, Pair) else pair.verdict.estimate
    return _number(value, "+.4f")


def _pair_detail(pair: Pair | PairWithin | None) -> str:
    if pair is None:
        return ""
    wins = f", {pair.wins}:{pair.losses}" if isinstance(pair, Pair) else ""
    return f"{pair.word}, p {_number(pair.adjusted_p, '.2g')}{wins}"
