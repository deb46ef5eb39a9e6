"""Find a column of a table: by its name or number, or that of the labels.

A wrong label column gives wrong numbers without an error. So a column is taken only if the user
names it, if its name says that it holds labels, or if it is the only one that can hold two classes
and stands first or last, as labels do. Else there is an error that names the columns that can.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aucbench.datasets.tables.cells import MARKS, distinct_cells
from aucbench.errors import DataError

TARGET_NAMES = ("y", "label", "target", "class")  # names of a column of labels
FIRST_ROWS = 1000  # enough to rule out most columns with more than two values
MOST_NAMED = 8  # columns that a message lists
MOST_DIGITS = 20  # of the number of a column


class LabelColumn(NamedTuple):
    """The label column of a table."""

    at: int  # its position
    why: str  # why it was taken, for people


def column_at(wanted: str | int, names: Sequence[str] | None, d: int) -> int:
    """Return the position of the column `wanted`.

    `wanted` is a name, without the blanks around it. If no column has this name, it is a number
    from 0.
    """
    text = str(wanted)
    for known in (names or (), [name.strip() for name in names or ()]):
        if text in known:
            return list(known).index(text)
    if text.isascii() and text.isdecimal() and len(text) < MOST_DIGITS and int(text) < d:
        return int(text)
    raise DataError(f"there is no column {wanted!r} among {d}; {_hint(text, names or (), d)}")


def _hint(text: str, names: Sequence[str], d: int) -> str:
    """Return the columns that may be meant by a name or a number that none of d columns has."""
    if not names or text.isdecimal():
        return f"columns are numbered 0 to {d - 1}"
    names = [name.strip() for name in names]
    folded = {name.casefold(): name for name in reversed(names)}
    close = get_close_matches(text.strip().casefold(), folded, n=5, cutoff=0.5)
    similar = f"similar are {', '.join(folded[name] for name in close)}; " if close else ""
    more = f" and {d - MOST_NAMED} more" if d > MOST_NAMED else ""
    return f"{similar}all are {', '.join(names[:MOST_NAMED])}{more}"


def find_label(frame: Any, target: str | int | None, others: Collection[str] = ()) -> LabelColumn:
    """Return the label column of a data frame; `others` are columns that hold no labels."""
    names = tuple(map(str, frame.columns))
    if target is not None:
        return LabelColumn(column_at(target, names, len(names)), "as asked")
    left = [j for j, name in enumerate(names) if name not in others]
    announced = [j for j in left if names[j].strip().lower() in TARGET_NAMES]
    if len(announced) == 1:
        return LabelColumn(announced[0], "which has the name of labels")
    able = announced or [j for j in left if has_two_values(frame.iloc[:, j])]
    if len(able) == 1 and able[0] in (left[0], left[-1]):
        place = "first" if able[0] == left[0] else "last"
        return LabelColumn(able[0], f"the only column with two values, and the {place} one")
    raise DataError(_unclear([names[j] for j in able], bool(announced)))


def _unclear(able: Sequence[str], announced: bool) -> str:
    way = "say which column holds them with --target COLUMN (in Python target=)"
    if not able:
        return f"no column has two values, so it is not clear where the labels are; {way}"
    listed = ", ".join(map(repr, able[:MOST_NAMED]))
    more = f" and {len(able) - MOST_NAMED} more" if len(able) > MOST_NAMED else ""
    if len(able) == 1:
        return f"the labels may be in the column {listed}, the only one with two values; {way}"
    reason = "have a name of labels" if announced else "have two values"
    return f"the labels may be in any of the columns {listed}{more}, which {reason}; {way}"


def is_no_label(column: Any, words: Collection[str]) -> NDArray[np.bool_]:
    """Return which cells of a column of labels are missing, (n,).

    A text such as NA is a label only as one of `words`; the marks ? - and . always are.
    """
    if getattr(column.dtype, "kind", "O") != "O":
        gone: NDArray[np.bool_] = column.isna().to_numpy()
        return gone
    return distinct_cells(column, MARKS.union(words))[1] < 0


def has_two_values(column: Any) -> bool:
    """Return whether a column of a data frame has two values; missing cells do not count."""
    for part in (column.iloc[:FIRST_ROWS], column):
        present = part.dropna()
        if present.dtype.kind == "O" or not hasattr(present.dtype, "kind"):
            distinct = {v.strip() if isinstance(v, str) else v for v in present.unique().tolist()}
        else:
            distinct = present.unique()
        if len(distinct) > 2:
            return False
    return len(distinct) == 2
