from math import inf, nan

import numpy as np
import pytest

from aucbench.errors import DataError, ParameterError
from aucbench.stats.advice_more import Spread, drawn_statistic, settle
from aucbench.stats.signed_rank import signed_rank, statistic
from aucbench.stats.words import Word


@pytest.mark.slow
def test_spread_finds_its_parts_in_simulated_results():
    rng, n, splits = np.random.default_rng(0), 400, 10
    d = rng.normal(0.01, 0.02, (n, 1)) + rng.normal(0, 0.03, (n, splits))
    found = Spread.of(d)
    assert found.split_sd == pytest.approx(0.03, rel=0.05)
    assert found.without_splits == pytest.approx(0.02, rel=0.15)


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
    assert found.now < 0.8
    assert found.more >= 1
    # as many data sets drawn again are settled as often as promised
    total = 14 + found.more
    words = [
        signed_rank(rng.choice(d, total) + rng.normal(0, 1e-9, total)).word() for _ in range(400)
    ]
    assert np.mean([word is not Word.UNCLEAR for word in words]) == pytest.approx(0.8, abs=0.07)
    assert settle(d) == found
    assert settle(d, seed=2) != found


def test_splits_settle_a_pair_whose_spread_comes_from_splits():
    rng = np.random.default_rng(3)
    d = rng.normal(0.01, 0.015, 14)
    sd = float(d.std(ddof=1))
    from_splits = settle(d, spread=Spread(sd, 2, 1.4 * sd))
    from_data = settle(d, spread=Spread(sd, 2, 0.1 * sd))
    assert from_splits.by_splits > 0.9
    assert from_data.by_splits == pytest.approx(from_data.now, abs=0.05)
    assert settle(d).by_splits is None
    assert settle(d, spread=Spread(sd)).by_splits is None


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Spread(-0.1), ParameterError),
        (lambda: settle([0.1] * 9, rope=-1.0), ParameterError),
        (lambda: Spread.of([[0.1, 0.2], [nan, nan]]), DataError),
        (lambda: Spread.of([0.1, 0.2]), DataError),
        (lambda: settle([0.1, nan]), DataError),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call, error):
    with pytest.raises(error):
        call()
