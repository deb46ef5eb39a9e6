"""What is kept of a cell that was run, and names of what was chosen as far as it varies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.answers import OF_TUNING
from aucbench.bench.evaluation.verdict import number
from aucbench.bench.results.convergence import Descent
from aucbench.bench.results.record import Record
from aucbench.datasets.reading import ReadOptions
from aucbench.ranges import OVERSPENT
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec, SpecChain, bare, short
from aucbench.solving.laws import MOST_INFO

NO_DESCENT = Descent()
CURVE = ("passes", "seconds", "objective", "test_auc")
NAN = float("nan")
BUILDS = {"simd": "SIMD", "sort": "sort by"}  # how the kernels computed
Array = NDArray[np.float64]

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """What a time depends on besides the solver and the data."""

    host: str
    cpu: str
    threads: int | None  # of aucbench, BLAS and OpenMP in each cell
    concurrency: int  # cells at once on the host

    @staticmethod
    def of(record: Record) -> Condition:
        """Return the conditions of a cell that was run."""
        machine = record.machine
        return Condition(
            str(machine.get("host", "")),
            str(machine.get("cpu", "")),
            machine.get("threads"),
            record.conditions.concurrency,
        )

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.host}, {self.cpu}, {self.threads or 'unknown number of'} thread(s), "
            f"{self.concurrency} cell(s) at once"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What is kept of a cell that was run; NaN is the value of what is not known."""

    id: str  # of the record
    data: str  # hash of the data set
    status: CellStatus | str
    why: str = ""  # and the end of what the process wrote; both are empty when it is ok
    log: str = ""
    auc: float  # in evidence of values from elsewhere: of the measure that they are of
    seconds: float = NAN
    spread: float = NAN
    nnz: float = NAN
    n_train: float = NAN
    n_test: float = NAN
    d: float = NAN
    # (points, 4), the columns are those of `CURVE`
    curve: Array = field(default_factory=lambda: np.empty((0, len(CURVE))))
    # The diagnostics of the method along the curve, by name; NaN where it gave no finite number.
    info: Mapping[str, Array] = field(default_factory=dict)
    descent: Descent = NO_DESCENT  # how its objective fell
    overspent: float = NAN  # how many times the budget it used; NaN if it kept to it or has none
    condition: Condition | None = None  # None: its solver or its data set cannot be used
    chosen: Mapping[str, Any] | None = None  # the parameters that were chosen
    division: str = ""  # how its rows were divided, as in `Sizes`
    other_pairs: str = ""  # those that it trained on, where they are not those asked for
    # Of the training rows, as in `Sizes`.
    groups: float = NAN
    left_out: float = NAN
    constant: float = NAN
    collapsed: bool = False  # in a range of the ROC curve, w = 0 is the best
    versions: str = ""  # of the packages that computed it, in one line
    folder: str = ""  # the results folder from which it was read

    @property
    def ok(self) -> bool:
        """Whether it has an AUC that counts."""
        return self.status == CellStatus.OK

    @staticmethod
    def of(record: Record, folder: str = "") -> Fit:
        """Keep the numbers of a record."""
        measures, sizes = record.measures, record.sizes
        return Fit(
            id=record.id,
            data=sizes.data or "",
            status=record.status.status,
            why=record.why,
            log=record.process.log or "",
            auc=_or_nan(measures.auc) if record.ok else NAN,
            seconds=_or_nan(measures.fit_seconds),
            spread=_or_nan(measures.fit_seconds_spread),
            nnz=_or_nan(measures.nnz),
            n_train=_or_nan(sizes.n_train),
            n_test=_or_nan(sizes.n_test),
            d=_or_nan(sizes.d),
            curve=_curve(record.curve),
            info=_info(record.curve),
            descent=Descent.of(record),
            overspent=_times_budget(record),
            condition=Condition.of(record) if record.machine else None,
            chosen=(record.tuning or {}).get("chosen"),
            division=sizes.division or "",
            other_pairs="" if (own := sizes.trained_on) in (None, str(record.cell.pairs)) else own,
            groups=_or_nan(sizes.groups),
            left_out=_or_nan(sizes.left_out),
            constant=_or_nan(sizes.constant),
            collapsed=measures.collapsed is True,
            versions=_versions(record),
            folder=folder,
        )


def _curve(points: Sequence[Mapping[str, Any]]) -> Array:
    rows = [[point.get(name) for name in CURVE] for point in points]
    try:
        table = np.array(rows, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError):  # a plugin reports something else than numbers
        table = np.array([[_or_nan(number(value)) for value in row] for row in rows])
    return table.reshape(-1, len(CURVE))


def _info(points: Sequence[Mapping[str, Any]]) -> dict[str, Array]:
    """Return the diagnostics along a curve by name."""
    told = [known if isinstance(known := point.get("info"), Mapping) else {} for point in points]
    names = sorted({name for known in told for name in known})[:MOST_INFO]
    return {name: np.array([_or_nan(number(known.get(name))) for known in told]) for name in names}


def _or_nan(value: float | None) -> float:
    return NAN if value is None else float(value)


def _times_budget(record: Record) -> float:
    """How many times the budget of its plan a fit used, if it overspent; else NaN.

    Where the plan has none, a method ends when it is done: 50 passes are no promise then.
    """
    measures, cell = record.measures, record.cell
    asked = ((measures.passes, cell.passes), (measures.fit_seconds, cell.seconds))
    used = [spent / limit for spent, limit in asked if spent and limit]
    return max(used) if measures.overspent and max(used, default=0.0) > OVERSPENT else NAN


def _versions(record: Record) -> str:
    machine, plugin = record.machine, record.plugin
    versions = machine.get("versions") or {}
    known = [f"{name} {version}" for name, version in versions.items()]
    if plugin is not None and plugin[0] not in versions:
        known.append(f"{plugin[0]} {plugin[1]}")
    known += [f"{name} {machine[key]}" for key, name in BUILDS.items() if key in machine]
    return ", ".join(known) or "not run"


def names_of(keys: Sequence[Key], fields: Sequence[str]) -> tuple[str, ...]:
    """Return the first field of each key, with those of the others that vary.

    Of what is in a file they have as little of its path as makes them different.
    """
    varying = [j for j, values in _values(keys, fields).items() if len(values) > 1]

    def said(key: Key, place: Callable[[Any], str]) -> str:
        others = [_placed(key[j], place, fields[j]) for j in varying if key[j] is not None]
        return ", ".join([place(key[0]), *others])

    for place in (bare, partial(bare, parts=1), short, str):
        names = tuple(said(key, place) for key in keys)
        if len({*names}) == len(names):
            break
    return names


def _placed(value: Any, place: Callable[[Any], str], field_name: str) -> str:
    if isinstance(value, ReadOptions):
        return str(value)
    return f"{field_name}={place(value) if isinstance(value, Spec | SpecChain) else value}"


def shared(keys: Sequence[Key], fields: Sequence[str]) -> dict[str, Any]:
    """Return the fields, but the first, that are the same for all keys and say something."""
    same = {fields[j]: values for j, values in _values(keys, fields).items() if len(values) == 1}
    return {name: one for name, [one] in same.items() if one not in (None, (), ReadOptions())}


def _values(keys: Sequence[Key], fields: Sequence[str]) -> dict[int, list[Any]]:
    """Return the different values of each field but the first; tuning says nothing without it."""
    return {
        j: [*dict.fromkeys(k[j] for k in keys if fields[j] not in OF_TUNING or k[j] is not None)]
        for j in range(1, len(fields))
    }
