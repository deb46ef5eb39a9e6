"""What is said of a cell: how it ended, and its measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from aucbench.records import CellStatus


def about(meaning: str, unit: str = "") -> Any:
    """Field with its documentation; None is the value of what is not known."""
    return field(default=None, metadata={"meaning": meaning, "unit": unit})


def number(value: Any) -> float | None:
    """Return a plain finite number that a worker reports as a float, and None for all else."""
    if type(value) is float:  # nearly all are
        return value if isfinite(value) else None
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and isfinite(value) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a cell ended."""

    status: CellStatus = field(
        metadata={
            "meaning": "how the cell ended; see `CellStatus`",
            "unit": "",
        }
    )
    reason: str | None = about("why, in one sentence; empty for ok")
    error_type: str | None = about("class of the exception that ended it, if one did")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What the parent measured, and what the process that fits reports of itself."""

    auc: float | None = about("area under the ROC curve of the test rows, by the parent")
    nnz: int | None = about("non-zero weights without the intercept, by the parent", "weights")
    feasible: bool | None = about(
        "whether the weights lie in the set of the problem; asked of the plugin where the set is "
        "none of aucbench's"
    )
    objective: float | None = about("f(w) + Ω(w) on the training rows, as the fit reports it")
    objective_at_start: float | None = about(
        "f + Ω at w = 0, or at the start of the solver where 0 lies outside its set, as the fit "
        "reports it; empty where the weights are not meant to minimise it (early stopping)"
    )
    problem: str | None = about(
        "f + Ω as the fit reports it, such as PairwiseSquare + ElasticNet[l1=0.0,l2=0.01]; empty "
        "where f is not on all training rows, or has parameters that are no plain values"
    )
    gap: float | None = about("certified bound of objective less minimum, as the solver reports")
    passes: float | None = about("passes over the training rows, as the fit reports", "passes")
    passes_limit: float | None = about(
        "passes at which the fit was to end: those asked for, or else the solver's own, or 50; "
        "empty where only seconds limit it",
        "passes",
    )
    overspent: bool | None = about(
        "whether the fit used more than 1.1 times the passes or the seconds that it was given, as "
        "it reports; the last step of a method may be long"
    )
    stop: str | None = about(
        "why `solve` ended: the name of a `Stop`; in tables and exports DISPROVED in place of "
        "CERTIFIED, where another fit disproves the certificate"
    )
    fit_seconds: float | None = about("inside the solver, median of the fits", "s")
    cpu_seconds: float | None = about(
        "of all threads and ended child processes in a fit, without measuring its curve, median of "
        "the fits",
        "s",
    )
    fit_seconds_each: tuple[float, ...] | None = about("of each fit", "s")
    fit_seconds_spread: float | None = about("longest less shortest fit, of several", "s")
    tune_seconds: float | None = about("inside solvers and maps while tuning", "s")
    predict_seconds: float | None = about("scoring the test rows", "s")
    deterministic: bool | None = about("whether several fits gave equal weights")
    collapsed: bool | None = about(
        "true where w = 0 is certified to be the best in a range of the ROC curve, see "
        "[pairs](pairs.md)"
    )


@dataclass(frozen=True, slots=True)
class CellResult:
    """The status and the measures of a cell that has ended."""

    status: Status
    measures: Measures = field(default_factory=Measures)
    # A npz file for the store, with `scores` and `rows` (their numbers in the data set), when the
    # AUC counts; and with the weights `w`, see `measured`. It has no target: cells that still run
    # could read it there.
    scores: bytes | None = None
    # Test AUC at points of the curve, by their numbers; the last one is that of the cell.
    along: Mapping[int, float] = field(default_factory=dict)
