"""Labels, scores and weights of rows as scikit-learn calls and reads them, for all metrics."""

from functools import partial

import numpy as np
import pytest
from refusals import assert_refused, refusals

from aucbench import metrics
from aucbench.data import Categories, Data, Survival
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics import auc, cindex, grade_auc, hand_till, intercept_at, measure, partial_auc
from aucbench.metrics.pairs import measure_of, quality_of
from aucbench.metrics.roc import bands
from aucbench.metrics.rows import rows_of
from aucbench.pairs import ByClass, Group
from aucbench.stats import Fold

RNG = np.random.default_rng(51)
Y = RNG.random(60) < 0.4
S = np.round(RNG.normal(size=60) + Y, 1)
P = 1.0 / (1.0 + np.exp(-S))
ALONE = np.arange(60) % 3
S3 = RNG.random((60, 3))
OF_TWO = {
    "auc": partial(metrics.auc, scores=S),
    "ap": partial(metrics.average_precision, scores=S),
    "pauc": partial(metrics.partial_auc, scores=S),
    "precision": partial(metrics.precision_at, scores=S),
    "recall": partial(metrics.recall_at, scores=S),
    "gauc": partial(metrics.gauc, scores=S, groups=ALONE),
}
LOSSES = {"brier": partial(metrics.brier, p=P), "log-loss": partial(metrics.log_loss, p=P)}
LOSSES |= {
    f"calibrated {name}": partial(measure(name).function, scores=S)
    for name in ("brier", "log-loss")
}
CURVE = {"roc": lambda y, **given: metrics.roc_curve(y, S[: len(y)], **given).fpr.sum()}
ALL = OF_TWO | LOSSES | CURVE


@pytest.mark.parametrize("name", ALL)
def test_any_two_labels_with_the_name_of_the_positive_one(name):
    f = ALL[name]
    words = np.where(Y, "sick", "well")
    for y in (words, words.astype(object), words.tolist()):
        assert f(y, pos_label="sick") == f(Y)
    assert f(np.where(Y, 2, 7), pos_label=2) == f(Y)
    for y in (Y.astype(object), np.where(Y, "yes", "no"), np.where(Y, 1, -1), 1.0 * Y):
        assert f(y) == f(Y)
    gap = np.where(np.arange(60) == 3, None, words)
    for y, given, word in (
        *((words, {}, "pos_label"), (words, {"pos_label": "ill"}, "'ill'")),
        *((ALONE, {}, "hand_till"), (gap, {"pos_label": "sick"}, "row 3")),
    ):
        assert_refused(partial(f, y, **given), DataError, word)


@pytest.mark.parametrize("name", ALL)
def test_a_row_of_weight_0_is_not_there(name):
    f, v = ALL[name], np.where(np.arange(60) < 40, 1.0 + ALONE, 0.0)
    given = {key: np.asarray(x)[:40] for key, x in getattr(f, "keywords", {}).items()}
    few = f.func if given else f
    assert f(Y, sample_weight=v) == pytest.approx(few(Y[:40], sample_weight=v[:40], **given))
    assert f(Y, sample_weight=np.full(60, 2.5)) == f(Y)
    for weights, word in ((np.where(np.arange(60), v, -1.0), "row 0"), (v[:40], "shape")):
        assert_refused(partial(f, Y, sample_weight=weights), DataError, word)
    if not name.startswith("calibrated"):
        assert_refused(partial(f, Y, sample_weight=np.zeros(60)), DataError, "0")


def test_weights_of_0_of_times_grades_and_classes():
    kept, v = slice(0, 40), np.where(np.arange(60) < 40, 1.0 + ALONE, 0.0)
    time = RNG.integers(1, 9, 60)
    assert cindex(time, Y, S, v) == cindex(time[kept], Y[kept], S[kept], v[kept])
    for each in ("pair", "group"):
        grades = grade_auc(time, S, v, ALONE, each=each)
        assert grades == grade_auc(time[kept], S[kept], v[kept], ALONE[kept], each=each)
    assert hand_till(ALONE, S3, v) == hand_till(ALONE[kept], S3[kept], v[kept])


def test_long_floats_are_exact_or_refused():
    long = S.astype(np.longdouble)
    assert auc(Y, long) == auc(Y, S)
    if np.finfo(np.longdouble).bits == 64:
        pytest.skip("longdouble is float64 here")
    assert_refused(lambda: auc(Y, long / 3), DataError, "float64")


def test_the_classes_of_columns_have_names():
    names = np.array(["b", "c", "a"])
    value = hand_till(ALONE, S3)
    assert hand_till(names[ALONE], S3, labels=names) == value
    assert hand_till(names[ALONE], S3[:, [2, 0, 1]]) == value
    assert hand_till(7 + ALONE, S3) == value
    each = metrics.one_vs_rest(names[ALONE], S3, labels=names, average=None)
    assert each == pytest.approx([auc(k == ALONE, S3[:, k]) for k in range(3)])
    assert hand_till(ALONE, S3, average=None).mean() == pytest.approx(value)


WORDS = np.array(["a", "b", "c"])[ALONE]
TIMES = [4, 2, 3, 5], [1, 1, 0, 0], range(4)
SPECS = [
    *(("f1", UnknownNameError, "'f1'"), ("pauc[fpr=.1]", UnknownNameError, "'fpr'")),
    *(("auc[3]", ParameterError, "no parameter"), ("pauc[max_fpr=x]", ParameterError, "'x'")),
    *((spec, ParameterError, "is no measure") for spec in ("", "pauc[", "auc,ap", "pauc[.1,.2]")),
    ("pauc[max_fpr=.1,max_fpr=.2]", ParameterError, "is no measure"),
    *((f"pauc[{rate}]", ParameterError, "max_fpr") for rate in (0, 1.5, "nan")),
    *(("recall[1.5]", ParameterError, "whole"), ("recall[k=0]", ParameterError, "k must be")),
]
OF_PAIRS = [
    *(("gauc[all=3]", UnknownNameError, "'all'"), ("gauc[both]", ParameterError, "'both'")),
    *(("gac", UnknownNameError, "gauc"), ("hand-till[2]", ParameterError, "no parameter")),
    ("grade-auc[across=maybe]", ParameterError, "'maybe'"),
]
RANGES = [
    *(({"max_fpr": 0}, "max_fpr"), ({"max_fpr": 0.2, "min_fpr": 0.2}, "min_fpr")),
    *(({"min_fpr": -1}, "min_fpr"), ({"min_tpr": 1}, "min_tpr"), ({"scale": "half"}, "'half'")),
    ({"max_fpr": float("nan")}, "max_fpr"),
]
REFUSED = refusals(
    *((f"spec {spec}", partial(measure, spec), error, word) for spec, error, word in SPECS),
    *((f"pairs {spec}", partial(measure_of, spec), error, word) for spec, error, word in OF_PAIRS),
    *((str(part), partial(partial_auc, Y, S, **part), ParameterError, word)
      for part, word in RANGES),
    *((f"{name} of one class", partial(f, np.ones(60)), DataError, "positive")
      for name, f in (OF_TWO | CURVE).items()),
    ("one word", lambda: intercept_at(np.full(60, "yes"), S), DataError, "60"),
    ("k of 0", lambda: metrics.precision_at(Y, S, k=0), ParameterError, "k"),
    ("k of 61", lambda: metrics.precision_at(Y, S, k=61), DataError, "k=61"),
    ("p above 1", lambda: metrics.brier([1, 0], [0.5, 1.1]), DataError, "probabilities"),
    ("p below 0", lambda: metrics.brier([1, 0], [0.5, -0.1]), DataError, "probabilities"),
    ("no p", lambda: metrics.log_loss([], []), DataError, "one row"),
    ("no row of a class", lambda: hand_till([0, 1, 1], np.eye(3)), DataError, "class 2"),
    ("columns", lambda: hand_till([0, 1, 2], np.eye(3)[:2]), DataError, "shape"),
    ("codes", lambda: hand_till([0, 1, 3, 9], np.eye(4)[:, :3]), DataError, "3 columns"),
    ("two classes", lambda: hand_till([0, 1], np.eye(2)), DataError, "least 3"),
    ("nan", lambda: hand_till([0, 1, 2], np.full((3, 3), np.nan)), DataError, "9 score"),
    ("no such class", lambda: hand_till(WORDS, S3, labels=["b", "d", "a"]), DataError, "'c'"),
    ("2 of 3 classes", lambda: hand_till(np.where(Y, "a", "b"), S3), DataError, "name the class"),
    ("average", lambda: hand_till(ALONE, S3, average="micro"), ParameterError, "'micro'"),
    ("grades by groups", lambda: grade_auc(ALONE, S, each="group"), DataError, "groups"),
    ("two weights", lambda: grade_auc(ALONE, S, groups=ALONE, each="group", gain="exp2"),
     ParameterError, "two weights"),
    ("NaN of grades", lambda: grade_auc([1, 2], [np.nan, 1]), DataError, "NaN"),
    ("scores of times", lambda: cindex([1, 2, 3], [1, 1, 0], [1, 2]), DataError, "shape (2,)"),
    ("no row at 2", lambda: cindex(*TIMES, weight="ipcw", train=Survival.of([1, 2], [1, 0])),
     DataError, "time 2"),
    ("no row at 4", lambda: cindex(*TIMES, weight="ipcw", train=Survival.of([1, 2, 3], [1, 0, 1])),
     DataError, "time 4"),
    ("scores of classes", lambda: quality_of(
        Data.of(S3, Categories.of(WORDS), pairs=ByClass("rest")), S3[:, :2]), DataError,
     "(60, 2)"),
    ("groups of pairs", lambda: quality_of(Data.of(S3, Y, pairs=Group()), S), DataError, "groups"),
    ("groups of a range", lambda: measure_of("gpauc[.3]").values([Fold(Y, S)]), DataError, "group"),
    ("groups of one class", lambda: quality_of(
        Data.of(S3, Y, groups=np.arange(60), pairs=Group()), S), DataError, "both classes"),
    ("rows and scores", lambda: rows_of(
        {"time": np.ones(3), "event": np.ones(3) > 0, "scores": np.ones(2)}), DataError, "(2,)"),
    ("no curve", lambda: bands([]), DataError, "classes"),
    ("curve of a class", lambda: bands([Fold([1, 1], [0.0, 1.0])]), DataError, "classes"),
    ("points of a curve", lambda: bands([], 1), ParameterError, "points"),
    ("infinite score", lambda: intercept_at([0, 1], [np.inf, 0.0], specificity=1.0), DataError,
     "infinite"),
    *((f"share {share}", partial(intercept_at, [0, 1], [0.0, 1.0], sensitivity=share),
       ParameterError, "sensitivity") for share in (0, 1.01, np.nan, -0.5)),
)  # fmt: skip


@REFUSED
def test_what_has_no_value_is_refused(call, error, word):
    assert_refused(call, error, word)
