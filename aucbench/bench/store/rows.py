"""Rows for `--json`: one strict JSON list, complete or not there at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from aucbench.bench.store.files import unfinished, whole_file, why
from aucbench.errors import ParameterError


class Plain(Protocol):
    """What turns itself into plain values."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values for strict JSON."""


def require_writable(path: Path) -> None:
    """Find out before a long run whether its rows can be written to `path`.

    Raises
    ------
    ParameterError
        When it cannot become a file.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise ParameterError(f"{path} is not a file; name one that can be written")
        probe = unfinished(target.parent, ".aucbench")
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise not_writable(path, error) from error


@contextmanager
def own_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file of the user's for writing: at the end it is complete, or as it was before.

    Raises
    ------
    ParameterError
        When it cannot be written.
    """
    require_writable(path)
    target = path.resolve()
    try:
        with whole_file(target, unfinished(target.parent, ".aucbench")) as file:
            yield file
    except OSError as error:
        raise not_writable(path, error) from error


def write_rows(rows: Iterable[Plain], path: Path) -> None:
    """Write the rows to a file beside `path`, flush it to the disk, and rename it.

    Raises
    ------
    ParameterError
        When the file cannot be written; what was there before stays.
    """
    text = json.dumps([row.to_json() for row in rows], indent=1, allow_nan=False)
    with own_file(path) as file:
        file.write(f"{text}\n".encode())


def not_writable(path: Path, error: OSError) -> ParameterError:
    """Return the error to raise where a file of the user's cannot be written."""
    return ParameterError(f"cannot write {path}: {why(error)}; name another file")
