"""What estimators, `fit`, models and thresholds refuse, before they compute."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused, refusals
from saved_models import CLASSES, NUMBERS, SPARSE, TABLE, learnt, model_of_run
from sklearn.exceptions import NotFittedError

import aucbench
from aucbench import AUCClassifier, GradeRanker, Model, SurvivalRanker
from aucbench.contract import Model as Scoring
from aucbench.data import Chunk
from aucbench.errors import (
    AucbenchError,
    DataError,
    ParameterError,
    UnknownNameError,
    UnsupportedError,
)
from aucbench.features import MaxAbs
from aucbench.metrics import Aim
from aucbench.models import score_frame
from aucbench.optim.trees import portable
from aucbench.pairs import ByClass
from aucbench.registry import get_solver
from aucbench.scale import InMemory
from aucbench.solving.loop import solve
from aucbench.stats import wilson

pytestmark = pytest.mark.usefixtures("in_process")

X, Y = NUMBERS.rows.matrix, NUMBERS.y
WORDS, GROUP = np.where(Y > 0, "yes", "no"), np.arange(120) // 4
PARTS = InMemory(NUMBERS, 50)
CARD = {"scorecard": True, "target": "y", "positive": "yes", "drop": "since"}
ROWS = TABLE.drop(columns="y")


def learn(solver="svm-or", X=X, y=Y, weights=None, groups=None, then=lambda _: None, **options):
    """A call that fits a classifier, and does something with it."""
    more = {} if groups is None else {"groups": groups}
    return lambda: then(AUCClassifier(solver, passes=2, **options).fit(X, y, weights, **more))


def stream(solver="opauc", *chunks, first=(X, Y), **options):
    """A call that teaches a classifier by chunks; the classes are known from the first one."""

    def call():
        model = AUCClassifier(solver, **options).partial_fit(*first)
        for chunk in chunks:
            model.partial_fit(*chunk)

    return call


def fit(table=TABLE, **options):
    """A call of `aucbench.fit`."""
    asked = {"target": "y", "positive": "yes", "splits": 2, "quiet": True, **options}
    return lambda: aucbench.fit(table, **asked)


class Odd(MaxAbs):
    def __call__(self, rows):
        return rows


class Silent(Scoring):
    pass


two = partial(learn, "svm-or", y=CLASSES)
card = partial(fit, solver="rank-svm", **CARD)
REFUSED = refusals(
    # estimators
    ("not fitted", lambda: AUCClassifier().predict(X), NotFittedError, "not fitted"),
    ("solver", learn("shtauc"), UnknownNameError, "sht-auc"),
    ("columns", learn(then=lambda model: model.predict(X[:, :4])), DataError, "expecting 6"),
    ("intercept by a map", learn(features="append-one"), ParameterError, "sto-iht"),
    ("calibration", learn(calibration="platt"), UnknownNameError, "platt"),
    ("label of a score", learn(then=lambda m: m.score(X, CLASSES)), DataError, "'ape'"),
    ("AUC of a class", learn(then=lambda m: m.auc_score(X[:3], [1] * 3)), DataError, "positive"),
    ("set j", lambda: AUCClassifier("sht-auc").set_params(solver__j=1), UnknownNameError, "'j'"),
    ("warm logistic", learn("logistic", warm_start=True, then=lambda m: m.fit(X, Y)),
     UnsupportedError, "start"),
    ("warm columns", learn(features="none", warm_start=True, then=lambda m: m.fit(X[:, :5], Y)),
     DataError, "6"),
    ("warm classes", two(warm_start=True, then=lambda m: m.fit(X, GROUP % 3)), DataError,
     "classes"),
    ("rows of weights", learn(weights=np.ones(119)), DataError, "each row"),
    ("no weights", learn("sht-auc[k=2]", weights=1.0 + GROUP % 2), AucbenchError, "weights"),
    ("weights and calibration", learn("logistic", weights=1.0 + GROUP % 2, calibration="sigmoid"),
     AucbenchError, "calibration"),
    ("class of weight 0", two(weights=np.where(CLASSES == "bee", 0.0, 1.0)), DataError, "bee"),
    # aims, labels and pairs of estimators
    ("two shares", learn(sensitivity=0.9, specificity=0.9), ParameterError, "one of them"),
    ("aim", learn(aim={"recall": 0.1}), UnknownNameError, "recall"),
    ("aim twice", learn(aim={"sensitivity": 0.1}, sensitivity=0.5), ParameterError, "twice"),
    ("held out", learn(validation=1.5), DataError, "1.5"),
    ("positive label", learn(y=CLASSES[CLASSES != "bee"], X=X[CLASSES != "bee"]), DataError,
     "pos_label"),
    ("positive label of a stream", stream(first=(X, np.where(Y > 0, "a", "b"), ["a", "b"])),
     DataError, "pos_label"),
    ("no such label", learn(y=WORDS, pos_label="x"), DataError, "'x'"),
    ("groups that are absent", learn("rank-svm", pairs="group"), DataError, "groups"),
    ("groups of logistic", learn("logistic", groups=GROUP, pairs="group"), UnsupportedError,
     "svm-or"),
    ("shapes of classes", learn("rank-svm", y=CLASSES, monotone=[1] * 6), DataError, "classes"),
    ("sensitivity of classes", two(sensitivity=0.9), ParameterError, "two classes"),
    ("isotonic for classes", two(calibration="isotonic"), ParameterError, "tie"),
    ("positive of classes", two(pos_label="bee"), DataError, "two classes"),
    ("pairs of classes", learn("sht-auc", y=CLASSES, pairs=ByClass()), UnsupportedError, "rest"),
    # cells of tables
    ("cell", learn(X=ROWS, y=WORDS[:1].repeat(160), pos_label="yes"), DataError, "160"),
    ("unknown cell", learn(X=ROWS, y=TABLE["y"], then=lambda m: m.predict(
        ROWS.astype(object).assign(age="old"))), DataError, "'old'"),
    # chunks
    ("labels of a chunk", stream(first=(X[Y > 0], WORDS[Y > 0])), DataError, "1 labels"),
    ("three announced", stream(first=(X, WORDS, ["a", "b", "c"])), DataError, "'no'"),
    ("chunk and labels", stream("opauc", (Chunk.of(X, Y), Y)), DataError, "without y"),
    ("columns of a chunk", stream("opauc", (X[:, :4], Y)), DataError, "expecting 6"),
    *((f"{name} of a stream", stream(**{name: value}), ParameterError, name)
      for name, value in {"validation": 0.2, "warm_start": True, "calibration": "sigmoid",
                          "pairs": "group", "monotone": [1] * 6}.items()),
    ("calibration of parts", lambda: AUCClassifier("svm-or", calibration="sigmoid").fit(PARTS),
     ParameterError, "calibration"),
    ("pairs of parts", lambda: AUCClassifier("svm-or", warm_start=True, pairs="top").fit(PARTS),
     ParameterError, "warm_start and pairs"),
    ("solver of parts", lambda: AUCClassifier("sht-auc").fit(PARTS), UnsupportedError, "memory"),
    ("labels of parts", lambda: AUCClassifier("svm-or").fit(PARTS, Y), AucbenchError, "labels"),
    ("no y", lambda: AUCClassifier("svm-or").fit(X), AucbenchError, "requires y"),
    # rankers
    *((f"times of {kind}", lambda y=y: SurvivalRanker().fit(X, y), DataError, word)
      for kind, y, word in [("floats", Y * 1.0, "float64"),
                            ("two truths", np.zeros(120, [("a", bool), ("b", bool)]), "b: bool")]),
    ("groups of grades", lambda: GradeRanker("ls-svm").fit(X, GROUP % 4, groups=GROUP[:3]),
     DataError, "shape"),
    # fit
    ("option of fit", fit(targt="y"), UnknownNameError, "target"),
    ("array", fit(X), ParameterError, "columns"),
    ("test rows of a file", fit("t.csv", test=TABLE), ParameterError, "test rows"),
    ("minutes", fit(solver="svm-or", minutes=1.0), ParameterError, "tuned"),
    ("classes without sigmoids", fit(target="ward", positive=None, labels="classes",
                                     solver="svm-or", calibration="none"), ParameterError, "two"),
    ("a table in chunks", fit(in_chunks=True), ParameterError, "in memory"),
    *((f"monotone {shape}", fit(monotone=shape, tune=False, **more), error, word)
      for shape, more, error, word in [
          ("ward=+1", {}, DataError, "'ward'"), ("height=+1", {}, DataError, "'height'"),
          ("age=up", {}, AucbenchError, "shape"),
          ("lab=+1", {"solver": "svm-or"}, UnsupportedError, "rank-svm"),
          ("lab=convex", {}, UnsupportedError, "splines")]),
    *((f"card {more}", card(**more), error, word) for more, error, word in [
        ({"pdo": 20.0, "scorecard": None}, ParameterError, "--pdo"),
        ({"pdo": -1.0}, ParameterError, "pdo"),
        ({"base_score": float("nan")}, ParameterError, "base_score"),
        ({"features": "standard"}, ParameterError, "bins"),
        ({"calibration": "isotonic"}, ParameterError, "sigmoid"),
        ({"solver": "roc-svm-nystrom[rank=5]"}, UnsupportedError, "each bin"),
        ({"labels": "classes", "positive": None, "target": "ward"}, ParameterError, "two classes"),
        ({"drop": ()}, UnsupportedError, "--drop since")]),
    # models
    ("columns of a model", lambda: learnt()[1].scores(X[:, :5]), DataError, "5 columns"),
    ("saved neighbours", learn("estimator[sklearn.neighbors:KNeighborsClassifier]",
                               then=lambda model: model.save("m")), UnsupportedError, "hist-grad"),
    ("map of others", lambda: model_of_run(
        solve(get_solver("svm-or"), NUMBERS, passes=1), Odd(), width=6).to_tree(),
     UnsupportedError, "Odd"),
    ("what no file can hold", lambda: portable(Silent()), UnsupportedError, "Silent"),
    ("no model", lambda: Model.load("no model"), DataError, "no file"),
    ("no folder", lambda: learnt()[1].save("no folder/m"), ParameterError, "write"),
    ("table without columns", lambda: score_frame(
        learnt(data=SPARSE)[1], pd.DataFrame({"a": [1.0]})), DataError, "column"),
    ("rows that are no table", lambda: learnt()[1].predict([1, 2]), DataError, ""),
    ("no file to predict", lambda: learnt()[1].predict("none.csv"), DataError, "none.csv"),
    # thresholds
    ("precision", lambda: Aim(precision=0), ParameterError, "precision"),
    ("cost", lambda: Aim(cost_fp=-1, cost_fn=2), ParameterError, "cost_fp"),
    ("costs and flags", lambda: Aim(flags=0.1, cost_fp=1, cost_fn=2), ParameterError, "flags"),
    ("3 of 2 rows", lambda: wilson(3, 2), DataError, "3 of 2"),
)  # fmt: skip


@REFUSED
def test_what_cannot_be_done_is_refused(call, error, word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_refused(call, error, word)
