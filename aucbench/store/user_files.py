"""Files that the user names, such as that of `--json`: complete, or as they were before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from aucbench.errors import ParameterError
from aucbench.store.files import unfinished, whole_file, why


def require_writable(path: Path) -> None:
    """Check before a long run that its results can be written to `path`.

    Raises
    ------
    ParameterError
        When no file can be written there.
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
    """Open a file that the user names; at the end it is complete, or as it was before.

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


def not_writable(path: Path, error: OSError) -> ParameterError:
    """Return the error to raise when a file that the user names cannot be written."""
    return ParameterError(f"cannot write {path}: {why(error)}; name another file")
