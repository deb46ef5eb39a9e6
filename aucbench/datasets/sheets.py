"""A comma-separated table with a header, as text cells.

Design
  The csv module reads the cells, and `float` converts numbers, correctly rounded. A row with too
  few cells is an error. (Rejected: pandas, which fills short rows with NaN, and which does not
  round correctly by default.)
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from math import nan
from pathlib import Path

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.datasets.compressed import open_plain
from aucbench.datasets.endings import naming
from aucbench.datasets.manifest import verify
from aucbench.datasets.textfile import is_number
from aucbench.errors import DataError

MISSING = ("", "NA", "NaN", "nan")


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The cells of a CSV file, by column."""

    path: Path  # the file
    header: Sequence[str]  # the names of the columns
    columns: Sequence[Sequence[str]]  # the cells of each column

    @staticmethod
    def of(path: Path) -> Sheet:
        """Read a CSV file, compressed or not."""
        if not path.is_file():
            raise DataError(f"there is no file {path}; give the path of a CSV table")
        verify(path)
        with naming(path):
            header, *rows = _cells_of_lines(path) or [[]]
            if not rows:
                raise DataError("there is no row below the header; give a table with rows")
            return Sheet(path, header, [*zip(*rows, strict=True)])

    def refuse(self, text: str) -> DataError:
        """Return a `DataError` that names this file."""
        return DataError(f"{self.path}: {text}")

    def column(self, name: str) -> Sequence[str]:
        """Return the cells of a column; raise `DataError` if there is no such column."""
        if name not in self.header:
            raise self.refuse(f"there is no column {name} among {', '.join(self.header)}; add it")
        return self.columns[self.header.index(name)]

    def numbers(self, name: str, row: str) -> Vector:
        """Return a column as numbers."""
        cells = self.column(name)
        for k, cell in enumerate(cells):
            if cell in MISSING or not is_number(cell):
                where = f"{row} {self.column(row)[k]!r}"
                raise self.refuse(f"{name} is {cell!r} for {where}; give a number")
        return np.array([float(cell) for cell in cells])


def as_numbers(cells: Sequence[str]) -> Vector | None:
    """Return cells as numbers, with NaN for missing ones; None if a cell is text."""
    if not all(cell in MISSING or is_number(cell) for cell in cells):
        return None
    return np.array([nan if cell in MISSING else float(cell) for cell in cells])


def _cells_of_lines(path: Path) -> list[list[str]]:
    """Return the cells of each line; all lines have the same number of cells."""
    found: list[list[str]] = []
    with open_plain(path) as packed, TextIOWrapper(packed, "utf-8-sig", newline="") as text:
        lines = csv.reader(text, strict=True, skipinitialspace=True)
        try:
            for cells in lines:
                if found and cells and len(cells) != len(found[0]):
                    raise DataError(
                        f"line {lines.line_num} has {len(cells)} cells, but the header has "
                        f"{len(found[0])}; the file may be cut off, so get it again"
                    )
                found += [cells] if cells else []
        except csv.Error as error:
            raise DataError(f"line {lines.line_num} is not CSV ({error}); repair it") from error
    return found
