"""`Model`: everything that it takes to score new rows, without the rows that taught it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from aucbench.data import Terms
from aucbench.data import scores as weighted
from aucbench.data.arrays import Rows, Vector
from aucbench.data.inputs import check_rows
from aucbench.datasets.reading import Plain
from aucbench.datasets.tables import Column, Encoding, Schema
from aucbench.errors import DataError, UnsupportedError
from aucbench.features import Chain, KernelColumns, Nystroem
from aucbench.models import archive
from aucbench.models.assessment import Assessment
from aucbench.models.calibration import Calibrator, Reliability
from aucbench.models.document import require_fit, structured
from aucbench.models.maps import KIND, names_after, steps_of, tree_of
from aucbench.models.operating import Operating
from aucbench.models.scorecard import Scorecard
from aucbench.models.shape import EffectShape
from aucbench.optim.trees import TreeSum, portable
from aucbench.protocols import MAPPED_ROWS, FeatureMap, identity, terms
from aucbench.records import Run
from aucbench.stats import Interval

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.report.render import InlinePage

T = TypeVar("T")
CLASSES = "classes"  # in a file, of a model of several classes
LINEAR = "linear"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Model:
    """A fitted model: from the cells of a table to scores and decisions.

    The score of a row is w · φ_k(… φ_1(x)), or the sum of trees at φ_k(… φ_1(x)). x are the numbers
    of the row, or what the encoding makes of its cells.

    Attributes
    ----------
    weights : array of shape (d,), or None
        w; None with trees.
    trees : TreeSum or None
    maps : tuple of FeatureMap
        φ_1, ..., φ_k, learnt.
    width : int
        Number of columns of the table.
    columns : tuple of str, or None
        Their names.
    encoding : Encoding or None
        Makes features of the codes of a table; None: all columns are numbers.
    negative, positive : tuple of labels
        The labels of the two classes; none where the model ranks rows, and decides nothing.
    threshold : float
        A row whose score is at least this is predicted positive.
    operating : Operating or None
        How the threshold was chosen, and what it does.
    calibrator : Sigmoid, Isotonic or None
        From a score to the probability of the positive class.
    reliability : Reliability or None
        Whether the probabilities are true.
    assessment : Assessment or None
        What rows that did not train it say of it, for its page.
    auc : Interval or None
        The AUC on rows that did not train the model, or what stands for it, see `measure`.
    auc_rows : str
        Which rows these were.
    spread : array of shape (d,), or None
        Standard deviation of each feature of w over the training rows.
    ranges : array of shape (2, width), or None
        The smallest and the largest number of each column, or of its codes, in the training rows.
    scorecard : Scorecard or None
        Whole points in place of weights: the score of a row is their sum, see docs/scorecard.md.
    shapes : tuple of EffectShape
        Of a model whose score is a sum of effects: the curve of each effect, those that move the
        score most first.
    provenance : mapping
        Plain values about its origin: solver, parameters, features, versions, date, hash of the
        data, numbers of rows.
    """

    weights: Vector | None
    trees: TreeSum | None
    maps: tuple[FeatureMap, ...]
    width: int
    columns: tuple[str, ...] | None
    negative: tuple[Plain, ...]
    positive: tuple[Plain, ...]
    threshold: float
    encoding: Encoding | None = None
    operating: Operating | None = None
    calibrator: Calibrator | None = None
    reliability: Reliability | None = None
    assessment: Assessment | None = None
    auc: Interval | None = None
    auc_rows: str = ""
    spread: Vector | None = None
    ranges: Vector | None = None
    scorecard: Scorecard | None = None
    shapes: tuple[EffectShape, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.weights is None) == (self.trees is None):
            raise DataError("a model has weights or trees, one of them")
        if self.columns is not None and len(self.columns) != self.width:
            raise DataError(f"{len(self.columns)} names for {self.width} columns; name each one")
        if not isfinite(self.threshold):
            raise DataError(f"the threshold is {self.threshold}; choose a finite one")

    def __repr__(self) -> str:
        """Return what it is, in one line."""
        from aucbench.models.explain import line

        return line(self)

    def _repr_html_(self) -> str:
        from aucbench.models.explain import as_html

        return as_html(self)

    def report(self) -> InlinePage:
        """Return a page about it, which a notebook shows inline and `save` keeps.

        The command `aucbench explain MODEL --html FILE` writes the same page.

        Raises
        ------
        MissingExtraError
            When Jinja2 is not installed.
        """
        from aucbench.models.page import page_of

        return page_of(self)

    @staticmethod
    def of_run(run: Run, features: FeatureMap, **rest: Any) -> Model:
        """Return the model of a run on rows that `features` has mapped.

        Parameters
        ----------
        run : Run
        features : FeatureMap
            Learnt; applied before the maps of the solver.
        rest :
            The other attributes.

        Raises
        ------
        UnsupportedError
            When the map or the model is one that cannot be saved.
        """
        own = steps_of(run.scorer.features)
        trees = None if run.w is not None else portable(run.model)
        return Model(weights=run.w, trees=trees, maps=(*steps_of(features), *own), **rest)

    @property
    def d(self) -> int:
        """Number of features of w, or of the trees."""
        return np.asarray(self.weights).size if self.trees is None else self.trees.d

    @property
    def decides(self) -> bool:
        """Whether it divides rows into two classes; else it ranks them."""
        return bool(self.positive)

    @property
    def measure(self) -> str:
        """What `auc` measures, for people."""
        return str(self.provenance.get("measure", "AUC"))

    @property
    def schema(self) -> Schema:
        """What the columns of the table are: plain numbers, if there is no encoding."""
        if self.encoding is not None:
            return self.encoding.schema
        columns = tuple(Column(name, "numeric") for name in self.raw_names)
        return Schema(columns, decimal=str(self.provenance.get("decimal", ".")))

    @property
    def keeps_rows(self) -> bool:
        """Whether it holds training rows: the landmarks of a kernel."""
        return any(getattr(phi, "keeps_rows", False) for phi in self.maps)

    @property
    def raw_names(self) -> tuple[str, ...]:
        """Names of the features before the maps."""
        if self.encoding is not None:
            return self.encoding.names
        return self.columns or tuple(f"column {j}" for j in range(self.width))

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features of w or of the trees; None for those of a kernel."""
        if any(isinstance(phi, KernelColumns | Nystroem) for phi in self.maps):
            return None
        names = self.raw_names
        for phi in self.maps:
            names = names_after(phi, names)
        return names

    @property
    def terms(self) -> Terms | None:
        """The terms of the features of w; None where a score by weights is no sum over columns."""
        maps = [phi for phi in self.maps if not phi.exempt]
        phi = Chain(tuple(maps)) if len(maps) > 1 else (*maps, identity)[0]
        return terms(phi, self.d - (len(self.maps) - len(maps)))

    def scores(self, X: Any) -> Vector:
        """Scores of rows (n, width) -> (n,); larger means more positive.

        Parameters
        ----------
        X : Rows, array or sparse matrix
            Numbers, or with an encoding the codes that its schema makes of a table.

        Raises
        ------
        DataError
            When there are other columns, or a number is not finite.
        """
        raw = X if isinstance(X, Rows) else check_rows(X)[0]
        if raw.d != self.width:
            raise DataError(f"X has {raw.d} columns, the model has {self.width}; give the same")
        lows = range(0, raw.n, MAPPED_ROWS)
        parts = [self._part(raw.take(slice(lo, lo + MAPPED_ROWS))) for lo in lows]
        return np.concatenate([np.zeros(0), *parts])

    def _part(self, rows: Rows) -> Vector:
        mapped = self.mapped(rows)
        if self.trees is not None:
            return self.trees.scores(mapped)
        return weighted(mapped, np.asarray(self.weights))

    def predict(self, table: Any) -> DataFrame:
        """Score the rows of a table, with a decision for each, as `aucbench predict` does.

        Parameters
        ----------
        table : table, array of shape (n, width), str or path
            A data frame of pandas or polars, a table of pyarrow, or another one that hands over
            its columns as Arrow; or a file, a folder of files or a pattern, as of the command.
            Columns are found by name, others are not read; those of an array are found by their
            order.

        Returns
        -------
        DataFrame
            Of pandas, a row for each row, with the index of a table in memory: score; probability
            of the positive class, where the model is calibrated; decision, the label of the class,
            or positive and negative where a class has several; problem, why a row has no score, or
            an empty text.

        Raises
        ------
        DataError
            When a column of the model is not in the table, or a file cannot be read.

        Warns
        -----
        UserWarning
            When another number of rows is flagged than the threshold promises, and for each column
            that lacks more values than in training, or has other ones.
        """
        from aucbench.models.classes import predict_table

        return predict_table(self, table)

    def mapped(self, rows: Rows) -> Rows:
        """Return the features of w or of the trees."""
        if self.encoding is not None:
            rows = self.encoding(rows)
        for phi in self.maps:
            rows = phi(rows)
        return rows

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one file, without pickle; see docs/model.md.

        Raises
        ------
        ParameterError
            When the file cannot be written.
        """
        archive.write(Path(path), self.to_tree())

    @staticmethod
    def load(path: str | PathLike[str]) -> Model:
        """Read a file that `save` has written. Nothing in it is run.

        Raises
        ------
        DataError
            When there is no such file, it is no model, is damaged or too large, or has another
            version.
        """
        tree = archive.read(Path(path))
        if CLASSES in tree:
            raise DataError(
                f"{path} is a model of several classes; read it by aucbench.ClassModel.load"
            )
        return read_tree(path, tree, Model.from_tree)

    def to_tree(self) -> dict[str, Any]:
        """Return all of it as plain values and arrays."""
        part = self.trees or {KIND: LINEAR, "weights": self.weights}
        return {
            "score": tree_of(part),
            "maps": [tree_of(phi) for phi in self.maps],
            "width": self.width,
            "columns": self.columns,
            "encoding": None if self.encoding is None else self.encoding.to_json(),
            "negative": self.negative,
            "positive": self.positive,
            "threshold": float(self.threshold),
            "operating": None if self.operating is None else finite(self.operating.to_json()),
            "calibrator": tree_of(self.calibrator),
            "reliability": None if self.reliability is None else finite(asdict(self.reliability)),
            "assessment": None if self.assessment is None else finite(asdict(self.assessment)),
            "auc": None if self.auc is None else finite(asdict(self.auc)),
            "auc_rows": self.auc_rows,
            "feature_names": self.feature_names,
            "spread": self.spread,
            "ranges": self.ranges,
            "shapes": [asdict(shape) for shape in self.shapes],
            "provenance": finite(self.provenance),
            **({} if self.scorecard is None else {"scorecard": asdict(self.scorecard)}),
        }

    @staticmethod
    def from_tree(tree: Mapping[str, Any]) -> Model:
        """Inverse of `to_tree`.

        Raises
        ------
        DataError
            When a value has another type than its field, a part is of an unknown kind, or the
            parts do not fit together.
        """
        parts = {name: value for name, value in tree.items() if name not in OUTSIDE}
        score = parts.pop("score", None)
        if isinstance(score, Mapping) and score.get(KIND) == LINEAR:
            parts |= {"weights": score.get("weights"), "trees": None}
        else:
            parts |= {"weights": None, "trees": score}
        model: Model = structured(parts, Model)
        require_fit(model)
        return model


def read_tree(path: Any, tree: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T]) -> T:
    """Return read(tree), and name the file in all errors."""
    try:
        return read(tree)
    except (DataError, UnsupportedError) as error:
        raise DataError(f"{path}: {error}") from error
    except Exception as error:  # a damaged document can make anything raise
        raise DataError(
            f"{path} is damaged: its parts do not fit together ({type(error).__name__}: "
            f"{str(error)[:120]}); take another copy"
        ) from error


OUTSIDE = ("format", "version", "feature_names")  # what is in the file for other readers


def finite(plain: Any) -> Any:
    """Return plain values with None in place of NaN and infinity, which JSON does not have."""
    if isinstance(plain, Mapping):
        return {str(name): finite(value) for name, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [finite(value) for value in plain]
    plain = plain.item() if isinstance(plain, np.generic) else plain
    return None if isinstance(plain, float) and not isfinite(plain) else plain
