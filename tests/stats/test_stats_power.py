from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from nights import first
from scipy.stats import binomtest, norm, wilcoxon

from aucbench.errors import DataError, ParameterError
from aucbench.stats.pairs import pairwise
from aucbench.stats.power import Spread, data_sets_needed, detectable_difference, plan, power
from aucbench.stats.settling import drawn_statistic, settle
from aucbench.stats.signed_rank import signed_rank, statistic
from aucbench.stats.words import Word


def test_with_six_data_sets_power_has_a_closed_form():
    """The test rejects on the right side if and only if all six differences are positive."""
    for effect in (0.0, 0.5, 1.0, 2.0):
        assert power(6, effect, 1.0) == pytest.approx(norm.cdf(effect) ** 6, abs=0.02)
    wanted = norm.ppf(0.8 ** (1 / 6))
    assert detectable_difference(6, 2.0) == pytest.approx(2 * wanted, rel=0.02)


def test_power_grows_from_half_the_size_to_one():
    for n in (8, 20, 50, 51, 300):
        found = [power(n, effect, 1.0) for effect in (0.0, 0.2, 0.5, 1.0, 5.0)]
        assert found == sorted(found)
        assert found[0] == pytest.approx(0.025, abs=0.009)
        assert found[-1] == pytest.approx(1.0)
    assert power(20, -0.01, 0.02) == power(20, 0.01, 0.02)


def test_of_many_it_approaches_the_t_test_of_a_share_of_3_over_pi():
    sd, n = 0.02, 4000
    expected = sd * (norm.ppf(0.975) + norm.ppf(0.8)) / sqrt(n * 3 / np.pi)
    assert detectable_difference(n, sd) == pytest.approx(expected, rel=0.01)


def test_the_three_questions_agree():
    for n in (14, 40, 90):
        found = detectable_difference(n, 0.012, pairs=3)
        assert power(n, found, 0.012, pairs=3) == pytest.approx(0.8, abs=1e-3)
        assert abs(data_sets_needed(found, 0.012, pairs=3) - n) <= 1
    # the limit, from 51 on, continues the simulation
    fifty, next_one = detectable_difference(50, 1.0), detectable_difference(51, 1.0)
    assert next_one == pytest.approx(fifty * sqrt(50 / 51), rel=0.02)


def test_too_few_data_sets_show_nothing():
    assert power(5, 10.0, 1.0) == 0.0
    assert isnan(detectable_difference(5, 1.0))
    assert data_sets_needed(1.0, 1e-9) == 6
    assert data_sets_needed(1.0, 0.0, pairs=10) == 9
    assert data_sets_needed(1e-9, 1.0) is None


def test_spread_of_stored_differences_by_hand():
    differences = [[0.01, 0.03], [0.00, 0.02], [nan, nan], [0.05, nan]]
    found = Spread.of(differences, ratio=0.25)
    assert found.sd == pytest.approx(np.std([0.02, 0.01, 0.05], ddof=1))
    assert found.split_sd == pytest.approx(np.std([0.0, 0.02], ddof=1))
    assert found.splits == pytest.approx(5 / 3)


def test_the_typical_spread_is_that_of_the_pair_in_the_middle():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, (9, 3, 4)) * np.array([0.01, 0.02, 0.05])[:, None]
    values[0, 1] = nan
    pairs = [Spread.of(values[:, a] - values[:, b], 0.5) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert Spread.typical(values, 0.5) == sorted(pairs, key=lambda spread: spread.sd)[1]
    with pytest.raises(DataError, match="1 solver"):
        Spread.typical(values[:, :1])
    values[1:, 2] = nan
    assert Spread.typical(values) == Spread.of(values[:, 0] - values[:, 1])


def test_more_splits_shrink_their_own_part_only():
    spread = Spread(sd=0.05, splits=4, split_sd=0.06, ratio=0.25)
    assert spread.with_splits(4) == pytest.approx(0.05)
    assert spread.with_splits(inf) == pytest.approx(sqrt(0.05**2 - 0.06**2 / 4))
    assert spread.with_splits(1) == pytest.approx(sqrt(0.05**2 + 0.06**2 * 3 / 4))
    # what the splits share stays, however many there are
    loud = Spread(sd=0.05, splits=4, split_sd=0.09, ratio=0.25)
    assert loud.with_splits(inf) == pytest.approx(0.045)
    assert Spread(0.05).with_splits(inf) == 0.05


@pytest.mark.slow
def test_spread_finds_its_parts_in_simulated_results():
    rng, n, splits = np.random.default_rng(0), 400, 10
    d = rng.normal(0.01, 0.02, (n, 1)) + rng.normal(0, 0.03, (n, splits))
    found = Spread.of(d)
    assert found.split_sd == pytest.approx(0.03, rel=0.05)
    assert found.with_splits(inf) == pytest.approx(0.02, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("n", first([14, 51, 8, 30, 50, 80], 2))
@pytest.mark.parametrize("pairs", [1, 6])
def test_predicted_power_is_the_simulated_one(n, pairs):
    """Simulated with SciPy's test on data that the planner does not see."""
    rng, draws, sd = np.random.default_rng(n), 1500, 0.02
    difference = detectable_difference(n, sd, pairs=pairs)
    d = rng.normal(difference, sd, (draws, n))
    method = "exact" if n <= 50 else "asymptotic"
    p = wilcoxon(d, axis=1, method=method).pvalue
    found = np.mean((p < 0.05 / pairs) & (d.mean(axis=1) > 0))
    assert found == pytest.approx(0.8, abs=0.04)


@pytest.mark.slow
def test_predicted_power_is_that_of_the_verdict():
    rng, draws, n, sd = np.random.default_rng(5), 1000, 14, 0.02
    predicted = power(n, 0.015, sd)
    better = sum(
        pairwise(np.column_stack([rng.normal(0.015, sd, n), np.zeros(n)]), "ab", draws=1)[0].word
        is Word.BETTER
        for _ in range(draws)
    )
    assert binomtest(better, draws, predicted).pvalue > 1e-3


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
    assert settle(d, pairs=10).more > found.more
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


def test_a_plan_in_words():
    found = plan(14, 10, Spread(0.012, 10, 0.02, 0.25), difference=0.005, solvers=3)
    assert found.pairs == 3
    text = " ".join(found.sentences)
    assert f"A difference of {found.detectable:.4f} or more is found with a probability" in text
    assert f"A difference of 0.005 takes {found.needed} data set(s)." in text
    assert found.detectable_by_splits < found.detectable
    assert found.needed_by_splits < found.needed
    assert "More splits do not replace data sets" in text

    unknown = plan(14, 10, Spread(0.012, 10))
    assert unknown.detectable_by_splits is None
    assert unknown.needed is None
    assert "they only remove the part" in " ".join(unknown.sentences)

    few = plan(4, 10, Spread(0.012, 10, 0.02), difference=1e-9)
    assert isnan(few.detectable)
    text = " ".join(few.sentences)
    assert "cannot show any difference at level 0.95; this takes at least 6" in text
    assert "more than a million" in text


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: power(0, 0.1, 0.1), ParameterError),
        (lambda: power(9, 0.1, 0.0), ParameterError),
        (lambda: power(9, 0.1, 0.1, level=1.5), ParameterError),
        (lambda: data_sets_needed(0.0, 0.1), ParameterError),
        (lambda: data_sets_needed(0.1, nan), ParameterError),
        (lambda: detectable_difference(9, 0.1, wanted=1.0), ParameterError),
        (lambda: plan(9, 0, Spread(0.1)), ParameterError),
        (lambda: plan(9, 5, Spread(0.1), solvers=1), ParameterError),
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
