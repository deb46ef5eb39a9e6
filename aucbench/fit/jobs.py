"""What supervised processes do: look names up, read a data set, split it, fit and measure.

Each function is called as function(request, room, steps) by a supervisor; `requests` says
what the requests hold. An `AucbenchError` of `data` or `split` is a refusal: the cells that
need those rows are skipped, with its sentence as the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import chdir
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from aucbench import registry
from aucbench.cell import Cell
from aucbench.data import NEEDS_LABELS, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.folds import splits
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.features.chain import is_shared
from aucbench.fit import machine, rows
from aucbench.fit.build import build, plugin_of
from aucbench.fit.features import Refitted, preprocessed
from aucbench.fit.measure import Lines, measure
from aucbench.fit.plain import first_line, plain_parameters, strict
from aucbench.fit.resolve import resolved, resolved_grid
from aucbench.fit.tune import Tuned, tune
from aucbench.registry.discovery import entries, load
from aucbench.registry.fingerprints import code_fingerprint
from aucbench.solving.wrappers import learns_from

Steps = Mapping[str, Path]
OTHER_CODE = (
    "this host computes with other files of aucbench, or other versions of its libraries, "
    "than the one that planned the cell; install the same on both"
)
own_code = lru_cache(maxsize=1)(code_fingerprint)  # read once, by the process that is forked


def resolve(request: Mapping[str, Any], room: Path, steps: Steps) -> dict[str, Any]:
    """What names mean: {kind: {spec: answer}}, and the answers about "grids" as a list.

    See `aucbench.fit.resolve.resolved` for an answer.
    """
    named = {
        kind: {spec: resolved(kind, spec) for spec in specs}
        for kind, specs in request["names"].items()
    }
    grids = [resolved_grid(spec, _tuning(tune)) for spec, tune in request["grids"]]
    return {**named, "grids": grids}


def visit(request: Mapping[str, Any], room: Path, steps: Steps) -> dict[str, Any]:
    """Import one plugin; that this returns is the answer, since some do not survive it."""
    known = load(next(e for e in entries() if e.qualified == request["plugin"]))
    return {"failure": known.failure if known else None}


def data(request: Mapping[str, Any], room: Path, steps: Steps) -> dict[str, Any]:
    """Read a data set and write its arrays into the room; tell hash, n, d, target and names.

    Raises
    ------
    AucbenchError
        When there is no such data set, or it cannot be used.
    """
    found = _read(request)
    rows.save(found, room / "raw")
    about = {"hash": rows.digest(found), "n": found.n, "d": found.d, **_target(found)}
    rows.write_about(room, about)
    return {**about, "names": found.names and [*found.names]}


def _target(found: Data) -> dict[str, Any]:
    left_out = {"dropped": len(found.dropped)}
    if isinstance(found.target, Labels):
        return {"n_pos": found.target.n_pos, **left_out}
    return {"breakpoints": found.target.value.size, **left_out}


def about(request: Mapping[str, Any], room: Path, steps: Steps) -> dict[str, Any]:
    """What `data` told of a data set, without the names of its features."""
    return rows.read_about(steps[request["data"]])


def split(request: Mapping[str, Any], room: Path, steps: Steps) -> dict[str, Any]:
    """Write the training and test rows of a split, preprocessed, into the room.

    Raises
    ------
    DataError
        As `splits`; when preprocessing refuses, or the data set is not the one that the cell was
        planned with.
    """
    folder = steps[request["data"]]
    told = rows.read_about(folder)
    if request["hash"] not in (None, told["hash"]):
        raise DataError(
            f"{request['dataset']} has changed since the run began; start the run again"
        )
    raw = rows.mapped(folder / "raw")
    learnt, numbers = fold(raw, request)
    features = registry.get_features(request["preprocess"])
    rng = _of_split(request["seed"], request["split"])
    train, test = preprocessed(raw.take(learnt), raw.take(numbers), features, rng)
    rows.save(train, room / "train")
    rows.save(test, room / "test")
    rows.write(room, "learnt", learnt)
    rows.write(room, "numbers", numbers)
    known = {"n_train": train.n, "n_test": test.n, "d": train.d, "data": told["hash"]}
    rows.write_about(room, known)
    return known


def fold(data: Data, request: Mapping[str, Any]) -> tuple[Index, Index]:
    """Numbers of the training rows and of the test rows.

    Raises
    ------
    DataError
        As `splits`.
    """
    try:
        learnt, held = splits(data, request["splits"], request["seed"])[request["split"]]
    except DataError as refusal:
        raise DataError(f"{request['dataset']}: {refusal}") from refusal
    return learnt, held


def _of_split(seed: int, split: int) -> np.random.Generator:
    """What the maps of a split draw from; inner folds draw from its children."""
    return np.random.default_rng([seed, split])


def cell(request: Mapping[str, Any], room: Path, steps: Steps) -> dict[str, Any]:
    """Fit and measure one cell on read-only maps of its rows.

    Each thing is appended to room/lines.jsonl as soon as it is known, so that a cell that is
    killed leaves it: {"about": sizes, conditions, plugin}, {"parameters": ...},
    {"tuning": ...}, and {"point": ...} for each point of the curve. The scores of the test
    rows go to room/out/scores.npz: `scores`, `rows` (their numbers in the data set) and, where
    there are labels, `y`.
    """
    if request["code"] not in (None, own_code()):
        return {"status": "error", "reason": OTHER_CODE}
    planned = Cell.from_json(request["cell"])
    lines = Lines(room / "lines.jsonl")
    try:
        return _measured(planned, steps[request["data"]], steps[request["rows"]], room, lines)
    except SystemExit as leaving:  # of a plugin; the process has a result to hand over
        return {"status": "error", "reason": first_line(leaving)}
    finally:
        lines.close()


def _measured(
    planned: Cell, source: Path, folder: Path, room: Path, lines: Lines
) -> dict[str, Any]:
    train, test = (rows.mapped(folder / part) for part in ("train", "test"))
    lines({"about": {**rows.read_about(folder), "conditions": machine.here()}})
    solver = build(planned, {})
    lines({"about": {"plugin": plugin_of("solvers", planned.solver)}})
    cost: dict[str, Any] = {}
    if not learns_from(solver, train):
        return {"status": "skipped", "reason": NEEDS_LABELS}
    if planned.tune:
        try:
            found = _tuned(planned, source, folder, train)
        except DataError as refusal:
            return {"status": "skipped", "reason": str(refusal)}
        lines({"tuning": found.to_json()})
        solver, cost = build(planned, found.best), {"tune_seconds": found.seconds}
    lines({"parameters": plain_parameters(solver)})
    measured = measure(planned, solver, train, test, lines)
    if measured.scores is not None:
        _keep_scores(room, measured.scores, rows.read(folder, "numbers"), test)
    whole: dict[str, Any] = strict({**cost, **measured.result})
    return whole


def _tuned(planned: Cell, source: Path, folder: Path, train: Data) -> Tuned:
    features, refit = registry.get_features(planned.preprocess), None
    if not is_shared(features):
        numbers, rng = rows.read(folder, "learnt"), _of_split(planned.seed, planned.split)
        refit = Refitted(features, rows.mapped(source / "raw"), numbers, rng)
    return tune(planned, partial(build, planned), train, refit)


def _keep_scores(room: Path, scores: Vector, numbers: Index, test: Data) -> None:
    (room / "out").mkdir(exist_ok=True)
    labels = {"y": test.y} if isinstance(test.target, Labels) else {}
    np.savez_compressed(room / "out" / "scores.npz", scores=scores, rows=numbers, **labels)


def _tuning(plain: Any) -> Any:
    return plain if isinstance(plain, bool) else tuple((name, tuple(v)) for name, v in plain)


def _read(request: Mapping[str, Any]) -> Data:
    given = {"drop": request["drop"]} if request["drop"] else {}
    if request["positive"] is not None:
        given["positive"] = request["positive"]
    try:
        with chdir(request["folder"] if Path(request["folder"]).is_dir() else "."):
            return registry.get_dataset(request["dataset"], **given)
    except OSError as error:
        raise DataError(f"cannot read {request['dataset']}: {error.strerror or error}") from error
