"""Measures of which a smaller value is better: calibrated Brier score and log-loss."""

from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from aucbench.metrics import calibrated, measure
from aucbench.metrics.calibration import halves
from aucbench.stats import Advice, Fold, PairTest, SplitTest, Word
from aucbench.stats.tables import ResultTable, Scale


def drawn(seed, n=400, gain=1.5, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, gain * y + rng.normal(size=n)


def by_scikit_learn(y, s):
    """The definition: Platt's targets as weights of rows that are there twice."""
    first, p = halves(y), np.empty(y.size)
    for held in (first, ~first):
        n_pos, n_neg = np.count_nonzero(y[~held]), np.count_nonzero(~y[~held])
        target = np.where(y[~held], (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
        fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10000)
        twice = np.tile(s[~held], 2)[:, None]
        labels = np.repeat([1, 0], target.size)
        fit.fit(twice, labels, np.concatenate([target, 1 - target]))
        p[held] = fit.predict_proba(s[held][:, None])[:, 1]
    return p


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_are_those_of_scikit_learn(seed):
    y, s = drawn(seed)
    p = calibrated(y, s)

    assert_allclose(p, by_scikit_learn(y, s), atol=1e-5)
    assert_allclose(measure("brier")(y, s), metrics.brier_score_loss(y, p), rtol=1e-12)
    assert_allclose(measure("log-loss")(y, s), metrics.log_loss(y, p), rtol=1e-12)


# In each half there are 2 positives and 6 negatives, so that the targets are 3/4 and 1/8.
SHARE = (2 * 3 / 4 + 6 / 8) / 8


@pytest.mark.parametrize(
    ("scores", "positive", "negative"),
    [
        (np.zeros(16), SHARE, SHARE),
        (-np.repeat([1.0, 0.0], [4, 12]), SHARE, SHARE),  # they mean the contrary
        (np.repeat([1.0, 0.0], [4, 12]), 3 / 4, 1 / 8),  # they separate the classes
    ],
)
def test_scores_that_say_nothing_or_everything(scores, positive, negative):
    y = np.repeat([1, 0], [4, 12])

    assert_allclose(calibrated(y, scores), np.where(y, positive, negative))
    assert_allclose(measure("brier")(y, scores), (4 * (1 - positive) ** 2 + 12 * negative**2) / 16)
    loss = -(4 * log(positive) + 12 * log(1 - negative)) / 16
    assert_allclose(measure("log-loss")(y, scores), loss)


def test_no_row_calibrates_itself():
    y, s = drawn(1, n=60)
    row = int(np.flatnonzero(halves(y))[0])
    other = s.copy()
    other[row] += 0.5
    p, q = calibrated(y, s), calibrated(y, other)
    same = halves(y)
    same[row] = False

    assert p[row] != q[row]
    assert_allclose(p[same], q[same], rtol=1e-9)  # of its own half, others are as before


def test_the_halves_hold_both_classes_and_depend_on_the_labels_alone():
    y = drawn(2, n=101)[0]
    first = halves(y)

    for some in (y, ~y):
        assert abs(2 * np.count_nonzero(first & some) - np.count_nonzero(some)) <= 1
    np.testing.assert_array_equal(first, halves(y))


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
    found = SplitTest(ratio=1 / 4, by=measure(name)).of_rows(folds({"bad": 0.3, "good": 2.0}))
    [pair] = found.pairs
    values = {solver.name: solver.values.mean() for solver in found.solvers}

    assert values["good"] < values["bad"]
    assert found.best == "good"
    assert (pair.a, pair.b, pair.word) == ("bad", "good", Word.WORSE)
    assert pair.verdict.estimate == pytest.approx(values["bad"] - values["good"])
    assert pair.verdict.low > 0
    assert found.pair("good", "bad").word is Word.BETTER
    assert found.pair("good", "bad").verdict.word(p=pair.adjusted_p) is Word.BETTER
    assert [solver.not_worse for solver in found.solvers] == [False, True]

    table = {solver.name: solver.values for solver in found.solvers}
    bare = SplitTest(ratio=1 / 4, by=measure(name)).of_values(
        table, "No scores."
    )  # values alone say the same
    assert (bare.best, bare.pairs[0].word) == ("good", Word.WORSE)
    assert bare.pairs[0].verdict.estimate == pair.verdict.estimate
    assert [solver.not_worse for solver in bare.solvers] == [False, True]
    assert bare.solvers[0].delong.note == "No scores."


def test_a_fold_without_a_value_is_counted():
    some = folds({"a": 1.0, "b": 2.0})
    y = np.repeat([1, 0], [3, 50])
    for name in some:
        some[name][0, 5] = Fold(y, np.arange(53.0))
    found = SplitTest(ratio=1 / 4, by=measure("brier")).of_rows(some)

    assert [solver.missing for solver in found.solvers] == [1, 1]
    assert "1 of 6 splits have no value." in found.pairs[0].verdict.note


def losses(seed=0, n=12):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.1, 0.2, size=(n, 1))
    table = base + np.array([0.0, 0.03, 0.03]) + rng.normal(scale=0.002, size=(n, 3))
    table[0, 2] = np.nan
    return table


def test_pairs_of_losses_are_those_of_their_negatives():
    names = ["a", "b", "c"]
    of_losses = PairTest().pairs(ResultTable(losses(), names, scale=Scale.SMALLER)).all
    of_gains = PairTest().pairs(ResultTable(-losses(), names)).all

    for loss, gain in zip(of_losses, of_gains, strict=True):
        assert loss.word is gain.word
        assert (loss.wins, loss.ties, loss.losses) == (gain.wins, gain.ties, gain.losses)
        assert (loss.mean, loss.difference.estimate) == (-gain.mean, -gain.difference.estimate)
        assert (loss.p, loss.adjusted_p) == (gain.p, gain.adjusted_p)
        assert loss.flipped().word is gain.flipped().word
    assert of_losses[0].word is Word.BETTER
    assert of_losses[0].mean < 0


def test_advice_names_the_solver_with_the_lowest_loss():
    sets = [f"x{i}" for i in range(12)]
    table = losses()
    names = ["b", "a", "c"]
    smaller = ResultTable(table, names, sets, scale=Scale.SMALLER)
    larger = ResultTable(-table, names, sets, scale=Scale.LARGER)
    advice, gains = (Advice(table=one, measure="Brier score") for one in (smaller, larger))

    assert advice.leader == gains.leader == "b"
    assert advice.sentences[1].startswith(
        f"b has the lowest mean Brier score, {table[:, 0].mean():.4f} over 12 data sets"
    )
    assert advice.best == gains.best
    assert advice.sentences[0] == gains.sentences[0]
    assert "highest" not in str(advice)
