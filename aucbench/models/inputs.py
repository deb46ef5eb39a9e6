"""What a user hands to the estimator, checked as scikit-learn does, with our errors.

Design
  a. Text, dates and missing cells become codes, as in `fit`. An array with missing or other cells
     is a table whose columns have numbers as names.
  b. A `Chunk` says how its file writes both labels. So a model that learnt from chunks knows the
     labels of the user, and that one of them is positive, however they are sorted.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from aucbench.data import Categories, Chunk, Data
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.inputs import check_rows, require_filled
from aucbench.data.row_roles import numbered
from aucbench.data.targets import Classes, counted, shown_labels, usual
from aucbench.data.understood import Remark, by_kind
from aucbench.datasets.memory import frame_of, is_table
from aucbench.datasets.suspects import outliers_of_columns
from aucbench.datasets.tables import Schema, is_numeric
from aucbench.errors import AucbenchError, DataError, one_class
from aucbench.kernels.vectors import floats, plain

LAST = "last"  # as `pos_label`: the larger label, which functions of scikit-learn take
SIGNS = Classes(positive=(1,), negative=(-1,))


def is_parts(X: Any) -> bool:
    """Whether X is rows in parts, see `aucbench.scale.Parts`."""
    return all(hasattr(X, name) for name in ("read", "sizes", "fingerprint"))


@contextmanager
def as_data_error() -> Iterator[None]:
    """Turn a `ValueError` of scikit-learn into a `DataError` with the same sentence."""
    try:
        yield
    except AucbenchError:
        raise
    except ValueError as error:
        raise DataError(str(error)) from error


def rows_of(X: Any) -> tuple[Rows, tuple[str, ...] | None]:
    """Return rows and names of columns, as `check_rows`.

    Raises
    ------
    DataError
        As `check_rows`, and when X is not a matrix.
    TypeError
        When an object is no number, with the sentence of Python, as scikit-learn asks for.
    """
    if not isinstance(X, Rows) and not hasattr(X, "columns") and not hasattr(X, "tocsr"):
        array = plain("X", X)
        with as_data_error():
            check_array(array, dtype=None, ensure_all_finite=False)
        if array.dtype.kind == "O":
            for value in array.flat:
                float(0 if isinstance(value, Number | str | bytes | None) else value)
    return check_rows(X)


def remember_columns(estimator: Any, X: Any) -> None:
    """Set `n_features_in_`, and `feature_names_in_` where the columns have names."""
    if isinstance(X, Rows) or is_parts(X):
        estimator.n_features_in_ = X.d
        estimator.__dict__.pop("feature_names_in_", None)
        if (names := getattr(X, "names", None)) is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    else:
        validate_data(estimator, X, skip_check_array=True, reset=True)


def require_columns(estimator: Any, X: Any) -> None:
    """Check number, names and order of columns against those of the fit.

    Raises
    ------
    DataError
        With the sentence of scikit-learn.
    """
    if isinstance(X, Rows):
        if X.d != estimator.n_features_in_:
            raise DataError(
                f"X has {X.d} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input"
            )
        return
    with as_data_error():
        validate_data(estimator, X, skip_check_array=True, reset=False)


def labels_of(y: Any, pos_label: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the classes and the label of each row; of two classes, the positive one is last.

    Raises
    ------
    DataError
        When y is missing, is no vector of labels, has one class, or as `ordered`.
    """
    if y is None:
        raise DataError(
            "AUCClassifier requires y to be passed, but the target y is None; give the label of "
            "each row"
        )
    with as_data_error():
        y = column_or_1d(_own_type(plain("y", y)), warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
    classes = np.unique(y)
    if classes.size < 2:
        raise one_class(y.size, repr(next(iter(classes.tolist()), None)))
    if classes.size > 2:
        return unordered(classes, pos_label), y
    return ordered(classes, pos_label, counted(y)), y


def _own_type(y: NDArray[Any]) -> NDArray[Any]:
    """Return numbers and truth values that came as objects in the type that they have."""
    typed = np.array(y.tolist()) if y.dtype.kind == "O" else y
    return typed if typed.dtype.kind in "biuf" else y


def unordered(classes: NDArray[Any], pos_label: Any) -> NDArray[Any]:
    """Return three or more classes; refuse a `pos_label`, which is for two."""
    if pos_label is not None and not (isinstance(pos_label, str) and pos_label == LAST):
        raise DataError(
            f"pos_label={pos_label!r} says which of two classes is positive, and y has "
            f"{classes.size} classes; leave it out"
        )
    return classes


def ordered(classes: NDArray[Any], pos_label: Any, counts: Mapping[Any, int]) -> NDArray[Any]:
    """Return two sorted classes, the positive one last.

    Raises
    ------
    DataError
        When `pos_label` is none of them; when it is None, and labels do not say which is positive.
    """
    labels = classes.tolist()
    if pos_label is None:
        positive = next(iter(usual(labels) or ()), None)
    else:
        asked = pos_label.item() if hasattr(pos_label, "item") else pos_label
        positive = labels[-1] if asked == LAST and LAST not in labels else asked
    if positive is None:
        rare = min(labels, key=lambda label: counts.get(label, 0))
        raise DataError(
            f"the labels are {shown_labels(counts, labels)}; say which is positive, for example "
            f"pos_label={rare!r}, or pos_label={LAST!r} for the larger one"
        )
    if positive not in labels:
        known, usual_ones = shown_labels(counts, labels), {*labels} == {0, 1}
        way = f"; what hands over labels as 0 and 1, as cross_val_predict, takes y == {pos_label!r}"
        raise DataError(
            f"pos_label={pos_label!r} is no label: the labels are {known}{way * usual_ones}"
        )
    return classes if positive == labels[-1] else classes[::-1]


def weights_of(sample_weight: Any, n: int) -> Vector | None:
    """Return the weights of n rows; None where all are equal, which is the same as none.

    Raises
    ------
    DataError
        When they are not n finite numbers of at least 0, or all are 0.
    """
    if sample_weight is None:
        return None
    with as_data_error():
        weights = column_or_1d(floats("sample_weight", sample_weight))
        assert_all_finite(weights, input_name="sample_weight")
    if weights.size != n:
        raise DataError(
            f"X has {n} rows but sample_weight has {weights.size} numbers; give one per row"
        )
    if weights.min() < 0 or weights.max() == 0:
        raise DataError("sample_weight has a number below 0, or only zeros; give weights above 0")
    return None if weights.min() == weights.max() else weights


def data_of(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    schema: Schema | None = None,
    groups: Any = None,
) -> tuple[Data, NDArray[Any]]:
    """Return the rows with labels -1 and 1, and the classes; the second one is positive.

    Of three or more classes, the rows have `Categories`, numbered in the order of the classes.

    Rows of weight 0 are left out. A table with text, dates or missing cells becomes codes, by
    `schema` where that is known.

    Raises
    ------
    DataError, TypeError
        As `rows_of`, `labels_of` and `weights_of`, and when X, y and groups differ in length.
    """
    rows, names, schema = rows_and_schema(X, schema)
    require_filled(rows)
    classes, labels = labels_of(y, pos_label)
    if labels.size != rows.n:
        raise DataError(
            f"X has {rows.n} rows but y has {labels.size} labels; give one label per row"
        )
    weights, group = weights_of(sample_weight, rows.n), numbered("groups", groups, rows.n)
    if weights is not None:
        weighty = np.flatnonzero(weights).astype(np.int32)
        rows, labels, weights = rows.take(weighty), labels[weighty], weights[weighty]
        group = None if group is None else group[weighty]
    data = Data.of(rows, _target_of(labels, classes), weights=weights, groups=group)
    return replace(data, names=names, schema=schema), classes


def _target_of(labels: NDArray[Any], classes: NDArray[Any]) -> Any:
    """Return -1 and 1 for two classes, the second of which is positive; else `Categories`."""
    if classes.size == 2:
        return np.where(labels == classes[1], np.int8(1), np.int8(-1))
    numbers = np.searchsorted(classes, labels).astype(np.int32)
    target = Categories(numbers, np.array([*map(str, classes.tolist())]))
    target.require_pairs()
    return target


def rows_and_schema(
    X: Any, schema: Schema | None = None
) -> tuple[Rows, tuple[str, ...] | None, Schema | None]:
    """Return rows, names of columns, and the schema of a table with more than numbers."""
    if schema is not None:
        codes, schema = coded(X, schema)
        return rows(codes), schema.names, schema
    if (frame := table_of(X)) is None:
        table, names = rows_of(X)
        warn_of_outliers(outliers_of_columns(table, names))
        return table, names, None
    schema = Schema.of(frame)
    for column in schema.columns:
        if column.remark:
            warnings.warn(column.remark, stacklevel=2)
        if column.kind == "text":
            told = f"column {column.name!r} holds free text, which is read as hashed words"
            warnings.warn(f"{told}; leave the column out if it tells nothing", stacklevel=2)
    codes = rows(schema.codes(frame))
    kinds = [column.kind for column in schema.columns]
    warn_of_outliers(outliers_of_columns(codes, schema.names, kinds))
    return codes, schema.names, schema


def warn_of_outliers(remarks: Iterable[Remark]) -> None:
    """Warn of columns with outliers, in one line for several."""
    for line in by_kind([*remarks]):
        warnings.warn(line, stacklevel=2)


def raw_rows(X: Any, schema: Schema | None) -> tuple[Rows, Schema | None]:
    """Return rows to score, and the schema with their free texts.

    They are codes where the fit has learnt from a table, else numbers.
    """
    if schema is None or isinstance(X, Rows):
        return rows_of(X)[0], schema
    codes, schema = coded(X, schema)
    return rows(codes), schema


def plain_frame(X: Any) -> Any:
    """Return a table of polars or pyarrow as one of pandas; anything else as it is."""
    return frame_of(X) if is_table(X) and not hasattr(X, "iloc") else X


def plain_column(y: Any) -> Any:
    """Return a column of polars or pyarrow as an array; anything else as it is."""
    own = hasattr(y, "to_numpy") and not hasattr(y, "iloc") and not hasattr(y, "columns")
    return np.asarray(y) if own else y


def table_of(X: Any) -> Any:
    """Return rows as a frame where they are no plain matrix of finite numbers; else None.

    Numbers that are infinite are no table: who takes the matrix says where they are.
    """
    if isinstance(X, Rows) or hasattr(X, "tocsr"):
        return None
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return None if is_numeric(X) else frame_of(X)
    array = plain("X", X)
    if array.ndim != 2 or not array.size or not _has_gaps(array):
        return None
    import pandas as pd

    frame = pd.DataFrame(array, columns=[*map(str, range(array.shape[1]))])
    return frame.convert_dtypes() if array.dtype.kind == "O" else frame


def coded(X: Any, schema: Schema) -> tuple[Any, Schema]:
    """Return the codes of rows by a schema that is known, and the schema with their free texts."""
    frame = table_of(X)
    if frame is None:
        import pandas as pd

        table = hasattr(X, "iloc")
        names = None if table else [*map(str, range(np.shape(X)[1]))]
        frame = frame_of(X) if table else pd.DataFrame(plain("X", X), columns=names)
    schema = schema.bound(frame)
    return schema.codes(frame), schema


def _has_gaps(array: Any) -> bool:
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            total = array.sum(dtype=np.float64)  # of halves, a sum in halves would overflow
        return bool(np.isnan(total)) and not np.isinf(array).any()
    if array.dtype.kind in "UT":
        return True
    texts = (isinstance(value, str) or value is None for value in array.flat)
    return array.dtype.kind == "O" and any(texts)


def require_one_source(X: Any, y: Any) -> None:
    """Raise `DataError` unless labels come either with a `Chunk` or beside the rows."""
    if (y is None) != isinstance(X, Chunk):
        raise DataError("pass rows with their labels y, or a Chunk, which has them, without y")


def announced(
    X: Any, y: Any, classes: Any, known: NDArray[Any] | None, pos_label: Any = None
) -> NDArray[Any]:
    """Return the labels, of two the positive one last, when no others came now.

    Parameters
    ----------
    X, y : rows with their labels, or Chunk and None
    classes : array of labels, or None
        Those that the user announces.
    known : array of labels, or None
        Those of the calls before.
    pos_label : label, optional
        The positive one; a `Chunk` says it by itself.

    Raises
    ------
    DataError
        When there is one label only, another one, or one of the other class than before; as
        `ordered`.
    """
    here = _listed(_classes_of(X)) if isinstance(X, Chunk) else np.unique(plain("y", y)).tolist()
    named = here if classes is None else np.unique(plain("classes", classes)).tolist()
    if known is None:
        if len(named) < 2:
            raise DataError(
                f"there are {len(named)} labels at the first call and AUC needs two or more; name "
                "them by classes= when the first chunk lacks one"
            )
        _refuse_strange(here, np.array(named), "the first call announced", "announce it too")
        known = _first_known(X, np.array(sorted(named)), pos_label, counted(plain("y", y)))
    _refuse_strange(
        [*here, *named], known, "the first call announced", "a new AUCClassifier takes others"
    )
    if isinstance(X, Chunk):
        _require_same_sides(X, known)
    return known


def labelled(known: NDArray[Any], X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return rows, and their labels as the classes of a model, `known`, have them.

    Raises
    ------
    DataError
        When a label is not one of the model, or has the other class in a `Chunk`.
    """
    require_one_source(X, y)
    if isinstance(X, Chunk):
        here, rows = _listed(_classes_of(X)), X.rows
        _require_same_sides(X, known)
        labels = known[(X.y > 0).astype(np.intp)]
    else:
        with as_data_error():
            labels = column_or_1d(_own_type(plain("y", y)))
        here, rows = [*counted(labels)], X
    _refuse_strange(here, known, "the model knows", "give labels as it was given them")
    return rows, labels


def _first_known(
    X: Any, named: NDArray[Any], pos_label: Any, counts: dict[Any, int]
) -> NDArray[Any]:
    """Return the labels of the first call; of two, the positive one is last."""
    if named.size > 2:
        return unordered(named, pos_label)
    if not isinstance(X, Chunk) or pos_label is not None:
        return ordered(named, pos_label, counts)
    return named[::-1] if _against(named.tolist(), _classes_of(X)) else named


def _classes_of(chunk: Chunk) -> Classes:
    return chunk.classes or SIGNS


def _listed(classes: Classes) -> list[Any]:
    return [*classes.negative, *classes.positive]


def _against(labels: Any, classes: Classes) -> bool:
    """Whether one of (negative, positive) is in the other class."""
    return labels[0] in classes.positive or labels[1] in classes.negative


def _refuse_strange(labels: list[Any], known: NDArray[Any], which: str, way_out: str) -> None:
    if strange := {*labels} - {*known.tolist()}:
        raise DataError(
            f"there is a label {min(strange, key=str)!r} and {which} {known.tolist()}; {way_out}"
        )


def _require_same_sides(chunk: Chunk, known: NDArray[Any]) -> None:
    if _against(known.tolist(), _classes_of(chunk)):
        raise DataError(
            f"the positive label of the model is {known.tolist()[1]!r}, and in this chunk it is "
            "the negative one; read the file with the same positive="
        )
