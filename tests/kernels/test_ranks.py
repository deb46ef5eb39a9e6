"""AUC: equal to the count over all pairs, ties one half, exact in integers."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

import aucbench
from aucbench.data import concordance
from aucbench.errors import DataError
from aucbench.kernels import ranks
from aucbench.metrics import auc

SCORES = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=True),
)


@st.composite
def labelled(draw):
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=0, max_size=40))
    y = [1, -1, *y]
    return np.array(y), np.array(draw(st.lists(SCORES, min_size=len(y), max_size=len(y))))


@given(labelled())
def test_auc_equals_the_count_over_all_pairs(case):
    y, scores = case

    assert auc(y, scores) == pytest.approx(reference.auc_by_pairs(y, scores), abs=1e-15)


@given(labelled(), st.integers(0, 2**32 - 1))
def test_weighted_auc_equals_the_sum_over_all_pairs(case, seed):
    (y, scores), v = case, np.random.default_rng(seed).uniform(0.5, 2.0, len(case[0]))

    expected = reference.weighted_auc_by_pairs(y, scores, v)
    assert auc(y, scores, v) == pytest.approx(expected, abs=1e-14)


def test_counts_are_integers_and_lose_no_tie():
    n = 200_000
    pos, neg = np.ones(n), np.zeros(n)
    neg[-1] = 1

    count = ranks.concordant_twice(pos, neg)

    assert isinstance(count, int)
    assert count == 2 * n * n - n


@given(labelled(), st.integers(1, 4), st.sampled_from([1, 3, 1024]))
def test_threads_count_the_same_pairs(case, threads, sample):
    y, scores = case
    with pytest.MonkeyPatch.context() as patch, aucbench.threads(threads):
        patch.setattr(concordance, "SHARED_FROM", 1)
        patch.setattr(concordance, "SAMPLE", sample)
        shared = auc(y, scores)

    assert shared == auc(y, scores)


@given(labelled(), st.integers(0, 99), st.integers(0, 99))
def test_a_range_of_scores_has_both_its_ends(case, one, other):
    y, scores = case
    pos, neg = (np.empty(c + 1) for c in ((y > 0).sum(), (y < 0).sum()))
    ends = [-np.inf, *scores.tolist(), np.inf]
    low, high = sorted([ends[one % len(ends)], ends[other % len(ends)]])
    within = [s[(s >= low) & (s <= high)] for s in (scores[y > 0], scores[y < 0])]

    counts = ranks.split((y > 0).view(np.uint8), scores, low, high, pos, neg)

    np.testing.assert_array_equal(pos[: counts[0]], within[0])
    np.testing.assert_array_equal(neg[: counts[1]], within[1])


@pytest.mark.parametrize(
    ("y", "scores", "sentence"),
    [
        ([1, -1], [np.nan, 0.0], "NaN"),
        ([1, 1], [0.0, 1.0], "both classes"),
        ([1, -1, 1], [0.0, 1.0], "give scores of shape"),
        ([1, 2], [0.0, 1.0], "say which is positive"),
        (["a", "b"], [0.0, 1.0], "pos_label='b'"),
        ([], [], "both classes"),
    ],
)
def test_what_has_no_auc_is_refused(y, scores, sentence):
    with pytest.raises(DataError, match=sentence):
        auc(y, scores)
