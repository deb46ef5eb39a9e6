"""Columns of text in parts: their levels are counted in one reading, and become one-hot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import DENSE_FROM, Vector
from aucbench.datasets.parted.sides import distinct
from aucbench.datasets.tables import Encoding, Schema
from aucbench.datasets.tables.columns import FEW, LEVEL, WORDS, Column, RawColumn
from aucbench.datasets.tables.parts import Number, OneHot, Part
from aucbench.errors import DataError

MOST_LEVELS = 100_000  # different texts of a column
Levels = Counter[str]


def counted_levels(levels: Levels, name: str, values: Any) -> None:
    """Add the texts of a column of Arrow to its levels."""
    texts, at = distinct(values)
    for text, count in zip(texts, np.bincount(at, minlength=len(texts)).tolist(), strict=True):
        levels[text] += count
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"column {name!r} has more than {MOST_LEVELS} different texts; leave it out with "
            f"drop={name!r} (--drop)"
        )


def encoding_of(
    names: Sequence[str],
    levels: Mapping[str, Levels],
    medians: Mapping[str, float],
    n: int,
    decimal: str = ".",
) -> Encoding:
    """Return the features of a table: numbers as they are, and one for each level of a text.

    What texts mean, and which levels are rare, is decided by the rules of `Schema` and `OneHot`:
    texts may be numbers or truth values. Free text and dates are refused. Numbers that are missing
    in a new table take the medians.
    """
    known = [
        _of_text(name, levels[name], n, decimal)
        if name in levels
        else (Column(name, "numeric"), Number(medians[name], missing=False))
        for name in names
    ]
    parts = tuple(part for _, part in known)
    width = sum(part.width for part in parts)
    schema = Schema(tuple(column for column, _ in known), decimal=decimal)
    return Encoding(schema, parts, sparse=len(parts) < DENSE_FROM * width)


def _of_text(name: str, levels: Levels, n: int, decimal: str) -> tuple[Column, Part]:
    """Return what a column of text is, and its features."""
    texts = sorted(levels)
    kind, more = _raw(name, texts, np.arange(len(texts)))._kind(decimal)
    if words := more.get("gaps"):
        raise DataError(
            f"column {name!r} holds {kind} cells and {' and '.join(map(repr, words))}, which means "
            "a missing cell, and none may be missing in parts; fill it, or leave the column out "
            f"with drop={name!r} (--drop)"
        )
    if kind == "date":
        raise DataError(
            f"column {name!r} holds dates as text, which are not read in parts; write them as "
            f"numbers, or leave the column out with drop={name!r} (--drop)"
        )
    if kind == "category":
        _refuse_prose(name, levels, n)
        counts = np.array([levels[text] for text in texts])
        single = float(np.count_nonzero(counts == 1) / n)
        column = Column(name, kind, tuple(texts), distinct=len(texts), single=single)
        return column, OneHot.of_counts(texts, counts, n, missing=False)
    column = Column(name, kind, distinct=len(texts), unit=more.get("unit", ""))
    codes = _raw(name, texts, np.arange(len(texts))).codes(column, decimal)
    order = np.argsort(codes)
    below = np.cumsum([levels[texts[k]] for k in order])
    middle = np.searchsorted(below, [(n - 1) // 2, n // 2], side="right")
    return column, Number(float(codes[order][middle].mean()), missing=False)


def codes_of(values: Any, name: str, schema: Schema) -> Vector:
    """Return the codes of a column of text, (n,)."""
    column = next(column for column in schema.columns if column.name == name)
    return _raw(name, *distinct(values)).codes(column, schema.decimal)


def _raw(name: str, texts: Sequence[str], at: NDArray[np.int64]) -> RawColumn:
    import pandas as pd

    # Only its index is read, by errors.
    cells = pd.Series(np.empty(at.size, object), pd.RangeIndex(at.size, name=LEVEL))
    return RawColumn(name, cells, None, texts, at)


def _refuse_prose(name: str, levels: Levels, n: int) -> None:
    words = sum(len(text.split()) for text in levels) / max(1, len(levels))
    if words >= WORDS and len(levels) > max(FEW, n / 2):
        raise DataError(
            f"column {name!r} holds free text, which is not read in parts; leave it out with "
            f"drop={name!r} (--drop), or with text='drop' (--text drop)"
        )
