"""Tables in text files: what separates cells, whether there is a header, and where a row begins.

pandas reads the cells, because it is fast. It fills short rows, renames the second of two equal
columns, and counts rows instead of lines. So the header and the first lines are read here, and the
csv module reads the whole file once more where a short row is possible or lines cannot be counted.
Text is UTF-8; the bytes of another coding do not say which one it is.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from packaging.version import Version

from aucbench.datasets.endings import LINES, naming, open_plain, separator_of
from aucbench.datasets.tables import LINE
from aucbench.datasets.tables.cells import LONG, MARKS, MISSING
from aucbench.errors import DataError, is_number

CANDIDATES = (",", ";", "\t", "|", "space")
NAMED = {"tab": "\t"}
READ_AHEAD = 1 << 20  # bytes
ROWS = 1 << 16  # that are looked at at a time
CODING = (
    "save the file as UTF-8, for example with: iconv -f latin1 -t utf-8 (or -f utf-16 if it comes "
    "from Windows)"
)
EXACT = Version("3.1")  # of pandas
Record = tuple[int, list[str]]  # the first line of a record, and its cells


@dataclass(frozen=True, slots=True)
class AsText:
    """Which cells of a text file are texts where pandas would take them for something else."""

    columns: frozenset[str] = frozenset()  # by name, or by their number without names
    words: frozenset[str] = frozenset()  # such as NA, where they are no missing cells

    def joined(self, stream: IO[bytes], layout: Layout) -> AsText:
        """Return the same with the columns of a file that have digits which are no number.

        A column of digits is a code if a cell has a leading zero: 0123 is not 123. Whole numbers
        beside a missing cell would become float64, which does not hold those of 16 digits.
        """
        if not _has_long_digits(stream, layout):
            return self
        return replace(self, columns=self.columns | _digits(stream, layout))


PANDAS = AsText()  # pandas decides about all cells


def _has_long_digits(stream: IO[bytes], layout: Layout) -> bool:
    """Return whether a cell has digits only that begin with 0, or at least 16 of them."""
    ends, signs = np.zeros((2, 256), np.bool_)
    separator = " " if layout.separator == "space" else layout.separator
    ends[[*b' \t\r\n"', *separator.encode()]] = True
    signs[[*b"+-"]] = True
    stream.seek(0)
    while lines := stream.readlines(READ_AHEAD):
        text = np.frombuffer(b"".join([b"\n", *lines, b"\n"]), np.uint8)
        others = np.flatnonzero(text - np.uint8(48) > 9)  # what is no digit; unsigned
        sizes = np.diff(others) - 1
        runs = np.flatnonzero(sizes > 1)
        runs = runs[ends[text[others[runs + 1]]]]
        at = others[runs]
        before = text[at]
        whole = ends[before] | (signs[before] & ends[text[at - 1]])
        if (whole & ((sizes[runs] >= LONG) | (text[at + 1] == ord("0")))).any():
            return True
    return False


def _digits(stream: IO[bytes], layout: Layout) -> frozenset[str]:
    """Return the columns of digits that stay text."""
    import pandas as pd

    stream.seek(0)
    others: set[str] = set()  # which do not hold digits only
    zeros, long, gaps = set(), set(), set()
    for frame in pd.read_csv(stream, chunksize=ROWS, dtype=str, **layout.options):
        for name in frame.columns:
            cells, own = frame[name].dropna().drop_duplicates().str.strip(), str(name).strip()
            if not cells.str.fullmatch("[+-]?[0-9]+|[^0-9]*").all():
                others.add(own)
            elif cells.str.match("0[0-9]").any():
                zeros.add(own)
            if cells.str.len().max() >= LONG:
                long.add(own)
            if frame[name].hasnans:
                gaps.add(own)
    return frozenset((zeros | (long & gaps)) - others)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a text file are to be read."""

    separator: str  # one character, or "space" for any number of blanks
    names: tuple[str, ...] | None  # the cells of the header; None if there is none

    @property
    def options(self) -> dict[str, Any]:
        """The options of `pandas.read_csv`."""
        numbered = self.names is not None and not self.names[0]  # pandas writes row numbers so
        return {
            "sep": r"\s+" if self.separator == "space" else self.separator,
            "header": None if self.names is None else 0,
            "index_col": 0 if numbered else None,
            "skipinitialspace": self.separator != "space",
            "low_memory": False,  # else parts of a column may be numbers and other parts text
        }

    def records(self, text: IO[str]) -> Iterator[Record]:
        """Yield the number of the first line of each record that is not blank, and its cells."""
        if self.separator == "space":
            yield from ((at, line.split()) for at, line in enumerate(text, 1) if line.strip())
            return
        lines, before = csv.reader(text, delimiter=self.separator, skipinitialspace=True), 0
        for cells in lines:
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield before + 1, cells
            before = lines.line_num


def frames(
    stream: IO[bytes],
    separator: str | None,
    decimal: str,
    rows: int | None = None,
    named: bool | None = None,
    cells: AsText = PANDAS,
) -> Iterator[tuple[Any, bool]]:
    """Yield the rows of a text file, and whether their columns have names.

    pandas decides what the cells are, but for `cells` and for digits that are no number.

    Parameters
    ----------
    stream : file
    separator : str or None
        See `layout_of`, also for `named`.
    decimal : str
        The decimal mark.
    rows : int, optional
        Rows of a frame. None: one frame has all rows, and its index the line of each.
    named : bool, optional
        Whether there is a header.
    cells : AsText
        Cells that are texts.

    Raises
    ------
    DataError
        When a line has too few or too many cells, or is not UTF-8.
    """
    import pandas as pd

    layout = layout_of(stream, separator, named=named)
    try:
        options = _pandas_options(stream, layout, decimal, cells.joined(stream, layout))
        stream.seek(0)
        if rows is None:
            frame = _trimmed(pd.read_csv(stream, **options))
            _number_lines(frame, stream, layout)
            yield frame, layout.names is not None
            return
        for frame in pd.read_csv(stream, chunksize=rows, **options):
            yield _trimmed(frame), layout.names is not None
    except pd.errors.ParserError:
        _lines(stream, layout)
        raise
    except UnicodeDecodeError as error:
        raise _coding_error(stream) from error


def _number_lines(frame: Any, stream: IO[bytes], layout: Layout) -> None:
    """Let the index of a frame have the line of each row; raise `DataError` at an uneven line."""
    import pandas as pd

    header = int(layout.names is not None)
    if _count_lines(stream) == len(frame) + header:
        frame.index = pd.RangeIndex(1 + header, 1 + header + len(frame), name=LINE)
        if not frame.empty and frame.iloc[:, -1].isna().any():
            _lines(stream, layout)
        return
    lines = _lines(stream, layout)[header:]
    if len(lines) == len(frame):  # else pandas has other rows, and no line is sure
        frame.index = pd.Index(lines, name=LINE)


def _pandas_options(
    stream: IO[bytes], layout: Layout, decimal: str, cells: AsText
) -> dict[str, Any]:
    """Return all options of `pandas.read_csv`."""
    import pandas as pd

    stream.seek(0)
    columns = pd.read_csv(stream, nrows=0, **layout.options).columns
    return {
        "decimal": "." if layout.separator == decimal else decimal,  # then such numbers are quoted
        "dtype": {column: str for column in columns if str(column).strip() in cells.columns},
        "keep_default_na": not cells.words,
        "na_values": [*(MISSING - MARKS - cells.words)] if cells.words else None,
        **exact(),
        **layout.options,
    }


def frames_of_texts(
    stream: IO[bytes], separator: str | None, rows: int | None
) -> Iterator[tuple[Any, bool, dict[int, int]]]:
    """Yield rows with cells as they stand, whether columns have names, and uneven rows.

    A row with too few or too many cells is kept, since who scores rows gives one answer for each;
    the third has its number of cells by its place in the frame.
    """
    layout = layout_of(stream, separator, even=False)
    stream.seek(0)
    with TextIOWrapper(stream, "utf-8-sig", newline="") as text:
        records = layout.records(text)
        first = next(records, None)
        if first is None:
            raise DataError("there is no row in it; give a table with rows")
        named = layout.names is not None
        names = [*(layout.names or map(str, range(len(first[1]))))]
        rest = (cells for _, cells in (records if named else chain([first], records)))
        any_row = False
        while cells := [*islice(rest, rows)]:
            any_row = True
            frame, uneven = _frame_of_texts(cells, names)
            yield frame, named, uneven
    if not any_row:
        raise DataError("there is no row below the header; give a table with rows")


def _frame_of_texts(
    cells: Sequence[Sequence[str]], names: Sequence[str]
) -> tuple[Any, dict[int, int]]:
    import pandas as pd

    width = len(names)
    uneven = {i: len(row) for i, row in enumerate(cells) if len(row) != width}
    even = [[*row[:width], *[""] * (width - len(row))] for row in cells] if uneven else cells
    return pd.DataFrame(even, columns=[*names], dtype=object), uneven


def joined_cells(files: Sequence[Path], separator: str | None, cells: AsText) -> AsText:
    """Return `cells` with what is text in all of some files, because it is in one of them."""
    for path in files:
        with naming(path), open_plain(path) as stream:
            layout = layout_of(stream, separator or separator_of(path.suffix.lower()))
            cells = cells.joined(stream, layout)
    return cells


def _trimmed(frame: Any) -> Any:
    """Return a frame whose names of columns have no blanks around them, as cells have none."""
    names = [name.strip() if isinstance(name, str) else name for name in frame.columns]
    return frame.set_axis(names, axis=1)


def exact() -> dict[str, Any]:
    """Return options by which pandas reads the nearest float64, as version 3.1 does anyway."""
    import pandas as pd

    return {} if Version(pd.__version__) >= EXACT else {"float_precision": "round_trip"}


def layout_of(
    stream: IO[bytes], separator: str | None, *, even: bool = True, named: bool | None = None
) -> Layout:
    """Find the separator, unless it is given, and the header in the first lines.

    The separator is the one that divides the first lines into the same number of cells, and into
    most cells if several do. There is a header if no cell of the first line is a number, if these
    numbers count the columns, or if a column begins with a word and goes on with numbers.

    With `even=False`, a line may have too few or too many cells. `named` says whether there is a
    header, where this is known.
    """
    stream.seek(0)
    first = [*islice(stream, LINES)]
    if first and first[0][:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"the file is UTF-16 text; {CODING}")
    try:
        text = b"".join(first).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _coding_error(stream) from error
    tried = [NAMED.get(separator, separator)] if separator else CANDIDATES
    cut = {mark: _cut(text, mark, whole=len(first) < LINES) for mark in tried}
    best = max(tried, key=lambda mark: _fit(mark, cut[mark]))
    records = cut[best]
    if not records or (not separator and len(records[0][1]) < 2):
        best, records = tried[0], cut[tried[0]]
    if even:
        _even_lines(records)
    cells = [cell.strip().strip('"') for cell in records[0][1]] if records else []
    if named is None:
        named = bool(cells) and _is_header(cells, [row for _, row in records[1:]])
    if named:
        refuse_twins(cells)
    return Layout(best, tuple(cells) if named else None)


def _cut(text: str, mark: str, *, whole: bool) -> list[Record]:
    try:
        records = [*Layout(mark, None).records(StringIO(text, newline=""))]
    except csv.Error:  # pandas will say what is wrong
        return []
    # a quoted line break may cut the last one
    return records if whole or len(records) < 3 else records[:-1]


def _fit(mark: str, records: Sequence[Record]) -> tuple[bool, float, bool, int]:
    if not records:
        return False, 0.0, False, 0
    width = len(records[0][1])
    same = sum(len(cells) == width for _, cells in records) / len(records)
    return width > 1 and (mark != "space" or same == 1), same, mark != "space", width


def _is_header(cells: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    numbers = [cell for cell in cells if is_number(cell)]
    if not numbers or (len(cells) > 2 and numbers == [*map(str, range(len(numbers)))]):
        return True
    words = [j for j, cell in enumerate(cells) if not is_number(cell) and cell not in MISSING]
    below = ([row[j].strip() for row in rest] for j in words)
    return any(column and all(map(is_number, column)) for column in below)


def refuse_twins(names: Sequence[str]) -> None:
    """Raise `DataError` if two columns have the same name."""
    if twice := [name for name, count in Counter(names).items() if name and count > 1]:
        at = [j + 1 for j, name in enumerate(names) if name == twice[0]]
        raise DataError(
            f"the columns {', '.join(map(str, at[:-1]))} and {at[-1]} have the same name "
            f"{twice[0]!r}; give each column a name of its own"
        )


def _even_lines(records: Iterable[Record]) -> list[int]:
    """Return the lines of the records; raise `DataError` if one has too few or too many cells."""
    lines: list[int] = []
    first = width = 0
    for line, cells in records:
        first, width = (first, width) if lines else (line, len(cells))
        if len(cells) != width:
            raise DataError(
                f"line {line} has {len(cells)} cells, but line {first} has {width}; give each line "
                "the same number, and put quotes around a cell with a separator in it"
            )
        lines.append(line)
    return lines


def _lines(stream: IO[bytes], layout: Layout) -> list[int]:
    """Return the line of each record of a file, header included; raises as `read_frame`."""
    stream.seek(0)
    text = TextIOWrapper(stream, "utf-8-sig", newline="")
    try:
        return _even_lines(layout.records(text))
    except csv.Error as error:
        raise DataError(f"it is not a table of cells ({error}); repair it") from error
    except UnicodeDecodeError as error:
        raise _coding_error(stream) from error
    finally:
        text.detach()  # else the stream would be closed with it


def _coding_error(stream: IO[bytes]) -> DataError:
    """Return the error about the first line that is not UTF-8."""
    stream.seek(0)
    for number, line in enumerate(stream, 1):
        try:
            line.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            byte = f"the byte {line[error.start]:#04x}"
            return DataError(f"line {number} is not UTF-8 text, it has {byte}; {CODING}")
    return DataError(f"the file is not UTF-8 text; {CODING}")


def _count_lines(stream: IO[bytes]) -> int:
    stream.seek(0)
    breaks, last = 0, b"\n"
    while part := stream.read(READ_AHEAD):
        breaks += part.count(b"\n")
        last = part[-1:]
    return breaks + (last != b"\n")
