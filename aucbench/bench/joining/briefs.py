"""What a merge keeps of a record, and what it asks of one before any scores are read."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

from aucbench.bench.cell import Cell
from aucbench.bench.evaluation.measures import SLACK
from aucbench.bench.joining.origin_of import Said, said_by
from aucbench.bench.joining.public import require_released
from aucbench.bench.results.record import Record
from aucbench.errors import DataError

ALTERED = "the folder was altered, or another aucbench has written it; ask who sent it"
SECONDS = ("fit_seconds", "tune_seconds", "predict_seconds")
TEST_AUC = "test_auc"  # of a point of a curve


class Brief(NamedTuple):
    """What is kept of a record while others are read: all that its scores must agree with."""

    cell: Cell
    plugin: tuple[str, str] | None  # its distribution and version
    said: Said
    ok: bool
    data: str | None  # the hash of its data set
    sizes: tuple[tuple[str, Any], ...]  # those that can be counted again
    auc: float | None
    last: float | None  # AUC at the end of its curve
    nnz: int | None


def brief_of(record: Record) -> Brief:
    """Return what is kept of a record."""
    sizes, measures = record.sizes, record.measures
    return Brief(
        cell=record.cell,
        plugin=None if record.plugin is None else record.plugin[:2],
        said=said_by(record),
        ok=record.ok,
        data=sizes.data,
        sizes=tuple((name, getattr(sizes, name)) for name in ("n_train", "n_test", "weighted")),
        auc=measures.auc,
        last=record.curve[-1].get(TEST_AUC) if record.curve else None,
        nnz=measures.nnz,
    )


def require_honest(record: Record, folder: str) -> None:
    """Raise `DataError` where a record contradicts itself, or is of code that nobody can have."""
    require_released(record, folder)
    where = f"{folder}: {record.cell}"
    if record.ok:
        _require_times(where, record)
    elif record.measures.auc is not None:
        raise DataError(f"{where}: it failed, and has an AUC; {ALTERED}")


def told(value: Any) -> str:
    """Return a number of a record as a sentence has it."""
    return f"{value:.9g}" if isinstance(value, int | float) else "missing"


def _require_times(where: str, record: Record) -> None:
    """Raise `DataError` where a fit took longer than its process lived, as a run does."""
    lived = record.process.wall_seconds
    times = [getattr(record.measures, name) for name in SECONDS]
    if record.measures.fit_seconds_each:
        times[0] = sum(record.measures.fit_seconds_each)
    known = [0.0 if seconds is None else seconds for seconds in times]
    honest = all(isfinite(seconds) and seconds >= 0.0 for seconds in known)
    if not honest or (lived is not None and not sum(known) <= lived + SLACK):
        raise DataError(
            f"{where}: its record reports {sum(known):.3g} s of work, and its process lived "
            f"{told(lived)} s; {ALTERED}"
        )
