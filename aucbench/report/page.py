"""The text of a page: its sentences and tables.

Here digits and words are chosen; every number comes from `Findings`.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.show.endings import Ends, end_notes
from aucbench.bench.text import shown
from aucbench.report.added import Added, cells, numeric
from aucbench.report.drawn import DIGITS, drawn
from aucbench.report.evidence import Evidence
from aucbench.report.findings import Findings
from aucbench.report.inside import Row
from aucbench.report.pace import SHARES
from aucbench.sections import Chart, Table
from aucbench.stats.pairs import Pair
from aucbench.stats.ranking import Standing
from aucbench.stats.words import Interval, Word

Vector = NDArray[np.float64]
LOG = 4000  # last characters of a log
FAILURES = 100  # different ones that are listed
SIGNS = {Word.BETTER: "▲", Word.WORSE: "▼", Word.EQUIVALENT: "=", Word.UNCLEAR: "·"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the leaderboard."""

    name: str
    number: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the leaderboard: the value it is sorted by, what is shown, and an interval."""

    value: str
    text: str
    range: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the leaderboard."""

    solver: int
    leading: bool
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What the solver of the row is compared with that of the column."""

    word: str
    sign: str
    effect: str
    record: str
    test: str


@dataclass(frozen=True, slots=True)
class MatrixLine:
    """A line of the matrix; None on the diagonal."""

    solver: int
    cells: tuple[MatrixCell | None, ...]


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
class Part:
    """A paragraph, a table or a chart of a section of a plugin; one of them."""

    text: tuple[str, ...] = ()
    header: tuple[Column, ...] = ()
    lines: tuple[tuple[Entry, ...], ...] = ()
    chart: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class AddedSection:
    """A section of a plugin."""

    id: str
    title: str
    origin: str
    parts: tuple[Part, ...]


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
    added: tuple[AddedSection, ...]
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
            *((one.id, one.title) for one in self.added),
            ("failures", "Failures"),
            ("environment", "Environment"),
            ("commands", "Commands"),
            ("methods", "Methods"),
        )
        return [(name, text) for name, text in known if name != "pairs" or self.matrix]


def page_of(findings: Findings, *, folder: str, added: Added = ()) -> Page:
    """Choose words and digits.

    Parameters
    ----------
    findings : Findings
        All numbers.
    folder : str
        Name of the results folder, for the commands.
    added : sequence of (str, Section)
        Sections of plugins, see `aucbench.report.added.signed`.
    """
    evidence = findings.evidence
    data = {**drawn(findings), "added": charts_of(added)}
    return Page(
        title=f"aucbench: {folder}",
        facts=_facts(evidence),
        solvers=evidence.solvers,
        answer=findings.advice.sentences,
        warnings=tuple(_warnings(findings)),
        board_note=_board_note(findings),
        board_columns=_board_columns(findings),
        board=tuple(_board(findings)),
        board_legend=_board_legend(findings),
        matrix_note=_matrix_note(findings),
        matrix=_matrix(findings) if len(evidence.finished) > 1 else (),
        matrix_legend=MATRIX_LEGEND,
        table_note=(
            f"{findings.measure} of the test rows: its mean over the splits and the "
            f"{findings.settings.level:.0%} interval for other test rows; then the one over "
            "splits, which covers other training rows too. Median time of a fit, mean number of "
            f"non-zero weights.{_direction(findings)}"
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
        added=tuple(laid_out(added)),
        data=data,
    )


def charts_of(added: Added) -> list[dict[str, Any]]:
    """Return the charts of sections as the scripts draw them."""
    return [_chart(part) for _, one in added for part in one.parts if isinstance(part, Chart)]


def laid_out(added: Added) -> Iterable[AddedSection]:
    """Yield sections as the templates show them; their charts are numbered through."""
    charts = count()
    for number, (byline, section) in enumerate(added):
        parts = tuple(_part(part, charts) for part in section.parts)
        yield AddedSection(f"added-{number}", section.title, byline, parts)


def _part(part: str | Table | Chart, charts: Iterator[int]) -> Part:
    if isinstance(part, Chart):
        return Part(chart=next(charts), title=part.title)
    if isinstance(part, Table):
        numbers = numeric(part)
        header = tuple(Column(name, number=j in numbers) for j, name in enumerate(part.header))
        values = zip(part.rows, cells(part), strict=True)
        return Part(header=header, lines=tuple(_entries(row, texts) for row, texts in values))
    return Part(text=tuple(part.splitlines()))


def _entries(row: Sequence[str | float | None], texts: Sequence[str]) -> tuple[Entry, ...]:
    known = ("" if value is None else str(value) for value in row)
    return tuple(Entry(value, text) for value, text in zip(known, texts, strict=True))


def _chart(chart: Chart) -> dict[str, Any]:
    """Return a chart as the scripts draw it."""
    names = {"title": shown(chart.title), "x": shown(chart.x), "y": shown(chart.y)}
    lines = [[shown(name), *line] for name, line in chart.lines.items()]
    return {**names, "log_x": chart.log_x, "log_y": chart.log_y, "lines": lines}


def _direction(findings: Findings) -> str:
    return f" A smaller {findings.measure} is better." if findings.smaller else ""


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
MATRIX_LEGEND = (
    "▲ better, ▼ worse, = equivalent, · not distinguishable. The second line counts the data sets "
    "on which the solver of the row is ahead, level, and behind.",
)
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


def _board_note(findings: Findings) -> str:
    n = len(findings.evidence.finished)
    if n == 1:
        return (
            f"One data set: the {findings.measure} of the test rows with its "
            f"{findings.settings.level:.0%} interval.{_direction(findings)}"
        )
    return (
        f"Over {n} data sets, each with the same weight. Intervals are of "
        f"{findings.settings.level:.0%}, by a bootstrap over the data sets.{_direction(findings)}"
    )


def _board_columns(findings: Findings) -> tuple[Column, ...]:
    names = [f"mean {findings.measure}"]
    if len(findings.evidence.finished) != 1:
        names += ["average rank", "rating"]
    names += ["fit s", "non-zeros", "no value", "ok"]
    return (Column("solver", number=False), *map(Column, names))


def _board_legend(findings: Findings) -> tuple[str, ...]:
    several = len(findings.evidence.finished) != 1
    return (
        "★ not worse than the recommended solver.",
        *(
            (
                "Rating: Bradley–Terry on the scale of Elo, mean 1000; 400 points are odds of 10 "
                "to 1 to be ahead on a data set by more than the region of equivalence. A data set "
                "without a value counts as lost and as the worst rank.",
            )
            if several
            else ()
        ),
        "fit s: shifted geometric mean (shift 1 s) of the times of a fit over the data sets with a "
        "value. non-zeros: median over them. no value: data sets on which a cell failed.",
    )


def _board(findings: Findings) -> Iterable[Line]:
    evidence = findings.evidence
    values, nnz = findings.values, findings.nonzeros
    only = {row.solver: row for row in findings.rows if evidence.finished == (row.dataset,)}
    for j in findings.order:
        known = ~np.isnan(values[:, j])
        mean = float(values[known, j].mean()) if known.any() else math.nan
        groups = [group for (_, solver), group in evidence.groups.items() if solver == j]
        entries = [_auc_entry(only[j])] if j in only else [_entry(mean, f"{mean:.4f}")]
        if len(evidence.finished) != 1:
            entries += [
                _standing(findings.ranks[j], "{:.2f}"),
                _standing(findings.ratings[j], "{:.0f}"),
            ]
        time = findings.mean_seconds[j]
        middle = _median(nnz[:, j])
        failed = int((~known).sum())
        ok = sum(len(group.ok) for group in groups)
        planned = sum(group.planned for group in groups)
        entries += [
            _entry(time, f"{time:.3g}"),
            _entry(middle, f"{middle:.4g}"),
            Entry(str(failed), str(failed)),
            Entry(str(ok), f"{ok}/{planned}"),
        ]
        yield Line(j, j in findings.leading, tuple(entries))


def _median(values: Vector) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else math.nan


def _entry(value: float, text: str) -> Entry:
    return Entry("", "–") if math.isnan(value) else Entry(repr(value), text)


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


def _matrix_note(findings: Findings) -> str:
    return (
        f"Mean difference of the {findings.measure} over the data sets, and a verdict by "
        f"Wilcoxon's signed-rank test with Holm's adjustment for {len(findings.pairs)} pairs. P is "
        "of the Bayesian signed-rank test. Differences within "
        f"± {findings.settings.rope:g} are practically zero. Unlike ranks, a pair does not depend "
        "on the other solvers, but for this adjustment."
    )


def _matrix(findings: Findings) -> tuple[MatrixLine, ...]:
    names = findings.evidence.solvers
    number = {name: j for j, name in enumerate(names)}
    both = {(number[p.a], number[p.b]): p for p in findings.pairs}
    both |= {(number[p.b], number[p.a]): p.flipped() for p in findings.pairs}
    return tuple(
        MatrixLine(a, tuple(None if a == b else _matrix_cell(both[a, b]) for b in findings.order))
        for a in findings.order
    )


def _matrix_cell(pair: Pair) -> MatrixCell:
    word = pair.word
    bayes = pair.sign_test
    return MatrixCell(
        word=str(word),
        sign=SIGNS[word],
        effect="–" if math.isnan(pair.mean) else f"{pair.mean:+.4f}",
        record=f"{pair.wins} / {pair.ties} / {pair.losses}",
        test=f"p {_p(pair.holm)}; P(better) {_p(bayes.better)}, P(equivalent) "
        f"{_p(bayes.equivalent)}",
    )


def _p(p: float) -> str:
    return "–" if math.isnan(p) else f"{p:.2g}" if p >= 0.001 else "< .001"


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
