"""A small cell that the warm process computes, before any process is forked from it.

Design
  a. What runs for the first time fills caches: of imports, signatures, abstract classes and the
     interpreter's own. In a forked process each one costs a copy of the pages that it stands in.
     After a rehearsal a cell finds these caches filled.
  b. Its solver takes one step, so that no solver that is compared finds its own code prepared.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aucbench.cell import Cell
from aucbench.data import Data
from aucbench.data.packed import pack_known, pack_numbers
from aucbench.fit import jobs, rows
from aucbench.infra.scratch import Scratch
from aucbench.reading import Reading
from aucbench.registry.specs import parse_spec

SOLVER = "constant"
N = 24  # rows; every second one is learnt


def rehearse() -> None:
    """Map the rows of a split and fit a cell to them, in a folder that is removed again."""
    with Scratch() as scratch:
        _split_and_fit(scratch.path)


def _split_and_fit(folder: Path) -> None:
    steps = {name: folder / name for name in ("data", "rows", "cell")}
    for room in steps.values():
        room.mkdir()
    known = Data.of(np.arange(4.0 * N).reshape(N, 4) % 7, np.arange(N) // 2 % 2)
    rows.save(known.rows, steps["data"] / "raw")
    rows.write_about(steps["data"], {"hash": ""})
    learnt = np.arange(0, N, 2, dtype=np.int32)
    parts = {"learnt": pack_numbers(learnt, N), "held": pack_numbers(learnt + 1, N)}
    asked = {"data": "data", "target": pack_known(known.take(learnt))}
    split = {"hash": "", "dataset": "", "features": "auto", "split": 0, "seed": 0}
    jobs.split({**asked, **parts, **split}, steps["rows"], steps)
    cell = {"cell": _cell().to_json(), "code": jobs.own_code(), "files": {}, "rows": "rows"}
    ended = jobs.cell({**asked, **cell}, steps["cell"], steps)
    if ended["status"] != "ok":
        raise RuntimeError(f"the rehearsal of a cell ended as {ended['status']}: {ended['reason']}")


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
