"""What a page shows: its tables and lists. Its sentences stand in `html/page.html`.

Here digits are chosen; every number comes from `Findings`.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucbench.bench.show.endings import end_notes
from aucbench.data.understood import SHOWN_DROPPED, by_kind
from aucbench.report.classes import class_chapters
from aucbench.report.document import Chapter
from aucbench.report.drawn import DIGITS, drawn
from aucbench.report.evidence import Group, Place
from aucbench.report.findings import Findings
from aucbench.report.inside import Row, sizes
from aucbench.report.terminal import pair_notes
from aucbench.report.times import time_chapters
from aucbench.stats.best_set import BestSet
from aucbench.stats.pairs import Pair
from aucbench.stats.ranking import Standing
from aucbench.stats.words import Interval

LOG = 4000  # last characters of a log
FAILURES = 100  # different ones that are listed
FEW = 5  # data sets that are named
END = "end"  # the column of marks of fits that did not end at their optimum
STAR = "may be the best{}: none of the others is shown to be better"
SAID = {  # of the choices that all cells share
    "splits": "{} splits",
    "holdout": "{} of the rows held out",
    "reading": "files read with {}",
    "features": "features {}",
    "objective": "objective {}",
    "projector": "projector {}",
    "pairs": "pairs {}",
    "monotone": "effects with {}",
    "passes": "at most {} passes",
    "seconds": "at most {} seconds",
    "tune_evals": "tuned by at most {} points",
    "inner_splits": "{} inner splits",
    "tune_seconds": "tuned within {} seconds",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the leaderboard: the value it is sorted by, what is shown, and an interval."""

    value: str
    text: str
    range: str = ""
    note: str = ""


class Column(NamedTuple):
    """A column of a table of solvers, beside that of their names."""

    name: str
    number: bool = True  # whether it is sorted as numbers


class Line(NamedTuple):
    """A line of a table of solvers."""

    solver: int
    name: str
    leading: bool  # whether it has a star
    entries: Sequence[Entry]  # one for each column


@dataclass(frozen=True, slots=True)
class Failure:
    """Cells of a solver that failed for the same reason."""

    solver: int
    status: str
    count: int
    datasets: str
    why: str
    log: str


class Text(NamedTuple):
    """Lines below a name: what is known of a data set; a command and the plan that it runs."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """What the template shows; each part is made when it is asked for."""

    findings: Findings
    folder: str  # name of the results folder, for the commands
    added: tuple[Chapter, ...] = ()  # on classes and times
    digits: ClassVar = DIGITS

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the scripts of the page show."""
        return drawn(self.findings)

    @property
    def facts(self) -> str:
        """How large the folder is, and what all its cells share."""
        evidence, counts = self.findings.evidence, self.findings.evidence.counts
        status = ", ".join(f"{n} {name}" for name, n in counts.most_common())
        common = [_said(name, value) for name, value in evidence.common.items() if name in SAID]
        sizes = (
            (len(evidence.datasets), "data set"),
            (len(evidence.solvers), "solver"),
            (counts.total(), "cell"),
        )
        told = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in sizes)
        shared = f" In all cells: {', '.join(common)}." if common else ""
        return f"{told}: {status}.{shared}"

    @property
    def over(self) -> str:
        """What the table of solvers is over, where that is several data sets."""
        count, units = len(self.findings.evidence.finished), len(self.findings.table.units)
        if units == count:
            return f"Over {count} data sets, each with the same weight."
        told = f"Over {count} data sets in {units} families, each family with the same weight"
        return f"{told}: its value is the mean over its data sets."

    @property
    def own(self) -> bool:
        """Whether fits of our own are behind it, of which more is known than their values."""
        return self.findings.evidence.elsewhere is None

    @property
    def only(self) -> int | None:
        """The data set that the page is about; None if it is about several."""
        evidence = self.findings.evidence
        if len(evidence.finished) == 1:
            return evidence.finished[0]
        return 0 if len(evidence.datasets) == 1 else None

    @property
    def level(self) -> str:
        """The level of the intervals, such as 95%."""
        return f"{100 * self.findings.settings.level:.0f}%"

    @property
    def direction(self) -> str:
        """A sentence where a smaller value is better; else empty."""
        return f"A smaller {self.findings.measure} is better." if self.findings.smaller else ""

    @property
    def star(self) -> str:
        """What the star in the table of solvers says."""
        return STAR.format(" on a typical data set" if self.only is None else "")

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table of solvers, beside the solver."""
        if self.only is not None:
            end = (Column(END, number=False),) if self.only in self._marked else ()
            names = (self.findings.measure, "over splits", *self.costs, "ok")
            return (*map(Column, names), *end, *self._folders)
        first = (f"mean {self.findings.measure}", *self._best, *self._versus)
        names = (*first, "average rank", "rating", *self.costs, "no value", "ok")
        return (*map(Column, names), *self._folders)

    @cached_property
    def _marked(self) -> frozenset[int]:
        """The data sets on which fits did not end at their optimum."""
        evidence = self.findings.evidence
        return frozenset(i for i, j in evidence.groups if evidence.ends(i, j).mark)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the table of solvers, the recommended one first."""
        names, leading = self.findings.evidence.solvers, self.findings.leading
        return tuple(Line(j, names[j], j in leading, self.entries(j)) for j in self.findings.order)

    @property
    def costs(self) -> tuple[str, ...]:
        """The columns of what a fit costs; values from elsewhere do not tell it."""
        return ("fit s", "non-zeros") if self.own else ()

    @property
    def tested(self) -> bool:
        """Whether it is tested who may be the best on a typical data set."""
        best = self.findings.advice.best
        return self.only is None and best is not None and not best.note

    @property
    def _best(self) -> tuple[str, ...]:
        """The column that says who may be the best, where it is tested."""
        return ("the best?",) if self.tested else ()

    @property
    def _versus(self) -> tuple[str, ...]:
        """The column of differences from the reference, where there is one."""
        pairs = self.findings.advice.reference
        return (f"− {pairs[0].b}",) if pairs else ()

    @property
    def _folders(self) -> tuple[Column, ...]:
        """The column of the folders that have a solver, where several were read."""
        return (Column("folder", number=False),) if self.findings.evidence.folders else ()

    def entries(self, solver: int) -> Sequence[Entry]:
        """Return the entries of a solver in the table of solvers, one for each column."""
        known = self._across(solver) if self.only is None else self._inside(self.only, solver)
        folders = self.findings.evidence.folders
        return [*known, *(Entry("", folders[solver]) for _ in self._folders)]

    def _across(self, solver: int) -> list[Entry]:
        findings, evidence = self.findings, self.findings.evidence
        nonzeros = findings.nonzeros[:, solver]
        nonzeros = nonzeros[~np.isnan(nonzeros)]
        groups = [group for (_, j), group in evidence.groups.items() if j == solver]
        failed = str(int(np.isnan(findings.values[:, solver]).sum()))
        name = evidence.solvers[solver]
        return [
            _standing(findings.means[solver], "{:.4f}"),
            *(_best(findings.advice.best, name) for _ in self._best),
            *(_difference(findings.advice.reference, name) for _ in self._versus),
            _standing(findings.ranks[solver], "{:.2f}"),
            _standing(findings.ratings[solver], "{:.0f}"),
            *self._costs(
                _entry(findings.mean_seconds[solver], ".3g"),
                _entry(float(np.median(nonzeros)) if nonzeros.size else math.nan, ".4g"),
            ),
            Entry(failed, failed),
            _ok(groups),
        ]

    @cached_property
    def _rows(self) -> dict[Place, Row]:
        return {(row.dataset, row.solver): row for row in self.findings.rows}

    def _inside(self, dataset: int, solver: int) -> list[Entry]:
        """Return the entries of a solver in the table of solvers of the only data set."""
        findings, evidence = self.findings, self.findings.evidence
        group = evidence.group(dataset, solver)
        row = self._rows.get((dataset, solver))
        splits = findings.over_splits(row) if row else None
        seconds = math.nan if findings.times else group.median("seconds")
        return [
            _auc_entry(row) if row else Entry("", "–"),
            Entry(repr(splits.low), _range(splits, "{:.4f}")) if splits else Entry("", "–"),
            *self._costs(_entry(seconds, ".3g"), _entry(group.mean("nnz"), ".4g")),
            _ok([group]),
            *([Entry("", evidence.ends(dataset, solver).mark)] if dataset in self._marked else []),
        ]

    def _costs(self, *entries: Entry) -> tuple[Entry, ...]:
        return entries if self.own else ()

    @cached_property
    def data_sets(self) -> tuple[Text, ...]:
        """The sizes of each data set, its labels, and the columns that are left out."""
        evidence = self.findings.evidence
        return tuple(
            Text(
                evidence.datasets[one.dataset],
                (
                    *filter(None, [sizes(one)]),
                    *evidence.understood(one.dataset).facts(SHOWN_DROPPED),
                ),
            )
            for one in self.findings.insides
        )

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before the numbers are believed: of the folder, and of its data sets."""
        evidence, names = self.findings.evidence, self.findings.evidence.datasets
        told = [evidence.left_out, _stale(evidence.stale), _unchecked(evidence.unchecked)]
        told += evidence.elsewhere.remarks if evidence.elsewhere else ()
        told += [
            self.findings.times,
            self.findings.untold,
            *self.findings.unmeasured,
            *evidence.problems(),
        ]
        for number, name in enumerate(names):
            of = f"{name}: " if len(names) > 1 else ""
            told += [f"{of}{line}" for line in by_kind(evidence.understood(number).remarks)]
        told += pair_notes(evidence)
        return tuple(filter(None, told))

    @property
    def all_warnings(self) -> tuple[Text, ...]:
        """All warnings about each data set, and all columns left out, where some are not shown."""
        evidence = self.findings.evidence
        told = []
        for number, name in enumerate(evidence.datasets):
            known = evidence.understood(number)
            everything = (*known.facts(), *known.warnings)
            if {*everything} - {*known.facts(SHOWN_DROPPED), *by_kind(known.remarks)}:
                told.append(Text(name, everything))
        return tuple(told)

    @property
    def has_classes(self) -> bool:
        """Whether a data set has three or more classes."""
        return any(one.each for one in self.findings.insides)

    @property
    def has_pairs(self) -> bool:
        """Whether there are pairs of solvers with a verdict."""
        across = len(self.findings.evidence.finished) > 1 and len(self.findings.pairs) > 0
        return across or bool(self.data["pairs"]["a"])

    @property
    def pairs_left_out(self) -> int:
        """Pairs inside data sets that are not on the page, see `drawn.LOCAL_PAIRS`."""
        return sum(len(one.pairs) for one in self.findings.insides) - len(self.data["pairs"]["a"])

    @property
    def failed(self) -> dict[str, int]:
        """Number of failed cells by status."""
        return self.findings.evidence.failed

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Failed cells by solver and reason, the most frequent first."""
        evidence = self.findings.evidence
        kinds: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
        for (dataset, solver), group in evidence.groups.items():
            for fit in group.failed:
                cells = kinds.setdefault((solver, str(fit.status), fit.why), [])
                cells.append((evidence.datasets[dataset], fit.log))
        most = sorted(kinds.items(), key=lambda item: -len(item[1]))
        return tuple(
            Failure(
                solver,
                status,
                len(cells),
                _few([*dict.fromkeys(name for name, _ in cells)]),
                why or "No reason is known.",
                next((log for _, log in cells if log), "")[-LOG:],
            )
            for (solver, status, why), cells in most[:FAILURES]
        )

    @property
    def convergence(self) -> str:
        """Which fits did not end at their optimum."""
        evidence = self.findings.evidence
        rows = [
            (evidence.solvers[j], evidence.datasets[i], evidence.ends(i, j))
            for (i, j), group in evidence.groups.items()
            if group.ok
        ]
        return "\n".join(end_notes(rows))

    @property
    def plans(self) -> tuple[Text, ...]:
        """Each plan with the command that runs it."""
        return tuple(
            Text(name, (shlex.join(["aucbench", "run", name, "--out", folder]), text))
            for name, folder, text in self.findings.evidence.plans
        )


def page_of(findings: Findings, *, folder: str) -> Page:
    """Return the page of findings, with chapters on classes and times."""
    return Page(findings, folder, (*class_chapters(findings), *time_chapters(findings)))


def _said(name: str, value: Any) -> str:
    texts = map(str, value) if isinstance(value, tuple) else [str(value)]
    plain = f"{value:g}" if isinstance(value, float) else ", ".join(texts)
    return SAID[name].format(plain)


def _stale(count: int) -> str:
    if not count:
        return ""
    return (
        f"{count} records are stale, since the data, a plugin or aucbench has changed, and are "
        "left out; run the plans again to have them computed anew."
    )


def _unchecked(why: str) -> str:
    return f"It is not known whether records are stale: {why}" if why else ""


def _ok(groups: Sequence[Group]) -> Entry:
    ok = sum(len(group.ok) for group in groups)
    return Entry(str(ok), f"{ok}/{sum(group.planned for group in groups)}")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def _entry(value: float, form: str) -> Entry:
    return Entry("", "–") if math.isnan(value) else Entry(repr(value), format(value, form))


def _auc_entry(row: Row) -> Entry:
    """Return the entry of a solver when there is one data set."""
    if row.known is None or math.isnan(row.estimate):
        return Entry("", "–", note=row.note)
    interval = _range(row.known.delong, "{:.4f}")
    return Entry(repr(row.estimate), f"{row.estimate:.4f}", interval, row.note)


def _best(best: BestSet | None, name: str) -> Entry:
    """Return whether a solver may be the best, with the p-value; sorted by how far it is behind."""
    assert best is not None
    j = best.names.index(name)
    word = "may be" if best.possible[j] else "behind" if best.behind[j] else "probably not"
    p = f"p {_p(best.p[j])}{', borderline' if best.borderline[j] else ''}"
    return Entry(repr(best.s[j]), word, p)


def _difference(pairs: Sequence[Pair], name: str) -> Entry:
    """Return the difference of a solver from the reference, with its interval and its word."""
    pair = next((pair for pair in pairs if pair.a == name), None)
    if pair is None or math.isnan(pair.difference.effect):
        return Entry("", "–")
    effect = pair.difference.effect
    if math.isinf(effect):
        return Entry(repr(effect), str(pair.word), note="One of the two failed on most data sets.")
    return Entry(repr(effect), f"{effect:+.4f}", f"{pair.word}, p {_p(pair.adjusted)}")


def _p(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2g}"


def _standing(standing: Standing, form: str) -> Entry:
    value = standing.value
    if math.isnan(value.estimate):
        return Entry("", "–", note=value.note)
    return Entry(repr(value.estimate), form.format(value.estimate), _range(value, form), value.note)


def _range(interval: Interval, form: str) -> str:
    if math.isnan(interval.low):
        return ""
    return f"{form.format(interval.low)} – {form.format(interval.high)}"
