from math import inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.errors import DataError, ParameterError
from aucbench.stats.profiles import (
    anytime_score,
    performance_profiles,
    shifted_geometric_mean,
    times_to_targets,
)


@given(st.lists(st.lists(st.sampled_from([0.5, 1.0, 2.0, inf]), min_size=3, max_size=3)))
def test_profiles_are_their_definition(times):
    t = np.array(times).reshape(-1, 3)
    for j, profile in enumerate(performance_profiles(t, "abc")):
        for tau in (1.0, 1.5, 2.0, 4.0):
            slow = [row[j] <= tau * min(row) for row in t if min(row) < inf]
            expected = sum(slow) / len(t) if len(t) else nan
            assert profile.share(tau) == pytest.approx(expected, nan_ok=True)


def test_time_to_a_target_is_the_first_measured_point():
    x, auc = [4.0, 1.0, 2.0, 3.0], [0.95, 0.6, 0.91, nan]
    targets = [0.9, 0.91, 0.93, 0.96]
    assert times_to_targets(x, auc, targets).tolist() == [2.0, 2.0, 4.0, inf]
    assert times_to_targets([], [], [0.5]).tolist() == [inf]
    assert times_to_targets([7.0], [0.8], [0.79]).tolist() == [7.0]


@given(
    st.lists(st.tuples(st.floats(0, 20), st.floats(0, 1)), unique_by=lambda point: point[0]),
)
def test_anytime_score_is_the_integral_of_a_step_function(points):
    x, values = [p[0] for p in points], [p[1] for p in points]
    grid = np.exp(np.linspace(log(0.5), log(10.0), 20_001))
    grid = (grid[1:] * grid[:-1]) ** 0.5
    known = sorted(points)
    at = np.searchsorted([p[0] for p in known], grid, side="right")
    expected = np.r_[0.5, [p[1] for p in known]][at].mean()
    assert anytime_score(x, values, 0.5, 10.0) == pytest.approx(expected, abs=1e-3)


def test_shifted_geometric_mean_by_hand():
    assert shifted_geometric_mean([3.0, 0.0]) == pytest.approx(1.0)  # sqrt(4 * 1) - 1
    assert shifted_geometric_mean([1.0, inf]) == inf


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: performance_profiles([[1.0, -1.0]], "ab"), DataError, "negative"),
        (lambda: performance_profiles([[1.0, 1.0]], "abc"), DataError, "3 names"),
        (lambda: times_to_targets([1.0], [0.5, 0.6], [0.5]), DataError, "one length"),
        (lambda: times_to_targets([nan], [0.5], [0.5]), DataError, "not negative"),
        (lambda: shifted_geometric_mean([]), DataError, "at least one"),
        (lambda: anytime_score([1.0], [0.5], 0.0, 1.0), ParameterError, "start"),
        (lambda: anytime_score([1.0], [0.5], 2.0, 1.0), ParameterError, "end"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()
