"""The marker of a results folder, the checks when a folder is opened, and what is written in it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from aucbench.errors import DataError
from aucbench.store.files import (
    GONE,
    make_folder,
    read_file,
    refused,
    remove_unfinished,
    unfinished,
    whole_file,
)
from aucbench.store.shard import SCHEMA

MARKER, FORMAT = "aucbench-results.json", "aucbench results"
SHARDS, BLOBS, SCRATCH, ASIDE = "cells", "scores", "tmp", "aside"  # folders
INDEX, LOCK, HOLDER = "index.json", "run.lock", "run.json"
ABOUT = (
    "Results of aucbench. cells/ holds one JSON file per cell, scores/ the scores of test rows, "
    "aside/ files that were damaged. Finished cells are not run again. Folders of one schema are "
    "merged by copying the files of cells/ and scores/ together, or with git."
)
# Git must not merge two versions of a shard line by line: the result would be damaged.
GIT = {
    ".gitignore": f"/{ASIDE}/\n/{SCRATCH}/\n/{INDEX}\n/{LOCK}\n/{HOLDER}\n",
    ".gitattributes": "*.json text eol=lf\n*.npz binary\n/cells/** -merge\n",
}


class Home:
    """A results folder, by its inode and its marker.

    What is written goes through it. With `create`, a folder that is missing or empty is made when
    something is written, so that a run that is refused leaves none behind. One that was moved or
    deleted in the meantime is not made a second time, half and without its marker.
    """

    def __init__(self, folder: Path, *, create: bool):
        self.folder, self.scratch = folder, folder / SCRATCH
        self._known: os.stat_result | None = None
        try:
            if create and _is_new(folder):
                _require_place(folder)
            else:
                self._known = self._opened()
        except OSError as error:
            raise refused("open", folder, error) from error

    @property
    def is_new(self) -> bool:
        """Whether nothing has been written yet, so that it may not be there."""
        return self._known is None

    @property
    def is_read_only(self) -> bool:
        """Whether it is there and cannot be written."""
        return not self.is_new and not os.access(self.folder, os.W_OK)

    def require(self) -> None:
        """Make the folder if it is new; raise `DataError` unless it is the one that was opened."""
        try:
            if self._known is None:
                make_folder(self.folder)
                if _is_new(self.folder):
                    _start(self.folder)
                self._known = self._opened()
            (self.folder / MARKER).stat()
            if os.path.samestat(self.folder.stat(), self._known):
                return
        except OSError as error:
            if error.errno not in GONE:
                raise refused("open", self.folder, error) from error
        raise DataError(
            f"the results folder {self.folder} was moved or deleted while it was in use; what was "
            "finished went with it: name the place where it is now, and run the same again"
        )

    def prepare(self) -> None:
        """Make the folders of shards and blobs, so that a long run does not fail at its end."""
        try:
            self.make(*(self.folder / name for name in (SHARDS, BLOBS, SCRATCH)))
        except OSError as error:
            raise refused("open", self.folder, error) from error

    def _opened(self) -> os.stat_result:
        _check_marker(self.folder / MARKER)
        return self.folder.stat()

    def make(self, *folders: Path) -> None:
        """Create folders in it with their parents, but never the results folder itself."""
        self.require()
        for folder in folders:
            make_folder(folder, within=self.folder)

    def put(self, path: Path, content: bytes) -> None:
        """Write a file in it, complete or not at all; raises `DataError` when it cannot."""
        try:
            self.make(self.scratch, path.parent)
            with whole_file(path, unfinished(self.scratch, path.name)) as file:
                file.write(content)
        except OSError as error:
            raise refused("write", path, error) from error

    def clean_up(self) -> None:
        """Remove files that killed processes left; raises `OSError` when it cannot."""
        remove_unfinished(self.folder)
        remove_unfinished(self.scratch)


def _is_new(folder: Path) -> bool:
    """Whether a folder is missing or empty; raises `DataError` where it holds something else."""
    try:
        others = [p.name for p in folder.iterdir() if not p.name.startswith(f".{MARKER}.")]
    except FileNotFoundError:
        return True
    if MARKER in others:
        return False
    if others:
        raise DataError(
            f"{folder} is not a results folder, it holds {min(others)!r} but no {MARKER}; name a "
            "results folder, or for a new run one that is new or empty"
        )
    return True


def _require_place(folder: Path) -> None:
    """Raise `OSError` unless a new folder can be made, before a long run."""
    above = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    probe = unfinished(above, f".{MARKER}.probe")
    probe.touch()
    probe.unlink()


def _start(folder: Path) -> None:
    """Turn an empty folder into a results folder."""
    marker = {"about": ABOUT, "format": FORMAT, "schema": SCHEMA}
    for name, text in {MARKER: json.dumps(marker, indent=1) + "\n", **GIT}.items():
        with whole_file(folder / name, unfinished(folder, f".{MARKER}.{name}")) as file:
            file.write(text.encode("ascii"))


def _check_marker(path: Path) -> None:
    try:
        marker = json.loads(read_file(path))
        kind, schema = marker["format"], marker["schema"]
    except FileNotFoundError as error:
        if not path.parent.exists():
            raise DataError(
                f"there is no results folder {path.parent}; name one that `aucbench run` has "
                "written; a run makes it when it has read its plan and its data"
            ) from error
        _is_new(path.parent)  # which refuses what holds something else
        raise DataError(
            f"{path.parent} is not a results folder, it is empty and has no {MARKER}; name a "
            "results folder, or for a new run one that is new or empty"
        ) from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise DataError(
            f"{path} is damaged; write {json.dumps({'format': FORMAT, 'schema': SCHEMA})} into "
            "it if this is a results folder, or name another one"
        ) from error
    if kind != FORMAT or schema != SCHEMA:
        raise DataError(
            f"{path.parent} has {kind!r} of schema {schema!r}, this aucbench reads {FORMAT!r} of "
            f"schema {SCHEMA}; use the aucbench that wrote it, or another folder"
        )
