"""What the scripts of a page draw and list: columns of numbers, curves and points.

Columns are lists of one length, so that their names do not take space in each row. A number that is
not known is null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.show.endings import Ends
from aucbench.bench.text import shown
from aucbench.report.curves import front, learning_curve, tuning_table
from aucbench.report.evidence import Group
from aucbench.report.findings import Findings, LocalPair, Row
from aucbench.stats.roc import Band
from aucbench.stats.words import Word

UNIT = 10_000  # of rates on the page, which are whole numbers
DIGITS = 6  # significant ones of the numbers of a figure
SHOWN = 8  # solvers that the figures show at first
LOCAL_PAIRS = 60_000  # of all data sets; above, only those with a leading solver are on the page

Vector = NDArray[np.float64]


def drawn(findings: Findings) -> dict[str, Any]:
    """Return what the scripts show: columns of the table, curves and points."""
    evidence, rows = findings.evidence, findings.rows
    groups = [evidence.group(row.dataset, row.solver) for row in rows]
    timed = not findings.times
    notes = [*dict.fromkeys(row.auc.note for row in rows if row.auc.note)]
    number = {note: j for j, note in enumerate(notes)}
    seconds = np.array([group.median("seconds") if timed else math.nan for group in groups])
    nnz = np.array([group.mean("nnz") for group in groups])
    auc = np.array([row.auc.estimate for row in rows])
    return {
        "solvers": [shown(name) for name in evidence.solvers],
        "datasets": [{"name": shown(name)} for name in evidence.datasets],
        "measure": "AUC",
        "words": [str(word) for word in Word],
        "notes": notes,
        "unit": UNIT,
        "hidden": [*findings.order[SHOWN:]],
        "rows": {
            "dataset": [row.dataset for row in rows],
            "solver": [row.solver for row in rows],
            "estimate": _numbers(auc),
            "low": _numbers(row.auc.low for row in rows),
            "high": _numbers(row.auc.high for row in rows),
            "note": [number.get(row.auc.note) for row in rows],
            "rank": _numbers(row.rank for row in rows),
            "leading": [row.leading for row in rows],
            "seconds": _numbers(seconds),
            "nnz": _numbers(nnz),
            "ok": [len(group.ok) for group in groups],
            "planned": [group.planned for group in groups],
            "end": [Ends.of(*evidence.convergence(row.dataset, row.solver)).mark for row in rows],
        },
        "pairs": _pair_columns(findings),
        "curves": [_curve(findings, group, timed=timed) for group in groups],
        "roc": _bands([row.roc for row in rows]),
        "pr": _bands([row.pr for row in rows]),
        "fronts": {"nnz": _fronts(rows, nnz, auc), "seconds": _fronts(rows, seconds, auc)},
        "profile": {"name": "time divided by the best time", "of": _profile_lines(findings)},
        "tuning": [_tuning(group) for group in groups],
        "no_scores": "The folder has no scores with labels for this data set.",
        "no_times": findings.times or "No time is known.",
    }


def _pair_columns(findings: Findings) -> dict[str, list[Any]]:
    """Return the pairs inside data sets, the better solver first."""
    kept = [_better_first(pair) for pair in _kept_pairs(findings)]
    words = [*Word]
    return {
        "dataset": [pair.dataset for pair in kept],
        "a": [pair.a for pair in kept],
        "b": [pair.b for pair in kept],
        "effect": _numbers(pair.difference.effect for pair in kept),
        "low": _numbers(pair.difference.low for pair in kept),
        "high": _numbers(pair.difference.high for pair in kept),
        "p": _numbers(pair.holm for pair in kept),
        "word": [words.index(pair.word) for pair in kept],
    }


def _kept_pairs(findings: Findings) -> list[LocalPair]:
    pairs = [*findings.local_pairs]
    if len(pairs) <= LOCAL_PAIRS:
        return pairs
    leading = {(row.dataset, row.solver) for row in findings.rows if row.leading}
    return [p for p in pairs if {(p.dataset, p.a), (p.dataset, p.b)} & leading]


def _better_first(pair: LocalPair) -> LocalPair:
    return pair.flipped() if pair.difference.effect < 0 else pair


def _curve(findings: Findings, group: Group, *, timed: bool) -> dict[str, list[Any]] | None:
    found = learning_curve(group.ok, findings.evidence.optima, findings.points)
    if found is None:
        return None
    nothing: list[Any] = [None] * found.passes.size
    return {
        "passes": _numbers(found.passes),
        "seconds": _numbers(found.seconds) if timed else nothing,
        "auc": _numbers(found.train_auc),
        "gap": _numbers(found.gap),
    }


def _bands(bands: Sequence[Band | None]) -> dict[str, Any]:
    """Return the common x, and mean, low and high of each row in units of 1 / `UNIT`."""
    x = next((band.x for band in bands if band is not None), np.empty(0))
    return {
        "x": _numbers(x),
        "of": [
            None
            if band is None
            else [np.rint(UNIT * y).astype(int).tolist() for y in (band.mean, band.low, band.high)]
            for band in bands
        ],
    }


def _fronts(rows: Sequence[Row], cost: Vector, auc: Vector) -> dict[int, list[int]]:
    """Return the numbers of the rows on the Pareto front of each data set."""
    by_dataset: dict[int, list[int]] = {}
    for r, row in enumerate(rows):
        by_dataset.setdefault(row.dataset, []).append(r)
    return {
        dataset: [here[j] for j in front(cost[here], auc[here])]
        for dataset, here in by_dataset.items()
    }


def _profile_lines(findings: Findings) -> list[list[Any]]:
    """Return solver, x and y of each profile as steps, up to the largest ratio of any."""
    end = max((ratio for p in findings.profiles for ratio in p.ratios), default=1.0)
    lines = []
    for solver, profile in enumerate(findings.profiles):
        corners = np.unique([1.0, *profile.ratios])
        share = profile.share(corners)
        x = np.append(np.repeat(corners, 2)[1:], end)
        lines.append([solver, _numbers(x), _numbers(np.repeat(share, 2))])
    return lines


def _tuning(group: Group) -> dict[str, Any] | None:
    table = tuning_table(group)
    if table is None:
        return None
    return {
        "axes": [shown(name) for name in table.axes],
        "points": [[[*p.values], _number(p.auc), p.chosen] for p in table.points],
    }


def _numbers(values: Iterable[float]) -> list[float | int | None]:
    return [_number(value) for value in values]


def _number(value: float) -> float | int | None:
    """Return a number with `DIGITS` significant digits, whole ones without a point."""
    x = float(value)
    if not math.isfinite(x):
        return None
    rounded = float(f"{x:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
