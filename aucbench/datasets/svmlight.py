"""svmlight: lines with a label and index:value pairs, read by scikit-learn.

scikit-learn takes what Python takes for a number: also 1_000, which no other program reads so. A
line with such a text is refused, unless it stands in a comment. Indices count from 0 if an index 0
occurs, else from 1: what one file says of it holds for all that are read with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any, NamedTuple

import numpy as np

from aucbench.data.arrays import MAX_STORED
from aucbench.datasets.endings import short_reason
from aucbench.errors import DataError
from aucbench.stats.vectors import EXACT

NumberedLine = tuple[int, bytes]  # the number of a line in the file, from 1, and its content
FAULTS = (ValueError, LookupError, OverflowError, DataError)  # what a line raises
BLOCK = 1000  # lines among which one is looked for


class Parsed(NamedTuple):
    """The rows of lines."""

    X: Any  # CSR, (n, d)
    y: Any  # (n,): the first number of each line
    queries: Any  # the number behind qid: of each line, or None where no line has one
    first: int  # the index of the first column: 0 or 1


def batches(
    content: IO[bytes], rows: int | None, d: int | None, first: int | None, least: int
) -> Iterator[Parsed]:
    """Yield the rows of a file, so many at a time, or all of them at once.

    Parameters
    ----------
    content : file
    rows : int or None
        Rows of a batch. None: one batch has all rows.
    d : int or None
        The number of features of batches. None: the file is first scanned for it, and for the index
        of the first one.
    first : 0 or 1, or None
        The index of the first feature. None: 0 if it occurs in the scan or in the first batch.
    least : int
        The least number of features: no zeros are stored at the end of a row.

    Raises
    ------
    DataError
        When a line cannot be read, which it names.
    """
    if rows is None:
        whole = _read(content)
        if whole.X.shape[0]:
            whole.X.resize((whole.X.shape[0], max(least, whole.X.shape[1])))
            yield whole
        return
    if d is None:
        found, begin = _extent(_data_lines(content))
        content.seek(0)
        first = begin if first is None else first
        d = max(found + begin - first, least)
    lines = _data_lines(content)
    while part := [*islice(lines, rows)]:
        if first is None:
            _, first = _extent(part)
        yield _parsed_lines(part, d, first)


def _read(content: IO[bytes]) -> Parsed:
    """Return all rows of a file."""
    try:
        rows = _parsed(_data_lines(content), None, first=0)
    except FAULTS:
        content.seek(0)
        _refuse_line(_data_lines(content), None, 0)
        raise
    return rows if _has_first(rows.X) else _from_one(rows)


def _parsed_lines(lines: list[NumberedLine], d: int, first: int) -> Parsed:
    """Return the rows of some lines, whose d columns begin with the index `first`."""
    try:
        return _parsed(lines, d, first)
    except FAULTS:
        _refuse_line(iter(lines), d, first)
        raise


def _parsed(lines: Iterable[NumberedLine], d: int | None, first: int) -> Parsed:
    from sklearn.datasets import load_svmlight_file

    X, y, queries = load_svmlight_file(
        _Lines(line for _, line in lines), n_features=d, zero_based=first == 0, query_id=True
    )
    return Parsed(X, _exact_labels(y), _groups_in(queries, y.size), first)


def _has_first(X: Any) -> bool:
    """Return whether an index 0 occurs; rows without any feature leave it open, as if it did."""
    return not X.indices.size or X.indices.min() == 0


def _from_one(rows: Parsed) -> Parsed:
    """Return rows without their first column, which is empty."""
    from scipy.sparse import csr_matrix

    X, shape = rows.X, (rows.X.shape[0], rows.X.shape[1] - 1)
    return rows._replace(X=csr_matrix((X.data, X.indices - 1, X.indptr), shape=shape), first=1)


def from_zero(X: Any) -> Any:
    """Return CSR rows whose columns began with the index 1 with a column for the index 0."""
    from scipy.sparse import csr_matrix

    shape = X.shape[0], X.shape[1] + 1
    return csr_matrix((X.data, X.indices + 1, X.indptr), shape=shape)


def _groups_in(queries: Any, n: int) -> Any:
    """Return the qid of each line, (n,), or None where no line has one."""
    if 0 < queries.size < n:
        raise DataError(
            f"{queries.size} of {n} lines have a qid, which says the group of a row; give one in "
            "each line, or in none"
        )
    return queries if queries.size else None


def _exact_labels(y: Any) -> Any:
    """Return labels as integers if they are whole; refuse those that float64 may have rounded."""
    if (large := np.flatnonzero(np.abs(y) >= EXACT)).size:
        raise DataError(
            f"the label {y[large[0]]:.0f} is beyond 2^53, where float64 makes whole numbers equal; "
            "give the classes smaller numbers"
        )
    return whole_labels(y)


def whole_labels(y: Any) -> Any:
    """Return labels as integers if they are whole numbers, so that messages say 3, not 3.0."""
    return y.astype(np.int64) if (np.abs(y) < EXACT).all() and (y == np.rint(y)).all() else y


def _data_lines(content: Iterable[bytes]) -> Iterator[NumberedLine]:
    """Yield the lines that hold a row: those that are neither blank nor a comment."""
    return ((at, text) for at, text in enumerate(content, 1) if text.lstrip()[:1] not in b"#")


def _extent(lines: Iterable[NumberedLine]) -> tuple[int, int]:
    """Return the number of features, and the index of the first one: 0 if it occurs, else 1.

    Indices ascend within a row, so only the first and the last index of each row are read.
    """
    largest, first = -1, 1
    for at, text in lines:
        try:
            low, high = _ends(text)
        except FAULTS as error:
            raise _unreadable(at, error) from error
        largest, first = max(largest, high), min(first, abs(low))
    return max(largest + 1 - first, 1), first


def _ends(text: bytes) -> tuple[int, int]:
    """Return the first and the last index of a row; -1 if the row has none."""
    row = _numbers(text)
    tokens = row.split(None, 3)[1:3]
    if tokens and tokens[0].startswith(b"qid"):
        del tokens[0]
    if not tokens:
        return -1, -1
    last = int(row.rpartition(b":")[0].rsplit(None, 1)[-1])
    if last > MAX_STORED:
        raise DataError(f"index {last} exceeds {MAX_STORED}")
    return int(tokens[0].partition(b":")[0]), last


def _refuse_line(lines: Iterator[NumberedLine], d: int | None, first: int) -> None:
    """Raise `DataError` about the first line that cannot be read."""
    while block := [*islice(lines, BLOCK)]:
        try:
            _parsed(block, d, first)
        except FAULTS:
            for at, text in block:
                try:
                    _parsed([(at, text)], d, first)
                except FAULTS as error:
                    raise _unreadable(at, error, first, d) from error


def _unreadable(at: int, error: Exception, first: int = 1, d: int | None = None) -> DataError:
    reason = str(error) if isinstance(error, DataError) else short_reason(error)
    bounds = "" if d is None else f" from {first} to {d + first - 1}"
    return DataError(
        f"line {at} cannot be read ({reason}); give a label and index:value pairs with ascending "
        f"indices{bounds}"
    )


def _numbers(line: bytes) -> bytes:
    """Return a line without its comment; raise `DataError` if it has a number such as 1_000."""
    row = line.split(b"#", 1)[0] if b"#" in line else line
    if b"_" in row:
        wrong = next(token for token in row.split() if b"_" in token)
        raise DataError(
            f"{wrong[:40].decode('ascii', 'backslashreplace')} is no number; write digits without "
            "_ between them"
        )
    return row


class _Lines:
    """Lines that were looked at; scikit-learn takes what has `read` for a file, and iterates."""

    def __init__(self, lines: Iterable[bytes]):
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        return map(_numbers, self._lines)

    def read(self) -> bytes:
        """Return all of them."""
        return b"".join(self)
