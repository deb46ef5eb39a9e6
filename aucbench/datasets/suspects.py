"""Columns of a table that often mean a mistake.

Five checks of columns change what a user does next, so that each gives a warning:

- a column that is constant;
- a column of keys, such as customer numbers: by its values, or by its name;
- a column that tells the label alone, by its AUC: often it is known only after the label;
- the least or the largest value of a column, if it is repeated and far from the others: it may mean
  a missing cell, as -999 and 1900-01-01 do;
- a few cells, if the standard deviation is larger than the range of all others: after
  standardisation these others are nearly equal, and the few decide the weight.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows
from aucbench.data.concordance import concordance
from aucbench.data.understood import Remark
from aucbench.datasets.tables.cells import seconds

TELLING = 0.99  # AUC of one column above which it may be known only after the label
NEARLY_TELLING = 0.95  # the same, less surely
CHANCE = 3.3  # standard deviations within which an AUC may be one by chance
FEWEST = 20  # rows below which nothing is suspicious
DIFFERENT = "different in every row"
FEWEST_KEYS = 100  # rows from which different numbers may be keys of rows
KEY_DIGITS = 5
EQUAL_PAIRS = 10  # expected among different whole numbers, if these were drawn at random
WORDS_OF_KEYS = frozenset(["id", "uuid", "guid", "key", "number", "num", "no", "nr", "code"])
WORD = re.compile(
    r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+"
)  # of a name such as customer_id or EmployeeNumber
RISING = 0.95  # correlation of a column's ranks with the row from which it rises with it
SAMPLE = 20_000  # rows of the first look
NINES = re.compile(r"-9|-?99+|-?9*8")  # of whole numbers; 9998 and 998 stand beside 9999 and 999
FEWEST_NINES = 3  # cells of such a number
FEWEST_OTHERS, SHARE = 5, 0.01  # cells of any other value, and their share
FEW_VALUES = 10  # different values among which others than nines have no meaning
GAP, OFTEN = 5.0, 3.0  # usual steps between values, and usual counts of a value
YEAR = 365.25 * 86400.0
FEW_SHARE = 100  # one cell, and one more of so many, may be outliers
MOST_COLUMNS = 10_000  # of a sparse matrix whose columns are looked at; wider ones hold words
MOST_SHOWN = 2  # outliers that a sentence lists

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


def suspects(frame: Any, positive: Mask) -> Iterator[Remark]:
    """Yield a remark on each column that is constant, holds keys, or tells the label alone.

    A column is first looked at in a sample of rows, so that a wide table costs little.
    """
    if len(frame) < FEWEST:
        return
    sample = _sample(positive)
    for j in range(frame.shape[1]):
        name = str(frame.columns[j])
        if strange := _strange(frame.iloc[:, j], positive, sample):
            kind, what = strange
            yield Remark(f"column {name!r} is suspicious: {what}", kind, name, what)


def _sample(positive: Mask) -> NDArray[np.intp]:
    """Return numbers of rows: all, or at most half of SAMPLE from each class."""
    if positive.size <= SAMPLE:
        return np.arange(positive.size)
    rng = np.random.default_rng(0)
    classes = (np.flatnonzero(positive == side) for side in (False, True))
    drawn = [rng.permutation(rows)[: SAMPLE // 2] for rows in classes]
    return np.sort(np.concatenate(drawn))


def _strange(column: Any, positive: Mask, sample: NDArray[np.intp]) -> tuple[str, str] | None:
    """Return the kind of what is strange about a column, and a few words."""
    values = column.iloc[sample]
    distinct = values.nunique(dropna=False)
    if distinct == 1 and column.nunique(dropna=False) == 1:
        return "constant", "constant"
    if why := _key(column, values.dropna()):
        return "id", why
    if (auc := _telling(values, positive[sample])) > NEARLY_TELLING:
        auc = _telling(column, positive)
    if auc > NEARLY_TELLING and (auc - 0.5) / _chance(positive) >= CHANCE:
        nearly = "" if auc > TELLING else "nearly "
        return "leak", f"{nearly}tells the label alone, with an AUC of {auc:.3f}"
    if distinct > FEW_VALUES and _is_named_as_key(column, values.dropna()):
        return "id", f"a key by its name, with {column.nunique()} different numbers"
    return None


def _key(column: Any, values: Any) -> str:
    """Return why a column may hold keys, or an empty text; `values` are a sample without gaps."""
    if not values.size or not values.is_unique:
        return ""
    if _is_text(values):
        return DIFFERENT if column.dropna().is_unique else ""
    if values.dtype.kind not in "fiu" or len(column) < FEWEST_KEYS:
        return ""
    rises = _rises(values)
    if not rises and not (_is_whole(values) and _may_be_key(column)):
        return ""
    if not column.dropna().is_unique:  # the last question, because it takes longest
        return ""
    return f"{DIFFERENT}, in the order of the rows" if rises else DIFFERENT


def _is_named_as_key(column: Any, values: Any) -> bool:
    """Return whether a column of whole numbers has a name such as customer_id or EmployeeNumber."""
    words = [word.lower() for word in WORD.findall(str(column.name))]
    named = bool(words) and words[-1] in WORDS_OF_KEYS
    return named and values.dtype.kind in "fiu" and not _is_text(values) and _is_whole(values)


def _rises(values: Any) -> bool:
    """Return whether numbers rise or fall with the row."""
    places = np.argsort(np.argsort(values.to_numpy(dtype=np.float64)))
    return bool(abs(np.corrcoef(places, np.arange(places.size))[0, 1]) > RISING)


def _is_text(values: Any) -> bool:
    return getattr(values.dtype, "kind", "O") not in "fiubmM"


def _is_whole(values: Any) -> bool:
    """Return whether all values are whole numbers."""
    if values.dtype.kind in "iu":
        return True
    present = values.dropna().to_numpy()
    return bool(present.size) and bool((np.isfinite(present) & (present == np.rint(present))).all())


def _may_be_key(column: Any) -> bool:
    """Return whether different whole numbers look like keys, not like amounts.

    They do if so many numbers from their range would not all be different by chance, or if all have
    the same number of digits, at least five. Of n numbers drawn from R, n (n − 1) / 2R pairs are
    expected to be equal.
    """
    low, high, n = float(column.min()), float(column.max()), int(column.count())
    digits = len(str(int(low))) == len(str(int(high))) >= KEY_DIGITS and low > 0
    return n * (n - 1) > 2 * EQUAL_PAIRS * (high - low) or digits


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


def sentinels(meant: Any, frame: Any) -> Iterator[Remark]:
    """Yield a remark on each column with a repeated extreme value that may mean a missing cell.

    A column without one has a remark if it has outliers, see `outliers`.

    Numbers of nines (99, -999, 9999) count from 3 cells on, if their distance to the others is more
    than all of the others span, or if they leave a gap and are far more frequent than the others;
    any other one from 5 cells and 1 % of all. So the ends of a scale, caps, zeros of amounts and
    the tails of a distribution have no remark.

    Parameters
    ----------
    meant : DataFrame
        The columns as what they mean: numbers, dates, texts.
    frame : DataFrame
        The same columns, and others, as they stand in the file.
    """
    for j in range(meant.shape[1]):
        name, column = str(meant.columns[j]), meant.iloc[:, j]
        kind = getattr(column.dtype, "kind", "O")
        if kind in "fiuM":
            yield from _far(name, column, frame[name] if kind == "M" else None)


def _far(name: str, column: Any, cells: Any) -> Iterator[Remark]:
    """Yield a remark on numbers, or on dates, which stand as `cells` in the file."""
    date = cells is not None
    numbers = seconds(column) if date else column.to_numpy(np.float64, na_value=np.nan)

    def shown(value: float) -> str:
        return _cell(cells, numbers == value) if date else _plain(value)

    present = numbers[~np.isnan(numbers)]
    remarks = []
    for value, others in _repeated_extremes(present, YEAR if date else 0.0):
        ends = [_day(end) if date else _plain(end) for end in others[[0, -1]]]
        share = _share(int(np.count_nonzero(numbers == value)), numbers.size)
        remarks.append((f"{share} are {shown(value)}", _missing(name, shown(value)), ends))
    if remarks:
        what = " and ".join(sentence for sentence, _, _ in remarks)
        options = " ".join(option for _, option, _ in remarks)
        low, high = remarks[0][2]
        yield Remark(
            f"column {name!r}: {what}, far from the others, which go from {low} to {high}; if "
            f"that means a missing cell, say {options}",
            "sentinel",
            name,
            f"{what}: {options}",
        )
    else:
        texts = [shown(value) for value in outliers(present).tolist()]
        options = " ".join(_missing(name, text) for text in texts[:MOST_SHOWN])
        yield from _on_outliers(name, texts, f", or say {options} if that means a missing cell")


def _missing(name: str, text: str) -> str:
    """Return the option by which a cell of a column means a missing one."""
    return f"--missing {quote(f'{name}={text}')}"


def _on_outliers(name: str, texts: Sequence[str], way_out: str = "") -> Iterator[Remark]:
    """Yield a remark on a column if it has outliers, which are shown as `texts`."""
    if not texts:
        return
    more = f" and {len(texts) - MOST_SHOWN} more" * (len(texts) > MOST_SHOWN)
    values = f"{', '.join(texts[:MOST_SHOWN])}{more}"
    yield Remark(
        f"column {name!r}: because of a few cells ({values}), its standard deviation is larger "
        "than the range of all others, and its weight depends on these few; correct what is wrong"
        f"{way_out}",
        "outliers",
        name,
        values,
    )


def outliers(numbers: Numbers, deviation: float | None = None) -> Numbers:
    """Return different values of a few cells without which a column spans far less.

    They are at most 1 + n/100 of the n cells, and as many of the different values. All other cells
    span less than the standard deviation, and are not all equal. So rare indicators, columns that
    are mostly 0, and tails such as those of a lognormal have no outliers.

    Parameters
    ----------
    numbers : array of shape (n,)
        Without a gap.
    deviation : float, optional
        The standard deviation, where `numbers` are a sample only.

    Returns
    -------
    array
        The values, the farthest first; empty if there are none.
    """
    n, most = numbers.size, 1 + numbers.size // FEW_SHARE
    none = numbers[:0]
    if n < FEWEST or not (largest := float(np.abs(numbers).max())):
        return none
    scaled = numbers / largest  # so that no square overflows
    spread = scaled.std() if deviation is None else deviation / largest
    # If the others span less than the deviation, the farthest cell is so many of them away.
    away = np.abs(scaled - scaled.mean()).max()
    if deviation is None and away < np.sqrt(0.75 * (n - most) / most) * spread:
        return none
    values, counts = np.unique(numbers, return_counts=True)
    near = np.argsort(np.abs(values - np.median(numbers)), kind="stable")
    values, beyond = values[near], n - np.cumsum(counts[near])
    span = np.maximum.accumulate(values / largest) - np.minimum.accumulate(values / largest)
    few = (beyond > 0) & (beyond <= most)
    few &= np.arange(values.size)[::-1] <= 1 + values.size // FEW_SHARE
    held = np.flatnonzero(few & (span > 0) & (span < spread))
    return values[: held[-1] : -1] if held.size else none


def outliers_of_columns(
    table: Rows,
    names: Sequence[str] | None,
    kinds: Sequence[str] | None = None,
    deviations: Numbers | None = None,
) -> Iterator[Remark]:
    """Yield a remark on each column of a matrix that has outliers; NaN is a missing cell.

    Parameters
    ----------
    kinds : sequence of str, optional
        Those of a `Schema`, if the rows are codes.
    deviations : array of shape (d,), optional
        The standard deviations, if the rows are a sample.
    """
    matrix = table.matrix
    if table.is_sparse:
        if table.d > MOST_COLUMNS:
            return
        matrix = matrix.tocsc()
    for j in range(table.d):
        if kinds and kinds[j] not in SHOWN:
            continue
        column = matrix[:, [j]].toarray().ravel() if table.is_sparse else matrix[:, j]
        present = column[~np.isnan(column)].astype(np.float64)
        values = outliers(present, None if deviations is None else float(deviations[j]))
        texts = [*map(SHOWN[kinds[j]] if kinds else _plain, values.tolist())]
        yield from _on_outliers(names[j] if names else str(j), texts)


def _repeated_extremes(present: Numbers, least: float) -> Iterator[tuple[float, Numbers]]:
    """Yield what `_extremes` does, if the least or the largest number stands there often enough."""
    outer = [present.min(), present.max()] if present.size else []
    if any(np.count_nonzero(present == end) >= FEWEST_NINES for end in outer):
        # To count costs far less than to sort.
        yield from _extremes(*np.unique(present, return_counts=True), least)


def _extremes(
    values: Numbers, counts: NDArray[np.int64], least: float
) -> Iterator[tuple[float, Numbers]]:
    """Yield the values, ascending, that are far from the others, and the others.

    `least` is the distance that an extreme has at least if it is no number of nines: a year between
    dates, which are never of nines.
    """
    styled = np.array([not least and _is_nines(value) for value in values])
    others, usual = values[~styled], counts[~styled]
    if others.size < 2:
        return
    for value, count in zip(values[styled], counts[styled], strict=True):
        if count >= FEWEST_NINES and _stands_apart(value, count, others, usual):
            yield float(value), others
    if others.size <= FEW_VALUES:
        return
    for end, left in ((0, slice(1, None)), (-1, slice(0, -1))):
        value, count, rest = others[end], usual[end], others[left]
        if count < max(FEWEST_OTHERS, SHARE * counts.sum()):
            continue
        alone = value == -1 and rest[0] >= 0
        often = count >= OFTEN * np.median(usual[left])
        if alone or (often and _distance(value, rest) > max(np.ptp(rest), least)):
            yield float(value), rest


def _distance(value: float, others: Numbers) -> float:
    """Return how far a value is from all of the others, ascending; 0 if it lies between them."""
    return float(max(others[0] - value, value - others[-1], 0.0))


def _is_nines(value: float) -> bool:
    return abs(value) < 1e15 and value.is_integer() and bool(NINES.fullmatch(str(int(value))))


def _stands_apart(value: float, count: int, others: Numbers, counts: NDArray[np.int64]) -> bool:
    distance = _distance(value, others)
    if not distance:
        return False
    if distance > np.ptp(others) or (value < 0 <= others[0]):
        return True
    usual = max(float(np.median(counts)), 1.0)
    apart = others.size > 2 and distance >= GAP * float(np.median(np.diff(others)))
    return bool(apart and count >= OFTEN * usual)


def _share(count: int, n: int) -> str:
    return f"{100 * count / n:.0f} %" if count >= 0.01 * n else f"{count} of {n} cells"


def _plain(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def _day(value: float) -> str:
    return str(np.datetime64(int(value // 86400), "D"))


# How numbers are shown, by the kinds of columns that hold some.
SHOWN: Mapping[str, Callable[[float], str]] = {"numeric": _plain, "date": _day}


def _cell(cells: Any, mask: NDArray[np.bool_]) -> str:
    """Return the first marked cell as it stands in the file."""
    cell = cells.iloc[int(np.flatnonzero(mask)[0])]
    return str(cell.date()) if hasattr(cell, "date") else str(cell).strip()
