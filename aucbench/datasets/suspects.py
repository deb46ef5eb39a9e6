"""Columns of a table that often mean a mistake: leaks, numbers of rows, and constants.

A column is first looked at in a sample of rows, so that a wide table costs little. What is said of
a level is said of the shares of both classes that have it, which a sample by class keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.concordance import concordance
from aucbench.data.understood import Remark

TELLING = 0.99  # AUC of one column above which it may be known only after the label
NEARLY_TELLING = 0.95  # the same, less surely
CHANCE = 3.3  # standard deviations within which an AUC may be one by chance
FEWEST = 20  # rows below which nothing is suspicious
FEWEST_KEYS = 100  # rows from which different numbers may be keys of rows
KEY_DIGITS = 5
RISING = 0.95  # correlation of a column's ranks with the row from which it rises with it
SAMPLE = 20_000  # rows of the first look
LEVELS = 50  # different numbers that may be levels
# A level decides the label if a share of one class has it, and so many times fewer of the other.
DECIDED, TIMES = 0.1, 50.0
DECIDED_ROWS = 20
APART = 5.0  # times that a number decides more than its neighbours
EVIDENCE = 15.0  # nats by which the rows of a level differ from all rows
DAY = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")  # YYYYMMDD

Mask = NDArray[np.bool_]


def suspects(frame: Any, positive: Mask) -> Iterator[Remark]:
    """Yield a remark on each column that often means a mistake."""
    if len(frame) < FEWEST:
        return
    sample = _sample(positive)
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        strange = _strange(column, positive, sample)
        kind, what = strange or _deciding(column, positive)
        if kind:
            name = str(frame.columns[j])
            yield Remark(f"column {name!r} is suspicious: {what}", kind, name, what)


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


def _strange(column: Any, positive: Mask, sample: NDArray[np.intp]) -> tuple[str, str] | None:
    """Return the kind of what is strange about a column as a whole, and a few words."""
    values = column.iloc[sample]
    distinct = values.nunique(dropna=False)
    if distinct == 1 and column.nunique(dropna=False) == 1:
        return "constant", "constant"
    if distinct == len(values) and (why := _key(column, values)):
        return "id", why
    if is_whole(values) and are_days(values):
        return "days", "days as numbers, such as 20240131"
    if (auc := _telling(values, positive[sample])) > NEARLY_TELLING:
        auc = _telling(column, positive)
    if (auc - 0.5) / _chance(positive) < CHANCE:
        return None
    if auc > TELLING:
        return "leak", f"tells the label alone, with an AUC of {auc:.3f}"
    if auc > NEARLY_TELLING:
        return "leak", f"nearly tells the label alone, with an AUC of {auc:.3f}"
    return None


def _key(column: Any, values: Any) -> str:
    """Return why a column may name rows, or an empty text; its sample has no value twice."""
    different = "different in every row"
    if _is_text(values):
        return different if column.is_unique else ""
    if values.dtype.kind not in "fiu" or len(column) < FEWEST_KEYS:
        return ""
    rises = _rises(values)
    if not rises and not (is_whole(values) and _may_be_key(column)):
        return ""
    if not column.is_unique:  # the last question, because it takes longest
        return ""
    return f"{different}, in the order of the rows" if rises else different


def _rises(values: Any) -> bool:
    """Return whether numbers rise or fall with the row."""
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isnan(numbers).any():
        return False
    places = np.argsort(np.argsort(numbers))
    return bool(abs(np.corrcoef(places, np.arange(places.size))[0, 1]) > RISING)


def _is_text(values: Any) -> bool:
    return getattr(values.dtype, "kind", "O") not in "fiubmM"


def is_whole(values: Any) -> bool:
    """Return whether all values are whole numbers."""
    kind = getattr(values.dtype, "kind", "O")
    if kind == "f":
        present = values.dropna().to_numpy()
        whole = np.isfinite(present) & (present == np.rint(present))
        return bool(present.size) and bool(whole.all())
    return kind in "iu"


def are_days(values: Any) -> bool:
    """Return whether whole numbers are days, such as 20240131."""
    present = values.dropna()
    first = map(
        str, present.iloc[:FEWEST].astype(int)
    )  # most columns are none by their first cells
    return all(map(DAY.fullmatch, first)) and all(
        map(DAY.fullmatch, map(str, present.unique().astype(int)))
    )


def _may_be_key(column: Any) -> bool:
    """Return whether whole numbers look like those that count or name rows, not like amounts.

    They do if they fill half of their range, or all have the same number of digits, at least five.
    """
    low, high = float(column.min()), float(column.max())
    digits = len(str(int(low))) == len(str(int(high))) >= KEY_DIGITS and low > 0
    return high - low < 2 * len(column) or digits


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


def _chance(positive: Mask) -> float:
    """Return the standard deviation of the AUC of a column that says nothing."""
    m, n = np.count_nonzero(positive), np.count_nonzero(~positive)
    return float(np.sqrt((m + n + 1) / (12.0 * m * n)))


def _share_of_others(column: Any, positive: Mask) -> NDArray[np.float64]:
    codes = column.factorize(use_na_sentinel=False)[0]
    many, plus = np.bincount(codes)[codes], np.bincount(codes, weights=positive)[codes]
    shares: NDArray[np.float64] = np.where(
        many > 1, (plus - positive) / np.maximum(many - 1, 1), positive.mean()
    )
    return shares


def _deciding(column: Any, positive: Mask) -> tuple[str, str]:
    """Return the kind of a level that nearly decides the label, and a few words; else nothing."""
    missing = column.isna().to_numpy().astype(np.intp)
    if missing.any() and (what := _decided(missing, ("a value", "no value"), positive)):
        return "gap", what
    if not _is_text(column) and column.iloc[:SAMPLE].nunique() > LEVELS:
        return "", ""
    ordered = not _is_text(column)
    codes, levels = column.factorize(sort=ordered)
    if ordered and len(levels) > LEVELS:
        return "", ""
    what = _decided(codes + 1, ("no value", *map(_level, levels)), positive, ordered=ordered)
    return ("level", what) if what else ("", "")


def _level(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return repr(str(value).strip()) if isinstance(value, str) else str(value)


def _decided(
    codes: NDArray[np.intp], levels: tuple[str, ...], positive: Mask, *, ordered: bool = False
) -> str:
    """Return what is said of the level that decides the label for most rows; empty if none does.

    The end of an ordered scale is none: there, levels decide more than both of their neighbours.
    """
    rows = np.bincount(codes, minlength=len(levels)).astype(np.float64)
    own = np.bincount(codes, weights=positive, minlength=len(levels))
    totals = np.array([positive.sum(), (~positive).sum()], np.float64)
    counts = np.array([own, rows - own])  # of positives and negatives, (2, levels)
    shares, smooth = counts / totals[:, None], (counts + 0.5) / (totals[:, None] + 1.0)
    base, pure = totals / totals.sum(), smooth / smooth.sum(axis=0)
    for side, word in ((0, "positive"), (1, "negative")):
        ratio = smooth[side] / smooth[1 - side]
        told = rows * _divergence(counts[side] / np.maximum(rows, 1.0), base[side])
        deciding = (shares[side] >= DECIDED) & (ratio >= TIMES) & (told >= EVIDENCE)
        deciding &= (rows >= DECIDED_ROWS) & (rows < rows.sum()) & (pure[side] > 0.5)
        if ordered:
            deciding[1:] &= ratio[1:] >= APART * _neighbours(np.where(rows[1:] > 0, ratio[1:], 0))
        if deciding.any():
            at = int(np.argmax(np.where(deciding, shares[side], 0.0)))
            return (
                f"{levels[at]} nearly decides the label: {_percent(counts[side][at], rows[at])} of "
                f"these {rows[at]:.0f} rows are {word}, which are "
                f"{_percent(counts[side][at], totals[side])} of all {word} rows"
            )
    return ""


def _neighbours(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the larger one of the numbers before and after each."""
    around = np.concatenate([[0.0], ratio, [0.0]])
    return np.asarray(np.maximum(around[:-2], around[2:]))


def _divergence(share: NDArray[np.float64], base: float) -> NDArray[np.float64]:
    """Return how far shares are from a base, in nats (Kullback and Leibler)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(share > 0, share * np.log(share / base), 0.0)
        other = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - base)), 0.0)
    return np.asarray(one + other)


def _percent(part: float, whole: float) -> str:
    share = 100.0 * part / whole
    return f"{share:.0f} %" if part in (0, whole) or 0.5 <= share < 99.5 else f"{share:.1f} %"
