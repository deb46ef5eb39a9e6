"""svmlight: lines with a label and index:value pairs, read by scikit-learn.

scikit-learn takes what Python takes for a number: also 1_000, which no other program reads so. A
line with such a text is refused, unless it stands in a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from aucbench.data.arrays import MAX_STORED
from aucbench.errors import DataError


class Parsed(NamedTuple):
    """The rows of lines."""

    X: Any  # CSR, (n, d)
    y: Any  # (n,): the first number of each line
    queries: Any  # the number behind qid: of each line that has one


def parsed(lines: Iterable[bytes], d: int | None = None, *, zero: bool | str = "auto") -> Parsed:
    """Return the rows of lines."""
    from sklearn.datasets import load_svmlight_file

    return Parsed(*load_svmlight_file(_Lines(lines), n_features=d, zero_based=zero, query_id=True))


def groups_in(rows: Parsed) -> Any:
    """Return the qid of each line, (n,), or None where no line has one."""
    if 0 < rows.queries.size < rows.y.size:
        raise DataError(
            f"{rows.queries.size} of {rows.y.size} lines have a qid, which says the group of a "
            "row; give one in each line, or in none"
        )
    return rows.queries if rows.queries.size else None


def whole_labels(y: Any) -> Any:
    """Return labels as integers if they are whole numbers, so that messages say 3, not 3.0."""
    return y.astype(np.int64) if (np.abs(y) < 2**53).all() and (y == np.rint(y)).all() else y


def ends(text: bytes) -> tuple[int, int]:
    """Return the first and the last index of a row; -1 if the row has none.

    Indices ascend within a row, so that only these two are read.
    """
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
