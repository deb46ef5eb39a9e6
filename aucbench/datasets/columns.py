"""Find a column by its name or its number."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from aucbench.errors import DataError

MOST_DIGITS = 20  # of the number of a column


def column_at(wanted: str | int, names: Sequence[str] | None, d: int) -> int:
    """Return the position of the column `wanted`.

    `wanted` is a name. If no column has this name, it is a number from 0.
    """
    text = str(wanted)
    if names and text in names:
        return list(names).index(text)
    if text.isascii() and text.isdecimal() and len(text) < MOST_DIGITS and int(text) < d:
        return int(text)
    close = get_close_matches(text, names or (), n=5, cutoff=0.5)
    hint = f"similar are {', '.join(close)}" if close else f"columns are numbered 0 to {d - 1}"
    raise DataError(f"there is no column {wanted!r} among {d}; {hint}")
