"""Read rows so many at a time: `batches` of typed cells, or `pieces` with cells as they stand.

Pieces are for models that know what columns are. A row with too few or too many cells is kept and
reported, not refused: who scores rows gives one answer for each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

from aucbench.datasets import formats, svmlight
from aucbench.datasets.arrow import PARQUET, frames
from aucbench.datasets.endings import SVMLIGHT, TEXT, naming, open_plain
from aucbench.datasets.textfile import PANDAS, AsText, Layout, layout_of, open_frame
from aucbench.errors import DataError

LARGE = 100_000_000  # bytes of a Parquet file that is not decoded at once


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Some rows of a table, or of svmlight."""

    frame: Any  # of pandas; CSR for svmlight
    named: bool  # whether its columns have names
    # the number of cells of each row that has too few or too many, by its place in the piece
    uneven: dict[int, int]


def pieces(
    path: Path, rows: int, separator: str | None = None, first_index: int | None = None
) -> Iterator[Piece]:
    """Yield the rows of a table in pieces: those of text and Parquet so many at a time.

    Svmlight is read where it is known which index is the first one, 0 or 1.
    """
    if not path.is_file():
        raise DataError(f"there is no file {path}; give the path of a table, or of a folder")
    with naming(path):
        ending = formats.reader_of(path)
        if ending in TEXT:
            yield from _of_text(path, rows, separator or _separator(ending))
        elif ending == PARQUET and path.stat().st_size > LARGE:
            for frame in frames(path, rows, here=True):
                yield Piece(frame, named=True, uneven={})
        elif ending in formats.FRAMES:
            yield Piece(formats.FRAMES[ending](path), named=True, uneven={})
        elif ending in SVMLIGHT and first_index is not None:
            yield from _of_svmlight(path, rows, first_index)
        else:
            known = ", ".join((*TEXT, *formats.FRAMES))
            raise DataError(
                f"its ending is not that of a table ({known}), nor has the model learnt from "
                "svmlight; score arrays from Python, with Model.load(model).scores(X)"
            )


def _of_svmlight(path: Path, rows: int, first: int) -> Iterator[Piece]:
    with open_plain(path) as content:
        lines = svmlight.data_lines(content)
        while part := [*islice(lines, rows)]:
            yield Piece(svmlight.parsed(part, None, first).X, named=False, uneven={})


def batches(
    path: Path,
    ending: str,
    rows: int,
    separator: str | None = None,
    decimal: str = ".",
    cells: AsText | None = None,
) -> Iterator[tuple[Any, bool]]:
    """Yield the rows of text or Parquet in data frames, and whether their columns have names.

    pandas or Arrow decide what the cells are, but for those that are text: see `as_text` of
    several files. None: those of this file.
    """
    if ending == PARQUET:
        yield from ((frame, True) for frame in frames(path, rows))
        return
    with open_plain(path) as stream:
        layout = layout_of(stream, separator or _separator(ending))
        known = PANDAS.joined(stream, layout) if cells is None else cells
        for frame in open_frame(stream, layout, decimal, rows, known):
            yield frame, layout.names is not None


def as_text(files: Sequence[Path], separator: str | None, words: Collection[str]) -> AsText:
    """Return which cells of text files are text in all of them, because they are in one."""
    cells = AsText(words=frozenset(words))
    for path in files:
        with naming(path), open_plain(path) as stream:
            layout = layout_of(stream, separator or _separator(path.suffix.lower()))
            cells = cells.joined(stream, layout)
    return cells


def _separator(ending: str) -> str | None:
    return "tab" if ending == ".tsv" else None


def _of_text(path: Path, rows: int, separator: str | None) -> Iterator[Piece]:
    with (
        open_plain(path) as stream,
        TextIOWrapper(stream, "utf-8-sig", newline="") as text,
    ):
        layout = layout_of(stream, separator, even=False)
        stream.seek(0)
        records = layout.records(text)
        first = next(records, None)
        if first is None:
            raise DataError("there is no row in it; give a table with rows")
        names = list(layout.names or map(str, range(len(first[1]))))
        waiting = [] if layout.names is not None else [first[1]]
        any_row = False
        while cells := [*waiting, *(row for _, row in islice(records, rows - len(waiting)))]:
            waiting, any_row = [], True
            yield _piece(cells, names, layout)
        if not any_row:
            raise DataError("there is no row below the header; give a table with rows")


def _piece(cells: Sequence[Sequence[str]], names: Sequence[str], layout: Layout) -> Piece:
    import pandas as pd

    width = len(names)
    uneven = {i: len(row) for i, row in enumerate(cells) if len(row) != width}
    even = [[*row[:width], *[""] * (width - len(row))] for row in cells] if uneven else cells
    frame = pd.DataFrame(even, columns=[*names], dtype=object)
    return Piece(frame, layout.names is not None, uneven)
