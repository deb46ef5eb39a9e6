"""Examine the features of a file: what kinds they are, what is left out, and what may be wrong.

Columns and rows of a table that often mean a mistake give a warning. Only tables are looked at so:
their columns have a meaning each, pixels and words have none. Columns are first looked at in a
sample of rows, so that a wide table costs little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import rows
from aucbench.data.concordance import concordance
from aucbench.data.understood import Understood
from aucbench.datasets.formats import Table
from aucbench.datasets.reading import Reading
from aucbench.datasets.tables import Schema, is_numeric, require_numbers
from aucbench.errors import DataError

TELLING = 0.99  # AUC of one column above which it may be known only after the label
FEWEST = 20  # rows below which nothing is suspicious
FEWEST_KEYS = 100  # rows from which different whole numbers may be keys of rows
KEY_DIGITS = 5
SAMPLE = 20_000  # rows of the first look
DAY = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")  # YYYYMMDD

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Examined:
    """The features of a file."""

    X: Any  # the features, or the codes of a table that does not hold numbers only
    names: tuple[str, ...] | None
    schema: Schema | None  # what the columns of such a table are
    understood: Understood  # without what is known of the labels


def examine(table: Table, positive: Mask, asked: Reading) -> Examined:
    """Look at the features of a table, and code them if they are not all numbers."""
    if not hasattr(table.X, "iloc"):
        if asked.drop_suspicious:
            raise DataError(
                "drop_suspicious is for tables whose columns have a meaning each, such as CSV; "
                "leave it out"
            )
        return Examined(table.X, table.names, None, Understood(kinds={"numeric": table.d}))
    frame = table.X.set_axis(table.names or tuple(map(str, table.X.columns)), axis=1)
    schema = _schema(frame, asked)
    codes = None if schema is None else schema.codes(frame)
    dropped = dict(schema.dropped) if schema else {}
    meant = frame if schema is None or codes is None else _meant(frame, schema, codes)
    strange = dict(suspects(meant, positive))
    warnings = [f"column {name!r} is suspicious: {what}" for name, what in strange.items()]
    if asked.drop_suspicious:
        usual = [j for j, name in enumerate(map(str, meant.columns)) if name not in strange]
        dropped, warnings = {**dropped, **strange}, []
        if schema is None or codes is None:
            table = table.keeping(usual)
        else:
            schema = replace(schema, columns=tuple(schema.columns[j] for j in usual))
            codes = codes[:, usual]
    warnings += schema.remarks if schema else ()
    if count := int(frame.duplicated().sum()):
        warnings.append(f"{count} row(s) occur earlier in the table; a test row may be learnt")
    if is_sorted(positive):
        warnings.append("the rows are sorted by label; splits shuffle them")
    kinds = ["numeric"] * table.d if schema is None else [c.kind for c in schema.columns]
    understood = Understood(
        kinds=dict(Counter(kinds).most_common()), dropped=dropped, warnings=tuple(warnings)
    )
    if schema is None:
        return Examined(table.X, table.names, None, understood)
    if not schema.columns:
        raise DataError(f"no feature is left: {len(dropped)} were dropped; give others")
    return Examined(rows(codes), schema.names, schema, understood)


def _schema(frame: Any, asked: Reading) -> Schema | None:
    """Return what the columns are; None where all of them are numbers without a gap."""
    if not frame.shape[1] or is_numeric(frame):
        return None
    if asked.encode == "none":
        require_numbers(frame, asked.decimal)
    return Schema.of(frame, asked.decimal)


def _meant(frame: Any, schema: Schema, codes: Any) -> Any:
    """Return the kept columns as what they mean: numbers, dates, and texts of categories."""
    import pandas as pd

    columns = {}
    for j, column in enumerate(schema.columns):
        if column.kind == "category":
            columns[column.name] = frame[column.name]
        elif column.kind == "date":
            columns[column.name] = (1e6 * codes[:, j]).astype("datetime64[us]")
        else:
            columns[column.name] = codes[:, j]
    return pd.DataFrame(columns, index=frame.index)


def suspects(frame: Any, positive: Mask) -> Iterator[tuple[str, str]]:
    """Yield the names of columns that often mean a mistake, and what is strange in a few words."""
    if len(frame) < FEWEST:
        return
    sample = _sample(positive)
    for j in range(frame.shape[1]):
        if what := _strange(frame.iloc[:, j], positive, sample):
            yield str(frame.columns[j]), what


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
    if (auc := _telling(values, positive[sample])) > TELLING:
        auc = _telling(column, positive)
    return f"tells the label alone, with an AUC of {auc:.3f}" if auc > TELLING else ""


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
