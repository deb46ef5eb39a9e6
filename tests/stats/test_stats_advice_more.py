from math import inf, nan, sqrt

import numpy as np
import pytest

from aucbench.errors import DataError, ParameterError
from aucbench.stats.advice_more import Spread, drawn_statistic, settle
from aucbench.stats.signed_rank import signed_rank, statistic
from aucbench.stats.words import Word


def test_spread_of_stored_differences_by_hand():
    differences = [[0.01, 0.03], [0.00, 0.02], [nan, nan], [0.05, nan]]
    found = Spread.of(differences, ratio=0.25)
    assert found.sd == pytest.approx(np.std([0.02, 0.01, 0.05], ddof=1))
    assert found.split_sd == pytest.approx(np.std([0.0, 0.02], ddof=1))
    assert found.splits == pytest.approx(5 / 3)


def test_more_splits_shrink_their_own_part_only():
    spread = Spread(sd=0.05, splits=4, split_sd=0.06, ratio=0.25)
    assert spread.without_splits == pytest.approx(sqrt(0.05**2 - 0.06**2 / 4))
    # what the splits share stays, however many there are
    loud = Spread(sd=0.05, splits=4, split_sd=0.09, ratio=0.25)
    assert loud.without_splits == pytest.approx(0.045)
    assert Spread(0.05).without_splits == 0.05


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


def test_settling_includes_equivalence():
    d = np.random.default_rng(2).normal(0.0, 0.008, 10)
    found = settle(d, rope=0.005)
    assert found.more is not None
    assert settle(d - d.mean(), rope=0.0).more is None  # no difference, and no rope


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


def test_settling_says_when_it_cannot_say():
    found = settle([0.01, 0.02])
    assert found.more is None
    assert "2 difference(s)" in found.note
    failed = settle([inf, 0.01, 0.02, inf, 0.03, -0.01, 0.0], spread=Spread(0.01, 2, 0.01))
    assert 0.0 <= failed.now <= 1.0
    assert 0.0 <= failed.by_splits <= 1.0


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
