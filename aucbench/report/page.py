"""The page of findings as a document: its sections, the verdict first.

Every number comes from `Findings`, and every table from `tables`, as in a terminal.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from aucbench.data.understood import SHOWN_DROPPED, by_kind
from aucbench.records import CellStatus
from aucbench.report.charts import (
    MOST_LINES,
    band_charts,
    cost_charts,
    curve_charts,
    standing_charts,
)
from aucbench.report.classes import class_sections
from aucbench.report.document import Listing, Part, Section
from aucbench.report.findings import Findings
from aucbench.report.frame import NOT_YET
from aucbench.report.grid import Grid
from aucbench.report.html_page import InlinePage, make_page
from aucbench.report.notes import notes, pair_notes
from aucbench.report.tables import BEST, leaderboard, pair_table, tables
from aucbench.report.times import time_sections
from aucbench.report.within import DatasetFindings, describe_sizes

LOG = 4000  # last characters of a log
FAILURES = 100  # different ones that are listed
FEW = 5  # data sets that are named, and of which a page shows all charts at once
FEW_LINES = 6  # solvers in the charts of one of many data sets
WARNINGS = 10  # that are shown at once
STALE = (
    "{} records are stale, since the data, a plugin or aucbench has changed, and are left out; run "
    "the plans again to compute them again."
)
SHARED = {  # of the choices that all cells share
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


def page_of(findings: Findings, *, folder: str) -> InlinePage:
    """Return the page of findings, one file in UTF-8 that opens without a network.

    `folder` is the name of the results folder.
    """
    sections = [section for section in page_sections(findings) if section.parts]
    return make_page(f"aucbench: {folder}", [describe_size(findings)], sections)


def page_sections(findings: Findings) -> Iterator[Section]:
    """Yield the sections of the page; those without parts say nothing."""
    is_own = findings.frame.source.external is None
    yield Section("Answer", "", tuple(_answer(findings)))
    yield Section("Data", "", tuple(_data(findings)))
    yield Section("Solvers", "", tuple(_solvers(findings)))
    yield Section("Pairs", "", tuple(_pairs(findings)))
    if findings.only is None:
        yield Section("Data sets", "", tuple(_data_sets(findings)))
    yield from class_sections(findings)
    yield from time_sections(findings)
    yield Section("Failures", "", tuple(_failures(findings)))
    if is_own:
        yield Section("Environment", "", tuple(_environment(findings)))
        yield Section("Commands", "", tuple(_commands(findings)))
    yield Section("Methods", "", tuple(_methods(findings)))


def _answer(findings: Findings) -> list[str]:
    lines = [findings.state, *findings.advice.sentences]
    return [line for line in lines if line] or ["There is nothing to say yet."]


def describe_size(findings: Findings) -> str:
    """Return how large the folder is, and what all its cells share."""
    frame, counts = findings.frame, findings.frame.statuses
    status = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    common = [_shared(name, value) for name, value in frame.source.common.items() if name in SHARED]
    numbers = (
        (len(frame.datasets), "data set"),
        (len(frame.solvers), "solver"),
        (counts.total(), "cell"),
    )
    size = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in numbers)
    shared = f" In all cells: {', '.join(common)}." if common else ""
    return f"{size}: {status}.{shared}"


def _shared(name: str, value: Any) -> str:
    texts = map(str, value) if isinstance(value, tuple) else [str(value)]
    plain = f"{value:g}" if isinstance(value, float) else ", ".join(texts)
    return SHARED[name].format(plain)


def _data(findings: Findings) -> Iterator[Part]:
    """Yield what is known of the data sets, and what to know before the numbers are believed."""
    frame = findings.frame
    lines = [
        (frame.datasets[one.dataset], "; ".join(_facts(findings, one))) for one in findings.datasets
    ]
    if len(lines) > 1 and any(facts for _, facts in lines):
        yield Grid(("data set", "rows, label and columns"), lines, names=0)
    elif len(lines) == 1:
        yield "\n".join(_facts(findings, findings.datasets[0]))
    warnings = warnings_of(findings)
    yield from warnings[:WARNINGS]
    if more := warnings[WARNINGS:]:
        yield Section(f"{len(more)} more warnings", "", tuple(more))
    if whole := tuple(_whole_facts(findings)):
        title = "All warnings about the data, and all columns that are left out"
        yield Section(title, "", whole)


def _facts(findings: Findings, one: DatasetFindings) -> list[str]:
    facts = findings.frame.understood(one.dataset).facts(SHOWN_DROPPED)
    return [*filter(None, [describe_sizes(findings.frame, one)]), *facts]


def warnings_of(findings: Findings) -> list[str]:
    """Return what to know of the folder and of its data before the numbers are believed."""
    frame, source, names = findings.frame, findings.frame.source, findings.frame.datasets
    lines = [findings.left_out, STALE.format(source.stale) if source.stale else ""]
    if source.unchecked:
        lines.append(f"It is not known whether records are stale: {source.unchecked}")
    lines += source.external.remarks if source.external else ()
    lines += [findings.times, findings.not_compared, *findings.unmeasured, *source.problems()]
    for number, name in enumerate(names):
        of = f"{name}: " if len(names) > 1 else ""
        lines += [f"{of}{line}" for line in by_kind(frame.understood(number).remarks)]
    lines += pair_notes(frame)
    return [f"Warning: {line}" for line in lines if line]


def _whole_facts(findings: Findings) -> Iterator[str]:
    """Yield all that is known of a data set, if some of it is not shown."""
    frame = findings.frame
    for number, name in enumerate(frame.datasets):
        known = frame.understood(number)
        everything = (*known.facts(), *known.warnings)
        if {*everything} - {*known.facts(SHOWN_DROPPED), *by_kind(known.remarks)}:
            yield "\n".join([f"{name}:", *everything])


def _solvers(findings: Findings) -> Iterator[Part]:
    """Yield the table of solvers, its notes, and the charts of a page about one data set."""
    frame = findings.frame
    if findings.only is not None:
        yield tables(findings, best_first=True)[findings.only]
        yield from _notes(findings)
        yield from _charts(findings, findings.datasets[findings.only], MOST_LINES)
    else:
        board = leaderboard(findings)
        yield board
        yield "\n".join(_legend(findings, BEST in board.header))
        if frame.source.external is None:
            yield from standing_charts(findings)


def _legend(findings: Findings, is_tested: bool) -> Iterator[str]:
    """Yield what the columns of the table over all data sets mean."""
    count, units = len(findings.frame.finished), len(findings.table.units)
    families = f" in {units} families, each with the same weight" if units != count else ""
    level = f"{findings.settings.level:.0%}"
    yield (
        f"Over {count} data sets{families}. Intervals are of {level}, by a bootstrap over them: "
        "those of two means may overlap if one solver is ahead on every data set."
    )
    if is_tested:
        yield (
            f"{BEST}: may be, probably not, or certainly behind, by the differences from its "
            "strongest rival; p is of “no solver is better than this one on a typical data set”."
        )
    if findings.advice.reference:
        yield (
            f"− {findings.advice.reference[0].b}: difference from this solver, with a p-value "
            "that is adjusted for the number of the others."
        )
    if findings.frame.source.external is None:
        yield (
            "fit s: shifted geometric mean (shift 1 s) of the times of a fit over the data sets "
            "with a value. non-zeros: median over them."
        )
    yield "no value: data sets on which a cell failed; each counts as the worst rank."
    if findings.smaller:
        yield f"A smaller {findings.measure} is better."
    if findings.grouped:
        yield f"{findings.grouped[0].upper()}{findings.grouped[1:]}."


def _charts(
    findings: Findings, one: DatasetFindings, most: int, *, brief: bool = False
) -> Iterator[Part]:
    """Yield the charts of a data set: the first one only if it is `brief`."""
    if findings.frame.source.external is not None:
        return
    charts = chain(
        band_charts(findings, one, most, bands=not brief),
        cost_charts(findings, one),
        curve_charts(findings, one, most),
    )
    yield from islice(charts, 1 if brief else None)


def _pairs(findings: Findings) -> Iterator[Part]:
    """Yield the table of pairs, and by which rule their words are chosen."""
    table = pair_table(findings)
    if table is None:
        return
    measure, rope = findings.measure, f"{findings.settings.rope:g}"
    if findings.only is None:
        yield (
            f"Mean difference of the {measure} over the data sets, and a verdict by Wilcoxon's "
            f"signed-rank test with Holm's adjustment for {len(findings.pairs)} pairs; then the "
            "data sets won and lost. Unlike ranks, a pair does not depend on the other solvers, "
            "but for this adjustment."
        )
    else:
        test = (
            f"what {findings.row_test}, for other test rows, and the corrected resampled t-test, "
            "for other training rows, both support"
            if findings.row_test
            else "that of the corrected resampled t-test"
        )
        share = round(1 / (1 - findings.settings.level))
        yield (
            f"Difference of the {measure} on the same splits. A verdict is {test}, with Holm's "
            f"adjustment for all pairs. “Probably” is what a pair says by itself: 1 in {share} "
            "such words is chance. “Not distinguishable yet”: five repeats of the splits may tell."
        )
    yield f"Differences within ± {rope} are practically zero."
    yield table


def _data_sets(findings: Findings) -> Iterator[Part]:
    """Yield the table and the charts of each data set; of many, one chart of few solvers."""
    grids = tables(findings, best_first=True)
    many = len(grids) > FEW
    if many and findings.frame.source.external is None:
        yield (
            f"The charts show the first {FEW_LINES} solvers of the table of solvers; a page about "
            "fewer data sets has all solvers and more charts."
        )
    for one, grid in zip(findings.datasets, grids, strict=True):
        most = FEW_LINES if many else MOST_LINES
        charts = _charts(findings, one, most, brief=many)
        yield Section(grid.title, "", (replace(grid, title=""), *charts), is_open=not many)
    yield from _notes(findings)


def _notes(findings: Findings) -> Iterator[Part]:
    """Yield what the tables of data sets mean: the first line at once, the others folded."""
    lines = [*notes(findings)]
    if any(findings.over_splits(row) != findings.interval(row) for row in findings.rows):
        lines.insert(1, "the second interval is over splits: it covers other training rows too")
    yield from lines[:2]
    if lines[2:]:
        yield Section("Notes", "", ("\n".join(lines[2:]),))


def _failures(findings: Findings) -> Iterator[Part]:
    """Yield failed cells by solver and reason, the most frequent first."""
    frame, is_own = findings.frame, findings.frame.source.external is None
    counts = {
        status: n for status, n in frame.statuses.items() if status not in (CellStatus.OK, NOT_YET)
    }
    if not counts:
        return
    status = ", ".join(f"{n} {name}" for name, n in counts.items())
    what = findings.quality if is_own else findings.measure
    yield f"{sum(counts.values())} cells have no {what}: {status}."
    if is_own:
        yield "aucbench status --log prints the traceback of each."
    kinds: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
    for row in np.flatnonzero(frame.failed):
        status, why, log = (frame.facts[name][row] for name in ("status", "why", "log"))
        cells = kinds.setdefault((int(frame.solver[row]), str(status), why), [])
        cells.append((frame.datasets[frame.dataset[row]], log))
    most = sorted(kinds.items(), key=lambda item: -len(item[1]))
    for (solver, ended, why), cells in most[:FAILURES]:
        datasets = _few([*dict.fromkeys(name for name, _ in cells)])
        log = next((log for _, log in cells if log), "")[-LOG:]
        yield Section(
            f"{frame.solvers[solver]}: {ended} in {len(cells)} cell(s) of {datasets}",
            "",
            (why or "No reason is known.", *([Listing(log)] if log else [])),
        )


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def _environment(findings: Findings) -> Iterator[Part]:
    frame = findings.frame
    lines = [("ran on", str(condition)) for condition in frame.conditions]
    lines += [(f"{count} cells with", text) for text, count in frame.versions.items()]
    if lines:
        yield Grid(("what", "value"), lines)


def _commands(findings: Findings) -> Iterator[Part]:
    """Yield each plan with the command that runs it."""
    plans = findings.frame.source.plans
    if plans:
        yield (
            "Save the text of a plan under its name and run the command above it. Plans hold all "
            "settings; what compare was given is a plan too."
        )
    else:
        yield "The folder holds no plan."
    for name, folder, text in plans:
        yield Listing(shlex.join(["aucbench", "run", name, "--out", folder]))
        yield Section(name, "", (Listing(text),))


def _methods(findings: Findings) -> Iterator[Part]:
    s = findings.settings
    if findings.frame.source.external is None:
        known = {row.within.delong.method for row in findings.rows if row.within}
        yield f"Intervals inside a data set: {'; '.join(sorted(known))}."
    yield "Over splits: corrected resampled t (Nadeau and Bengio)."
    rope = f"± {s.rope:g} of the {findings.measure}"
    yield f"Region of practical equivalence: {rope}; level {s.level:g}."
    yield (
        "Every planned cell counts. A failed one leaves its solver without a value on the data "
        "set, which counts as the worst rank."
    )
