"""Ranks, against SciPy."""

import numpy as np
import pytest
from scipy.stats import rankdata

from aucbench.stats.tables import average_ranks_of


@pytest.mark.parametrize("shape", [(0,), (1,), (9,), (4, 7), (3, 2, 8), (0, 3), (3, 0)])
@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_ranks_are_those_of_scipy(shape, levels):
    x = np.random.default_rng(0).integers(levels, size=shape).astype(float)
    if x.size > 3:
        x.flat[0], x.flat[1], x.flat[2] = np.inf, -np.inf, np.inf
    expected = rankdata(x, axis=-1) if x.size else x

    np.testing.assert_array_equal(average_ranks_of(x), expected)
