"""PMLB: classification sets of the Penn Machine Learning Benchmark, at one commit.

`pmlb.csv` has the hashes and sizes that the repository tracks, and the shapes of its summary; not
the sets _deprecated, of which PMLB has a corrected one. Categories are numbers in its files, and
nothing there says which columns they are.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from aucbench.datasets.catalogue import Facts
from aucbench.datasets.download import RemoteFile, cached_paths, fetch_files
from aucbench.datasets.formats import Table, Wanted, read_table
from aucbench.errors import UnknownNameError

PREFIX = "pmlb"
TITLE = "classification sets of the Penn Machine Learning Benchmark"
ADDRESS = "https://epistasislab.github.io/pmlb/"
LICENCE = "MIT for the collection; each set keeps the terms of its source"
CITES: tuple[str, ...] = ("olson2017", "romano2022")

COMMIT = "7c1f4bdc00136dc2e55c87fa6b8ba6e8af6d1a68"  # of 25 February 2025
ROOTS = (
    f"https://media.githubusercontent.com/media/EpistasisLab/pmlb/{COMMIT}/datasets",
    f"https://github.com/EpistasisLab/pmlb/raw/{COMMIT}/datasets",
)
LABELS = "target"


def version() -> str:
    """Return the commit of the repository."""
    return f"commit {COMMIT[:12]}"


def names() -> tuple[str, ...]:
    """Return the names of the sets."""
    return tuple(sorted(_known()))


def at_hand() -> tuple[str, ...]:
    """Return the names of those that are in the cache."""
    return tuple(name for name in names() if cached_paths([_file(name)])[0].is_file())


def fetch(name: str, progress: bool) -> tuple[Path, ...]:
    """Download one set, unless it is in the cache; return its file; raises as `Source.table`."""
    return tuple(fetch_files([_file(name)], progress=progress))


def table(name: str, wanted: Wanted) -> Table:
    """Read one set, downloaded if necessary; raises as `Source.table`."""
    [path] = fetch(name, progress=True)
    target = LABELS if wanted.target is None else wanted.target
    whole = read_table(path, replace(wanted, target=target))
    return whole if wanted.target is not None else replace(whole, label=f"the column {LABELS!r}")


def facts(name: str) -> Facts:
    """Return what is known of a set; raises `UnknownNameError`."""
    file, row = _file(name), _known()[name]
    return Facts(
        name=f"{PREFIX}:{name}",
        address=file.urls[0],
        licence=LICENCE,
        cites=CITES,
        at_hand=cached_paths([file])[0].is_file(),
        rows=int(row["rows"]),
        features=int(row["features"]),
        classes=int(row["classes"]),
        positive=int(row["rarer"]) if row["rarer"] else None,
        sha256=file.sha256,
    )


whence = facts  # nothing is read for it


@cache
def _known() -> Mapping[str, Mapping[str, str]]:
    text = (files(__package__) / "pmlb.csv").read_text(encoding="utf-8")
    return {row["name"]: row for row in csv.DictReader(text.splitlines())}


def _file(name: str) -> RemoteFile:
    if (row := _known().get(name)) is None:
        raise UnknownNameError(f"data set of {PREFIX}", name, names())
    ending = f"{quote(name)}/{quote(name)}.tsv.gz"
    urls = tuple(f"{root}/{ending}" for root in ROOTS)
    return RemoteFile(f"{name}.tsv.gz", urls, row["sha256"], int(row["bytes"]))
