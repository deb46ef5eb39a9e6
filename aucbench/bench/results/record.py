"""Records: the results of cells, which the store keeps and reports read.

Reading one is strict: a key that is missing or unknown is an error that names its place.
Each field has its unit and its meaning, from which the page docs/record.md is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from aucbench.bench.cell import Cell
from aucbench.bench.codec import dump
from aucbench.bench.evaluation.verdict import Measures, Status, about
from aucbench.errors import join_reason, shown
from aucbench.records import CellStatus

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a run: seconds can be compared only under equal conditions."""

    engine: str = "local"  # such as "local"
    concurrency: int = 1  # cells at once on a host
    timeout: float | None = None  # seconds of wall time that a cell may take
    memory: int | None = None  # bytes that it may take beyond an idle one
    timing: bool = False  # whether the run was made for its times
    # What kept the process of the fit from files with labels: "landlock" and its version, or "none"
    # and why. None where no process was fenced.
    fence: str | None = None

    def lift(self, status: str, then: Conditions) -> bool:
        """Whether a smaller limit than that of these conditions ended something as `status`."""
        limit = {"timeout": "timeout", "memout": "memory"}.get(status)
        if limit is None:
            return False
        before, now = getattr(then, limit), getattr(self, limit)
        return before is not None and (now is None or now > before)


def conditions_on(
    engine: object, timeout: float | None, memory: int | None, *, timing: bool = False
) -> Conditions:
    """Return the conditions of a run on an engine, as records hold them."""
    return Conditions(
        engine=type(engine).__name__.removesuffix("Engine").lower(),
        concurrency=getattr(engine, "jobs", None) or 0,
        timeout=timeout or None,
        memory=memory,
        timing=timing,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of the data."""

    n_train: int | None = about("training rows", "rows")
    n_test: int | None = about("test rows", "rows")
    columns: int | None = about("features of the data set, before any encoding or map", "features")
    d: int | None = about("features after the encoding of a table and the feature map", "features")
    data: str | None = about("hash of the data set")
    division: str | None = about(
        "how rows are divided, by the parent: 5 folds, 5 folds by groups, 5 folds by times, "
        "share of 0.2, test file",
    )
    weighted: bool | None = about(
        "whether rows have weights, which count in the AUC and in training"
    )
    trained_on: str | None = about(
        "the pairs that were asked for, or `all pairs` (of labels) where the solver does not train "
        "on them; empty where none were asked for"
    )
    groups: int | None = about("groups of the training rows with a pair", "groups")
    left_out: int | None = about(
        "groups of the training rows that hold one class and are left out", "groups"
    )
    constant: int | None = about(
        "features that are constant in each group of the training rows, and cannot help", "features"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The process of the fit, as its supervisor saw it."""

    wall_seconds: float | None = about("from its start to its end", "s")
    peak_memory: int | None = about("of its own memory, sampled", "bytes")
    log: str | None = about("end of what it wrote, unless ok")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Record:
    """The result of one cell, whether it failed or not.

    Attributes
    ----------
    id : str
        Hash of everything that could change a number of the cell.
    cell : Cell
        The cell that was run.
    status : Status
    measures : Measures
    sizes : Sizes
    process : Process
    conditions : Conditions
        The conditions of the run.
    machine : mapping
        host, cpu, cores, threads, load and versions where the cell ran.
    plugin : tuple of (distribution, version, module) or None
        Where the solver comes from.
    parameters : mapping of str to plain value
        Hyperparameters of the solver that was fitted.
    tuning : mapping or None
        {"chosen": point, "map_seconds": of inner folds, "table": rows}.
    curve : tuple of mappings
        Points of the curve. A cell that was killed has those that it had reached.
    """

    id: str
    cell: Cell
    status: Status
    measures: Measures = field(default_factory=Measures)
    sizes: Sizes = field(default_factory=Sizes)
    process: Process = field(default_factory=Process)
    conditions: Conditions = field(default_factory=Conditions)
    machine: Mapping[str, Any] = field(default_factory=dict)
    plugin: tuple[str, str, str] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tuning: Mapping[str, Any] | None = None
    curve: tuple[Mapping[str, Any], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the cell has an AUC that counts."""
        return self.status.status is CellStatus.OK

    @property
    def why(self) -> str:
        """Class of the error, if there was one, and the reason, for people."""
        return join_reason(self.status.error_type, self.status.reason)

    def __repr__(self) -> str:
        """Return what was run and what came of it."""
        auc = self.measures.auc
        came = self.why if auc is None else f"AUC {auc:.4f}"
        return shown(f"<Record {self.status.status}: {self.cell}: {came}>")

    def flat(self, derived: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One row: the fields of all groups side by side, in the order of docs/record.md.

        `derived` has fields that are not stored, such as those of `Convergence`.
        `parameters`, `tuning`, `curve`, `conditions`, `machine` and `cell` stay whole;
        `objective` and `projector` of the cell become `with_objective` and `with_projector`,
        since `objective` is a measure.
        """
        shown = dump(self.cell) | {name: _text(getattr(self.cell, name)) for name in NAMED}
        return {
            "id": self.id,
            **{FLAT_NAMES.get(name, name): shown[name] for name in SHOWN},
            **asdict(self.status),
            **asdict(self.measures),
            **asdict(self.sizes),
            **asdict(self.process),
            **(derived or {}),
            "parameters": dict(self.parameters),
            "tuning": self.tuning,
            "curve": [*self.curve],
            "plugin": self.plugin,
            "conditions": asdict(self.conditions),
            "machine": dict(self.machine),
            "cell": shown,
        }


SHOWN = (
    *("solver", "tune", "dataset", "features", "objective", "projector", "pairs"),
    *("monotone", "repeat", "split", "seed"),
)
NAMED = ("solver", "dataset", "features", "objective", "projector", "pairs")  # shown as text
FLAT_NAMES = {"objective": "with_objective", "projector": "with_projector"}
GROUPS = (Status, Measures, Sizes, Process)


def documented(*more: type[DataclassInstance]) -> list[tuple[str, str, str, str]]:
    """Rows of the page of fields: name, type, unit, meaning; also of `more` groups."""
    return [
        (f.name, str(f.type), f.metadata["unit"], f.metadata["meaning"])
        for group in (*GROUPS, *more)
        for f in fields(group)
    ]


def _text(named: Any) -> str | None:
    return None if named is None else str(named)
