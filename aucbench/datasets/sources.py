"""The files of a data set on this machine: a file of a user, or those that a source publishes.

What the catalogue downloads are the files of an idx set or a changepoint set, which are read as
those in a folder are; "rows", one below the other, such as a training and a test part; or files of
a format of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aucbench.datasets import changepoint, images
from aucbench.datasets.catalogue import NOT_KNOWN, Entry
from aucbench.datasets.download import cached_paths, fetch_files
from aucbench.datasets.endings import format_of, naming, without_compression
from aucbench.datasets.formats import Wanted
from aucbench.datasets.manifest import MANIFEST, manifest_row, verify
from aucbench.datasets.table import Table, read_table, stacked
from aucbench.datasets.textfile import PANDAS
from aucbench.errors import DataError


@dataclass(frozen=True, slots=True)
class File:
    """A file, and what the catalogue knows of it. Some formats have further files beside it."""

    path: Path
    entry: Entry = NOT_KNOWN
    # raw files that were downloaded, in the order of `entry.files`; `path` is the first of them
    raw: tuple[Path, ...] = ()

    def __str__(self) -> str:
        names = " + ".join(path.name for path in self.raw)
        return f"{self.entry.name} ({names})" if names else str(self.path)

    def files(self) -> Sequence[Path]:
        """Return the files that are read."""
        if changepoint.set_name(self.path):
            return changepoint.parts(self.path)
        if images.is_idx(self.path):
            return [file for pair in images.pairs(self.path) for file in pair]
        names = _names_beside(self.path)
        return [self.path, names] if names.is_file() else [self.path]

    def table(self, wanted: Wanted) -> Table:
        """Read a table, an idx set, or raw files."""
        path, reader = self.path, self.entry.raw.reader
        if self.raw and reader == "rows":
            return _rows(self, wanted)
        if self.raw:
            if not _is_plain(wanted):
                raise DataError(f"target, separator and decimal are for tables, not for {self}")
            return _READERS[reader](self.raw)
        if images.is_idx(path):
            if wanted.target is not None:
                raise DataError(
                    f"target={wanted.target!r} is for tables, but an idx set has its labels in "
                    "another file; leave it out"
                )
            if not _is_plain(wanted):
                raise DataError("separator and decimal are for tables, not for an idx set")
            return images.read_idx(path)
        if not path.stat().st_size:
            raise DataError(f"{path} is empty; give a file with data")
        verify(path)
        names = feature_names(path)
        with naming(path):
            table = read_table(path, replace(wanted, width=least(path, names)))
            return with_names(table, names)


def _is_plain(wanted: Wanted) -> bool:
    """Return whether nothing is wanted that only tables have."""
    return replace(wanted, others=(), cells=PANDAS, words=()) == Wanted()


def least(path: Path, names: Sequence[str] | None) -> int:
    """Return how many features a file has at least, as far as it is known unread."""
    width = manifest_row(path).get("features", "")
    return len(names) if names else int(width) if width.isdecimal() else 0


def with_names(table: Table, names: tuple[str, ...] | None) -> Table:
    """Return a table with the names of features that stand beside its file, if there are some."""
    if names is None:
        return table
    if len(names) != table.d:
        raise DataError(
            f"it has {table.d} features, but the file of names beside it has {len(names)}; give "
            "one name per feature"
        )
    return replace(table, names=names)


def feature_names(path: Path) -> tuple[str, ...] | None:
    """Return the first field of each line of NAME.features.txt beside the file, or None."""
    beside = _names_beside(path)
    if not beside.is_file():
        return None
    verify(beside)
    lines = beside.read_text(encoding="utf-8").splitlines()
    return tuple(line.split("\t")[0] for line in lines)


def _names_beside(path: Path) -> Path:
    return path.with_name(f"{name_of(path)}.features.txt")


def name_of(path: Path) -> str | None:
    """Return the name under which a file of a folder is found; None for other files."""
    plain = without_compression(path.name)
    if plain == MANIFEST or not path.is_file():
        return None
    if name := changepoint.set_name(path):
        return name if changepoint.names_set(path) else None
    if images.is_idx(path):
        return plain.removesuffix(images.MARK)
    ending = format_of(path.name)
    return plain[: -len(ending)] if ending else None


def in_cache(entry: Entry) -> bool:
    """Return whether all files of a set have been downloaded; their content is not read."""
    return bool(entry.files) and all(path.is_file() for path in cached_paths(entry.files))


def fetched(entry: Entry, *, progress: bool = False) -> File:
    """Return the files of a set of the catalogue; download those that are not in the cache."""
    if not entry.files:
        raise no_download([entry])
    paths = fetch_files(entry.files, progress=progress)
    of_one_name = images.is_idx(paths[0]) or changepoint.set_name(paths[0])
    return File(paths[0], entry, () if of_one_name else paths)


def no_download(lost: Sequence[Entry]) -> DataError:
    """Return the error about sets of the catalogue that it has no files of."""

    def way(entry: Entry) -> str:
        return f"give {entry.address}#sha256=HEX" if entry.address else f"see {entry.source}"

    why = (f"{entry.name}: {entry.lacking}, {way(entry)}" for entry in lost)
    return DataError(
        f"{', '.join(e.name for e in lost)} cannot be downloaded by name ({'; '.join(why)}); put "
        f"a file such as {lost[0].name}.svm into the folder AUCBENCH_DATA"
    )


def _rows(files: File, wanted: Wanted) -> Table:
    raw, d = files.entry.raw, files.entry.d
    asked = replace(
        wanted,
        target=raw.target if wanted.target is None else wanted.target,
        width=d,
        others=(*wanted.others, *map(str, raw.drop)),
    )
    table = stacked([read_table(path, asked) for path in files.raw]).without(raw.drop)
    if table.d != d:
        raise DataError(f"{files} has {table.d} features, wanted {d}; fetch it again")
    return replace(table, names=raw.names or table.names)


_READERS: dict[str, Callable[[Sequence[Path]], Table]] = {
    "cifar10": lambda paths: images.read_cifar10(paths[0]),
    "stl10": lambda paths: images.read_stl10(paths[0]),
}
