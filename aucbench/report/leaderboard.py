"""The table of solvers, the recommended one first: over several data sets, or of the only one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isinf, isnan, nan
from typing import NamedTuple

import numpy as np

from aucbench.report.document import Grid
from aucbench.report.findings import Findings
from aucbench.report.terminal import END, FOLDER, LEADING, SOLVER
from aucbench.report.within import SolverFindings
from aucbench.stats.best_set import BestSet
from aucbench.stats.pairs import Pair
from aucbench.stats.words import Interval, counted

BEST = "the best?"  # the column that says who may be the best, where it is tested
PARTIAL = "(…) is over fewer data sets: the solver has no value on the others"


class Entry(NamedTuple):
    """What is known of a solver: as text, as what it is sorted by, and what stands beside it."""

    text: str = "–"
    key: str = ""
    range: str = ""  # its interval
    note: str = ""

    def over_fewer(self) -> Entry:
        """Mark a number that is not to be compared: it is sorted behind all others."""
        return self._replace(text=f"({self.text})", key="") if self.key else self


class Column(NamedTuple):
    """A column, with its entry for each solver."""

    name: str
    entry: Callable[[int], Entry]
    number: bool = True  # whether it is sorted as numbers


def leaderboard(findings: Findings) -> Grid:
    """Return a line for each solver."""
    only, frame = findings.only, findings.frame
    columns = [*(_across(findings) if only is None else _inside(findings, only))]
    if folders := frame.source.folders:
        columns.append(Column(FOLDER, lambda j: Entry(folders[j]), number=False))
    entries = [[column.entry(j) for column in columns] for j in findings.order]
    marks = [LEADING if j in findings.leading else "" for j in findings.order]
    names = [frame.solvers[j] for j in findings.order]
    count = counted(len(frame.finished))
    some = f"{count} (interim)" if findings.state else count
    return Grid(
        ("", SOLVER, *(column.name for column in columns)),
        tuple(
            (mark, name, *(entry.text for entry in line))
            for mark, name, line in zip(marks, names, entries, strict=True)
        ),
        [number for number, column in enumerate(columns, 2) if column.number],
        title=f"{some}; {LEADING} may be the best on a typical one",
        facts=(PARTIAL,) if findings.partial and only is None else (),
        names=1,
        keys=tuple(("", "", *(entry.key for entry in line)) for line in entries),
        ranges=tuple(("", "", *(entry.range for entry in line)) for line in entries),
        notes=tuple(("", "", *(entry.note for entry in line)) for line in entries),
    )


def _across(findings: Findings) -> Iterator[Column]:
    """Yield the columns of a table over several data sets."""
    frame, advice = findings.frame, findings.advice
    best, versus = advice.best, advice.reference

    def nonzeros(solver: int) -> Entry:
        known = findings.nonzeros[:, solver]
        known = known[~np.isnan(known)]
        return _entry(float(np.median(known)) if known.size else nan, ".4g")

    def lacking(solver: int) -> Entry:
        count = str(int(np.isnan(findings.values[:, solver]).sum()))
        return Entry(count, count)

    def partial(entry: Callable[[int], Entry]) -> Callable[[int], Entry]:
        return lambda j: entry(j).over_fewer() if j in findings.partial else entry(j)

    mean = partial(lambda j: _standing(findings.means[j], "{:.4f}"))
    yield Column(f"mean {findings.measure}", mean)
    if best is not None and not best.note:
        yield Column(BEST, lambda j: _best(best, frame.solvers[j]))
    if versus:
        yield Column(f"− {versus[0].b}", lambda j: _difference(versus, frame.solvers[j]))
    yield Column("average rank", lambda j: _standing(findings.ranks[j], "{:.2f}"))
    if frame.source.external is None:
        yield Column("fit s", partial(lambda j: _entry(findings.mean_seconds[j], ".3g")))
        yield Column("non-zeros", partial(nonzeros))
    yield Column("no value", lacking)
    yield Column("ok", lambda j: _ok([row for row in findings.rows if row.solver == j]))


def _inside(findings: Findings, dataset: int) -> Iterator[Column]:
    """Yield the columns of the table of the only data set."""
    frame = findings.frame
    rows = {row.solver: row for row in findings.datasets[dataset].rows}

    def splits(solver: int) -> Entry:
        interval = findings.over_splits(rows[solver]) if solver in rows else None
        return Entry(_range(interval, "{:.4f}"), repr(interval.low)) if interval else Entry()

    def seconds(solver: int) -> Entry:
        known = frame.medians("seconds")[dataset, solver]
        return _entry(nan if findings.times else known, ".3g")

    yield Column(findings.measure, lambda j: _estimate(rows[j]) if j in rows else Entry())
    yield Column("over splits", splits)
    if frame.source.external is None:
        yield Column("fit s", seconds)
        yield Column("non-zeros", lambda j: _entry(frame.means("nnz")[dataset, j], ".4g"))
    yield Column("ok", lambda j: _ok([rows[j]] if j in rows else []))
    ends = {j: str(findings.ends[dataset, j]) for j in rows}
    if any(ends.values()):
        yield Column(END, lambda j: Entry(ends.get(j, "")), number=False)


def _ok(rows: Sequence[SolverFindings]) -> Entry:
    ok = sum(row.ok for row in rows)
    return Entry(f"{ok}/{sum(row.planned for row in rows)}", str(ok))


def _entry(value: float, form: str) -> Entry:
    return Entry() if isnan(value) else Entry(format(value, form), repr(float(value)))


def _estimate(row: SolverFindings) -> Entry:
    """Return the entry of a solver when there is one data set."""
    if row.within is None or isnan(row.estimate):
        return Entry(note=row.note)
    interval = _range(row.within.delong, "{:.4f}")
    entry = Entry(f"{row.estimate:.4f}", repr(row.estimate), interval, row.note)
    return entry.over_fewer() if row.is_partial else entry


def _best(best: BestSet, name: str) -> Entry:
    """Return whether a solver may be the best, with the p-value; sorted by how far it is behind."""
    j = best.names.index(name)
    word = "may be" if best.possible[j] else "behind" if best.behind[j] else "probably not"
    p = f"p {_p(best.p[j])}{', borderline' if best.borderline[j] else ''}"
    return Entry(word, repr(best.s[j]), p)


def _difference(pairs: Sequence[Pair], name: str) -> Entry:
    """Return the difference of a solver from the reference, with its interval and its word."""
    pair = next((pair for pair in pairs if pair.a == name), None)
    if pair is None or isnan(pair.difference.estimate):
        return Entry()
    effect = pair.difference.estimate
    if isinf(effect):
        note = "One of the two failed on most data sets."
        return Entry(str(pair.word), repr(effect), note=note)
    return Entry(f"{effect:+.4f}", repr(effect), f"{pair.word}, p {_p(pair.adjusted_p)}")


def _p(value: float) -> str:
    return "–" if isnan(value) else f"{value:.2g}"


def _standing(value: Interval, form: str) -> Entry:
    if isnan(value.estimate):
        return Entry(note=value.note)
    text = form.format(value.estimate)
    return Entry(text, repr(value.estimate), _range(value, form), value.note)


def _range(interval: Interval, form: str) -> str:
    if isnan(interval.low):
        return ""
    return f"{form.format(interval.low)} – {form.format(interval.high)}"
