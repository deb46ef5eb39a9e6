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
    """A results folder that is there, by its inode and its marker.

    What is written goes through it: a folder that was moved or deleted in the meantime is not
    made a second time, half and without its marker. `create` is as in `DocumentStore`.
    """

    def __init__(self, folder: Path, *, create: bool):
        self.folder, self.scratch = folder, folder / SCRATCH
        try:
            if create:
                make_folder(folder)
            if not (folder / MARKER).exists():
                _start(folder, create=create)
            _check_marker(folder / MARKER)
            self._known = folder.stat()
            if create:  # now, so that a long run does not fail when it stores its first result
                for name in (SHARDS, BLOBS, SCRATCH):
                    make_folder(folder / name)
                with whole_file(self.scratch / "probe", unfinished(self.scratch, "probe")) as file:
                    file.write(b"\n")
                (self.scratch / "probe").unlink(missing_ok=True)
        except FileNotFoundError as error:
            raise DataError(
                f"there is no results folder {folder}; name one that `aucbench run` has written"
            ) from error
        except OSError as error:
            raise refused("open", folder, error) from error

    def require(self) -> None:
        """Raise `DataError` unless the folder is still the one that was opened."""
        try:
            (self.folder / MARKER).stat()
            if os.path.samestat(self.folder.stat(), self._known):
                return
        except OSError as error:
            if error.errno not in GONE:
                raise refused("read", self.folder, error) from error
        raise DataError(
            f"the results folder {self.folder} was moved or deleted while it was in use; what was "
            "finished went with it: name the place where it is now, and run the same again"
        )

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


def _start(folder: Path, *, create: bool) -> None:
    """Turn an empty folder into a results folder."""
    others = [p.name for p in folder.iterdir() if not p.name.startswith(f".{MARKER}.")]
    if others and (folder / MARKER).exists():
        return  # another process has just done this
    if others or not create:
        held = f"it holds {min(others)!r} but" if others else "it is empty and has"
        raise DataError(
            f"{folder} is not a results folder, {held} no {MARKER}; name a results folder, or "
            "for a new run one that is new or empty"
        )
    marker = {"about": ABOUT, "format": FORMAT, "schema": SCHEMA}
    for name, text in {MARKER: json.dumps(marker, indent=1) + "\n", **GIT}.items():
        with whole_file(folder / name, unfinished(folder, f".{MARKER}.{name}")) as file:
            file.write(text.encode("ascii"))


def _check_marker(path: Path) -> None:
    try:
        marker = json.loads(read_file(path))
        kind, schema = marker["format"], marker["schema"]
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
