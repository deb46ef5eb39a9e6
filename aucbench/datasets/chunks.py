"""`stream`: a file in chunks of rows, for methods that learn from more rows than memory holds.

Design
  a. What a name, a header, a label column or a width means is `load`'s business (files.py,
     formats.py). Here a file is only cut, and the pieces go through the same parsers.
  b. What `load` sees in the whole file is found by a first scan (the indices of svmlight),
     fixed by the first chunk (the layout), or compared with what came before (the labels and
     whether a column holds numbers).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.data import Chunk, arrays
from aucbench.data.targets import Labels
from aucbench.datasets import changepoint, files, formats, idx
from aucbench.datasets.cuts import CUTTERS, Cut, svmlight
from aucbench.datasets.formats import Table
from aucbench.datasets.manifest import listed, verify
from aucbench.errors import DataError, require_whole


def stream(
    source: str | os.PathLike[str],
    *,
    rows: int = 10_000,
    positive: Any = None,
    drop: Sequence[str | int] = (),
    target: str | int | None = None,
    features: int | None = None,
) -> Iterator[Chunk]:
    """Read svmlight, CSV or Parquet in chunks of rows, in memory that no longer file enlarges.

    Stacked, the chunks are the rows and labels of `load`. A chunk, and the file too, may hold
    one class only, since large data come in several files. All chunks have the layout (dense
    or CSR) that is faster for the first.

    Parameters
    ----------
    source, positive, drop, target
        As for `load`. A compressed Parquet file is unpacked into a temporary one.
    rows : int
        Rows of a chunk; the last one may have fewer.
    features : int, optional
        Their number d, of svmlight only. Without it the file is first scanned for its largest
        index and for an index 0, the sign that indices count from 0; with it only the first
        chunk is asked for that sign.

    Raises
    ------
    DataError, UnknownNameError, MissingExtraError
        As `load`, when the row to blame is reached; also for npz and idx, read whole by `load`.
    ParameterError
        When `rows` or `features` is not a whole number above 0.
    """
    require_whole(1, rows=rows, features=features)
    path, rule = files.locate(source)
    cutter = _cutter(path)
    if target is not None and cutter is svmlight:
        raise DataError(f"{path}: target= is for tables; in svmlight the label stands first")
    if features is not None and cutter is not svmlight:
        raise DataError(f"{path}: features= is for svmlight; the columns of a table are counted")
    chosen = [*rule.positive] or None if positive is None else positive
    names, width = files.feature_names(path), listed(path).get("features", "")
    least = len(names) if names else int(width) if width.isdecimal() else 0
    tables = cutter(path, Cut(rows, target, features, least))
    return _chunks(tables, path, names, files.left_out(drop, rule), _Joined(chosen))


def _cutter(path: Path) -> Callable[[Path, Cut], Iterator[Table]]:
    if name := changepoint.name_of(path):
        raise changepoint.no_labels(name)
    ending = formats.reader_of(path)
    if ending not in CUTTERS or formats.without_compression(path.name).endswith(idx.MARK):
        raise DataError(f"{path} can only be read whole: use load, or write svmlight, CSV, Parquet")
    if not path.stat().st_size:
        raise DataError(f"{path} is empty; it should hold a data set")
    return CUTTERS[ending]


def _chunks(
    tables: Iterator[Table],
    path: Path,
    names: tuple[str, ...] | None,
    drop: Sequence[str | int],
    joined: _Joined,
) -> Iterator[Chunk]:
    verify(path)
    with formats.told(path):
        for table in tables:
            if names and len(names) != (d := table.X.shape[1]):
                raise DataError(f"it has {d} features and {len(names)} names are beside it")
            named = replace(table, names=names) if names else table
            yield joined.chunk(files.without(named, drop))
        if not joined.seen:
            raise DataError("there is no row in it; it should hold a data set")


@dataclass(slots=True)
class _Joined:
    """What the chunks of one file must have in common, and how many rows they had so far."""

    positive: Any
    seen: int = 0
    sparse: bool | None = None
    kinds: list[str] = field(default_factory=list)
    labels: set[Any] = field(default_factory=set)

    def chunk(self, table: Table) -> Chunk:
        """Check the next table as `load` would check it together with those before."""
        _refuse_gaps(table, self.seen)
        try:
            self._compare_kinds(table)
            made = Chunk.of(table.X, table.y, positive=self._positive(table.y))
        except DataError as error:
            last = self.seen + len(table.y) - 1
            raise DataError(f"rows {self.seen} to {last}: {error}") from error
        self.seen += made.n
        return replace(made, rows=self._laid_out(made.rows))

    def _compare_kinds(self, table: Table) -> None:
        dtypes = [table.y.dtype, *getattr(table.X, "dtypes", ())]
        kinds = [_KINDS.get(getattr(dtype, "kind", "O"), "text") for dtype in dtypes]
        self.kinds = self.kinds or kinds
        for j, (before, now) in enumerate(zip(self.kinds, kinds, strict=True)):
            if before != now:
                what = f"column {table.X.columns[j - 1]!r}" if j else "the column of the labels"
                raise DataError(f"{what} holds {now} here and {before} in the rows before")

    def _positive(self, y: Any) -> Any:
        given = self.positive
        positive = None if given is None else files.as_labels(given, y)
        if not isinstance(given, Collection) or isinstance(given, str | bytes):
            self.labels |= {*y.tolist()}
            if len(self.labels) > 1:
                Labels.of([*self.labels], positive)
        return positive

    def _laid_out(self, X: arrays.Rows) -> arrays.Rows:
        if self.sparse is None:
            X = X.in_faster_layout()
            self.sparse = X.is_sparse
        if X.is_sparse == self.sparse:
            return X
        if X.is_sparse:
            return arrays.rows(X.matrix.toarray())
        from scipy.sparse import csr_array

        return arrays.rows(csr_array(X.matrix))


_KINDS = {"b": "truth values", "f": "numbers", "i": "numbers", "u": "numbers"}


def _refuse_gaps(table: Table, before: int) -> None:
    """Name the row of the file: `Chunk.of` counts from the beginning of the chunk."""
    y = table.y
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        at = int(np.flatnonzero(~np.isfinite(y))[0])
        raise DataError(f"y has {y[at]} in row {before + at}; every row needs a label")
    if gap := (_sparse_gap if hasattr(table.X, "tocsr") else _frame_gap)(table.X):
        raise DataError(
            f"X has NaN or infinity in row {before + gap[0]}, column {gap[1]}; impute or drop "
            "such values first"
        )


def _sparse_gap(X: Any) -> tuple[int, str] | None:
    bad = np.flatnonzero(~np.isfinite(X.data))
    if not bad.size:
        return None
    return int(np.searchsorted(X.indptr, bad[0], side="right")) - 1, str(X.indices[bad[0]])


def _frame_gap(X: Any) -> tuple[int, str] | None:
    numeric = X.loc[:, [getattr(dtype, "kind", "O") in "fiu" for dtype in X.dtypes]]
    values = numeric.to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.argwhere(~np.isfinite(values))
    return (int(bad[0, 0]), repr(numeric.columns[bad[0, 1]])) if bad.size else None
