"""Laws of data sets. What is checked is a function that returns `Data`, or the `Data`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from aucbench.data import Data, Labels
from aucbench.data.sound import unsound
from aucbench.testing.laws import Laws, not_asked, require
from aucbench.testing.samples import under_two_states
from aucbench.testing.traces import add_nothing_left

laws = Laws("datasets")


def made(source: Any) -> Data:
    """The data set, which can be computed with."""
    data: Data = source if isinstance(source, Data) else source()
    wrong = unsound(data)
    require(not wrong, f"it cannot be used: {wrong}")
    return data


def _require_equal(what: str, one: Data, other: Data) -> None:
    require((one.n, one.d) == (other.n, other.d), f"{what}: {one.n} x {one.d} and {other.n} x "
            f"{other.d} rows")  # fmt: skip
    for a, b in zip(one.rows.stored_arrays, other.rows.stored_arrays, strict=True):
        same = a is b or np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
        require(same, f"{what}: the rows differ")
    require(type(one.target) is type(other.target), f"{what}: the targets differ")
    if isinstance(one.target, Labels):
        require(np.array_equal(one.y, other.y), f"{what}: the labels differ")


add_nothing_left(laws, made)


@laws("exact")
def returns_data(source: Any) -> None:
    """It returns `Data`, made by `Data.of`, which checks rows and labels."""
    data = made(source)
    require(data.n >= 2, f"it has {data.n} rows of {data.d} columns")


@laws("exact")
def repeatable(source: Any) -> None:
    """Two calls return the same, whatever the global generators are set to."""
    if isinstance(source, Data):
        not_asked("it is Data already")
    _require_equal("two calls", *under_two_states(lambda: made(source)))


@laws("exact")
def no_label_among_features(source: Any) -> None:
    """No column is the label, or its opposite, under another name."""
    data = made(source)
    if not isinstance(data.target, Labels) or data.schema is not None:
        not_asked("it has no labels, or is a table")
    if data.n < 20:
        not_asked("it has less than 20 rows, where a column may be the label by chance")
    from aucbench.metrics import auc

    for j in range(data.d):
        column = data.scores(np.eye(1, data.d, j)[0])
        values = np.unique(column)
        if values.size == 2:
            ranked = auc(data.y, column)
            require(0.0 < ranked < 1.0, f"column {j} is the label: it has two values, one for "
                    "each class")  # fmt: skip


@laws("exact")
def can_be_divided(source: Any) -> None:
    """Its rows can be divided into training and test rows."""
    data = made(source)
    rest, out = data.split(0.3, np.random.default_rng(0))
    require(rest.n + out.n == data.n, f"{rest.n} and {out.n} rows of {data.n}")


@laws("exact")
def pickles(source: Any) -> None:
    """The data survive a pickle."""
    data = made(source)
    _require_equal("after a pickle", pickle.loads(pickle.dumps(data)), data)
