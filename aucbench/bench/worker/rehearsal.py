"""A small cell that the warm process computes, before any process is forked from it.

Design
  a. What runs for the first time fills caches: of imports, signatures, abstract classes and the
     interpreter's own. In a forked process each one costs a copy of the pages that it stands in.
     After a rehearsal a cell finds these caches filled.
  b. Its solver takes one step, so that no solver that is compared finds its own code prepared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.worker import jobs, rows
from aucbench.data import Data
from aucbench.data.block import laid_out
from aucbench.data.packed import pack_known, pack_numbers
from aucbench.datasets.reading import Reading
from aucbench.processes.kept import Kept
from aucbench.processes.room import Notes, Room
from aucbench.processes.scratch import Scratch
from aucbench.processes.wire import close_all
from aucbench.registry.specs import parse_spec

SOLVER = "constant"
N = 24  # rows
LEARNT = np.arange(0, N, 2, dtype=np.int32)


def rehearse() -> None:
    """Map the rows of a split and fit a cell to them."""
    steps: dict[str, Kept] = {}
    with Scratch() as scratch:
        for name, call in {"data": _data, "rows": _split, "cell": _fit}.items():
            notes = Notes()
            call(Room(scratch.path, notes), steps)
            if notes.answer.kept is not None:
                steps[name] = Kept(notes.answer.kept)
            close_all(set(notes.answer.descriptors) - {notes.answer.kept})
    close_all(step.descriptor for step in steps.values())


def _data(room: Room, steps: jobs.Steps) -> None:
    arrays, facts = rows.parts(rows.RAW, _known().rows)
    room.keep(laid_out(arrays, {**facts, jobs.ABOUT: {"hash": ""}}))


def _split(room: Room, steps: jobs.Steps) -> None:
    parts = {"learnt": pack_numbers(LEARNT, N), "held": pack_numbers(LEARNT + 1, N)}
    asked = {"hash": "", "dataset": "", "features": "auto", "split": 0, "seed": 0}
    jobs.split({**_asked(), **parts, **asked}, room, steps)


def _fit(room: Room, steps: jobs.Steps) -> None:
    asked = {"cell": _cell().to_json(), "code": jobs.own_code(), "files": {}, "rows": "rows"}
    ended = jobs.cell({**_asked(), **asked}, room, steps)
    if ended["status"] != "ok":
        raise RuntimeError(f"the rehearsal of a cell ended as {ended['status']}: {ended['reason']}")


def _asked() -> dict[str, Any]:
    return {"data": "data", "target": pack_known(_known().take(LEARNT))}


def _known() -> Data:
    return Data.of(np.arange(4.0 * N).reshape(N, 4) % 7, np.arange(N) // 2 % 2)


def _cell() -> Cell:
    return Cell(
        solver=parse_spec(SOLVER),
        tune=False,
        dataset="",
        features="auto",
        objective=None,
        projector=None,
        reading=Reading(),
        splits=2,
        repeat=0,
        split=0,
        seed=0,
        passes=1.0,
        seconds=None,
        gap_tol=1e-6,
        tune_evals=1,
        inner_splits=2,
    )
