"""What was measured for an experiment: the records of its cells and the results of its jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.cell import Cell
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.metrics.support import (
    support_f1,
    support_jaccard,
    support_precision,
    support_recall,
)
from aucbench.papers.measuring import Measured
from aucbench.papers.parts import AUC, Line
from aucbench.papers.truth import above_truth
from aucbench.stats.words import ROPE

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a cell.

    Attributes
    ----------
    title : str
        For people, with its unit.
    read : function (Record, Store) -> float
        NaN where the cell has none.
    smaller : bool
        Whether a smaller value is better.
    rope : float
        Differences up to this size are practically zero.
    digits : int
        Decimals that are shown of a value up to 1.
    elsewhere : str
        Why it cannot be compared with that of a paper; empty when it can.
    """

    title: str
    read: Callable[[Record, Store], float]
    smaller: bool = False
    rope: float = ROPE
    digits: int = 4
    elsewhere: str = ""


def _measured(name: str) -> Callable[[Record, Store], float]:
    def read(record: Record, _: Store) -> float:
        value = getattr(record.measures, name)
        return nan if value is None else float(value)

    return read


def _of_support(
    function: Callable[[Vector, Vector], float], below: float
) -> Callable[[Record, Store], float]:
    def read(record: Record, store: Store) -> float:
        kept = store.scores(record.id, record.sizes.data) or {}
        if "w" not in kept or "relevant" not in kept:
            return nan
        w = np.where(np.abs(kept["w"]) > below, kept["w"], 0.0)
        truth = np.isin(np.arange(w.size), kept["relevant"]).astype(np.float64)
        return function(w, truth)

    return read


def _support_measures() -> dict[str, Measure]:
    """Return the measures of the support by name, plain and with small weights taken as 0."""
    functions = {
        "f1": ("support F1", support_f1),
        "jaccard": ("Jaccard index of the support", support_jaccard),
        "precision": ("share of the found features that are relevant", support_precision),
        "recall": ("share of the relevant features that are found", support_recall),
    }
    return {
        f"support-{name}{said}": Measure(title, _of_support(function, below))
        for name, (title, function) in functions.items()
        for said, below in (("", 0.0), (TRUNCATED, TRUNCATION))
    }


TRUNCATION = 1e-3  # weights up to this size count as 0, as in the SHT-AUC paper
TRUNCATED = f"[below={TRUNCATION}]"
TRUTH = "above-truth"
ANOTHER_MACHINE = "times of another machine and another language"
MEASURES: dict[str, Measure] = {
    AUC: Measure("test AUC", _measured("auc")),
    TRUTH: Measure("test AUC minus that of the true scores", above_truth, rope=1e-4, digits=6),
    "seconds": Measure(
        "seconds of a fit",
        _measured("fit_seconds"),
        smaller=True,
        rope=0.0,
        elsewhere=ANOTHER_MACHINE,
    ),
    "nnz": Measure("non-zero weights", _measured("nnz"), smaller=True, rope=0.5),
    **_support_measures(),
}


@dataclass(frozen=True)
class Results:
    """What was measured.

    Attributes
    ----------
    records : mapping of Cell to Record
        Of the cells of the plans that were run so far.
    store : Store
        Which has the scores.
    measured : mapping of str to Measured
        The measurements that are no cells, by name.
    """

    records: Mapping[Cell, Record]
    store: Store
    measured: Mapping[str, Measured] = field(default_factory=dict)

    @property
    def documents(self) -> dict[str, Mapping[str, Any]]:
        """The results of measurements that are no cells, by name."""
        some = ((name, one.result) for name, one in self.measured.items())
        return {name: result for name, result in some if result is not None}

    @property
    def failures(self) -> dict[str, str]:
        """Why measurements have no result, by name."""
        return {name: one.why for name, one in self.measured.items() if one.result is None}

    def of(self, line: Line) -> list[Record]:
        """Return the records of a line, in the order of data sets, repeats and splits."""
        rest = (line.choice.spec, line.choice.tuning, line.features)
        return [r for dataset in line.datasets for r in self._by_line.get((dataset, *rest), ())]

    @cached_property
    def _by_line(self) -> dict[tuple[Any, ...], list[Record]]:
        """The records by data set, solver, tuning and feature map, which many lines ask for."""
        found: dict[tuple[Any, ...], list[Record]] = {}
        for c, record in self.records.items():
            found.setdefault((c.dataset, c.solver, c.tune, c.features), []).append(record)
        for some in found.values():
            some.sort(key=lambda record: (record.cell.repeat, record.cell.split))
        return found

    def values(self, line: Line, measure: str = AUC) -> Vector:
        """Return a measure for each cell of a line; NaN where the cell failed."""
        read = MEASURES[measure].read
        found = [read(r, self.store) if r.ok else nan for r in self.of(line)]
        return np.array(found, dtype=np.float64)

    def ratio(self, line: Line) -> float:
        """Test rows divided by training rows of a split, median; NaN when no cell is ok."""
        sizes = [(r.sizes.n_test or 0, r.sizes.n_train or 0) for r in self.of(line) if r.ok]
        return float(np.median([test / train for test, train in sizes])) if sizes else nan

    def curves(
        self, line: Line, x: str = "passes", y: str = "test_auc"
    ) -> list[tuple[Vector, Vector]]:
        """Return x and y along the fit of each ok cell, without the points that have no y.

        x and y are keys of the points of a record, see docs/record.md.
        """
        kept = [[p for p in r.curve if p.get(y) is not None] for r in self.of(line) if r.ok]
        return [(_column(points, x), _column(points, y)) for points in kept]


def _column(points: Sequence[Mapping[str, Any]], name: str) -> Vector:
    return np.array([point[name] for point in points], dtype=np.float64)


def by_cell(records: Iterable[Record]) -> dict[Cell, Record]:
    """Return records by their cells."""
    return {record.cell: record for record in records}
