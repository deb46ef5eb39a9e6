"""Footers of Parquet files: what is in a file is known before a row of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
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

MAGIC = b"PAR1"  # ends a file
TAIL = 8  # bytes of the length of the footer, and of MAGIC
TEXT, DATE, OTHER = "text", "date", "other"  # kinds of columns besides numbers


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
    rows, begins : tuple of int
        Rows of each row group, and the byte at which it begins.
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
    begins: tuple[int, ...]
    fields: tuple[Field, ...]
    shown: str
    first: int = 0

    @staticmethod
    def of(path: Path, shown: str = "", first: int = 0) -> Footer:
        """Read the footer of a file."""
        size, changed, own = _stat(path)
        digest, metadata, schema = _read(str(path), own)
        refuse_twins(schema.names)
        groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
        return Footer(
            path=str(path.absolute()),
            size=size,
            changed=changed,
            digest=digest,
            rows=tuple(group.num_rows for group in groups),
            begins=tuple(_begin(group) for group in groups),
            fields=tuple(Field(field.name, _kind(field.type), str(field.type)) for field in schema),
            shown=shown or str(path),
            first=first,
        )

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return {field.name: field.kind for field in self.fields}

    def where(self, group: int, row: int) -> str:
        """Say for people where row `row` of a row group is."""
        if self.is_copy:
            return f"{self.shown}, row {self.first + row}"
        return f"{self.shown}, row group {group}, row {row}"

    @property
    def is_copy(self) -> bool:
        """Whether the rows, one row group, were converted from another file."""
        return Path(self.shown).absolute() != Path(self.path)

    def metadata(self) -> Any:
        """Return the footer of the file, which must be the one that was opened.

        Raises
        ------
        DataError
            When the file has changed since.
        """
        size, changed, own = _stat(Path(self.path))
        if (size, changed) != (self.size, self.changed):
            raise self._changed()
        digest, metadata, _ = _read(self.path, own)
        if digest != self.digest:
            raise self._changed()
        return metadata

    def _changed(self) -> DataError:
        return DataError(
            f"{self.shown} has changed since it was opened (its size, its time or its footer); "
            "start again, and do not write to the file meanwhile"
        )


def _stat(path: Path) -> tuple[int, int, tuple[int, ...]]:
    """Return size, time of the last change, and what differs for each file that takes the name."""
    try:
        stat = path.stat()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({short_reason(error)})") from error
    return stat.st_size, stat.st_mtime_ns, (stat.st_ino, stat.st_ctime_ns, stat.st_size)


@lru_cache(maxsize=4096)
def _read(path: str, own: tuple[int, ...]) -> tuple[str, Any, Any]:
    """Return hash, content and schema of a footer, read once for each file that takes the name."""
    digest = _digest(path)  # says what is missing in one sentence
    try:
        with pyarrow("reading Parquet in parts").parquet.ParquetFile(path) as file:
            return digest, file.metadata, file.schema_arrow
    except Exception as error:  # Arrow raises many kinds on damaged bytes
        raise DataError(
            f"{path} has a damaged footer ({short_reason(error)}); write it anew"
        ) from error


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL))
        tail = file.read()
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > size - TAIL:
            raise DataError(f"{path} has no footer of Parquet; it may be cut off, so write it anew")
        file.seek(size - TAIL - length)
        return sha256(file.read(length)).hexdigest()[:32]


def _begin(group: Any) -> int:
    """Return the byte at which a row group begins."""
    if not group.num_columns:
        return 0
    column = group.column(0)
    starts = [column.data_page_offset]
    with suppress(AttributeError):
        starts += [column.dictionary_page_offset] if column.has_dictionary_page else []
    return int(min(starts))


def _kind(form: Any) -> str:
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
        _require_same_names(first, other)
        for name, kind in kinds.items():
            if own[name] == kind:
                continue
            if {own[name], kind} & {TEXT, DATE, OTHER}:
                raise DataError(
                    f"column {name!r} holds {_shown(first, name)} in {first.shown} and "
                    f"{_shown(other, name)} in {other.shown}; write one type in all files"
                )
            kinds[name] = str(np.result_type(np.dtype(kind), np.dtype(own[name])).name)
    return kinds


def _require_same_names(first: Footer, other: Footer) -> None:
    lacks = [name for name in first.kinds if name not in other.kinds]
    besides = [name for name in other.kinds if name not in first.kinds]
    if lacks or besides:
        said = [f"lacks {name!r}" for name in lacks[:1]] + [f"has {name!r}" for name in besides[:1]]
        raise DataError(
            f"{other.shown} has other columns than {first.shown}: it {' and '.join(said)} "
            f"({len(lacks) + len(besides)} column(s) differ); write the same columns in all files, "
            "in any order"
        )


def _shown(footer: Footer, name: str) -> str:
    return next(field.shown for field in footer.fields if field.name == name)
