"""Measures other than the AUC, from the scores and labels that a results folder keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # SciPy and scikit-learn take a second to import
    from aucbench.stats import Measure
    from aucbench.stats.rows import Rows


def metrics_of(record: Record, store: Store, measures: Sequence[Measure]) -> dict[str, Any]:
    """Return measures of the stored scores of a record by name.

    Cells do not know of it: which measures are asked for changes neither them nor their ids. A
    value is None when the cell is not ok, when its scores have no labels beside them, or when
    there are too few rows for the measure.
    """
    needed = record.ok and any(measure.name != "auc" for measure in measures)
    arrays = store.scores(record.id, record.sizes.data) if needed else None
    return measured_values(arrays, measures)


def measured_values(
    arrays: Mapping[str, NDArray[Any]] | None, measures: Sequence[Measure]
) -> dict[str, Any]:
    """Return measures other than the AUC of arrays as `Store.scores` gives them.

    Where a metric of a plugin gives no value, `metric_failures` says why, by its name.
    """
    values: dict[str, Any] = {measure.name: None for measure in measures if measure.name != "auc"}
    failures: dict[str, str] = {}
    rows = None if arrays is None else _rows(arrays, values)
    for measure in measures:
        if measure.name not in values or rows is None:
            continue
        try:
            value = float(measure.values([rows])[0])
        except DataError:
            continue  # None; the table says why
        values[measure.name] = None if isnan(value) else value
        if why := measure.failure(rows):
            failures[measure.name] = why
    return {**values, "metric_failures": failures} if failures else values


def _rows(arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> Rows | None:
    """Return the test rows, if there is a measure of them."""
    from aucbench.metrics.rows import rows_of

    return rows_of(arrays) if values else None
