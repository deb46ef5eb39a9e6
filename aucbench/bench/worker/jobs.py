"""The jobs of supervised processes: look names up, read a data set, map its rows, fit, score.

Each function is called as function(request, room, steps) by a supervisor; `requests` says
what the requests hold. An `AucbenchError` of `read` or `split` is a refusal: the cells that
need those rows are skipped, with its sentence as the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import replace
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from aucbench import registry
from aucbench.bench.cell import TARGET_FILE, Cell, Choice
from aucbench.bench.codec import load
from aucbench.bench.fingerprints import code_fingerprint, file_fingerprint
from aucbench.bench.inline import unpickle_solver
from aucbench.bench.sources import why_in_chunks
from aucbench.bench.worker import machine, rows
from aucbench.bench.worker.blame import blamed
from aucbench.bench.worker.build import build, describe_pairs, paired, plugin_of
from aucbench.bench.worker.classes import fitted_classes
from aucbench.bench.worker.features import Refitted, map_split
from aucbench.bench.worker.measure import FittedCell, fitted_cell
from aucbench.bench.worker.plain import plain_parameters, strict
from aucbench.bench.worker.resolve import resolve_spec
from aucbench.bench.worker.rows import NAMES, RAW, TEST, TRAIN, Block, write_block
from aucbench.bench.worker.tune import Tuned, tune
from aucbench.contract import Solver
from aucbench.data import Categories, Data
from aucbench.data.arrays import Index, Rows
from aucbench.data.inputs import require_filled
from aucbench.data.packed import arrays_of, known_of, pack_arrays, unpack_known, unpack_numbers
from aucbench.datasets.chunked.data import folders_of, open_chunked
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables import with_shapes
from aucbench.errors import DataError, UnsupportedError
from aucbench.features.chunked import with_features
from aucbench.processes.child import Room
from aucbench.processes.records import MOST_BYTES
from aucbench.registry.inline import register_object
from aucbench.registry.specs import Spec, SpecChain
from aucbench.scale import ChunkedData
from aucbench.solving.refusals import why_refused

Request = Mapping[str, Any]
Steps = Mapping[str, Path]
ABOUT, LEARNT = "about", "learnt"  # in the blocks of steps
MOST_SCORES = MOST_BYTES // 9  # test rows of a cell
OTHER_CODE = (
    "this host computes with other files of aucbench, or other versions of its libraries, "
    "than the one that planned the cell; install the same on both"
)
own_code = lru_cache(maxsize=1)(code_fingerprint)  # read once, by the process that is forked


def resolve(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Look a name up, see `aucbench.bench.worker.resolve.resolve_spec`."""
    _take(request)
    choice = load(request["choice"], Choice)
    return resolve_spec(request["kind"], choice.spec, choice.tune, request["replaced"])


def read(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Read a data set: keep its rows, and hand its target over to the parent.

    What is known of the rows besides their features, see `known_of`, is in the file target.npz.
    Only the parent gets it, and no process of a cell. The answer has the hash, n, d, and counts.
    """
    with blamed():
        data = data_of(request)
        about = _describe_data(data, room)
        if isinstance(data, ChunkedData):
            about |= {"chunks": [*data.parts.sizes], "places": folders_of(data)}
            arrays, facts = rows.chunks(RAW, data)
            write_block(room.kept, arrays, {**facts, ABOUT: about})
            return about
        arrays, facts = rows.parts(RAW, data.rows, data.schema)
        names = None if data.names is None or data.schema is not None else [*data.names]
        write_block(room.kept, arrays, {**facts, ABOUT: about, rows.NAMES: names})
        return about


def _describe_data(data: Data | ChunkedData, room: Room) -> dict[str, Any]:
    known = known_of(data) if isinstance(data, Data) else arrays_of(data.target)
    room.hand(TARGET_FILE, pack_arrays(known))
    return {
        "hash": rows.data_hash(data),
        "n": data.n,
        "d": data.d,
        **data.target.numbers,
        "dropped": len(data.dropped),
        "understood": data.understood.to_json(),
    }


def _about(block: Block) -> dict[str, Any]:
    about: dict[str, Any] = block.facts[ABOUT]
    return about


def split(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Map the training rows and the test rows and keep them, without the target."""
    block = Block(steps[request["data"]])
    known = _about(block)
    if known["hash"] != request["hash"]:
        raise DataError(
            f"{request['dataset']} has changed since the run began; start the run again"
        )
    learnt, held = (unpack_numbers(request[name], known["n"]) for name in ("learnt", "held"))
    if (chunks := rows.opened(block, RAW)) is not None:
        return _split_chunked(request, chunks, learnt, held, room)
    raw = rows.mapped(block, RAW)
    train = unpack_known(raw.take(learnt), request["target"])
    train = shaped(request["monotone"], replace(train, schema=rows.schema_of(block, RAW)), block)
    features = registry.get_features(load(request["features"], SpecChain))
    rng = _of_split(request["seed"], request["split"])
    with blamed():
        train, test = map_split(train, raw.take(held), features, rng)
    sizes = {"n_train": train.n, "n_test": test.n, "columns": raw.d, "d": train.d}
    keeps = train.schema is None and features.keeps_columns
    about = {**sizes, "data": known["hash"]}
    about["keeps_columns"] = keeps
    arrays, facts = {LEARNT: learnt}, {ABOUT: about}
    made = (rows.parts(TRAIN, train.rows), rows.parts(TEST, test), rows.terms_parts(train.terms))
    for more, known in made:
        arrays, facts = {**arrays, **more}, {**facts, **known}
    write_block(room.kept, arrays, facts)
    return about


def _split_chunked(
    request: Request, raw: ChunkedData, learnt: Index, held: Index, room: Room
) -> dict[str, Any]:
    """Keep which rows that are read in chunks are training rows, and which test rows."""
    if held.size > MOST_SCORES:
        raise UnsupportedError(
            f"a split has {held.size} test rows, and a cell hands over at most {MOST_SCORES} "
            "scores; ask for more --splits, or for a smaller share by holdout in a plan"
        )
    train = with_features(
        str(load(request["features"], SpecChain)), replace(raw.take(learnt), seed=request["seed"])
    )
    sizes = {"n_train": learnt.size, "n_test": held.size, "columns": raw.d, "d": raw.d}
    about = {**sizes, "data": request["hash"], "keeps_columns": True}
    arrays, facts = rows.chunks(TRAIN, train)
    more, places = rows.chunks(TEST, raw.take(held))
    write_block(room.kept, {**arrays, **more}, {**facts, **places, ABOUT: about})
    return about


def _of_split(seed: int, split: int) -> np.random.Generator:
    """Return the generator for the maps of a split; inner folds draw from its children."""
    return np.random.default_rng([seed, split])


def cell(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Fit one cell to its training rows and score its test rows; the rows are read-only maps.

    Results are lines as soon as they are known, so that they survive when the cell is killed:
    {"about": sizes, conditions, plugin}, {"parameters": ...}, {"tuning": ...}, and {"point": ...}
    for each point of the curve. The arrays of a `FittedCell` are handed over as npy files, which
    the parent measures.
    """
    if request["code"] not in (None, own_code()):
        return {"status": "error", "reason": OTHER_CODE}
    _take(request)
    planned = load(request["cell"], Cell)

    def lines(thing: Mapping[str, Any]) -> None:
        room.line(strict(thing))

    try:
        source, block = (Block(steps[request[name]]) for name in ("data", "rows"))
        known = _about(block)
        train: Data | ChunkedData | None = rows.opened(block, TRAIN)
        if train is None:
            train = unpack_known(rows.mapped(block, TRAIN), request["target"])
            train = replace(train, terms=rows.terms_of(block))
        conditions = machine.here()
        if planned.repeat_fits > 1:  # it is fitted again for its time
            conditions["pinned"] = machine.pin()
        lines({"about": {**known, "conditions": conditions}})
        with blamed():
            train = train if isinstance(train, ChunkedData) else paired(planned, train)
            solver = build(planned, {})
            lines({"about": {"plugin": plugin_of("solvers", planned.solver)}})
            done = _fitted(planned, solver, train, source, block, room, lines)
        # After the fit, which imports what is in the folder of a file as late as it likes.
        for path, fingerprint in request["files"].items():
            if file_fingerprint(Path(path)) != fingerprint:
                changed = f"{path} has changed since the run began; start the run again"
                return {"status": "error", "reason": changed}
        return done
    except SystemExit as leaving:  # of a plugin; the process has a result to hand over
        return {"status": "error", "reason": str(leaving), "error_type": "SystemExit"}


def _fitted(
    planned: Cell,
    solver: Solver,
    train: Data | ChunkedData,
    source: Block,
    block: Block,
    room: Room,
    lines: Callable[[Mapping[str, Any]], None],
) -> dict[str, Any]:
    cost: dict[str, Any] = {}
    try:
        if isinstance(train, ChunkedData):
            _require_plain(planned)
        elif facts := describe_pairs(planned, solver, train):
            lines({"about": facts})
    except (DataError, UnsupportedError) as refusal:  # these rows have no such pairs
        return {"status": "skipped", "reason": str(refusal)}
    if reason := why_refused(solver, train):
        return {"status": "skipped", "reason": reason}
    if planned.tune and isinstance(train, Data):
        try:
            tuned = _tuned(planned, source, block, train)
        except (DataError, UnsupportedError) as refusal:
            return {"status": "skipped", "reason": str(refusal)}
        lines({"tuning": tuned.to_json()})
        solver, cost = build(planned, tuned.best), {"tune_seconds": tuned.seconds}
    lines({"parameters": plain_parameters(solver)})
    try:
        of_classes = isinstance(train, Data) and isinstance(train.target, Categories)
        fitted: Any = fitted_classes if of_classes else fitted_cell
        done = fitted(planned, solver, train, partial(_test_rows, block), lines)
    except UnsupportedError as refusal:  # for example, more rows than the method is for
        return {"status": "skipped", "reason": str(refusal)}
    return _handed(done, cost, block, room)


def _test_rows(block: Block) -> Rows | ChunkedData:
    return rows.opened(block, TEST) or rows.mapped(block, TEST)


def _require_plain(cell: Cell) -> None:
    """Refuse what rows that are read in chunks cannot have."""
    asked = {
        "tuning": bool(cell.tune),
        "pairs": cell.pairs is not None,
        "monotone": cell.monotone is not None,
        "another objective": cell.objective is not None,
        "another projector": cell.projector is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise UnsupportedError(
            f"{' and '.join(named)} cannot be had when rows are read in chunks; leave it out"
        )


def _handed(done: FittedCell, cost: Mapping[str, Any], block: Block, room: Room) -> dict[str, Any]:
    """Hand the arrays of a fit over, and return its result."""
    for name, array in done.arrays.items():
        content = BytesIO()
        np.save(content, np.asarray(array, np.float64), allow_pickle=False)
        room.hand(f"{name}.npy", content.getvalue())
    facts = {**cost, **done.result}
    facts["keeps_columns"] = _about(block)["keeps_columns"] and facts.get("keeps_columns")
    plain: dict[str, Any] = strict(facts)
    return plain


def _tuned(planned: Cell, source: Block, block: Block, train: Data) -> Tuned:
    features, refit = registry.get_features(planned.features), None
    schema = rows.schema_of(source, RAW)
    if schema is not None or not features.shared:
        numbers, rng = block.array(LEARNT), _of_split(planned.seed, planned.split)
        raw = replace(train, rows=rows.mapped(source, RAW).take(numbers), schema=schema)
        train = replace(train, shapes=shaped(planned.monotone, raw, source).shapes)
        refit = Refitted(features, train, rows.mapped(source, RAW), schema, numbers, rng)
    return tune(planned, partial(build, planned), train, refit)


def _take(request: Request) -> None:
    """Make the objects that came with a request known by their names."""
    inline = request.get("inline", {})
    for name, packed in inline.get("solvers", {}).items():
        register_object("solvers", name, partial(unpickle_solver, packed))
    for name, folder in inline.get("datasets", {}).items():
        register_object("datasets", name, partial(partial, rows.load_data, Path(folder)))


def data_of(request: Request) -> Data | ChunkedData:
    """Return the data set of a request, read in the folder where relative paths start."""
    _take(request)
    dataset, folder = load(request["dataset"], Spec), request["folder"]
    reading = load(request["reading"], ReadOptions)
    if (why := why_in_chunks(str(dataset), folder)) is not None:
        return open_chunked(Path(folder) / str(dataset), reading, why=why)
    try:
        with chdir(request["folder"] if Path(request["folder"]).is_dir() else "."):
            data = registry.get_dataset(dataset, **reading.options())
    except OSError as error:
        raise DataError(f"cannot read {dataset}: {error.strerror or error}") from error
    if isinstance(data, Data):
        require_filled(data.rows, str(dataset))
    return data


def shaped(monotone: str | None, data: Data, source: Block) -> Data:
    """Return raw rows with the shapes that are asked for; the source knows names of columns.

    It raises `DataError` where there is no such column.
    """
    if monotone is None:
        return data
    names = source.facts.get(NAMES)
    return with_shapes(replace(data, names=None if names is None else tuple(names)), monotone)
