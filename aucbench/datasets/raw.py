"""Sets of the catalogue in the form in which their sources publish them.

A set that is downloaded is one of these:

- the four files of an idx set, or the files of a changepoint set: they are read as such sets in
  a folder are;
- "rows": files with rows, such as a training and a test part, one below the other;
- "cifar10", "stl10", "rcv1": formats of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets import changepoint, idx, svmlight
from aucbench.datasets.catalogue import Entry
from aucbench.datasets.compressed import open_plain
from aucbench.datasets.download import cached_path, fetch_files
from aucbench.datasets.endings import naming, without_compression
from aucbench.datasets.formats import Table, Wanted, read_table
from aucbench.datasets.images import read_cifar10, read_stl10
from aucbench.datasets.label import column_at
from aucbench.errors import DataError

TOPIC = "CCAT"  # of rcv1: its positive class


@dataclass(frozen=True, slots=True)
class Published:
    """The raw files of a set, on this machine."""

    entry: Entry
    paths: tuple[Path, ...]  # in the order of `entry.files`

    def __str__(self) -> str:
        return f"{self.entry.name} ({' + '.join(path.name for path in self.paths)})"

    def table(self, wanted: Wanted) -> Table:
        """Read the files."""
        reader = self.entry.raw.reader
        if reader == "rows":
            return _rows(self, wanted)
        if replace(wanted, others=()) != Wanted():
            raise DataError(f"target, separator and decimal are for tables, not for {self}")
        return _READERS[reader](self.paths)


def in_cache(entry: Entry) -> bool:
    """Return whether all files of a set have been downloaded; their content is not read."""
    return bool(entry.files) and all(cached_path(file) is not None for file in entry.files)


def fetched(entry: Entry, *, progress: bool = False) -> Path | Published:
    """Return the files of a set of the catalogue; download those that are not in the cache.

    A path is that of a file to read as one in a folder; its other files lie beside it.
    """
    if not entry.files:
        raise no_download([entry])
    paths = fetch_files(entry.files, progress=progress)
    first = paths[0]
    if without_compression(first.name).endswith(idx.MARK) or changepoint.set_name(first):
        return first
    return Published(entry, paths)


def no_download(lost: Sequence[Entry]) -> DataError:
    """Return the error about sets of the catalogue that it has no files of."""
    why = (f"{e.name}: {e.lacking}, {_way(e)}" for e in lost)
    return DataError(
        f"{', '.join(e.name for e in lost)} cannot be downloaded by name ({'; '.join(why)}); put "
        f"a file such as {lost[0].name}.svm into the folder AUCBENCH_DATA"
    )


def _way(entry: Entry) -> str:
    return f"give {entry.address}#sha256=HEX" if entry.address else f"see {entry.source}"


def _rows(files: Published, wanted: Wanted) -> Table:
    raw, d = files.entry.raw, files.entry.d
    asked = replace(
        wanted,
        target=raw.target if wanted.target is None else wanted.target,
        width=d,
        others=(*wanted.others, *map(str, raw.drop)),
    )
    tables = [read_table(path, asked) for path in files.paths]
    table = replace(tables[0], X=_stacked([table.X for table in tables]))
    table = replace(table, y=np.concatenate([table.y for table in tables]))
    width = np.shape(table.X)[1]
    left = {column_at(name, table.names, width) for name in raw.drop}
    table = table.keeping([j for j in range(width) if j not in left]) if left else table
    if np.shape(table.X)[1] != d:
        raise DataError(f"{files} has {np.shape(table.X)[1]} features, wanted {d}; fetch it again")
    return replace(table, names=raw.names or table.names)


def _stacked(parts: Sequence[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def _rcv1(paths: Sequence[Path]) -> Table:
    """Read files of vectors, whose labels are numbers of documents, and the file of topics.

    A line of the file of topics is a topic, the number of a document, and 1.
    """
    *vectors, topics = paths
    parts = []
    for path in vectors:
        with naming(path), open_plain(path) as stream:
            parts.append(svmlight.parsed(stream, RCV1_WORDS, zero=False))
    with naming(topics), open_plain(topics) as stream:
        lines = [line.split() for line in stream]
        held = [int(number) for topic, number, _ in lines if topic == TOPIC.encode()]
    y = np.isin(np.concatenate([y for _, y in parts]), held).astype(np.int64)
    return Table(_stacked([X for X, _ in parts]), y, label=f"topic {TOPIC} of a document")


RCV1_WORDS = 47236
_READERS: dict[str, Callable[[Sequence[Path]], Table]] = {
    "cifar10": lambda paths: read_cifar10(paths[0]),
    "stl10": lambda paths: read_stl10(paths[0]),
    "rcv1": _rcv1,
}
