"""Changepoint sets: NAME.features.csv, and NAME.errors.csv instead of labels.

The errors file represents the set: `available` lists it and `locate` finds it. Rows are matched by
sequence, and all files must have the same sequences. The csv module reads the cells, and `float`
converts them: pandas fills short rows with NaN, and does not round correctly by default.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from math import nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.inputs import check_rows
from aucbench.data.layouts import to_faster_layout
from aucbench.datasets.endings import naming, open_plain, without_compression
from aucbench.datasets.label import column_at
from aucbench.datasets.manifest import verify
from aucbench.errors import DataError, is_number

SEQUENCE = "sequenceID"
OWN_FOLDS = "fold"  # the column that gives the fold of each sequence, in errors.csv if it is there
MISSING = ("", "NA", "NaN", "nan")
PARTS = ("features", "errors", "folds")
_OPTIONAL = ("max_log_lambda", "possible_fp", "possible_fn")
_PART = re.compile(rf"(.+)\.({'|'.join(PARTS)})\.csv(\.(?i:xz|bz2|gz)|)")
_PACKED = ("", ".xz", ".bz2", ".gz")


def load_changepoint(
    features: str | os.PathLike[str],
    errors: str | os.PathLike[str],
    *,
    folds: str | None = OWN_FOLDS,
) -> Data:
    """Read the features of sequences, and their numbers of errors at each penalty.

    Both files are comma-separated tables with a header, possibly compressed (.xz, .bz2, .gz).
    Their rows are matched by sequence. The target is `Breakpoints` that count errors.

    Parameters
    ----------
    features : path of NAME.features.csv
        One row for each sequence. The first column is the name of the sequence. Columns with a
        missing (NA, blank) or infinite value are left out; `Data.dropped` has their names.
    errors : path of NAME.errors.csv
        One row for each interval of the log penalty, with the columns sequenceID,
        min_log_lambda, fp and fn; a point in place of an underscore is the same. If there is a
        column max_log_lambda, the intervals of a sequence must cover the line without a gap. The
        columns possible_fp and possible_fn are the numbers of labels by which the AUC divides
        errors, see `Breakpoints.of_penalties`.
    folds : str, optional
        The column with the fold of each sequence. "fold" is a column of errors.csv, or else of
        NAME.folds.csv, which lies beside the features; without that column there are no folds. Any
        other name is a column of NAME.folds.csv. None or "none" means no folds. Folds are numbered
        from 0 in the order of the values in the file.

    Raises
    ------
    DataError
        When a file cannot be read; when a feature is text, or no feature is left; when a
        sequence is in one file only, has two rows of features, has two folds or has wrong
        intervals; or when there is no column `folds`.
    """
    return _joined(_Sheet.of(Path(features)), _Sheet.of(Path(errors)), folds, ())


def load_parts(path: Path, folds: str | None, drop: Sequence[str | int]) -> Data:
    """Read the set that the file `path` belongs to, without the features `drop`.

    All else is as in `load_changepoint`.
    """
    features, errors = (_Sheet.of(_part(path, part)) for part in ("features", "errors"))
    return _joined(features, errors, folds, drop)


def parts(path: Path) -> list[Path]:
    """Return the files of the set that the file `path` belongs to."""
    return [file for part in PARTS for file in _beside(path, part)]


def set_name(path: Path) -> str | None:
    """Return the name of the changepoint set that the file `path` belongs to, or None."""
    part = _PART.fullmatch(path.name)
    return part[1] if part and (part[2] == "errors" or _beside(path, "errors")) else None


def names_set(path: Path) -> bool:
    """Return whether `path` is an errors file with its features file beside it."""
    part = _PART.fullmatch(path.name)
    return part is not None and part[2] == "errors" and bool(_beside(path, "features"))


def no_labels(name: str, way_out: str = "give a set with labels") -> DataError:
    """Return the error for a changepoint set where labels are wanted."""
    return DataError(
        f"{name} is a changepoint set, which has error functions instead of labels; {way_out}"
    )


def _beside(path: Path, part: str) -> list[Path]:
    """Return the files of another part of the set; first the one compressed like `path`."""
    stem = without_compression(path.name)
    packed = path.name[len(stem) :]
    named = _PART.fullmatch(path.name)
    name = named[1] if named else stem.removesuffix(".csv")
    order = dict.fromkeys((packed, *_PACKED))
    files = (path.with_name(f"{name}.{part}.csv{ending}") for ending in order)
    return [file for file in files if file.is_file()]


def _part(path: Path, part: str) -> Path:
    if files := _beside(path, part):
        return files[0]
    lacking = f"{set_name(path)}.{part}.csv"
    raise DataError(
        f"{path} belongs to a changepoint set, but {lacking} is not beside it; put it there, or "
        "give the paths of both files to load_changepoint"
    )


def _joined(inputs: _Sheet, errors: _Sheet, folds: str | None, drop: Sequence[str | int]) -> Data:
    # The R packages of this field have points in these names.
    errors = replace(errors, header=[name.replace(".", "_") for name in errors.header])
    sequences = inputs.columns[0]
    twice = [name for name, count in Counter(sequences).items() if count > 1]
    _require_none(inputs, twice, "have more than one row in it", "keep one row of each")
    example = _matched(sequences, errors, inputs.path)
    X, names, dropped = _finite_features(inputs, drop)
    rows, _ = check_rows(X)
    target = _breakpoints(errors, example, sequences)
    return Data(to_faster_layout(rows), target, names, _folds(inputs, errors, folds), dropped)


def _require_none(sheet: _Sheet, sequences: Sequence[str], what: str, way_out: str) -> None:
    if sequences:
        raise sheet.refuse(
            f"{len(sequences)} sequence(s) {what}, first {sequences[0]!r}; {way_out}"
        )


def _matched(sequences: Sequence[str], sheet: _Sheet, features: Path) -> Index:
    """Return the example number of each row of `sheet`; each sequence must have a row."""
    number = {name: k for k, name in enumerate(sequences)}
    mentioned = dict.fromkeys(sheet.column(SEQUENCE))
    strangers = [name for name in mentioned if name not in number]
    absent = [name for name in sequences if name not in mentioned]
    way_out = "give the same sequences in both files"
    _require_none(sheet, strangers, f"have no row in {features.name}", way_out)
    _require_none(sheet, absent, f"of {features.name} have no row in it", way_out)
    return np.array([number[name] for name in sheet.column(SEQUENCE)], dtype=np.int32)


def _finite_features(
    sheet: _Sheet, drop: Sequence[str | int]
) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[str, ...]]:
    """Return the columns that are finite in all rows, their names, and the other names."""
    header = sheet.header[1:]
    try:
        out = {column_at(wanted, header, len(header)) for wanted in drop}
    except DataError as error:
        raise sheet.refuse(str(error)) from error
    columns = [
        (name, _as_numbers(cells))
        for j, (name, cells) in enumerate(zip(header, sheet.columns[1:], strict=True))
        if j not in out
    ]
    if texts := [repr(name) for name, x in columns if x is None]:
        listed = ", ".join(texts[:5]) + (", ..." if len(texts) > 5 else "")
        raise sheet.refuse(f"{len(texts)} feature(s) are not numeric: {listed}; drop them first")
    finite = [(name, x) for name, x in columns if x is not None and np.isfinite(x).all()]
    if not finite:
        raise sheet.refuse(
            f"no feature is left: {len(columns)} hold missing or infinite values, and {len(out)} "
            "were dropped; give one that is finite in all rows"
        )
    names, numbers = zip(*finite, strict=True)
    left = tuple(name for name, x in columns if x is not None and not np.isfinite(x).all())
    return np.column_stack(numbers), names, left


def _breakpoints(errors: _Sheet, example: Index, sequences: Sequence[str]) -> Breakpoints:
    low, fp, fn = map(errors.numbers, ("min_log_lambda", "fp", "fn"))
    others = {name: errors.numbers(name) for name in _OPTIONAL if name in errors.header}
    try:
        return Breakpoints.of_penalties(example, low, fp, fn, denominator="count", **others)
    except DataError as error:
        named = re.sub(
            r"^example (\d+)", lambda at: f"sequence {sequences[int(at[1])]!r}", str(error)
        )
        raise errors.refuse(named) from error


def _folds(inputs: _Sheet, errors: _Sheet, wanted: str | None) -> Index | None:
    if wanted is None or wanted == "none":
        return None
    wanted = str(wanted)
    beside = [_Sheet.of(path) for path in _beside(inputs.path, "folds")[:1]]
    sheets = [errors, *beside] if wanted == OWN_FOLDS else beside
    sheet = next((one for one in sheets if wanted in one.header and wanted != SEQUENCE), None)
    if sheet is None and wanted == OWN_FOLDS:
        return None
    if sheet is None:
        where = (
            beside[0].path.name if beside else "folds.csv, because it is not beside the features"
        )
        known = [name for one in beside for name in one.header if name != SEQUENCE]
        own = [OWN_FOLDS] if OWN_FOLDS in errors.header else []
        raise inputs.refuse(
            f"there is no column of folds {wanted!r} in {where}; use one of "
            f"{', '.join(['none', *own, *known])}"
        )
    fold: dict[int, str] = {}
    example = _matched(inputs.columns[0], sheet, inputs.path)
    for k, value in zip(example.tolist(), sheet.column(wanted), strict=True):
        if value in MISSING or fold.setdefault(k, value) != value:
            both = " and ".join(dict.fromkeys([fold.get(k, value), value]))
            raise sheet.refuse(
                f"sequence {inputs.columns[0][k]!r} has the {wanted} {both!r}; give each "
                "sequence one fold, or load the set with folds=none"
            )
    numeric = all(map(is_number, fold.values()))
    order = sorted({*fold.values()}, key=float if numeric else str)
    return np.array([order.index(fold[k]) for k in range(len(fold))], dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """The cells of a CSV file, by column."""

    path: Path
    header: Sequence[str]
    columns: Sequence[Sequence[str]]

    @staticmethod
    def of(path: Path) -> _Sheet:
        """Read a CSV file, compressed or not."""
        if not path.is_file():
            raise DataError(f"there is no file {path}; give the path of a CSV table")
        verify(path)
        with naming(path):
            header, *rows = _cells_of_lines(path) or [[]]
            if not rows:
                raise DataError("there is no row below the header; give a table with rows")
            return _Sheet(path, header, [*zip(*rows, strict=True)])

    def refuse(self, text: str) -> DataError:
        return DataError(f"{self.path}: {text}")

    def column(self, name: str) -> Sequence[str]:
        """Return the cells of a column."""
        if name not in self.header:
            raise self.refuse(f"there is no column {name} among {', '.join(self.header)}; add it")
        return self.columns[self.header.index(name)]

    def numbers(self, name: str) -> Vector:
        """Return a column as numbers; an error names the sequence of the row."""
        cells = self.column(name)
        for k, cell in enumerate(cells):
            if cell in MISSING or not is_number(cell):
                where = f"{SEQUENCE} {self.column(SEQUENCE)[k]!r}"
                raise self.refuse(f"{name} is {cell!r} for {where}; give a number")
        return np.array([float(cell) for cell in cells])


def _as_numbers(cells: Sequence[str]) -> Vector | None:
    """Return cells as numbers, with NaN for missing ones; None if a cell is text."""
    if not all(cell in MISSING or is_number(cell) for cell in cells):
        return None
    return np.array([nan if cell in MISSING else float(cell) for cell in cells])


def _cells_of_lines(path: Path) -> list[list[str]]:
    """Return the cells of each line; all lines have the same number of cells."""
    rows: list[list[str]] = []
    with open_plain(path) as packed, TextIOWrapper(packed, "utf-8-sig", newline="") as text:
        lines = csv.reader(text, strict=True, skipinitialspace=True)
        try:
            for cells in lines:
                if rows and cells and len(cells) != len(rows[0]):
                    raise DataError(
                        f"line {lines.line_num} has {len(cells)} cells, but the header has "
                        f"{len(rows[0])}; the file may be cut off, so get it again"
                    )
                rows += [cells] if cells else []
        except csv.Error as error:
            raise DataError(f"line {lines.line_num} is not CSV ({error}); repair it") from error
    return rows
