from math import inf

import pytest

from aucbench.errors import DataError
from aucbench.stats.times import shifted_geometric_mean


def test_shifted_geometric_mean_by_hand():
    assert shifted_geometric_mean([3.0, 0.0]) == pytest.approx(1.0)  # sqrt(4 * 1) - 1
    assert shifted_geometric_mean([1.0, inf]) == inf


@pytest.mark.parametrize(("times", "sentence"), [([], "at least one"), ([-1.0], "negative")])
def test_numbers_that_make_no_sense_are_refused(times, sentence):
    with pytest.raises(DataError, match=sentence):
        shifted_geometric_mean(times)
