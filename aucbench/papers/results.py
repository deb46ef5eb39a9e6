"""What was measured for an experiment: the records of its cells and the results of its jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import nan
from typing import Any

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.datasets.simulated import true_scores
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.papers.measuring import Measured
from aucbench.papers.parts import AUC, Line
from aucbench.registry import Spec, get_dataset
from aucbench.stats.vectors import Vector
from aucbench.stats.words import ROPE

TRUNCATION = 1e-3  # weights up to this size count as 0, as in the SHT-AUC paper
TRUNCATED = f"[below={TRUNCATION}]"
TRUTH, SECONDS = "above-truth", "seconds"
SIMULATED = ("linear", "radial")  # data sets whose true scores are known


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a cell."""

    title: str  # for people, with its unit
    read: Callable[[Record, Store], float]  # NaN where the cell has none
    smaller: bool = False  # whether a smaller value is better
    rope: float = ROPE  # differences up to this size are practically zero
    digits: int = 4  # decimals that are shown of a value up to 1
    elsewhere: str = ""  # why it cannot be compared with that of a paper


def _measured(name: str) -> Callable[[Record, Store], float]:
    def read(record: Record, _: Store) -> float:
        value = getattr(record.measures, name)
        return nan if value is None else float(value)

    return read


def _of_support(
    share: Callable[[int, int, int], float], below: float
) -> Callable[[Record, Store], float]:
    def read(record: Record, store: Store) -> float:
        arrays = store.scores(record.id, record.sizes.data) or {}
        if "w" not in arrays or "relevant" not in arrays:
            return nan
        found, relevant = {*np.flatnonzero(np.abs(arrays["w"]) > below)}, {*arrays["relevant"]}
        return share(len(found & relevant), len(found), len(relevant))

    return read


def above_truth(record: Record, store: Store) -> float:
    """Return the test AUC minus the AUC of the true scores on the same rows; NaN without these.

    A model is compared with the truth on the same rows, so that the chance of drawing these rows
    does not count. Of 25 000 test rows that chance alone moves an AUC by 0.002, and most models
    are nearer to the truth than that.

    Raises
    ------
    DataError
        When the labels that were kept are not those that the simulation draws.
    """
    if record.measures.auc is None or record.cell.dataset.name not in SIMULATED:
        return nan
    arrays = store.scores(record.id, record.sizes.data)
    if arrays is None or "y" not in arrays:
        return nan
    rows, y = (np.asarray(arrays[name], np.int32).tobytes() for name in ("rows", "y"))
    return float(record.measures.auc) - _true_auc(record.cell.dataset, rows, y)


@lru_cache(maxsize=1024)  # the solvers of a split share it
def _true_auc(dataset: Spec, rows: bytes, y: bytes) -> float:
    data = get_dataset(dataset)
    numbers, labels = np.frombuffer(rows, np.int32), np.frombuffer(y, np.int32)
    if not np.array_equal(data.y[numbers], labels):
        raise DataError(f"{dataset} no longer draws the rows of the results; run into a new folder")
    return auc(labels, true_scores(dataset.name, data.rows.matrix[numbers]))


# Of the numbers of features that are both found and relevant, that are found, and are relevant.
_SUPPORT: dict[str, tuple[str, Callable[[int, int, int], float]]] = {
    "f1": ("support F1", lambda both, found, relevant: 2 * both / (found + relevant)),
    "jaccard": (
        "Jaccard index of the support",
        lambda both, found, relevant: both / (found + relevant - both),
    ),
    "precision": (
        "share of the found features that are relevant",
        lambda both, found, _: both / max(1, found),
    ),
    "recall": (
        "share of the relevant features that are found",
        lambda both, _, relevant: both / relevant,
    ),
}
MEASURES: dict[str, Measure] = {
    AUC: Measure("test AUC", _measured("auc")),
    TRUTH: Measure("test AUC minus that of the true scores", above_truth, rope=1e-4, digits=6),
    SECONDS: Measure(
        "seconds of a fit",
        _measured("fit_seconds"),
        smaller=True,
        rope=0.0,
        elsewhere="times of another machine and another language",
    ),
    "nnz": Measure("non-zero weights", _measured("nnz"), smaller=True, rope=0.5),
    **{
        f"support-{name}{words}": Measure(title, _of_support(share, below))
        for name, (title, share) in _SUPPORT.items()
        for words, below in (("", 0.0), (TRUNCATED, TRUNCATION))
    },
}


@dataclass(frozen=True)
class Results:
    """What was measured: cells that were run so far, their scores, and measurements by name."""

    records: Mapping[Cell, Record]
    store: Store
    measured: Mapping[str, Measured] = field(default_factory=dict)

    def rows(self, names: Iterable[str]) -> list[Mapping[str, Any]]:
        """Return the "rows" in the results of some measurements, as far as these have any."""
        known = (self.measured[name].result for name in names if name in self.measured)
        return [row for result in known if result is not None for row in result["rows"]]

    @property
    def failures(self) -> dict[str, str]:
        """Why measurements have no result, by name."""
        return {name: one.why for name, one in self.measured.items() if one.result is None}

    def of(self, line: Line) -> list[Record]:
        """Return the records of a line, in the order of data sets, repeats and splits."""
        rest = (line.choice, line.features)
        return [r for dataset in line.datasets for r in self._by_line.get((dataset, *rest), ())]

    @cached_property
    def _by_line(self) -> dict[tuple[Any, ...], list[Record]]:
        """The records by data set, solver, tuning and feature map, which many lines ask for."""
        groups: dict[tuple[Any, ...], list[Record]] = {}
        for c, record in self.records.items():
            groups.setdefault((c.dataset, c.choice, c.features), []).append(record)
        for group in groups.values():
            group.sort(key=lambda record: (record.cell.repeat, record.cell.split))
        return groups

    def values(self, line: Line, measure: str = AUC) -> Vector:
        """Return a measure for each cell of a line; NaN where the cell failed."""
        truncated = f"{measure}{TRUNCATED}" if line.truncated else measure
        read = MEASURES.get(truncated, MEASURES[measure]).read
        return np.array([read(r, self.store) if r.ok else nan for r in self.of(line)], np.float64)

    def ratio(self, line: Line) -> float:
        """Test rows divided by training rows of a split, median; NaN when no cell is ok."""
        sizes = [(r.sizes.n_test or 0, r.sizes.n_train or 0) for r in self.of(line) if r.ok]
        return float(np.median([test / train for test, train in sizes])) if sizes else nan

    def repeats(self, line: Line) -> int:
        """How often the splits of a line go over the same rows; 1 when there is no cell."""
        return len({r.cell.repeat for r in self.of(line)}) or 1

    def curves(
        self, line: Line, x: str = "passes", y: str = "test_auc"
    ) -> list[tuple[Vector, Vector]]:
        """Return x and y along the fit of each ok cell, without the points that have no y.

        x and y are keys of the points of a record, see docs/record.md.
        """
        each = [[p for p in r.curve if p.get(y) is not None] for r in self.of(line) if r.ok]
        return [(_column(points, x), _column(points, y)) for points in each]


def _column(points: Sequence[Mapping[str, Any]], name: str) -> Vector:
    return np.array([point[name] for point in points], dtype=np.float64)


def mean_of(values: Vector) -> float:
    """Return the mean of the values that are known; NaN without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


def by_cell(records: Iterable[Record]) -> dict[Cell, Record]:
    """Return records by their cells."""
    return {record.cell: record for record in records}
