"""What the statistics say of results, as one object of JSON."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import numpy as np

from aucbench.report.findings import Findings
from aucbench.report.notes import sentences
from aucbench.report.within import DatasetFindings, SolverFindings
from aucbench.stats.pairs import Pair
from aucbench.stats.within import PairWithin
from aucbench.stats.words import Difference


def verdict(findings: Findings) -> dict[str, Any]:
    """Return the answer, what is said of each solver and pair, and all values behind it.

    Where several folders were read, a solver has those that hold it as `folder`.
    A solver without a value on some data set has no `mean`, and its `mean_of_values` is over the
    others. What is not known is null: a number, or whether a solver may be the best of a data set
    inside which no pair was compared. Differences are a - b, in units of the measure. What a solver
    has of `best_set` is there where it is tested.
    """
    s, external = findings.settings, findings.frame.source.external
    return {
        "measure": findings.measure,
        "smaller_is_better": findings.smaller,
        "level": s.level,
        "state": "interim" if findings.state else "",
        "rope": s.rope,
        "answer": sentences(findings),
        "remarks": [] if external is None else [*external.remarks],
        "solvers": [_solver(findings, number) for number in findings.order],
        "pairs": [_pair(pair) for pair in findings.pairs],
        "against_reference": [_pair(pair) for pair in findings.advice.reference],
        "data_sets": [_data_set(findings, one) for one in findings.datasets],
    }


def verdict_json(findings: Findings) -> bytes:
    """Return the verdict in ASCII, which any reader of JSON takes."""
    return json.dumps(verdict(findings), allow_nan=False, indent=1).encode("ascii") + b"\n"


def _solver(findings: Findings, number: int) -> dict[str, Any]:
    name, best = findings.frame.solvers[number], findings.advice.best
    folders = findings.frame.source.folders
    mean = _number(findings.means[number].estimate)
    found = {
        "solver": name,
        **({"folder": folders[number]} if folders else {}),
        "possible_best": number in findings.leading,
        "mean": None if number in findings.partial else mean,
        "mean_of_values": mean,
        "average_rank": _number(findings.ranks[number].estimate),
        "data_sets_without_value": int(np.isnan(findings.values[:, number]).sum()),
    }
    if best is None or best.note:
        return found
    place = best.names.index(name)
    tested: dict[str, Any] = {"p": _number(best.p[place])}
    tested["adjusted_p"] = _number(best.adjusted_p[place])
    if (ranks := findings.advice.ranks) is not None:
        tested["ranks"] = [ranks.low[place], ranks.high[place]]
    return {**found, "certainly_behind": best.behind[place], **tested}


def _pair(pair: Pair) -> dict[str, Any]:
    counts = {"wins": pair.wins, "ties": pair.ties, "losses": pair.losses}
    return {**_difference(pair, pair.difference), **counts}


def _data_set(findings: Findings, one: DatasetFindings) -> dict[str, Any]:
    return {
        "data_set": findings.frame.datasets[one.dataset],
        "solvers": [_row(findings, row) for row in one.rows],
        "pairs": [_difference(pair, pair.verdict) for pair in one.pairs],
    }


def _row(findings: Findings, row: SolverFindings) -> dict[str, Any]:
    frame, interval = findings.frame, findings.interval(row)
    failed = frame.rows(row.dataset, row.solver, frame.failed)
    values = [] if row.within is None else row.within.values.tolist()
    return {
        "solver": frame.solvers[row.solver],
        "possible_best": row.leading if row.dataset in findings.compared else None,
        "estimate": _number(row.estimate),
        "low": interval and _number(interval.low),
        "high": interval and _number(interval.high),
        "values": [_number(value) for value in values],
        "why_without_value": sorted({*frame.facts["why"][failed]} - {""}),
    }


def _difference(pair: Pair | PairWithin, d: Difference) -> dict[str, Any]:
    """Return what is said of a pair; "open" says that a bound of 0 lies outside."""
    numbers = {"estimate": d.estimate, "low": d.low, "high": d.high, "p": d.p}
    return {
        "a": pair.a,
        "b": pair.b,
        "word": str(pair.word),
        **{name: _number(value) for name, value in numbers.items()},
        "method": d.method,
        "open": d.open,
        "adjusted_p": _number(pair.adjusted_p),
    }


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
