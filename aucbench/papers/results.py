"""The results of an experiment: measures and curves of each run of a line, from whatever ran it.

A run is a cell: a data set, a repeat and a split; or it is one of the measurements of a line. Lines
are compared run by run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aucbench.bench.cell import Cell, Choice
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.datasets.simulated import true_scores
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics import auc
from aucbench.papers.measuring import Measured, read_measurements
from aucbench.papers.parts import AUC, Experiment, Line, Plain, Published
from aucbench.registry import Spec, get_dataset
from aucbench.stats.vectors import Vector
from aucbench.stats.words import ROPE

TRUNCATION = 1e-3  # weights up to this size count as 0, as in the SHT-AUC paper
TRUTH, SECONDS = "above-truth", "seconds"
SIMULATED = ("linear", "radial")  # data sets whose true scores are known
NEAR = 0.05  # of the way of the objective to its end
ROUNDING = 1e-9  # a gap, or an excess of an objective, that is rounding
Run: TypeAlias = tuple[int, ...]
Series: TypeAlias = dict[Run, float]
Curve: TypeAlias = tuple[Vector, Vector]  # x and y along a fit


@dataclass(frozen=True, eq=False)
class Results:
    """The results of an experiment so far: records of cells, their scores, and measurements."""

    experiment: Experiment
    records: Mapping[Cell, Record]
    store: Store
    measured: Mapping[str, Measured] = field(default_factory=dict)  # by name

    def select(self, chosen: Plain) -> list[Line]:
        """Return the lines with some values; a list of values stands for each of them.

        The keys are `method`, `row`, and those that the file gives the lines besides.

        Raises
        ------
        UnknownNameError
            When there is no such method, or no line has such a key.
        """
        lines = self.experiment.lines
        methods, keys = {line.method for line in lines}, {"row"}.union(*(x.at for x in lines))
        wanted = {key: v if isinstance(v, list | tuple) else (v,) for key, v in chosen.items()}
        for method in wanted.pop("method", ()):
            if method not in methods:
                raise UnknownNameError("method", str(method), methods)
        for key in wanted:
            if key not in keys:
                raise UnknownNameError("key of a line", key, {"method", *keys})
        if "method" in chosen:
            methods &= {*_listed(chosen["method"])}
        return [
            line
            for line in lines
            if line.method in methods
            and all(value_of(line, key) in values for key, values in wanted.items())
        ]

    def published(self, line: Line, measure: str = AUC) -> Published | None:
        """Return the published number of a line."""
        asked = measure, line.method, line.row
        entries = self.experiment.entries
        found = (e.published for e in entries if (e.measure, e.line.method, e.line.row) == asked)
        return next(found, None)

    def of(self, line: Line) -> list[Record]:
        """Return the records of a line, in the order of data sets, repeats and splits."""
        return [*self._runs(line, line.choice).values()]

    def _runs(self, line: Line, choice: Choice | None) -> dict[Run, Record]:
        """Return the records of the rows and features of a line, and of a solver, by run."""
        return {
            (number, record.cell.repeat, record.cell.split): record
            for number, name in enumerate(line.datasets)
            for record in self._by_line.get((name, choice, line.features), ())
        }

    @cached_property
    def _by_line(self) -> dict[tuple[Any, ...], list[Record]]:
        """The records by data set, solver, tuning and feature map, which many lines ask for."""
        groups: dict[tuple[Any, ...], list[Record]] = {}
        for c, record in self.records.items():
            groups.setdefault((c.dataset, c.choice, c.features), []).append(record)
        for group in groups.values():
            group.sort(key=lambda record: (record.cell.repeat, record.cell.split))
        return groups

    def series(self, line: Line, measure: str = AUC) -> Series:
        """Return a measure for each run of a line; NaN if the run failed."""
        if line.choice is None:
            return self._measured_series(line, measure)
        read = find_measure(measure).read
        return {
            run: read(Fit(self, line, run, record)) if record.ok else nan
            for run, record in self._runs(line, line.choice).items()
        }

    def _measured_series(self, line: Line, measure: str) -> Series:
        """Return a value of the rows of measurements that are of a line."""
        series: Series = {}
        for number, name in enumerate(line.measurements):
            result = self.measured[name].result if name in self.measured else None
            for row in result["rows"] if result else ():
                words = {**line.at, "method": line.method}
                if all(words[key] == row[key] for key in row.keys() & words.keys()):
                    series[number,] = nan if row[measure] is None else float(row[measure])
        return series

    def values(self, line: Line, measure: str = AUC) -> Vector:
        """Return a measure for each run of a line; NaN if the run failed."""
        return np.array([*self.series(line, measure).values()], np.float64)

    def ratio(self, line: Line) -> float:
        """Test rows divided by training rows of a split, median; NaN if no cell is ok."""
        sizes = [(r.sizes.n_test or 0, r.sizes.n_train or 0) for r in self.of(line) if r.ok]
        return float(np.median([test / train for test, train in sizes])) if sizes else nan

    def repeats(self, line: Line) -> int:
        """How often the splits of a line go over the same rows; 1 if there is no cell."""
        return len({r.cell.repeat for r in self.of(line)}) or 1

    def curves(self, line: Line, y: str, x: str = "passes") -> dict[Run, Curve]:
        """Return x and y along the fit of each run that has some points.

        x and y are keys of the points of a record, see docs/record.md; `gap` has its positive
        points only. y may also be `excess`, the objective above its exact minimum, from the first
        pass on and as far as it is no rounding.
        """
        records = self._runs(line, line.choice)
        curves = {
            run: _curve(r, x, y if y != "excess" else "objective") for run, r in records.items()
        }
        if y == "gap":
            curves = {run: (at[gap > 0], gap[gap > 0]) for run, (at, gap) in curves.items()}
        elif y == "excess":
            ends = self.ends_of_minimum(line, "objective")
            curves = {
                run: _excess(curve, ends[run]) for run, curve in curves.items() if run in ends
            }
        return {run: curve for run, curve in curves.items() if curve[0].size}

    def ends_of_minimum(self, line: Line, y: str) -> Series:
        """Return the last value of y of the exact solver, or of the line itself if it has none."""
        records = self._runs(line, line.minimum or line.choice)
        curves = {run: _curve(record, "passes", y)[1] for run, record in records.items()}
        return {run: float(values[-1]) for run, values in curves.items() if values.size}


def value_of(line: Line, key: str) -> Any:
    """Return a value of a line: of its method, its row, its features, or one of the file."""
    own = {"method": line.method, "row": line.row, "features": str(line.features)}
    return own[key] if key in own else line.at.get(key)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def _curve(record: Record, x: str, y: str) -> Curve:
    points = [p for p in record.curve if p.get(y) is not None] if record.ok else []
    return tuple(np.array([p[name] for p in points], np.float64) for name in (x, y))  # type: ignore[return-value]


def _excess(curve: Curve, least: float) -> Curve:
    x, above = curve[0], curve[1] - least
    clear = (x >= 1) & (above > ROUNDING)
    return x[clear], above[clear]


def read_results(experiment: Experiment, store: Store) -> Results:
    """Return what a folder holds of an experiment; nothing is run, and nothing is looked up.

    Records count that were computed with other versions, and so do results of measurements. If a
    cell or a measurement has more than one, that with the last id counts.
    """
    wanted = {cell for plan in experiment.plans for cell in plan.cells()}
    records = index_records(r for r in store.records() if r.cell in wanted)
    kept = read_measurements(store.folder) if experiment.measurements else []
    measured = {
        asked.name: one
        for one in kept
        for asked in experiment.measurements
        if one.asked.plain == asked.plain
    }
    return Results(experiment, records, store, measured)


def index_records(records: Iterable[Record]) -> dict[Cell, Record]:
    """Return records by their cells."""
    return {record.cell: record for record in records}


def mean_of(values: Vector) -> float:
    """Return the mean of the values that are known; NaN without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


class Fit(NamedTuple):
    """A cell that ended well, and the line and the results that it belongs to."""

    results: Results
    line: Line
    run: Run
    record: Record


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a cell; `read` returns NaN if the cell has none."""

    title: str  # for people, with its unit
    read: Callable[[Fit], float]
    smaller: bool = False  # whether a smaller value is better
    rope: float = ROPE  # differences up to this size are practically zero
    digits: int = 4  # decimals that are shown of a value up to 1
    elsewhere: str = ""  # why it cannot be compared with that of a paper


def find_measure(name: str) -> Measure:
    """Return a measure by its name, such as `auc` or `auc-after[20]`.

    Raises
    ------
    UnknownNameError
        When there is no such measure.
    ParameterError
        When the number in brackets is none.
    """
    if name in MEASURES:
        return MEASURES[name]
    head, _, text = name.removesuffix("]").partition("[")
    if head not in AFTER or not text:
        raise UnknownNameError("measure", name, [*MEASURES, *(f"{x}[PASSES]" for x in AFTER)])
    try:
        passes = float(text)
    except ValueError as error:
        raise ParameterError(f"{name}: {text!r} is no number of passes") from error
    read = AFTER[head]
    return Measure(name, lambda fit: read(fit.record, passes))


def _of_record(name: str) -> Callable[[Fit], float]:
    def read(fit: Fit) -> float:
        value = getattr(fit.record.measures, name)
        return nan if value is None else float(value)

    return read


def _of_support(share: Callable[[int, int, int], float]) -> Callable[[Fit], float]:
    """Return a measure of the numbers of features that are found and relevant, found, relevant."""

    def read(fit: Fit) -> float:
        arrays = fit.results.store.scores(fit.record.id, fit.record.sizes.data) or {}
        if "w" not in arrays or "relevant" not in arrays:
            return nan
        below = TRUNCATION if fit.line.truncated else 0.0
        found, relevant = {*np.flatnonzero(np.abs(arrays["w"]) > below)}, {*arrays["relevant"]}
        return share(len(found & relevant), len(found), len(relevant))

    return read


def _above_truth(fit: Fit) -> float:
    """Return the test AUC minus the AUC of the true scores on the same rows; NaN without these.

    A model is compared with the truth on the same rows, so that the chance of drawing these rows
    does not count. Of 25 000 test rows that chance alone moves an AUC by 0.002, and most models
    are nearer to the truth than that.

    Raises
    ------
    DataError
        When the labels that were kept are not those that the simulation draws.
    """
    if fit.record.measures.auc is None or fit.record.cell.dataset.name not in SIMULATED:
        return nan
    arrays = fit.results.store.scores(fit.record.id, fit.record.sizes.data)
    if arrays is None or "y" not in arrays:
        return nan
    rows, y = (np.asarray(arrays[name], np.int32).tobytes() for name in ("rows", "y"))
    return float(fit.record.measures.auc) - _true_auc(fit.record.cell.dataset, rows, y)


@lru_cache(maxsize=1024)  # the solvers of a split share it
def _true_auc(dataset: Spec, rows: bytes, y: bytes) -> float:
    data = get_dataset(dataset)
    numbers, labels = np.frombuffer(rows, np.int32), np.frombuffer(y, np.int32)
    if not np.array_equal(data.y[numbers], labels):
        raise DataError(f"{dataset} no longer draws the rows of the results; run into a new folder")
    return auc(labels, true_scores(dataset.name, data.rows.matrix[numbers]))


def _passes_to_end(y: str) -> Callable[[Fit], float]:
    """Return the passes from which on y is near its own end, for good.

    The end is the mean over the last tenth of the passes, since the last iterates are noisy. An
    AUC is near if it differs by at most 0.005. The objective, which is 1 at w = 0, is near if at
    most 5 % of its way from there are left.
    """

    def read(fit: Fit) -> float:
        passes, values = _curve(fit.record, "passes", y)
        if not passes.size:
            return nan
        end = float(values[passes >= 0.9 * passes[-1]].mean())
        near = NEAR * abs(1.0 - end) if y == "objective" else ROPE
        far = np.flatnonzero(np.abs(values - end) > near)
        return float(passes[min(far[-1] + 1, passes.size - 1)] if far.size else passes[0])

    return read


def _passes_to_minimum(fit: Fit) -> float:
    """Return the passes from which on the test AUC stays within 0.005 below that of the minimum.

    They are the last passes if it does not. Between two points the AUC is a line in log(passes).
    """
    x, y = _curve(fit.record, "passes", "test_auc")
    end = fit.results.ends_of_minimum(fit.line, "test_auc").get(fit.run)
    if not x.size or end is None:
        return nan
    level = end - ROPE
    below = np.flatnonzero(y < level)
    if not below.size:
        return float(x[0])
    last = below[-1]
    if last + 1 == x.size:
        return float(x[last])
    share = (level - y[last]) / (y[last + 1] - y[last])
    return float(x[last] * (x[last + 1] / x[last]) ** share)


def _last_excess(fit: Fit) -> float:
    curve = fit.results.curves(fit.line, "excess").get(fit.run)
    return nan if curve is None else float(curve[1][-1])


def _auc_after(record: Record, passes: float) -> float:
    """Return the test AUC, between points of the curve by log(passes); its ends hold."""
    x, y = _curve(record, "passes", "test_auc")
    return float(np.interp(np.log(passes), np.log(x), y)) if x.size else nan


def _gap_after(record: Record, passes: float) -> float:
    """Return the certified gap, between points of the curve by its logarithm."""
    x, gap = _curve(record, "passes", "gap")
    return float(10.0 ** np.interp(passes, x, np.log10(np.fmax(gap, ROUNDING)))) if x.size else nan


def _gap_rate(x: str) -> Callable[[Fit], float]:
    """Return the decades that the gap falls in a pass, or a step; NaN if it does not."""

    def read(fit: Fit) -> float:
        curve = fit.results.curves(fit.line, "gap", x).get(fit.run)
        slope = nan if curve is None else fit_line(curve[0], np.log10(curve[1]))[0]
        return -slope if slope < 0 else nan

    return read


def fit_line(x: Vector, y: Vector) -> tuple[float, float]:
    """Return slope and r² of the line through at least three different points, else NaN."""
    if np.unique(x).size < 3 or np.ptp(y) == 0:
        return nan, nan
    return float(np.polyfit(x, y, 1)[0]), float(np.corrcoef(x, y)[0, 1] ** 2)


AFTER: dict[str, Callable[[Record, float], float]] = {
    "auc-after": _auc_after,
    "gap-after": _gap_after,
}
MEASURES: dict[str, Measure] = {
    AUC: Measure("test AUC", _of_record("auc")),
    TRUTH: Measure("test AUC minus that of the true scores", _above_truth, rope=1e-4, digits=6),
    SECONDS: Measure(
        "seconds of a fit",
        _of_record("fit_seconds"),
        smaller=True,
        rope=0.0,
        elsewhere="times of another machine and another language",
    ),
    "nnz": Measure("non-zero weights", _of_record("nnz"), smaller=True, rope=0.5),
    "support-f1": Measure(
        "support F1", _of_support(lambda both, found, relevant: 2 * both / (found + relevant))
    ),
    "support-jaccard": Measure(
        "Jaccard index of the support",
        _of_support(lambda both, found, relevant: both / (found + relevant - both)),
    ),
    "support-precision": Measure(
        "share of the found features that are relevant",
        _of_support(lambda both, found, _: both / max(1, found)),
    ),
    "support-recall": Measure(
        "share of the relevant features that are found",
        _of_support(lambda both, _, relevant: both / relevant),
    ),
    **{
        f"passes-to-end[{y}]": Measure(f"passes by {y}", _passes_to_end(y), smaller=True)
        for y in ("objective", "train_auc", "test_auc")
    },
    "passes-to-minimum": Measure("passes to the AUC of the minimum", _passes_to_minimum),
    "last-excess": Measure("objective above its minimum at the end", _last_excess),
    "gap-rate[passes]": Measure("decades of the gap for each pass", _gap_rate("passes")),
    "gap-rate[step]": Measure("decades of the gap for each iteration", _gap_rate("step")),
}
