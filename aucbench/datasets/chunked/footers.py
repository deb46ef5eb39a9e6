"""Footers of Parquet files: what is in a file is known before a row of it is read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets.arrow import pyarrow
from aucbench.datasets.endings import short_reason
from aucbench.datasets.textfile import refuse_twins
from aucbench.errors import DataError

TEXT, DATE, OTHER = "text", "date", "other"  # kinds of columns besides numbers
TAIL = 8  # bytes behind a footer


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a file: `kind` is the name of a type of NumPy, `text`, `date` or `other`."""

    name: str
    kind: str
    shown: str  # its type, as Arrow calls it


@dataclass(frozen=True, slots=True)
class Footer:
    """What identifies a file, and what its footer says.

    Attributes
    ----------
    path : str
    size, changed : int
        Bytes, and the time of the last change in nanoseconds.
    digest : str
        Hash of the footer.
    rows : tuple of int
        Rows of each row group.
    fields : tuple of Field
    shown : str
        The file for people; another one, where the rows were converted from it.
    first : int
        The number of its first row there.
    """

    path: str
    size: int
    changed: int
    digest: str
    rows: tuple[int, ...]
    fields: tuple[Field, ...]
    shown: str
    first: int = 0

    @staticmethod
    def of(path: Path, shown: str = "", first: int = 0) -> Footer:
        """Read the footer of a file."""
        stat = _stat(path)
        digest, metadata, schema = _read(str(path), _identity(stat))
        refuse_twins(schema.names)
        return Footer(
            path=str(path.absolute()),
            size=stat.st_size,
            changed=stat.st_mtime_ns,
            digest=digest,
            rows=tuple(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)),
            fields=tuple(
                Field(field.name, kind_of_type(field.type), str(field.type)) for field in schema
            ),
            shown=shown or str(path),
            first=first,
        )

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return {field.name: field.kind for field in self.fields}

    def where(self, group: int, row: int) -> str:
        """Return for people where row `row` of a row group is."""
        if Path(self.shown).absolute() != Path(self.path):  # converted from another file
            return f"{self.shown}, row {self.first + row}"
        return f"{self.shown}, row group {group}, row {row}"

    def metadata(self) -> Any:
        """Return the footer of the file, which must be the one that was opened.

        Raises
        ------
        DataError
            When the file has changed since.
        """
        stat = _stat(Path(self.path))
        if (stat.st_size, stat.st_mtime_ns) == (self.size, self.changed):
            digest, metadata, _ = _read(self.path, _identity(stat))
            if digest == self.digest:
                return metadata
        raise DataError(
            f"{self.shown} has changed since it was opened (its size, its time or its footer); "
            "start again, and do not write to the file meanwhile"
        )

    def begin_of(self, group: int) -> int:
        """Return the byte at which a row group begins."""
        column = self.metadata().row_group(group).column(0)
        return int(column.dictionary_page_offset or column.data_page_offset)


def _stat(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({short_reason(error)})") from error


def _identity(stat: os.stat_result) -> tuple[int, ...]:
    """Return what differs for each file that takes the same name."""
    return stat.st_ino, stat.st_ctime_ns, stat.st_size


@lru_cache(maxsize=4096)
def _read(path: str, _identity: tuple[int, ...]) -> tuple[str, Any, Any]:
    """Return hash, content and schema of a footer."""
    arrow = pyarrow("reading Parquet in chunks")
    try:
        with arrow.parquet.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
        with Path(path).open("rb") as content:
            content.seek(-TAIL - metadata.serialized_size, os.SEEK_END)
            return sha256(content.read()).hexdigest()[:32], metadata, schema
    except Exception as error:  # Arrow raises many kinds on damaged bytes
        raise DataError(
            f"{path} has no sound footer of Parquet ({short_reason(error)}); it may be cut off, so "
            "write it anew"
        ) from error


def kind_of_type(form: Any) -> str:
    """Return the kind of a type of Arrow, as of a `Field`."""
    types = pyarrow().types
    if types.is_dictionary(form):
        form = form.value_type
    if types.is_string(form) or types.is_large_string(form) or types.is_string_view(form):
        return TEXT
    if types.is_boolean(form) or types.is_integer(form) or types.is_floating(form):
        return str(np.dtype(form.to_pandas_dtype()).name)
    return DATE if types.is_timestamp(form) or types.is_date(form) else OTHER


def common_kinds(footers: Sequence[Footer]) -> dict[str, str]:
    """Return the kind of each column over all files; numbers of several types take the widest.

    Raises
    ------
    DataError
        When a file has other columns than the first one, or a column holds numbers, text and dates
        in different files.
    """
    first, kinds = footers[0], dict(footers[0].kinds)
    for other in footers[1:]:
        own = other.kinds
        lacks = [f"lacks {name!r}" for name in kinds if name not in own]
        besides = [f"has {name!r}" for name in own if name not in kinds]
        if lacks or besides:
            raise DataError(
                f"{other.shown} has other columns than {first.shown}: it "
                f"{' and '.join([*lacks[:1], *besides[:1]])} ({len(lacks) + len(besides)} "
                "column(s) differ); write the same columns in all files, in any order"
            )
        for name, kind in kinds.items():
            if own[name] == kind:
                continue
            if {own[name], kind} & {TEXT, DATE, OTHER}:
                types = [
                    {field.name: field.shown for field in one.fields} for one in (first, other)
                ]
                raise DataError(
                    f"column {name!r} holds {types[0][name]} in {first.shown} and {types[1][name]} "
                    f"in {other.shown}; write one type in all files"
                )
            kinds[name] = str(np.result_type(np.dtype(kind), np.dtype(own[name])).name)
    return kinds
