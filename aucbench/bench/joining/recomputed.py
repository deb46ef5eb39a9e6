"""What of a cell is computed again from its scores and the targets of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.evaluation.measures import MOST_WEIGHTS
from aucbench.bench.joining.briefs import ALTERED, Brief, told
from aucbench.bench.joining.foreign import Foreign
from aucbench.bench.joining.here import Dealt
from aucbench.bench.results.record import Sizes
from aucbench.data import Categories
from aucbench.errors import AucbenchError, DataError
from aucbench.metrics.pairs import quality_of

EQUAL = 1e-9  # by which a measure may differ: the last digits of another library
CLOSE = 1e-6  # of the range of the scores: what rounding on another machine may do
WORD = 8  # bytes of a number
Arrays = Mapping[str, NDArray[Any]]


def require_data(where: str, brief: Brief, data: str) -> None:
    """Raise `DataError` where a cell was computed with other data than those of this machine.

    `data` is their hash, and `where` what to call the cell.
    """
    if brief.data not in (data, None) or (brief.ok and brief.data is None):
        raise DataError(
            f"{where}: it was computed with other data than {brief.cell.dataset} has here (hash "
            f"{brief.data}, here {data}); install the same version of what carries the data"
        )


def arrays_of(folder: Foreign, key: str, brief: Brief, dealt: Dealt) -> Arrays | None:
    """Return the scores of a cell, None where it failed.

    Raises
    ------
    DataError
        When its sizes are not those of the rows here, or its scores are not of these rows.
    """
    where = f"{folder.folder}: {brief.cell}"
    if dealt.refusal is not None:
        if brief.ok:
            raise DataError(f"{where}: its rows cannot be divided here: {dealt.refusal}")
        return None
    counted = dealt.counted(Sizes())
    for name, said in brief.sizes:
        here = getattr(counted, name)
        if said not in (here, None):
            raise DataError(f"{where}: {name} is {said} in its record, and {here} here; {ALTERED}")
    return _arrays(where, folder, key, brief, dealt) if brief.ok else None


def require_measures(where: str, brief: Brief, arrays: Arrays, dealt: Dealt) -> None:
    """Raise `DataError` unless the AUC of a record is that of its scores."""
    try:
        auc = quality_of(dealt.tested[1], arrays["scores"])
    except AucbenchError as error:
        raise DataError(f"{where}: its scores cannot be measured: {error}; {ALTERED}") from error
    for said, what in ((brief.auc, "the AUC"), (brief.last, "the AUC at the end of its curve")):
        if said is None and what != "the AUC":
            continue
        if not (isinstance(said, int | float) and abs(said - auc) <= EQUAL):
            raise DataError(
                f"{where}: {what} is {told(said)} in its record, and its scores give "
                f"{told(auc)}; {ALTERED}"
            )


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


def _arrays(where: str, folder: Foreign, key: str, brief: Brief, dealt: Dealt) -> Arrays:
    """Return the scores of a cell, which are of the rows that its split tests."""
    target, (rows, held) = dealt.target, dealt.tested
    each = (held.target.k,) if isinstance(held.target, Categories) else ()
    shape = (rows.size, *each)
    most = WORD * (int(np.prod(shape)) + rows.size + MOST_WEIGHTS * target.has_relevant)
    arrays = folder.scores(key, most)
    allowed = {"scores", "rows", *(["w"] if target.has_relevant else [])}
    if further := sorted(arrays.keys() - allowed):
        raise DataError(
            f"{where}: its scores come with {', '.join(map(repr, further))}, which is no part of "
            "a submission; let `aucbench submit` write the folder"
        )
    if lacking := sorted({"scores", "rows"} - arrays.keys()):
        raise DataError(f"{where}: its file of scores has no {lacking[0]}; {ALTERED}")
    if arrays["rows"].dtype.kind not in "iu" or not np.array_equal(arrays["rows"], rows):
        raise DataError(
            f"{where}: its scores are not of the rows that this split tests here, by seed "
            f"{brief.cell.seed}; {ALTERED}"
        )
    scores = arrays["scores"]
    if scores.dtype != np.float64 or scores.shape != shape or np.isnan(scores).any():
        wanted = " x ".join(map(str, shape))
        raise DataError(f"{where}: its scores are not {wanted} numbers of float64; {ALTERED}")
    if "w" in arrays:
        _require_weights(where, brief, arrays["w"])
    return arrays


def _require_weights(where: str, brief: Brief, w: NDArray[Any]) -> None:
    if w.dtype != np.float64 or w.ndim != 1 or not np.isfinite(w).all():
        raise DataError(f"{where}: its weights are no vector of finite numbers; {ALTERED}")
    if (nnz := int(np.count_nonzero(w))) != brief.nnz:
        raise DataError(
            f"{where}: nnz is {brief.nnz} in its record, and its weights say {nnz}; {ALTERED}"
        )
