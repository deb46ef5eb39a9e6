"""The scikit-learn face of every solver.

The file is long, because scikit-learn wants all parameters and methods in one class.

Design
  a. Rows are mapped by `features` before the solver, as `compare` does, with the same default and
     the same generators. So a solver, a seed and training rows give the same scores in both.
  b. The decision function is the score less the threshold, so that it is positive exactly where
     `predict` gives the second class. (Rejected: the plain score. Everything in scikit-learn
     that takes a decision function cuts it at 0.)
  c. `score` is the accuracy, as of every classifier of scikit-learn. (Rejected: the AUC. Code that
     compares classifiers by `score` would compare an AUC with an accuracy.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, nextafter
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.folds import drawn_parts
from aucbench.data.targets import Labels
from aucbench.datasets.parted.collected import collected, is_collection, lazily
from aucbench.errors import AucbenchError, ParameterError, UnsupportedError
from aucbench.features import Chain
from aucbench.metrics import Aim, auc, hand_till, intercept_at
from aucbench.models.calibration import (
    FOLDS,
    best,
    calibrator,
    log_odds,
    probabilities,
    require_method,
    sigmoids,
)
from aucbench.models.chunked import fitted_in_chunks
from aucbench.models.estimator import Scoring, Start
from aucbench.models.inputs import (
    announced,
    data_of,
    is_parts,
    labelled,
    plain_column,
    plain_frame,
    remember_columns,
    require_columns,
    require_one_source,
    rows_of,
)
from aucbench.models.model import Model
from aucbench.models.multiclass import (
    Online,
    affine_of,
    options_of_two,
    refreshed,
    require_for_classes,
    require_online,
    require_streaming,
    sides_of,
)
from aucbench.models.prediction import label_of
from aucbench.models.recipe import Recipe
from aucbench.models.saving import model_of, restore
from aucbench.pairs import ByClass
from aucbench.protocols import (
    FeatureMap,
    NoMap,
    Scorer,
    Solver,
    identity,
)
from aucbench.ranges import GAP_TOL
from aucbench.registry import get_pairs, get_preprocessing, get_solver
from aucbench.scale import Parts
from aucbench.solving.classes import pairs_trained
from aucbench.solving.tuning import weights_of

LEARNT = (  # what a fit before has learnt
    *("run_", "weights_", "calibrator_", "calibrators_", "pairs_", "pos_label_", "threshold_"),
)


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


class AUCClassifier(ClassifierMixin, Scoring):  # type: ignore[misc]
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
        Budget: the first limit that is reached ends the fit. 50 passes when neither is given.
    gap_tol : float
        Certified relative gap at which solvers that have one stop.
    random_state : int, optional
        Seed; None draws a fresh one.
    sensitivity, specificity : float, optional
        One of them: the share of positives found, or of negatives left out, that `predict`
        must reach on the rows that choose the threshold. With neither, Youden's J is maximised.
    aim : mapping of str to float, optional
        What else the threshold shall reach, by the names of `aucbench.metrics.Aim`: such as
        {"precision": 0.5}, {"flags": 0.01}, or {"cost_fp": 1, "cost_fn": 20}.
    validation : float, optional
        Share of each class that is used only to choose the threshold; `fit` learns weights from
        the rest. None: the threshold is chosen on the training rows, whose scores are too good.
    warm_start : bool
        Whether `fit` starts from the weights of the fit before, and keeps the feature map that
        these weights belong to.
    pos_label : label or "last", optional
        The label that counts as positive: the one that shall get high scores, and that
        `sensitivity` is about. Needed unless labels say it: 0 and 1, -1 and 1, truth values, or a
        pair of words such as no and yes. "last" takes the larger one, as functions of
        scikit-learn do.
    calibration : {"sigmoid", "isotonic"}, optional
        How `predict_proba` is made of scores: Platt's sigmoid, or isotonic regression. It is
        fitted to scores of rows that did not train what scored them, by 5 folds, so that a fit
        takes six times as long. None: there is no `predict_proba`. Three or more classes take
        "sigmoid" only.
    pairs : Pairs or str, optional
        Which pairs of rows count, such as `aucbench.pairs.Group()`, "fpr[max=0.1,rest=0.5]" or
        "class[each=rest]". None: all pairs of two classes. Of three or more classes those of
        `ByClass()`, by which each pair of classes counts the same; or of `ByClass("rest")`,
        one-vs-rest, if the solver ignores weights of rows.
    monotone : str, mapping of str to shape, or sequence of int, optional
        What effects of columns on the score must be: "income=+1,age=-1,dose=convex"; a mapping of
        names, or of the numbers of columns without names, to such shapes; or 1, -1 or 0 for each
        column, as `monotonic_cst` of scikit-learn. Of solvers that keep it, such as rank-svm.

    Attributes
    ----------
    classes_ : array of shape (2,) or (K,)
        The labels, as the user writes them, sorted. As scikit-learn asks for, the decision
        function is positive for the second of two, also where the first one is `pos_label_`.
    pos_label_ : label
        The positive one of two.
    pairs_ : ByClass
        Of three or more classes: the pairs that were trained.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the columns, where X had them.
    encoding_ : Encoding or None
        What makes features of a table with text, dates or missing cells, learnt from the training
        rows; None where all columns were finite numbers.
    features_ : FeatureMap
        The map of these features, learnt.
    ranges_ : array of shape (2, n_features_in_), or None
        The smallest and the largest number of each column in the training rows, or of its codes by
        `encoding_`, for `aucbench predict`. None after `partial_fit` and for rows in parts.
    run_ : Run
        After `fit`: weights or model, curve and the reason why the solver ended.
    weights_ : array of shape (d,) or (K, d)
        After `partial_fit`: the weights so far, of mapped features.
    threshold_ : float
        Score from which a row counts as positive; after `partial_fit` chosen on the latest
        chunk that held both classes, 0 until there is one.
    coef_ : array of shape (1, d)
        Weights of the features that `get_feature_names_out` names, where the map is affine. They
        are the columns as they were given, or with `encoding_` what it makes of them. Of K classes
        it has a row for each.
    intercept_ : array of shape (1,) or (K,)
        With `coef_`: the decision function is X @ coef_.T + intercept_, up to rounding.
    calibrator_ : Sigmoid or Isotonic
        With `calibration`: from a score before the threshold is subtracted to the probability.
    calibrators_ : tuple of K Sigmoid
        Of three or more classes: from the score of each to its log-odds against the rest; fitted to
        the rows that would choose a threshold, or with `calibration` by folds.
    """

    _online: Online | None = None

    def __init__(
        self,
        solver: str | Solver = "sht-auc",
        *,
        features: str | FeatureMap = "auto",
        passes: float | None = None,
        seconds: float | None = None,
        gap_tol: float = GAP_TOL,
        random_state: int | None = 0,
        sensitivity: float | None = None,
        specificity: float | None = None,
        aim: Mapping[str, float] | None = None,
        validation: float | None = None,
        warm_start: bool = False,
        calibration: str | None = None,
        pos_label: Any = None,
        pairs: Any = None,
        monotone: Any = None,
    ):
        self.solver = solver
        self.features = features
        self.passes = passes
        self.seconds = seconds
        self.gap_tol = gap_tol
        self.random_state = random_state
        self.sensitivity = sensitivity
        self.specificity = specificity
        self.aim = aim
        self.validation = validation
        self.warm_start = warm_start
        self.calibration = calibration
        self.pos_label = pos_label
        self.pairs = pairs
        self.monotone = monotone

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn weights and a threshold from rows X (n, d) and labels y (n,).

        Parameters
        ----------
        X : array, table or sparse matrix of shape (n, d), or rows in parts
            A table is a data frame of pandas or polars, or a table of pyarrow. Its text, dates
            and missing cells become features as in `aucbench.fit`; so do those of an array. Rows in
            parts, such as `aucbench.open_parts("rows/*.parquet", target="y")`, are read again and
            again, and need not fit in memory; a sample of them chooses the threshold. So are arrays
            and data frames of dask, whose partitions stay on the workers of the client in use; for
            them `decision_function`, `predict` and `predict_proba` return lazy collections.
        y : array of shape (n,)
            Two labels, see `pos_label`; or more. Rows in parts have theirs. Of a data frame of dask
            it may be the name of their column.
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
        ParameterError
            When sensitivity, specificity or a value of aim is out of its range, the threshold
            shall reach more than one of them, or an option is for two classes and y has more.
        UnknownNameError
            When `aim` has another name than `Aim`.
        UnsupportedError
            When `warm_start` is set and the solver takes no start; when weights differ and the
            solver or `calibration` takes none.
        """
        self._require_one_aim()
        require_method(self.calibration)
        if is_collection(X):
            X, y = collected(X, y), None
        if is_parts(X):
            return self._fitted_by_parts(X, y, sample_weight, groups)
        X, y = plain_frame(X), plain_column(y)
        warm = self.warm_start and self.__sklearn_is_fitted__()
        schema, start = (self._schema, self._start()) if warm else (None, None)
        data, classes = data_of(X, y, sample_weight, self.pos_label, schema, groups)
        pairs = get_pairs(self.pairs) if isinstance(self.pairs, str) else self.pairs
        data = data if pairs is None else replace(data, pairs=pairs)
        data = data if self.monotone is None else data.shaped(self.monotone)
        if classes.size > 2:
            require_for_classes(self, classes, start)
        if self.calibration is not None and data.weights is not None:
            raise UnsupportedError(
                "calibration counts rows, not weights; leave out sample_weight or calibration"
            )
        seed = self._seed()
        train = held = data
        if self.validation is not None:  # not the generators that `solve` spawns
            train, held = data.split(self.validation, np.random.default_rng(seed).spawn(3)[2])
        fitted = self._learnt(train, seed, start)
        scores = fitted.scores(held.rows)
        calibrated = None if self.calibration is None else self._held_out(data, seed)
        self._begin(X, classes, fitted.features)
        self.run_, self.encoding_ = fitted.run, fitted.without_texts
        self.ranges_ = fitted.ranges
        if classes.size > 2:
            told = (held.target.y, scores) if calibrated is None else calibrated  # type: ignore[union-attr]
            self.calibrators_ = sigmoids(*told)
            self.pairs_ = pairs_trained(get_solver(self.solver), data)
            return self
        if calibrated is not None:
            self.calibrator_ = calibrator(str(self.calibration), *calibrated)
        self._choose_threshold(held.y, scores)
        return self

    def _fitted_by_parts(self, parts: Parts, *others: Any) -> Self:
        if any(other is not None for other in others):
            raise ParameterError(
                "rows in chunks come with their labels and without weights and groups; leave y, "
                "sample_weight and groups out"
            )
        self._require_plain()
        recipe = Recipe(
            solver=self.solver,
            features=self.features,
            passes=self.passes,
            seconds=self.seconds,
            gap_tol=self.gap_tol,
            seed=self._seed(),
        )
        model, run, labels, scores = fitted_in_chunks(recipe, parts, self.validation)
        sides = zip(model.labels, ("negative", "positive"), strict=True)
        classes = np.array([label_of(*side) for side in sides])
        self._begin(parts, classes, Chain(model.maps) if model.maps else identity)
        self.run_ = run
        self._choose_threshold(labels, scores)
        return self

    def _require_plain(self) -> None:
        """Refuse parameters that rows in chunks cannot have."""
        asked = {
            "calibration": self.calibration is not None,
            "warm_start": self.warm_start,
            "pairs": self.pairs is not None,
            "monotone": self.monotone is not None,
            "pos_label": self.pos_label is not None,
        }
        if named := [name for name, given in asked.items() if given]:
            raise ParameterError(
                f"{' and '.join(named)} cannot be had with rows in chunks; leave it out; "
                "aucbench.fit calibrates, and positive= of the files says which label is positive"
            )

    @available_if(_streams)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from one more chunk of rows, in their order; only streaming solvers have this.

        The first call, and the first after `fit`, begins with zero weights, and learns the map
        `features` from its rows.

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
            When a label, its class or the columns are not those of the first call, `Chunk.of`
            refuses the input, or the weights are no longer finite.
        ParameterError
            When `solver` was changed since the first call; as `fit`; when `validation`,
            `warm_start` or `calibration` is set.
        """
        self._require_one_aim()
        for name in ("validation", "warm_start", "calibration"):
            if getattr(self, name):
                raise ParameterError(f"{name} is for fit; leave it out for partial_fit")
        X, y = plain_frame(X), plain_column(y)
        require_one_source(X, y)
        known = None if self._online is None else self._known
        labels = announced(X, y, classes, known, self.pos_label)
        chunk = X if isinstance(X, Chunk) else _chunk(X, y, labels)
        sides = [chunk.y] if labels.size == 2 else sides_of(labels, y)
        rows = chunk.rows if isinstance(X, Chunk) else X
        online = self._online
        if online is None:
            require_online(self)
            online = self._started(chunk, len(sides))
            self._begin(rows, labels, online.features, online)
        else:
            require_columns(self, rows)
            self._require_same(online)
        self.weights_ = online.learn(chunk.rows, sides)
        self._decide_by(sides, self._raw_scores(chunk.rows))
        return self

    def _decide_by(self, sides: Sequence[NDArray[np.int8]], scores: Vector) -> None:
        """Choose the threshold, or the sigmoids of classes, by the rows of a chunk."""
        if self._many:
            before = getattr(self, "calibrators_", None)
            self.calibrators_, self.pairs_ = refreshed(before, sides, scores), ByClass("rest")
        elif np.unique(sides[0]).size == 2:
            self._choose_threshold(sides[0], scores)

    def decision_function(self, X: Any) -> Vector:
        """Scores less the threshold of rows X (n, d) -> (n,); above 0 for the second class.

        A row whose score is the threshold is positive. The shift leaves the AUC as it is. Where
        `pos_label_` is the first class, all signs are turned. Of K classes it has the shape (n, K):
        the log-odds of each class against the rest, whose AUCs are those of the scores.

        Raises
        ------
        DataError
            When X is no matrix of finite numbers with the columns of the fit.
        """
        if is_collection(X):
            width = self._width if self._many else None
            lazy: Vector = lazily(self.decision_function, X, np.float64, width)
            return lazy
        scores = self._scores_of(X)
        return log_odds(scores, self.calibrators_) if self._many else self._shifted(scores)

    @property
    def _many(self) -> bool:
        """Whether there are three or more classes."""
        check_is_fitted(self)
        return bool(self.classes_.size > 2)

    @property
    def _width(self) -> int:
        """Number of classes."""
        return int(self.classes_.size)

    def _shifted(self, scores: Vector) -> Vector:
        """Return numbers above 0 exactly where `predict` gives the second class."""
        return self.threshold_ - scores if self._turned else scores - self._cut

    @property
    def _turned(self) -> bool:
        """Whether the first class is positive."""
        return bool(self.classes_[0] == self.pos_label_)

    @property
    def _known(self) -> NDArray[Any]:
        """The labels; of two, the positive one is last."""
        return self.classes_[::-1] if not self._many and self._turned else self.classes_

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of rows X (n, d) -> (n,): positive from the threshold on.

        Of three or more classes, the one with the largest log-odds.
        """
        if is_collection(X):
            lazy: NDArray[Any] = lazily(self.predict, X, self.classes_.dtype)
            return lazy
        decided = self.decision_function(X)
        number = best(decided) if self._many else (decided > 0).astype(np.intp)
        labels: NDArray[Any] = self.classes_[number]
        return labels

    @available_if(_calibrates)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Vector:
        """Probabilities of both classes of rows X (n, d) -> (n, 2); only with `calibration`.

        They rise with the decision function. `predict` does not cut them at 1/2, but at the
        threshold. Of K classes they have the shape (n, K): the probabilities of each class against
        the rest, divided by their sum. `predict` takes the largest.
        """
        if is_collection(X):
            lazy: Vector = lazily(self.predict_proba, X, np.float64, self._width)
            return lazy
        if self._many:
            return probabilities(self.decision_function(X))
        positive = self.calibrator_(self._scores_of(X))
        both = [1.0 - positive, positive]
        return np.column_stack(both[::-1] if self._turned else both)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of rows X (n, d) whose label in y (n,) `predict` finds; a `Chunk` has its labels.

        Raises
        ------
        DataError
            As `decision_function`, or when y has a label that the model does not know.
        """
        check_is_fitted(self)
        rows, labels = labelled(self._known, X, plain_column(y))
        return float(super().score(rows, labels, sample_weight))

    def __sklearn_tags__(self) -> Any:
        """More than two classes, unless an option is about two."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not options_of_two(self)
        return tags

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
        rows, labels = labelled(self._known, X, plain_column(y))
        if self._many:
            return hand_till(np.searchsorted(self.classes_, labels), self._scores_of(rows))
        positive = np.asarray(labels == self.pos_label_)
        return auc(positive, self._scores_of(rows))

    @property
    def coef_(self) -> Vector:
        """Weights of the features that `get_feature_names_out` names, shape (1, d) or (K, d)."""
        if self._many:
            return affine_of(self)[0]
        weights = self._affine()[0][None, :]
        return -weights if self._turned else weights

    @property
    def intercept_(self) -> Vector:
        """The decision function of a row whose features are zeros, shape (1,) or (K,)."""
        if self._many:
            return affine_of(self)[1]
        return self._shifted(np.array([self._affine()[1]]))

    @property
    def keeps_rows_(self) -> bool | None:
        """Whether training rows are in this object: see `Run.keeps_rows`.

        After `partial_fit` also the memory counts: the buffers of oam-gra and oam-seq hold rows.
        """
        check_is_fitted(self)
        if getattr(self.features_, "keeps_rows", False):
            return True
        return self.run_.keeps_rows if self._online is None else self._online.keeps_rows

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` or `partial_fit` was called."""
        return hasattr(self, "run_") or hasattr(self, "weights_")

    def _start(self) -> Start:
        """Return what a warm start goes on from."""
        w = self.weights_ if self._online is not None else weights_of(self.run_)
        if w is None:
            raise UnsupportedError(
                f"{self.solver!r} learns no weights to start from; fit it with warm_start=False"
            )
        return Start(w, self.features_, self.encoding_)

    def _held_out(self, data: Data, seed: int) -> tuple[NDArray[Any], Vector]:
        """Return labels, or numbers of classes, and scores of rows that are held out."""
        y, scores = [], []
        for rest, held in drawn_parts(data, FOLDS, seed):
            y.append(held.strata)
            scores.append(self._learnt(rest, seed).scores(held.rows))
        return np.concatenate(y), np.concatenate(scores)

    def _raw_scores(self, rows: Rows) -> Vector:
        if self._online is None:
            return super()._raw_scores(rows)
        W = np.atleast_2d(self.weights_)
        each = Scorer(self.features_, W.shape[1]).by_each([*W], rows)
        return np.ascontiguousarray(each.T) if self._many else each[0]

    @property
    def _cut(self) -> float:
        """The number below the threshold: score - cut > 0 exactly where score >= threshold."""
        return nextafter(self.threshold_, -inf)

    def _weights(self) -> tuple[Vector | None, FeatureMap]:
        if self._online is not None:
            return self.weights_, identity
        return super()._weights()

    def _choose_threshold(self, y: NDArray[Any], scored: Vector) -> None:
        self.threshold_ = intercept_at(y, scored, **self._require_one_aim().given())

    def _require_one_aim(self) -> Aim:
        shares = {"sensitivity": self.sensitivity, "specificity": self.specificity}
        named = {name: share for name, share in shares.items() if share is not None}
        if twice := {*named} & {*(self.aim or {})}:
            raise ParameterError(f"{min(twice)} is given twice, alone and in aim; give it once")
        return Aim.of({**named, **(self.aim or {})})

    def _begin(
        self, X: Any, labels: NDArray[Any], features: FeatureMap, online: Online | None = None
    ) -> None:
        """Forget what was learnt before."""
        for name in LEARNT:
            self.__dict__.pop(name, None)
        remember_columns(self, X)
        self.classes_ = np.sort(labels)
        if labels.size == 2:
            self.pos_label_, self.threshold_ = labels.tolist()[1], 0.0
        self.features_, self.encoding_, self.ranges_ = features, None, None
        self._online = online

    def _started(self, chunk: Chunk, count: int) -> Online:
        """Return an empty memory for each of so many fits."""
        solver = require_streaming(self.solver)
        seed = self._seed()
        phi = get_preprocessing(self.features)
        if not isinstance(phi, NoMap):
            rows = Data(chunk.rows, Labels(chunk.y))  # a class may be missing
            phi = phi.fit(rows, np.random.default_rng([seed, 0]))
        d = phi(chunk.rows.take(slice(0, 1))).d
        # The generator that `solve` hands over, in the fit of each class.
        rngs = [np.random.default_rng(seed).spawn(2)[1] for _ in range(count)]
        memories = tuple(solver.start(np.zeros(d), rng) for rng in rngs)
        return Online(self.solver, phi, solver, memories)

    def _require_same(self, online: Online) -> None:
        if online.spec != self.solver:
            raise ParameterError(
                f"solver became {self.solver!r} and partial_fit began with {online.spec!r}; a new "
                "AUCClassifier takes another"
            )

    def save(self, path: str | PathLike[str]) -> None:
        """Write what `fit` or `partial_fit` learnt to one file, without pickle.

        A solver or feature map that was given as an object is kept as text. After `partial_fit`
        the weights are kept and the memory of the solver is not, so that a loaded classifier
        scores rows but begins anew.

        Raises
        ------
        UnsupportedError
            When what was learnt cannot be saved, see `aucbench.models.Model`.
        ParameterError
            When the file cannot be written.
        """
        check_is_fitted(self)
        model_of(self).save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the classifier of a file that `save` has written; nothing in it is run.

        Raises
        ------
        DataError
            As `aucbench.models.Model.load`.
        UnsupportedError
            When a class of the model has several labels.
        """
        model = cls()
        restore(model, Model.load(path))
        return model


def _chunk(X: Any, y: Any, labels: NDArray[Any]) -> Chunk:
    return Chunk.of(rows_of(X)[0], y, positive=labels.tolist()[-1])
