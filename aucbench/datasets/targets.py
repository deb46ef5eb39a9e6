"""What the labels of a table mean: two classes or more, grades, or times of events."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Categories, Grades, Index, Labels, Survival, Target
from aucbench.data.categories import ordered_labels
from aucbench.data.targets import REST, Classes
from aucbench.datasets.catalogue import Entry
from aucbench.datasets.collections import Member, rarer
from aucbench.datasets.reading import Loading, Plain
from aucbench.datasets.table import Table
from aucbench.errors import DataError, is_number
from aucbench.stats.labels import counted, label_vector, shown_labels, usual

if TYPE_CHECKING:
    from aucbench.datasets.files import Source


@dataclass(frozen=True, slots=True, eq=False)
class ReadTarget:
    """A target, and how it was understood."""

    target: Target
    high: NDArray[np.bool_]  # the half of the rows by which columns that tell too much are found
    label: str  # where it comes from, for people
    positive: tuple[Plain, ...] = ()  # the labels of both classes, if there are two
    negative: tuple[Plain, ...] = ()
    classes: tuple[Plain, ...] = ()  # the labels, if each is a class

    def taking(self, rows: Index) -> ReadTarget:
        """Return the same of some rows, by their numbers."""
        label = f"{self.label}; {rows.size:,} of {self.target.n:,} rows, drawn as rows={rows.size}"
        return replace(self, target=self.target.take(rows), high=self.high[rows], label=label)


def read_target(origin: Source, table: Table, events: Any, asked: Loading) -> ReadTarget:
    """Return what the labels of a table mean; `events` are the cells of the column of events."""
    if events is not None:
        return _times(table, events, asked)
    if asked.labels == "grades":
        return _grades(table)
    y = label_vector(table.y)
    if asked.labels == "classes" and len(counted(y)) > 2:
        return _each(table, y)
    classes, why = _classes(origin, y, asked)
    labels = Labels.of_mask(classes.holds(y))
    sides = (tuple(map(_plain, side)) for side in (classes.positive, classes.negative))
    return ReadTarget(labels, labels.y > 0, table.label + why, *sides)


def _times(table: Table, cells: Any, asked: Loading) -> ReadTarget:
    event, named = events_of(cells, asked)
    target = Survival.of(_numbers(table.y), event)
    high = event if 0 < target.n_events < target.n else _lower_half(target.time)
    label = f"times in {table.label.partition(',')[0]}, events in column {str(asked.event)!r}"
    return ReadTarget(target, high, f"{label}{named}")


def _grades(table: Table) -> ReadTarget:
    target = Grades.of(_numbers(table.y))
    levels = [f"{level:g}" for level in target.levels[:: max(1, target.levels.size - 1)]]
    label = f"{table.label}; {target.levels.size} grades from {' to '.join(levels)}"
    return ReadTarget(target, ~_lower_half(target.y), label)


def _numbers(y: NDArray[Any]) -> NDArray[Any]:
    """Return texts that are numbers, such as 0930, as numbers, which have an order; else y."""
    if y.dtype.kind != "O":
        return y
    texts = [str(cell).strip() for cell in y]
    return np.array(texts, np.float64) if all(map(is_number, texts)) else y


def _each(table: Table, y: NDArray[Any]) -> ReadTarget:
    """Each label is a class. A column with their numbers tells the classes of the upper half."""
    target = Categories.of(y)
    labels = tuple(map(_plain, ordered_labels(counted(y))))
    return ReadTarget(target, target.y >= target.k // 2, table.label, classes=labels)


def _lower_half(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the lower ones of the values, about half of them; neither none nor all."""
    middle = np.median(values)
    return np.asarray(values <= middle if middle < values.max() else values < middle)


def events_of(cells: Any, asked: Loading) -> tuple[NDArray[np.bool_], str]:
    """Return which cells say that the event happened, and how they say so, for people.

    1 and 0 need no options, nor does a pair of words such as yes and no. Of other labels,
    `positive` names those of an event; rows with another one are censored.
    """
    try:
        raw = label_vector(cells)
        counts = counted(raw)
        chosen = as_labels(asked.positive, raw)
        if chosen is None and counts.keys() <= {0, 1}:
            return np.asarray(raw == 1), ""
        if chosen is None and (chosen := usual([*counts])) is None:
            raise DataError(
                f"it has {shown_labels(counts, sorted(counts, key=str))}; name the labels of an "
                "event with --positive LABEL (in Python positive=)"
            )
        classes = Classes.of(counts, chosen, as_labels(asked.negative, raw) or REST)
    except DataError as error:
        raise DataError(
            f"the column {str(asked.event)!r} shall say which rows have an event: {error}"
        ) from error
    named = ", ".join(map(repr, map(str, classes.positive)))
    return classes.holds(raw), f" (those with {named})"


def _plain(label: Any) -> Plain:
    """Return a label as it is where JSON holds it, so that decisions are labels of the table."""
    label = label.item() if hasattr(label, "item") else label
    return label if isinstance(label, str | bool | int | float) else str(label)


def _classes(origin: Source, y: NDArray[Any], asked: Loading) -> tuple[Classes, str]:
    """Return the classes, and how they were divided, for people."""
    counts = counted(y)
    if asked.task is not None:
        positive, negative, why = divide(counts, asked.task, asked.seed or 0)
        return Classes.of(counts, positive, negative), f", {why}"
    named = class_names(asked.positive, asked.negative, origin.entry, y)
    if not isinstance(origin, Member) or named != (None, None):
        return Classes.of(counts, *named), ""
    rare = rarer(counts)
    return Classes.of(counts, rare), "" if rare is None else ", whose rarer class is positive"


def divide(labels: Collection[Any], task: str, seed: int = 0) -> tuple[list[Any], list[Any], str]:
    """Divide three or more classes as the source papers do; the third says how.

    first: "the first class as negative label, and the other classes as positive label" (AUM line
    search, section 5.1). halves: "randomly partitioning the data into two groups, where each group
    includes the same number of classes" (SPDAM, section 5.2); of an odd number, one more is
    negative.
    """
    ordered = sorted(labels)
    if len(ordered) < 3:
        raise DataError(
            f"task={task} divides three or more classes, but there are {len(ordered)}; leave it out"
        )
    if task == "first":
        why = f"task=first: the first of {len(ordered)} classes against the others"
        return ordered[1:], ordered[:1], why
    drawn = np.random.default_rng(seed).permutation(len(ordered))[: len(ordered) // 2]
    positive = [ordered[at] for at in sorted(drawn)]
    negative = [label for label in ordered if label not in positive]
    why = f"task=halves, seed={seed}: {len(positive)} of {len(ordered)} classes drawn"
    return positive, negative, why


def class_names(positive: Any, negative: Any, entry: Entry, y: Any) -> tuple[Any, Any]:
    """Return the labels of both classes: those asked for, or else those of the catalogue."""
    if positive is None and negative is None and entry.positive:
        return [*entry.positive], REST
    return as_labels(positive, y), negative if negative == REST else as_labels(negative, y)


def as_labels(positive: Any, y: Any) -> Any:
    """Return `positive` with text as numbers or truth values where the labels y are such.

    The command line gives text.
    """
    if isinstance(positive, Collection) and not isinstance(positive, str | bytes):
        return [as_labels(label, y) for label in positive]
    kind = np.asarray(y).dtype.kind
    if kind == "b" and isinstance(positive, str) and positive.lower() in ("true", "false"):
        return positive.lower() == "true"
    if kind not in "fiub" or not isinstance(positive, str) or not is_number(positive):
        return positive
    with suppress(ValueError):
        return int(positive)  # exact, also where float64 is not
    number = float(positive)
    return int(number) if number.is_integer() else number
