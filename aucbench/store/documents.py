"""The documents of a results folder and their blobs; damaged shards are set aside."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

from aucbench.errors import DataError
from aucbench.store import shard
from aucbench.store.files import (
    GONE,
    Home,
    file_clock,
    move_this,
    refused,
    remove_unfinished,
    unfinished,
    whole_file,
    why,
)
from aucbench.store.folder import BLOBS, MARKER, SCRATCH, SHARDS, open_folder
from aucbench.store.index import INDEX, Index
from aucbench.store.lock import RunLock
from aucbench.store.shard import Fault, require_key

T = TypeVar("T")
JSON = ".json"


class DocumentStore:
    """A results folder; a context manager, which returns its lock at the end.

    Parameters
    ----------
    folder : Path
        The results folder.
    create : bool
        Make the folder when it is missing or empty, and check that it can be written to.
        Without it, a read-only folder can be read.

    Attributes
    ----------
    home : Home
        The folder as it was opened, through which all that is written goes.

    Raises
    ------
    DataError
        Here and in all methods: when the folder cannot be read or written, or is not a
        results folder, or is not there any more. What was stored before stays.
    """

    def __init__(self, folder: Path, *, create: bool = False):
        self.folder = Path(folder)
        self._problems: dict[str, None] = {}
        open_folder(self.folder, create=create)
        self.home = Home(self.folder, self.folder / MARKER)
        self._scratch = self.folder / SCRATCH
        self._lock = RunLock(self.home)
        self._can_write = os.access(self.folder, os.W_OK)
        if self._can_write:
            self._clean_up()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Return the lock of a run that was not iterated to its end."""
        self._lock.drop()

    @contextmanager
    def alone(self, tell: Callable[[str], object]) -> Iterator[None]:
        """Let one run at a time into the folder; wait for another one, and tell about that.

        Who only reads or writes single documents needs no lock.
        """
        self._lock.take(tell)
        try:
            yield
        finally:
            self._lock.drop()

    def has(self, key: str) -> bool:
        """Whether the key is finished: its shard is there and whole; a damaged one is set aside."""
        return self._text(key) is not None

    def read(self, key: str) -> dict[str, Any] | None:
        """Return the document of a key; None when it is not finished."""
        text = self._text(key)
        return None if text is None else shard.document(text)

    def finished(self, names: Sequence[str]) -> Callable[[str], dict[str, Any] | None]:
        """Return a function from a key to some values of its document, None if not finished.

        It finds what is finished now, and reads only shards that the index does not know. The
        values are shared with other documents that have the same.
        """
        index = Index(self.folder / INDEX, names, self._now())
        found = {}
        for key, entry in self._entries():
            try:
                file = entry.stat()
            except FileNotFoundError:  # set aside by another process
                continue
            values = index.values(key, file, partial(self._values, key, names))
            if values is not None:
                found[key] = values
        if self._can_write:
            try:
                index.write(unfinished(self._scratch, INDEX))
            except OSError as error:
                self.report(f"the index of {self.folder} cannot be written: {why(error)}")
        parsed = lru_cache(maxsize=1024)(json.loads)

        def of(key: str) -> dict[str, Any] | None:
            text = found.get(key)
            return None if text is None else dict(zip(names, parsed(text), strict=True))

        return of

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield all documents in the order of their keys; one at a time is in memory."""
        for key, _ in self._entries():
            found = self.read(key)
            if found is not None:
                yield found

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
            packed = path.read_bytes()
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

        Parameters
        ----------
        document : dict
            Plain values: text, finite numbers, true, false, null, lists, dicts.
        blob : bytes, optional
            Stored as it is.
        """
        key = require_key(document.get("id"))
        text = shard.shard_text(document, blob)
        beside = self._path(BLOBS, key, ".npz")
        if blob is not None:  # first: where a shard is, its blob is there too
            self.put(beside, blob)
        self.put(self._path(SHARDS, key, JSON), text)
        if blob is None:
            try:
                beside.unlink(missing_ok=True)
            except OSError as error:
                raise refused("write", beside, error) from error

    def put(self, path: Path, content: bytes) -> None:
        """Write a file in the folder, complete or not at all."""
        try:
            self._make_for(path)
            with whole_file(path, unfinished(self._scratch, path.name)) as file:
                file.write(content)
        except OSError as error:
            raise refused("write", path, error) from error

    def problems(self) -> tuple[str, ...]:
        """Return sentences about the files that this object set aside or could not use."""
        return tuple(self._problems)

    def report(self, problem: str) -> None:
        """Add a sentence to `problems`."""
        self._problems[problem] = None

    def _clean_up(self) -> None:
        try:
            remove_unfinished(self.folder)
            remove_unfinished(self._scratch)
        except OSError as error:
            self.report(f"{self.folder} cannot be cleaned up: {why(error)}")

    def _now(self) -> int:
        """Return the time by the clock of the file system; 0 where nothing can be written."""
        if not self._can_write:
            return 0
        try:
            self.home.make(self._scratch)
            return file_clock(self._scratch)
        except OSError as error:
            raise refused("write", self._scratch, error) from error

    def _path(self, kind: str, key: str, ending: str) -> Path:
        return self.folder / kind / key[:2] / f"{key}{ending}"

    def _make_for(self, path: Path) -> None:
        """Make the folder of a file, and that of unfinished ones."""
        self.home.make(self._scratch)
        self.home.make(path.parent)

    def _values(self, key: str, names: Sequence[str]) -> str | None:
        text = self._text(key)
        return None if text is None else shard.values(text, names)

    def _text(self, key: str) -> bytes | None:
        """Return the text of the shard of a key; None where there is none that is whole."""
        path = self._path(SHARDS, require_key(key), JSON)
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

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield the keys in order, with their files; a misplaced shard is set aside."""
        for folder in _entries(self.folder / SHARDS):
            for entry in _entries(Path(folder.path)):
                key = entry.name.removesuffix(JSON)
                if key == entry.name:
                    continue
                if shard.KEY.fullmatch(key) and key[:2] == folder.name:
                    yield key, entry
                else:
                    self._set_aside_misplaced(Path(entry.path))

    def _set_aside_misplaced(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._set_aside(path, file.fileno(), Fault.MISPLACED)
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", path, error) from error

    def _set_aside(self, path: Path, number: int, fault: Fault) -> None:
        """Move the damaged shard that is open as `number` away."""
        name = f"{path.name}.{fault.name.lower()}.{uuid4().hex[:8]}"
        target = self.folder / "aside" / name
        try:
            self._make_for(target)
            moved = move_this(path, number, target)
        except OSError as error:
            result = f"it cannot be moved away ({why(error)})"
        else:
            result = f"it was moved to {target}"
            if not moved:
                return  # another process has replaced it
        self.report(f"{path} {fault.value}: {result}, and its result counts as missing")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, sorted by stem; an empty list when it is no folder."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name.removesuffix(JSON))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise refused("read", folder, error) from error
