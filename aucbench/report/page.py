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
from aucbench.report.curves import SHARES
from aucbench.report.document import Chapter
from aucbench.report.drawn import DIGITS, drawn
from aucbench.report.findings import Findings
from aucbench.report.inside import Row
from aucbench.stats.ranking import Standing
from aucbench.stats.words import Interval

LOG = 4000  # last characters of a log
FAILURES = 100  # different ones that are listed
FEW = 5  # data sets that are named
SAID = {  # of the choices that all cells share
    "splits": "{} splits",
    "holdout": "{} of the rows held out",
    "reading": "files read with {}",
    "features": "features {}",
    "objective": "objective {}",
    "projector": "projector {}",
    "passes": "at most {} passes",
    "seconds": "at most {} seconds",
    "tune_evals": "tuned by at most {} points",
    "inner_splits": "{} inner splits",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the leaderboard: the value it is sorted by, what is shown, and an interval."""

    value: str
    text: str
    range: str = ""
    note: str = ""


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
    added: tuple[Chapter, ...] = ()  # sections of plugins, see `document.signed`
    digits: ClassVar = DIGITS
    targets: ClassVar = SHARES

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
        return f"{told}: {status}. In all cells: {', '.join(common)}."

    def entries(self, solver: int) -> list[Entry]:
        """Return the entries of a solver in the leaderboard."""
        findings, evidence = self.findings, self.findings.evidence
        known = ~np.isnan(findings.values[:, solver])
        if len(evidence.finished) == 1:
            only = findings.insides[evidence.finished[0]]
            first = [_auc_entry(row) for row in only.rows if row.solver == solver]
        else:
            mean = float(findings.values[known, solver].mean()) if known.any() else math.nan
            ranks, ratings = findings.ranks[solver], findings.ratings[solver]
            first = [_entry(mean, ".4f"), _standing(ranks, "{:.2f}"), _standing(ratings, "{:.0f}")]
        nonzeros = findings.nonzeros[:, solver]
        nonzeros = nonzeros[~np.isnan(nonzeros)]
        groups = [group for (_, j), group in evidence.groups.items() if j == solver]
        ok, planned = sum(len(group.ok) for group in groups), sum(g.planned for g in groups)
        failed = str(int((~known).sum()))
        return [
            *first,
            _entry(findings.mean_seconds[solver], ".3g"),
            _entry(float(np.median(nonzeros)) if nonzeros.size else math.nan, ".4g"),
            Entry(failed, failed),
            Entry(str(ok), f"{ok}/{planned}"),
        ]

    @property
    def understood(self) -> tuple[Text, ...]:
        """What was understood of each data set."""
        evidence = self.findings.evidence
        known = (
            Text(name, tuple(evidence.understood(number).lines()))
            for number, name in enumerate(evidence.datasets)
        )
        return tuple(text for text in known if text.lines)

    @property
    def pairs_left_out(self) -> int:
        """Pairs inside data sets that are not on the page, see `drawn.LOCAL_PAIRS`."""
        return sum(len(one.pairs) for one in self.findings.insides) - len(self.data["pairs"]["a"])

    @property
    def failed(self) -> dict[str, int]:
        """Number of failed cells by status."""
        counts = self.findings.evidence.counts
        return {name: n for name, n in counts.items() if name not in ("ok", "not run yet")}

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
            Text(name, (shlex.join(["aucbench", "run", name, "--out", self.folder]), text))
            for name, text in self.findings.evidence.plans.items()
        )


def page_of(findings: Findings, *, folder: str, added: Sequence[Chapter] = ()) -> Page:
    """Return the page of findings, with the sections of plugins."""
    return Page(findings, folder, tuple(added))


def _said(name: str, value: Any) -> str:
    texts = map(str, value) if isinstance(value, tuple) else [str(value)]
    plain = f"{value:g}" if isinstance(value, float) else ", ".join(texts)
    return SAID[name].format(plain)


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


def _standing(standing: Standing, form: str) -> Entry:
    value = standing.value
    if math.isnan(value.estimate):
        return Entry("", "–", note=value.note)
    return Entry(repr(value.estimate), form.format(value.estimate), _range(value, form), value.note)


def _range(interval: Interval, form: str) -> str:
    if math.isnan(interval.low):
        return ""
    return f"{form.format(interval.low)} – {form.format(interval.high)}"
