"""Learning curves: medians over fits, at the same pass or second."""

from math import nan

import numpy as np
import pytest

from aucbench.bench.results.convergence import Optima
from aucbench.report.curves import learning_curve
from aucbench.report.fits import Fit


def fit(points, auc):
    """A fit with test AUCs at some (seconds, passes) of its curve."""
    curve = np.array([[p, s, nan, a] for s, p, a in points])
    return Fit(id="", data="", status="ok", auc=auc, curve=curve)


def test_a_curve_in_time_is_the_median_of_fits_at_the_same_second():
    """Medians of seconds and of AUCs at the same passes would go back from 3 s to 2 s."""
    first = fit([(1.0, 1, 0.5), (2.0, 2, 0.9)], 0.9)
    slow = fit([(3.0, 1, 0.6), (4.0, 2, 0.8)], 0.8)
    late = fit([(1.5, 2, 0.7)], 0.7)
    curve = learning_curve([first, slow, late], Optima(), "seconds", 40)
    assert curve.x.tolist() == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert np.isnan(curve.test_auc[0])  # one fit of three has begun
    assert curve.test_auc[1:].tolist() == pytest.approx([0.7, 0.8, 0.7, 0.8])
    assert learning_curve([first, slow], Optima(), "seconds", 3).x.tolist() == [1.0, 3.0, 4.0]
