"""The leaderboard of a page and its matrix of pairs, with the sentences about them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.report.findings import Findings
from aucbench.report.inside import Row
from aucbench.stats.pairs import Pair
from aucbench.stats.ranking import Standing
from aucbench.stats.words import Interval, Word

Vector = NDArray[np.float64]
SIGNS = {Word.BETTER: "▲", Word.WORSE: "▼", Word.EQUIVALENT: "=", Word.UNCLEAR: "·"}
MATRIX_LEGEND = (
    "▲ better, ▼ worse, = equivalent, · not distinguishable. The second line counts the data sets "
    "on which the solver of the row is ahead, level, and behind.",
)


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


def direction(findings: Findings) -> str:
    """Return a sentence where a smaller value is better; else nothing."""
    return f" A smaller {findings.measure} is better." if findings.smaller else ""


def board_note(findings: Findings) -> str:
    """Return what the leaderboard is over."""
    n = len(findings.evidence.finished)
    if n == 1:
        return (
            f"One data set: the {findings.measure} of the test rows with its "
            f"{findings.settings.level:.0%} interval.{direction(findings)}"
        )
    return (
        f"Over {n} data sets, each with the same weight. Intervals are of "
        f"{findings.settings.level:.0%}, by a bootstrap over the data sets.{direction(findings)}"
    )


def board_columns(findings: Findings) -> tuple[Column, ...]:
    """Return its columns; ranks and ratings take several data sets."""
    names = [f"mean {findings.measure}"]
    if len(findings.evidence.finished) != 1:
        names += ["average rank", "rating"]
    names += ["fit s", "non-zeros", "no value", "ok"]
    return (Column("solver", number=False), *map(Column, names))


def board_legend(findings: Findings) -> tuple[str, ...]:
    """Return what its columns mean."""
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


def board(findings: Findings) -> Iterable[Line]:
    """Yield its lines, the recommended solver first."""
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


def matrix_note(findings: Findings) -> str:
    """Return how the verdicts of the matrix come about."""
    return (
        f"Mean difference of the {findings.measure} over the data sets, and a verdict by "
        f"Wilcoxon's signed-rank test with Holm's adjustment for {len(findings.pairs)} pairs. P is "
        "of the Bayesian signed-rank test. Differences within "
        f"± {findings.settings.rope:g} are practically zero. Unlike ranks, a pair does not depend "
        "on the other solvers, but for this adjustment."
    )


def matrix(findings: Findings) -> tuple[MatrixLine, ...]:
    """Return the verdict on each solver against each other one."""
    both = findings.pairs_both_ways
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
