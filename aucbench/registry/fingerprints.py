"""Fingerprints of code: of aucbench, of a plugin, of any files.

Design
  a. What is hashed is content: of files and versions. No path, host, time or order of
     discovery gets in, so that a fingerprint is the same on every machine.
  b. Of aucbench itself all is hashed but the folders in `PARENT`, so that a folder that
     somebody adds counts until somebody says that it cannot change a number. (Rejected: a
     list of what counts; what is forgotten there would serve stale numbers.)
  c. A built-in plugin counts by the folder of its family: another family cannot change it.
  d. No plugin is imported: its files are found by the path finders of Python.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b, file_digest
from importlib import invalidate_caches
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aucbench.errors import DataError
from aucbench.hookspecs import PROJECT
from aucbench.registry.discovery import normalized

BUILT_IN = "aucbench_plugins"  # the package of the built-in plugins
PARENT = frozenset(  # of aucbench: what runs beside a cell, not in it, or is hashed otherwise
    {
        "bench",
        "cli",
        "datasets",  # the data themselves are hashed
        "estimator",
        "include",  # is compiled into the kernels
        "infra",
        "papers",
        "py.typed",
        "report",
        "testing",
    }
)
LIBRARIES = ("numpy", "scikit-learn", "scipy")  # what aucbench computes with
CACHES = frozenset({"__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
SIZE = 16  # bytes of a hash: 10^9 cells collide with a probability of 10^-21
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
REQUIRED = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
OPTIONAL = re.compile(r";.*\bextra\s*==")  # asked for by a user, not by the distribution


def hash_of(thing: Any) -> str:
    """Hash of a JSON value, 32 hexadecimal digits."""
    return blake2b(CANONICAL.encode(thing).encode(), digest_size=SIZE).hexdigest()


def fingerprint(files: Mapping[str, Path]) -> str:
    """Hash of names and contents, in whatever order they come.

    Raises
    ------
    DataError
        When a file cannot be read.
    """
    return hash_of({name: _content(path) for name, path in files.items()})


def code_fingerprint() -> str:
    """Hash of the part of aucbench that computes, and of the versions of its libraries."""
    files = {n: p for n, p in _files_of_module(PROJECT).items() if n.split("/")[1] not in PARENT}
    return hash_of([fingerprint(files), {name: _version(name) for name in LIBRARIES}])


def plugin_fingerprint(dist: str, value: str) -> str:
    """Hash of the files of a plugin, and of the versions of all that it requires.

    Parameters
    ----------
    dist : str
        Name of the distribution.
    value : str
        Of its entry point: `package.module` or `package.module:object`. The files are those
        of the top-level package or module, and all others that the distribution installed;
        of a built-in plugin those of its family.
    """
    invalidate_caches()  # a plugin may have been rebuilt or upgraded beside this process
    top, family, *_ = [*re.split(r"[.:]", value), ""]
    files: dict[str, Path] = {}
    if normalized(dist) != PROJECT:
        files = _installed(dist)
    if top == BUILT_IN:
        whole = _files_of_module(top)
        files |= {n: p for n, p in whole.items() if n.split("/")[1] in (family, "__init__.py")}
    elif top != PROJECT:  # whose own code is `code_fingerprint`
        files |= _files_of_module(top)
    return hash_of([value, fingerprint(files), dict(sorted(_versions(dist)))])


def _content(path: Path) -> str:
    try:
        with path.open("rb") as content:
            return file_digest(content, lambda: blake2b(digest_size=SIZE)).hexdigest()
    except OSError as error:
        raise DataError(
            f"cannot read {path}, a file of a plugin, to tell its results apart: {error.strerror}; "
            "make it readable"
        ) from error


def _files_of_module(top: str) -> dict[str, Path]:
    """Files of a top-level package or module; none when nobody can find it."""
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return {}
    if spec is None:
        return {}
    folders = spec.submodule_search_locations
    if folders is not None:
        return {name: path for folder in folders for name, path in _tree(Path(folder), top)}
    return {Path(spec.origin).name: Path(spec.origin)} if spec.has_location and spec.origin else {}


def _tree(folder: Path, top: str) -> Iterator[tuple[str, Path]]:
    visited = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        folders[:] = () if real in visited else (f for f in folders if f not in CACHES)
        for path in (Path(place, name) for name in names if real not in visited):
            if path.suffix != ".pyc" and path.is_file():
                yield f"{top}/{path.relative_to(folder).as_posix()}", path
        visited.add(real)


def _installed(dist: str) -> dict[str, Path]:
    """Files that an installer recorded, its own notes and links to a source tree left out."""
    found = _find(dist)
    listed = (found.files if found else None) or ()
    return {
        file.as_posix(): path
        for file in listed
        if not (
            ".." in file.parts
            or file.parts[0].endswith((".dist-info", ".egg-info"))
            or file.name.startswith("__editable__")
            or file.suffix in (".pyc", ".pth")
        )
        and (path := Path(str(found.locate_file(file)))).is_file()  # type: ignore[union-attr]
    }


def _versions(dist: str) -> Iterable[tuple[str, str | None]]:
    """(name, version) of a distribution and of all that it needs, directly or not."""
    waiting, known = [normalized(dist)], dict[str, str | None]()
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known[name] = _version(name)
        if name != PROJECT:  # its libraries are a part of `code_fingerprint`
            waiting += _requirements(name)
    return known.items()


def _requirements(name: str) -> Iterator[str]:
    found = _find(name)
    for line in (found.requires if found else None) or ():
        if not OPTIONAL.search(line) and (match := REQUIRED.match(line)):
            yield normalized(match[1])


def _version(name: str) -> str | None:
    found = _find(name)
    return None if found is None else found.version


def _find(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None
