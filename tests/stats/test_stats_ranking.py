from math import isnan, nan

import numpy as np
import pytest
from scipy.stats import binomtest

from aucbench.errors import ParameterError
from aucbench.stats.ranking import Bootstrap
from aucbench.stats.tables import ResultTable


def table(n=14, k=5, seed=0, step=0.004):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.6, 0.9, (n, 1)) + step * np.arange(k) + rng.normal(0, 0.02, (n, k))


def test_the_intervals_are_percentiles_of_resampled_data_sets():
    values, draws = table(), 400
    found = Bootstrap(draws=draws).ranks(ResultTable(values, "abcde"))
    counts = np.random.default_rng(0).multinomial(14, np.full(14, 1 / 14), size=draws)
    means = []
    for count in counts:
        drawn = np.repeat(values, count, axis=0)
        means.append(
            [one.estimate for one in Bootstrap(draws=1).ranks(ResultTable(drawn, "abcde"))]
        )
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    assert [one.low for one in found] == pytest.approx(low)
    assert [one.high for one in found] == pytest.approx(high)


def test_one_data_set_and_none_have_no_interval_and_say_so():
    [first, _] = Bootstrap().ranks(ResultTable([[0.9, 0.8]], "ab"))
    assert isnan(first.low)
    assert "One data set says nothing about others" in first.note
    [first, _] = Bootstrap().ranks(ResultTable(np.empty((0, 2)), "ab"))
    assert isnan(first.estimate)
    assert "No data set" in first.note


@pytest.mark.parametrize("options", [{"level": 1.0}, {"draws": 0}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ParameterError):
        Bootstrap(**options).ranks(ResultTable(table(), "abcde"))


@pytest.mark.slow
def test_rank_intervals_cover_about_as_often_as_they_say():
    """The percentile bootstrap falls a little short on 30 data sets: 90 to 97 % for .95."""
    rng, draws, k = np.random.default_rng(1), 500, 4
    covered = 0
    for _ in range(draws):
        values = rng.normal(0, 1, (30, k)) + rng.normal(0, 1, (30, 1))
        first = Bootstrap(draws=500).ranks(ResultTable(values, "abcd"))[0]
        covered += first.low <= (k + 1) / 2 <= first.high
    assert binomtest(covered, draws, 0.90, alternative="less").pvalue > 1e-3
    assert binomtest(covered, draws, 0.97, alternative="greater").pvalue > 1e-3


def test_means_are_over_known_values_and_their_intervals_over_drawn_data_sets():
    table = np.array([[0.9, 0.8], [0.7, nan], [0.5, 0.6], [0.6, nan]])
    a, b = Bootstrap(draws=400).means(ResultTable(table, "ab"))
    assert a.estimate == pytest.approx(0.675)
    assert b.estimate == pytest.approx(0.7)
    counts = np.random.default_rng(0).multinomial(4, [0.25] * 4, size=400)
    by_hand = np.quantile(counts @ table[:, 0] / 4, [0.025, 0.975])
    assert [a.low, a.high] == pytest.approx(by_hand)
    assert 0.6 <= b.low < b.high <= 0.8 + 1e-12
    [lone, none] = Bootstrap().means(ResultTable([[0.9, nan]], "ab"))
    assert lone.estimate == 0.9
    assert isnan(lone.low)
    assert lone.note
    assert isnan(none.estimate)
