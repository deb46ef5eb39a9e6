"""Changepoint sets: NAME.features.csv, and NAME.errors.csv instead of labels.

Design
  a. The errors file represents the set: `available` lists it and `locate` finds it.
  b. Rows are matched by sequence. All files must have the same sequences.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.inputs import check_rows
from aucbench.datasets.columns import column_at
from aucbench.datasets.endings import without_compression
from aucbench.datasets.sheets import MISSING, Sheet, as_numbers
from aucbench.datasets.textfile import is_number
from aucbench.errors import DataError

SEQUENCE = "sequenceID"
OWN_FOLDS = "fold"  # the column that gives the fold of each sequence, in errors.csv if it is there
_OPTIONAL = ("max_log_lambda", "possible_fp", "possible_fn")
PARTS = ("features", "errors", "folds")
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
    return _joined(Sheet.of(Path(features)), Sheet.of(Path(errors)), folds, ())


def load_parts(path: Path, folds: str | None, drop: Sequence[str | int]) -> Data:
    """Read the set that the file `path` belongs to, without the features `drop`.

    All else is as in `load_changepoint`.
    """
    features, errors = (Sheet.of(_part(path, part)) for part in ("features", "errors"))
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
    found = _PART.fullmatch(path.name)
    name = found[1] if found else stem.removesuffix(".csv")
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


def _joined(inputs: Sheet, errors: Sheet, folds: str | None, drop: Sequence[str | int]) -> Data:
    # The R packages of this field have points in these names.
    errors = replace(errors, header=[name.replace(".", "_") for name in errors.header])
    sequences = inputs.columns[0]
    twice = [name for name, count in Counter(sequences).items() if count > 1]
    _require_none(inputs, twice, "have more than one row in it", "keep one row of each")
    example = _matched(sequences, errors, inputs.path)
    X, names, dropped = _finite_features(inputs, drop)
    rows, _ = check_rows(X)
    target = _breakpoints(errors, example, sequences)
    return Data(rows.in_faster_layout(), target, names, _folds(inputs, errors, folds), dropped)


def _require_none(sheet: Sheet, sequences: Sequence[str], what: str, way_out: str) -> None:
    if sequences:
        raise sheet.refuse(
            f"{len(sequences)} sequence(s) {what}, first {sequences[0]!r}; {way_out}"
        )


def _matched(sequences: Sequence[str], sheet: Sheet, features: Path) -> Index:
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
    sheet: Sheet, drop: Sequence[str | int]
) -> tuple[NDArray[np.float64], tuple[str, ...], tuple[str, ...]]:
    """Return the columns that are finite in all rows, their names, and the other names."""
    header = sheet.header[1:]
    try:
        out = {column_at(wanted, header, len(header)) for wanted in drop}
    except DataError as error:
        raise sheet.refuse(str(error)) from error
    found = [
        (header[j], as_numbers(sheet.columns[j + 1])) for j in range(len(header)) if j not in out
    ]
    if texts := [repr(name) for name, x in found if x is None]:
        listed = ", ".join(texts[:5]) + (", ..." if len(texts) > 5 else "")
        raise sheet.refuse(f"{len(texts)} feature(s) are not numeric: {listed}; drop them first")
    kept = [(name, x) for name, x in found if x is not None and np.isfinite(x).all()]
    names = tuple(name for name, _ in kept)
    if not kept:
        raise sheet.refuse(
            f"no feature is left: {len(found)} hold missing or infinite values, and {len(out)} "
            "were dropped; give one that is finite in all rows"
        )
    left = tuple(name for name, x in found if x is not None and not np.isfinite(x).all())
    return np.column_stack([x for _, x in kept]), names, left


def _breakpoints(errors: Sheet, example: Index, sequences: Sequence[str]) -> Breakpoints:
    low, fp, fn = (errors.numbers(name, SEQUENCE) for name in ("min_log_lambda", "fp", "fn"))
    others = {name: errors.numbers(name, SEQUENCE) for name in _OPTIONAL if name in errors.header}
    try:
        return Breakpoints.of_penalties(example, low, fp, fn, denominator="count", **others)
    except DataError as error:
        named = re.sub(
            r"^example (\d+)", lambda at: f"sequence {sequences[int(at[1])]!r}", str(error)
        )
        raise errors.refuse(named) from error


def _folds(inputs: Sheet, errors: Sheet, wanted: str | None) -> Index | None:
    if wanted is None or wanted == "none":
        return None
    beside = _folds_beside(inputs)
    if wanted == OWN_FOLDS and OWN_FOLDS not in (
        *errors.header,
        *(beside.header if beside else ()),
    ):
        return None
    own = wanted == OWN_FOLDS and OWN_FOLDS in errors.header
    sheet = errors if own else _folds_sheet(inputs, errors, beside, str(wanted))
    fold: dict[int, str] = {}
    example = _matched(inputs.columns[0], sheet, inputs.path)
    for k, value in zip(example.tolist(), sheet.column(str(wanted)), strict=True):
        if value in MISSING or fold.setdefault(k, value) != value:
            both = " and ".join(dict.fromkeys([fold.get(k, value), value]))
            raise sheet.refuse(
                f"sequence {inputs.columns[0][k]!r} has the {wanted} {both!r}; give each "
                "sequence one fold, or load the set with folds=none"
            )
    numeric = all(map(is_number, fold.values()))
    order = sorted({*fold.values()}, key=float if numeric else str)
    number = {value: at for at, value in enumerate(order)}
    return np.array([number[fold[k]] for k in range(len(fold))], dtype=np.int32)


def _folds_beside(inputs: Sheet) -> Sheet | None:
    files = _beside(inputs.path, "folds")
    return Sheet.of(files[0]) if files else None


def _folds_sheet(inputs: Sheet, errors: Sheet, sheet: Sheet | None, wanted: str) -> Sheet:
    known = [name for name in (sheet.header if sheet else ()) if name != SEQUENCE]
    if sheet and wanted in known:
        return sheet
    where = sheet.path.name if sheet else "folds.csv, because it is not beside the features"
    own = [OWN_FOLDS] if OWN_FOLDS in errors.header else []
    raise inputs.refuse(
        f"there is no column of folds {wanted!r} in {where}; use one of "
        f"{', '.join(['none', *own, *known])}"
    )
