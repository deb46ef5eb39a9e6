"""The shards of a results folder and their blobs; damaged shards are set aside.

Design
  a. A shard is written as a file of its own. When there are many, `pack` copies them into one
     pack, and removes the files when the pack is on the disk. Killed at any moment it leaves
     each shard in a file, in a pack, or in both.
  b. A file is looked for before the packs: it is newer, or equal. Who finds neither looks at
     the list of packs again, since the file may have gone into a new one in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aucbench.errors import DataError
from aucbench.store import shard
from aucbench.store.files import (
    GONE,
    Home,
    move_this,
    refused,
    unfinished,
    whole_file,
    why,
)
from aucbench.store.packs import PACKS, Pack, Packs, new_name, write_pack
from aucbench.store.shard import Fault, Shard, require_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARDS, BLOBS = "cells", "scores"  # names of the folders: part of the format on disk
MANY = 1000  # files that are worth a pack


class Shards:
    """All shards of one results folder, with their blobs.

    Parameters
    ----------
    home : Home
        The results folder.
    report : function (str) -> None
        Called with a sentence about each file that cannot be used.
    """

    def __init__(self, home: Home, report: Callable[[str], None]):
        self.home, self.folder = home, home.folder
        self.report = report
        self._packs = Packs(self.folder / PACKS, self._mended)

    def has(self, key: str) -> bool:
        """Whether the shard is there and whole; a damaged one is set aside."""
        return self._text(key) is not None

    def read(self, key: str) -> Shard | None:
        """Return the shard; None when it is missing, or was damaged and is now set aside."""
        text = self._text(key)
        return None if text is None else shard.parse(text)

    def finished(self, names: Collection[str]) -> Callable[[str], dict[str, Any] | None]:
        """Return a function that returns some values of the document of a key, or None.

        It is faster than `read`. A shard that is written after this call may not be found.
        """
        files = {*self._keys()}  # before the packs, to which a file may go now
        self._packs.refresh(always=True)

        def values(key: str) -> dict[str, Any] | None:
            text = self._text(key) if key in files else self._packed_text(key)
            return None if text is None else shard.values(text, names)

        return values

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield the documents in the order of their keys, one at a time."""
        files = [*self._keys()]  # before the packs, to which a file may go now
        self._packs.refresh(always=True)
        for key, _ in groupby(merge(files, self._packs.keys())):
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
        from aucbench.store.npz import unpack

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
        cure = "its record stays, and --retry ok has its plan computed again"
        if again.exists():
            cure = f"delete {again} to have it computed again"
        self.report(f"{path} cannot be used: {trouble}; {cure}")
        return None

    def pack(self, many: int = MANY) -> int:
        """Move the shards that are files into a pack, if they are `many`; return their number.

        Packs that are no larger than what the new one has by then are taken into it, so that
        there are few of them and each shard is copied few times. Only one process at a time
        may do this.
        """
        files = [*self._keys()]
        if len(files) < many:
            return 0
        self._packs.refresh(always=True)
        taken = self._small_packs(files)
        scratch = self.folder / "tmp"
        path = self.folder / PACKS / new_name(self._packs.next_number())
        keys = (key for key, _ in groupby(merge(files, *(pack.keys() for pack in taken))))
        try:
            self._make_for(path)
            with whole_file(path, unfinished(scratch, path.name)) as file:
                write_pack(file, ((key, self._text(key) or b"") for key in keys))
            packed = Pack(path)
            for key in files:
                self._remove_packed(key, packed, scratch)
            for old in taken:
                old.path.unlink(missing_ok=True)
            packed.close()
        except OSError as error:
            raise refused("write", path, error) from error
        return len(files)

    def _small_packs(self, files: list[str]) -> list[Pack]:
        size = sum(self._path(SHARDS, key, "json").stat().st_size for key in files)
        taken = []
        for pack in self._packs.newest():
            if pack.size > size:
                break
            taken.append(pack)
            size += pack.size
        return taken

    def _remove_packed(self, key: str, packed: Pack, scratch: Path) -> None:
        """Remove the file of a shard that is in a pack, unless another process has replaced it."""
        path, text = self._path(SHARDS, key, "json"), packed.text(key)
        moved = unfinished(scratch, path.name)
        with suppress(FileNotFoundError):
            if path.read_bytes() != text:
                return
            path.rename(moved)
            if moved.read_bytes() != text:
                with suppress(FileExistsError):  # an even newer one is there
                    path.hardlink_to(moved)
            moved.unlink()

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
        self._packs.refresh()
        packed = self._packed_text(key)
        if packed is None and self._packs.refresh(always=True):
            packed = self._packed_text(key)
        return packed

    def _packed_text(self, key: str) -> bytes | None:
        pack = self._packs.holder(key)
        if pack is None:
            return None
        try:
            text = pack.text(key)
        except OSError as error:
            raise refused("read", pack.path, error) from error
        if not text or shard.is_whole(key, text):
            return text or None
        if not pack.is_whole:  # it has changed since it was looked through
            return None
        self._packs.mend(pack)
        return self._packed_text(key)

    def _mended(self, damaged: Pack) -> Pack:
        """Set a damaged pack aside, and return a new one of what is whole in it.

        A folder that cannot be written to keeps its pack, which is read as far as it is whole.
        """
        keys, lost, old = [*damaged.keys()], damaged.lost, damaged.path
        target = self._aside(old, Fault.DAMAGED)
        path = old.with_name(new_name(old.name.partition("-")[0]))
        missing = ", ".join(lost) or "what else it had"
        saved = f"{len(keys) - len(lost)} result(s) of it are kept, and {missing} counts as missing"
        try:
            self._make_for(target)
            if keys:
                with whole_file(path, unfinished(self.folder / "tmp", path.name)) as file:
                    write_pack(file, ((key, damaged.text(key) or b"") for key in keys))
            moved = move_this(old, damaged.number, target)
        except OSError as error:
            result = f"it cannot be mended ({why(error)})"
        else:
            result = f"it was moved to {target}" if moved else "another process has mended it"
            if keys:
                damaged.close()
                damaged = Pack(path)
        self.report(f"{old} {Fault.DAMAGED.value}: {result}; {saved}")
        return damaged

    def _put(self, path: Path, content: bytes) -> None:
        try:
            self._make_for(path)
            with whole_file(path, unfinished(self.folder / "tmp", path.name)) as file:
                file.write(content)
        except OSError as error:
            raise refused("write", path, error) from error

    def _make_for(self, path: Path) -> None:
        """Make the folder of a file, and that of unfinished ones."""
        self.home.make(self.folder / "tmp")
        self.home.make(path.parent)

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
        target = self._aside(path, fault)
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

    def _aside(self, path: Path, fault: Fault) -> Path:
        return self.folder / "aside" / f"{path.name}.{fault.name.lower()}.{uuid4().hex[:8]}"


def _entry_names(folder: Path) -> list[str]:
    """Return the names in a folder, sorted by their stem; an empty list when it is no folder."""
    try:
        names = [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise refused("read", folder, error) from error
    return sorted(names, key=lambda name: name.removesuffix(".json"))
