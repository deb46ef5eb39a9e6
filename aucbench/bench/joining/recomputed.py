"""What of a cell is computed again from its scores and the targets of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.evaluation.measures import MOST_WEIGHTS, SLACK
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.joining.foreign import Foreign
from aucbench.bench.results.record import Record
from aucbench.data import Categories, Data
from aucbench.errors import AucbenchError, DataError
from aucbench.metrics.pairs import quality_of

EQUAL = 1e-9  # by which a measure may differ: the last digits of another library
CLOSE = 1e-6  # of the range of the scores: what rounding on another machine may do
TEST_AUC = "test_auc"  # of a point of a curve
WORD = 8  # bytes of a number
Arrays = Mapping[str, NDArray[Any]]
SECONDS = ("fit_seconds", "tune_seconds", "predict_seconds")


@dataclass(frozen=True, slots=True)
class Checked:
    """A cell whose numbers are as they must be; `arrays` are its scores, None if it failed."""

    record: Record
    arrays: Arrays | None


def checked(folder: Foreign, record: Record, data: str, target: KeptTarget) -> Checked:
    """Return a cell with the sizes that the rows of this machine have.

    `data` is the hash of its data set here, and `target` the target.

    Raises
    ------
    DataError
        When the data are others, or a number is not that which its scores give.
    """
    cell, sizes = record.cell, record.sizes
    where = f"{folder.folder}: {cell}"
    if sizes.data not in (data, None) or (record.ok and sizes.data is None):
        raise DataError(
            f"{where}: it was computed with other data than {cell.dataset} has here (hash "
            f"{sizes.data}, here {data}); install the same version of what carries the data"
        )
    if (refusal := target.refusal(cell)) is not None:
        if record.ok:
            raise DataError(f"{where}: its rows cannot be divided here: {refusal}")
        return Checked(record, None)
    rows, held = target.held(cell)
    counted = replace(
        sizes,
        n_train=target.learnt(cell).size,
        n_test=rows.size,
        division=target.kind(cell),
        weighted=target.weighted,
    )
    for name in ("n_train", "n_test", "weighted"):
        told, here = getattr(sizes, name), getattr(counted, name)
        if told not in (here, None):
            raise DataError(f"{where}: {name} is {told} in its record, and {here} here; {ALTERED}")
    if not record.ok:
        if record.measures.auc is not None:
            raise DataError(f"{where}: it failed, and has an AUC; {ALTERED}")
        return Checked(record, None)
    arrays = _arrays(folder, record, rows, held, target)
    _require_measures(where, record, arrays, held)
    _require_times(where, record)
    return Checked(replace(record, sizes=counted), arrays)


ALTERED = "the folder was altered, or another aucbench has written it; ask who sent it"


def close(first: Arrays | None, second: Arrays | None) -> bool:
    """Whether two cells have the same scores of the same rows, but for rounding."""
    if first is None or second is None:
        return first is second
    if not np.array_equal(first["rows"], second["rows"]):
        return False
    a, b = first["scores"], second["scores"]
    if a.shape != b.shape:
        return False
    with np.errstate(all="ignore"):
        spread = float(np.ptp(a[np.isfinite(a)])) if np.isfinite(a).any() else 0.0
        return bool(np.allclose(a, b, rtol=0.0, atol=CLOSE * spread))


def _arrays(
    folder: Foreign, record: Record, rows: NDArray[Any], held: Data, target: KeptTarget
) -> dict[str, NDArray[Any]]:
    """Return the scores of a cell, which are of the rows that its split tests."""
    where = f"{folder.folder}: {record.cell}"
    each = (held.target.k,) if isinstance(held.target, Categories) else ()
    shape = (rows.size, *each)
    most = WORD * (int(np.prod(shape)) + rows.size + MOST_WEIGHTS * target.has_relevant)
    arrays = folder.scores(record.id, most)
    allowed = {"scores", "rows", *(["w"] if target.has_relevant else [])}
    if further := sorted(arrays.keys() - allowed):
        raise DataError(
            f"{where}: its scores come with {', '.join(map(repr, further))}, which is no part of "
            "a submission; let `aucbench submit` write the folder"
        )
    if lacking := sorted({"scores", "rows"} - arrays.keys()):
        raise DataError(f"{where}: its file of scores has no {lacking[0]}; {ALTERED}")
    told, scores = arrays["rows"], arrays["scores"]
    if told.dtype.kind not in "iu" or not np.array_equal(told, rows):
        raise DataError(
            f"{where}: its scores are not of the rows that this split tests here, by seed "
            f"{record.cell.seed}; {ALTERED}"
        )
    if scores.dtype != np.float64 or scores.shape != shape or np.isnan(scores).any():
        wanted = " x ".join(map(str, shape))
        raise DataError(f"{where}: its scores are not {wanted} numbers of float64; {ALTERED}")
    if "w" in arrays:
        _require_weights(where, record, arrays["w"])
    return arrays


def _require_weights(where: str, record: Record, w: NDArray[Any]) -> None:
    if w.dtype != np.float64 or w.ndim != 1 or not np.isfinite(w).all():
        raise DataError(f"{where}: its weights are no vector of finite numbers; {ALTERED}")
    if (nnz := int(np.count_nonzero(w))) != record.measures.nnz:
        told = record.measures.nnz
        raise DataError(
            f"{where}: nnz is {told} in its record, and its weights say {nnz}; {ALTERED}"
        )


def _require_measures(where: str, record: Record, arrays: Arrays, held: Data) -> None:
    """Raise `DataError` unless the AUC of the record is that of the scores."""
    try:
        auc = quality_of(held, arrays["scores"])
    except AucbenchError as error:
        raise DataError(f"{where}: its scores cannot be measured: {error}; {ALTERED}") from error
    last = record.curve[-1].get(TEST_AUC) if record.curve else None
    for told, what in ((record.measures.auc, "the AUC"), (last, "the AUC at the end of its curve")):
        if told is None and what != "the AUC":
            continue
        if not (isinstance(told, int | float) and abs(told - auc) <= EQUAL):
            raise DataError(
                f"{where}: {what} is {_shown(told)} in its record, and its scores give "
                f"{_shown(auc)}; {ALTERED}"
            )


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
            f"{_shown(lived)} s; {ALTERED}"
        )


def _shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, int | float) else "missing"
