"""The metrics beside those of scikit-learn, on random rows with ties."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as theirs
from nights import first

from aucbench import metrics

SEEDS = first(range(40), 8)


def near(value):
    return pytest.approx(value, abs=1e-12)


def two_classes(seed):
    """Return labels, tied scores and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    y = np.append([True, False], rng.random(n) < 0.3)
    s, v = np.round(rng.normal(size=n + 2), 1), rng.integers(0, 4, n + 2) * 1.0
    v[:2] = 1.0
    return y, s, v


@pytest.mark.parametrize("seed", SEEDS)
def test_two_classes_of_scikit_learn(seed):
    y, s, v = two_classes(seed)
    words = np.where(y, "b", "a")
    p = 1.0 / (1.0 + np.exp(-s))
    for weights in (None, v):
        given = {"sample_weight": weights}
        value = theirs.roc_auc_score(words, s, **given)
        assert metrics.auc(words, s, **given, pos_label="b") == near(value)
        for max_fpr in (0.1, 0.5, 1.0):
            value = theirs.roc_auc_score(y, s, max_fpr=max_fpr, **given)
            assert metrics.partial_auc(y, s, max_fpr=max_fpr, **given) == near(value)
        value = theirs.average_precision_score(words, s, **given, pos_label="b")
        assert metrics.average_precision(words, s, **given, pos_label="b") == near(value)
        value = theirs.brier_score_loss(words, p, **given, pos_label="b")
        assert metrics.brier(words, p, **given, pos_label="b") == near(value)
        assert metrics.log_loss(y, p, **given) == near(theirs.log_loss(y, p, **given))
        for drop in (True, False):
            wanted = theirs.roc_curve(y, s, drop_intermediate=drop, **given)
            told = metrics.roc_curve(y, s, drop_intermediate=drop, **given)
            for ours, other in zip(told, wanted, strict=True):
                assert ours == near(other)


@pytest.mark.parametrize("seed", SEEDS)
def test_classes_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 6))
    labels = np.array(["ash", "elm", "fir", "oak", "yew"])[:k]
    y = labels[np.append(np.arange(k), rng.integers(0, k, 20))]
    S = rng.integers(1, 5, (y.size, k)) * 1.0
    S /= S.sum(axis=1, keepdims=True)
    v = rng.integers(1, 4, y.size) * 1.0
    for average in ("macro", "weighted"):
        value = theirs.roc_auc_score(y, S, multi_class="ovo", average=average)
        assert metrics.hand_till(y, S, average=average) == near(value)
        value = theirs.roc_auc_score(y, S, multi_class="ovr", average=average, sample_weight=v)
        assert metrics.one_vs_rest(y, S, sample_weight=v, average=average) == near(value)
    each = theirs.roc_auc_score(y, S, multi_class="ovr", average=None, labels=labels)
    assert metrics.one_vs_rest(y, S, labels=labels, average=None) == near(each)
