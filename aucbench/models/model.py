"""`Model`: everything that it takes to score new rows, without the rows that taught it.

Design
  a. A model has K score functions. K is 1 for two classes and for rows that are ranked; of three
     or more classes there is one for each class, which ranks the rows of this class above all
     others. All share the columns of the table and their encoding.
  b. Two classes are divided by the threshold. Scores of several functions have scales of their own,
     so that the largest of K scores says nothing: each function has a sigmoid, fitted to held-out
     rows, and the class with the largest log-odds against the rest is the decision. A sigmoid
     changes no rank inside a column. (Rejected: isotonic calibration. Its steps tie.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import FeatureMap, NoMap
from aucbench.data import Terms
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.inputs import check_rows
from aucbench.datasets.reading import Plain
from aucbench.datasets.tables import Column, Encoding, Schema
from aucbench.errors import DataError, UnsupportedError
from aucbench.features import Chain, KernelColumns, Nystroem
from aucbench.features.chain import terms, weights_through
from aucbench.metrics import Aim, intercept_at
from aucbench.models import archive
from aucbench.models.calibration import Sigmoid, best, calibrator, log_odds, probabilities
from aucbench.models.document import require_fit, structured
from aucbench.models.maps import KIND, names_after, steps_of, tree_of
from aucbench.models.score_function import LINEAR, ScoreFunction, finite
from aucbench.models.scorecard import Scorecard
from aucbench.solving.scoring import MAPPED_ROWS
from aucbench.stats import Interval

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.report.html_page import InlinePage

NO_SIGMOIDS = "a model of three or more classes needs a sigmoid for each class; calibrate it"
OUTSIDE = ("format", "version", "feature_names")  # what is in the file for other readers


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Model:
    """A fitted model: from the cells of a table to scores and decisions.

    Attributes
    ----------
    functions : tuple of K ScoreFunction
        Each maps a row to a score.
    labels : tuple of tuples of labels
        The labels of the negative and of the positive class; of three or more classes the label of
        each, K in all; empty if the model ranks rows, and decides nothing.
    width : int
        Number of columns of the table.
    columns : tuple of str, or None
        Their names.
    encoding : Encoding or None
        Makes features of the codes of a table; None: all columns are numbers.
    maps : tuple of FeatureMap
        Applied to these features one after another, before a score function takes them; learnt.
    ranges : array of shape (2, width), or None
        The smallest and the largest number of each column, or of its codes, in the training rows.
    auc : Interval or None
        The AUC on rows that did not train the model, or the other measure that `measure` names.
    auc_rows : str
        Which rows these were.
    scorecard : Scorecard or None
        Whole points in place of weights: the score of a row is their sum, see docs/scorecard.md.
    provenance : mapping
        Plain values about its origin: solver, parameters, features, versions, date, hash of the
        data, numbers of rows.
    """

    functions: tuple[ScoreFunction, ...]
    labels: tuple[tuple[Plain, ...], ...]
    width: int
    columns: tuple[str, ...] | None
    encoding: Encoding | None = None
    maps: tuple[FeatureMap, ...] = ()
    ranges: Vector | None = None
    auc: Interval | None = None
    auc_rows: str = ""
    scorecard: Scorecard | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.functions) != (len(self.labels) if len(self.labels) > 2 else 1):
            raise DataError(
                f"{len(self.functions)} score functions for {len(self.labels)} classes; two "
                "classes need one, and three or more need one each"
            )
        if self.columns is not None and len(self.columns) != self.width:
            raise DataError(f"{len(self.columns)} names for {self.width} columns; name each one")

    def __repr__(self) -> str:
        """Return what it is, in one line."""
        from aucbench.models.explain import describe_line

        return describe_line(self)

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
        from aucbench.models.explain import page_of

        return page_of(self)

    @property
    def function(self) -> ScoreFunction:
        """The score function of a model of two classes, or of one that ranks rows.

        Raises
        ------
        UnsupportedError
            When there are several.
        """
        if len(self.functions) > 1:
            raise UnsupportedError(
                f"the model has {len(self.functions)} classes with a score function each; see "
                "Model.functions"
            )
        return self.functions[0]

    def against_rest(self, k: int) -> Model:
        """Return the model of class k against the rest, of a model of three or more classes.

        Its threshold is the score at which the class is as probable as the rest.
        """
        own = self.functions[k]
        if isinstance(own.calibrator, Sigmoid) and own.calibrator.a:
            own = replace(own, threshold=-own.calibrator.b / own.calibrator.a)
        others = tuple(label for j, labels in enumerate(self.labels) if j != k for label in labels)
        about = {name: value for name, value in self.provenance.items() if name != "class_rows"}
        if "class_rows" in self.provenance:
            about["n_pos"] = self.provenance["class_rows"][k]
        labels = (others, self.labels[k])
        return replace(self, functions=(own,), labels=labels, auc=own.auc, provenance=about)

    @property
    def decides(self) -> bool:
        """Whether it divides rows into classes; else it ranks them."""
        return bool(self.labels)

    @property
    def measure(self) -> str:
        """What `auc` measures, for people."""
        usual = "AUC" if len(self.functions) == 1 else "Hand–Till M"
        return str(self.provenance.get("measure", usual))

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
        own = any(phi.keeps_rows for phi in self.maps)
        return own or any(function.keeps_rows for function in self.functions)

    @property
    def raw_names(self) -> tuple[str, ...]:
        """Names of the features before the maps."""
        if self.encoding is not None:
            return self.encoding.names
        return self.columns or tuple(f"column {j}" for j in range(self.width))

    def feature_names(self, k: int = 0) -> tuple[str, ...] | None:
        """Return the names of the features of score function k; None for those of a kernel."""
        names = self.raw_names
        for phi in (*self.maps, *self.functions[k].maps):
            if isinstance(phi, KernelColumns | Nystroem):
                return None
            names = names_after(phi, names)
        return tuple(names)

    def terms(self, k: int = 0) -> Terms | None:
        """Return the terms of the features of score function k, see `aucbench.contract.terms`.

        None if a score by weights is no sum over columns.
        """
        every = (*self.maps, *self.functions[k].maps)
        maps = [phi for phi in every if not phi.exempt]
        phi = Chain(tuple(maps)) if len(maps) > 1 else (*maps, NoMap())[0]
        return terms(phi, self.functions[k].d - (len(every) - len(maps)))

    @property
    def coefficients(self) -> tuple[Vector, Vector] | None:
        """(V, c): the scores of features x are x @ V.T + c, V of shape (K, d); or None.

        The features are the columns, or what the encoding makes of them.
        """
        each = [
            None if one.weights is None else weights_through((*self.maps, *one.maps), one.weights)
            for one in self.functions
        ]
        known = [affine for affine in each if affine is not None]
        if len(known) < len(each):
            return None
        return np.array([v for v, _ in known]), np.array([c for _, c in known])

    def scores(self, X: Any) -> Vector:
        """Scores of rows (n, width) -> (n, K).

        A larger score means more positive; of K classes a larger one in column k means more of
        class k, and each column has a scale of its own.

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
        scores = np.empty((raw.n, len(self.functions)))
        for low in range(0, raw.n, MAPPED_ROWS):
            block = slice(low, low + MAPPED_ROWS)
            mapped = self.mapped(raw.take(block))
            for k, function in enumerate(self.functions):
                scores[block, k] = function.scores(mapped)
        return scores

    def mapped(self, rows: Rows) -> Rows:
        """Return the features that a score function takes, of rows of numbers or codes."""
        rows = rows if self.encoding is None else self.encoding(rows)
        for phi in self.maps:
            rows = phi(rows)
        return rows

    def log_odds(self, scores: Vector) -> Vector:
        """Put scores (n, K) on one scale: the log-odds of each class against the rest, (n, K).

        They are −(a_k s_k + b_k), with the sigmoids of the K classes.
        """
        sigmoids = [one.calibrator for one in self.functions if isinstance(one.calibrator, Sigmoid)]
        if len(sigmoids) < len(self.functions):
            raise DataError(NO_SIGMOIDS)
        return log_odds(scores, sigmoids)

    def probabilities(self, scores: Vector) -> Vector | None:
        """Return the probability of each class, (n, 2) or (n, K), of scores (n, K).

        Those of three or more classes are the probabilities against the rest, divided by their sum.
        None if the model is not calibrated.
        """
        if len(self.functions) > 1:
            return probabilities(self.log_odds(scores))
        if self.function.calibrator is None:
            return None
        positive = self.function.calibrator(scores[:, 0])
        return np.column_stack([1.0 - positive, positive])

    def decide(self, scores: Vector) -> NDArray[np.intp]:
        """Return the number of the class of each row, (n,), of scores (n, K).

        Of two classes it is 1, the positive one, from the threshold on. Of equal log-odds of three
        or more classes the first counts.
        """
        if len(self.functions) > 1:
            return best(self.log_odds(scores))
        return (scores[:, 0] >= self.function.threshold).astype(np.intp)

    def decided_by(self, places: Index, scores: Vector, aim: Aim) -> Model:
        """Return the model with the threshold, or the sigmoid of each class, that rows choose.

        If a class has no row, the threshold or its sigmoid stays as it is.

        Parameters
        ----------
        places : array of shape (n,)
            Numbers of the classes of the rows among `labels`.
        scores : array of shape (n, K)
        aim : Aim
            Of the threshold of two classes.

        Raises
        ------
        DataError
            When the aim cannot be reached.
        """
        functions, alone = [], len(self.functions) == 1
        for k, own in enumerate(self.functions):
            positive = places == k + alone
            if positive.any() and not positive.all():
                known: dict[str, Any] = (
                    {"threshold": intercept_at(positive, scores[:, k], **aim.given())}
                    if alone
                    else {"calibrator": calibrator("sigmoid", positive, scores[:, k])}
                )
                own = replace(own, **known)
            functions.append(own)
        return replace(self, functions=tuple(functions))

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
            of the positive class, if the model is calibrated; decision, the label of the class, or
            positive and negative if a class has several; problem, why a row has no score, or an
            empty text. Of three or more classes there is a score and a probability for each.

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
        from aucbench.models.prediction import predict_table

        return predict_table(self, table)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one file, without pickle; see docs/model.md.

        Raises
        ------
        UnsupportedError
            As `to_tree`.
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
        try:
            return Model.from_tree(tree)
        except (DataError, UnsupportedError) as error:
            raise DataError(f"{path}: {error}") from error
        except Exception as error:  # a damaged document can make anything raise
            raise DataError(
                f"{path} is damaged: its parts do not fit together ({type(error).__name__}: "
                f"{str(error)[:120]}); take another copy"
            ) from error

    def to_tree(self) -> dict[str, Any]:
        """Return all of it as plain values and arrays.

        Raises
        ------
        UnsupportedError
            When a feature map, or what the solver learnt, is not one of aucbench's own.
        """
        return {
            "functions": [
                {**function.to_tree(), "feature_names": self.feature_names(k)}
                for k, function in enumerate(self.functions)
            ],
            "labels": [[*labels] for labels in self.labels],
            "width": self.width,
            "columns": self.columns,
            "encoding": None if self.encoding is None else self.encoding.to_json(),
            "maps": [tree_of(phi) for own in self.maps for phi in steps_of(own)],
            "ranges": self.ranges,
            "auc": None if self.auc is None else finite(asdict(self.auc)),
            "auc_rows": self.auc_rows,
            "scorecard": None if self.scorecard is None else asdict(self.scorecard),
            "provenance": finite(self.provenance),
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
        if isinstance(functions := parts.get("functions"), list):
            parts["functions"] = [*map(_with_score, functions)]
        model: Model = structured(parts, Model)
        require_fit(model)
        return model


def _with_score(tree: Any) -> Any:
    """Return the tree of a score function with the fields `weights` and `trees`."""
    if not isinstance(tree, Mapping) or "score" not in tree:
        return tree
    own = {name: value for name, value in tree.items() if name not in ("score", *OUTSIDE)}
    score = tree["score"]
    if isinstance(score, Mapping) and score.get(KIND) == LINEAR:
        return {**own, "weights": score.get("weights"), "trees": None}
    return {**own, "weights": None, "trees": score}
