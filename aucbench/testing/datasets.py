"""Laws of data sets. What is checked is a function that returns `Data`, or the `Data`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from aucbench.data import Categories, Data, Grades, Labels, Survival
from aucbench.data.arrays import Vector
from aucbench.data.columns import column_entries
from aucbench.data.data import ties_of
from aucbench.data.sound import unsound
from aucbench.datasets.tables import encode_table
from aucbench.testing.common import add_pickles
from aucbench.testing.elsewhere import run_elsewhere
from aucbench.testing.laws import Laws, not_asked, require
from aucbench.testing.samples import under_two_states
from aucbench.testing.traces import add_nothing_left

laws = Laws("datasets")
FEWEST = 20  # rows, of which a column may say much by chance
MOST = 4000  # rows that columns are looked at in
TELLING = 0.99  # AUC of a column that tells the label; the best genes tell leukemia with 0.989
TELLING_OF_TWO = 0.95  # of a column of two values
RISING = 0.95  # correlation of the ranks of a column with the rows


def made(source: Any) -> Data:
    """The data set, which can be computed with."""
    data: Data = source if isinstance(source, Data) else source()
    wrong = unsound(data)
    require(not wrong, f"it cannot be used: {wrong}")
    return data


@lru_cache(maxsize=1)
def loaded(source: Any) -> Data:
    """The data set, which is loaded once for several laws."""
    return made(source)


def _require_equal(what: str, one: Data, other: Data) -> None:
    require((one.n, one.d) == (other.n, other.d), f"{what}: {one.n} x {one.d} and {other.n} x "
            f"{other.d} rows")  # fmt: skip
    for a, b in zip(one.rows.stored_arrays, other.rows.stored_arrays, strict=True):
        same = a is b or np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
        require(same, f"{what}: the rows differ")
    require(type(one.target) is type(other.target), f"{what}: the targets differ")
    there = _arrays(other)
    for name, array in _arrays(one).items():
        same = name in there and np.array_equal(array, there[name])
        require(same, f"{what}: the {name} of the target or of the rows differ")


def _arrays(data: Data) -> dict[str, Any]:
    """What is to be predicted, and what binds rows together."""
    known = {**vars(data.target), **ties_of(data)}
    return {name: array for name, array in known.items() if isinstance(array, np.ndarray)}


add_nothing_left(laws, made)


@laws("exact")
def returns_data(source: Any) -> None:
    """It returns `Data`, made by `Data.of`, which checks rows and labels."""
    data = loaded(source)
    require(data.n >= 2, f"it has {data.n} rows of {data.d} columns")


@laws("exact")
def repeatable(source: Any) -> None:
    """Two calls return the same, whatever the global generators are set to."""
    if isinstance(source, Data):
        not_asked("it is Data already")
    _require_equal("two calls", *under_two_states(lambda: made(source)))


@laws("exact")
def another_process(source: Any) -> None:
    """Another process, in which a set of texts has another order, loads the same."""
    if isinstance(source, Data):
        not_asked("it is Data already")
    here, there = hashes(source), run_elsewhere(f"{__name__}:{hashes.__name__}", source)
    require(here == there, "another process has loaded other rows or labels; do not let the order "
            "of a set, of files or an address decide")  # fmt: skip


def hashes(source: Any) -> list[str]:
    """Hashes of the rows and of the target."""
    data = loaded(source)
    arrays = [*data.rows.stored_arrays[:3], *_arrays(data).values()]
    return [blake2b(a.tobytes()).hexdigest() for a in arrays if isinstance(a, np.ndarray)]


@laws("an AUC of 0.99, of a column of two values 0.95")
def no_label_among_features(source: Any) -> None:
    """No column tells the label by its rank or its values: it would be known after the label only.

    If it is known before, say so in `expected_failures`.
    """
    data = _looked_at(loaded(source))
    for what, true in _sides(data):
        for j, column in _columns(data, min(true.sum(), (~true).sum())):
            distinct, codes = np.unique(column, return_inverse=True)
            told = _tells(true, column, codes)
            enough = TELLING if distinct.size > 2 else TELLING_OF_TWO
            if told >= enough and (told - 0.5) / _chance(true) >= np.sqrt(2 * np.log(2e3 * data.d)):
                require(False, f"column {j} tells {what}: alone it has an AUC of {told:.3f}")


def _looked_at(data: Data) -> Data:
    """Some of the rows in their order, as features."""
    if data.n < FEWEST:
        not_asked(f"it has less than {FEWEST} rows, where a column may tell the label by chance")
    some = np.linspace(0, data.n - 1, min(data.n, MOST)).astype(np.int32)
    return encode_table(data.take(some))


def _sides(data: Data) -> Iterator[tuple[str, Any]]:
    """Yield what divides the rows into two parts, and which of them are in the second one."""
    target = data.target
    if isinstance(target, Labels):
        yield "the label", data.y > 0
    elif isinstance(target, Categories):
        for k in range(target.k):
            yield f"class {target.names[k]!r}", target.y == k
    elif isinstance(target, Survival | Grades):
        values = target.time if isinstance(target, Survival) else target.y
        for share in (0.25, 0.5, 0.75):
            true = values > np.quantile(values, share)
            if 0 < true.sum() < true.size:
                yield "the target", true
    else:
        not_asked("its target are error functions")


def _columns(data: Data, stored: int) -> Iterator[tuple[int, Vector]]:
    """Yield the columns of at least so many numbers, which are not all equal."""
    filled = np.full(data.d, data.n)
    if data.rows.columns is not None:
        filled = np.bincount(data.rows.columns, minlength=data.d)
    for j in np.flatnonzero(filled >= TELLING_OF_TWO * stored):
        column = column_entries(data.rows, int(j))
        if column.min() < column.max():
            yield int(j), column


def _tells(true: Any, column: Vector, codes: Any) -> float:
    """The AUC of the column, or of the share of the other rows with its value that are true."""
    from aucbench.metrics import auc

    told = auc(true, column)
    count = np.bincount(codes)[codes]
    if 5 * (codes.max() + 1) > codes.size:
        return max(told, 1.0 - told)
    others = (np.bincount(codes, true)[codes] - true) / np.maximum(count - 1, 1)
    return max(told, 1.0 - told, float(auc(true, others)))


def _chance(true: Any) -> float:
    """The standard deviation of the AUC of a column that says nothing."""
    m, n = np.count_nonzero(true), np.count_nonzero(~true)
    return float(np.sqrt((m + n + 1) / (12.0 * m * n)))


@laws("a correlation of ranks of 0.95")
def no_row_number(source: Any) -> None:
    """No column rises or falls with the rows: a new row has another place.

    Such a column tells what the order of the rows tells, as that of a file which is sorted.
    """
    data = _looked_at(loaded(source))
    if data.times is not None:
        not_asked("its rows have times, in whose order they may be")
    for j, column in _columns(data, data.n // 2):
        ranks = np.unique(column, return_inverse=True)[1]
        if 2 * (ranks.max() + 1) > data.n:
            rising = abs(float(np.corrcoef(ranks, np.arange(data.n))[0, 1]))
            require(rising < RISING, f"column {j} is the number of the row: the correlation of its "
                    f"ranks with the rows is {rising:.3f}")  # fmt: skip


@laws("exact")
def can_be_divided(source: Any) -> None:
    """Its rows can be divided into training and test rows."""
    data = loaded(source)
    rest, out = data.split(0.3, np.random.default_rng(0))
    require(rest.n + out.n == data.n, f"{rest.n} and {out.n} rows of {data.n}")


add_pickles(laws, loaded, lambda data: data, _require_equal)
