"""The scikit-learn face of every solver.

Design
  a. `fit` makes a `Model` by the recipe of `aucbench.fit`, with the default map and the generators
     of `compare`. So a solver, a seed and training rows give the same scores in all of them.
  b. The decision function is the score less the threshold, so that it is positive exactly where
     `predict` gives the second class. (Rejected: the plain score. Everything in scikit-learn
     that takes a decision function cuts it at 0.)
  c. `score` is the accuracy, as of every classifier of scikit-learn. (Rejected: the AUC. Code that
     compares classifiers by `score` would compare an AUC with an accuracy.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from math import inf, nextafter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from aucbench.contract import Solver
from aucbench.data import Categories, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.folds import drawn_parts
from aucbench.data.targets import label_places
from aucbench.datasets.chunked.dask_parts import is_collection, map_rows, open_collection
from aucbench.datasets.memory import label_array, labelled, plain_rows, read_labels
from aucbench.datasets.tables import with_shapes
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import Aim, auc, hand_till
from aucbench.models.calibration import FOLDS, calibrator, require_method
from aucbench.models.chunked import fitted_in_chunks
from aucbench.models.estimator import Learner, as_plain, header
from aucbench.models.model import Model
from aucbench.models.online import Online, announced_classes, require_streaming
from aucbench.models.prediction import class_names
from aucbench.models.recipe import Recipe
from aucbench.pairs import ByClass
from aucbench.registry import get_pairs
from aucbench.registry.defaults import defaults

CHOSEN_ON_TRAINING = (
    "the threshold was chosen on training rows, whose scores are too good; validation=0.3 would "
    "keep some rows for it"
)
OF_TWO = ("sensitivity", "specificity", "aim")
OF_FIT = ("validation", "warm_start", "calibration", "pairs", "monotone")


def _calibrates(model: AUCClassifier) -> bool:
    if model.calibration is None:
        raise AttributeError(
            "an AUC solver gives scores and no probabilities; with calibration='sigmoid' or "
            "calibration='isotonic' the fit learns them too"
        )
    return True


@dataclass(eq=False, repr=False)
class AUCClassifier(ClassifierMixin, Learner):  # type: ignore[misc]
    """Classifier that maximises the AUC of two classes, or more, with any registered solver.

    Judge it by `auc_score`, or by `scoring="roc_auc"` in scikit-learn: `score` is the accuracy.
    There is no `class_weight`, since every pair of a positive and a negative row would have the
    same weight w₊w₋; to find more of one class, take `sensitivity` or `specificity`. Of three or
    more classes it learns a score for each against the rest, and maximises Hand and Till's M;
    `predict` takes the class with the largest log-odds, by a sigmoid for each score.

    Parameters
    ----------
    solver : str or Solver
        Name, with parameters in brackets if wanted ("sht-auc[k=20]"), or an instance. Its
        parameters are also those of the classifier, as `solver__k`.
    features : str or FeatureMap
        Map of the features, learnt from the training rows, as in `compare`: "auto" (standard
        if rows are dense, maxabs if they are sparse), "none", or any other.
    passes, seconds : float, optional
        Budget: the first limit that is reached ends the fit. Default: 50 passes.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.
    sensitivity, specificity : float, optional
        Share of positives found, or of true negatives, that `predict` must reach on the rows that
        choose the threshold. Default: Youden's J is maximised.
    aim : mapping of str to float, optional
        Another aim of the threshold, by the names of `aucbench.metrics.Aim`: such as
        {"precision": 0.5}, {"flags": 0.01}, or {"cost_fp": 1, "cost_fn": 20}.
    validation : float, optional
        Share of each class that only chooses the threshold. Default: training rows choose it,
        whose scores are too good.
    warm_start : bool
        Whether `fit` starts from the weights of the fit before, and keeps its feature map.
    calibration : {"sigmoid", "isotonic"}, optional
        How `predict_proba` is made of scores, learnt from 5 folds of held-out rows, so that a fit
        takes six times as long. Three or more classes take "sigmoid". Default: no probabilities.
    pos_label : label or "last", optional
        The positive label; "last" takes the larger one. Needed unless labels say it: 0 and 1, -1
        and 1, truth values, or a pair of words such as no and yes.
    pairs : Pairs or str, optional
        Which pairs of rows count, such as `aucbench.pairs.Group()`, "fpr[max=0.1,rest=0.5]" or
        "class[each=rest]". Default: all pairs of two classes; of more classes `ByClass()`, or
        `ByClass("rest")` if the solver ignores weights of rows.
    monotone : str, mapping of str to shape, or sequence of int, optional
        Constraints on effects of columns: "income=+1,age=-1,dose=convex", a mapping of names or
        numbers of columns to such shapes, or 1, -1 or 0 for each column.

    Attributes
    ----------
    model_ : Model
        What was learnt, as `aucbench.fit` returns it.
    run_ : Run
        After `fit` in this process: weights, curve and the reason why the solver ended.
    n_features_in_, feature_names_in_ :
        Number of columns, and their names if X had them.
    """

    solver: str | Solver = defaults()["classifier"]
    _: KW_ONLY
    sensitivity: float | None = None
    specificity: float | None = None
    aim: Mapping[str, float] | None = None
    validation: float | None = None
    warm_start: bool = False
    calibration: str | None = None
    pos_label: Any = None
    pairs: Any = None
    monotone: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn a model and its threshold from rows X (n, d) and labels y (n,).

        Parameters
        ----------
        X : array, table or sparse matrix of shape (n, d), or rows in chunks
            Text, dates and missing cells of a table of pandas, polars or pyarrow, or of an array,
            become features as in `aucbench.fit`. Rows in chunks, as of `aucbench.open_parts`, are
            read again and again; so are collections of dask, for which predictions are lazy.
        y : array of shape (n,)
            Labels, see `pos_label`. Rows in chunks have theirs; of a data frame of dask it may be
            the name of their column.
        sample_weight : array of shape (n,), optional
            A pair of rows weighs w_i w_j; rows of weight 0 are left out. Of solvers whose objective
            has weights. The feature map and the threshold count rows.
        groups : array of shape (n,), optional
            The group of each row, such as a user. No group is on both sides of `validation` or of a
            fold, and `pairs="group"` are pairs within them.

        Raises
        ------
        AucbenchError
            When rows or labels cannot be used, or an option does not fit them or the solver.
        """
        require_method(self.calibration)
        aim = self._aim
        if is_collection(X):
            X, y = open_collection(X, y), None
        if all(hasattr(X, name) for name in ("read", "sizes", "fingerprint")):
            return self._fit_chunks(X, aim, y=y, sample_weight=sample_weight, groups=groups)
        start = getattr(self, "model_", None) if self.warm_start else None
        data = self._data(X, y, sample_weight, groups, start)
        recipe, train, held = self._recipe(), data, data
        if self.validation is not None:  # not the generators that `solve` spawns
            rng = np.random.default_rng(recipe.seed).spawn(3)[2]
            train, held = data.split(self.validation, rng)
        model, run = recipe.fit(train, start=start)
        model = model.decided_by(_class_numbers(held), model.scores(held.rows), aim)
        if self.calibration is not None:
            model = self._calibrated(model, recipe, data, aim)
        about: dict[str, Any] = {"warnings": [] if self.validation else [CHOSEN_ON_TRAINING]}
        if self.pairs is not None:
            about["pairs"] = as_plain(self.pairs)
        self._keep(X, replace(model, provenance={**model.provenance, **about}), run_=run)
        return self

    def _fit_chunks(self, parts: Any, aim: Aim, **roles: Any) -> Self:
        """Learn from rows in chunks, which have their labels."""
        given = [name for name, value in roles.items() if value is not None]
        if given := [*given, *self._given(*OF_FIT[1:], "pos_label")]:
            raise ParameterError(
                f"{' and '.join(given)} cannot be had with rows in chunks, which come with their "
                "labels; leave it out; aucbench.fit calibrates, and positive= of the files says "
                "which label is positive"
            )
        model, run, y, scores = fitted_in_chunks(self._recipe(), parts, self.validation)
        model = replace(model, labels=tuple((name,) for name in class_names(model)))
        model = model.decided_by((y > 0).astype(np.int32), scores[:, None], aim)
        self._keep(header(model.columns, model.width), model, run_=run)
        return self

    def _data(self, X: Any, y: Any, weights: Any, groups: Any, start: Model | None) -> Data:
        """Return the rows with labels, pairs and constraints on effects."""
        target, understood = read_labels(y, self.pos_label)
        if isinstance(target, Categories):
            require_method(self.calibration, target.k)
            if given := self._given(*OF_TWO):
                raise ParameterError(
                    f"{given[0]} is for the threshold of two classes, and y has {target.k}; leave "
                    "it out, or give the labels y == one_of_them"
                )
        encoding = None if start is None else start.encoding
        schema = None if encoding is None else encoding.schema
        data = self._read(X, target, weights, groups, schema)
        if self.calibration is not None and data.weights is not None:
            raise UnsupportedError(
                "calibration counts rows, not weights; leave out sample_weight or calibration"
            )
        pairs = get_pairs(self.pairs) if isinstance(self.pairs, str) else self.pairs
        data = replace(data, understood=understood, pairs=pairs)
        return data if self.monotone is None else with_shapes(data, self.monotone)

    def _calibrated(self, model: Model, recipe: Recipe, data: Data, aim: Aim) -> Model:
        """Return the model with probabilities, learnt from rows that are held out fold by fold."""
        parts = [*drawn_parts(data, FOLDS, recipe.seed)]
        places = np.concatenate([_class_numbers(held) for _, held in parts])
        scores = np.concatenate([recipe.fit(rest)[0].scores(held.rows) for rest, held in parts])
        if len(model.functions) > 1:
            return model.decided_by(places, scores, aim)
        curve = calibrator(str(self.calibration), places == 1, scores[:, 0])
        return replace(model, functions=(replace(model.function, calibrator=curve),))

    @available_if(lambda model: require_streaming(model.solver))  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from one more chunk of rows, in their order; only streaming solvers have this.

        The first call, and the first after `fit`, begins with zero weights, and learns the map
        `features` from its rows. The latest chunk with both classes chooses the threshold.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d), or Chunk
            A `Chunk`, as `aucbench.datasets.stream` yields them, has its labels with it.
        y : array of shape (n,), optional
            Labels; left out with a `Chunk`. One class is enough.
        classes : array of labels, optional
            The labels that will come; needed at the first call unless all are known by then.

        Raises
        ------
        AucbenchError
            When rows, labels or the solver are not those of the first call, an option is for `fit`,
            or the weights are no longer finite.
        """
        if given := self._given(*OF_FIT):
            raise ParameterError(f"{given[0]} is for fit; leave it out for partial_fit")
        source, labels = labelled(X, y)
        rows = plain_rows(source)
        if labels.size != rows.n:
            raise DataError(f"X has {rows.n} rows, y has {labels.size} labels; give one per row")
        aim, online = self._aim, getattr(self, "_online", None)
        if online is None:
            known = [*announced_classes(X, labels, classes, self.pos_label)]
            online = Online.start(self._recipe(), rows, known)
        elif online.recipe.solver != self.solver:
            raise ParameterError(
                f"solver became {self.solver!r} and partial_fit began with "
                f"{online.recipe.solver!r}; a new AUCClassifier takes another"
            )
        else:
            known = self._known
            label_places(labels[:0] if classes is None else label_array(classes), known)
            self._require_columns(source)
        self._keep(source, online.learn(rows, label_places(labels, known), aim), _online=online)
        return self

    def decision_function(self, X: Any) -> Vector:
        """Scores less the threshold of rows X (n, d) -> (n,); above 0 for the second class.

        A row whose score is the threshold is positive. If `pos_label_` is the first class, all
        signs are turned. Of K classes: the log-odds of each against the rest, (n, K).

        Raises
        ------
        DataError
            When X has other columns than in the fit, or cells that cannot be read.
        """
        if is_collection(X):
            width = self.classes_.size if self._many else None
            lazy: Vector = map_rows(self.decision_function, X, np.float64, width)
            return lazy
        scores = self._scores(X)
        a, b = self._line
        decided: Vector = a * scores + b
        return decided if self._many else decided.ravel()

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows X (n, d) -> (n,): positive from the threshold on, or most probable."""
        if is_collection(X):
            lazy: NDArray[Any] = map_rows(self.predict, X, self.classes_.dtype)
            return lazy
        decided = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[
            decided.argmax(axis=1) if self._many else (decided > 0).astype(np.intp)
        ]
        return labels

    @available_if(_calibrates)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Vector:
        """Probabilities of the classes of rows X (n, d) -> (n, K); only with `calibration`.

        Of two classes `predict` does not cut them at 1/2, but at the threshold. Of more they are
        those of each class against the rest, divided by their sum.
        """
        if is_collection(X):
            lazy: Vector = map_rows(self.predict_proba, X, np.float64, self.classes_.size)
            return lazy
        chances: Vector = self.model_.probabilities(self._scores(X))
        return np.fliplr(chances) if self._turned else chances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of rows X (n, d) whose label in y (n,) `predict` finds; a `Chunk` has its labels.

        Raises
        ------
        DataError
            As `decision_function`, or when y has a label that the model does not know.
        """
        check_is_fitted(self)
        rows, labels = labelled(X, y)
        label_places(labels, self._known)
        return float(super().score(rows, labels, sample_weight))

    def auc_score(self, X: Any, y: Any = None) -> float:
        """Area under the ROC curve of the scores on rows X (n, d) with labels y (n,).

        A `Chunk` has its labels. Of three or more classes it is Hand and Till's M.

        Raises
        ------
        DataError
            As `score`, or when y lacks one of the labels.
        """
        check_is_fitted(self)
        rows, labels = labelled(X, y)
        places, scores = label_places(labels, self._known), self._scores(rows)
        return hand_till(places, scores) if self._many else auc(places == 1, scores[:, 0])

    @property
    def coef_(self) -> Vector:
        """Weights of the features that `get_feature_names_out` names, shape (1, d) or (K, d)."""
        return self._line[0][:, None] * self._affine()[0]

    @property
    def intercept_(self) -> Vector:
        """The decision function of a row whose features are zeros, shape (1,) or (K,)."""
        a, b = self._line
        return a * self._affine()[1] + b

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels; two are sorted, as scikit-learn asks for, whichever is positive."""
        labels = np.array(self._known)
        return labels if labels.size > 2 else np.sort(labels)

    @property
    def pos_label_(self) -> Any:
        """The positive one of two labels."""
        return self.model_.labels[1][0]

    @property
    def threshold_(self) -> float:
        """The score from which a row counts as positive."""
        return float(self.model_.function.threshold)

    def __sklearn_tags__(self) -> Any:
        """More than two classes, unless an option is about two."""
        tags, pairs = super().__sklearn_tags__(), self.pairs
        text = pairs if isinstance(pairs, str) else getattr(pairs, "kind", "")
        many = text.partition("[")[0].strip() in ("", ByClass.kind) and not self._given(*OF_TWO)
        tags.classifier_tags.multi_class = many and self.calibration != "isotonic"
        return tags

    def _given(self, *names: str) -> list[str]:
        """Return those of some parameters that are given."""
        each = ((name, getattr(self, name)) for name in names)
        return [name for name, value in each if value is not None and value is not False]

    @property
    def _aim(self) -> Aim:
        shares = {"sensitivity": self.sensitivity, "specificity": self.specificity}
        named = {name: share for name, share in shares.items() if share is not None}
        if twice := {*named} & {*(self.aim or {})}:
            raise ParameterError(f"{min(twice)} is given twice, alone and in aim; give it once")
        return Aim.of({**named, **(self.aim or {})})

    @property
    def _known(self) -> list[Any]:
        """The labels in the order of the model: of two, the positive one is last."""
        return [own[0] for own in self.model_.labels]

    @property
    def _many(self) -> bool:
        return len(self.model_.labels) > 2

    @property
    def _turned(self) -> bool:
        """Whether the first of two classes is positive."""
        return not self._many and bool(self.classes_[0] == self._known[1])

    @property
    def _line(self) -> tuple[Vector, Vector]:
        """Return (a, b): the decision function of scores s is a s + b, column by column."""
        if self._many:
            each = [function.calibrator for function in self.model_.functions]
            return -np.array([one.a for one in each]), -np.array([one.b for one in each])
        if self._turned:
            return np.array([-1.0]), np.array([self.threshold_])
        below = nextafter(self.threshold_, -inf)  # score > below exactly if score >= threshold
        return np.array([1.0]), np.array([-below])


def _class_numbers(data: Data) -> Index:
    """Return the number of the class of each row, (n,): of two, 0 for the negative and 1."""
    if isinstance(data.target, Categories):
        return data.target.y
    return np.asarray(data.y > 0, np.int32)
