"""Columns and rows of a table that often mean a mistake; each gives a warning.

Design
  a. The checks are for tables, whose columns have a meaning each. Pixels and words are not
     checked.
  b. Columns are first looked at in a sample of rows, so that a wide table costs little. Only
     what stands out there is computed from all rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.concordance import concordance

TELLING = 0.99  # AUC of one column above which it may be known only after the label
FEWEST = 20  # rows below which nothing is suspicious
FEWEST_KEYS = 100  # rows from which different whole numbers may be keys of rows
KEY_DIGITS = 5
SAMPLE = 20_000  # rows of the first look
DAY = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")  # YYYYMMDD

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A column that a warning is about."""

    column: int  # its position
    what: str  # what is strange, in a few words


def suspects(frame: Any, positive: Mask) -> Iterator[Suspect]:
    """Yield the columns of a data frame that often mean a mistake.

    They are constant, different in every row, hold days as numbers, or tell the label alone.
    """
    if len(frame) < FEWEST:
        return
    sample = _sample(positive)
    for j in range(frame.shape[1]):
        if what := _strange(frame.iloc[:, j], positive, sample):
            yield Suspect(j, what)


def repeated_rows(frame: Any) -> int:
    """Return how many rows of a data frame occur earlier in it."""
    return int(frame.duplicated().sum())


def is_sorted(positive: Mask) -> bool:
    """Return whether all rows of one class come before all rows of the other."""
    return positive.size >= FEWEST and int(np.count_nonzero(np.diff(positive))) == 1


def _sample(positive: Mask) -> NDArray[np.intp]:
    """Return numbers of rows: all, or at most half of SAMPLE from each class."""
    if positive.size <= SAMPLE:
        return np.arange(positive.size)
    rng = np.random.default_rng(0)
    classes = (np.flatnonzero(positive == side) for side in (False, True))
    drawn = [rng.permutation(rows)[: SAMPLE // 2] for rows in classes]
    return np.sort(np.concatenate(drawn))


def _strange(column: Any, positive: Mask, sample: NDArray[np.intp]) -> str:
    values = column.iloc[sample]
    distinct = values.nunique(dropna=False)
    if distinct == 1 and column.nunique(dropna=False) == 1:
        return "constant"
    whole = _is_whole(values)
    key = _is_text(values) or (whole and _may_be_key(column))
    if distinct == len(values) and key and column.is_unique:
        return "different in every row"
    if whole and all(map(DAY.fullmatch, map(str, values.dropna().unique()[:SAMPLE].astype(int)))):
        return "days as numbers, such as 20240131"
    if (found := _telling(values, positive[sample])) > TELLING:
        found = _telling(column, positive)
    return f"tells the label alone, with an AUC of {found:.3f}" if found > TELLING else ""


def _is_text(values: Any) -> bool:
    return getattr(values.dtype, "kind", "O") not in "fiubmM"


def _is_whole(values: Any) -> bool:
    kind = getattr(values.dtype, "kind", "O")
    if kind == "f":
        present = values.dropna().to_numpy()
        whole = np.isfinite(present) & (present == np.rint(present))
        return bool(present.size) and bool(whole.all())
    return kind in "iu"


def _may_be_key(column: Any) -> bool:
    """Return whether whole numbers look like those that count or name rows, not like amounts.

    They do if they ascend or descend, fill half of their range, or all have the same number of
    digits, at least five.
    """
    if len(column) < FEWEST_KEYS:
        return False
    low, high = float(column.min()), float(column.max())
    ordered = bool(column.is_monotonic_increasing or column.is_monotonic_decreasing)
    digits = len(str(int(low))) == len(str(int(high))) >= KEY_DIGITS and low > 0
    return ordered or high - low < 2 * len(column) or digits


def _telling(column: Any, positive: Mask) -> float:
    """Return the larger of the AUC of a column and one minus it; missing cells are one level.

    The score of text is the share of positives among the other rows with the same text.
    """
    count = int(np.count_nonzero(positive))
    if _is_text(column):
        return concordance(positive, _share_of_others(column, positive), count)
    if column.dtype.kind in "mM":
        column = column.astype("int64")
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    auc = concordance(positive, np.where(np.isnan(numbers), -np.inf, numbers), count)
    return max(auc, 1.0 - auc)


def _share_of_others(column: Any, positive: Mask) -> NDArray[np.float64]:
    codes = column.factorize(use_na_sentinel=False)[0]
    many, plus = np.bincount(codes)[codes], np.bincount(codes, weights=positive)[codes]
    shares: NDArray[np.float64] = np.where(
        many > 1, (plus - positive) / np.maximum(many - 1, 1), positive.mean()
    )
    return shares
