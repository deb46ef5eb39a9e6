"""The cache of data sets that have been read: a second load maps arrays and parses nothing.

Design
  a. What is kept is the `Data` that `load` returns: after labels, roles and columns have been
     looked at, and in the faster layout. So a second load does none of this work.
  b. The key is a hash of all that the result depends on: the names and contents of the files,
     their rows in the manifest, what the caller asked for, the code that reads, and the versions
     of the libraries that it reads with. Contents are hashed at every load, at some 1.5 GB/s.
     (Rejected: to trust size and time of change. A file can change and keep both.)
  c. An entry is a folder of rows: a .npy file for each array, and about.json for all else. What
     is known of the rows (labels above all) is in a folder of the same name elsewhere, as the
     targets of a run are: no folder that holds rows holds labels. Each is written under another
     name and then renamed, the labels first, so that processes may write one entry at the same
     time. Nothing is ever changed in place.
  d. A damaged entry is read anew. about.json has a hash of itself, and the type, shape and sum of
     each array. The sum is over words of 64 bits, at some 15 GB/s; it sees pages that a crash has
     lost, so that nothing waits for the disk when an entry is written. It is no protection
     against an enemy: who can write to the folder can do all that its owner can.
  e. No error comes from here. Where the folder cannot be written or the disk is full, files are
     read as if there were no cache.
  f. Files of less than `LEAST` bytes together are not kept, since they are read in a few
     hundredths of a second. All entries take at most as many megabytes as AUCBENCH_PARSED_MB
     says; those that were used least recently are removed first. 0 means no cache.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.npy import read_array, write_array
from aucbench.data.packed import known_of, with_known
from aucbench.data.understood import Understood
from aucbench.datasets.download import cache_folder
from aucbench.datasets.manifest import manifest_row
from aucbench.datasets.tables import Schema
from aucbench.errors import DataError

LAYOUT = ("values", "columns", "starts")  # the arrays of rows; all others are known of them
LEAST = 32 << 10  # bytes of files that are kept
VARIABLE, MEGABYTES = "AUCBENCH_PARSED_MB", 5000  # of all entries, and its default
ROOM, LABELS = "parsed", "labels"  # of the entries, and of what is known of their rows
ABOUT = "about.json"
NEW = "new-"  # begins the names of entries that are being written
ABANDONED = 86_400  # seconds after which nobody writes a new entry any more
CODE = ("data", "datasets", "kernels")  # in the package
LIBRARIES = ("numpy", "openpyxl", "pandas", "pyarrow", "scikit-learn", "scipy")


def kept(files: Sequence[Path], asked: Any, read: Callable[[], Data]) -> Data:
    """Return what `read` returns, without a call if an earlier call is in the cache."""
    most = _most()
    entry = _entry(files, asked) if most else None
    if entry is None:
        return read()
    found = _found(entry)
    if found is None:
        found = read()
        if _entry(files, asked) == entry:  # else a file has changed in the meantime
            _keep(found, entry, most)
    return found


def parsed_cache_size() -> int:
    """Return the bytes of all data sets in the cache of `load`."""
    return sum(map(_size, _entries(_home())))


def clear_parsed_cache() -> int:
    """Remove all data sets from the cache of `load`; return how many bytes they had.

    Arrays that are in use stay valid.
    """
    size = parsed_cache_size()
    for home in (_home(), cache_folder() / LABELS):
        rmtree(home, ignore_errors=True)
    return size - parsed_cache_size()


def _home() -> Path:
    return cache_folder() / ROOM


def _labels(entry: Path) -> Path:
    """Return the folder of what is known of the rows of an entry."""
    return entry.parent.parent / LABELS / entry.name


def _remove(entry: Path) -> None:
    for folder in (entry, _labels(entry)):
        rmtree(folder, ignore_errors=True)


def _most() -> int:
    """Return how many bytes all entries may take."""
    given = os.environ.get(VARIABLE) or str(MEGABYTES)
    if not given.isdecimal():
        raise DataError(f"{VARIABLE}={given} is no number of megabytes; give 0 or more")
    return int(given) * 1_000_000


def _entry(files: Sequence[Path], asked: Any) -> Path | None:
    """Return where the result for these files is kept, or None where it is not to be kept."""
    try:
        if not files or sum(file.stat().st_size for file in files) < LEAST:
            return None
        contents = [[file.name, manifest_row(file), _content(file)] for file in files]
        text = json.dumps([_readers(), contents, asked], allow_nan=False, default=_plain)
    except (OSError, DataError, TypeError, ValueError):  # who reads the files says what is wrong
        return None
    return _home() / sha256(text.encode()).hexdigest()[:32]


def _content(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _plain(value: Any) -> Any:
    """Return a scalar of NumPy as JSON can hold it, different from one of Python."""
    if isinstance(value, np.generic):
        return [value.dtype.str, value.item()]
    raise TypeError(f"{value!r} cannot be part of a key")


@lru_cache(maxsize=1)
def _readers() -> str:
    """Return a hash of the code that reads files, and of the libraries that it reads with."""
    package = Path(__file__).parent.parent
    places = [package / name for name in CODE]
    found = [f for place in places for f in ([place] if place.is_file() else place.rglob("*"))]
    code = sorted(
        (file.relative_to(package).as_posix(), _content(file))
        for file in found
        if file.is_file() and file.suffix != ".pyc"
    )
    used = [sys.version, *(_version(name) for name in LIBRARIES)]
    return sha256(json.dumps([code, used]).encode()).hexdigest()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _found(entry: Path) -> Data | None:
    """Return the data of an entry, or None if there is none; a damaged one is removed."""
    if not entry.is_dir():
        return None
    try:
        about = _about(entry)
        labels = _labels(entry)
        arrays = {
            name: read_array(entry if name in LAYOUT else labels, name) for name in about["arrays"]
        }
        if {name: _summary(array) for name, array in arrays.items()} != about["arrays"]:
            raise ValueError(f"the arrays in {entry} are damaged")
        data = _data(about, arrays)
    except (OSError, EOFError, ValueError, LookupError, TypeError, DataError):
        _remove(entry)
        return None
    with suppress(OSError):  # a folder that can only be read does not say when it was used
        os.utime(entry / ABOUT)
    return data


def _about(entry: Path) -> dict[str, Any]:
    known, _, text = (entry / ABOUT).read_text(encoding="utf-8").partition("\n")
    if sha256(text.encode()).hexdigest() != known:
        raise ValueError(f"{entry / ABOUT} is damaged")
    about: dict[str, Any] = json.loads(text)
    return about


def _data(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Data:
    layout = arrays["values"], arrays.get("columns"), arrays.get("starts")
    rows = Rows(*layout, about["n"], about["d"])
    schema, names = about["schema"], about["names"]
    return replace(
        with_known(rows, arrays),
        names=None if names is None else tuple(names),
        dropped=tuple(about["dropped"]),
        schema=None if schema is None else Schema.from_json(schema),
        understood=Understood.from_json(about["understood"]),
    )


def _layout(data: Data) -> dict[str, NDArray[Any]]:
    X = data.rows
    stored = dict(zip(LAYOUT, (X.stored, X.columns, X.starts), strict=True))
    return {name: x for name, x in stored.items() if x is not None}


def _summary(array: NDArray[Any]) -> list[Any]:
    """Return type, shape and sum of an array as JSON holds them."""
    content = array.reshape(-1).view(np.uint8)
    whole = content.size // 8 * 8
    total = int(content[:whole].view(np.uint64).sum()) + int(content[whole:].sum())
    return [array.dtype.str, [*array.shape], total]


def _keep(data: Data, entry: Path, most: int) -> None:
    layout, known = _layout(data), known_of(data)
    arrays = layout | known
    need = sum(array.nbytes for array in arrays.values())
    if need > most:
        return
    about = {
        "n": data.n,
        "d": data.d,
        "arrays": {name: _summary(array) for name, array in arrays.items()},
        "names": data.names,
        "dropped": data.dropped,
        "schema": None if data.schema is None else data.schema.to_json(),
        "understood": data.understood.to_json(),
    }
    text = json.dumps(about)
    try:
        _make_space(entry.parent, most - need)
        _put(_labels(entry), known)
        _put(entry, layout, f"{sha256(text.encode()).hexdigest()}\n{text}")
    except OSError:  # the disk is full, the folder can only be read, or another was faster
        return


def _put(place: Path, arrays: Mapping[str, NDArray[Any]], about: str = "") -> None:
    """Write a folder as a whole; one that another process wrote first stays."""
    if place.is_dir():
        return
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = Path(mkdtemp(prefix=NEW, dir=place.parent))  # for its owner alone
    try:
        for name, array in arrays.items():
            write_array(new, name, array)
        if about:
            (new / ABOUT).write_text(about, encoding="utf-8")
        new.rename(place)
    finally:
        rmtree(new, ignore_errors=True)


def _make_space(home: Path, most: int) -> None:
    """Remove entries until they take at most `most` bytes, the least recently used ones first."""
    sizes = {entry: _size(entry) for entry in sorted(_entries(home), key=_used)}
    total = sum(sizes.values())
    for entry, size in sizes.items():
        abandoned = entry.name.startswith(NEW) and time() - _used(entry) > ABANDONED
        if abandoned or total > most:
            _remove(entry)
            total -= size


def _entries(home: Path) -> list[Path]:
    """Return all entries, those too of which only the labels are there."""
    homes = [place for place in (home, home.parent / LABELS) if place.is_dir()]
    return [home / name for name in {file.name for place in homes for file in place.iterdir()}]


def _size(entry: Path) -> int:
    return sum(stat.st_size for stat in _stats(entry))


def _used(entry: Path) -> float:
    """Return when an entry was last used, or when its newest file was written."""
    return max((stat.st_mtime for stat in _stats(entry)), default=0.0)


def _stats(entry: Path) -> list[os.stat_result]:
    try:
        homes = [place for place in (entry, _labels(entry)) if place.is_dir()]
        return [file.stat() for home in homes for file in (home, *home.iterdir())]
    except OSError:  # removed by another process just now
        return []
