from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics import (
    auc,
    average_precision,
    brier,
    log_loss,
    measure,
    partial_auc,
    precision_at,
    recall_at,
)


def drawn(seed, n=60, levels=2, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < 0.4
    s = np.round((rng.normal(size=n) + y) * levels) / levels
    return y, s, rng.uniform(0.2, 3.0, size=n) if weighted else None


def ones(w, y):
    return np.ones(y.size) if w is None else w


def naive_average_precision(y, s, w):
    found = recall_before = 0.0
    for threshold in sorted({*s}, reverse=True):
        called = s >= threshold
        recall = w[called & y].sum() / w[y].sum()
        found += (recall - recall_before) * w[called & y].sum() / w[called].sum()
        recall_before = recall
    return found


def naive_partial_auc(y, s, w, rate):
    """Area below the line through the points of the ROC curve, cut at the rate."""
    x, t = [0.0], [0.0]
    for threshold in sorted({*s}, reverse=True):
        x.append(w[(s >= threshold) & ~y].sum() / w[~y].sum())
        t.append(w[(s >= threshold) & y].sum() / w[y].sum())
    area = 0.0
    for i in range(1, len(x)):
        if x[i - 1] >= rate or x[i] == x[i - 1]:
            continue
        end = min(x[i], rate)
        at_end = t[i - 1] + (t[i] - t[i - 1]) * (end - x[i - 1]) / (x[i] - x[i - 1])
        area += (end - x[i - 1]) * (t[i - 1] + at_end) / 2
    return (1 + (area - rate**2 / 2) / (rate - rate**2 / 2)) / 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [1, 50])
@pytest.mark.parametrize("seed", range(4))
def test_average_precision_and_partial_auc_by_their_definitions(seed, levels, weighted):
    y, s, weights = drawn(seed, 60, levels, weighted)
    w = ones(weights, y)
    assert_allclose(average_precision(y, s, weights), naive_average_precision(y, s, w), rtol=1e-12)
    for rate in (0.01, 0.1, 0.37, 1.0):
        expected = naive_partial_auc(y, s, w, rate)
        assert_allclose(partial_auc(y, s, weights, max_fpr=rate), expected, rtol=1e-12)
    assert_allclose(partial_auc(y, s, weights, max_fpr=1.0), auc(y, s, weights), rtol=1e-12)


def test_precision_and_recall_are_means_over_the_orders_of_ties():
    y = np.array([1, 0, 1, 0, 0, 1, 1])
    s = np.array([3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 2.0])
    for k in range(1, 8):
        hits = []
        for order in permutations(range(7)):
            ranked = sorted(order, key=lambda i: -s[i])  # stable: ties stay in this order
            hits.append(y[ranked[:k]].sum())
        assert_allclose(precision_at(y, s, k=k), np.mean(hits) / k, rtol=1e-12)
        assert_allclose(recall_at(y, s, k=k), np.mean(hits) / 4, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_brier_and_log_loss_agree_with_scikit_learn(seed, weighted):
    y, s, w = drawn(seed, 60, 50, weighted)
    p = 1 / (1 + np.exp(-s))
    assert_allclose(brier(y, p, w), metrics.brier_score_loss(y, p, sample_weight=w), rtol=1e-12)
    assert_allclose(log_loss(y, p, w), metrics.log_loss(y, p, sample_weight=w), rtol=1e-12)


@pytest.mark.parametrize(
    ("spec", "name", "function"),
    [
        ("auc", "auc", auc),
        ("ap", "ap", average_precision),
        ("pauc[max_fpr=.1]", "pauc[max_fpr=0.1]", partial_auc),
        ("pauc", "pauc[max_fpr=0.1]", partial_auc),
        ("pauc[.1]", "pauc[max_fpr=0.1]", partial_auc),
        (" recall[ k = 10 ] ", "recall[k=10]", recall_at),
        ("precision[1e1]", "precision[k=10]", precision_at),
    ],
)
def test_a_measure_by_its_specification(spec, name, function):
    y, s, w = drawn(7, weighted=True)
    found = measure(spec)
    assert found.name == name
    assert found(y, s, w) == function(y, s, w)
    assert found(y, s) == function(y, s)
    assert measure(name) == found


@pytest.mark.parametrize(
    ("spec", "error", "sentence"),
    [
        ("f1", UnknownNameError, "unknown measure 'f1'"),
        ("pauc[fpr=.1]", UnknownNameError, "unknown parameter of pauc 'fpr'"),
        ("auc[3]", ParameterError, "has no parameter"),
        *((spec, ParameterError, "is no measure") for spec in ("", "pauc[", "pauc[]", "auc,ap")),
        ("pauc[max_fpr=.1,k=2]", UnknownNameError, "unknown parameter of pauc"),
        ("pauc[max_fpr=x]", ParameterError, "is no number"),
        *((f"pauc[{rate}]", ParameterError, r"max_fpr must be in \(0, 1\]") for rate in (0, 1.5)),
        *((f"pauc[{rate}]", ParameterError, r"max_fpr must be in") for rate in ("nan", "inf")),
        *((f"recall[{k}]", ParameterError, "a whole number") for k in ("1.5", "inf", "nan")),
        ("recall[k=0]", ParameterError, "k must be at least 1"),
    ],
)
def test_what_is_no_specification_is_refused(spec, error, sentence):
    with pytest.raises(error, match=sentence):
        measure(spec)


def test_rows_that_have_no_value_are_refused():
    y, s, _ = drawn(9)
    with pytest.raises(ParameterError, match="k must be at least 1"):
        precision_at(y, s, k=0)
    with pytest.raises(DataError, match="there are 60 test rows, fewer than k=61"):
        precision_at(y, s, k=61)
    for function in (auc, average_precision, partial_auc, precision_at, recall_at):
        with pytest.raises(DataError, match="labels are negative"):
            function(np.zeros(20), np.arange(20))
    for p in ([0.5, 1.1], [-0.1, 0.5]):
        with pytest.raises(DataError, match=r"probabilities must be in \[0, 1\]"):
            brier([1, 0], p)
    with pytest.raises(DataError, match="of one row at least"):
        log_loss([], [])
