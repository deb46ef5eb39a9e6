"""Excel: a workbook with one sheet that has cells."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any
from xml.parsers import expat
from zipfile import ZipFile

from aucbench.datasets.compressed import limit_of, open_plain, require_small_members
from aucbench.datasets.tables import LINE
from aucbench.datasets.textfile import refuse_twins
from aucbench.errors import DataError, MissingExtraError

POINTER = 8  # bytes of a cell that is empty
LETTERS = 26


def frame(path: Path) -> Any:
    """Return the rows of a workbook as a data frame whose index has their lines."""
    import pandas as pd

    with open_plain(path) as stream:
        require_small_members(stream)
        _require_small_sheets(stream)
        try:
            sheets = pd.read_excel(stream, sheet_name=None, header=None, engine="openpyxl")
        except ImportError as error:
            raise MissingExtraError("reading Excel", "excel") from error
    filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
    if len(filled) != 1:
        listed = ", ".join(map(repr, filled)) or "none"
        raise DataError(
            f"{len(filled)} sheets have cells ({listed}), wanted one; save the sheet as a file"
        )
    sheet = next(iter(filled.values())).dropna(how="all").dropna(how="all", axis=1)
    names = ["" if pd.isna(name) else str(name).strip() for name in sheet.iloc[0]]
    refuse_twins(names)
    rows = sheet.iloc[1:].infer_objects()
    rows.columns = pd.Index([name or f"column {j + 1}" for j, name in enumerate(names)])
    rows.index = pd.Index(rows.index + 1, name=LINE)
    return rows


def _require_small_sheets(stream: IO[bytes]) -> None:
    """Raise `DataError` if a sheet has far more cells than the file has bytes.

    A cell says its own row and column, and all before them are made as empty ones.
    """
    with ZipFile(stream) as archive:
        most = limit_of(sum(info.compress_size for info in archive.infolist())) // POINTER
        for info in archive.infolist():
            if info.filename.endswith(".xml"):
                extent = _Extent()
                with archive.open(info) as xml:
                    extent.parser.ParseFile(xml)
                if extent.rows * extent.columns > most:
                    raise DataError(
                        f"a sheet reaches to row {extent.rows} and column {extent.columns}, more "
                        f"than {most} cells for a file of this size; delete the cells far below "
                        "and to the right of the table"
                    )
    stream.seek(0)


class _Extent:
    """The last row and the last column of the cells of a sheet, as openpyxl counts them."""

    def __init__(self) -> None:
        self.rows = self.columns = self._row = self._column = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._on_start

    def _on_start(self, tag: str, attributes: dict[str, str]) -> None:
        name, place = tag.rpartition(":")[2], attributes.get("r")
        if name == "row":
            self._row, self._column = _number(place) or self._row + 1, 0
        elif name == "c":
            letters = (place or "").rstrip("0123456789")
            column, row = _column(letters), _number((place or "")[len(letters) :])
            self._column = column or self._column + 1
            self._row = row or self._row
        self.rows, self.columns = max(self.rows, self._row), max(self.columns, self._column)


def _number(text: str | None) -> int:
    """Return a number of a row; 0 where there is none."""
    return int(text) if text and text.isdecimal() else 0


def _column(letters: str) -> int:
    """Return the number of a column, from 1; 0 where there is none."""
    number = 0
    for letter in letters.upper():
        number = number * LETTERS + ord(letter) - ord("A") + 1
    return number
