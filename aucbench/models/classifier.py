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

from aucbench.data import Categories, Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.folds import drawn_parts
from aucbench.data.targets import Labels, counted, label_places, ordered_classes
from aucbench.data.understood import Understood
from aucbench.datasets.chunked.dask_parts import collected, is_collection, lazily
from aucbench.datasets.memory import label_array, plain_rows
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.metrics import Aim, auc, hand_till
from aucbench.models.calibration import FOLDS, calibrator, require_method
from aucbench.models.chunked import fitted_in_chunks
from aucbench.models.estimator import Learner, header, plain_value
from aucbench.models.model import Model
from aucbench.models.online import Online, announced_classes, require_streaming
from aucbench.models.prediction import class_names
from aucbench.models.recipe import Recipe, class_labels
from aucbench.pairs import ByClass
from aucbench.protocols import Solver
from aucbench.registry import get_pairs

CHOSEN_ON_TRAINING = (
    "the threshold was chosen on training rows, whose scores are too good; validation=0.3 would "
    "keep some rows for it"
)
OF_TWO = ("sensitivity", "specificity", "aim")
OF_FIT = ("validation", "warm_start", "calibration", "pairs", "monotone")


def _streams(model: AUCClassifier) -> bool:
    try:
        require_streaming(model.solver)
    except AucbenchError as refusal:
        raise AttributeError(str(refusal)) from refusal
    return True


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

    Judge it by `auc_score`, or by `scoring="roc_auc"` in `cross_val_score` and `GridSearchCV`:
    `score` is the accuracy, as of every classifier of scikit-learn. There is no `class_weight`.
    The AUC compares each positive row with each negative one, and every such pair would have the
    same weight w₊w₋. To find more of one class, take `sensitivity` or `specificity`.

    Of three or more classes it learns one score for each, by which rows of this class rank above
    all others: it maximises Hand and Till's M. Each column of scores is then put on the scale of
    log-odds by a sigmoid of its own, which changes no AUC. `predict` takes the class with the
    largest one. (The largest raw score would say nothing: each column has a scale of its own.)

    Parameters
    ----------
    solver : str or Solver
        Name, with parameters in brackets if wanted ("sht-auc[k=20]"), or an instance. Its
        parameters are also those of the classifier, as `solver__k`.
    features : str or FeatureMap
        Map of the features, learnt from the training rows, as in `compare`: "auto" (standard
        where rows are dense, maxabs where they are sparse), "none", or any other.
    passes, seconds : float, optional
        Budget: the first limit that is reached ends the fit. Default: 50 passes.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.
    sensitivity, specificity : float, optional
        One of them: the share of positives found, or of true negatives, that `predict` must reach
        on the rows that choose the threshold. With neither, Youden's J is maximised.
    aim : mapping of str to float, optional
        Another aim of the threshold, by the names of `aucbench.metrics.Aim`: such as
        {"precision": 0.5}, {"flags": 0.01}, or {"cost_fp": 1, "cost_fn": 20}.
    validation : float, optional
        Share of each class that is used only to choose the threshold; `fit` learns weights from
        the rest. None: the threshold is chosen on the training rows, whose scores are too good.
    warm_start : bool
        Whether `fit` starts from the weights of the fit before, and keeps its feature map.
    calibration : {"sigmoid", "isotonic"}, optional
        How `predict_proba` is made of scores: Platt's sigmoid, or isotonic regression, fitted to
        scores of 5 folds of held-out rows, so that a fit takes six times as long. None: there is
        no `predict_proba`. Three or more classes take "sigmoid" only.
    pos_label : label or "last", optional
        The positive label. Needed unless labels say it: 0 and 1, -1 and 1, truth values, or a pair
        of words such as no and yes. "last" takes the larger one, as functions of scikit-learn do.
    pairs : Pairs or str, optional
        Which pairs of rows count, such as `aucbench.pairs.Group()`, "fpr[max=0.1,rest=0.5]" or
        "class[each=rest]". None: all pairs of two classes. Of three or more classes those of
        `ByClass()`, by which each pair of classes counts the same; or of `ByClass("rest")`,
        one-vs-rest, if the solver ignores weights of rows.
    monotone : str, mapping of str to shape, or sequence of int, optional
        Constraints on effects of columns: "income=+1,age=-1,dose=convex"; a mapping of names, or of
        the numbers of columns without names, to such shapes; or 1, -1 or 0 for each column, as
        `monotonic_cst` of scikit-learn. For solvers that keep them, such as rank-svm.

    Attributes
    ----------
    model_ : Model
        What was learnt: encoding, feature maps, score functions with threshold and calibration.
    run_ : Run
        After `fit` in this process: weights, curve and the reason why the solver ended.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the columns, if X had them.
    """

    solver: str | Solver = "sht-auc"
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
        """Learn weights and a threshold from rows X (n, d) and labels y (n,).

        Parameters
        ----------
        X : array, table or sparse matrix of shape (n, d), or rows out of core
            A table is a data frame of pandas or polars, or a table of pyarrow. Its text, dates
            and missing cells become features as in `aucbench.fit`; so do those of an array. Rows
            out of core, such as `aucbench.open_parts("rows/*.parquet", target="y")`, are read again
            and again. So are arrays and data frames of dask, whose partitions stay on the workers;
            for them `decision_function`, `predict` and `predict_proba` return lazy collections.
        y : array of shape (n,)
            Two labels, see `pos_label`; or more. Rows out of core have theirs. Of a data frame of
            dask it may be the name of their column.
        sample_weight : array of shape (n,), optional
            Weights of rows: a pair of rows weighs w_i w_j. Solvers whose objective has them take
            them, such as svm-or and logistic. Rows of weight 0 are left out. The feature map and
            the threshold count rows, not weights.
        groups : array of shape (n,), optional
            The group of each row, such as a user. No group is on both sides of `validation` or of
            the folds of `calibration`, and pairs within groups, `pairs="group"`, are those of them.

        Raises
        ------
        DataError
            When a number is infinite, a cell of a sparse matrix is missing, there is one class, or
            labels do not say which one is positive.
        ParameterError, UnknownNameError
            When an option has a value that it cannot have, or is for two classes and y has more.
        UnsupportedError
            When `warm_start` is set and the solver takes no start; when weights differ and the
            solver or `calibration` takes none.
        """
        require_method(self.calibration)
        aim = self._aim
        if is_collection(X):
            X, y = collected(X, y), None
        if all(hasattr(X, name) for name in ("read", "sizes", "fingerprint")):
            return self._fit_chunks(X, aim, y=y, sample_weight=sample_weight, groups=groups)
        start = getattr(self, "model_", None) if self.warm_start else None
        data = self._data(X, y, sample_weight, groups, start)
        recipe, train, held = self._recipe(), data, data
        if self.validation is not None:  # not the generators that `solve` spawns
            rng = np.random.default_rng(recipe.seed).spawn(3)[2]
            train, held = data.split(self.validation, rng)
        model, run = recipe.fit(train, start=start)
        model = model.decided_by(_places(held), model.scores(held.rows), aim)
        if self.calibration is not None:
            model = self._calibrated(model, recipe, data, aim)
        about = {"warnings": [] if self.validation else [CHOSEN_ON_TRAINING]}
        if self.pairs is not None:
            about["pairs"] = plain_value(self.pairs)
        about = {**model.provenance, **about}
        self._keep(X, replace(model, provenance=about), run_=run)
        return self

    def _fit_chunks(self, parts: Any, aim: Aim, **roles: Any) -> Self:
        """Learn from rows in chunks, which have their labels."""
        options = {name: getattr(self, name) for name in (*OF_FIT, "pos_label")}
        given = {**roles, **options, "validation": None}
        if named := [n for n, value in given.items() if value is not None and value is not False]:
            raise ParameterError(
                f"{' and '.join(named)} cannot be had with rows in chunks, which come with their "
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
        if y is None:
            raise DataError("AUCClassifier requires y to be passed, but the target y is None")
        labels = label_array(y)
        classes = ordered_classes(counted(labels), self.pos_label)
        places = label_places(labels, classes)
        many = len(classes) > 2
        target = Categories(places, np.array([*map(str, classes)])) if many else None
        schema = None if start is None or start.encoding is None else start.encoding.schema
        data = self._read(X, target or Labels.of_mask(places == 1), weights, groups, schema)
        known = (
            Understood(labels=classes)
            if many
            else Understood(negative=classes[:1], positive=classes[1:])
        )
        pairs = get_pairs(self.pairs) if isinstance(self.pairs, str) else self.pairs
        data = replace(data, understood=known, pairs=pairs)
        self._require_possible(data, start)
        return data if self.monotone is None else data.shaped(self.monotone)

    @available_if(_streams)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from one more chunk of rows, in their order; only streaming solvers have this.

        The first call, and the first after `fit`, begins with zero weights, and learns the map
        `features` from its rows. The threshold is chosen on the latest chunk with both classes.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d), or Chunk
            One class is enough. A `Chunk`, as `aucbench.datasets.stream` yields them, has its
            labels with it, and says how its file writes them.
        y : array of shape (n,), optional
            Labels; left out with a `Chunk`.
        classes : array of labels, optional
            The labels that will come; needed at the first call unless all are known by then. Of
            three or more, each is learnt against the rest.

        Raises
        ------
        DataError
            When a label or the columns are not those of the first call, the rows or the labels
            cannot be used, or the weights are no longer finite.
        ParameterError
            When `solver` was changed since the first call; as `fit`; when an option is for `fit`.
        """
        for name in OF_FIT:
            if getattr(self, name) is not None and getattr(self, name) is not False:
                raise ParameterError(f"{name} is for fit; leave it out for partial_fit")
        source, labels = _with_labels(X, y)
        rows = plain_rows(source)
        if labels.size != rows.n:
            raise DataError(f"X has {rows.n} rows, y has {labels.size} labels; give one per row")
        aim, online = self._aim, getattr(self, "_online", None)
        if online is None:
            known = announced_classes(X, labels, classes, self.pos_label)
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
        signs are turned. Of K classes it has the shape (n, K): the log-odds of each class against
        the rest, whose AUCs are those of the scores.

        Raises
        ------
        DataError
            When X has other columns than in the fit, or cells that cannot be read.
        """
        if is_collection(X):
            width = self.classes_.size if self.classes_.size > 2 else None
            lazy: Vector = lazily(self.decision_function, X, np.float64, width)
            return lazy
        scores = self._scores(X)
        a, b = self._line
        decided = a * scores + b
        return decided if a.size > 1 else decided[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows X (n, d) -> (n,): the positive one from the threshold on.

        Of three or more classes, the one with the largest log-odds.
        """
        if is_collection(X):
            lazy: NDArray[Any] = lazily(self.predict, X, self.classes_.dtype)
            return lazy
        decided = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[
            decided.argmax(axis=1) if decided.ndim > 1 else (decided > 0).astype(np.intp)
        ]
        return labels

    @available_if(_calibrates)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Vector:
        """Probabilities of the classes of rows X (n, d) -> (n, K); only with `calibration`.

        Of two classes they rise with the decision function, and `predict` does not cut them at 1/2,
        but at the threshold. Of more they are the probabilities of each class against the rest,
        divided by their sum.
        """
        if is_collection(X):
            lazy: Vector = lazily(self.predict_proba, X, np.float64, self.classes_.size)
            return lazy
        chances = self.model_.probabilities(self._scores(X))
        return chances[:, ::-1] if self._turned else chances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of rows X (n, d) whose label in y (n,) `predict` finds; a `Chunk` has its labels.

        Raises
        ------
        DataError
            As `decision_function`, or when y has a label that the model does not know.
        """
        check_is_fitted(self)
        rows, labels = _with_labels(X, y)
        label_places(labels, self._known)
        return float(super().score(rows, labels, sample_weight))

    def auc_score(self, X: Any, y: Any = None) -> float:
        """Area under the ROC curve of the scores on rows X (n, d) with labels y (n,).

        A `Chunk` has its labels, and is given without y. Of three or more classes it is Hand and
        Till's M.

        Raises
        ------
        DataError
            As `score`, or when y lacks one of the labels.
        """
        check_is_fitted(self)
        rows, labels = _with_labels(X, y)
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
        return self.model_.function.threshold

    @property
    def keeps_rows_(self) -> bool | None:
        """Whether training rows are in this object: see `Run.keeps_rows`.

        After `partial_fit` also the memory counts: the buffers of oam-gra and oam-seq hold rows.
        """
        check_is_fitted(self)
        kept = getattr(self, "_online", None) or getattr(self, "run_", None) or self.model_
        of_maps = any(getattr(phi, "keeps_rows", False) for phi in self.model_.maps)
        return of_maps or kept.keeps_rows

    def __sklearn_tags__(self) -> Any:
        """More than two classes, unless an option is about two."""
        tags, pairs = super().__sklearn_tags__(), self.pairs
        text = pairs if isinstance(pairs, str) else getattr(pairs, "kind", "")
        of_two = any(getattr(self, name) for name in OF_TWO) or self.calibration == "isotonic"
        many = not of_two and text.partition("[")[0].strip() in ("", ByClass.kind)
        tags.classifier_tags.multi_class = many
        return tags

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
        # score - cut > 0 exactly where score >= threshold
        slope, shift = (-1.0, self.threshold_) if self._turned else (1.0, -self._cut)
        return np.array([slope]), np.array([shift])

    @property
    def _cut(self) -> float:
        """The number below the threshold."""
        return nextafter(self.threshold_, -inf)

    def _require_possible(self, data: Data, start: Model | None) -> None:
        """Raise if an option is not for these rows, or a warm start is from other classes."""
        if self.calibration is not None and data.weights is not None:
            raise UnsupportedError(
                "calibration counts rows, not weights; leave out sample_weight or calibration"
            )
        if start is not None and start.labels != class_labels(data):
            raise DataError(
                f"warm_start goes on from the classes {self.classes_.tolist()}, and y has "
                "others; fit it with warm_start=False"
            )
        if not isinstance(data.target, Categories):
            return
        if named := [name for name in OF_TWO if getattr(self, name)]:
            raise ParameterError(
                f"{named[0]} is for the threshold of two classes, and y has {data.target.k}; leave "
                "it out, or give the labels y == one_of_them"
            )
        if self.calibration == "isotonic":
            raise ParameterError(
                "calibration='isotonic' is for two classes: its steps would tie the log-odds of "
                f"{data.target.k} classes; take 'sigmoid'"
            )

    def _calibrated(self, model: Model, recipe: Recipe, data: Data, aim: Aim) -> Model:
        """Return the model with probabilities, learnt from rows that are held out fold by fold."""
        y, scores = [], []
        for rest, held in drawn_parts(data, FOLDS, recipe.seed):
            y.append(_places(held))
            scores.append(recipe.fit(rest)[0].scores(held.rows))
        places, held_out = np.concatenate(y), np.concatenate(scores)
        if len(model.functions) > 1:
            return model.decided_by(places, held_out, aim)
        curve = calibrator(str(self.calibration), 2 * places - 1, held_out[:, 0])
        return replace(model, functions=(replace(model.function, calibrator=curve),))


def _places(data: Data) -> Index:
    """Return the place of the label of each row among those of the model."""
    strata = data.strata
    return strata if isinstance(data.target, Categories) else (strata + 1) // 2


def _with_labels(X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Return rows and their labels, which come either with a `Chunk` or in y."""
    if (y is None) != isinstance(X, Chunk):
        raise DataError("pass rows with their labels y, or a Chunk, which has them, without y")
    return (X.rows, X.labels) if isinstance(X, Chunk) else (X, label_array(y))
