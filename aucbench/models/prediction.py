"""Predictions: the scores of a table, a decision for each row, and what is unlike the training."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.datasets.reading import Plain
from aucbench.datasets.tables.changes import UnusualCells
from aucbench.models.incoming import Scored, describe_changes, in_memory, score_frame
from aucbench.models.model import Model

if TYPE_CHECKING:
    from pandas import DataFrame

BATCH = 20_000  # rows of a large file that are read at a time
MOST_COUNTED = 8  # classes whose rows are counted in a line
SIDES = ("negative", "positive")  # names of the two classes, if a class has several labels


def predict_table(model: Model, table: Any) -> DataFrame:
    """Score the rows of a table in memory or in files; all is as of `Model.predict`."""
    import pandas as pd

    results: Iterator[tuple[Any, Scored]]
    if isinstance(table, str | PathLike):
        results = ((None, result) for _, _, result in score_files(model, Path(table)))
    else:
        frame, named = in_memory(table)
        results = iter([(frame.index, score_frame(model, frame, named=named))])
    counts, frames = DecisionCounts(model), []
    for index, result in results:
        frames.append(prediction_frame(model, result, index))
        counts.add(result, frames[-1])
    for warning in counts.warnings:
        warnings.warn(warning, stacklevel=3)
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def score_files(
    model: Model, table: Path, rows: int = BATCH, separator: str | None = None
) -> Iterator[tuple[Path, Any, Scored]]:
    """Score the rows of a file, or of a folder or a pattern in the order of the names of its files.

    Yields the file, some of its rows as a data frame, or as CSR for svmlight, and their scores.

    Parameters
    ----------
    rows : int
        Of a large file that are read at a time.
    separator : str, optional
        Of the cells of text files; by default that of the training table, if it was given.
    """
    from aucbench.bench.sources import names_files
    from aucbench.datasets.chunked.opening import files_of
    from aucbench.datasets.endings import naming
    from aucbench.datasets.formats import batches_of_cells

    separator = separator or model.provenance.get("separator")
    first_index = model.provenance.get("first_index")
    files = files_of(table) if table.is_dir() or names_files(str(table)) else [table]
    for file in files:
        for batch in batches_of_cells(file, rows, separator, first_index):
            with naming(file):
                result = score_frame(model, batch.X, named=batch.named, uneven=batch.uneven)
            yield file, batch.X, result


def prediction_frame(model: Model, result: Scored, index: Any = None) -> DataFrame:
    """Return a data frame with the scores, the decision and the problem of each row.

    A model that ranks rows has no decision. One of three or more classes has a score and a
    probability of each class.
    """
    import pandas as pd

    problem = {"problem": [*result.faults]}
    if not model.decides:
        return pd.DataFrame({"score": result.scores[:, 0], **problem}, index=index)
    numbers = zip(model.decide(result.scores).tolist(), result.faults, strict=True)
    labels = class_names(model)
    decided = [None if fault else labels[k] for k, fault in numbers]
    decisions = pd.Series(decided, index, object)  # None would make floats of whole numbers
    typed = {"decision": decisions if any(result.faults) else decisions.infer_objects()}
    chances = model.probabilities(result.scores)
    if len(model.functions) == 1:
        chance = {} if chances is None else {"probability": chances[:, 1]}
        return pd.DataFrame({"score": result.scores[:, 0], **chance, **typed, **problem}, index)
    assert chances is not None  # three or more classes have sigmoids
    scores = {f"score {label}": result.scores[:, k] for k, label in enumerate(labels)}
    shares = {f"probability {label}": chances[:, k] for k, label in enumerate(labels)}
    return pd.DataFrame({**typed, **scores, **shares, **problem}, index=index)


def class_names(model: Model) -> tuple[Plain, ...]:
    """Return the label of each class; of two, positive or negative if the class has several."""
    if len(model.labels) > 2:
        return tuple(labels[0] for labels in model.labels)
    return tuple(label_of(*side) for side in zip(model.labels, SIDES, strict=False))


def label_of(labels: Sequence[Plain], other: str) -> Plain:
    """Return the label of a class, or the name of the class if it has several labels."""
    return labels[0] if len(labels) == 1 else other


class DecisionCounts:
    """How many rows have which decision, and which columns have changed."""

    def __init__(self, model: Model):
        self._model, self._names = model, class_names(model)
        self._count, self._scored = Counter[Any](), 0
        self._cells: UnusualCells | None = None

    def add(self, result: Scored, predictions: DataFrame) -> None:
        """Count the decisions and the cells of some rows; a row without a score has none."""
        decisions = predictions.get("decision", ())
        self._count.update(decision for decision in decisions if decision is not None)
        self._scored += sum(not fault for fault in result.faults)
        self._cells = result.cells if self._cells is None else self._cells + result.cells

    def __str__(self) -> str:
        """Return ": " and the counts, of the positive class or of all; empty without decisions."""
        if not self._model.decides:
            return ""
        first = self._names[1:] if len(self._names) == 2 else self._names[:MOST_COUNTED]
        counts = ", ".join(f"{self._count[label]} {label}" for label in first)
        more = len(self._names) - MOST_COUNTED
        return f": {counts}" + (f" and {more} more classes" if more > 0 else "")

    @property
    def warnings(self) -> Iterator[str]:
        """What is unusual about the number of flagged rows, and about columns; mostly nothing."""
        operating = self._model.functions[0].operating
        if operating is not None:
            flagged = self._count[self._names[1]]
            yield from filter(None, [operating.surprise(flagged, self._scored)])
        yield from self.changes

    @property
    def changes(self) -> list[str]:
        """A sentence on each column that has changed since training."""
        return [] if self._cells is None else [*describe_changes(self._model, self._cells)]
