"""Rows on disk: one strict JSON list, complete or not there at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from aucbench.bench.cell import Row
from aucbench.errors import ParameterError


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
            raise ParameterError(f"{path} is not a file; name one that takes the JSON rows")
        probe = _beside(target)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise _refused(path, error) from error


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write the rows to a file beside `path`, flush it to the disk, and rename it.

    Raises
    ------
    ParameterError
        When the file cannot be written; what was there before stays.
    """
    text = json.dumps([row.to_json() for row in rows], indent=1, allow_nan=False)
    unfinished = _beside(path.resolve())
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path.resolve())
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _refused(path: Path, error: OSError) -> ParameterError:
    why = error.strerror or type(error).__name__
    return ParameterError(f"cannot write {path}: {why}; name another file")


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")
