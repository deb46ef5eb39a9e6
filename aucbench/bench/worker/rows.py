"""Rows in blocks, mapped read-only by the processes that compute with them.

A block is a folder of npy files and of facts in JSON. All that map it share its pages, and none can
write to them, so that no solver sees what another one wrote. No target is ever written here: the
training rows of one split are test rows of another, whose cells may run at the same time and read
any file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.fingerprints import CANONICAL, HASH_BYTES
from aucbench.data import Data, Terms
from aucbench.data.arrays import Rows
from aucbench.data.data import ties_of
from aucbench.data.packed import arrays_of, known_of, pack_arrays, unpack_arrays, with_known
from aucbench.data.understood import Understood
from aucbench.datasets.chunked.data import open_again
from aucbench.datasets.tables import Schema
from aucbench.errors import DataError
from aucbench.scale import ChunkedData
from aucbench.scale.chosen import Chosen, read_from

INDEX = "facts.json"
READ_ONLY = 0o444
Arrays = dict[str, NDArray[Any]]
Facts = dict[str, Any]
SOURCE_FILE = "known.npz"
RAW, TRAIN, TEST = "raw", "train", "test"  # places in a block
CHUNKED, BITS = "chunked", "bits"  # of rows that are read in chunks: how, and which of them
KNOWN = "known"  # among the facts of a block: what a reader knows besides numbers
NAMES, TERMS = "names", "terms"  # of a data set's columns; of the features that a map made of them
NAMED = ("groups", "times", "weights")
OF_TERMS = ("owner", "curved", "low", "high")


def write_block(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write a block: arrays as npy files, and facts as JSON."""
    for name, array in arrays.items():
        path = folder / f"{name}.npy"
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)  # of a process that was ended
        np.save(path, array, allow_pickle=False)
        path.chmod(READ_ONLY)
    text = json.dumps({"names": [*arrays], "facts": facts}, allow_nan=False)
    (folder / INDEX).write_text(text, encoding="utf-8")


class Block:
    """Arrays and facts in a folder; the arrays are maps, which cannot be written."""

    def __init__(self, folder: Path):
        self._folder = folder
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        self.facts: dict[str, Any] = index["facts"]
        self.names: list[str] = index["names"]

    def __contains__(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name in self.names

    def array(self, name: str) -> NDArray[Any]:
        """Return an array, which cannot be written."""
        return np.asarray(np.load(self._folder / f"{name}.npy", mmap_mode="r"))


def data_hash(data: Data | ChunkedData) -> str:
    """Return a hash of shape, layout, stored numbers, of what `known_of` has, and of the schema.

    Of rows that are read in chunks it is one of names, sizes and times of their files.

    Feature names do not count, except in a schema.

    The layout counts because it decides the order in which a kernel adds, and with it the
    last digits of a result. So does float32, of which other bytes could be the same numbers.
    """
    if isinstance(data, ChunkedData):
        return data.parts.fingerprint
    X = data.rows
    shape = [X.n, X.d, "csr" if X.is_sparse else "dense"]
    shape += ["float32"] * (X.stored.dtype == np.float32)  # float64 has no word, to keep ids
    hashed = blake2b(json.dumps(shape).encode(), digest_size=HASH_BYTES)
    for name, array in {**_stored(X), **ties_of(data), **arrays_of(data.target)}.items():
        if name in NAMED:  # two arrays of one type could stand for each other
            hashed.update(name.encode())
        hashed.update(np.ascontiguousarray(array).data)
    if data.schema is not None:
        hashed.update(CANONICAL.encode(data.schema.to_json()).encode())
    return hashed.hexdigest()


def parts(place: str, X: Rows, schema: Schema | None = None) -> tuple[Arrays, Facts]:
    """Return the arrays of a matrix, for a block, and what `mapped` has to know of them.

    If they are codes of a table, its schema is there too.
    """
    arrays = {f"{place}/{name}": array for name, array in _stored(X).items()}
    table = {} if schema is None else {"schema": schema.to_json()}
    return arrays, {place: {"n": X.n, "d": X.d, **table}}


def mapped(block: Block, place: str) -> Rows:
    """Return the rows of a place in a block; nobody can write to their arrays."""
    known = block.facts[place]
    sparse = f"{place}/starts" in block
    columns, starts = (
        block.array(f"{place}/{name}") if sparse else None for name in ("columns", "starts")
    )
    return Rows(block.array(f"{place}/values"), columns, starts, known["n"], known["d"])


def chunks(place: str, data: ChunkedData) -> tuple[Arrays, Facts]:
    """Return for a block which rows of files these are, and what `opened` has to know of them."""
    source, some = read_from(data.parts), data.parts
    known = {"hash": source.fingerprint, "seed": data.seed, "standard": data.standard}
    arrays = {f"{place}/{BITS}": some.bits} if isinstance(some, Chosen) else {}
    return arrays, {place: {CHUNKED: dict(data.opened), **known}}


def opened(block: Block, place: str) -> ChunkedData | None:
    """Return the rows of a place in a block that are read in chunks; None if they are mapped.

    Raises
    ------
    DataError
        When their files have changed.
    """
    known = block.facts[place]
    if CHUNKED not in known:
        return None
    data = open_again(known[CHUNKED])
    if data.parts.fingerprint != known["hash"]:
        source = known[CHUNKED]["source"]
        raise DataError(f"{source} has changed since the run began; start the run again")
    some = f"{place}/{BITS}" in block
    chosen = Chosen(data.parts, block.array(f"{place}/{BITS}")) if some else data.parts
    return replace(data, parts=chosen, seed=known["seed"], standard=known["standard"])


def schema_of(block: Block, place: str) -> Schema | None:
    """Return the schema of the rows of a place, if they are codes of a table."""
    schema = block.facts[place].get("schema")
    return None if schema is None else Schema.from_json(schema)


def terms_parts(terms: Terms | None) -> tuple[Arrays, Facts]:
    """Return the arrays of terms, for a block, and what `terms_of` has to know of them.

    Where each feature is a term of its own without a bound there is nothing to say.
    """
    if terms is None or (not terms.are_bounded and len(terms.columns) == terms.owner.size):
        return {}, {}
    arrays = {name: getattr(terms, name) for name in OF_TERMS}
    known = {f"{TERMS}/{name}": array for name, array in arrays.items() if array is not None}
    return known, {TERMS: [[*columns] for columns in terms.columns]}


def terms_of(block: Block) -> Terms | None:
    """Inverse of `terms_parts`."""
    if (columns := block.facts.get(TERMS)) is None:
        return None
    names = (name for name in OF_TERMS if f"{TERMS}/{name}" in block)
    arrays: Any = {name: block.array(f"{TERMS}/{name}") for name in names}
    return Terms(tuple(map(tuple, columns)), **arrays)


def save_data(data: Data, folder: Path) -> None:
    """Write rows and all that is known of them into a new folder, from which a process reads them.

    It is a source of data, as a file of the user is; no folder of a run gets its target.
    """
    folder.mkdir()
    arrays, places = parts(RAW, data.rows)
    write_block(folder, arrays, {**places, KNOWN: _known(data)})
    (folder / SOURCE_FILE).write_bytes(pack_arrays(known_of(data)))


def load_data(folder: Path, *, test: str | None = None) -> Data:
    """Inverse of `save_data`; the arrays of the rows are read-only maps.

    A plan says by `test` that some rows only test; the folds of the rows say which.
    """
    block = Block(folder)
    data = with_known(mapped(block, RAW), unpack_arrays((folder / SOURCE_FILE).read_bytes()))
    return _with_known(data, block.facts[KNOWN])


def _known(data: Data) -> Facts:
    """Return as JSON holds it what the reader of a source knows besides numbers."""
    return {
        "names": data.names,
        "dropped": data.dropped,
        "schema": None if data.schema is None else data.schema.to_json(),
        "understood": data.understood.to_json(),
    }


def _with_known(data: Data, known: Mapping[str, Any]) -> Data:
    """Return data with what `_known` has returned."""
    schema, names = known["schema"], known["names"]
    return replace(
        data,
        names=None if names is None else tuple(names),
        dropped=tuple(known["dropped"]),
        schema=None if schema is None else Schema.from_json(schema),
        understood=Understood.from_json(known["understood"]),
    )


def _stored(X: Rows) -> dict[str, NDArray[Any]]:
    arrays = {"values": X.stored, "columns": X.columns, "starts": X.starts}
    return {name: array for name, array in arrays.items() if array is not None}
