"""What the scripts of a page draw and list: columns of numbers, curves and points.

Columns are lists of one length, so that their names do not take space in each row. A number that is
not known is null.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from aucbench.bench.text import shown
from aucbench.kernels.vectors import Vector
from aucbench.report.curves import (
    SHARES,
    TARGETS,
    UNITS,
    LearningCurve,
    front,
    learning_curve,
)
from aucbench.report.evidence import Group
from aucbench.report.findings import Findings
from aucbench.report.inside import Inside, Row
from aucbench.stats.profiles import Profile
from aucbench.stats.roc import Band
from aucbench.stats.within import PairWithin
from aucbench.stats.words import Word

UNIT = 10_000  # of rates on the page, which are whole numbers
DIGITS = 6  # significant ones of the numbers of a figure
NEVER = -1  # stands for infinity, which JSON does not have
SHOWN = 8  # solvers that the figures show at first
LOCAL_PAIRS = 60_000  # of all data sets; above, only those with a leading solver are on the page

MOST_NAMES = 40  # diagnostics that the page lists
NUMBERS = 200_000  # of the curves of diagnostics
WIDE = 100.0  # ratio from which an axis is logarithmic


def drawn(findings: Findings) -> dict[str, Any]:
    """Return what the scripts show: columns of the table, curves and points."""
    evidence, rows = findings.evidence, findings.rows
    timed = not findings.times
    gains = np.array([-row.loss for row in rows])
    seconds = np.array([row.group.median("seconds") if timed else math.nan for row in rows])
    nonzeros = np.array([row.group.mean("nnz") for row in rows])
    curves = [learning_curve(row.group.ok, evidence.optima, findings.points) for row in rows]
    notes = {note: j for j, note in enumerate(dict.fromkeys(row.note for row in rows if row.note))}
    paces = [findings.paces[row.dataset, row.solver] for row in rows]
    delong = [row.known and row.known.delong for row in rows]
    splits = [*map(findings.over_splits, rows)]
    return {
        "solvers": [shown(name) for name in evidence.solvers],
        "datasets": [shown(name) for name in evidence.datasets],
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
            "ok": [len(row.group.ok) for row in rows],
            "planned": [row.group.planned for row in rows],
            "note": [notes.get(row.note) for row in rows],
            "seconds": _numbers(seconds),
            "nnz": _numbers(nonzeros),
            "end": [evidence.ends(row.dataset, row.solver).mark for row in rows],
            "anytime": _numbers(pace.anytime for pace in paces),
        },
        "never": NEVER,
        "targets": [*SHARES],
        "until": {
            unit: [[_until(getattr(pace, unit)[k]) for pace in paces] for k in range(len(TARGETS))]
            for unit in UNITS
        },
        "pairs": _pair_columns(findings),
        "curves": [_curve(findings, curve, timed=timed) for curve in curves],
        "info": _info(curves, timed=timed),
        "roc": _bands([row.roc for row in rows]),
        "pr": _bands([row.pr for row in rows]),
        "fronts": {
            "nnz": _fronts(rows, nonzeros, gains),
            "seconds": _fronts(rows, seconds, gains),
        },
        "profiles": {
            unit: [_profile_lines(findings.profiles[unit, target]) for target in TARGETS]
            for unit in UNITS
        },
        "tuning": [tuning(row.group) for row in rows],
    }


def _pair_columns(findings: Findings) -> dict[str, list[Any]]:
    few = sum(len(one.pairs) for one in findings.insides) <= LOCAL_PAIRS
    pairs = [
        (one.dataset, pair)
        for one in findings.insides
        for pair in (one.pairs if few else _of_leading(one))
    ]
    words, number = [*Word], findings.evidence.solvers.index
    return {
        "dataset": [i for i, _ in pairs],
        "a": [number(pair.a) for _, pair in pairs],
        "b": [number(pair.b) for _, pair in pairs],
        "effect": _numbers(pair.verdict.effect for _, pair in pairs),
        "low": _numbers(pair.verdict.low for _, pair in pairs),
        "high": _numbers(pair.verdict.high for _, pair in pairs),
        "p": _numbers(pair.p for _, pair in pairs),
        "word": [words.index(pair.word) for _, pair in pairs],
    }


def _of_leading(one: Inside) -> list[PairWithin]:
    leading = {row.known.name for row in one.rows if row.known is not None and row.leading}
    return [pair for pair in one.pairs if {pair.a, pair.b} & leading]


def _curve(
    findings: Findings, curve: LearningCurve | None, *, timed: bool
) -> dict[str, dict[str, list[Any]]] | None:
    """Return the curves by unit; without seconds where they are not compared."""
    if curve is None:
        return None
    by_unit = {"passes": curve.passes, **({"seconds": curve.seconds} if timed else {})}
    drawn = {
        unit: {"x": _numbers(one.x), "auc": _numbers(one.test_auc)} for unit, one in by_unit.items()
    }
    drawn["passes"]["gap"] = _numbers(curve.passes.gap)
    return drawn


def _info(curves: Sequence[LearningCurve | None], *, timed: bool) -> dict[str, Any]:
    """Return the diagnostics of the methods: their names, which need a logarithm, and the curves.

    Of a page with more than `NUMBERS` of their numbers, the names that most rows have stay.
    """
    count = Counter(name for curve in curves if curve for name in curve.passes.info)
    size = max((curve.passes.x.size + curve.seconds.x.size for curve in curves if curve), default=1)
    units = UNITS if timed else ("passes",)
    names: list[str] = []
    for name, _ in count.most_common(MOST_NAMES):
        if sum(count[other] for other in (*names, name)) * size <= NUMBERS or not names:
            names.append(name)
    return {
        "names": [shown(name) for name in names],
        "left_out": len(count) - len(names),
        "log": [
            _is_wide([c.passes.info[n] for c in curves if c and n in c.passes.info]) for n in names
        ],
        **{unit: [_told(curve, unit, names) for curve in curves] for unit in units},
    }


def _told(
    curve: LearningCurve | None, unit: str, names: Sequence[str]
) -> list[list[Any] | None] | None:
    """Return the diagnostics of a row by their numbers; None where it has none."""
    info = getattr(curve, unit).info if curve else {}
    return [_numbers(info[n]) if n in info else None for n in names] if info else None


def _is_wide(values: Sequence[Vector]) -> bool:
    """Whether all numbers are above 0, and the largest is `WIDE` times the smallest or more."""
    every = np.concatenate(values)
    known = every[~np.isnan(every)]
    return bool(known.size and known.min() > 0.0 and known.max() >= WIDE * known.min())


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


def _fronts(rows: Sequence[Row], cost: Vector, auc: Vector) -> dict[int, list[int]]:
    """Return the numbers of the rows on the Pareto front of each data set."""
    by_dataset: dict[int, list[int]] = {}
    for r, row in enumerate(rows):
        by_dataset.setdefault(row.dataset, []).append(r)
    return {
        dataset: [here[j] for j in front(cost[here], auc[here])]
        for dataset, here in by_dataset.items()
    }


def _profile_lines(profiles: Sequence[Profile]) -> list[list[Any]]:
    """Return solver, x and y of each profile as steps, up to the largest ratio of any.

    There are none where no solver reaches the target on any data set.
    """
    if not any(p.ratios for p in profiles):
        return []
    end = max(ratio for p in profiles for ratio in p.ratios)
    lines = []
    for solver, profile in enumerate(profiles):
        corners = np.unique([1.0, *profile.ratios])
        share = profile.share(corners)
        x = np.append(np.repeat(corners, 2)[1:], end)
        lines.append([solver, _numbers(x), _numbers(np.repeat(share, 2))])
    return lines


def tuning(group: Group) -> dict[str, Any] | None:
    """Return the points that were tried in the folds of a group; None when it was not tuned.

    Of each point: the parameters that vary, the mean inner AUC over the folds, and in how many of
    them it was chosen.
    """
    tried: dict[str, tuple[Mapping[str, Any], list[float]]] = {}
    for fit in group.ok:
        for parameters, auc in fit.tuned:
            tried.setdefault(_key(parameters), (parameters, []))[1].append(auc)
    chosen = Counter(_key(fit.chosen) for fit in group.ok if fit.chosen is not None)
    names = dict.fromkeys(name for parameters, _ in tried.values() for name in parameters)
    axes = [name for name in names if len({_key(p.get(name)) for p, _ in tried.values()}) > 1]
    if not axes:
        return None
    means = {
        key: float(np.mean(known))
        if (known := [auc for auc in aucs if not np.isnan(auc)])
        else math.nan
        for key, (_, aucs) in tried.items()
    }
    return {
        "axes": [shown(name) for name in axes],
        "points": [
            [[p.get(name) for name in axes], _number(means[key]), chosen[key]]
            for key, (p, _) in tried.items()
        ],
    }


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _until(value: float) -> float | int | None:
    """Return seconds or passes until a target, `NEVER` where it is never reached."""
    return NEVER if value == math.inf else _number(value)


def _numbers(values: Iterable[float]) -> list[float | int | None]:
    return [_number(value) for value in values]


def _number(value: float) -> float | int | None:
    """Return a number with `DIGITS` significant digits, whole ones without a point."""
    x = float(value)
    if not math.isfinite(x):
        return None
    rounded = float(f"{x:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
