"""A table divided into features and labels, not yet checked; and several of them as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.datasets import svmlight
from aucbench.datasets.endings import naming
from aucbench.datasets.formats import Batch, Wanted, batches
from aucbench.datasets.gaps import gaps_of, words_of
from aucbench.datasets.label import column_at, find_label, is_no_label
from aucbench.datasets.tables import LINE
from aucbench.datasets.tables.cells import mark_missing
from aucbench.errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What a file holds, not yet checked."""

    X: Any  # (n, d): the features
    y: Any  # (n,): the labels
    names: tuple[str, ...] | None = None  # the feature names
    label: str = ""  # where the labels come from, for people
    target: str | int | None = None  # the label column, by name or by number
    warnings: tuple[str, ...] = ()  # sentences of the source about what may be wrong
    queries: Any = None  # (n,): the number behind qid: in each line of svmlight, if there are some
    first: int | None = None  # of svmlight: the index of the first column, 0 or 1

    @property
    def d(self) -> int:
        """Number of features."""
        return int(np.shape(self.X)[1])

    def without(self, columns: Iterable[str | int]) -> Table:
        """Return the table without some columns, by name or number."""
        dropped = {column_at(wanted, self.names, self.d) for wanted in columns}
        return self.keeping([j for j in range(self.d) if j not in dropped]) if dropped else self

    def keeping(self, columns: Sequence[int]) -> Table:
        """Return the table with these columns only."""
        X = self.X.iloc[:, columns] if hasattr(self.X, "iloc") else self.X[:, columns]
        names = self.names and tuple(self.names[j] for j in columns)
        return replace(self, X=X, names=names)

    def taking(self, rows: Any) -> Table:
        """Return the table with these rows only, by their numbers."""
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        queries = None if self.queries is None else self.queries[rows]
        return replace(self, X=X, y=self.y[rows], queries=queries)


def stacked(tables: Sequence[Table]) -> Table:
    """Return the rows of several files of one format, one below the other."""
    tables = counted_alike(tables)
    y = np.concatenate([np.asarray(table.y) for table in tables])
    warnings = tuple(dict.fromkeys(text for table in tables for text in table.warnings))
    X, queries = _stacked([table.X for table in tables]), _joined_queries(tables)
    return replace(tables[0], X=X, y=y, queries=queries, warnings=warnings)


def counted_alike(tables: Sequence[Table]) -> Sequence[Table]:
    """Return tables of svmlight whose indices all count from 0, if an index 0 occurs in one."""
    if {table.first for table in tables} != {0, 1}:
        return tables
    if any(table.names for table in tables):
        raise DataError(
            "an index 0 occurs in one of the files, and names of features stand beside a file "
            "whose indices count from 1; write both with indices from 1"
        )
    return [
        replace(table, X=svmlight.from_zero(table.X), first=0) if table.first else table
        for table in tables
    ]


def _stacked(parts: Sequence[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if all(hasattr(part, "iloc") for part in parts):
        import pandas as pd

        same = [part.set_axis(parts[0].columns, axis=1) for part in parts]
        return pd.concat(same, ignore_index=True)
    if all(hasattr(part, "tocsr") for part in parts):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    if any(hasattr(part, "iloc") or hasattr(part, "tocsr") for part in parts):
        raise DataError("the two files are of different kinds; give both in one format")
    return np.vstack(parts)


def _joined_queries(tables: Sequence[Table]) -> Any:
    """Return the numbers behind qid of several files, one below the other; None without any."""
    each = [table.queries for table in tables]
    if all(queries is None for queries in each):
        return None
    if any(queries is None for queries in each):
        raise DataError("only one of the files has a qid in each line; give it in both, or in none")
    return np.concatenate(each)


def read_table(path: Path, wanted: Wanted) -> Table:
    """Read all rows of a file in the format that its ending says."""
    with naming(path):
        [batch] = batches(path, wanted)
        return table_of(batch, wanted)


def table_of(batch: Batch, wanted: Wanted, first: int = 0) -> Table:
    """Divide rows into features and labels; the first one is row `first` of the file."""
    if hasattr(batch.X, "iloc"):
        return frame_table(batch.X, wanted, named=batch.named, first=first)
    return Table(
        batch.X, batch.y, label=batch.label, queries=batch.queries, first=batch.first_index
    )


def frame_table(frame: Any, wanted: Wanted, *, named: bool, first: int = 0) -> Table:
    """Divide a frame into features and labels; its first row is row `first` of the file."""
    if not len(frame) or frame.shape[1] < 2:
        raise DataError(
            f"there are {len(frame)} rows and {frame.shape[1]} columns in it; give one row per "
            "example, one column per feature, and a column of labels"
        )
    names = tuple(map(str, frame.columns))
    label = find_label(frame, wanted.target, wanted.others)
    frame, warnings = _labelled(frame, label.at, wanted, first)
    column = f"column {names[label.at]!r}" if named else f"column {label.at}"
    target = names[label.at] if named else label.at
    table = Table(
        frame,
        _labels(frame.iloc[:, label.at]),
        names if named else None,
        f"{column}, {label.why}",
        target,
        warnings,
    )
    return table.keeping([j for j in range(len(names)) if j != label.at])


def _labelled(frame: Any, at: int, wanted: Wanted, first: int) -> tuple[Any, tuple[str, ...]]:
    """Return the rows that have a label, and a sentence about the others."""
    own = gaps_of([text for text in wanted.missing if "=" in text], frame.columns)
    name = str(frame.columns[at])
    y, _ = mark_missing(frame.iloc[:, at], own.get(name, ()), wanted.decimal)
    words = (*wanted.words, *words_of(wanted.missing, frame.columns).get(name, ()))
    gone = is_no_label(y, words)
    if not gone.any():
        return frame, ()
    texts = getattr(y.dtype, "kind", "O") == "O"
    way = f"; if a text such as None is a label, name it, or say --missing {f'{name}!=None'!r}"
    if wanted.unlabelled == "skip":
        count = int(gone.sum())
        what = f"{count} of {gone.size} rows have no label in the column {name!r}"
        return frame[~gone], (f"{what}, and are left out" + way * texts,)
    row = int(np.flatnonzero(gone)[0])
    where = f"line {y.index[row]}" if y.index.name == LINE else f"row {first + row}"
    raise DataError(
        f"the label is missing in {where}, and in {int(gone.sum())} row(s) in total; every row "
        f"needs one{way * texts}; unlabelled='skip' (--unlabelled skip) leaves such rows out"
    )


def _labels(column: Any) -> Any:
    """Return labels as an array; whole numbers are those they were before a gap made floats."""
    y = column.infer_objects().to_numpy()
    return svmlight.whole_labels(y) if y.dtype.kind == "f" else y
