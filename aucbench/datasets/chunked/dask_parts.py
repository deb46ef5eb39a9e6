"""Rows in collections of dask, arrays and data frames: each partition is a part on its worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import rows
from aucbench.data.inputs import SINGLE
from aucbench.data.targets import Classes
from aucbench.data.understood import Understood
from aucbench.errors import DataError, MissingExtraError, ParameterError
from aucbench.scale.parts import Columns, Piece
from aucbench.stats.labels import counted, label_vector, shown_labels, usual

FITS = 0.6  # of the memory of a cluster, which a collection may take
MOST_LABELS = 1000  # different ones


@dataclass(frozen=True, eq=False)
class CollectionParts:
    """Partitions of a collection, each held by a worker.

    Attributes
    ----------
    partitions : tuple of Future
        The pieces of each partition, as a list with one tuple.
    sizes : tuple of int
    d : int
    names : tuple of str, or None
    understood : Understood
        The labels of both classes.
    fingerprint : str
    engine : Dask
        Asks the workers.
    """

    partitions: tuple[Any, ...]
    sizes: tuple[int, ...]
    d: int
    names: tuple[str, ...] | None
    understood: Understood
    fingerprint: str
    engine: Any

    encoding = None
    n = property(lambda self: sum(self.sizes))

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i, which leave their worker for it.

        Raises
        ------
        DataError
            When it was pickled since, or its cluster is gone.
        """
        if not self.partitions:
            raise DataError("the rows of a collection stay with the process that has fitted them")
        yield from self.partitions[i].result()[0]

    def labels(self, i: int) -> NDArray[np.int8]:
        """Return the labels of part i; raises as `read`."""
        return np.concatenate([np.empty(0, np.int8), *(piece.y for piece in self.read(i))])

    def where(self, i: int, row: int) -> str:
        """Return the partition and the row."""
        return f"partition {i}, row {row}"

    def __reduce__(self) -> Any:
        """Pickle it without rows and cluster: a fitted estimator keeps what it has learnt from."""
        known = (self.sizes, self.d, self.names, self.understood, self.fingerprint)
        return CollectionParts, ((), *known, None)


def is_collection(X: Any) -> bool:
    """Return whether X is an array or data frame of dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def open_collection(X: Any, y: Any, *, client: Any = None) -> CollectionParts:
    """Return the rows of a collection as parts, which workers keep.

    Parameters
    ----------
    X : dask array of shape (n, d), or dask data frame of numbers
        Its chunks of rows are the parts; few large ones are faster.
    y : dask array of shape (n,), dask series, or str
        Two labels; or the column of X that has them.
    client : distributed.Client, optional
        None: the one in use, as dask-ml and xgboost take it.

    Raises
    ------
    DataError
        When partitions differ, labels are not two, or a column holds text.
    ParameterError
        When there is no client.
    """
    client = client or _client()
    X, y = _with_target(X, y)
    columns = [_partitions(one) for one in (X, y)]
    if len(columns[0]) != len(columns[1]):
        raise DataError(
            f"X has {len(columns[0])} partitions, y has {len(columns[1])}; give them the same ones"
        )
    if hasattr(X, "chunks"):  # an array knows its size before it is computed
        _require_room(client, X.nbytes)
    futures = [client.compute(column) for column in columns]
    blocks = [*zip(*futures, strict=True)]
    partitions = client.gather([client.submit(about, *block, pure=False) for block in blocks])
    sizes, d, names, counts = _joined(partitions)
    _require_room(client, sum(sizes) * d * np.dtype(np.float32).itemsize)
    understood = _sides(counts)
    signs = dict.fromkeys(understood.negative, -1) | dict.fromkeys(understood.positive, 1)
    held = tuple(
        client.submit(piece_of, i, signs, *block, pure=False) for i, block in enumerate(blocks)
    )
    from aucbench.scale.dask import Dask

    name = f"dask-{uuid4().hex}"
    return CollectionParts(held, sizes, d, names, understood, name, Dask(client))


def about(X: Any, y: Any) -> tuple[int, int, Any, dict[Any, int]]:
    """Return the rows, the columns, their names and the labels of a partition."""
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
    if names is not None:
        texts = [str(name) for name, kind in X.dtypes.items() if _kind(kind) not in "biuf"]
        if texts:
            raise DataError(
                f"column {texts[0]!r} holds no numbers; encode it first, or leave it out"
            )
    elif X.ndim != 2 or X.dtype.kind not in "biuf":
        raise DataError(
            f"X has the shape {X.shape} and the type {X.dtype}; give a matrix of numbers"
        )
    if X.shape[0] != len(y):
        raise DataError(f"a partition has {X.shape[0]} rows and {len(y)} labels; align them")
    counts = counted(label_vector(np.asarray(y))) if len(y) else {}
    if len(counts) > MOST_LABELS:
        raise DataError(f"y has more than {MOST_LABELS} different values, which are no labels")
    return X.shape[0], X.shape[1], names, counts


def _kind(dtype: Any) -> str:
    return getattr(getattr(dtype, "numpy_dtype", dtype), "kind", "O")


def piece_of(i: int, signs: dict[Any, int], X: Any, y: Any) -> list[tuple[Piece, ...]]:
    """Return the pieces of partition i, as workers hold them."""
    if not len(y):
        return [()]
    labels, sides = label_vector(np.asarray(y)), np.zeros(len(y), np.int8)
    for label, sign in signs.items():
        sides[labels == label] = sign
    if hasattr(X, "columns"):
        columns = (X.iloc[:, j].to_numpy(dtype=_stored(X.dtypes.iloc[j]), na_value=np.nan)
                   for j in range(X.shape[1]))  # fmt: skip
        return [(Piece(Columns(tuple(map(np.ascontiguousarray, columns))), sides, part=i),)]
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    return [(Piece(rows(X, _stored(X.dtype)), sides, part=i),)]


def _stored(dtype: Any) -> Any:
    plain = getattr(dtype, "numpy_dtype", dtype)
    return np.float32 if plain in SINGLE else np.float64


def _joined(partitions: Sequence[Any]) -> tuple[tuple[int, ...], int, Any, dict[Any, int]]:
    sizes, widths, names, labels = zip(*partitions, strict=True)
    if len({*zip(widths, names, strict=True)}) > 1:
        raise DataError("partitions have different columns; give the same ones in all")
    counts: dict[Any, int] = {}
    for own in labels:
        for label, count in own.items():
            counts[label] = counts.get(label, 0) + count
    return sizes, widths[0], names[0], counts


def _sides(counts: dict[Any, int]) -> Understood:
    """Return both classes: of two labels the usual positive one, else the larger one."""
    labels = sorted(counts, key=lambda label: (str(type(label)), label))
    if len(labels) != 2:
        raise DataError(
            f"the labels are {shown_labels(counts, labels)}; rows in a collection need two, "
            "so write the others as one of these classes"
        )
    classes = Classes.of(counts, usual(labels) or labels[-1:])
    return Understood(positive=classes.positive, negative=classes.negative)


def _client() -> Any:
    try:
        from distributed import get_client
    except ImportError as error:
        raise MissingExtraError("fitting a collection of dask", "dask") from error
    try:
        return get_client()
    except ValueError as error:
        raise ParameterError(
            "there is no client of dask; make one first, as distributed.Client(ADDRESS)"
        ) from error


def _with_target(X: Any, y: Any) -> tuple[Any, Any]:
    if not isinstance(y, str):
        return X, y
    if y not in getattr(X, "columns", ()):
        raise DataError(f"there is no column {y!r} in X; give y, or the name of its column")
    return X.drop(columns=[y]), X[y]


def _partitions(one: Any) -> list[Any]:
    """Return the partitions of a collection, those of an array with all their columns."""
    if not is_collection(one):
        raise DataError(
            f"X is a collection of dask, and y is {type(one).__name__}; make it "
            "one with the same partitions"
        )
    if hasattr(one, "columns") or not hasattr(one, "rechunk"):
        return [*one.to_delayed()]
    whole = one.rechunk(dict.fromkeys(range(1, one.ndim), -1)) if one.ndim > 1 else one
    return [*whole.to_delayed().ravel()]


def _require_room(client: Any, size: float) -> None:
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    if all(limits) and size > FITS * sum(limits):
        raise DataError(
            f"the collection has {size / 1e9:.3g} GB, and the workers together may take "
            f"{FITS * sum(limits) / 1e9:.3g} GB of rows; write it as Parquet (to_parquet) and fit "
            "that folder, which is read again and again"
        )


def map_rows(function: Any, X: Any, dtype: Any, width: int | None = None) -> Any:
    """Return function(partition) of all partitions, as a lazy collection like X.

    Parameters
    ----------
    function : callable
        Returns one value for each row of a matrix or a data frame of pandas, or `width` of them.
    X : collection
    dtype : dtype
        Of the values.
    width : int, optional
        Columns of the values.
    """
    if hasattr(X, "columns"):
        return X.map_partitions(_of_frame, function, dtype, width, meta=_meta(X, dtype, width))
    whole = X.rechunk({1: -1})
    if width is None:
        return whole.map_blocks(function, dtype=dtype, drop_axis=1, meta=np.empty(0, dtype))
    chunks = (whole.chunks[0], (width,))
    return whole.map_blocks(function, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))


def _meta(X: Any, dtype: Any, width: int | None) -> Any:
    import pandas as pd

    index = X._meta.index
    if width is None:
        return pd.Series(np.empty(0, dtype), index=index)
    return pd.DataFrame(np.empty((0, width), dtype), index=index)


def _of_frame(frame: Any, function: Any, dtype: Any, width: int | None) -> Any:
    import pandas as pd

    shape = (len(frame),) if width is None else (len(frame), width)
    values: NDArray[Any] = function(frame) if len(frame) else np.empty(shape, dtype)
    return (pd.Series if width is None else pd.DataFrame)(values, index=frame.index)
