"""Measures other than the AUC, from the scores and labels that a results folder keeps."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.bench.text import aligned
from aucbench.errors import DataError

if TYPE_CHECKING:  # SciPy and scikit-learn take a second to import
    from aucbench.stats import Measure

NOTHING = "-"
NO_SCORES = "the results folder does not hold its scores"
NO_LABELS = (
    "its scores have no labels beside them: the rows have error functions, or another run into "
    "this folder goes on"
)


class Metrics:
    """Takes the records of a run when it has ended, and measures their scores.

    Cells do not know of it: which measures are asked for changes neither them nor their ids.

    Parameters
    ----------
    store : Store
        Where the scores are.
    measures : sequence of Measure
        What to measure.
    """

    def __init__(self, store: Store, measures: Sequence[Measure]):
        self._store, self._measures = store, tuple(measures)
        self._groups: dict[tuple[str, str, str], tuple[array[float], ...]] = {}
        self._missing: dict[tuple[str, str], int] = {}  # by measure and reason

    def add(self, record: Record) -> dict[str, float | None]:
        """Return the measures of a record by name; None where there is none, see `notes`."""
        cell = record.cell
        found = self._store.scores(record.id) if record.ok else None
        values = [self._value(measure, record, found) for measure in self._measures]
        columns = self._groups.setdefault(
            (cell.dataset, cell.features, cell.label), tuple(array("d") for _ in values)
        )
        for column, value in zip(columns, values, strict=True):
            if value is not None:
                column.append(value)
        return dict(zip(self._names, values, strict=True))

    def table(self) -> str:
        """Mean ± standard deviation over the test folds, with a line for each solver."""
        lines = [(*key, *map(_text, columns)) for key, columns in self._groups.items()]
        header = ("data set", "features", "solver", *self._names)
        return aligned([header, *lines], right=range(3, len(header)))

    @property
    def _names(self) -> list[str]:
        return [measure.name for measure in self._measures]

    def notes(self) -> tuple[str, ...]:
        """Return why values of rows that have scores are missing."""
        return tuple(
            f"{name} is missing in {count} row(s): {why}"
            for (name, why), count in self._missing.items()
        )

    def _value(
        self, measure: Measure, record: Record, found: dict[str, NDArray[Any]] | None
    ) -> float | None:
        if not record.ok or measure.name == "auc":
            return record.measures.auc  # of a failed cell there is none; the table says why
        try:
            if found is None or "y" not in found:
                raise DataError(NO_SCORES if found is None else NO_LABELS)
            return measure(found["y"], found["scores"])
        except DataError as error:
            key = (measure.name, str(error))
            self._missing[key] = self._missing.get(key, 0) + 1
            return None


def _text(known: Sequence[float]) -> str:
    if not known:
        return NOTHING
    return f"{fmean(known):.4f}" + (f" ± {stdev(known):.4f}" if len(known) > 1 else "")
