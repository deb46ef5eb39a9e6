"""Shards and scores in their folders: looked up, written, listed, set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aucbench.errors import DataError
from aucbench.infra.store import shards
from aucbench.infra.store.files import (
    GONE,
    make_folder,
    move_this,
    refused,
    unfinished,
    whole_file,
    why,
)
from aucbench.infra.store.shards import Fault, Shard, require_id

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Cells:
    """The finished cells of one results folder.

    Parameters
    ----------
    folder : Path
        The results folder.
    tell : function (str) -> None
        Takes a sentence about each file that does not count.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]):
        self.folder = folder
        self.tell = tell

    def has(self, cell: str) -> bool:
        """Whether the shard is there and whole; one that is not whole is set aside."""
        return self._text(cell) is not None

    def read(self, cell: str) -> Shard | None:
        """Return the shard; None when it is missing, or was not whole and is set aside."""
        text = self._text(cell)
        return None if text is None else shards.parse(text)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the records in the order of their ids, one at a time."""
        for cell in self._ids():
            shard = self.read(cell)
            if shard is not None:
                yield shard.record

    def write(self, record: Mapping[str, Any], scores: bytes | None) -> None:
        """Write scores, then the shard that names their hash: a shard means that all is there."""
        cell = require_id(record.get("id"))
        text = shards.shard_text(record, scores)
        beside = self._path("scores", cell, "npz")
        if scores is not None:
            self._put(beside, scores)
        self._put(self._path("cells", cell, "json"), text)
        if scores is None:
            try:
                beside.unlink(missing_ok=True)
            except OSError as error:
                raise refused("write", beside, error) from error

    def scores(self, cell: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays stored with a cell; None where there are none that belong to it."""
        from aucbench.infra.store.scores import unpack

        shard = self.read(cell)
        if shard is None or shard.scores is None:
            return None
        path = self._path("scores", cell, "npz")
        try:
            packed = path.read_bytes()
            if sha256(packed).hexdigest() != shard.scores:
                raise DataError("they are not those that its shard names")
            return unpack(packed)
        except FileNotFoundError:
            trouble = "they are missing"
        except OSError as error:
            raise refused("read", path, error) from error
        except DataError as error:
            trouble = str(error)
        # They stay: another process may be about to write the shard that belongs to them.
        again = self._path("cells", cell, "json")
        self.tell(f"no scores {path}: {trouble}; delete {again} to have the cell run again")
        return None

    def _path(self, kind: str, cell: str, ending: str) -> Path:
        return self.folder / kind / cell[:2] / f"{cell}.{ending}"

    def _text(self, cell: str) -> bytes | None:
        path = self._path("cells", require_id(cell), "json")
        try:
            with path.open("rb") as file:
                text = file.read()
                if shards.is_whole(cell, text):
                    return text
                self._set_aside(path, file.fileno(), shards.diagnose(cell, text))
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

    def _ids(self) -> Iterator[str]:
        """Ids by file name, in order; a shard that is not where it belongs is set aside."""
        cells = self.folder / "cells"
        for prefix in _names(cells):
            for name in _names(cells / prefix):
                cell = name.removesuffix(".json")
                if cell == name:
                    continue
                if shards.ID.fullmatch(cell) and cell[:2] == prefix:
                    yield cell
                else:
                    self._set_aside_misplaced(cells / prefix / name)

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
            where = f"it cannot be moved away ({why(error)})"
        else:
            where = f"it is {target} now"
            if not moved:
                return  # another process has replaced it
        self.tell(f"{path} {fault.value}: {where}, and its cell counts as not run")


def _names(folder: Path) -> list[str]:
    """Names in a folder by their stem; none when it is no folder."""
    try:
        names = [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise refused("read", folder, error) from error
    return sorted(names, key=lambda name: name.removesuffix(".json"))
