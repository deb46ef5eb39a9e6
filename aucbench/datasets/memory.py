"""Tables in memory: data frames of pandas and polars, tables of pyarrow, and others like them.

They are read as a Parquet file is, so that a table has the same rows, features and warnings in a
file and in memory. All but those of pandas hand their columns over as Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Categories, Chunk
from aucbench.data.arrays import Rows, rows
from aucbench.data.inputs import check_rows
from aucbench.data.targets import Labels, label_places, ordered_classes
from aucbench.data.understood import Remark, Understood
from aucbench.datasets import arrow
from aucbench.datasets.catalogue import NOT_KNOWN, Entry
from aucbench.datasets.formats import Wanted
from aucbench.datasets.suspects import outliers_of_columns
from aucbench.datasets.table import Table, frame_table
from aucbench.datasets.tables import Schema, is_numeric
from aucbench.datasets.textfile import refuse_twins
from aucbench.errors import AucbenchError, DataError
from aucbench.stats.labels import counted
from aucbench.stats.vectors import plain

STREAM = "__arrow_c_stream__"  # how other libraries hand over a table


def is_table(one: Any) -> bool:
    """Return whether an object is a table with columns: of pandas, polars, pyarrow or their kin."""
    return (hasattr(one, "iloc") or hasattr(one, STREAM)) and hasattr(one, "columns")


def frame_of(table: Any) -> Any:
    """Return a table as a data frame of pandas whose columns have texts as names.

    Raises
    ------
    DataError
        When it has cells that are no single values, or a column name twice.
    MissingExtraError
        When it is no frame of pandas, and pyarrow is not installed.
    """
    if hasattr(table, "iloc"):
        names = [*map(str, table.columns)]
        refuse_twins(names)
        return table.set_axis(names, axis=1)
    library = arrow.pyarrow("reading a table that is no data frame of pandas")
    try:
        columns = library.table(table)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise DataError(
            f"the table cannot be read ({error}); turn it into a data frame of pandas"
        ) from error
    return arrow.frame_of_table(columns)


def numbered_frame(X: Any) -> Any:
    """Return a table or an array as a data frame; columns of an array have numbers as names."""
    if is_table(X):
        return frame_of(X)
    import pandas as pd

    array = plain("X", X)
    frame = pd.DataFrame(array, columns=[*map(str, range(array.shape[1]))])
    return frame.convert_dtypes() if array.dtype.kind == "O" else frame


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The features of rows in memory, without labels.

    Attributes
    ----------
    rows : Rows
        Numbers; with a schema its codes.
    names : tuple of str, or None
    schema : Schema or None
        Of a table with text, dates or missing cells.
    remarks : tuple of Remark
        How cells were understood, and which columns have outliers.
    """

    rows: Rows
    names: tuple[str, ...] | None
    schema: Schema | None = None
    remarks: tuple[Remark, ...] = ()


def read_features(X: Any, schema: Schema | None = None) -> Features:
    """Read a table, an array or a sparse matrix of features.

    Parameters
    ----------
    X : table, array or sparse matrix of shape (n, d)
        An array with text or missing cells is a table whose columns have numbers as names.
    schema : Schema, optional
        Of the table that the rows are like.

    Raises
    ------
    DataError, TypeError
        As `require_matrix`; when a number is infinite, a cell of a sparse matrix is missing, or a
        cell is not what the schema says.
    """
    require_matrix(X)
    if schema is not None:
        frame = numbered_frame(X)
        schema = schema.bound(frame)
        return Features(rows(schema.codes(frame)), schema.names, schema)
    if not _needs_codes(X):
        checked, names = check_rows(frame_of(X) if is_table(X) else X)
        return Features(checked, names, remarks=(*outliers_of_columns(checked, names),))
    frame = numbered_frame(X)
    schema = Schema.of(frame)
    codes = rows(schema.codes(frame))
    kinds = [column.kind for column in schema.columns]
    remarks = (*schema.remarks, *outliers_of_columns(codes, schema.names, kinds))
    return Features(codes, schema.names, schema, remarks)


def _needs_codes(X: Any) -> bool:
    """Whether rows are no plain matrix of numbers; infinite ones are, and are refused as such."""
    if isinstance(X, Rows) or hasattr(X, "tocsr"):
        return False
    if is_table(X):
        return not is_numeric(frame_of(X))
    array = plain("X", X)
    if array.ndim != 2 or not array.size:
        return False
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            total = array.sum(dtype=np.float64)  # of halves, a sum in halves would overflow
        return bool(np.isnan(total)) and not np.isinf(array).any()
    texts = (isinstance(value, str) or value is None for value in array.flat)
    return array.dtype.kind in "UT" or (array.dtype.kind == "O" and any(texts))


def plain_rows(X: Any) -> Rows:
    """Return a table, an array or a sparse matrix of finite numbers as rows.

    Raises
    ------
    DataError, TypeError
        As `require_matrix`, and when a cell is no finite number.
    """
    require_matrix(X)
    return check_rows(frame_of(X) if is_table(X) else X)[0]


def require_matrix(X: Any) -> None:
    """Check the shape and the type of an array, as scikit-learn does and with its sentences.

    Raises
    ------
    DataError
        When it is no matrix, or of complex numbers.
    TypeError
        When an object is neither a number nor a text.
    """
    if isinstance(X, Rows) or is_table(X) or hasattr(X, "tocsr"):
        return
    from sklearn.utils import check_array

    array = plain("X", X)
    with as_data_error():
        check_array(array, dtype=None, ensure_all_finite=False)
        if array.dtype.kind == "O" and not any(isinstance(value, str) for value in array.flat):
            array.astype(np.float64)


def label_array(y: Any) -> NDArray[Any]:
    """Return labels as a vector; numbers that came as objects have their own type.

    Raises
    ------
    DataError
        With the sentence of scikit-learn, when they are no vector of labels.
    """
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    y = plain("y", y)
    typed = np.array(y.tolist()) if y.dtype.kind == "O" else y
    with as_data_error():
        labels: NDArray[Any] = column_or_1d(typed if typed.dtype.kind in "biuf" else y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    return labels


def labelled(X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return rows and their labels, which come either with a `Chunk` or in y; as `label_array`."""
    if (y is None) != isinstance(X, Chunk):
        raise DataError("pass rows with their labels y, or a Chunk, which has them, without y")
    return (X.rows, X.labels) if isinstance(X, Chunk) else (X, label_array(y))


def read_labels(y: Any, pos_label: Any = None) -> tuple[Labels | Categories, Understood]:
    """Return labels of classes as a target, and the label of each class.

    Parameters
    ----------
    y : array of shape (n,)
    pos_label : label, optional
        As of `ordered_classes`.

    Raises
    ------
    DataError
        When y is missing, or as `label_array` and `ordered_classes`.
    """
    if y is None:
        raise DataError("the estimator requires y to be passed, but the target y is None")
    labels = label_array(y)
    classes = ordered_classes(counted(labels), pos_label)
    places = label_places(labels, classes)
    if len(classes) == 2:
        known = Understood(negative=classes[:1], positive=classes[1:])
        return Labels.of_mask(places == 1), known
    return Categories(places, np.array([*map(str, classes)])), Understood(labels=classes)


@contextmanager
def as_data_error() -> Iterator[None]:
    """Turn an error about a value into a `DataError` with the same sentence."""
    try:
        yield
    except AucbenchError:
        raise
    except (ValueError, OverflowError) as error:
        raise DataError(str(error)) from error


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A table in memory, as a source of rows."""

    frame: Any  # of pandas
    what: str = "the table"
    entry: Entry = NOT_KNOWN

    def __str__(self) -> str:
        return self.what

    def table(self, wanted: Wanted) -> Table:
        """Divide it into features and labels."""
        if wanted.separator is not None:
            raise DataError(
                f"separator={wanted.separator!r} is for text files with cells; leave it out"
            )
        frame = self.frame.reset_index(drop=True)
        return frame_table(frame, wanted, named=True)
