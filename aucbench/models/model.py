"""`Model`: everything that it takes to score new rows, without the rows that taught it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.data import scores as weighted
from aucbench.data.arrays import Rows, Vector
from aucbench.data.inputs import check_rows
from aucbench.datasets.reading import Plain
from aucbench.datasets.tables import Encoding
from aucbench.errors import DataError, UnsupportedError
from aucbench.features import AppendOne, KernelColumns, Nystroem
from aucbench.models import archive
from aucbench.models.calibration import Calibrator
from aucbench.models.document import structured
from aucbench.models.fitting import require_fit
from aucbench.models.maps import KIND, steps_of, tree_of
from aucbench.models.operating import Operating
from aucbench.optim.trees import TreeSum, portable
from aucbench.protocols import MAPPED_ROWS, FeatureMap
from aucbench.records import Run
from aucbench.stats import Interval

INTERCEPT, LINEAR = "(intercept)", "linear"


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A fitted model: from the cells of a table to scores and decisions.

    The score of a row is w · φ_k(… φ_1(x)), or the sum of trees at φ_k(… φ_1(x)). x are the
    numbers of the row, or what the encoding makes of its cells.

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
        The labels of the two classes.
    threshold : float
        A row whose score is at least this is predicted positive.
    operating : Operating or None
        How the threshold was chosen, and what it does.
    calibrator : Sigmoid, Isotonic or None
        From a score to the probability of the positive class.
    auc : Interval or None
        The AUC on rows that did not train the model.
    auc_rows : str
        Which rows these were.
    spread : array of shape (d,), or None
        Standard deviation of each feature of w over the training rows.
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
    auc: Interval | None = None
    auc_rows: str = ""
    spread: Vector | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.weights is None) == (self.trees is None):
            raise DataError("a model has weights or trees, one of them")
        if self.columns is not None and len(self.columns) != self.width:
            raise DataError(f"{len(self.columns)} names for {self.width} columns; name each one")
        if not isfinite(self.threshold):
            raise DataError(f"the threshold is {self.threshold}; choose a finite one")

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
        if self.trees is not None:
            return self.trees.d
        return np.asarray(self.weights).size

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
        ones = sum(isinstance(phi, AppendOne) for phi in self.maps)
        return (*self.raw_names, *(INTERCEPT,) * ones)

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
            When there is no such file, it is no model, is damaged or too large, or is newer than
            this aucbench.
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
        """Return all of it as plain values and arrays."""
        part = {KIND: LINEAR, "weights": self.weights} if self.trees is None else self.trees
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
            "auc": None if self.auc is None else finite(asdict(self.auc)),
            "auc_rows": self.auc_rows,
            "feature_names": self.feature_names,
            "spread": self.spread,
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
        given = {name: value for name, value in tree.items() if name not in OUTSIDE}
        score = given.pop("score", None)
        if isinstance(score, Mapping) and score.get(KIND) == LINEAR:
            given |= {"weights": score.get("weights"), "trees": None}
        else:
            given |= {"weights": None, "trees": score}
        found: Model = structured(given, Model)
        require_fit(found)
        return found


OUTSIDE = ("format", "version", "feature_names")  # what is in the file for other readers


def finite(plain: Any) -> Any:
    """Return plain values with None in place of NaN and infinity, which JSON does not have."""
    if isinstance(plain, Mapping):
        return {str(name): finite(value) for name, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [finite(value) for value in plain]
    plain = plain.item() if isinstance(plain, np.generic) else plain
    return None if isinstance(plain, float) and not isfinite(plain) else plain
