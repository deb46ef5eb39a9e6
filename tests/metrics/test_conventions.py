"""Labels, scores and weights of rows as scikit-learn calls and reads them, for all metrics."""

from functools import partial

import numpy as np
import pytest

from aucbench import AUCClassifier, metrics
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError

RNG = np.random.default_rng(51)
Y = RNG.random(60) < 0.4
S = np.round(RNG.normal(size=60) + Y, 1)
P = 1.0 / (1.0 + np.exp(-S))
ALONE = np.arange(60) % 3
OF_TWO = {
    "auc": partial(metrics.auc, scores=S),
    "ap": partial(metrics.average_precision, scores=S),
    "pauc": partial(metrics.partial_auc, scores=S),
    "precision": partial(metrics.precision_at, scores=S),
    "recall": partial(metrics.recall_at, scores=S),
    "gauc": partial(metrics.gauc, scores=S, groups=ALONE),
    "roc": lambda y, **given: metrics.roc_curve(y, S, **given).fpr.sum(),
}
LOSSES = {"brier": partial(metrics.brier, p=P), "log-loss": partial(metrics.log_loss, p=P)}
ALL = OF_TWO | LOSSES


@pytest.mark.parametrize("name", ALL)
def test_any_two_labels_with_the_name_of_the_positive_one(name):
    f = ALL[name]
    words = np.where(Y, "sick", "well")
    for y in (words, words.astype(object), words.tolist()):
        assert f(y, pos_label="sick") == f(Y)
    assert f(np.where(Y, 2, 7), pos_label=2) == f(Y)
    for y in (Y.astype(object), np.where(Y, "yes", "no"), np.where(Y, 1, -1), 1.0 * Y):
        assert f(y) == f(Y)
    with pytest.raises(DataError, match="say which is positive, for example pos_label='well'"):
        f(words)
    with pytest.raises(DataError, match="pos_label='ill' is no label: the labels are 'sick'"):
        f(words, pos_label="ill")
    with pytest.raises(DataError, match="take hand_till for more classes"):
        f(ALONE)
    with pytest.raises(DataError, match="row 3 is missing"):
        f(np.where(np.arange(60) == 3, None, words), pos_label="sick")


@pytest.mark.parametrize("name", ALL)
def test_a_row_of_weight_0_is_not_there(name):
    f, v = ALL[name], np.where(np.arange(60) < 40, 1.0 + ALONE, 0.0)
    given = {key: np.asarray(x)[:40] for key, x in f.keywords.items()} if name != "roc" else None
    value = f(Y, sample_weight=v)
    if given is None:
        assert value == metrics.roc_curve(Y[:40], S[:40], v[:40]).fpr.sum()
    else:
        assert value == f.func(Y[:40], sample_weight=v[:40], **given)
    assert f(Y, sample_weight=np.full(60, 2.5)) == f(Y)
    with pytest.raises(DataError, match=r"the weight of row 0 is -1\.0"):
        f(Y, sample_weight=np.where(np.arange(60), v, -1.0))
    with pytest.raises(DataError, match="all weights are 0"):
        f(Y, sample_weight=np.zeros(60))
    with pytest.raises(DataError, match="sample_weight has shape"):
        f(Y, sample_weight=v[:40])


def test_weights_of_0_of_times_grades_and_classes():
    kept, v = slice(0, 40), np.where(np.arange(60) < 40, 1.0 + ALONE, 0.0)
    time, scores = RNG.integers(1, 9, 60), RNG.random((60, 3))
    assert metrics.cindex(time, Y, S, v) == metrics.cindex(time[kept], Y[kept], S[kept], v[kept])
    for each in ("pair", "group"):
        grades = metrics.grade_auc(time, S, v, ALONE, each=each)
        some = metrics.grade_auc(time[kept], S[kept], v[kept], ALONE[kept], each=each)
        assert grades == some
    value = metrics.hand_till(ALONE, scores, v)
    assert value == metrics.hand_till(ALONE[kept], scores[kept], v[kept])


@pytest.mark.parametrize("name", OF_TWO)
def test_one_class_has_one_error(name):
    with pytest.raises(DataError, match="all 60 labels are positive; give rows of both classes"):
        OF_TWO[name](np.ones(60))


def test_one_class_has_one_error_everywhere():
    sentence = "all 60 labels are .*; give rows of both classes"
    for y in (np.ones(60), np.full(60, "yes")):
        for f in (metrics.auc, metrics.intercept_at, Data.of, AUCClassifier().fit):
            rows = S if f in (metrics.auc, metrics.intercept_at) else S[:, None]
            with pytest.raises(DataError, match=sentence):
                f(rows, y) if rows.ndim == 2 else f(y, rows)


def test_long_floats_are_exact_or_refused():
    long = S.astype(np.longdouble)
    assert metrics.auc(Y, long) == metrics.auc(Y, S)
    if np.finfo(np.longdouble).bits == 64:
        pytest.skip("longdouble is float64 here")
    with pytest.raises(DataError, match=r"scores has .* which float64 does not hold"):
        metrics.auc(Y, long / 3)


def test_the_classes_of_columns_have_names():
    names, scores = np.array(["b", "c", "a"]), RNG.random((60, 3))
    value = metrics.hand_till(ALONE, scores)
    assert metrics.hand_till(names[ALONE], scores, labels=names) == value
    assert metrics.hand_till(names[ALONE], scores[:, [2, 0, 1]]) == value
    assert metrics.hand_till(7 + ALONE, scores) == value
    each = metrics.one_vs_rest(names[ALONE], scores, labels=names, average=None)
    assert each == pytest.approx([metrics.auc(k == ALONE, scores[:, k]) for k in range(3)])
    assert metrics.hand_till(ALONE, scores, average=None).mean() == pytest.approx(value)
    with pytest.raises(DataError, match="the label 'c', which is no class"):
        metrics.hand_till(names[ALONE], scores, labels=["b", "d", "a"])
    with pytest.raises(DataError, match="2 classes and 3 columns of scores; name the class"):
        metrics.hand_till(names[ALONE % 2], scores)
    with pytest.raises(ParameterError, match="average is 'micro'"):
        metrics.hand_till(ALONE, scores, average="micro")


def test_a_shift_of_all_times_changes_nothing():
    time = RNG.integers(1, 9, 60)
    for shift in (0, -5, -100, 1000):
        for given in ({}, {"tau": 5 + shift}, {"tau": 5 + shift, "weight": "ipcw"}):
            plain = {key: 5 if key == "tau" else value for key, value in given.items()}
            value = metrics.cindex(time, Y, S, **plain)
            assert metrics.cindex(time + shift, Y, S, **given) == value
        assert metrics.concordant_pairs(time + shift, Y, S) == metrics.concordant_pairs(time, Y, S)


@pytest.mark.parametrize("tau", [None, 5])
def test_counts_of_pairs_are_those_of_their_definition(tau):
    time = RNG.integers(1, 9, 60)
    told = metrics.concordant_pairs(time, Y, S, tau=tau)
    counts = dict.fromkeys((1, -1, 0), 0)
    tied_times = 0
    for i in np.flatnonzero(Y & (time < (tau or 99))):
        for j in np.flatnonzero((time > time[i]) | ((time == time[i]) & ~Y)):
            counts[int(np.sign(S[i] - S[j]))] += 1
            tied_times += int(time[i] == time[j])
    assert (told.concordant, told.discordant, told.tied_scores) == (*counts.values(),)
    assert told.tied_times == tied_times
    assert told.estimate == pytest.approx(metrics.cindex(time, Y, S, tau=tau), abs=1e-14)


def test_grades_have_a_mean_over_groups():
    y, group = RNG.integers(0, 4, 60), np.arange(60) // 6
    y[:6] = 2  # a group of one grade has no pair
    told = [metrics.grade_auc(y[group == g], S[group == g]) for g in range(1, 10)]
    value = metrics.grade_auc(y, S, groups=group, each="group")
    assert value == pytest.approx(np.mean(told), abs=1e-14)
    assert metrics.measure_of("grade-auc[each=group]").name == "grade-auc[each=group]"
    with pytest.raises(DataError, match="each='group' is for groups"):
        metrics.grade_auc(y, S, each="group")
    with pytest.raises(ParameterError, match="two weights"):
        metrics.grade_auc(y, S, groups=group, each="group", gain="exp2")
