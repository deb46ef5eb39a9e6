"""Make the record of a cell from the outcome of its job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from aucbench.bench.cell import Cell
from aucbench.bench.evaluation.verdict import CellResult, Status
from aucbench.bench.results.record import Conditions, Process, Record, Sizes
from aucbench.errors import PluginError
from aucbench.processes.records import Ending, Outcome
from aucbench.records import CellStatus

if TYPE_CHECKING:
    from aucbench.bench.evaluation.targets import KeptTarget

TEST_AUC = "test_auc"  # of a point of a curve


@dataclass(slots=True)
class _Lines:
    """What the lines of a cell say, put together; of a failed step they are about no cell."""

    about: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    tuning: dict[str, Any] | None = None
    curve: list[dict[str, Any]] = field(default_factory=list)


def make_record(
    cell: Cell,
    cell_id: str,
    outcome: Outcome,
    conditions: Conditions,
    target: KeptTarget | None = None,
) -> tuple[Record, bytes | None]:
    """Return the record of a cell that ended, and the scores that the store keeps."""
    said = _said(outcome)
    judged = _judged(cell, outcome, target, len(said.curve))
    for place, point in enumerate(said.curve):
        point.pop(TEST_AUC, None)  # a worker cannot know it
        if place in judged.along:
            point[TEST_AUC] = judged.along[place]
    sizes = _sizes(said.about)
    if target is not None and sizes.n_test is not None:  # the parent knows, whatever a worker says
        sizes = replace(
            sizes,
            n_train=target.learnt(cell).size,
            n_test=target.held(cell)[0].size,
            division=target.kind(cell),
            weighted=target.weighted,
        )
    log = None if judged.status.status is CellStatus.OK else outcome.log
    where = said.about.get("conditions")
    machine = dict(where) if isinstance(where, dict) else {}
    record = Record(
        id=cell_id,
        cell=cell,
        status=judged.status,
        measures=judged.measures,
        sizes=sizes,
        process=Process(
            wall_seconds=outcome.wall_seconds, peak_memory=outcome.peak_memory, log=log
        ),
        conditions=replace(conditions, fence=outcome.fence),
        machine=machine,
        plugin=_plugin(said.about.get("plugin")),
        parameters=said.parameters,
        tuning=said.tuning,
        curve=tuple(said.curve),
    )
    return record, judged.scores


def _judged(cell: Cell, outcome: Outcome, target: KeptTarget | None, points: int) -> CellResult:
    if outcome.ending is Ending.OK:
        if target is None:
            raise AssertionError("a job that returned has rows, and so a target")
        # Imported here: a run first starts its workers, and imports NumPy while they start.
        from aucbench.bench.evaluation.measures import measured

        held = target.held(cell)
        return measured(outcome, *held, points, keep_weights=target.has_relevant)
    reason = outcome.reason or outcome.ending.value
    at_fault = outcome.error_type == PluginError.__name__  # of a plugin, and no refusal of rows
    if outcome.step is not None and outcome.refusal and not at_fault:
        return CellResult(Status(status=CellStatus.SKIPPED, reason=reason))
    if outcome.step is not None:
        reason = f"while its rows were prepared: {reason}"
    status = CellStatus(outcome.ending.value)
    return CellResult(Status(status=status, reason=reason, error_type=outcome.error_type))


def _said(outcome: Outcome) -> _Lines:
    said = _Lines()
    for line in outcome.lines if outcome.step is None else ():
        for name, thing in line.items():
            if not isinstance(thing, Mapping):
                continue
            if name == "point":
                said.curve.append(dict(thing))
            elif name == "about":
                said.about |= thing
            elif name in ("parameters", "tuning"):
                setattr(said, name, dict(thing))
    return said


def _sizes(about: Mapping[str, Any]) -> Sizes:
    known = {name: about.get(name) for name in Sizes.__slots__}
    wanted = {name: str if name in ("data", "trained_on") else int for name in known}
    fit: dict[str, Any] = {n: value for n, value in known.items() if type(value) is wanted[n]}
    return Sizes(**fit)


def _plugin(value: Any) -> tuple[str, str, str] | None:
    listed = isinstance(value, list | tuple) and len(value) == 3
    if not listed or not all(isinstance(part, str) for part in value):
        return None
    distribution, version, module = value
    return distribution, version, module
