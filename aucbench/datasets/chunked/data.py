"""Rows of files that are read in chunks: opened, opened again by another process, and sampled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.layouts import densify, store_as
from aucbench.data.understood import Remark, Understood
from aucbench.datasets.chunked import open_parts
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.parts import Dates, OneHot
from aucbench.scale import ChunkedData, Parts
from aucbench.scale.chosen import read_from
from aucbench.scale.engines import HERE, engine_of

DENSE_LIMIT = 2 << 30  # bytes of rows that become dense


def open_chunked(
    source: str | os.PathLike[str],
    reading: ReadOptions | None = None,
    *,
    engine: str = HERE,
    seed: int = 0,
    skip_bad: bool = False,
    why: str | None = None,
    tell: Callable[[str], object] | None = None,
) -> ChunkedData:
    """Return the rows of files, which are read in chunks, again and again.

    Parameters
    ----------
    source, reading, skip_bad, tell :
        As of `open_parts`.
    engine : str
        What reads the chunks: here, or dask=ADDRESS.
    seed : int
        Of the sample that solvers begin with.
    why : str, optional
        A sentence on why they are not in memory, for people.

    Raises
    ------
    AucbenchError
        As `open_parts` and `engine_of`.
    """
    asked = reading or ReadOptions()
    parts = open_parts(source, asked, skip_bad=skip_bad, tell=tell)
    known = understood_of(parts)
    remarks = (*known.remarks, *([] if why is None else [Remark(why)]))
    return ChunkedData(
        parts,
        engine_of(engine),
        seed=seed,
        understood=replace(known, remarks=remarks),
        opened={
            "source": str(Path(source).absolute()),
            "reading": asked.options(),
            "engine": engine,
            "skip_bad": skip_bad,
            "why": why,
        },
    )


def open_again(opened: Mapping[str, Any]) -> ChunkedData:
    """Return the rows that `ChunkedData.opened` describes, as another process has opened them."""
    return open_chunked(**{**opened, "reading": ReadOptions(**opened["reading"])})


def understood_of(parts: Parts) -> Understood:
    """Return what a reader took from files; labels are -1 and 1 where nothing is known."""
    known: Understood = getattr(read_from(parts), "understood", Understood())
    return known if known.positive else replace(known, negative=(-1,), positive=(1,))


def encoding_of(data: ChunkedData) -> Encoding | None:
    """Return what has made features of the columns of files; None where all hold numbers."""
    known: Encoding | None = getattr(read_from(data.parts), "encoding", None)
    return known


def folders_of(data: ChunkedData) -> list[str]:
    """Return the folders of the files."""
    parts: Any = read_from(data.parts)
    paths = [file.path for file in getattr(parts, "files", ())]
    return sorted({str(Path(path).absolute().parent) for path in paths})


def sampled(data: ChunkedData, numbers: Index) -> Data:
    """Return some rows in memory as files have them, codes of a table: one reading."""
    (table, y), encoding = data.take(numbers).in_memory(), encoding_of(data)
    if encoding is None:
        return replace(Data.of(table, y), names=data.names, understood=data.understood)
    made = replace(Data.of(codes_of(encoding, table), y), understood=data.understood)
    return replace(made, names=encoding.schema.names, schema=encoding.schema)


def named_columns(data: Data | ChunkedData) -> Data:
    """Return rows with the names and kinds of the columns of files: zeros if read in chunks."""
    if isinstance(data, Data):
        return data
    encoding = encoding_of(data)
    schema = None if encoding is None else encoding.schema
    names = data.names if schema is None else schema.names
    width = data.d if schema is None else len(schema.names)
    made = Data.of(np.zeros((2, width)), np.array([-1, 1]))
    return replace(made, names=names, schema=schema, understood=data.understood)


def ranges_of(data: ChunkedData) -> Vector:
    """Return the smallest and the largest number of each column of files, (2, columns)."""
    encoding = encoding_of(data)
    return data.extremes if encoding is None else codes_of(encoding, rows(data.extremes))


def codes_of(encoding: Encoding, features: Rows) -> Vector:
    """Return codes (n, columns) that have these features; rare levels share the first of them."""
    table = densify(store_as(features, np.float64), DENSE_LIMIT, "a fit in chunks").matrix
    codes, at = np.zeros((features.n, len(encoding.parts))), 0
    for j, (column, part) in enumerate(zip(encoding.schema.columns, encoding.parts, strict=True)):
        block = table[:, at : at + part.width]
        at += part.width
        if isinstance(part, OneHot) and part.width:
            levels = [column.levels.index(level) for level in (*part.kept, *part.rare[:1])]
            codes[:, j] = np.array(levels)[block.argmax(axis=1)]
        elif isinstance(part, Dates):
            codes[:, j] = part.codes(block)
        elif part.width:
            codes[:, j] = block[:, 0]
    return codes
