"""Rows on disk, mapped read-only by the processes that compute with them.

Design
  a. Each array is a .npy file. All processes that map it share its pages, so that the cells
     of a data set need its memory only once, however many they are.
  b. The maps are read-only. A solver that writes to its input gets an exception from NumPy
     or a segmentation fault from C. No other solver ever sees what it wrote.
  c. No target is ever written here. The training rows of one split are test rows of another,
     and cells of both may run at the same time and read any file.
"""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.npy import read_array, write_array
from aucbench.data.packed import arrays_of, known_of, pack_arrays, unpack_arrays, with_known
from aucbench.registry.fingerprints import CANONICAL, HASH_BYTES
from aucbench.tables import Schema

SOURCE_FILE = "known.npz"
NAMED = ("groups", "times", "weights")


def data_hash(data: Data) -> str:
    """Return a hash of shape, layout, stored numbers, of what `known_of` has, and of the schema.

    Feature names do not count, except in a schema.

    The layout counts because it decides the order in which a kernel adds, and with it the
    last digits of a result. So does float32, of which other bytes could be the same numbers.
    """
    X = data.rows
    shape = [X.n, X.d, "csr" if X.is_sparse else "dense"]
    shape += ["float32"] * (X.dtype == np.float32)  # float64 has no word, to keep ids
    hashed = blake2b(json.dumps(shape).encode(), digest_size=HASH_BYTES)
    for name, array in {**_stored(X), **data.ties, **arrays_of(data.target)}.items():
        if name in NAMED:  # two arrays of one type could stand for each other
            hashed.update(name.encode())
        hashed.update(np.ascontiguousarray(array).data)
    if data.schema is not None:
        hashed.update(CANONICAL.encode(data.schema.to_json()).encode())
    return hashed.hexdigest()


def save(X: Rows, folder: Path, schema: Schema | None = None) -> None:
    """Write the arrays of a matrix into a folder, which is made if need be.

    If they are codes of a table, its schema goes there too.
    """
    folder.mkdir(exist_ok=True)
    for name, array in _stored(X).items():
        write_array(folder, name, array)
    table = {} if schema is None else {"schema": schema.to_json()}
    write_about(folder, {"n": X.n, "d": X.d, **table})


def save_data(data: Data, folder: Path) -> None:
    """Write rows and all that is known of them into a new folder, from which a process reads them.

    It is a source of data, as a file of the user is; no folder of a run gets its target.
    """
    folder.mkdir()
    save(data.rows, folder / "raw", data.schema)
    (folder / SOURCE_FILE).write_bytes(pack_arrays(known_of(data)))


def load_data(folder: Path) -> Data:
    """Inverse of `save_data`; the arrays of the rows are read-only maps."""
    found = with_known(mapped(folder / "raw"), unpack_arrays((folder / SOURCE_FILE).read_bytes()))
    return replace(found, schema=schema_of(folder / "raw"))


def mapped(folder: Path) -> Rows:
    """Return the rows of a folder; the arrays are read-only maps of the files."""
    about = read_about(folder)
    sparse = (folder / "starts.npy").exists()
    columns, starts = (
        read_array(folder, name) if sparse else None for name in ("columns", "starts")
    )
    return Rows(read_array(folder, "values"), columns, starts, about["n"], about["d"])


def schema_of(folder: Path) -> Schema | None:
    """Return the schema of the rows of a folder, if they are codes of a table."""
    found = read_about(folder).get("schema")
    return None if found is None else Schema.from_json(found)


def write_about(folder: Path, about: dict[str, Any]) -> None:
    """Write what is known of the arrays of a folder."""
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def read_about(folder: Path) -> dict[str, Any]:
    """Return what `write_about` wrote."""
    about: dict[str, Any] = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return about


def _stored(X: Rows) -> dict[str, NDArray[Any]]:
    found = {"values": X.stored, "columns": X.columns, "starts": X.starts}
    return {name: array for name, array in found.items() if array is not None}
