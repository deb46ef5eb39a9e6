"""Fingerprints of code: of aucbench, of a plugin, of any files.

Design
  a. A fingerprint is a hash of the contents of files and of versions. Paths, hosts, times and
     the order of files have no influence, so that it is the same on every machine.
  b. Of aucbench, the rooms in `COMPUTES` are hashed, by name. A test has the names of all others,
     so that nobody forgets to decide.
  c. For a built-in plugin, the folder of its family is hashed. Other families do not count.
  d. No plugin is imported: the path finders of Python find its files. What its sources import
     counts too, whether its metadata declare it or not: the statements `import` are read, none is
     run.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b, file_digest
from importlib import invalidate_caches
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aucbench.errors import DataError
from aucbench.hookspecs import PROJECT
from aucbench.registry.discovery import BUILT_IN, normalized
from aucbench.registry.source_files import files_of, imports_of

COMPUTES = (  # what runs in a cell and what measures it: its files count
    "__init__.py",
    "aum",
    "bench/cell.py",
    "bench/codec.py",
    "bench/evaluation",
    "bench/worker",
    "contract.py",
    "data",
    "datasets/reading.py",
    "datasets/tables",
    "errors.py",
    "features",
    "hookspecs.py",
    "kernels",
    "losses",
    "metrics",
    "objectives",
    "optim",
    "pairs",
    "projectors",
    "ranges.py",
    "records.py",
    "registry",
    "scale",
    "solving",
    "stats/labels.py",
    "stats/vectors.py",
)
LIBRARIES = ("numpy", "scikit-learn", "scipy")  # libraries that aucbench computes with
OURS = frozenset({"aucbench", BUILT_IN, "sklearn", *LIBRARIES})  # in `code_fingerprint`
CACHES = frozenset({"__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
HASH_BYTES = 16  # bytes of a hash: 10^9 cells collide with a probability of 10^-21
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
REQUIRED = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
OPTIONAL = re.compile(r";.*\bextra\s*==")  # a requirement of an extra


def hash_of(thing: Any) -> str:
    """Return a hash of a JSON value, 32 hexadecimal digits."""
    return blake2b(CANONICAL.encode(thing).encode(), digest_size=HASH_BYTES).hexdigest()


def fingerprint(files: Mapping[str, Path]) -> str:
    """Return a hash of names and contents; their order has no influence.

    `DataError`: a file cannot be read.
    """
    return hash_of({name: _content(path) for name, path in files.items()})


def code_fingerprint() -> str:
    """Return a hash of the part of aucbench that computes, and of the versions of `LIBRARIES`."""
    rooms = tuple(f"{PROJECT}/{room}" for room in COMPUTES)
    files = {
        name: path
        for name, path in files_of_module(PROJECT).items()
        if any(name == room or name.startswith(f"{room}/") for room in rooms)
    }
    return hash_of([fingerprint(files), {name: version_of(name) for name in LIBRARIES}])


def plugin_fingerprint(dist: str, value: str) -> str:
    """Return a hash of the files of a plugin, and of the versions of all that it requires.

    `value` is that of its entry point. The files are those of the top-level package or module, and
    all others that the distribution installed; for a built-in plugin, those of its family. Of a
    third party the packages that these files import count too.
    """
    files = plugin_files(dist, value)
    known = [value, fingerprint(files), dict(sorted(_versions(dist)))]
    if normalized(dist) != PROJECT:
        own = re.split(r"[.:]", value)[0]
        known.append(imported_packages(files.values(), own))
    return hash_of(known)


def plugin_files(dist: str, value: str) -> dict[str, Path]:
    """Return the files of `plugin_fingerprint` by name, without those of aucbench itself."""
    invalidate_caches()  # a plugin may have been rebuilt or upgraded since this process began
    top, family, *_ = [*re.split(r"[.:]", value), ""]
    files: dict[str, Path] = {}
    if normalized(dist) != PROJECT:
        files = _installed(dist)
    if top == BUILT_IN:
        whole = files_of_module(top)
        files |= {n: p for n, p in whole.items() if n.split("/")[1] in (family, "__init__.py")}
    elif top != PROJECT:  # the code of aucbench itself is in `code_fingerprint`
        files |= files_of_module(top)
    return files


def package_fingerprint(top: str) -> str:
    """Hash of the code of a top-level module, such as "xgboost".

    It is that of the versions of its distributions and of all that they require. The files count
    where there is none, or where it is an editable one.
    """
    invalidate_caches()
    owners = _owners(tuple(sys.path)).get(top, ())
    if owners and not any(map(_is_editable, owners)):
        return hash_of([top, sorted(pair for owner in owners for pair in _versions(owner))])
    return hash_of([top, fingerprint(files_of_module(top))])


def file_fingerprint(path: Path) -> str:
    """Return a hash of a file, of files in its folder that it imports, and of other packages."""
    files, imported = files_of(path)
    packages = imported - OURS - sys.stdlib_module_names
    return hash_of([fingerprint(files), {top: package_fingerprint(top) for top in packages}])


def imported_packages(sources: Iterable[Path], own: str = "") -> dict[str, str]:
    """Return the fingerprints of the packages that sources import, by their top-level names.

    A module that no distribution has installed counts with all that it imports itself. Left out are
    the standard library, what aucbench computes with, and the `own` package of the sources.
    """
    waiting, known = [*sources], dict[str, str]()
    while waiting:
        path = waiting.pop()
        for top in imports_of(path) if path.suffix == ".py" else ():
            if top in (*known, own) or top in OURS or top in sys.stdlib_module_names:
                continue
            known[top] = package_fingerprint(top)
            if not _owners(tuple(sys.path)).get(top):
                waiting += files_of_module(top).values()
    return dict(sorted(known.items()))


@lru_cache(maxsize=4)
def _owners(path: tuple[str, ...]) -> Mapping[str, list[str]]:
    return packages_distributions()  # it reads the metadata of all distributions: half a second


def _is_editable(dist: str) -> bool:
    """Whether an installer left a link to a source tree in place of files (PEP 610)."""
    distribution = _find(dist)
    origin = json.loads((distribution and distribution.read_text("direct_url.json")) or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


def _content(path: Path) -> str:
    try:
        with path.open("rb") as content:
            return file_digest(content, lambda: blake2b(digest_size=HASH_BYTES)).hexdigest()
    except OSError as error:
        raise DataError(
            f"cannot read {path}, a file of a plugin whose content identifies its results: "
            f"{error.strerror}; make it readable"
        ) from error


def files_of_module(top: str) -> dict[str, Path]:
    """Return the files of a top-level package or module; none when Python cannot find it."""
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
    """Return the files that the installer recorded, without metadata and links to sources."""
    distribution = _find(dist)
    listed = (distribution.files if distribution else None) or ()
    return {
        file.as_posix(): path
        for file in listed
        if not (
            ".." in file.parts
            or file.parts[0].endswith((".dist-info", ".egg-info"))
            or file.name.startswith("__editable__")
            or file.suffix in (".pyc", ".pth")
        )
        and (path := Path(str(distribution.locate_file(file)))).is_file()  # type: ignore[union-attr]
    }


def _versions(dist: str) -> Iterable[tuple[str, str | None]]:
    """Return (name, version) of a distribution and of all that it needs, directly or not."""
    waiting, known = [normalized(dist)], dict[str, str | None]()
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known[name] = version_of(name)
        if name != PROJECT:  # the libraries of aucbench are in `code_fingerprint`
            waiting += _requirements(name)
    return known.items()


def _requirements(name: str) -> Iterator[str]:
    distribution = _find(name)
    for line in (distribution.requires if distribution else None) or ():
        if not OPTIONAL.search(line) and (match := REQUIRED.match(line)):
            yield normalized(match[1])


def version_of(name: str) -> str | None:
    """Return the version of an installed distribution."""
    distribution = _find(name)
    return None if distribution is None else distribution.version


def versions_of_module(top: str) -> dict[str, str | None]:
    """Return the versions of the distributions of a module, of interpret-core for "interpret"."""
    return {name: version_of(name) for name in _owners(tuple(sys.path)).get(top, ())}


def _find(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None
