"""Measures of a ranking, of classes and of probabilities, beside their definitions; losses."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from aucbench.about import metric
from aucbench.data.categories import Categories
from aucbench.errors import PluginError
from aucbench.metrics import (
    auc,
    auc_of,
    average_precision,
    brier,
    calibrated,
    hand_till,
    log_loss,
    measure,
    one_vs_rest,
    partial_auc,
    precision_at,
    recall_at,
)
from aucbench.metrics.calibration import halves
from aucbench.metrics.roc import bands, corners
from aucbench.registry.shapes import checked_value
from aucbench.stats import Fold, SplitTest, Word


def drawn(seed, n=60, levels=2, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < 0.4
    s = np.round((rng.normal(size=n) + y) * levels) / levels
    return y, s, rng.uniform(0.2, 3.0, size=n) if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [1, 50])
@pytest.mark.parametrize("seed", range(2))
def test_average_precision_by_its_definition(seed, levels, weighted):
    y, s, weights = drawn(seed, 60, levels, weighted)
    w = np.ones(60) if weights is None else weights
    found = recall_before = 0.0
    for threshold in sorted({*s}, reverse=True):
        called = s >= threshold
        recall = w[called & y].sum() / w[y].sum()
        found += (recall - recall_before) * w[called & y].sum() / w[called].sum()
        recall_before = recall
    assert_allclose(average_precision(y, s, weights), found, rtol=1e-12)
    assert_allclose(partial_auc(y, s, weights, max_fpr=1.0), auc(y, s, weights), rtol=1e-12)


def test_precision_and_recall_are_means_over_the_orders_of_ties():
    y, weights = np.array([1, 0, 1, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 1.0, 2.0, 5.0])
    s = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 2.0])
    for k in range(1, 7):
        hits, mass, all_of_it = [], [], []
        for order in permutations(range(6)):
            top = sorted(order, key=lambda i: -s[i])[:k]  # stable: ties stay in this order
            hits.append(y[top].sum())
            mass.append((weights * y)[top].sum())
            all_of_it.append(weights[top].sum())
        assert_allclose(precision_at(y, s, k=k), np.mean(hits) / k, rtol=1e-12)
        assert_allclose(recall_at(y, s, k=k), np.mean(hits) / 3, rtol=1e-12)
        own = np.mean(mass) / np.mean(all_of_it)
        assert_allclose(precision_at(y, s, weights, k=k), own, rtol=1e-12)
        assert_allclose(recall_at(y, s, weights, k=k), np.mean(mass) / 9, rtol=1e-12)


def test_infinite_scores_have_their_place():
    y, s = [1, 0, 1, 0], np.array([np.inf, np.inf, 0.0, -np.inf])
    for f in (auc, average_precision, partial_auc):
        assert f(y, s) == f(y, [9.0, 9.0, 1.0, 0.0])
    fp, tp = corners(Fold(y, s))
    assert (fp.tolist(), tp.tolist()) == ([0, 1, 1, 2], [0, 1, 2, 2])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_brier_and_log_loss_are_those_of_scikit_learn(seed, weighted):
    y, s, w = drawn(seed, 60, 50, weighted)
    p = 1 / (1 + np.exp(-s))
    assert_allclose(brier(y, p, w), metrics.brier_score_loss(y, p, sample_weight=w), rtol=1e-12)
    assert_allclose(log_loss(y, p, w), metrics.log_loss(y, p, sample_weight=w), rtol=1e-12)
    assert brier([1, 0], [1.0, 0.0]) == log_loss([1, 0], [1.0, 0.0]) == 0.0


@pytest.mark.parametrize(
    ("spec", "name", "function"),
    [
        *(("auc", "auc", auc), ("ap", "ap", average_precision)),
        *((text, "pauc[max_fpr=0.1]", partial_auc) for text in ("pauc", "pauc[.1]")),
        *((text, "recall[k=10]", recall_at) for text in ("recall", " recall[ k = 10 ] ")),
        *((text, "precision[k=10]", precision_at) for text in ("precision", "precision[1e1]")),
    ],
)
def test_a_measure_by_its_specification(spec, name, function):
    y, s, w = drawn(7, weighted=True)
    found = measure(spec)
    assert found.name == name
    assert found(y, s, w) == function(y, s, w)
    assert found(y, s) == function(y, s)
    assert measure(name) == found
    assert (found.share, found.smaller) == (True, False)
    assert (measure("brier").share, measure("brier").smaller) == (False, True)


@pytest.mark.parametrize("value", [1.0 + 1e-9, -1e-9, 50.0])
def test_a_value_out_of_the_range_of_a_metric_is_refused(value):
    share = metric(low=0, high=1)(lambda y, s: value)
    with pytest.raises(PluginError, match=r"\[0, 1\]"):
        checked_value(share, value)


def by_scikit_learn(y, s):
    """The definition: Platt's targets as weights of rows that are there twice."""
    first, p = halves(y), np.empty(y.size)
    for held in (first, ~first):
        n_pos, n_neg = np.count_nonzero(y[~held]), np.count_nonzero(~y[~held])
        target = np.where(y[~held], (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
        fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10000)
        twice, labels = np.tile(s[~held], 2)[:, None], np.repeat([1, 0], target.size)
        fit.fit(twice, labels, np.concatenate([target, 1 - target]))
        p[held] = fit.predict_proba(s[held][:, None])[:, 1]
    return p


@pytest.mark.parametrize("seed", range(3))
def test_calibrated_probabilities_are_those_of_scikit_learn(seed):
    y, s, _ = drawn(seed, 400, 50)
    p = calibrated(y, s)
    assert_allclose(p, by_scikit_learn(y, s), atol=1e-5)
    assert_allclose(measure("brier")(y, s), metrics.brier_score_loss(y, p), rtol=1e-12)
    assert_allclose(measure("log-loss")(y, s), metrics.log_loss(y, p), rtol=1e-12)


# In each half there are 2 positives and 6 negatives, so that the targets are 3/4 and 1/8.


def test_no_row_calibrates_itself():
    y, s, _ = drawn(1, 101)
    same = halves(y)
    np.testing.assert_array_equal(same, halves(y))
    for some in (y, ~y):
        assert abs(2 * np.count_nonzero(same & some) - np.count_nonzero(some)) <= 1
    row, other = int(np.flatnonzero(same)[0]), s.copy()
    other[row] += 0.5
    p, q = calibrated(y, s), calibrated(y, other)
    same[row] = False
    assert p[row] != q[row]
    assert_allclose(p[same], q[same], rtol=1e-9)  # of its own half, others are as before


GOLDEN = [
    (
        [0, 0, 1, 1, 1, 2],
        [[2, 2, 0], [1, 1, 2], [1, 3, 0], [2, 1, 1], [0, 2, 2], [1, 1, 2]],
        *(Fraction(3, 4), Fraction(1591, 2160)),
    ),
    (
        [0, 1, 2, 0, 1, 2],
        [[2, 1, 1], [1, 2, 1], [1, 2, 1], [1, 1, 2], [0, 3, 1], [1, 0, 3]],
        *(Fraction(13, 16), Fraction(13, 16)),
    ),
]


@pytest.mark.parametrize(("y", "S", "m", "rest"), GOLDEN)
def test_golden_numbers_of_classes(y, S, m, rest):
    S = np.array(S) / 4
    assert hand_till(y, S) == pytest.approx(float(m), abs=1e-15)
    assert one_vs_rest(y, S) == pytest.approx(float(rest), abs=1e-15)
    names = Categories.of(np.array(["a", "b", "c"])[y])
    assert auc_of(names, S) == pytest.approx(float(m), abs=1e-15)


@given(st.integers(3, 5), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_hand_and_till_is_a_mean_over_ordered_pairs_of_classes(k, more, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.append(np.arange(k), rng.integers(0, k, more)))
    S, v, shares = rng.integers(-4, 5, (y.size, k)) / 4, rng.integers(1, 4, y.size), []
    for one, other in permutations(range(k), 2):
        pairs = [(i, j) for i in np.flatnonzero(y == one) for j in np.flatnonzero(y == other)]
        wins = sum(
            int(v[i] * v[j]) * Fraction(int(np.sign(S[i, one] - S[j, one])) + 1, 2)
            for i, j in pairs
        )
        shares.append(wins / sum(int(v[i] * v[j]) for i, j in pairs))
    wanted = float(sum(shares) / len(shares))
    assert hand_till(y, S, v) == pytest.approx(wanted, abs=1e-14)


def fold(seed, digits=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 300) * 2 - 1
    return y, np.round(y + 2 * rng.standard_normal(300), digits)


@pytest.mark.parametrize("digits", [0, 6])  # many ties, and none
def test_one_fold_has_the_curves_of_scikit_learn(digits):
    y, scores = fold(0, digits)
    fpr, tpr, _ = metrics.roc_curve(y, scores, drop_intermediate=False)
    found = bands([Fold(y, scores)], 400)[0]
    # At a vertical step scikit-learn has two points, of which the upper one counts here.
    assert_allclose(found.mean, np.interp(found.x + 1e-12, fpr, tpr), atol=1e-9)
    area = metrics.auc([0.0, *found.x], [0.0, *found.mean])
    assert area == pytest.approx(metrics.roc_auc_score(y, scores), abs=2e-3)

    precision, recall, _ = metrics.precision_recall_curve(y, scores)
    found = bands([Fold(y, scores)], int((y > 0).sum()))[1]
    known = {round(x, 9): p for x, p in zip(found.x, found.mean, strict=True)}
    for r in np.unique(recall[recall > 0]):  # where a recall is first reached
        best = precision[np.isclose(recall, r)].max()
        assert known[round(r, 9)] == pytest.approx(best)


def test_a_band_spans_the_folds():
    folds = [Fold(*fold(2)), Fold(*fold(3))]
    alone = [bands([one], 20)[0].mean for one in folds]
    band = bands(folds, 20)[0]
    assert_allclose(band.mean, np.mean(alone, axis=0))
    assert_allclose(band.low, np.min(alone, axis=0))
    assert_allclose(band.high, np.max(alone, axis=0))


def folds(gains, splits=5):
    """The same rows for each solver; a larger gain separates the classes better."""
    found = {name: {} for name in gains}
    for split in range(splits):
        rng = np.random.default_rng(split)
        y = rng.random(300) < 0.4
        noise = rng.normal(size=y.size)
        for name, gain in gains.items():
            found[name][0, split] = Fold(y, gain * y + noise)
    return found


@pytest.mark.parametrize("name", ["brier", "log-loss"])
def test_the_solver_with_the_smaller_loss_is_better(name):
    test, rows = SplitTest(ratio=1 / 4, by=measure(name)), folds({"bad": 0.3, "good": 2.0})
    found = test.of_rows(rows)
    values = {solver.name: solver.values.mean() for solver in found.solvers}
    table = {solver.name: solver.values for solver in found.solvers}
    for each in (found, test.of_values(table, "No scores.")):  # values alone say the same
        [pair] = each.pairs
        assert each.best == "good"
        assert (pair.a, pair.b, pair.word) == ("bad", "good", Word.WORSE)
        assert pair.verdict.estimate == pytest.approx(values["bad"] - values["good"])
        assert pair.verdict.low > 0
        assert each.pair("good", "bad").word is Word.BETTER
        assert [solver.not_worse for solver in each.solvers] == [False, True]
    y = np.repeat([1, 0], [3, 50])
    for own in rows.values():
        own[0, 5] = Fold(y, np.arange(53.0))  # a half without two positives has no value
    found = test.of_rows(rows)
    assert [solver.missing for solver in found.solvers] == [1, 1]
    assert "1 of 6 splits have no value." in found.pairs[0].verdict.note
