"""What a page shows: its tables and lists. Its sentences stand in `html/page.html`.

Here digits are chosen; every number comes from `Findings`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucbench.data.understood import SHOWN_DROPPED, by_kind
from aucbench.records import CellStatus
from aucbench.report.classes import class_sections
from aucbench.report.document import Grid, Section
from aucbench.report.drawn import DIGITS, drawn
from aucbench.report.findings import Findings
from aucbench.report.frame import NOT_YET
from aucbench.report.leaderboard import leaderboard
from aucbench.report.terminal import pair_notes
from aucbench.report.times import time_sections
from aucbench.report.within import describe_sizes

LOG = 4000  # last characters of a log
FAILURES = 100  # different ones that are listed
FEW = 5  # data sets that are named
STALE = (
    "{} records are stale, since the data, a plugin or aucbench has changed, and are left out; run "
    "the plans again to have them computed anew."
)
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
    "tune_work": "tuned by reading at most {} numbers",
}


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
    added: tuple[Section, ...] = ()  # on classes and times
    digits: ClassVar = DIGITS

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the scripts of the page show."""
        return drawn(self.findings)

    @property
    def facts(self) -> str:
        """How large the folder is, and what all its cells share."""
        frame, counts = self.findings.frame, self.findings.frame.statuses
        status = ", ".join(f"{n} {name}" for name, n in counts.most_common())
        common = [_said(name, value) for name, value in frame.source.common.items() if name in SAID]
        sizes = (
            (len(frame.datasets), "data set"),
            (len(frame.solvers), "solver"),
            (counts.total(), "cell"),
        )
        told = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in sizes)
        shared = f" In all cells: {', '.join(common)}." if common else ""
        return f"{told}: {status}.{shared}"

    @cached_property
    def board(self) -> Grid:
        """The table of solvers."""
        return leaderboard(self.findings)

    @cached_property
    def data_sets(self) -> tuple[Text, ...]:
        """The sizes of each data set, its labels, and the columns that are left out."""
        frame = self.findings.frame
        return tuple(
            Text(
                frame.datasets[one.dataset],
                (
                    *filter(None, [describe_sizes(frame, one)]),
                    *frame.understood(one.dataset).facts(SHOWN_DROPPED),
                ),
            )
            for one in self.findings.datasets
        )

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before the numbers are believed: of the folder, and of its data sets."""
        frame, source = self.findings.frame, self.findings.frame.source
        told = [self.findings.left_out]
        if source.stale:
            told.append(STALE.format(source.stale))
        if source.unchecked:
            told.append(f"It is not known whether records are stale: {source.unchecked}")
        told += source.external.remarks if source.external else ()
        told += [
            self.findings.times,
            self.findings.untold,
            *self.findings.unmeasured,
            *source.problems(),
        ]
        for number, name in enumerate(frame.datasets):
            of = f"{name}: " if len(frame.datasets) > 1 else ""
            told += [f"{of}{line}" for line in by_kind(frame.understood(number).remarks)]
        told += pair_notes(frame)
        return tuple(filter(None, told))

    @property
    def all_warnings(self) -> tuple[Text, ...]:
        """All warnings about each data set, and all columns left out, where some are not shown."""
        frame = self.findings.frame
        told = []
        for number, name in enumerate(frame.datasets):
            known = frame.understood(number)
            everything = (*known.facts(), *known.warnings)
            if {*everything} - {*known.facts(SHOWN_DROPPED), *by_kind(known.remarks)}:
                told.append(Text(name, everything))
        return tuple(told)

    @property
    def has_pairs(self) -> bool:
        """Whether there are pairs of solvers with a verdict."""
        across = len(self.findings.frame.finished) > 1 and len(self.findings.pairs) > 0
        return across or bool(self.data["pairs"]["a"])

    @property
    def pairs_left_out(self) -> int:
        """Pairs inside data sets that are not on the page, see `drawn.LOCAL_PAIRS`."""
        return sum(len(one.pairs) for one in self.findings.datasets) - len(self.data["pairs"]["a"])

    @property
    def failed_cells(self) -> dict[str, int]:
        """Number of cells that were run and have no AUC, by status."""
        counts = self.findings.frame.statuses
        return {status: n for status, n in counts.items() if status not in (CellStatus.OK, NOT_YET)}

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Failed cells by solver and reason, the most frequent first."""
        frame = self.findings.frame
        kinds: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
        for row in np.flatnonzero(frame.failed):
            status, why, log = (frame.facts[name][row] for name in ("status", "why", "log"))
            cells = kinds.setdefault((int(frame.solver[row]), str(status), why), [])
            cells.append((frame.datasets[frame.dataset[row]], log))
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
    def plans(self) -> tuple[Text, ...]:
        """Each plan with the command that runs it."""
        return tuple(
            Text(name, (shlex.join(["aucbench", "run", name, "--out", folder]), text))
            for name, folder, text in self.findings.frame.source.plans
        )


def page_of(findings: Findings, *, folder: str) -> Page:
    """Return the page of findings, with chapters on classes and times."""
    return Page(findings, folder, (*class_sections(findings), *time_sections(findings)))


def _said(name: str, value: Any) -> str:
    texts = map(str, value) if isinstance(value, tuple) else [str(value)]
    plain = f"{value:g}" if isinstance(value, float) else ", ".join(texts)
    return SAID[name].format(plain)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
