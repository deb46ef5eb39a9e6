"""The threshold that an aim chooses, beside all thresholds."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aucbench.errors import DataError
from aucbench.metrics import intercept_at

SCORES = st.one_of(st.integers(-4, 4).map(float), st.floats(allow_nan=False, allow_infinity=False))
ROWS = st.lists(st.tuples(st.booleans(), SCORES), max_size=25)

# Of the numbers tp, fp, fn, tn of a threshold: whether it reaches its aim, and what is largest.
AIMS = {
    "sensitivity": lambda tp, fp, fn, tn, a: (np.divide(tp, tp + fn) >= a, tn),
    "specificity": lambda tp, fp, fn, tn, a: (np.divide(tn, fp + tn) >= a, tp),
    "precision": lambda tp, fp, fn, tn, a: (tp + fp and tp / (tp + fp) >= a, tp + fp),
    "flags": lambda tp, fp, fn, tn, a: (tp + fp > 0 and (tp + fp) / (tp + fp + fn + tn) <= a,
                                        tp + fp),
    "costs": lambda tp, fp, fn, tn, a: (True, -(a * fp + (1.05 - a) * fn)),
    "Youden": lambda tp, fp, fn, tn, a: (True, round(tp / (tp + fn) - fp / (fp + tn), 12)),
}  # fmt: skip


def counts(y, scores, t):
    called = scores >= t
    return [int(np.sum(each)) for each in (called & y, called & ~y, ~called & y, ~called & ~y)]


@pytest.mark.parametrize("aim", AIMS)
@given(ROWS, SCORES, SCORES, st.integers(1, 20))
@example([], 1.0, 1.0, 20)
@example([], 0.0, 1.0, 20)
@example([(True, 0.0)], np.nextafter(0, 1), 0.0, 5)
@example([], 1.0, np.nextafter(1, 2), 20)
def test_no_threshold_reaches_an_aim_better(aim, pairs, high, low, twentieths):
    y, scores = map(np.array, zip(*[(True, high), (False, low), *pairs], strict=True))
    share, judge = twentieths / 20, AIMS[aim]
    every = [*scores, np.inf]
    values = [v for ok, v in (judge(*counts(y, scores, t), share) for t in every) if ok]
    given = {aim: share}
    given = {"costs": {"cost_fp": share, "cost_fn": 1.05 - share}, "Youden": {}}.get(aim, given)
    if not values:
        with pytest.raises(DataError):
            intercept_at(y, scores, **given)
        return
    reached, value = judge(*counts(y, scores, intercept_at(y, scores, **given)), share)
    assert reached
    assert value == pytest.approx(max(values), abs=1e-9)


@pytest.mark.parametrize(
    ("y", "scores", "aim", "wanted"),
    [
        ([0, 0, 1, 1], [1.0, 2.0, 4.0, 5.0], {}, 3.0),  # between two scores
        ([1, 0], [0.0, 1.0], {}, 0.0),
        ([0, 1], [3.0, 2.0], {"specificity": 1.0}, np.nextafter(3.0, 4.0)),
        ([0, 1], [3.0, 2.0], {"sensitivity": 1.0}, 2.0),
        ([0, 1], [3.0, 3.0], {"sensitivity": 0.1}, 3.0),
        ([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], {"cost_fp": 1, "cost_fn": 1}, 3.5),  # fewer flags
    ],
)
def test_golden_thresholds(y, scores, aim, wanted):
    assert intercept_at(y, scores, **aim) == wanted


@pytest.mark.parametrize(
    "scores", [[-np.inf, 0.0], [0.0, np.inf], [-np.inf, np.inf], [-1e308, 1e308]]
)
def test_infinite_and_huge_scores_are_told_apart(scores):
    for wanted in ({}, {"sensitivity": 1.0}, {"specificity": 1.0}):
        t = intercept_at([0, 1], scores, **wanted)
        assert [s >= t for s in scores] == [False, True]
