from math import inf, nan

import numpy as np
import pytest

from aucbench.errors import DataError, ParameterError
from aucbench.stats.advice_more import drawn_statistic, left_by_splits, settle
from aucbench.stats.pairs import PairTest
from aucbench.stats.signed_rank import signed_rank, statistic
from aucbench.stats.words import Word


def test_splits_leave_the_spread_over_data_sets():
    rng, n, splits = np.random.default_rng(0), 400, 10
    d = rng.normal(0.01, 0.02, (n, 1)) + rng.normal(0, 0.03, (n, splits))
    sd = d.mean(axis=1).std(ddof=1)
    assert left_by_splits(d, 0.0) * sd == pytest.approx(0.02, rel=0.15)
    assert left_by_splits(d, 100.0) == 1.0
    assert left_by_splits(np.array([[0.1, 0.2], [nan, nan]]), 0.0) is None
    assert left_by_splits(d[:, :1], 0.0) is None


def test_the_statistic_of_counts_is_that_of_the_written_out_sample():
    rng = np.random.default_rng(0)
    d = np.array([0.01, -0.01, 0.03, 0.0, 0.02, -0.04, inf, -inf])
    counts = rng.multinomial(11, np.full(8, 1 / 8), size=50).astype(float)
    written = np.array([np.repeat(d, count.astype(int)) for count in counts])
    np.testing.assert_allclose(drawn_statistic(d, counts), statistic(written)[0])


def test_settling_by_data_sets_grows_with_their_number():
    rng = np.random.default_rng(1)
    d = rng.normal(0.002, 0.01, 14)
    assert signed_rank(d).word() is Word.UNCLEAR
    found = settle(d)
    assert found.more >= 1
    # as many data sets drawn again are settled as often as promised
    total = 14 + found.more
    words = [
        signed_rank(rng.choice(d, total) + rng.normal(0, 1e-9, total)).word() for _ in range(400)
    ]
    assert np.mean([word is not Word.UNCLEAR for word in words]) == pytest.approx(0.8, abs=0.07)
    assert settle(d) == found


def test_splits_settle_a_pair_whose_spread_comes_from_splits():
    rng = np.random.default_rng(3)
    d = rng.normal(0.01, 0.015, 14)
    sd = float(d.std(ddof=1))
    noisy = d[:, None] + 1.4 * sd * np.array([-1.0, 1.0]) / np.sqrt(2.0)
    calm = d[:, None] + 0.1 * sd * np.array([-1.0, 1.0]) / np.sqrt(2.0)
    assert settle(d, by_split=noisy).by_splits > 0.9
    assert settle(d, by_split=calm).by_splits < 0.9
    assert settle(d).by_splits is None


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: settle([0.1] * 9, test=PairTest(rope=-1.0)), ParameterError),
        (lambda: settle([0.1, nan]), DataError),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call, error):
    with pytest.raises(error):
        call()
