"""Cells that mean a missing one, or none: which texts of `ReadOptions` are for which columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from aucbench.data.understood import Remark
from aucbench.datasets.label import column_at
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables.cells import MISSING, mark_missing
from aucbench.errors import DataError
from aucbench.stats.labels import several

if TYPE_CHECKING:
    from aucbench.datasets.table import Table

Gaps = Mapping[str, tuple[str, ...]]
NONE = "!="  # between a column and a text that is no missing cell


def gaps_of(missing: Iterable[object], columns: Iterable[object]) -> Gaps:
    """Return by column the cells that mean a missing one; columns without any are not there.

    Such as `-999`, for all columns, or `age=-999`. A name and a cell may hold the sign `=` too: the
    first one that follows the name of a column counts.

    Raises
    ------
    DataError
        When no column has the name before the sign.
    """
    names = [str(name) for name in columns]
    gaps: dict[str, tuple[str, ...]] = {}
    for text in (one for one in map(str, missing) if NONE not in one):
        cuts = [(text[:k].strip(), text[k + 1 :].strip()) for k, c in enumerate(text) if c == "="]
        own = next(((name, cell) for name, cell in cuts if name in names), None)
        if cuts and own is None:
            own = names[column_at(cuts[0][0], names, len(names))], cuts[0][1]
        for name in names if own is None else [own[0]]:
            gaps[name] = (*gaps.get(name, ()), text.strip() if own is None else own[1])
    return gaps


def words_of(missing: Iterable[object], columns: Iterable[object]) -> Gaps:
    """Return by column the texts such as NA that mean no missing cell there: `country!=NA`.

    Raises
    ------
    DataError
        When no column has the name before the sign, or the text behind it means no missing cell.
    """
    names = [str(name) for name in columns]
    words: dict[str, tuple[str, ...]] = {}
    for text in (one for one in map(str, missing) if NONE in one):
        name, word = (part.strip() for part in text.split(NONE, 1))
        if word not in MISSING:
            raise DataError(
                f"missing={text!r} says that {word!r} is no missing cell, which it never is; leave "
                "it out"
            )
        for own in [names[column_at(name, names, len(names))]] if name else names:
            words[own] = (*words.get(own, ()), word)
    return words


def kept_words(asked: ReadOptions) -> frozenset[str]:
    """Return the texts such as NA that are no missing cell somewhere in a table."""
    behind = {text.split(NONE, 1)[1].strip() for text in map(str, asked.missing) if NONE in text}
    return frozenset(behind | {*named_labels(asked)})


def named_labels(asked: ReadOptions) -> tuple[str, ...]:
    """Return the labels that the user names and that mean a missing cell elsewhere."""
    named = [*(several(asked.positive) or ()), *(several(asked.negative) or ())]
    return tuple(label for label in named if isinstance(label, str) and label in MISSING)


def with_gaps(table: Table, asked: ReadOptions) -> tuple[Table, Gaps, list[Remark]]:
    """Return a table in which the cells are missing that mean so, and these cells by column.

    The third is a remark on each that is nowhere.

    Raises
    ------
    DataError
        When the source is no table with columns of its own, and as `gaps_of`.
    """
    if not asked.missing:
        return table, {}, []
    if not hasattr(table.X, "iloc"):
        raise DataError(
            "missing is for tables whose columns have a meaning each, such as CSV; leave it out"
        )
    names = table.names or tuple(map(str, range(table.d)))
    gaps = gaps_of(asked.missing, [*names, table.target])
    frame, hits = table.X.copy(deep=False), set()
    for j, name in enumerate(names):
        column, had = mark_missing(frame.iloc[:, j], gaps.get(name, ()), asked.decimal)
        if had:
            frame.isetitem(j, column)
            hits |= {*had}
    cells = {gap: None for name in names for gap in gaps.get(name, ()) if gap not in hits}
    remarks = [
        Remark(f"no cell is {gap!r}, so that missing={gap!r} changes nothing here") for gap in cells
    ]
    return replace(table, X=frame), gaps, remarks
