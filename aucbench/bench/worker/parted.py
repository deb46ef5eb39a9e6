"""Cells whose rows come in parts: they read the files themselves, again and again.

The parent deals the rows to splits, and keeps the labels of test rows, as always. But the labels
are in the files beside the features, and the process of a cell reads these. So what a plugin does
not see there is only what it does not look for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.cell import Cell
from aucbench.bench.parted import MAPS, STANDARD, names_parts, why_too_large
from aucbench.bench.worker.measure import FittedCell, fitted_on_parts
from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.packed import unpack_numbers
from aucbench.data.targets import Labels
from aucbench.data.understood import Remark
from aucbench.datasets.parted import open_parts
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError, UnsupportedError
from aucbench.processes.records import MOST_BYTES
from aucbench.protocols import Solver
from aucbench.scale import ChunkedData, Here, Parts, Piece
from aucbench.scale.sifted import Chosen

PARTS = "parts"  # in the blocks of steps: how the parts are opened
MOST_SCORES = MOST_BYTES // 9  # test rows of a cell
Facts = dict[str, Any]


def opened(request: Mapping[str, Any]) -> tuple[Parts, Facts] | None:
    """Return the parts of a data set, and how to open them; None where it is read into memory."""
    source = str(request["dataset"])
    path = os.fspath(Path(request["folder"]) / source)
    why = None
    if not names_parts(source, request["folder"]) and (why := why_too_large(Path(path))) is None:
        return None
    reading = request["reading"]
    parts = open_parts(path, Reading.from_json(reading))
    return parts, {"source": path, "reading": reading, "why": why}


def data_of(parts: Parts, facts: Facts) -> Data:
    """Return the target of the rows in parts, without the rows: one reading."""
    engine = Here()
    y = np.concatenate([y for _, own in engine.scan(parts, labels_of) for y in own])
    known = getattr(parts, "understood", None)
    data = Data(Rows(np.empty(0), None, None, y.size, parts.d), Labels(y), names=parts.names)
    if known is None:
        return data
    if facts["why"]:
        known = replace(known, remarks=(*known.remarks, Remark(facts["why"])))
    return replace(data, understood=known)


def labels_of(piece: Piece) -> NDArray[np.int8]:
    """Return the labels of a piece."""
    return piece.y


def places_of(parts: Parts) -> list[str]:
    """Return the folders of the files."""
    files: Any = getattr(parts, "files", None)
    paths = [file.path for file in files] if files else _stored(parts)
    return sorted({str(Path(path).absolute().parent) for path in paths})


def _stored(parts: Parts) -> list[str]:
    arrays: Any = getattr(parts, "arrays", {})
    return [array.path for array in arrays.values()]


def fitted(
    cell: Cell,
    solver: Solver,
    known: Facts,
    split: Facts,
    digest: str,
    lines: Callable[[Mapping[str, Any]], None],
) -> FittedCell:
    """Fit a cell to its training rows, and score its test rows.

    Parameters
    ----------
    known : dict
        How the parts are opened.
    split : dict
        The numbers of training and of test rows, packed.
    digest : str
        The fingerprint that the parts must have.

    Raises
    ------
    DataError
        When the files have changed.
    UnsupportedError
        When something that the cell asks for does not work by parts.
    """
    _require_plain(cell)
    parts = open_parts(known["source"], Reading.from_json(known["reading"]))
    if parts.fingerprint != digest:
        raise DataError(f"{known['source']} has changed since the run began; start the run again")
    learnt, held = (
        Chosen(parts, unpack_numbers(split[name], parts.n)) for name in ("learnt", "held")
    )
    if held.n > MOST_SCORES:
        raise UnsupportedError(
            f"a split has {held.n} test rows, and a cell hands over at most {MOST_SCORES} scores; "
            "ask for more --splits, or for a smaller share by holdout in a plan"
        )
    train = ChunkedData(learnt, seed=cell.seed, standard=cell.features in STANDARD)
    return fitted_on_parts(cell, solver, train, replace(train, parts=held), lines)


def _require_plain(cell: Cell) -> None:
    """Refuse what asks for all rows at once."""
    if cell.features not in MAPS:
        raise UnsupportedError(
            f"the map {cell.features} learns from rows in memory, and these come in parts; take "
            f"one of {', '.join(MAPS)}"
        )
    asked = {
        "tuning": bool(cell.tune),
        "pairs": cell.pairs is not None,
        "monotone": cell.monotone is not None,
        "another objective": cell.objective is not None,
        "another projector": cell.projector is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise UnsupportedError(
            f"{' and '.join(named)} cannot be had when rows come in parts; leave it out"
        )
