"""Labels of two classes as a vector, and which of them are the positive ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError
from aucbench.stats.vectors import is_missing, plain

USUAL = (  # pairs of words, negative and positive, in any case
    *(("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1"), ("-1", "1")),
    *(("neg", "pos"), ("negative", "positive")),
)
MOST_SHOWN = 8  # labels that a message lists


def counted(raw: NDArray[Any]) -> dict[Any, int]:
    """Return how often each label occurs."""
    if raw.dtype.kind in "fiubU":
        values, counts = np.unique(raw, return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))
    return dict(Counter(raw.tolist()))


def label_vector(y: Any) -> NDArray[Any]:
    """Return labels as a vector; text without the spaces around it."""
    raw = plain("y", y)
    if raw.dtype.kind == "c":
        raise DataError(f"y has the type {raw.dtype}; give labels that can be sorted")
    if raw.ndim == 2 and 1 in raw.shape:
        raw = raw.reshape(-1)
    if raw.ndim != 1:
        raise DataError(f"y has shape {raw.shape}; give one label per row, shape (n,)")
    if raw.dtype.kind == "f" and not np.isfinite(raw).all():
        where = int(np.flatnonzero(~np.isfinite(raw))[0])
        raise DataError(f"y has {raw[where]} in row {where}; every row needs a label")
    return _stripped(raw)


def _stripped(raw: NDArray[Any]) -> NDArray[Any]:
    if raw.dtype.kind == "U":
        return np.strings.strip(raw)
    if raw.dtype.kind != "O":
        return raw
    out = np.empty(raw.size, object)
    for at, label in enumerate(raw.tolist()):
        if is_missing(label):
            raise DataError(f"the label of row {at} is missing; every row needs a label")
        out[at] = label.strip() if isinstance(label, str) else label
    return out


def plain_signs(raw: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return the mask of the positives where the labels are -1 and 1, or 0 and 1; else None.

    It reads the labels twice, and makes no set of them.
    """
    if not raw.size or raw.dtype.kind not in "fiub":
        return None
    low, mask = raw.min(), np.asarray(raw == 1)
    return mask if low in (-1, 0, 1) and (mask | (raw == low)).all() else None


def several(labels: Any) -> list[Any] | None:
    """Return one label or several as a list, text without the spaces around it."""
    if labels is None:
        return None
    alone = isinstance(labels, str | bytes) or not isinstance(labels, Iterable)
    listed = [labels] if alone else labels
    return [label.strip() if isinstance(label, str) else label for label in listed]


def usual(labels: Sequence[Any]) -> list[Any] | None:
    """Return the positive ones of labels that everybody reads in one way; else None.

    These are two, or two words in any case: Yes, YES and no.
    """
    if {*labels} <= {-1, 1} or {*labels} <= {0, 1}:
        return [label for label in labels if label > 0]
    words = [label.casefold() for label in labels if isinstance(label, str)]
    for negative, positive in USUAL:
        if {*words} == {negative, positive} and len(words) == len(labels):
            return [label for label in labels if label.casefold() == positive]
    return None


def shown_labels(counts: Mapping[Any, int], labels: Sequence[Any]) -> str:
    """Return labels with their counts: 'no' (4), 'yes' (3)."""
    first = ", ".join(f"{label!r} ({counts[label]})" for label in labels[:MOST_SHOWN])
    return first if len(labels) <= MOST_SHOWN else f"{first} and {len(labels) - MOST_SHOWN} more"
