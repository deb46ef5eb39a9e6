"""Records and plans as the rows of a frame, and names of what was chosen as far as it varies.

Design
  a. Records are read once, one at a time, and only numbers are kept of them.
  b. Two cells belong to the same solver when they agree in all that a user chooses about a solver,
     feature map and budget included. A choice that is the same in the whole folder is left out
     of the names; so a name is never longer than it must be, and never ambiguous.
  c. Folds are known by the seed of their shuffle and their number. Cells that ask for the same fit
     twice, which two seeds with several repeats do, count once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aucbench.bench.answers import OF_TUNING, Wanted
from aucbench.bench.cell import Cell, solver_of
from aucbench.bench.evaluation.verdict import number
from aucbench.bench.plan.families import family_of
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.convergence import Descent
from aucbench.bench.results.record import Record
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError
from aucbench.ranges import OVERSPENT
from aucbench.registry.specs import Spec, SpecChain, bare, short
from aucbench.report.frame import (
    CURVE,
    NAN,
    About,
    Array,
    Condition,
    Frame,
    Place,
    Row,
    Scores,
    Source,
)
from aucbench.solving.laws import MOST_INFO

OF_DATA = ("dataset", "reading", "splits", "holdout")
OF_CHOICE = (
    *("choice", "features", "objective", "projector", "passes", "seconds", "gap_tol"),
    *("tune_evals", "inner_splits", "tune_seconds", "tune_work", "repeat_fits"),
    *("pairs", "monotone"),
)
OF_SOLVER = (*OF_CHOICE, "folder")  # only where folders have other results of one choice
BUILDS = {"simd": "SIMD", "sort": "sort by"}  # how the kernels computed
UNKNOWN = Wanted()

Key: TypeAlias = tuple[Any, ...]
_data_key, _solver_key = attrgetter(*OF_DATA), attrgetter(*OF_CHOICE)


class FitKey(NamedTuple):
    """A fit by what was asked for; cells that agree in it ask for the same fit."""

    data: Key
    solver: Key
    seed: int
    split: int


@dataclass(frozen=True, slots=True)
class Collected:
    """The rows of a results folder, those that were not run yet included, and its stale records."""

    rows: Mapping[FitKey, Row]
    stale: int = 0


def frame_of(
    records: Iterable[Record],
    plans: Sequence[Plan] = (),
    *,
    scores: Scores = lambda *_: None,
    about: About = lambda _: None,
    problems: Callable[[], tuple[str, ...]] = tuple,
) -> Frame:
    """Return the frame of records, which are read once; no record is stale.

    Cells of plans that have no record count as not run yet.

    Raises
    ------
    DataError
        When a cell has two records, plans contradict each other, or there is nothing to report.
    """
    source = Source(scores={"": scores}, about=about, problems=problems)
    return make_frame(collect_rows(records, plans), plans, source)


def collect_rows(
    records: Iterable[Record], plans: Sequence[Plan], wanted: Wanted = UNKNOWN, folder: str = ""
) -> Collected:
    """Return the rows of the records and plans of a folder; raises as `frame_of`.

    `wanted` has the ids of the planned cells for the present data, plugins and aucbench: a record
    of such a cell with another id is stale.
    """
    present = {number: cell for cell, number in wanted.ids.items()}
    rows: dict[FitKey, Row] = {
        _key_of(wanted.spelled(cell)): {} for plan in plans for cell in plan.cells()
    }
    owners: dict[FitKey, Cell] = {}
    stale = 0
    for stored in records:
        # The files of a cell may have been elsewhere when it was computed.
        record = replace(stored, cell=present.get(stored.id, stored.cell))
        current = wanted.ids.get(record.cell)
        if current is not None and current != record.id:
            stale += 1
            continue
        asked = wanted.spelled(record.cell)
        key = _key_of(asked)
        if owners.setdefault(key, asked) != asked:
            continue  # the same fit was asked for by another seed and repeat
        if rows.get(key):
            raise DataError(
                f"the folder has two results of {record.cell}, computed with different data or "
                "code, and it cannot be looked up which one counts; delete one of "
                f"{rows[key]['id']} and {record.id}, or repair what its plan names"
            )
        rows[key] = row_of(record, folder)
    return Collected(rows, stale)


def make_frame(collected: Collected, plans: Sequence[Plan], source: Source) -> Frame:
    """Return the frame of rows, with the names of what varies in them; raises `DataError`."""
    rows = collected.rows
    if not rows:
        raise DataError("the folder holds no result and no plan, so there is nothing to report")
    data = {key: number for number, key in enumerate(dict.fromkeys(key.data for key in rows))}
    solvers = {key: number for number, key in enumerate(dict.fromkeys(key.solver for key in rows))}
    families = family_of(plans)
    return Frame.of(
        names_of([*data], OF_DATA),
        names_of([*solvers], OF_SOLVER),
        (
            (Place(data[key.data], solvers[key.solver], key.seed, key.split), row)
            for key, row in rows.items()
        ),
        replace(
            source,
            common={**shared([*data], OF_DATA), **shared([*solvers], OF_SOLVER)},
            stale=collected.stale,
            families=tuple(families.get(key[0]) for key in data),
        ),
    )


def require_planned(plan: Plan, solver: str | None) -> None:
    """Raise `UnknownNameError` where a solver is named, and the plan has none of this name."""
    if solver is not None:
        solver_of(frame_of((), [plan]).solvers, solver)


def _key_of(cell: Cell) -> FitKey:
    solver = _solver_key(cell)
    if not cell.tune:
        solver = tuple(
            None if name in OF_TUNING else value
            for name, value in zip(OF_CHOICE, solver, strict=True)
        )
    return FitKey(_data_key(cell), (*solver, None), cell.seed, cell.split)


def row_of(record: Record, folder: str = "") -> dict[str, Any]:
    """Return the columns of a record, see `aucbench.report.frame`; None is not known."""
    measures, sizes, cell = record.measures, record.sizes, record.cell
    numbers = {
        "auc": measures.auc if record.ok else None,
        "seconds": measures.fit_seconds,
        "spread": measures.fit_seconds_spread,
        "nnz": measures.nnz,
        "n_train": sizes.n_train,
        "n_test": sizes.n_test,
        "d": sizes.d,
        "overspent": _times_budget(record),
        "groups": sizes.groups,
        "left_out": sizes.left_out,
        "constant": sizes.constant,
    }
    return {
        **{name: value for name, value in numbers.items() if value is not None},
        "collapsed": float(measures.collapsed is True),
        "id": record.id,
        "data": sizes.data or "",
        "status": record.status.status,
        "why": record.why,
        "log": record.process.log or "",
        "curve": _curve(record.curve),
        "info": _info(record.curve),
        "descent": Descent.of(record),
        "condition": _condition(record) if record.machine else None,
        "chosen": (record.tuning or {}).get("chosen"),
        "division": sizes.division or "",
        "pairs": "" if sizes.trained_on in (None, str(cell.pairs)) else sizes.trained_on,
        "versions": _versions(record),
        "folder": folder,
    }


def _condition(record: Record) -> Condition:
    machine = record.machine
    host, cpu = (str(machine.get(name, "")) for name in ("host", "cpu"))
    return Condition(host, cpu, machine.get("threads"), record.conditions.concurrency)


def _curve(points: Sequence[Mapping[str, Any]]) -> Array:
    rows = [[point.get(name) for name in CURVE] for point in points]
    try:
        table = np.array(rows, dtype=np.float64)  # None becomes NaN
    except (TypeError, ValueError):  # a plugin reports something else than numbers
        table = np.array([[*map(_finite, row)] for row in rows])
    return table.reshape(-1, len(CURVE))


def _info(points: Sequence[Mapping[str, Any]]) -> dict[str, Array]:
    """Return the diagnostics along a curve by name; NaN where one is no finite number."""
    infos = [info if isinstance(info := point.get("info"), Mapping) else {} for point in points]
    names = sorted({name for info in infos for name in info})[:MOST_INFO]
    return {name: np.array([_finite(info.get(name)) for info in infos]) for name in names}


def _finite(value: Any) -> float:
    plain = number(value)
    return NAN if plain is None else plain


def _times_budget(record: Record) -> float | None:
    """How many times the budget of its plan a fit used, if it overspent.

    Where the plan has none, a method ends when it is done: 50 passes are no promise then.
    """
    measures, cell = record.measures, record.cell
    asked = ((measures.passes, cell.passes), (measures.fit_seconds, cell.seconds))
    used = [spent / limit for spent, limit in asked if spent and limit]
    return max(used) if measures.overspent and max(used, default=0.0) > OVERSPENT else None


def _versions(record: Record) -> str:
    machine, plugin = record.machine, record.plugin
    versions = machine.get("versions") or {}
    lines = [f"{name} {version}" for name, version in versions.items()]
    if plugin is not None and plugin[0] not in versions:
        lines.append(f"{plugin[0]} {plugin[1]}")
    lines += [f"{name} {machine[key]}" for key, name in BUILDS.items() if key in machine]
    return ", ".join(lines) or "not run"


def names_of(keys: Sequence[Key], fields: Sequence[str]) -> tuple[str, ...]:
    """Return the first field of each key, with those of the others that vary.

    Of what is in a file they have as little of its path as makes them different.
    """
    varying = [j for j, values in _values(keys, fields).items() if len(values) > 1]

    def name(key: Key, place: Callable[[Any], str]) -> str:
        others = [_described(key[j], place, fields[j]) for j in varying if key[j] is not None]
        return ", ".join([place(key[0]), *others])

    for place in (bare, partial(bare, parts=1), short, str):
        names = tuple(name(key, place) for key in keys)
        if len({*names}) == len(names):
            break
    return names


def _described(value: Any, place: Callable[[Any], str], field: str) -> str:
    if isinstance(value, ReadOptions):
        return str(value)
    return f"{field}={place(value) if isinstance(value, Spec | SpecChain) else value}"


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
