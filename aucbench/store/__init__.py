"""A results folder: a JSON document and a blob for each key, and leases on keys.

    FOLDER/
      aucbench-results.json   the marker: format and schema
      cells/3f/3f....json     a shard: the document of one key, see `shard`
      packs/00000001-....pack many shards that were in cells/, see `packs`
      scores/3f/3f....npz     its blob: an npz file
      leases/3f....lease      which process works on the key now, see `leases`
      aside/                  damaged shards, with the reason in their names
      tmp/                    files while they are written

Crashes, full disks and other hosts that use the folder do not damage what it holds.

Design
  a. A key is finished when its shard is in the folder, as a file or in a pack; this is stored
     nowhere else.
  b. A file is written under another name, flushed to the disk, and renamed. (Rejected: a
     data base in one file. It can be lost or locked on network file systems, and git cannot
     merge it.)
  c. A damaged file is moved away and reported, and its key counts as missing. Of a damaged pack
     only what is itself damaged is lost.
  d. A folder that was moved or deleted while it was in use is not made again: it is an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from aucbench.errors import require_above
from aucbench.store.files import Home, refused, remove_unfinished, why
from aucbench.store.folder import MARKER, open_folder
from aucbench.store.leases import Leases
from aucbench.store.shard import KEY, SCHEMA, require_key
from aucbench.store.shard_folder import Shards
from aucbench.store.user_files import own_file, require_writable

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKING = "packing"  # a lease

__all__ = ["SCHEMA", "DocumentStore", "own_file", "require_writable"]


class DocumentStore:
    """A results folder; a context manager, which returns its leases at the end.

    Parameters
    ----------
    folder : Path
        The results folder.
    create : bool
        Make the folder when it is missing or empty, and check that it can be written to.
        Without it, a read-only folder can be read.
    patience : float
        Seconds without a heartbeat after which another host may take over its leases.

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

    def __init__(self, folder: Path, *, create: bool = False, patience: float = 120.0):
        require_above(0, patience=patience)
        self.folder = Path(folder)
        self._problems: dict[str, None] = {}
        open_folder(self.folder, create=create)
        self.home = Home(self.folder, self.folder / MARKER)
        self._shards = Shards(self.home, self.report)
        self._scratch = self.folder / "tmp"
        leases = (self.folder / "leases", self._scratch, patience, self.report)
        self._leases = Leases(*leases, self.home.make)
        if os.access(self.folder, os.W_OK):
            self._clean_up(patience)

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
        """Return all leases and stop the heartbeat."""
        try:
            self._leases.close()
        except OSError as error:
            self.home.require()
            raise refused("return the leases of", self.folder, error) from error

    def has(self, key: str) -> bool:
        """Whether the key is finished: its shard is there and whole."""
        return self._shards.has(key)

    def read(self, key: str) -> dict[str, Any] | None:
        """Return the document of a key; None when it is not finished."""
        found = self._shards.read(key)
        return None if found is None else found.document

    def finished(self, names: Collection[str]) -> Callable[[str], dict[str, Any] | None]:
        """Return a function from a key to some values of its document, None if not finished.

        It reads less than `read`, and finds what is finished now. The values are shared with
        other documents that have the same.
        """
        return self._shards.finished(names)

    def pack(self, **many: int) -> int:
        """Move many small files into one; return how many, 0 where another process does it now.

        Parameters
        ----------
        many : int
            Least number of files, 1000 by default.
        """
        try:
            if not self._leases.take(PACKING):
                return 0
            try:
                return self._shards.pack(**many)
            finally:
                self._leases.drop(PACKING)
        except OSError as error:
            raise refused("pack", self.folder, error) from error

    def arrays(self, key: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of the blob of a key, by name; None when there is none."""
        return self._shards.arrays(key)

    def write(self, document: Mapping[str, Any], blob: bytes | None = None) -> None:
        """Store a document under its "id" in place of an older one, complete or not at all.

        Parameters
        ----------
        document : dict
            Plain values: text, finite numbers, true, false, null, lists, dicts.
        blob : bytes, optional
            An npz file. It is stored as it is, and never unpickled.
        """
        self._shards.write(document, blob)

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield all documents in the order of their keys; one at a time is in memory."""
        return self._shards.documents()

    def problems(self) -> tuple[str, ...]:
        """Return sentences about the shards that this object set aside and the leases it lost."""
        return tuple(self._problems)

    def claim(self, key: str) -> bool:
        """Take the lease of a key; False when another process has it.

        The key may have been finished by another process just before the claim: call `has`
        again after a claim that succeeded.
        """
        try:
            return self._leases.take(require_key(key))
        except OSError as error:
            raise refused(f"claim {key} in", self.folder, error) from error

    def release(self, key: str) -> None:
        """Return the lease of a key; without effect when this object does not hold it."""
        try:
            self._leases.drop(require_key(key))
        except OSError as error:
            raise refused(f"release {key} in", self.folder, error) from error

    def _clean_up(self, patience: float) -> None:
        try:
            remove_unfinished(self.folder, patience)
            remove_unfinished(self._scratch, patience)
            self._leases.sweep(self._is_over)
        except OSError as error:
            self.report(f"{self.folder} cannot be cleaned up: {why(error)}")

    def _is_over(self, key: str) -> bool:
        """Whether nobody has to take over the work of a process that died with this lease."""
        return key == PACKING or (KEY.fullmatch(key) is not None and self.has(key))

    def report(self, problem: str) -> None:
        """Add a sentence to `problems`."""
        self._problems[problem] = None
