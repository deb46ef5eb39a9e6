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

from aucbench.datasets.download import RemoteFile, cached_paths, fetch_files
from aucbench.datasets.formats import Wanted
from aucbench.datasets.table import Table, read_table
from aucbench.errors import UnknownNameError

PREFIX = "pmlb"
TITLE = "classification sets of the Penn Machine Learning Benchmark"
ADDRESS = "https://epistasislab.github.io/pmlb/"
CITES: tuple[str, ...] = ("olson2017", "romano2022")

COMMIT = "7c1f4bdc00136dc2e55c87fa6b8ba6e8af6d1a68"  # of 25 February 2025
ROOTS = (
    f"https://media.githubusercontent.com/media/EpistasisLab/pmlb/{COMMIT}/datasets",
    f"https://github.com/EpistasisLab/pmlb/raw/{COMMIT}/datasets",
)
LABELS = "target"


def at_hand(name: str) -> bool:
    """Return whether a set is in the cache; raises `UnknownNameError`."""
    return cached_paths([_file(name)])[0].is_file()


def fetch(name: str, progress: bool) -> tuple[Path, ...]:
    """Download one set, unless it is in the cache; return its file; raises as `Source.table`."""
    return tuple(fetch_files([_file(name)], progress=progress))


def table(name: str, wanted: Wanted) -> Table:
    """Read one set, downloaded if necessary; raises as `Source.table`."""
    [path] = fetch(name, progress=True)
    target = LABELS if wanted.target is None else wanted.target
    whole = read_table(path, replace(wanted, target=target))
    return whole if wanted.target is not None else replace(whole, label=f"the column {LABELS!r}")


@cache
def _known() -> Mapping[str, Mapping[str, str]]:
    text = (files(__package__) / "pmlb.csv").read_text(encoding="utf-8")
    return {row["name"]: row for row in csv.DictReader(text.splitlines())}


def _file(name: str) -> RemoteFile:
    if (row := _known().get(name)) is None:
        raise UnknownNameError(f"data set of {PREFIX}", name, sorted(_known()))
    ending = f"{quote(name)}/{quote(name)}.tsv.gz"
    urls = tuple(f"{root}/{ending}" for root in ROOTS)
    return RemoteFile(f"{name}.tsv.gz", urls, row["sha256"], int(row["bytes"]))
