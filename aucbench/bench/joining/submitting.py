"""`submit`: the cells of one solver as a small results folder, which others merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from aucbench.bench.cell import Cell
from aucbench.bench.joining.origin_of import Gathered, name_from, named_person, said_by
from aucbench.bench.joining.private import without_places, without_private
from aucbench.bench.joining.public import require_public, require_released
from aucbench.bench.overview import wanted_ids
from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plans, write_plan
from aucbench.bench.results.imports import Imports
from aucbench.bench.results.origins import Origin, hash_of_scores, keep_origin, origins_of
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.data.npz import unpack
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError, UnknownNameError
from aucbench.store.folder import SCRATCH
from aucbench.store.lock import holder, is_held
from aucbench.store.shard import require_key
from aucbench.store.trees import require_new, whole_tree

KEPT = ("scores", "rows", "w")  # arrays of a cell: no target is among them


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What `submit` has written.

    Attributes
    ----------
    folder : Path
    origin : Origin
        What the folder says of where its cells come from.
    cells : int
    failed : mapping of str to int
        How many of the cells failed, by status; they count as worst.
    bytes : int
        Size of the folder.
    """

    folder: Path
    origin: Origin
    cells: int
    failed: Mapping[str, int]
    bytes: int


def submit(
    results: str | Path,
    solvers: str | Sequence[str],
    out: str | Path,
    *,
    name: str | None = None,
    by: str = "",
) -> Submission:
    """Write the cells of a solver as a results folder of their own, for others to merge.

    It has the plan with this solver alone, the records, the scores of test rows, and what is known
    of the data sets: no rows and no targets. It names no host, no user and no folder.

    Parameters
    ----------
    results : path
        A results folder whose run has ended.
    solvers : str or sequence of str
        Names of solvers, as tables have them. A name without parameters stands for all its
        variants.
    out : path
        The folder to write; new or empty.
    name : str, optional
        What to call it, 2 to 128 of the characters 0-9 a-z _ -. [default: that of the solver]
    by : str
        Who has run the cells, as others may read it.

    Raises
    ------
    DataError
        When cells are missing or stale, a run goes on, the data or the code are of one machine, or
        a folder cannot be read or written.
    UnknownNameError
        When no plan of the folder has the solver.
    ParameterError
        When the name cannot be that of a file, or `out` holds something.
    """
    asked = (solvers,) if isinstance(solvers, str) else tuple(solvers)
    called = require_key(name) if name is not None else name_from("-".join(asked))
    store, out = Store(Path(results)), Path(out)
    require_new(out)
    _require_still(store)
    plans = plans_of(asked, parse_plans(store.plans()), str(results))
    for plan in plans:
        require_public(plan, str(results))
    ids = wanted_ids(plans)
    _require_finished(store, ids)
    with new_store(out) as written:
        gathered, failed = _handed_over(store, dict.fromkeys(ids.values()), written)
        for plan in plans:
            keep_plan(written, plan)
        origin = gathered.origin(called, plans, by=named_person(by))
        keep_origin(written, origin)
    return Submission(
        folder=out, origin=origin, cells=len(gathered.cells), failed=failed, bytes=_size(out)
    )


def plans_of(asked: Sequence[str], plans: Sequence[Plan], folder: str) -> list[Plan]:
    """Return the plans of a folder with these solvers alone, each plan once."""
    if not plans:
        raise DataError(f"{folder} holds no plan; run one into it with `aucbench run --out`")
    labels = {choice.label for plan in plans for choice in plan.solvers}
    names = {choice.spec.name for plan in plans for choice in plan.solvers}
    for text in asked:
        if text not in labels | names:
            raise UnknownNameError(f"solver in {folder}", text, labels)
    cut = {}
    for plan in plans:
        chosen = tuple(choice for choice in plan.solvers if _is_asked(choice, asked))
        if chosen:  # looks judge pairs of solvers, and are over
            alone = replace(plan, solvers=chosen, looks=None, reference=None)
            cut[write_plan(alone, places=False)] = alone
    return [*cut.values()]


def _is_asked(choice: Choice, asked: Collection[str]) -> bool:
    return choice.label in asked or choice.spec.name in asked


@contextmanager
def new_store(out: Path) -> Iterator[Store]:
    """Yield the store of a new results folder, which is there when it is complete."""
    with whole_tree(out) as beside:
        with Store(beside, create=True) as store:
            yield store
        rmtree(beside / SCRATCH)


def keep_plan(store: Store, plan: Plan) -> None:
    """Keep a plan, as a run does."""
    store.keep_plan(write_plan(plan), write_plan(plan, places=False))


def _require_still(store: Store) -> None:
    """Raise `DataError` where a run goes on, or where the cells are of several people."""
    if is_held(store.folder):
        raise DataError(
            f"{holder(store.folder)} writes into {store.folder}, or was killed there; wait until "
            "it ends, or run its plan again, and then submit"
        )
    if origins := origins_of(store):
        raise DataError(
            f"{store.folder} holds cells of {len(origins)} other folder(s); submit from the folder "
            "into which the solver was run"
        )


def _require_finished(store: Store, ids: Mapping[Cell, str]) -> None:
    """Raise `DataError` unless each cell has a record that counts."""
    imports, here = Imports(), set()
    for key in ids.values():
        values = store.read(key)
        if values is not None and imports.same(values.imports):
            here.add(key)
    missing = {cell for cell, key in ids.items() if key not in here}
    if not missing:
        return
    stale = {record.cell for record in store.records() if record.cell in missing}
    again = f"run its plan again into {store.folder}, and then submit"
    if stale:
        one = _first(stale)
        raise DataError(
            f"{len(stale)} of {len(ids)} cells are stale, such as {one}: the data, the plugin, "
            f"aucbench or a library has changed since; {again}"
        )
    raise DataError(
        f"{len(missing)} of {len(ids)} cells have no result yet, such as {_first(missing)}; {again}"
    )


def _first(cells: Iterable[Cell]) -> str:
    return min(map(str, cells))


def _handed_over(
    store: Store, keys: Iterable[str], written: Store
) -> tuple[Gathered, Counter[str]]:
    """Write cells into a folder; return what their records say, and how many failed, by status."""
    gathered = Gathered()
    failed: Counter[str] = Counter()
    known: dict[str, Mapping[str, Any]] = {}
    for key in keys:
        record = _released(store, key)
        scores = _scores(store, record)
        gathered.add(key, said_by(record), None if scores is None else hash_of_scores(scores))
        written.write(record, None if scores is None else pack_arrays(scores))
        if not record.ok:
            failed[record.status.status.value] += 1
        if (data := record.sizes.data) is not None and data not in known:
            known[data] = without_places(store.about(data) or {})
    written.keep_about({data: about for data, about in known.items() if about})
    return gathered, failed


def _released(store: Store, key: str) -> Record:
    """Return the record of a cell as others may read it."""
    record = store.read(key)
    if record is None:
        raise DataError(f"the result {key} has gone from {store.folder}; submit again")
    require_released(record, str(store.folder))
    return without_private(record)


def _scores(store: Store, record: Record) -> dict[str, Any] | None:
    """Return what is handed over of the scores of a cell; None where it failed."""
    if not record.ok:
        return None
    arrays = store.blob(record.id, unpack)
    if arrays is None:
        raise DataError(
            f"{store.folder} has no scores of {record.cell}; delete its record {record.id}, and "
            "run its plan again"
        )
    return {name: arrays[name] for name in KEPT if name in arrays}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
