"""A comma-separated table with a header, cell by cell.

Design
  Cells are read by the csv module and `float`. Numbers are rounded as everywhere else, so that
  equal texts stay equal and distinct ones distinct, and a short row is an error. (Rejected:
  pandas, which fills short rows with NaN, and rounds otherwise by default.)
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
from aucbench.datasets.formats import is_number, open_plain, told
from aucbench.datasets.manifest import verify
from aucbench.errors import DataError

MISSING = ("", "NA", "NaN", "nan")


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Cells of a CSV file by column."""

    path: Path
    header: Sequence[str]
    columns: Sequence[Sequence[str]]

    @staticmethod
    def of(path: Path) -> Sheet:
        """Read a file, compressed or not, that the manifest beside it does not gainsay.

        Raises
        ------
        DataError
            When it is absent, damaged, no CSV table, or without a row below the header.
        """
        if not path.is_file():
            raise DataError(f"there is no file {path}; give the path of a CSV table")
        verify(path)
        with told(path):
            header, *rows = _lines(path) or [[]]
            if not rows:
                raise DataError("there is no row below a header in it; it should hold a table")
            return Sheet(path, header, [*zip(*rows, strict=True)])

    def refuse(self, text: str) -> DataError:
        """Return an error about this file."""
        return DataError(f"{self.path}: {text}")

    def column(self, name: str) -> Sequence[str]:
        """Cells of a column; `DataError` when there is none of this name."""
        if name not in self.header:
            raise self.refuse(f"there is no column {name} among {', '.join(self.header)}; add it")
        return self.columns[self.header.index(name)]

    def numbers(self, name: str, row: str) -> Vector:
        """Return a column of numbers; `DataError`, with the cell of `row`, where one is none."""
        cells = self.column(name)
        for k, cell in enumerate(cells):
            if cell in MISSING or not is_number(cell):
                where = f"{row} {self.column(row)[k]!r}"
                raise self.refuse(f"{name} is {cell!r} for {where}; give a number")
        return np.array([float(cell) for cell in cells])


def numbers(cells: Sequence[str]) -> Vector | None:
    """Cells as numbers, NaN where one is missing; None when one is text."""
    try:
        return np.array([nan if cell in MISSING else float(cell) for cell in cells])
    except ValueError:
        return None


def _lines(path: Path) -> list[list[str]]:
    """Cells of each line, equally many."""
    found: list[list[str]] = []
    with open_plain(path) as packed, TextIOWrapper(packed, "utf-8-sig", newline="") as text:
        lines = csv.reader(text, strict=True, skipinitialspace=True)
        try:
            for cells in lines:
                if found and cells and len(cells) != len(found[0]):
                    raise DataError(
                        f"line {lines.line_num} has {len(cells)} cells and the header has "
                        f"{len(found[0])}; the file may be cut off"
                    )
                found += [cells] if cells else []
        except csv.Error as error:
            raise DataError(f"line {lines.line_num} is no CSV ({error}); mend the file") from error
    return found
