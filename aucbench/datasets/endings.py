"""What the ending of a file says of its format, and what is said when it cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
