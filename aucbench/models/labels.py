"""The labels that `partial_fit` and `score` are given, against those that the model knows.

A `Chunk` says how its file writes both labels. So a model that learnt from chunks knows the labels
of the user, and that one of them is positive, however they are sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from aucbench.data import Chunk
from aucbench.data.targets import Classes, counted
from aucbench.errors import DataError
from aucbench.kernels.vectors import plain
from aucbench.models.inputs import as_data_error, ordered, unordered

SIGNS = Classes(positive=(1,), negative=(-1,))


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
            labels = column_or_1d(plain("y", y))
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
