"""What the scripts of a page draw and list: columns of numbers, curves and points.

Columns are lists of one length, so that their names do not take space in each row. A number that is
not known is null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from aucbench.errors import shown
from aucbench.metrics.roc import Band
from aucbench.report.curves import UNITS, MedianCurves, front
from aucbench.report.findings import Findings
from aucbench.report.within import DatasetFindings, SolverFindings
from aucbench.stats.vectors import Vector
from aucbench.stats.within import PairWithin
from aucbench.stats.words import Word

UNIT = 10_000  # of rates on the page, which are whole numbers
DIGITS = 6  # significant ones of the numbers of a figure
SHOWN = 8  # solvers that the figures show at first
LOCAL_PAIRS = 60_000  # of all data sets; above, only those with a leading solver are on the page
DIAGNOSTICS = 200_000  # numbers of their curves; above, only names that most rows have, or one
WIDE = 100.0  # ratio of the numbers of a diagnostic from which its axis is logarithmic


def drawn(findings: Findings) -> dict[str, Any]:
    """Return what the scripts show: columns of the table, curves and points."""
    frame, rows = findings.frame, findings.rows
    timed = not findings.times
    gains = np.array([-row.estimate if findings.smaller else row.estimate for row in rows])
    seconds = np.array(
        [frame.medians("seconds")[row.dataset, row.solver] if timed else math.nan for row in rows]
    )
    nonzeros = np.array([frame.means("nnz")[row.dataset, row.solver] for row in rows])
    medians = [_medians_of(findings, row, timed=timed) for row in rows]
    notes = {note: j for j, note in enumerate(dict.fromkeys(row.note for row in rows if row.note))}
    delong = [row.within and row.within.delong for row in rows]
    splits = [*map(findings.over_splits, rows)]
    return {
        "solvers": [shown(name) for name in frame.solvers],
        "datasets": [shown(name) for name in frame.datasets],
        "measure": findings.measure,
        "quality": findings.quality,
        "range": findings.range,
        "words": [str(word) for word in Word],
        "notes": [*notes],
        "unit": UNIT,
        "hidden": [*findings.order[SHOWN:]],
        "rows": {
            "dataset": [row.dataset for row in rows],
            "solver": [row.solver for row in rows],
            "estimate": _numbers(row.estimate for row in rows),
            "low": _numbers(x.low if x else math.nan for x in delong),
            "high": _numbers(x.high if x else math.nan for x in delong),
            "split_low": _numbers(x.low if x else math.nan for x in splits),
            "split_high": _numbers(x.high if x else math.nan for x in splits),
            "rank": _numbers(row.rank for row in rows),
            "leading": [row.leading for row in rows],
            "ok": [row.ok for row in rows],
            "planned": [row.planned for row in rows],
            "note": [notes.get(row.note) for row in rows],
            "seconds": _numbers(seconds),
            "nnz": _numbers(nonzeros),
            "end": [str(findings.ends[row.dataset, row.solver]) for row in rows],
        },
        "pairs": _pair_columns(findings),
        "curves": [*map(_curves, medians)],
        "diagnostics": _diagnostics(medians),
        "roc": _bands([row.roc for row in rows]),
        "pr": _bands([row.pr for row in rows]),
        "fronts": {
            "nnz": _fronts(rows, nonzeros, gains),
            "seconds": _fronts(rows, seconds, gains),
        },
    }


def _pair_columns(findings: Findings) -> dict[str, list[Any]]:
    few = sum(len(one.pairs) for one in findings.datasets) <= LOCAL_PAIRS
    pairs = [
        (one.dataset, pair)
        for one in findings.datasets
        for pair in (one.pairs if few else _of_leading(one))
    ]
    words, number = [*Word], findings.frame.solvers.index
    return {
        "dataset": [i for i, _ in pairs],
        "a": [number(pair.a) for _, pair in pairs],
        "b": [number(pair.b) for _, pair in pairs],
        "estimate": _numbers(pair.verdict.estimate for _, pair in pairs),
        "low": _numbers(pair.verdict.low for _, pair in pairs),
        "high": _numbers(pair.verdict.high for _, pair in pairs),
        "adjusted_p": _numbers(pair.adjusted_p for _, pair in pairs),
        "word": [words.index(pair.word) for _, pair in pairs],
    }


def _of_leading(one: DatasetFindings) -> list[PairWithin]:
    leading = {row.within.name for row in one.rows if row.within is not None and row.leading}
    return [pair for pair in one.pairs if {pair.a, pair.b} & leading]


def _medians_of(findings: Findings, row: SolverFindings, *, timed: bool) -> dict[str, MedianCurves]:
    """Return the curves of a row by unit; without seconds where they are not compared."""
    medians = {}
    for unit in UNITS if timed else ("passes",):
        one = findings.curves(row, unit)
        if one is not None:
            medians[unit] = one
    return medians


def _curves(medians: Mapping[str, MedianCurves]) -> dict[str, dict[str, list[Any]]]:
    drawn = {}
    for unit, one in medians.items():
        drawn[unit] = {"x": _numbers(one.x), "auc": _numbers(one.test_auc)}
        if unit == "passes":
            drawn[unit]["gap"] = _numbers(one.gap)
    return drawn


def _diagnostics(medians: Sequence[Mapping[str, MedianCurves]]) -> dict[str, Any]:
    """Return what the methods report along a fit, and how many names are left out."""
    known: dict[str, list[tuple[str, int, Vector]]] = {}
    for r, by_unit in enumerate(medians):
        for unit, one in by_unit.items():
            for name, values in one.info.items():
                known.setdefault(name, []).append((unit, r, values))
    names = sorted(known, key=lambda name: -len(known[name]))
    sizes = np.cumsum([sum(values.size for *_, values in known[name]) for name in names])
    kept = names[: max(1, int(np.searchsorted(sizes, DIAGNOSTICS, side="right")))]
    return {
        "left_out": len(names) - len(kept),
        "of": [_diagnostic(name, known[name]) for name in kept],
    }


def _diagnostic(name: str, columns: Sequence[tuple[str, int, Vector]]) -> dict[str, Any]:
    """Return a name, whether its axis is logarithmic, and its curves by unit and row."""
    every = np.concatenate([values for *_, values in columns])
    least, largest = np.nanmin(every), np.nanmax(every)
    return {
        "name": shown(name),
        "log": bool(least > 0.0 and largest >= WIDE * least),
        **{
            unit: {r: _numbers(values) for its, r, values in columns if its == unit}
            for unit in UNITS
        },
    }


def _bands(bands: Sequence[Band | None]) -> dict[str, Any]:
    """Return the common x, and mean, low and high of each row in units of 1 / `UNIT`."""
    x = next((band.x for band in bands if band is not None), np.empty(0))
    return {
        "x": _numbers(x),
        "of": [
            band
            and [np.rint(UNIT * y).astype(int).tolist() for y in (band.mean, band.low, band.high)]
            for band in bands
        ],
    }


def _fronts(rows: Sequence[SolverFindings], cost: Vector, auc: Vector) -> dict[int, list[int]]:
    """Return the numbers of the rows on the Pareto front of each data set."""
    by_dataset: dict[int, list[int]] = {}
    for r, row in enumerate(rows):
        by_dataset.setdefault(row.dataset, []).append(r)
    return {
        dataset: [here[j] for j in front(cost[here], auc[here])]
        for dataset, here in by_dataset.items()
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
