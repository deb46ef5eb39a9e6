"""Rows in blocks, mapped read-only by the processes that compute with them.

All that map a block share its pages. None can write to it, see `aucbench.processes.room`, so that
no solver sees what another one wrote. No target is ever written here: the training rows of one
split are test rows of another, whose cells may run at the same time and read any file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data, Terms
from aucbench.data.arrays import Rows
from aucbench.data.packed import arrays_of, known_of, pack_arrays, unpack_arrays, with_known
from aucbench.data.understood import Understood
from aucbench.datasets.tables import Schema
from aucbench.registry.fingerprints import CANONICAL, HASH_BYTES

ALIGN = 64  # bytes, a line of the cache
LENGTH = 8  # bytes of the length
Arrays = dict[str, NDArray[Any]]
Facts = dict[str, Any]
ROWS_FILE, SOURCE_FILE = "rows", "known.npz"
RAW, TRAIN, TEST = "raw", "train", "test"  # places in a block
KNOWN = "known"  # among the facts of a block: what a reader knows besides numbers
NAMES, TERMS = "names", "terms"  # of a data set's columns; of the features that a map made of them
NAMED = ("groups", "times", "weights")
OF_TERMS = ("owner", "curved", "low", "high")


def laid_out(
    arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
) -> Iterator[bytes | memoryview]:
    """Yield the parts of a block; the facts are JSON.

    The arrays come first, each at a multiple of `ALIGN`, then JSON that says where they are, then
    its length.
    """
    places, at = {}, 0
    for name, array in arrays.items():
        whole = np.ascontiguousarray(array)
        places[name] = [whole.dtype.str, whole.shape, at]
        gap = -whole.nbytes % ALIGN
        at += whole.nbytes + gap
        yield whole.reshape(-1).view(np.uint8).data
        yield bytes(gap)
    index = json.dumps({"arrays": places, "facts": facts}, allow_nan=False).encode()
    yield index
    yield len(index).to_bytes(LENGTH, "little")


class Block:
    """Arrays and facts in one block of bytes, which cannot be written."""

    def __init__(self, content: memoryview | bytes):
        self._content = memoryview(content)

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the arrays."""
        facts: dict[str, Any] = self._index["facts"]
        return facts

    @property
    def names(self) -> list[str]:
        """Names of the arrays."""
        return [*self._index["arrays"]]

    def __contains__(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name in self._index["arrays"]

    def array(self, name: str) -> NDArray[Any]:
        """Return an array, which cannot be written."""
        kind, shape, at = self._index["arrays"][name]
        dtype = np.dtype(kind)
        count = int(np.prod(shape))
        return np.frombuffer(self._content, dtype, count, at).reshape(shape)

    @cached_property
    def _index(self) -> dict[str, Any]:
        end = len(self._content) - LENGTH
        size = int.from_bytes(self._content[end:], "little")
        index: dict[str, Any] = json.loads(bytes(self._content[end - size : end]))
        return index


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
    with (folder / ROWS_FILE).open("wb") as file:
        arrays, places = parts(RAW, data.rows)
        file.writelines(laid_out(arrays, {**places, KNOWN: _known(data)}))
    (folder / SOURCE_FILE).write_bytes(pack_arrays(known_of(data)))


def load_data(folder: Path, *, test: str | None = None) -> Data:
    """Inverse of `save_data`; the arrays of the rows are read-only maps.

    A plan says by `test` that some rows only test; the folds of the rows say which.
    """
    with (folder / ROWS_FILE).open("rb") as file:
        block = Block(memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)))
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
