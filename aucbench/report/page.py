"""The text of a page: its sentences and tables.

Here digits and words are chosen; every number comes from `Findings`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aucbench.bench.show.endings import Ends, end_notes
from aucbench.report.board import (
    MATRIX_LEGEND,
    Column,
    Line,
    MatrixLine,
    board,
    board_columns,
    board_legend,
    board_note,
    direction,
    matrix,
    matrix_note,
)
from aucbench.report.document import Chapter
from aucbench.report.drawn import DIGITS, drawn
from aucbench.report.evidence import Evidence
from aucbench.report.findings import Findings
from aucbench.report.pace import SHARES

LOG = 4000  # last characters of a log
FAILURES = 100  # different ones that are listed


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that the scripts draw, with the sentences above it."""

    id: str
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Cells of a solver that failed for the same reason."""

    solver: int
    status: str
    count: int
    datasets: str
    why: str
    log: str


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What was understood of a data set."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanText:
    """A plan of the folder and the command that runs it."""

    name: str
    command: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the template shows, as text for people."""

    title: str
    facts: str
    solvers: tuple[str, ...]
    answer: tuple[str, ...]
    warnings: tuple[str, ...]
    board_note: str
    board_columns: tuple[Column, ...]
    board: tuple[Line, ...]
    board_legend: tuple[str, ...]
    matrix_note: str
    matrix: tuple[MatrixLine, ...]
    matrix_legend: tuple[str, ...]
    table_note: str
    understood: tuple[DataFacts, ...]
    table_legend: tuple[str, ...]
    pace_note: str
    targets: tuple[str, ...]
    has_pairs: bool
    pairs_note: str
    diagnostics: tuple[str, ...]
    figures: tuple[Figure, ...]
    failures_note: str
    failures: tuple[Failure, ...]
    convergence: str
    environment: tuple[tuple[str, str], ...]
    commands_note: str
    plans: tuple[PlanText, ...]
    methods: tuple[str, ...]
    added: tuple[Chapter, ...]
    data: dict[str, Any]

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Identifier and name of each section."""
        known = (
            ("answer", "Answer"),
            ("leaderboard", "Leaderboard"),
            ("pairs", "Pairs"),
            ("datasets", "Data sets"),
            ("charts", "Figures"),
            *((f"added-{number}", one.title) for number, one in enumerate(self.added)),
            ("failures", "Failures"),
            ("environment", "Environment"),
            ("commands", "Commands"),
            ("methods", "Methods"),
        )
        return [(name, text) for name, text in known if name != "pairs" or self.matrix]


def page_of(findings: Findings, *, folder: str, added: Sequence[Chapter] = ()) -> Page:
    """Choose words and digits.

    Parameters
    ----------
    findings : Findings
        All numbers.
    folder : str
        Name of the results folder, for the commands.
    added : sequence of Chapter
        Sections of plugins, see `aucbench.report.document.signed`.
    """
    evidence = findings.evidence
    data = drawn(findings)
    return Page(
        title=f"aucbench: {folder}",
        facts=_facts(evidence),
        solvers=evidence.solvers,
        answer=findings.advice.sentences,
        warnings=tuple(_warnings(findings)),
        board_note=board_note(findings),
        board_columns=board_columns(findings),
        board=tuple(board(findings)),
        board_legend=board_legend(findings),
        matrix_note=matrix_note(findings),
        matrix=matrix(findings) if len(evidence.finished) > 1 else (),
        matrix_legend=MATRIX_LEGEND,
        table_note=(
            f"{findings.measure} of the test rows: its mean over the splits and the "
            f"{findings.settings.level:.0%} interval for other test rows; then the one over "
            "splits, which covers other training rows too. Median time of a fit, mean number of "
            f"non-zero weights.{direction(findings)}"
        ),
        understood=tuple(_understood(evidence)),
        table_legend=TABLE_LEGEND,
        pace_note=_pace_note(findings),
        targets=SHARES,
        has_pairs=bool(data["pairs"]["a"]),
        pairs_note=_pairs_note(findings, data),
        diagnostics=tuple(data["info"]["names"]),
        figures=_figures(findings, data),
        failures_note=_failures_note(evidence),
        failures=_failures(evidence),
        convergence=_convergence(evidence),
        environment=tuple(_environment(evidence)),
        commands_note=_commands_note(evidence),
        plans=_plans(evidence, folder),
        methods=_methods(findings),
        added=tuple(added),
        data=data,
    )


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
TABLE_LEGEND = (
    "★ not worse than the best of the data set. ? says why an interval is missing, or which rule "
    "made it. The rank is among the solvers without a failed cell.",
)


def _facts(evidence: Evidence) -> str:
    counts = evidence.counts
    status = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    common = [_said(name, value) for name, value in evidence.common.items() if name in SAID]
    return (
        f"{_number(len(evidence.datasets), 'data set')}, "
        f"{_number(len(evidence.solvers), 'solver')}, {_number(counts.total(), 'cell')}: {status}. "
        f"In all cells: {', '.join(common)}."
    )


def _understood(evidence: Evidence) -> Iterable[DataFacts]:
    for number, name in enumerate(evidence.datasets):
        if lines := tuple(evidence.understood(number).lines()):
            yield DataFacts(name, lines)


def _said(name: str, value: Any) -> str:
    texts = map(str, value) if isinstance(value, tuple) else [str(value)]
    plain = f"{value:g}" if isinstance(value, float) else ", ".join(texts)
    return SAID[name].format(plain)


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _warnings(findings: Findings) -> Iterable[str]:
    evidence = findings.evidence
    if evidence.left_out:
        yield evidence.left_out
    if evidence.stale:
        yield (
            f"{evidence.stale} records are stale, since the data, a plugin or aucbench has "
            "changed, and are left out; run the plans again to have them computed anew."
        )
    if evidence.unchecked:
        yield f"It is not known whether records are stale: {evidence.unchecked}"
    if findings.times:
        yield findings.times
    yield from findings.unmeasured
    yield from evidence.problems()


def _pairs_note(findings: Findings, data: dict[str, Any]) -> str:
    left = sum(len(one.pairs) for one in findings.insides) - len(data["pairs"]["a"])
    note = (
        "Solvers on the same test rows. A verdict is what DeLong's test, for other test rows, and "
        "the corrected resampled t-test, for other training rows, both support: the wider interval "
        "and the larger p-value, with Holm's adjustment for all pairs of the data set."
    )
    if left:
        note += f" {left} pairs without a ★ are left out of this page, to keep it small."
    return note


def _pace_note(findings: Findings) -> str:
    ends = (
        ""
        if findings.evidence.has_test_curves
        else (" The folder knows no test AUC along a fit, so that each fit counts as its end.")
    )
    return (
        f"Seconds inside the solver and passes over the rows until the AUC of the test rows is at "
        f"{' and '.join(SHARES)} of the best one at the end of any fit on the same rows: "
        "the median over the folds; “never” where half of the folds do not reach it, or a cell "
        "failed. Anytime: the mean test AUC over the logarithm of time, from the first to the "
        "last point of any fit on the data set; 0.5 before the first point and for a failed cell."
        f"{ends}"
    )


def _figures(findings: Findings, data: dict[str, Any]) -> tuple[Figure, ...]:
    points, tested = findings.points, findings.evidence.has_test_curves
    of_rows = (
        "Of the test rows, measured when the fit has ended."
        if tested
        else "Of the training rows: the folder knows no test AUC along a fit."
    )
    thinned = f"Median over the folds, at no more than {points} of the stored passes."
    bands = f"Mean over the folds, at {points} points; the band goes from the lowest to the highest"
    notes = {
        "auc-seconds": (
            "AUC against time",
            f"{thinned} {of_rows}",
        ),
        "auc-passes": ("AUC against passes", f"{thinned} {of_rows}"),
        "gap": (
            "Gap of the objective against passes",
            f"{thinned} f* is the least objective that any fit of the same problem has reached; a "
            "fit that has reached it leaves the figure.",
        ),
        "roc": ("ROC curves", f"{bands} fold."),
        "pr": ("Precision and recall", f"{bands} fold."),
        "sparsity": (
            f"{findings.measure} against sparsity",
            "Of the test rows. The grey line joins the solvers that no other one beats in both.",
        ),
        "speed": (
            f"{findings.measure} against the time of a fit",
            "Likewise, with the median time of a fit.",
        ),
        "profile-seconds": (
            "Performance profiles by time",
            "Share of the data sets on which a solver reaches the target within a multiple of the "
            "time of the fastest one. A solver that never does, and one with a failed cell, counts "
            "as a data set that it does not reach.",
        ),
        "profile-passes": ("Performance profiles by passes", "Likewise, by passes over the rows."),
        "tuning": (
            "Tuning",
            "Mean AUC of the inner folds at each point that was tried, brighter is higher; points "
            "with a ring were chosen.",
        ),
    }
    if data["info"]["names"]:
        note = "What the methods themselves report along a fit; nobody has checked it."
        if left := data["info"]["left_out"]:
            note += f" {left} diagnostics are left out of this page, to keep it small."
        notes["info-passes"] = ("Diagnostics against passes", f"{thinned} {note}")
        notes["info-seconds"] = ("Diagnostics against time", "Likewise.")
    return tuple(Figure(name, title, note) for name, (title, note) in notes.items())


def _failures_note(evidence: Evidence) -> str:
    failed = {name: n for name, n in evidence.counts.items() if name not in ("ok", "not run yet")}
    if not failed:
        return "All cells that were run have an AUC."
    total = sum(failed.values())
    kinds = ", ".join(f"{n} {name}" for name, n in failed.items())
    return (
        f"{total} cells have no AUC: {kinds}. Cells of one reason are together; `aucbench log` "
        "prints the traceback of each."
    )


def _failures(evidence: Evidence) -> tuple[Failure, ...]:
    kinds: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
    for (dataset, solver), group in evidence.groups.items():
        for fit in group.failed:
            kinds.setdefault((solver, str(fit.status), fit.why), []).append(
                (evidence.datasets[dataset], fit.log)
            )
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


def _few(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _convergence(evidence: Evidence) -> str:
    rows = [
        (evidence.solvers[j], evidence.datasets[i], Ends.of(*evidence.convergence(i, j)))
        for (i, j), group in evidence.groups.items()
        if group.ok
    ]
    return "\n".join(end_notes(rows))


def _environment(evidence: Evidence) -> Iterable[tuple[str, str]]:
    for condition in evidence.conditions:
        yield "ran on", str(condition)
    for versions, cells_with in evidence.versions.items():
        yield f"{cells_with} cells with", versions


def _commands_note(evidence: Evidence) -> str:
    if not evidence.plans:
        return "The folder holds no plan."
    return (
        "Save the text of a plan under its name and run the command beside it. Plans hold all "
        "settings; what `compare` was given is a plan too."
    )


def _plans(evidence: Evidence, folder: str) -> tuple[PlanText, ...]:
    return tuple(
        PlanText(name, shlex.join(["aucbench", "run", name, "--out", folder]), text)
        for name, text in evidence.plans.items()
    )


def _methods(findings: Findings) -> tuple[str, ...]:
    settings = findings.settings
    methods = [
        "Intervals inside a data set: "
        + "; ".join(sorted({row.known.delong.method for row in findings.rows if row.known}))
        + ". Over splits: corrected resampled t (Nadeau and Bengio).",
        f"Region of practical equivalence: ± {settings.rope:g} of the {findings.measure}; "
        f"level {settings.level:g}.",
        "Every planned cell counts. A failed one leaves its solver without a value on the data "
        "set, which counts as the worst rank.",
        f"Numbers of figures have {DIGITS} significant digits, rates of ROC and precision-recall "
        "curves 4 decimals.",
    ]
    return tuple(methods)
