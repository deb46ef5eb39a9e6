"""`open_parts`: files become parts of rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aucbench.datasets.chunked.conversion import convert_files
from aucbench.datasets.chunked.footers import Footer
from aucbench.datasets.chunked.parquet import ParquetParts
from aucbench.datasets.endings import PARQUET, TEXT, naming
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError, UnsupportedError

FORMATS = (PARQUET, *TEXT)
MOST_NAMED = 3  # files that an error names
# Options of a reading that need all rows at once.
WHOLE = (*("groups", "time", "time_to_event", "event", "test", "missing", "rows"),)
Tell = Callable[[str], object]


def open_parts(
    source: str | os.PathLike[str],
    reading: ReadOptions | None = None,
    *,
    columns: Sequence[str | int] | None = None,
    skip_bad: bool = False,
    tell: Tell | None = None,
    **options: Any,
) -> ParquetParts:
    """Return the rows of files in chunks, which are read again and again and never all at once.

    Parameters
    ----------
    source : str or path
        A Parquet file; or a folder or a pattern such as rows/*.parquet of Parquet files, or of CSV
        or TSV files, which are written as Parquet once, into the user's cache. Files are taken in
        the order of their names.
    reading : ReadOptions, optional
        Which column has the labels, which labels are positive, which columns are left out, and
        which one has the weights.
    columns : sequence of str or int, optional
        The columns of numbers of a table that are read, in this order. None: all that are not left
        out.
    skip_bad : bool
        Leave row groups out that cannot be decoded; `skipped` names them. It takes one reading.
    tell : function (str), optional
        Called with what is done besides reading, such as writing Parquet.
    **options
        Fields of `reading` in place of it.

    Raises
    ------
    DataError
        When files have other columns than the first one, a column holds what is no number and no
        category, a label is missing or is none of both classes, or a file cannot be read.
    UnsupportedError
        When an option needs all rows at once.
    """
    asked = ReadOptions(**((reading.options() if reading else {}) | options))
    _refuse_whole(asked)
    files = files_of(source)
    ending = files[0].suffix.lower()
    with naming(source, ending[1:]):
        footers = (
            [Footer.of(path) for path in files]
            if ending == PARQUET
            else convert_files(files, asked, tell or (lambda _: None))
        )
        return ParquetParts.of(footers, asked, columns, skip_bad=skip_bad)


def files_of(source: str | os.PathLike[str]) -> Sequence[Path]:
    """Return the files of a source in the order of their names; they have one format.

    Raises
    ------
    DataError
        When there are none, or their formats differ or are not read in chunks.
    """
    path = Path(source)
    if path.is_dir():
        files = [file for file in path.iterdir() if file.is_file() and file.name[0] not in "._"]
    elif path.is_file():
        files = [path]
    else:
        pattern = path.relative_to(path.anchor) if path.is_absolute() else path
        found = Path(path.anchor).glob(str(pattern))
        files = [file for file in found if file.is_file()]
    known = sorted(file for file in files if file.suffix.lower() in FORMATS)
    endings = sorted({file.suffix.lower() for file in known})
    if not known and path.is_file():
        raise DataError(
            f"{source} cannot be read in chunks, since rows in chunks come from Parquet or CSV "
            f"({' '.join(FORMATS)}); write it as Parquet, or fit without --in-chunks, which reads "
            "npz and other formats in memory"
        )
    if not known:
        others = ", ".join(sorted({file.name for file in files})[:MOST_NAMED])
        raise DataError(
            f"{source} names {others or 'no files'}, and rows in chunks are read from Parquet or "
            f"CSV ({' '.join(FORMATS)}); write the rows as Parquet, or fit one file in memory, "
            "without --in-chunks; folders inside of a folder need a pattern such as "
            "'rows/*/*.parquet'"
        )
    if len(endings) > 1:
        raise DataError(f"{source} has files of several formats, {' and '.join(endings)}; give one")
    return known


def _refuse_whole(asked: ReadOptions) -> None:
    given = [name for name in WHOLE if getattr(asked, name) not in (None, (), False)]
    given += [f"labels={asked.labels}"] * (asked.labels != "two")
    given += [f"unlabelled={asked.unlabelled}"] * (asked.unlabelled != "refuse")
    if given:
        raise UnsupportedError(
            f"{' and '.join(given)} need all rows at once, and these come in chunks; leave it out, "
            "or read files that fit in memory"
        )
