"""The shards of a results folder and their blobs; damaged shards are set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aucbench.errors import DataError
from aucbench.infra.store import shard
from aucbench.infra.store.files import (
    GONE,
    make_folder,
    move_this,
    refused,
    unfinished,
    whole_file,
    why,
)
from aucbench.infra.store.shard import Fault, Shard, require_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARDS, BLOBS = "cells", "scores"  # names of the folders: part of the format on disk


class Shards:
    """All shards of one results folder, with their blobs.

    Parameters
    ----------
    folder : Path
        The results folder.
    report : function (str) -> None
        Called with a sentence about each file that cannot be used.
    """

    def __init__(self, folder: Path, report: Callable[[str], None]):
        self.folder = folder
        self.report = report

    def has(self, key: str) -> bool:
        """Whether the shard is there and whole; a damaged one is set aside."""
        return self._text(key) is not None

    def read(self, key: str) -> Shard | None:
        """Return the shard; None when it is missing, or was damaged and is now set aside."""
        text = self._text(key)
        return None if text is None else shard.parse(text)

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield the documents in the order of their keys, one at a time."""
        for key in self._keys():
            found = self.read(key)
            if found is not None:
                yield found.document

    def write(self, document: Mapping[str, Any], blob: bytes | None) -> None:
        """Write the blob, then the shard with its hash: where a shard is, its blob is there too."""
        key = require_key(document.get("id"))
        text = shard.shard_text(document, blob)
        beside = self._path(BLOBS, key, "npz")
        if blob is not None:
            self._put(beside, blob)
        self._put(self._path(SHARDS, key, "json"), text)
        if blob is None:
            try:
                beside.unlink(missing_ok=True)
            except OSError as error:
                raise refused("write", beside, error) from error

    def arrays(self, key: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a blob; None where there is none that belongs to the shard."""
        from aucbench.infra.store.npz import unpack

        text = self._text(key)
        wanted = None if text is None else shard.blob_hash(text)
        if wanted is None:
            return None
        path = self._path(BLOBS, key, "npz")
        try:
            packed = path.read_bytes()
            if sha256(packed).hexdigest() != wanted:
                raise DataError("it is not the file that its shard names")
            return unpack(packed)
        except FileNotFoundError:
            trouble = "it is missing"
        except OSError as error:
            raise refused("read", path, error) from error
        except DataError as error:
            trouble = str(error)
        # The blob stays: another process may be about to write the shard that belongs to it.
        again = self._path(SHARDS, key, "json")
        self.report(f"{path} cannot be used: {trouble}; delete {again} to have it computed again")
        return None

    def _path(self, kind: str, key: str, ending: str) -> Path:
        return self.folder / kind / key[:2] / f"{key}.{ending}"

    def _text(self, key: str) -> bytes | None:
        path = self._path(SHARDS, require_key(key), "json")
        try:
            with path.open("rb") as file:
                text = file.read()
                if shard.is_whole(key, text):
                    return text
                self._set_aside(path, file.fileno(), shard.diagnose(key, text))
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", path, error) from error
        return None

    def _put(self, path: Path, content: bytes) -> None:
        scratch = self.folder / "tmp"
        try:
            make_folder(scratch)
            make_folder(path.parent)
            with whole_file(path, unfinished(scratch, path.name)) as file:
                file.write(content)
        except OSError as error:
            raise refused("write", path, error) from error

    def _keys(self) -> Iterator[str]:
        """Yield the keys in order, by file name; a misplaced shard is set aside."""
        folder = self.folder / SHARDS
        for prefix in _entry_names(folder):
            for name in _entry_names(folder / prefix):
                key = name.removesuffix(".json")
                if key == name:
                    continue
                if shard.KEY.fullmatch(key) and key[:2] == prefix:
                    yield key
                else:
                    self._set_aside_misplaced(folder / prefix / name)

    def _set_aside_misplaced(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._set_aside(path, file.fileno(), Fault.MISPLACED)
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", path, error) from error

    def _set_aside(self, path: Path, number: int, fault: Fault) -> None:
        target = self.folder / "aside" / f"{path.name}.{fault.name.lower()}.{uuid4().hex[:8]}"
        try:
            make_folder(target.parent)
            moved = move_this(path, number, target)
        except OSError as error:
            result = f"it cannot be moved away ({why(error)})"
        else:
            result = f"it was moved to {target}"
            if not moved:
                return  # another process has replaced it
        self.report(f"{path} {fault.value}: {result}, and its result counts as missing")


def _entry_names(folder: Path) -> list[str]:
    """Return the names in a folder, sorted by their stem; an empty list when it is no folder."""
    try:
        names = [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise refused("read", folder, error) from error
    return sorted(names, key=lambda name: name.removesuffix(".json"))
