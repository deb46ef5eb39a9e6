"""Rows and labels on disk, mapped read-only by the processes that compute with them.

Design
  a. One .npy file per array: mapped pages are shared by all processes that read them, so
     that any number of cells on one data set take its memory once.
  b. The maps are read-only. A solver that writes to its input gets an exception from NumPy
     and a segmentation fault from C, and no other solver ever sees what it wrote.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.targets import Labels

SIZE = 16  # bytes of a hash
CHANGES = ("example", "value", "fp_diff", "fn_diff", "fp_base", "fn_base")  # of Breakpoints


def digest(data: Data) -> str:
    """Hash of shape, layout, stored numbers, target and folds; not of feature names.

    The layout counts because it decides the order in which a kernel adds, and with it the
    last digits of a result.
    """
    X = data.rows
    shape = [X.n, X.d, "csr" if X.is_sparse else "dense"]
    hashed = blake2b(json.dumps(shape).encode(), digest_size=SIZE)
    for array in _arrays(data).values():
        hashed.update(np.ascontiguousarray(array).data)
    return hashed.hexdigest()


def save(data: Data, folder: Path) -> None:
    """Write the arrays of `data` into a folder, which is made if need be."""
    folder.mkdir(exist_ok=True)
    for name, array in _arrays(data).items():
        write(folder, name, array)
    write_about(folder, {"n": data.n, "d": data.d})


def mapped(folder: Path) -> Data:
    """Return what `save` wrote; the arrays are read-only maps of the files."""
    about = read_about(folder)
    sparse = (folder / "starts.npy").exists()
    columns, starts = (read(folder, name) if sparse else None for name in ("columns", "starts"))
    folds = read(folder, "folds") if (folder / "folds.npy").exists() else None
    found = Rows(read(folder, "values"), columns, starts, about["n"], about["d"])
    if (folder / "y.npy").exists():
        return Data(found, Labels(read(folder, "y")), folds=folds)
    e, value, fp, fn, fp_base, fn_base = (read(folder, name) for name in CHANGES)
    changes = Breakpoints(e, value, fp, fn, about["n"], fp_base, fn_base)
    return Data(found, changes, folds=folds)


def write(folder: Path, name: str, array: NDArray[Any]) -> None:
    """Write an array beside those of `save`."""
    np.save(folder / f"{name}.npy", array, allow_pickle=False)


def read(folder: Path, name: str) -> NDArray[Any]:
    """Return an array of the folder as a read-only map."""
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))


def write_about(folder: Path, about: dict[str, Any]) -> None:
    """Write what is known of the arrays of a folder."""
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def read_about(folder: Path) -> dict[str, Any]:
    """Return what `write_about` wrote."""
    about: dict[str, Any] = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return about


def _arrays(data: Data) -> dict[str, NDArray[Any]]:
    X = data.rows
    found = {"values": X.values, "columns": X.columns, "starts": X.starts, "folds": data.folds}
    if isinstance(data.target, Labels):
        found["y"] = data.y
    else:
        found |= {name: getattr(data.target, name) for name in CHANGES}
    return {name: array for name, array in found.items() if array is not None}
