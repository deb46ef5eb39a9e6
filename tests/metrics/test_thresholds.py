"""Thresholds for a required sensitivity or specificity, and the classifier that uses them."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from aucbench import AUCClassifier
from aucbench.data import Chunk, Data
from aucbench.errors import DataError, ParameterError
from aucbench.metrics import intercept_at
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

RNG = np.random.default_rng(8)
N = 400
Y = np.where(RNG.random(N) < 0.2, 1, -1)
X = RNG.normal(size=(N, 5)) + 0.5 * Y[:, None]
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.one_of(st.integers(-4, 4).map(float), FINITE)
ROWS = st.lists(st.tuples(st.booleans(), SCORES), max_size=25)


def shares(y, scores, t):
    positive = scores >= t
    return np.mean(positive[y]), np.mean(~positive[~y])


def both_classes(pairs, high, low):
    y, scores = zip(*[(True, high), (False, low), *pairs], strict=True)
    return np.array(y), np.array(scores)


@given(ROWS, SCORES, SCORES, st.integers(1, 20))
@example([], 1.0, 1.0, 20)
@example([(True, 0.0)], np.nextafter(0, 1), 0.0, 5)
def test_the_largest_threshold_that_finds_enough(pairs, high, low, twentieths):
    y, scores = both_classes(pairs, high, low)
    wanted = twentieths / 20

    t = intercept_at(y, scores, sensitivity=wanted)
    found, spared = shares(y, scores, t)

    assert found >= wanted
    above = [shares(y, scores, s) for s in [*scores, np.inf] if s >= t]
    assert all(more < wanted for more, other in above if other > spared)


@given(ROWS, SCORES, SCORES, st.integers(1, 20))
@example([], 0.0, 1.0, 20)
@example([], 1.0, np.nextafter(1, 2), 20)
def test_the_smallest_threshold_that_spares_enough(pairs, high, low, twentieths):
    y, scores = both_classes(pairs, high, low)
    wanted = twentieths / 20

    t = intercept_at(y, scores, specificity=wanted)
    found, spared = shares(y, scores, t)

    assert spared >= wanted
    below = [shares(y, scores, s) for s in scores if s <= t]
    assert all(other < wanted for more, other in below if more > found)


@pytest.mark.parametrize("share", [k / 10 for k in range(1, 11)])
def test_a_share_is_met_exactly_where_the_counts_allow_it(share):
    y, scores = np.repeat([True, False], 10), np.arange(20.0)[::-1]

    k = round(10 * share)
    assert intercept_at(y, scores, sensitivity=share) == 19.5 - k
    assert intercept_at(~y, -scores, sensitivity=share) == 0.5 - k
    for labels in (y, ~y):
        assert shares(labels, scores, intercept_at(labels, scores, specificity=share))[1] == share


def test_outside_all_scores():
    assert intercept_at([0, 1], [3.0, 2.0], specificity=1.0) == np.nextafter(3.0, 4.0)
    assert intercept_at([0, 1], [3.0, 2.0], sensitivity=1.0) == 2.0
    assert intercept_at([0, 1], [3.0, 3.0], sensitivity=0.1) == 3.0


@pytest.mark.parametrize(
    "scores", [[-np.inf, 0.0], [0.0, np.inf], [-np.inf, np.inf], [-1e308, 1e308]]
)
def test_infinite_and_huge_scores_are_told_apart(scores):
    for wanted in ({}, {"sensitivity": 1.0}, {"specificity": 1.0}):
        t = intercept_at([0, 1], scores, **wanted)
        assert [s >= t for s in scores] == [False, True]


def test_mistakes_are_told():
    for share in (0, 1.01, np.nan, -0.5):
        with pytest.raises(ParameterError, match=r"sensitivity is .* give a share"):
            intercept_at([0, 1], [0.0, 1.0], sensitivity=share)
        with pytest.raises(ParameterError, match=r"specificity is .* give a share"):
            AUCClassifier(specificity=share).fit(X, Y)
    with pytest.raises(ParameterError, match="give one of them"):
        AUCClassifier("solam", sensitivity=0.9, specificity=0.9).partial_fit(X, Y)
    with pytest.raises(DataError, match="infinite"):
        intercept_at([0, 1], [np.inf, 0.0], specificity=1.0)
    with pytest.raises(DataError, match=r"a share of 1\.5 cannot be held out"):
        AUCClassifier(validation=1.5).fit(X, Y)
    with pytest.raises(ParameterError, match="validation is for fit"):
        AUCClassifier("solam", validation=0.5).partial_fit(X, Y)


@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_the_classifier_predicts_at_the_point_asked_for(share):
    def recalls(**wanted):
        model = AUCClassifier("ls-svm", **wanted).fit(X, Y)
        predicted = model.predict(X)
        return np.mean(predicted[Y > 0] > 0), np.mean(predicted[Y < 0] < 0), model

    found, _, model = recalls(sensitivity=share)
    _, spared, other = recalls(specificity=share)

    assert share <= found <= share + 1 / np.sum(Y > 0)
    assert share <= spared <= share + 1 / np.sum(Y < 0)
    np.testing.assert_array_equal(other.run_.w, model.run_.w)


def test_partial_fit_uses_the_share_on_the_latest_chunk_of_both_classes():
    model = AUCClassifier("solam", sensitivity=0.8, features="none")
    model.partial_fit(X[:200], Y[:200], classes=[-1, 1])
    scores = model.model_.scores(X[:200])[:, 0]
    expected = intercept_at(Y[:200], scores, sensitivity=0.8)
    assert model.threshold_ == expected

    model.partial_fit(Chunk.of(X[Y > 0], Y[Y > 0]))
    assert model.threshold_ == expected


def test_rows_held_out_choose_the_threshold_and_teach_nothing():
    wanted = {"validation": 0.25, "sensitivity": 0.8, "features": "none"}
    model = AUCClassifier("ls-svm", random_state=3, **wanted).fit(X, Y)
    rng = np.random.default_rng(3).spawn(3)[2]
    rest, held = Data.of(X, Y).split(0.25, rng)

    run = solve(get_solver("ls-svm"), rest, seed=3)
    np.testing.assert_array_equal(model.run_.w, run.w)
    assert abs(held.n - N / 4) <= 1
    expected = intercept_at(held.y, run.decision_function(held.rows), sensitivity=0.8)
    assert model.threshold_ == expected
    assert model.fit(X, Y).threshold_ == expected
    assert model.set_params(random_state=4).fit(X, Y).threshold_ != expected


def test_no_intercept_before_the_fit():
    model = AUCClassifier()

    assert not hasattr(model, "intercept_")
    assert not hasattr(model, "coef_")
    with pytest.raises(NotFittedError):
        model.predict(X)
