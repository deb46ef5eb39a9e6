"""The logistic loss over all pairs: equal to the double sum for any scores."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from aucbench.objectives.logistic_sums import SLOPE, VALUE, LogisticSums

SCORES = {
    "whole": st.integers(-3, 3).map(float),
    "plain": st.floats(-5.0, 5.0),
    "far": st.floats(-1e3, 1e3),
    "close": st.floats(-1e-9, 1e-9),
}


@st.composite
def cases(draw):
    y = draw(st.lists(st.sampled_from([-1, 1]), max_size=30))
    y = np.array([1, -1, *y], dtype=np.int8)
    values = SCORES[draw(st.sampled_from(sorted(SCORES)))]
    s = np.array(draw(st.lists(values, min_size=y.size, max_size=y.size)))
    v = draw(st.sampled_from([None, np.linspace(0.1, 3.0, y.size)]))
    return y, s + draw(st.sampled_from([0.0, 0.0, 1e6])), v


def test_the_polynomial_errs_by_what_is_stated():
    z = np.r_[0.0, 1e-300, np.geomspace(1e-12, 1.0, 20_001), np.linspace(0.0, 1.0, 20_001)]
    powers = z[:, None] ** np.arange(1, VALUE.size + 1)

    assert np.abs(powers @ VALUE - np.log1p(z)).max() <= LogisticSums.ERROR
    assert np.abs(powers @ SLOPE - z / (1.0 + z)).max() <= LogisticSums.ERROR
    assert np.abs(VALUE).max() <= 1.0 + 1e-6


@given(cases())
def test_equals_the_double_sum(case):
    y, s, v = case
    value, c = reference.pair_logistic_of_scores(s, y, v)

    found, slopes, active = LogisticSums.of_labels(y, v)(s)

    # 2·10⁻¹³ for each pair, and the rounding of sums; at an offset of 10⁶, that of scores too.
    digits = 1e-15 * np.abs(s).max()
    assert found == pytest.approx(value, rel=1e-13, abs=3e-13 + digits)
    np.testing.assert_allclose(slopes, c, rtol=1e-12, atol=3e-13)
    assert active == 1.0


@given(st.floats(1e3, 1e300), st.integers(0, 99))
def test_far_scores_are_hinges(scale, seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(40) < 0.4, 1, -1).astype(np.int8)
    y[:2] = 1, -1
    s = scale * rng.permutation(40)

    value, c, _ = LogisticSums.of_labels(y, None)(s)

    losses = np.maximum(s[y < 0] / scale - s[y > 0][:, None] / scale, 0.0)
    assert value / scale == pytest.approx(losses.mean(), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(c[y < 0], (losses > 0).mean(axis=0) / (y < 0).sum(), atol=1e-14)


@given(st.lists(st.floats(), min_size=2, max_size=20))
def test_any_floats_end_and_nan_shows(values):
    y = np.where(np.arange(len(values)) % 2, 1, -1).astype(np.int8)

    value, c, _ = LogisticSums.of_labels(y, None)(np.array(values))

    assert c.shape == y.shape
    if np.isnan(values).any():
        assert np.isnan(value)
