"""`stream`: read a file in chunks, for methods that learn from more rows than fit in memory.

The parsers are those of `load`, which sees the whole file at once. Here, a first scan finds the
indices of svmlight, the first chunk fixes the layout, and each chunk is compared with those before
it (the labels, and whether a column holds numbers).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from aucbench.data import Chunk, arrays
from aucbench.data.layouts import to_faster_layout
from aucbench.data.targets import REST, Classes, side_of
from aucbench.datasets import changepoint
from aucbench.datasets.endings import PARQUET, SVMLIGHT, TEXT, naming, reader_of
from aucbench.datasets.formats import Wanted, batches
from aucbench.datasets.images import is_idx
from aucbench.datasets.label import find_label
from aucbench.datasets.located import source_of
from aucbench.datasets.manifest import verify
from aucbench.datasets.reading import Loading
from aucbench.datasets.sources import File, feature_names, least, with_names
from aucbench.datasets.table import Table, table_of
from aucbench.datasets.targets import class_names
from aucbench.errors import DataError, ParameterError, require_whole
from aucbench.stats.labels import counted, label_vector, several

_WHAT_HOLDS = {"b": "truth values", "f": "numbers", "i": "numbers", "u": "numbers"}


def stream(
    source: str | os.PathLike[str],
    *,
    rows: int = 10_000,
    positive: Any = None,
    negative: Any = None,
    drop: Sequence[str | int] = (),
    target: str | int | None = None,
    features: int | None = None,
    first_index: int | None = None,
) -> Iterator[Chunk]:
    """Read svmlight, CSV or Parquet in chunks of rows; memory does not grow with the file.

    The chunks together are the rows and labels that `load` returns. A chunk may lack a class,
    and so may the file, because large data come in several files. All chunks have the layout
    (dense or CSR) that is faster for the first one.

    Parameters
    ----------
    source, positive, negative, drop, target
        As for `load`. A compressed file is decompressed into a temporary file.
    rows : int
        Rows of a chunk; the last chunk may have fewer.
    features : int, optional
        The number d of features, for svmlight only. Without it, the file is first scanned for
        its largest index, and for an index 0, which shows that indices count from 0. With it,
        only the first chunk is searched for an index 0.
    first_index : 0 or 1, optional
        The index of the first feature, for svmlight only. Files that are learnt from one after the
        other count alike, also if an index 0 occurs in one of them only.

    Raises
    ------
    DataError, UnknownNameError, MissingExtraError
        As `load`, when the row at fault is reached. Also for npz and idx files, which only `load`
        reads.
    ParameterError
        When `rows` or `features` is not a whole number above 0, or `first_index` not 0 or 1.
    """
    require_whole(1, rows=rows, features=features)
    if first_index not in (None, 0, 1):
        raise ParameterError(f"first_index must be 0 or 1, got {first_index!r}")
    asked = Loading(positive=positive, negative=negative, drop=drop, target=target)
    origin = source_of(source)
    if not isinstance(origin, File) or origin.raw:
        raise DataError(f"{origin} is no file of its own; read it with load")
    path = origin.path
    ending = _ending(path)
    for name, value in (("features", features), ("first_index", first_index)):
        if value is not None and ending not in SVMLIGHT:
            raise DataError(
                f"{path}: {name}={value} is for svmlight, but the columns of a table are counted; "
                "leave it out"
            )
    names = feature_names(path)
    wanted = Wanted(target, least(path, names), features=features, first_index=first_index)
    named = (
        with_names(table, names).without(asked.left_out(origin.entry.drop))
        for table in _tables(path, wanted, rows)
    )
    return _chunks(
        named, path, _Joined(partial(class_names, asked.positive, asked.negative, origin.entry))
    )


def _ending(path: Path) -> str:
    """Return the ending that says the format of a file, which is read in chunks."""
    if name := changepoint.set_name(path):
        raise changepoint.no_labels(name)
    ending = reader_of(path)
    if ending not in (*SVMLIGHT, *TEXT, PARQUET) or is_idx(path):
        raise DataError(
            f"{path} cannot be read in chunks; use load, or convert it to svmlight, CSV or Parquet"
        )
    if not path.stat().st_size:
        raise DataError(f"{path} is empty; give a file with data")
    return ending


def _tables(path: Path, wanted: Wanted, rows: int) -> Iterator[Table]:
    """Yield the rows of a file; the first ones decide which column of a table has the labels."""
    first = 0
    for batch in batches(path, wanted, rows):
        if wanted.target is None and batch.y is None:
            target = str(batch.X.columns[find_label(batch.X, None).at])
            wanted = replace(wanted, target=target)
        yield table_of(batch, wanted, first)
        first += batch.X.shape[0]


def _chunks(tables: Iterator[Table], path: Path, joined: _Joined) -> Iterator[Chunk]:
    verify(path)
    with naming(path):
        for table in tables:
            yield joined.chunk(table)
        if not joined.seen:
            raise DataError("there is no row in it; give a file with data")


@dataclass(slots=True)
class _Joined:
    """What the chunks of one file must have in common, and how many rows were read so far."""

    class_names: Callable[[Any], tuple[Any, Any]]
    seen: int = 0
    sparse: bool | None = None
    kinds: list[str] = field(default_factory=list)
    labels: Counter[Any] = field(default_factory=Counter)

    def chunk(self, table: Table) -> Chunk:
        """Check the next table as `load` would check it together with the tables before it."""
        try:
            self._compare_kinds(table)
            classes, alone = self._classes(table.y)
            checked = Chunk.of(table.X, table.y, positive=classes.positive)
        except DataError as error:
            last = self.seen + len(table.y) - 1
            raise DataError(f"rows {self.seen} to {last}: {error}") from error
        self.seen += checked.n
        codes = classes if alone else None
        return Chunk(self._laid_out(checked.rows), checked.y, codes)

    def _compare_kinds(self, table: Table) -> None:
        dtypes = [table.y.dtype, *getattr(table.X, "dtypes", ())]
        kinds = [_WHAT_HOLDS.get(getattr(dtype, "kind", "O"), "text") for dtype in dtypes]
        self.kinds = self.kinds or kinds
        for j, (before, now) in enumerate(zip(self.kinds, kinds, strict=True)):
            if before != now:
                what = f"column {table.X.columns[j - 1]!r}" if j else "the column of the labels"
                raise DataError(
                    f"{what} holds {now} here and {before} in the rows before; give one type"
                )

    def _classes(self, y: Any) -> tuple[Classes, bool]:
        """Return the labels of both classes so far, and whether no class has several labels."""
        positive, negative = self.class_names(y)
        self.labels.update(counted(label_vector(y)))
        chosen = several(positive)
        others = None if negative == REST else several(negative)
        every = dict.fromkeys([*(chosen or ()), *(others or ())], 0) | self.labels
        alone = negative != REST and all(len(named or [0]) == 1 for named in (chosen, others))
        if len(every) > 1:  # those that are named may come later
            return Classes.of(every, positive, negative), alone
        if chosen is None and others is None:
            side_of(y)  # refuses a label that is not -1, 0 or 1
            chosen = [label for label in every if label > 0]
        left = chosen or ()
        return Classes(
            tuple(label for label in every if label in left),
            tuple(label for label in every if label not in left),
        ), alone

    def _laid_out(self, X: arrays.Rows) -> arrays.Rows:
        if self.sparse is None:
            X = to_faster_layout(X)
            self.sparse = X.is_sparse
        if X.is_sparse == self.sparse:
            return X
        if X.is_sparse:
            return X.dense()
        from scipy.sparse import csr_array

        return arrays.rows(csr_array(X.matrix))
