"""Labels of rows in parts: which value is which class, the same in all files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.targets import REST, Classes
from aucbench.datasets.arrow import pyarrow
from aucbench.datasets.gaps import named_labels
from aucbench.datasets.label import TARGET_NAMES, column_at
from aucbench.datasets.reading import Reading
from aucbench.datasets.tables.cells import MARKS, MISSING
from aucbench.datasets.targets import as_labels
from aucbench.errors import DataError, one_class

Label = str | int | float | bool
MOST_LABELS = 1000  # different ones


@dataclass(frozen=True)
class Sides:
    """The column of the labels, and the class of each label."""

    column: str
    why: str  # why it was taken, for people
    positive: tuple[Label, ...]
    negative: tuple[Label, ...]

    @property
    def signs(self) -> dict[Label, int]:
        """1 or -1 for each label."""
        return dict.fromkeys(self.negative, -1) | dict.fromkeys(self.positive, 1)

    def of(self, values: Any) -> NDArray[np.int8]:
        """Return the class of each label of a column of Arrow: -1, 1, or 0 for one of neither."""
        types = pyarrow().types
        signs = self.signs
        if types.is_boolean(values.type) or _is_number(values.type):
            numbers = values.to_numpy()
            y = np.zeros(numbers.size, np.int8)
            for label, sign in signs.items():
                y[numbers == label] = sign
            return y
        levels, at = distinct(values)
        return np.array([signs.get(level, 0) for level in levels], np.int8)[at]


def distinct(values: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values of a column of Arrow, and the number of each cell's value.

    Text is without the spaces around it. No cell is missing.
    """
    array = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    if hasattr(array, "num_chunks"):
        array = array.chunk(0) if array.num_chunks else pyarrow().array([], values.type)
    encoded = array if hasattr(array, "dictionary") else array.dictionary_encode()
    levels = [plain_label(value) for value in encoded.dictionary.to_pylist()]
    return levels, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def plain_label(value: Any) -> Any:
    """Return a label as `load` reads it: text without spaces around it, whole numbers as such."""
    if isinstance(value, str):
        return value.strip()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def label_counts(values: Any) -> Counter[Any]:
    """Return how often each label of a column of Arrow occurs.

    Raises
    ------
    DataError
        When there are too many different ones.
    """
    counts: Counter[Any] = Counter()
    for entry in values.value_counts().to_pylist():
        counts[plain_label(entry["values"])] += entry["counts"]
    if len(counts) > MOST_LABELS:
        raise DataError(
            f"it has more than {MOST_LABELS} different values, which are no labels; say which "
            "column holds the labels with --target COLUMN (in Python target=)"
        )
    return counts


def target_of(names: tuple[str, ...], asked: Reading) -> tuple[str, str]:
    """Return the column of the labels, by name, and why it is that one."""
    if asked.target is not None:
        return names[column_at(asked.target, names, len(names))], "as asked"
    announced = [name for name in names if name.strip().lower() in TARGET_NAMES]
    if len(announced) == 1:
        return announced[0], "which has the name of labels"
    raise DataError(
        f"{len(announced)} columns have a name of labels ({', '.join(TARGET_NAMES)}); say which "
        "column holds them with --target COLUMN (in Python target=)"
    )


def sides_of(counts: Mapping[Any, int], column: tuple[str, str], asked: Reading) -> Sides:
    """Return the classes of all labels that occur; raises as `Classes.of`."""
    gaps = MISSING.difference(MARKS, named_labels(asked)).intersection(map(str, counts))
    if gaps:
        raise DataError(
            f"the label is missing in {sum(counts[gap] for gap in gaps)} rows: the column "
            f"{column[0]!r} has {min(gaps)!r}; if that is a label, name it with --positive or "
            "--negative (in Python positive=, negative=)"
        )
    some = np.array([*counts])
    positive, negative = (
        one if one == REST else as_labels(one, some) for one in (asked.positive, asked.negative)
    )
    classes = Classes.of(counts, positive, negative)
    if not (classes.positive and classes.negative):
        raise one_class(sum(counts.values()), f"{next(iter(counts))!r} in column {column[0]!r}")
    return Sides(*column, tuple(classes.positive), tuple(classes.negative))


def _is_number(form: Any) -> bool:
    types = pyarrow().types
    return bool(types.is_integer(form) or types.is_floating(form))
