"""Thresholds and ranges of values; the AUC itself is tested with its kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.about import metric
from aucbench.errors import PluginError
from aucbench.metrics import intercept_at
from aucbench.registry.shapes import checked_value


@given(st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=0, max_size=30))
def test_youden_threshold_is_the_best_of_all(pairs):
    y, scores = map(np.array, zip(*[(True, 1), (False, 0), *pairs], strict=True))

    def j(t):
        return np.mean(scores[y] >= t) - np.mean(scores[~y] >= t)

    best = max(j(t) for t in scores)

    # Predicting every row positive or none has J = 0 and needs no threshold among scores.
    assert j(intercept_at(y, scores)) == pytest.approx(max(best, 0.0))


def test_youden_lies_between_two_scores():
    assert intercept_at([0, 0, 1, 1], [1.0, 2.0, 4.0, 5.0]) == 3.0
    assert intercept_at([1, 0], [0.0, 1.0]) == 0.0


@pytest.mark.parametrize("value", [1.0 + 1e-9, -1e-9, 50.0])
def test_a_value_out_of_the_range_of_a_metric_is_refused(value):
    share = metric(low=0, high=1)(lambda y, s: value)
    with pytest.raises(PluginError, match=r"says that its values are in \[0, 1\]"):
        checked_value(share, value)
