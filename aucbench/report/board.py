"""The leaderboard of a page and its matrix of pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aucbench.report.findings import Findings
from aucbench.report.inside import Row
from aucbench.stats.pairs import Pair
from aucbench.stats.ranking import Standing
from aucbench.stats.words import Interval, Word

SIGNS = {Word.BETTER: "▲", Word.WORSE: "▼", Word.EQUIVALENT: "=", Word.UNCLEAR: "·"}


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


def board(findings: Findings) -> tuple[Line, ...]:
    """Return its lines, the recommended solver first."""
    return tuple(
        Line(solver, solver in findings.leading, tuple(_entries(findings, solver)))
        for solver in findings.order
    )


def _entries(findings: Findings, j: int) -> list[Entry]:
    evidence = findings.evidence
    known = ~np.isnan(findings.values[:, j])
    if len(evidence.finished) == 1:
        rows = [row for row in findings.insides[evidence.finished[0]].rows if row.solver == j]
        first = [_auc_entry(row) for row in rows]
    else:
        mean = float(findings.values[known, j].mean()) if known.any() else math.nan
        ranks, ratings = findings.ranks[j], findings.ratings[j]
        first = [_entry(mean, ".4f"), _standing(ranks, "{:.2f}"), _standing(ratings, "{:.0f}")]
    nonzeros = findings.nonzeros[:, j]
    nonzeros = nonzeros[~np.isnan(nonzeros)]
    groups = [group for (_, solver), group in evidence.groups.items() if solver == j]
    failed = str(int((~known).sum()))
    ok, planned = (sum(x) for x in zip(*((len(g.ok), g.planned) for g in groups), strict=True))
    return [
        *first,
        _entry(findings.mean_seconds[j], ".3g"),
        _entry(float(np.median(nonzeros)) if nonzeros.size else math.nan, ".4g"),
        Entry(failed, failed),
        Entry(str(ok), f"{ok}/{planned}"),
    ]


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


def matrix(findings: Findings) -> Mapping[tuple[int, int], MatrixCell]:
    """Return the verdict on each solver against each other one, by their numbers."""
    return {place: _matrix_cell(pair) for place, pair in findings.pairs_both_ways.items()}


def _matrix_cell(pair: Pair) -> MatrixCell:
    bayes = pair.sign_test
    return MatrixCell(
        word=str(pair.word),
        sign=SIGNS[pair.word],
        effect="–" if math.isnan(pair.mean) else f"{pair.mean:+.4f}",
        record=f"{pair.wins} / {pair.ties} / {pair.losses}",
        test=f"p {_p(pair.holm)}; P(better) {_p(bayes.better)}, P(equivalent) "
        f"{_p(bayes.equivalent)}",
    )


def _p(p: float) -> str:
    return "–" if math.isnan(p) else f"{p:.2g}" if p >= 0.001 else "< .001"
