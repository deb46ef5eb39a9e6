"""`ClassModel`: a model of three or more classes, which is one model for each class.

Design
  a. Each model ranks the rows of its class above all others. Its scores have a scale of their own,
     so that the largest of K scores says nothing.
  b. A row is decided by probabilities: each model is calibrated by Platt's sigmoid, on rows that
     were held out. That changes no rank inside a column, and puts all columns on one scale. The
     class with the largest probability against the rest is the decision. The probabilities that are
     shown are these, divided by their sum. (Rejected: isotonic calibration. Its steps tie.)
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.datasets.reading import Plain
from aucbench.datasets.tables.changes import UnusualCells
from aucbench.errors import DataError
from aucbench.models import archive
from aucbench.models.calibration import Sigmoid, best, log_odds, probabilities
from aucbench.models.document import structured
from aucbench.models.incoming import (
    NOTHING,
    Scored,
    answered,
    describe_changes,
    in_memory,
    label_of,
    scored,
)
from aucbench.models.model import CLASSES, OUTSIDE, Model, finite, read_tree
from aucbench.stats import Interval

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.report.render import InlinePage

PIECE = 20_000  # rows of a large file that are read at a time
MOST_COUNTED = 8  # classes whose rows are counted in a line


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassModel:
    """A fitted model of K ≥ 3 classes: from the cells of a table to scores and decisions.

    Attributes
    ----------
    labels : tuple of K labels
        The classes.
    models : tuple of K Model
        For each class the model of this class against the rest, calibrated by a sigmoid.
    auc : Interval or None
        Hand and Till's M, or the measure of the pairs, on rows that did not train the model.
    auc_rows : str
        Which rows these were.
    provenance : mapping
        Plain values about its origin, as of `Model`.
    """

    labels: tuple[Plain, ...]
    models: tuple[Model, ...]
    auc: Interval | None = None
    auc_rows: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.models) or len({*self.labels}) < 3:
            raise DataError(
                f"{len(self.models)} models for {len({*self.labels})} different classes; a model "
                "of classes has one for each of three or more"
            )
        for label, model in zip(self.labels, self.models, strict=True):
            if not isinstance(model.calibrator, Sigmoid):
                raise DataError(f"the model of class {label!r} is not calibrated by a sigmoid")
            if (model.width, model.columns) != (self.width, self.columns):
                raise DataError(f"the model of class {label!r} reads other columns than the first")

    @property
    def width(self) -> int:
        """Number of columns of the table."""
        return self.models[0].width

    @property
    def columns(self) -> tuple[str, ...] | None:
        """Their names."""
        return self.models[0].columns

    @property
    def origin(self) -> Mapping[str, Any]:
        """The provenance, with the number n of rows that it was learnt from."""
        first = self.models[0].provenance
        return {**self.provenance, **({"n": first["n"]} if "n" in first else {})}

    @property
    def keeps_rows(self) -> bool:
        """Whether it holds training rows: the landmarks of a kernel."""
        return any(model.keeps_rows for model in self.models)

    def __repr__(self) -> str:
        """Return what it is, in one line."""
        from aucbench.models.class_page import line

        return line(self)

    def report(self) -> InlinePage:
        """Return a page about it, which a notebook shows inline and `save` keeps.

        Raises
        ------
        MissingExtraError
            When Jinja2 is not installed.
        """
        from aucbench.models.class_page import page_of

        return page_of(self)

    def scores(self, X: Any) -> Vector:
        """Scores of rows (n, width) -> (n, K); a larger one in column k means more of class k.

        Each column has a scale of its own. X and errors are those of `Model.scores`.
        """
        return np.column_stack([model.scores(X) for model in self.models])

    def log_odds(self, scores: Vector) -> Vector:
        """Put scores (n, K) on one scale: the log-odds of each class against the rest, (n, K)."""
        each = [model.calibrator for model in self.models]
        return log_odds(scores, [one for one in each if isinstance(one, Sigmoid)])

    def predict(self, table: Any) -> DataFrame:
        """Score the rows of a table, with a decision for each, as `aucbench predict` does.

        Parameters
        ----------
        table : table, array of shape (n, width), str or path
            As of `Model.predict`.

        Returns
        -------
        DataFrame
            Of pandas, a row for each row, with the index of a table in memory: decision, the label
            of the most probable class; for each class its score and its probability; and problem,
            why a row has no score, or an empty text.

        Raises
        ------
        DataError
            When a column of the model is not in the table, or a file cannot be read.

        Warns
        -----
        UserWarning
            For each column that lacks more values than in training, or has other ones.
        """
        return predict_table(self, table)

    def scored(
        self, frame: Any, *, named: bool = True, uneven: Mapping[int, int] = NOTHING
    ) -> ClassesScored:
        """Score the rows of a data frame; parameters and errors are those of `scored`."""
        each = [scored(model, frame, named=named, uneven=uneven) for model in self.models]
        scores = np.column_stack([one.scores for one in each])
        faults = [
            next(filter(None, told), "") for told in zip(*(e.faults for e in each), strict=True)
        ]
        scores[[bool(fault) for fault in faults]] = np.nan
        return ClassesScored(scores, faults, each[0].cells, each[0].ignored)

    def answered(self, result: ClassesScored, index: Any = None) -> DataFrame:
        """Return a data frame with decision, scores, probabilities and problem of each row."""
        import pandas as pd

        odds = self.log_odds(result.scores)
        p = probabilities(odds)
        told = zip(best(odds).tolist(), result.faults, strict=True)
        decisions = pd.Series(
            [None if fault else self.labels[k] for k, fault in told], index, object
        )
        typed = decisions if any(result.faults) else decisions.infer_objects()
        columns: dict[str, Any] = {"decision": typed}
        for name, values in (("score", result.scores), ("probability", p)):
            columns |= {f"{name} {label}": values[:, k] for k, label in enumerate(self.labels)}
        return pd.DataFrame({**columns, "problem": [*result.faults]}, index=index)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one file, without pickle, which `Model.load` reads too.

        Raises
        ------
        ParameterError
            When the file cannot be written.
        """
        archive.write(Path(path), self.to_tree())

    @staticmethod
    def load(path: str | PathLike[str]) -> ClassModel:
        """Read a file that `save` has written. Nothing in it is run.

        Raises
        ------
        DataError
            As `Model.load`, and when the model is one of two classes.
        """
        model = load_model(path)
        if isinstance(model, Model):
            raise DataError(f"{path} is a model of two classes; read it by aucbench.Model.load")
        return model

    def to_tree(self) -> dict[str, Any]:
        """Return all of it as plain values and arrays."""
        return {
            CLASSES: [*self.labels],
            "models": [model.to_tree() for model in self.models],
            "auc": None if self.auc is None else finite(asdict(self.auc)),
            "auc_rows": self.auc_rows,
            "provenance": finite(self.provenance),
        }

    @staticmethod
    def from_tree(tree: Mapping[str, Any]) -> ClassModel:
        """Inverse of `to_tree`.

        Raises
        ------
        DataError
            As `Model.from_tree`, and when the models do not fit together.
        """
        parts = {name: value for name, value in tree.items() if name not in OUTSIDE}
        models = parts.pop("models", None)
        if not isinstance(models, list) or not all(isinstance(one, Mapping) for one in models):
            raise DataError("it is damaged: it has no list of models; take another copy")
        each = tuple(Model.from_tree(one) for one in models)
        document: _Document = structured(parts, _Document)
        return ClassModel(
            labels=document.classes,
            models=each,
            auc=document.auc,
            auc_rows=document.auc_rows,
            provenance=document.provenance,
        )


@dataclass(frozen=True, kw_only=True)
class _Document:
    """What is in the file besides the models."""

    classes: tuple[Plain, ...]
    auc: Interval | None
    auc_rows: str
    provenance: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ClassesScored:
    """New rows, scored by the models of all classes.

    Attributes
    ----------
    scores : array of shape (n, K)
        NaN where a row has a fault.
    faults : sequence of str
        Why a row has no score, or an empty text.
    cells, ignored :
        As of `Scored`.
    """

    scores: Vector
    faults: Sequence[str]
    cells: UnusualCells
    ignored: tuple[str, ...] = ()


def load_model(path: str | PathLike[str]) -> Model | ClassModel:
    """Read a file that a model of two classes, or of more, has written; errors as `Model.load`."""
    tree = archive.read(Path(path))
    if CLASSES in tree:
        return read_tree(path, tree, ClassModel.from_tree)
    return read_tree(path, tree, Model.from_tree)


def predict_table(model: Model | ClassModel, table: Any) -> DataFrame:
    """Score the rows of a table in memory or in files; all is as of `Model.predict`."""
    import pandas as pd

    results: Iterator[tuple[Any, Scored | ClassesScored]]
    if isinstance(table, str | PathLike):
        results = ((None, result) for _, _, result in score_files(model, Path(table)))
    else:
        frame, named = in_memory(table)
        results = iter([(frame.index, score_frame(model, frame, named=named))])
    decided, answers = Decided(model), []
    for index, result in results:
        answers.append(answer_frame(model, result, index))
        decided.add(result, answers[-1])
    for warning in decided.warnings:
        warnings.warn(warning, stacklevel=3)
    return answers[0] if len(answers) == 1 else pd.concat(answers, ignore_index=True)


def score_files(
    model: Model | ClassModel, table: Path, rows: int = PIECE, separator: str | None = None
) -> Iterator[tuple[Path, Any, Scored | ClassesScored]]:
    """Score the rows of a file, or of a folder or a pattern in the order of the names of its files.

    Yields the file, some of its rows as a data frame, or as CSR for svmlight, and their scores.

    Parameters
    ----------
    rows : int
        Of a large file that are read at a time.
    separator : str, optional
        Of the cells of text files; by default that of the training table, if it was given.
    """
    from aucbench.bench.parted import names_parts
    from aucbench.datasets.endings import naming
    from aucbench.datasets.frames import pieces
    from aucbench.datasets.parted.opening import files_of

    separator = separator or model.provenance.get("separator")
    first_index = model.provenance.get("first_index")
    files = files_of(table) if table.is_dir() or names_parts(str(table)) else [table]
    for file in files:
        for piece in pieces(file, rows, separator, first_index):
            with naming(file):
                result = score_frame(model, piece.frame, named=piece.named, uneven=piece.uneven)
            yield file, piece.frame, result


def score_frame(
    model: Model | ClassModel, frame: Any, *, named: bool, uneven: Mapping[int, int] = NOTHING
) -> Scored | ClassesScored:
    """Score the rows of a data frame; parameters and errors are those of `incoming.scored`."""
    if isinstance(model, ClassModel):
        return model.scored(frame, named=named, uneven=uneven)
    return scored(model, frame, named=named, uneven=uneven)


def answer_frame(
    model: Model | ClassModel, result: Scored | ClassesScored, index: Any = None
) -> DataFrame:
    """Return a data frame with scores, decision and problem of each row."""
    if isinstance(model, ClassModel):
        assert isinstance(result, ClassesScored)
        return model.answered(result, index)
    assert isinstance(result, Scored)
    answer: DataFrame = answered(model, result, index)
    return answer


class Decided:
    """How many rows have which decision, and which columns have changed."""

    def __init__(self, model: Model | ClassModel):
        self._model, self._count, self._scored = model, Counter[Any](), 0
        self._cells: UnusualCells | None = None

    def add(self, result: Scored | ClassesScored, answer: DataFrame) -> None:
        """Count the decisions and the cells of some rows; a row without a score has none."""
        decisions = answer.get("decision", ())
        self._count.update(decision for decision in decisions if decision is not None)
        self._scored += sum(not fault for fault in result.faults)
        self._cells = result.cells if self._cells is None else self._cells + result.cells

    def __str__(self) -> str:
        """Return ": " and the counts, of the positive class or of all; empty without decisions."""
        if isinstance(self._model, Model):
            return f": {self._flagged} {self._positive}" if self._model.decides else ""
        told = [f"{self._count[label]} {label}" for label in self._model.labels[:MOST_COUNTED]]
        more = len(self._model.labels) - MOST_COUNTED
        return ": " + ", ".join(told) + (f" and {more} more classes" if more > 0 else "")

    @property
    def warnings(self) -> Iterator[str]:
        """What is strange about the number of flagged rows, and about columns; mostly nothing."""
        if isinstance(self._model, Model) and self._model.operating is not None:
            surprise = self._model.operating.surprise(self._flagged, self._scored)
            yield from filter(None, [surprise])
        yield from self.changes

    @property
    def changes(self) -> list[str]:
        """A sentence on each column that has changed since training."""
        first = self._model.models[0] if isinstance(self._model, ClassModel) else self._model
        return [] if self._cells is None else [*describe_changes(first, self._cells)]

    @property
    def _positive(self) -> Any:
        assert isinstance(self._model, Model)
        return label_of(self._model.positive, "positive")

    @property
    def _flagged(self) -> int:
        return self._count[self._positive]


def lines(model: Model | ClassModel) -> Iterator[str]:
    """Yield the explanation for people, a line at a time."""
    from aucbench.models import class_page, explain

    return class_page.lines(model) if isinstance(model, ClassModel) else explain.lines(model)


def explanation(model: Model | ClassModel) -> dict[str, Any]:
    """Return what is known of a model, as JSON holds it."""
    from aucbench.models import class_page, explain

    if isinstance(model, ClassModel):
        return class_page.explanation(model)
    return explain.explanation(model)


def page_of(model: Model | ClassModel, title: str = "") -> InlinePage:
    """Return the page of a model; parameters and errors are those of `page.page_of`."""
    from aucbench.models import class_page, page

    if isinstance(model, ClassModel):
        return class_page.page_of(model, title)
    return page.page_of(model, title)
