"""What the ending of a file says: its format, and how it is compressed.

`naming` is the door of all readers: whatever they raise is said in one sentence about the file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

from aucbench.errors import AucbenchError, DataError

SVMLIGHT = (".svm", ".svmlight", ".libsvm")
TEXT = (".csv", ".tsv")  # text files with cells
ARROW = (".parquet", ".feather", ".arrow")
EXCEL, NPZ = ".xlsx", ".npz"
ENDINGS = (*SVMLIGHT, *TEXT, *ARROW, EXCEL, NPZ)
EITHER = ".txt"  # svmlight or a table
XZ, BZ2, GZ, ZIP = ".xz", ".bz2", ".gz", ".zip"
PACKED = (XZ, BZ2, GZ, ZIP)  # endings of compressed files
MOST_SHOWN = 120  # characters of the message of another package


def without_compression(name: str) -> str:
    """Return the file name without the ending of a compressed file."""
    ending = Path(name).suffix
    return name.removesuffix(ending) if ending.lower() in PACKED else name


def format_of(name: str) -> str | None:
    """Return the ending that says the format, without that of compression; None if unknown."""
    ending = Path(without_compression(name)).suffix.lower()
    return ending if ending in ENDINGS else None


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading; a compressed one is decompressed."""
    opener = _OPENERS.get(path.suffix.lower())
    return path.open("rb") if opener is None else opener(path)


def _zipped(path: Path) -> IO[bytes]:
    with ZipFile(path) as archive:  # the file stays open as long as its member is
        return archive.open(only_member(archive))


def only_member(archive: ZipFile) -> ZipInfo:
    """Return the only file of an archive that has no other; raise `DataError` if there is none."""
    members = [
        info
        for info in archive.infolist()
        if not info.is_dir()
        and not info.filename.startswith("__MACOSX/")
        and not Path(info.filename).name.startswith(".")
    ]
    if len(members) != 1:
        listed = ", ".join(info.filename for info in members[:5]) or "nothing"
        raise DataError(
            f"there are {len(members)} files in the archive ({listed}); give one with one table"
        )
    return members[0]


_OPENERS: Mapping[str, Callable[[Path], Any]] = {
    XZ: lzma.open,
    BZ2: bz2.open,
    GZ: gzip.open,
    ZIP: _zipped,
}


@contextmanager
def naming(source: object, form: str | None = None) -> Iterator[None]:
    """Turn what a reader raises into a `DataError` that names the file.

    Parsers raise any exception on damaged bytes, and what they return may be such that the code
    which looks at it does. So each one becomes a `DataError`, whose cause it is.
    """
    try:
        yield
    except DataError as error:
        if str(source) in str(error):
            raise
        raise DataError(f"{source}: {error}") from error
    except AucbenchError:  # an option, or a package that is not installed
        raise
    except MemoryError as error:
        raise DataError(
            f"{source} cannot be read: there is not enough memory ({short_reason(error)})"
        ) from error
    except Exception as error:
        raise unreadable(source, short_reason(error), form) from error


def unreadable(source: object, reason: str, form: str | None = None) -> DataError:
    """Return the error about a file that is not of its format; see `naming`."""
    return DataError(
        f"{source} cannot be read as {form or _called(Path(str(source)))} ({reason}); it may be "
        f"damaged, or its ending may be wrong: known endings are {' '.join((*ENDINGS, EITHER))}, "
        f"also followed by {' '.join(PACKED)}"
    )


def short_reason(error: BaseException) -> str:
    """Return what an exception of another package is, and the first line of its message."""
    kind = type(error).__name__
    first = next(iter(str(error).strip().splitlines()), "")
    return f"{kind}: {first[:MOST_SHOWN]}" if first else kind


def _called(path: Path) -> str:
    """Return the format of a file for messages; the file is not opened."""
    plain = Path(path.name if path.suffix.lower() == ZIP else without_compression(path.name))
    return (format_of(path.name) or plain.suffix or ".svm")[1:]
