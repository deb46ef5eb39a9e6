"""The documents of a results folder and their blobs; damaged shards are set aside."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar
from uuid import uuid4

from aucbench.errors import DataError
from aucbench.store import shard
from aucbench.store.files import (
    GONE,
    file_clock,
    move_this,
    open_file,
    read_file,
    refused,
    why,
)
from aucbench.store.folder import ASIDE, BLOBS, SHARDS, Home
from aucbench.store.index import Index
from aucbench.store.lock import RunLock
from aucbench.store.shard import Fault, require_key

T = TypeVar("T")
JSON = ".json"


class DocumentStore:
    """A results folder; a context manager, which returns its lock at the end.

    With `create` it may be missing or empty, and is then made when something is written. One that
    is read-only can be read. All that is written goes through `home`, the folder as it was opened.
    Here and in all methods `DataError` says that the folder cannot be read or written, is no
    results folder, or is not there any more. What was stored before stays.
    """

    def __init__(self, folder: Path, *, create: bool = False):
        self.folder = Path(folder)
        self.home = Home(self.folder, create=create)
        self._lock = RunLock(self.home)
        self._problems: dict[str, None] = {}
        if not self.home.is_new and not self.home.is_read_only:
            try:
                self.home.clean_up()
            except OSError as error:
                self.report(f"{self.folder} cannot be cleaned up: {why(error)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Return the lock of a run that was not iterated to its end."""
        self._lock.drop()

    def alone(self, tell: Callable[[str], object]) -> AbstractContextManager[None]:
        """Let one run at a time into the folder; who only reads, or writes one record, needs none.

        `tell` is called with a sentence, if another process has to be waited for. It is an error
        when this thread has the lock already, and would wait for itself.
        """
        self.home.prepare()
        return self._lock.held(tell)

    def read(self, key: str) -> dict[str, Any] | None:
        """Return the document of a key; None when it is not finished."""
        text = self._text(key)
        return None if text is None else shard.document(text)

    def finished(self, names: Sequence[str]) -> Callable[[str], dict[str, Any] | None]:
        """Return a function from a key to some values of its document, None if not finished.

        It knows what is finished now, and has read only shards that the index does not know. The
        values are shared with other documents that have the same.
        """
        index = Index(self.home, names, self._now())
        indexed = {}
        for key, entry in self._entries():
            try:
                values = index.values(key, entry.stat(), partial(self._values, key, names))
            except OSError as error:
                if error.errno not in GONE:
                    raise refused("read", Path(entry.path), error) from error
                continue  # another process has just set it aside
            if values is not None:
                indexed[key] = values
        try:
            index.write()
        except DataError as error:  # the next one can do without it
            self.report(str(error))
        parsed = lru_cache(1024)(lambda text: dict(zip(names, json.loads(text), strict=True)))
        return lambda key: parsed(indexed[key]) if key in indexed else None

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield all documents in the order of their keys; one at a time is in memory."""
        for key, _ in self._entries():
            plain = self.read(key)
            if plain is not None:
                yield plain

    def blob(self, key: str, read: Callable[[bytes], T]) -> T | None:
        """Return what `read` finds in the blob of a key; None where none belongs to its document.

        Where `read` raises `DataError`, the blob is damaged: it counts as missing, and is reported.
        """
        text = self._text(key)
        wanted = None if text is None else shard.blob_hash(text)
        if wanted is None:
            return None
        path = self._path(BLOBS, key, ".npz")
        try:
            packed = read_file(path)
            if sha256(packed).hexdigest() != wanted:
                raise DataError("it is not the file that its shard names")
            return read(packed)
        except FileNotFoundError:
            trouble = "it is missing"
        except OSError as error:
            raise refused("read", path, error) from error
        except DataError as error:
            trouble = str(error)
        # The blob stays: another process may be about to write the shard that belongs to it.
        cure = f"delete {self._path(SHARDS, key, JSON)} to have it computed again"
        self.report(f"{path} cannot be used: {trouble}; {cure}")
        return None

    def write(self, document: Mapping[str, Any], blob: bytes | None = None) -> None:
        """Store a document under its "id" in place of an older one, complete or not at all.

        It has plain values: text, finite numbers, true, false, null, lists, dicts.
        """
        key = require_key(document.get("id"))
        text = shard.shard_text(document, blob)
        beside = self._path(BLOBS, key, ".npz")
        if blob is not None:  # first: where a shard is, its blob is there too
            self.home.put(beside, blob)
        self.home.put(self._path(SHARDS, key, JSON), text)
        if blob is None:
            try:
                beside.unlink(missing_ok=True)
            except OSError as error:
                raise refused("write", beside, error) from error

    def problems(self) -> tuple[str, ...]:
        """Return sentences about the files that this object set aside or could not use."""
        return tuple(self._problems)

    def report(self, problem: str) -> None:
        """Add a sentence to `problems`; each one is there once."""
        self._problems[problem] = None

    def _now(self) -> int:
        """Return the time by the clock of the file system; 0 where nothing can be written."""
        if self.home.is_new or self.home.is_read_only:
            return 0
        try:
            self.home.make(self.home.scratch)
            return file_clock(self.home.scratch)
        except OSError as error:
            raise refused("write", self.home.scratch, error) from error

    def _path(self, kind: str, key: str, ending: str) -> Path:
        return self.folder / kind / key[:2] / f"{key}{ending}"

    def _values(self, key: str, names: Sequence[str]) -> str | None:
        text = self._text(key)
        return None if text is None else shard.values(text, names)

    def _text(self, key: str) -> bytes | None:
        """Return the text of the shard of a key; None where there is none that is whole."""
        return self._whole(self._path(SHARDS, require_key(key), JSON), key)

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield the keys in order, with their files; a misplaced shard is set aside."""
        for folder in _entries(self.folder / SHARDS, FileNotFoundError):
            for entry in _entries(Path(folder.path), (FileNotFoundError, NotADirectoryError)):
                key = entry.name.removesuffix(JSON)
                if shard.KEY.fullmatch(key) and key[:2] == folder.name and key != entry.name:
                    yield key, entry
                elif key != entry.name:
                    self._whole(Path(entry.path), None)

    def _whole(self, path: Path, key: str | None) -> bytes | None:
        """Return the content of a shard; None if it is missing, or has a fault and is set aside.

        Without a key it is in the wrong place, whatever it holds.
        """
        try:
            with open_file(path) as file:
                text = file.read()
                fault = Fault.MISPLACED if key is None else shard.fault_of(key, text)
                if fault is None:
                    return text
                self._set_aside(path, file, fault)
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", path, error) from error
        return None

    def _set_aside(self, path: Path, opened: BinaryIO, fault: Fault) -> None:
        """Move an open shard away, unless a link leads out of the results folder to it."""
        if self.folder.resolve() not in path.parent.resolve().parents:
            self.report(f"{path} {fault.value}: it stays, since a link leads to it")
            return
        name = f"{path.name}.{fault.name.lower()}.{uuid4().hex[:8]}"
        target = self.folder / ASIDE / name
        try:
            self.home.make(target.parent)
            moved = move_this(path, opened, target)
        except OSError as error:
            result = f"it cannot be moved away ({why(error)})"
        else:
            result = f"it was moved to {target}"
            if not moved:
                return  # another process has replaced it
        self.report(f"{path} {fault.value}: {result}, and its result counts as missing")


def _entries(
    folder: Path, absent: type[OSError] | tuple[type[OSError], ...]
) -> list[os.DirEntry[str]]:
    """Return what is in a folder, sorted by stem; an empty list after an error `absent`."""
    try:
        with os.scandir(folder) as listing:
            return sorted(listing, key=lambda entry: entry.name.removesuffix(JSON))
    except absent as error:
        if folder.is_symlink():  # such as one to a disk that is not mounted
            raise refused("read", folder, error) from error
        return []
    except OSError as error:
        raise refused("read", folder, error) from error
