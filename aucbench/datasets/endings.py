"""What the ending of a file says: its format, and how it is compressed.

`naming` is the door of all readers: whatever they raise becomes one sentence about the file.
"""

from __future__ import annotations

import gzip
import re
from bz2 import BZ2Decompressor
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from lzma import LZMADecompressor
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

from aucbench.errors import AucbenchError, DataError

SVMLIGHT = (".svm", ".svmlight", ".libsvm")
TEXT = (".csv", ".tsv")  # text files with cells
PARQUET = ".parquet"
ARROW = (PARQUET, ".feather", ".arrow")
EXCEL, NPZ = ".xlsx", ".npz"
ENDINGS = (*SVMLIGHT, *TEXT, *ARROW, EXCEL, NPZ)
EITHER = ".txt"  # svmlight or a table
XZ, BZ2, GZ, ZIP = ".xz", ".bz2", ".gz", ".zip"
PACKED = (XZ, BZ2, GZ, ZIP)  # endings of compressed files
CHUNK = 1 << 20  # bytes that are decompressed at a time
MOST_SHOWN = 120  # characters of the message of another package
LINES = 20  # lines that decide about the format of a .txt file
_SVMLIGHT_LINE = re.compile(rb"\s*[+-]?[\d.]+(\s+(qid|\d+):\S+)*\s*(#.*)?", re.DOTALL)


def without_compression(name: str) -> str:
    """Return the file name without the ending of a compressed file."""
    ending = Path(name).suffix
    return name.removesuffix(ending) if ending.lower() in PACKED else name


def format_of(name: str) -> str | None:
    """Return the ending that says the format, without that of compression; None if unknown."""
    ending = Path(without_compression(name)).suffix.lower()
    return ending if ending in ENDINGS else None


def reader_of(path: Path) -> str:
    """Return the ending whose reader reads `path`; that of svmlight if the ending is unknown.

    The name of the file in a zip archive counts if the archive has no ending of its own. A .txt
    file is a table, unless its first lines are those of svmlight.
    """
    name = without_compression(path.name)
    if format_of(name) is None and path.suffix.lower() == ZIP:
        with ZipFile(path) as archive:
            name = only_member(archive).filename
    if Path(name).suffix.lower() != EITHER:
        return format_of(name) or SVMLIGHT[0]
    with open_plain(path) as stream:
        lines = [line for line in islice(stream, LINES) if line.split(b"#")[0].strip()]
    return SVMLIGHT[0] if all(map(_SVMLIGHT_LINE.fullmatch, lines)) else TEXT[0]


def separator_of(ending: str) -> str | None:
    """Return what separates the cells of a format; None where the first lines say it."""
    return "tab" if ending == ".tsv" else None


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading; a compressed one is first decompressed into a temporary file.

    So it is known to be whole before a row is read, and readers may seek in it.
    """
    decompressed = _DECOMPRESSED.get(path.suffix.lower())
    if decompressed is None:
        return path.open("rb")
    with ExitStack() as stack:
        plain = stack.enter_context(TemporaryFile())
        plain.writelines(decompressed(path))
        plain.seek(0)
        stack.pop_all()
        return plain


def _streams(start: Callable[[], Any], path: Path) -> Iterator[bytes]:
    """Yield the content of streams that follow each other, also with zeros between or after them.

    `lzma.open` and `bz2.open` end without a word where bytes after a stream begin no other one.
    """
    with path.open("rb") as packed:
        stream, rest = start(), b""
        while packed_bytes := rest or packed.read(CHUNK):
            rest = b""
            if stream.eof:
                if not (packed_bytes := packed_bytes.lstrip(b"\0")):
                    continue
                stream = start()
            yield stream.decompress(packed_bytes, CHUNK)
            while not (stream.eof or stream.needs_input):
                yield stream.decompress(b"", CHUNK)
            rest = stream.unused_data
        if not stream.eof:
            raise EOFError("it ends inside of a compressed stream")


def _members(path: Path) -> Iterator[bytes]:
    """Yield the content of a gzip file; Python checks what is between its members."""
    with gzip.open(path) as stream:
        yield from _chunks(stream)


def _only(path: Path) -> Iterator[bytes]:
    with ZipFile(path) as archive, archive.open(only_member(archive)) as stream:
        yield from _chunks(stream)


def _chunks(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    return iter(partial(stream.read, CHUNK), b"")


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


_DECOMPRESSED: Mapping[str, Callable[[Path], Iterable[bytes]]] = {
    XZ: partial(_streams, LZMADecompressor),
    BZ2: partial(_streams, BZ2Decompressor),
    GZ: _members,
    ZIP: _only,
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
