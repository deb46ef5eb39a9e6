"""Results on disk: one folder that crashes, full disks and other hosts cannot spoil.

    FOLDER/
      aucbench-results.json   the marker: format and schema
      plan.toml               what was asked for last
      cells/3f/3f....json     a shard: the record of one finished cell, see `shards`
      scores/3f/3f....npz     scores of its test rows
      leases/3f....lease      who works on it now, see `leases`
      aside/                  shards that were damaged, with the reason in their names
      tmp/                    files while they are written

Design
  a. The folder is the truth: nothing else remembers what is finished.
  b. Every file appears by a rename, after its content is on the disk. (Rejected: a data
     base in one file: lost or locked on network file systems, and git cannot merge it.)
  c. A file that is not what it should be is moved, told about, and counts as missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from aucbench.errors import require_above
from aucbench.infra.store.cells import Cells
from aucbench.infra.store.files import refused, remove_unfinished, unfinished, whole_file, why
from aucbench.infra.store.folder import open_folder
from aucbench.infra.store.leases import Leases
from aucbench.infra.store.shards import ID, SCHEMA, require_id
from aucbench.infra.store.user_files import own_file, require_writable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SCHEMA", "Store", "own_file", "require_writable"]


class Store:
    """A results folder; used as a context manager it gives its leases back at the end.

    Parameters
    ----------
    folder : Path
        The results folder.
    create : bool
        Make it when it is missing or empty, and find out now whether it can be written to.
        Without it a folder that is read-only can be read.
    patience : float
        Seconds without a sign of life after which another host may take over its leases.

    Raises
    ------
    DataError
        Here and in all methods: when the folder cannot be read or written, or is none of
        ours. What was stored before stays.
    """

    def __init__(self, folder: Path, *, create: bool = False, patience: float = 120.0):
        require_above(0, patience=patience)
        self.folder = Path(folder)
        self._problems: dict[str, None] = {}
        open_folder(self.folder, create=create)
        self._cells = Cells(self.folder, self._tell)
        self._scratch = self.folder / "tmp"
        self._leases = Leases(self.folder / "leases", self._scratch, patience, self._tell)
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
        """Give all leases back and stop the heartbeat."""
        try:
            self._leases.close()
        except OSError as error:
            raise refused("give back the leases of", self.folder, error) from error

    def has(self, cell: str) -> bool:
        """Whether the cell is finished: its shard is there, and whole."""
        return self._cells.has(cell)

    def read(self, cell: str) -> dict[str, Any] | None:
        """Return the record of a cell; None when it is not finished."""
        shard = self._cells.read(cell)
        return None if shard is None else shard.record

    def scores(self, cell: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays stored with a cell, by name; None where there are none."""
        return self._cells.scores(cell)

    def write(self, record: Mapping[str, Any], scores: bytes | None = None) -> None:
        """Store a record under its "id", in place of an older one, complete or not at all.

        Parameters
        ----------
        record : dict
            Plain values: text, finite numbers, true, false, null, lists, dicts.
        scores : bytes, optional
            A npz file, kept as it is and never unpickled.
        """
        self._cells.write(record, scores)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield all records in the order of their ids; memory does not grow with their number."""
        return self._cells.records()

    def problems(self) -> tuple[str, ...]:
        """Sentences about shards set aside and leases lost by this object."""
        return tuple(self._problems)

    def claim(self, cell: str) -> bool:
        """Whether the cell is ours to run from now on; False when another process has it.

        A cell may have been finished between a look at its shard and the claim: look again
        after a claim that succeeded.
        """
        try:
            return self._leases.take(require_id(cell))
        except OSError as error:
            raise refused("claim a cell in", self.folder, error) from error

    def release(self, cell: str) -> None:
        """Give a claimed cell back; without effect when it is not ours."""
        try:
            self._leases.drop(require_id(cell))
        except OSError as error:
            raise refused("release a cell in", self.folder, error) from error

    def keep_plan(self, text: str) -> None:
        """Keep the text of a plan with its results, in place of an older one."""
        path = self.folder / "plan.toml"
        try:
            if not path.is_file() or path.read_bytes() != text.encode():
                with whole_file(path, unfinished(self.folder, ".plan")) as file:
                    file.write(text.encode())
        except OSError as error:
            raise refused("write", path, error) from error

    def plan_text(self) -> str | None:
        """Return the text of the plan that was kept last; None when there is none."""
        path = self.folder / "plan.toml"
        try:
            return path.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refused("read", path, error) from error

    def _clean_up(self, patience: float) -> None:
        try:
            remove_unfinished(self.folder, patience)
            remove_unfinished(self._scratch, patience)
            self._leases.sweep(lambda cell: ID.fullmatch(cell) is not None and self.has(cell))
        except OSError as error:
            self._tell(f"{self.folder} cannot be cleaned up: {why(error)}")

    def _tell(self, problem: str) -> None:
        self._problems[problem] = None
