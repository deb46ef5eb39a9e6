"""What the docstring of fsauc says of long rows: its objective rises there, and falls on unit rows.

The rows are the 300 x 3000 of `aucbench check --thorough`.
"""

import numpy as np
import pytest

from aucbench.data import Data
from aucbench.solving.loop import solve
from aucbench.testing.samples import LARGE, extended, features, labels

WIDE = LARGE[2]
AT_ZERO = 1.0  # the pairwise square at w = 0


@pytest.mark.parametrize(("unit", "falls"), [(False, False), (True, True)])
def test_alpha_lags_on_long_rows_only(unit, falls):
    with extended(WIDE):
        X, y = features(), labels()
    if unit:
        X /= np.linalg.norm(X, axis=1)[:, None]
    run = solve("fsauc", Data.of(X, y), passes=50, every=np.inf)
    assert (run.points[-1].objective < 0.01 * AT_ZERO) is falls
    assert (run.points[-1].objective > 2 * AT_ZERO) is not falls
