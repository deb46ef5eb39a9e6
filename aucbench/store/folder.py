"""The marker of a results folder, and the checks when a folder is opened."""

from __future__ import annotations

import json
import os
from pathlib import Path

from aucbench.errors import DataError
from aucbench.store.files import (
    flush_folder,
    make_folder,
    refused,
    unfinished,
    whole_file,
)
from aucbench.store.index import INDEX
from aucbench.store.lock import HOLDER, LOCK
from aucbench.store.shard import SCHEMA

SHARDS, BLOBS, SCRATCH = "cells", "scores", "tmp"  # names of folders
EARLIER = "packs"  # a folder in which an earlier aucbench kept many shards in one file
MARKER = "aucbench-results.json"
FORMAT = "aucbench results"
ABOUT = (
    "Results of aucbench. cells/ holds one JSON file per cell, scores/ the scores of test rows, "
    "aside/ files that were damaged. Finished cells are not run again. Folders of one schema are "
    "merged by copying the files of cells/ and scores/ together, or with git."
)
# Git must not merge two versions of a shard line by line: the result would be damaged.
GIT = {
    ".gitignore": f"/aside/\n/tmp/\n/{INDEX}\n/{LOCK}\n/{HOLDER}\n",
    ".gitattributes": "*.json text eol=lf\n*.npz binary\n/cells/** -merge\n",
}


def open_folder(folder: Path, *, create: bool) -> None:
    """Check that `folder` is a results folder, and with `create` that it can be written to.

    Raises
    ------
    DataError
        When it is missing or empty (without `create`), holds something else, was written
        with another schema, or cannot be written to (with `create`).
    """
    try:
        if create:
            make_folder(folder)
        if not (folder / MARKER).exists():
            _start(folder, create=create)
        _check_marker(folder / MARKER)
        if create:
            _try_to_write(folder)
    except FileNotFoundError as error:
        raise DataError(
            f"there is no results folder {folder}; name one that `aucbench run` has written"
        ) from error
    except OSError as error:
        raise refused("open", folder, error) from error


def _start(folder: Path, *, create: bool) -> None:
    """Turn an empty folder into a results folder."""
    unfinished_marker = f".{MARKER}."
    others = [p.name for p in folder.iterdir() if not p.name.startswith(unfinished_marker)]
    if others and (folder / MARKER).exists():
        return  # another process has just done this
    if others or not create:
        held = f"it holds {min(others)!r} but" if others else "it is empty and has"
        raise DataError(
            f"{folder} is not a results folder, {held} no {MARKER}; name a results folder, or "
            "for a new run one that is new or empty"
        )
    marker = {"about": ABOUT, "format": FORMAT, "schema": SCHEMA}
    _write(folder, MARKER, json.dumps(marker, indent=1, sort_keys=True) + "\n")
    for name, text in GIT.items():
        _write(folder, name, text)


def _write(folder: Path, name: str, text: str) -> None:
    with whole_file(folder / name, unfinished(folder, f".{MARKER}.{name}")) as file:
        file.write(text.encode("ascii"))


def _check_marker(path: Path) -> None:
    try:
        found = json.loads(path.read_bytes())
        kind, schema = found["format"], found["schema"]
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
    if (path.parent / EARLIER).is_dir():
        raise DataError(
            f"{path.parent} has results of an earlier aucbench in {EARLIER}/, which this one does "
            "not read; use the aucbench that wrote them, or another folder"
        )


def _try_to_write(folder: Path) -> None:
    """Write a file now, so that a long run does not fail when it stores its first result."""
    for name in (SHARDS, BLOBS, SCRATCH):
        make_folder(folder / name)
    probe = unfinished(folder / SCRATCH, "probe")
    try:
        with probe.open("xb") as file:
            file.write(b"\n")
            file.flush()
            os.fsync(file.fileno())
    finally:
        probe.unlink(missing_ok=True)
    flush_folder(folder)
