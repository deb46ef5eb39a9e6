"""The cache of data sets that have been read: a second load maps arrays and parses nothing.

a. The key is a hash of the paths, sizes and times of the files, of their rows in the manifest, of
   what was asked for, of the code that reads, and of the versions of its libraries. A program can
   set back the time of modification, but not that of the change (ctime). What was changed just
   before is not stored, since it may change again without another time.
b. An entry is two blocks (`aucbench.data.block`) of one name in two folders: rows, and what is
   known of them, labels above all. No folder that holds rows holds labels. Each is written under
   another name and then renamed, the labels first.
c. A block ends with a sum of its words of 64 bits, which is found at some 15 GB/s. It sees pages
   that a crash has lost, so that nothing waits for the disk. A damaged entry is read anew.
d. No error comes from here: without a folder that can be written, files are read each time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import rmtree
from tempfile import mkstemp
from time import time, time_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.block import Block, laid_out
from aucbench.data.packed import known_of, with_known
from aucbench.data.understood import Understood
from aucbench.datasets.download import cache_folder
from aucbench.datasets.manifest import manifest_row
from aucbench.datasets.tables import Schema
from aucbench.errors import DataError

LEAST = 32 << 10  # bytes of files that are stored; others are read in hundredths of a second
SETTLED = 5 * 10**7  # nanoseconds after which a change of a file has another time than the last one
VARIABLE, MEGABYTES = "AUCBENCH_PARSED_MB", 5000  # of all entries, and its default
ROWS, LABELS = "parsed", "labels"  # folders of blocks
NEW = "new-"  # begins the names of blocks that are being written
ABANDONED = 86_400  # seconds after which nobody writes a new block any more
CODE = ("data", "datasets", "kernels")  # in the package
LIBRARIES = ("numpy", "openpyxl", "pandas", "pyarrow", "scikit-learn", "scipy")
SUM = 8  # bytes of the sum


def read_once(files: Sequence[Path], asked: Any, read: Callable[[], Data]) -> Data:
    """Return what `read` returns, without a call if an earlier call is in the cache.

    `files` are all that `read` reads, and `asked` is all else that the result depends on. If that
    is nothing that JSON can hold, the cache is not used.
    """
    most = _most()
    key = _key(files, asked) if most else None
    if key is None:
        return read()
    data = _stored(key)
    if data is None:
        data = read()
        with suppress(OSError):  # the disk is full, the folder can only be read, or a file is gone
            changed = max(file.stat().st_ctime_ns for file in files)
            if _key(files, asked) == key and time_ns() - changed >= SETTLED:
                _store(data, key, most)
    return data


def _most() -> int:
    """Return how many bytes all entries may take."""
    text = os.environ.get(VARIABLE) or str(MEGABYTES)
    if not text.isdecimal():
        raise DataError(f"{VARIABLE}={text} is no number of megabytes; give 0 or more")
    return int(text) * 1_000_000


def _key(files: Sequence[Path], asked: Any) -> str | None:
    """Return the name of the entry for these files, or None where there is to be none."""
    try:
        stats = [file.stat() for file in files]
        if not files or sum(stat.st_size for stat in stats) < LEAST:
            return None
        known = [
            [str(file.absolute()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
            for file, stat in zip(files, stats, strict=True)
        ]
        rows = [*map(manifest_row, files)]
        text = json.dumps([_readers(), known, rows, asked], allow_nan=False, default=_plain)
    except (OSError, DataError, TypeError, ValueError):  # who reads the files says what is wrong
        return None
    return sha256(text.encode()).hexdigest()[:32]


def _plain(value: Any) -> Any:
    """Return a scalar of NumPy as JSON can hold it, different from one of Python."""
    if isinstance(value, np.generic):
        return [value.dtype.str, value.item()]
    raise TypeError(f"{value!r} cannot be part of a key")


@cache
def _readers() -> str:
    """Return a hash of the code that reads files, and of the libraries that it reads with."""
    package = Path(__file__).parent.parent
    files = sorted(file for room in CODE for file in (package / room).rglob("*"))
    code = [
        (file.relative_to(package).as_posix(), sha256(file.read_bytes()).hexdigest())
        for file in files
        if file.is_file() and file.suffix != ".pyc"
    ]
    used = [sys.version, *map(_version, LIBRARIES)]
    return sha256(json.dumps([code, used]).encode()).hexdigest()


def _version(name: str) -> str | None:
    with suppress(PackageNotFoundError):
        return version(name)
    return None


def _stored(key: str) -> Data | None:
    """Return the data of an entry, or None if there is none; a damaged one is removed."""
    place = cache_folder() / ROWS / key
    if not place.is_file():
        return None
    data = _mapped(key)
    if data is None:
        _remove(key)
        return None
    with suppress(OSError):  # a folder that can only be read does not say when it was used
        os.utime(place)
    return data


def _mapped(key: str) -> Data | None:
    """Return the data of an entry; None if it is damaged, and then nothing is mapped any more."""
    try:
        rows, known = (_block(cache_folder() / folder / key) for folder in (ROWS, LABELS))
        return _data(rows, {name: known.array(name) for name in known.names})
    except (OSError, ValueError, LookupError, TypeError, DataError):
        return None


def _block(place: Path) -> Block:
    content: NDArray[np.uint8] = np.memmap(place, np.uint8, "r")
    if _sum(content[:-SUM]) != bytes(content[-SUM:]):
        raise ValueError(f"{place} is damaged")
    return Block(content[:-SUM].data)


def _sum(content: NDArray[np.uint8]) -> bytes:
    whole = content.size // 8 * 8
    total = int(content[:whole].view(np.uint64).sum()) + int(content[whole:].sum())
    return (total % 2**64).to_bytes(SUM, "little")


def _data(block: Block, known: Mapping[str, NDArray[Any]]) -> Data:
    facts, layout = block.facts, {name: block.array(name) for name in block.names}
    columns, starts = layout.get("columns"), layout.get("starts")
    rows = Rows(layout["values"], columns, starts, facts["n"], facts["d"])
    return with_facts(with_known(rows, known), facts)


def facts_of(data: Data) -> dict[str, Any]:
    """Return as JSON holds it what the reader of a source knows besides numbers."""
    return {
        "names": data.names,
        "dropped": data.dropped,
        "schema": None if data.schema is None else data.schema.to_json(),
        "understood": data.understood.to_json(),
    }


def with_facts(data: Data, facts: Mapping[str, Any]) -> Data:
    """Return data with what `facts_of` has returned."""
    schema, names = facts["schema"], facts["names"]
    return replace(
        data,
        names=None if names is None else tuple(names),
        dropped=tuple(facts["dropped"]),
        schema=None if schema is None else Schema.from_json(schema),
        understood=Understood.from_json(facts["understood"]),
    )


def _store(data: Data, key: str, most: int) -> None:
    X, known = data.rows, known_of(data)
    stored = {"values": X.stored, "columns": X.columns, "starts": X.starts}
    rows = {name: array for name, array in stored.items() if array is not None}
    need = sum(array.nbytes for array in (*rows.values(), *known.values()))
    if need > most:
        return
    facts = {"n": data.n, "d": data.d, **facts_of(data)}
    _make_space(most - need)
    _write(cache_folder() / LABELS / key, laid_out(known, {}))
    _write(cache_folder() / ROWS / key, laid_out(rows, facts))


def _write(place: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a block as a whole."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, name = mkstemp(prefix=NEW, dir=place.parent)  # for its owner alone
    try:
        with open(number, "wb") as file:  # noqa: PTH123 - a number of an open file
            file.writelines(parts)
            file.flush()
            file.write(_sum(np.memmap(name, np.uint8, "r")))
        Path(name).replace(place)
    finally:
        Path(name).unlink(missing_ok=True)


def _make_space(most: int) -> None:
    """Remove entries until they take at most `most` bytes, the least recently used ones first."""
    entries = _entries()
    total = sum(size for _, size in entries.values())
    for name, (used, size) in sorted(entries.items(), key=lambda entry: entry[1]):
        abandoned = name.startswith(NEW) and time() - used > ABANDONED
        if abandoned or total > most:
            _remove(name)
            total -= size


def _remove(name: str) -> None:
    for folder in (ROWS, LABELS):
        place = cache_folder() / folder / name
        if place.is_dir():  # an entry of an earlier version
            rmtree(place, ignore_errors=True)
        else:
            with suppress(PermissionError):  # Windows keeps what another process has mapped
                place.unlink(missing_ok=True)


def _entries() -> dict[str, tuple[float, int]]:
    """Return when entries were last used, and their bytes, by name."""
    entries: dict[str, tuple[float, int]] = {}
    for folder in (cache_folder() / ROWS, cache_folder() / LABELS):
        for file in folder.iterdir() if folder.is_dir() else ():
            with suppress(FileNotFoundError):  # removed by another process just now
                stat, (used, size) = file.stat(), entries.get(file.name, (0.0, 0))
                entries[file.name] = max(used, stat.st_mtime), size + stat.st_size
    return entries
