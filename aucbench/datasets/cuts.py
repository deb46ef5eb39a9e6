"""Cut a file into tables of a given number of rows: svmlight, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from aucbench.datasets import arrow, formats, svmlight
from aucbench.datasets.compressed import open_plain
from aucbench.datasets.endings import short_reason
from aucbench.datasets.formats import Table
from aucbench.datasets.label import find_label
from aucbench.datasets.textfile import layout_of, open_frame
from aucbench.errors import DataError

NumberedLine = tuple[int, bytes]  # the number of a line in the file, from 1, and its content


@dataclass(frozen=True, slots=True)
class Cut:
    """How a file is cut."""

    rows: int  # rows of a table
    target: str | int | None = None  # the column of the labels
    # for svmlight: the number of features, when the file is not to be scanned
    features: int | None = None
    least: int = 0  # for svmlight: the least number of features, when the file is scanned


def svmlight_tables(path: Path, cut: Cut) -> Iterator[Table]:
    """Yield tables of an svmlight file, all with the same number of features."""
    d, zero = cut.features, None
    if d is None:
        with open_plain(path) as content:
            d, zero = _extent(_data_lines(content))
        d = max(d, cut.least)
    with open_plain(path) as content:
        lines = _data_lines(content)
        while part := [*islice(lines, cut.rows)]:
            if zero is None:
                _, zero = _extent(part)
            yield _parsed(part, d, zero)


def _data_lines(content: IO[bytes]) -> Iterator[NumberedLine]:
    """Yield the lines that hold a row: those that are neither blank nor a comment."""
    return ((at, text) for at, text in enumerate(content, 1) if text.lstrip()[:1] not in b"#")


def _extent(lines: Iterable[NumberedLine]) -> tuple[int, bool]:
    """Return the number of features, and whether indices count from 0.

    As in scikit-learn, they count from 0 if an index 0 occurs. Indices ascend within a row, so
    only the first and the last index of each row are read.
    """
    largest, zero = -1, False
    for at, text in lines:
        try:
            first, last = svmlight.ends(text)
        except (ValueError, LookupError) as error:
            raise _unreadable(at, error) from error
        largest, zero = max(largest, last), zero or first == 0
    return max(largest + zero, 1), zero


def _parsed(part: Sequence[NumberedLine], d: int, zero: bool) -> Table:
    try:
        X, y = svmlight.parsed((line for _, line in part), d, zero=zero)
    except (ValueError, LookupError, OverflowError) as error:
        if len(part) == 1:
            raise _unreadable(part[0][0], error, 1 - zero, d - zero) from error
        for line in part:
            _parsed([line], d, zero)
        raise
    return Table(X, svmlight.whole_labels(y))


def _unreadable(at: int, error: Exception, low: int = 1, high: int | None = None) -> DataError:
    bounds = "" if high is None else f" from {low} to {high}"
    return DataError(
        f"line {at} cannot be read ({short_reason(error)}); give a label and index:value "
        f"pairs with ascending indices{bounds}"
    )


def _csv_tables(path: Path, cut: Cut) -> Iterator[Table]:
    separator = "tab" if formats.reader_of(path) == ".tsv" else None
    with open_plain(path) as content:
        layout = layout_of(content, separator)
        content.seek(0)
        frames, named = open_frame(content, layout, ".", cut.rows)
        yield from _tables(frames, cut, named=named)


def _parquet_tables(path: Path, cut: Cut) -> Iterator[Table]:
    yield from _tables(arrow.frames(path, cut.rows), cut, named=True)


def _tables(frames: Iterable[Any], cut: Cut, *, named: bool) -> Iterator[Table]:
    first, target = 0, cut.target
    for frame in frames:
        if target is None:  # the first rows decide
            target = str(frame.columns[find_label(frame, None).at])
        yield formats.frame_table(frame, target, named=named, first=first)
        first += len(frame)


CUTTERS: dict[str, Callable[[Path, Cut], Iterator[Table]]] = {
    ".svm": svmlight_tables,
    ".svmlight": svmlight_tables,
    ".libsvm": svmlight_tables,
    ".csv": _csv_tables,
    ".tsv": _csv_tables,
    ".parquet": _parquet_tables,
}
