"""Learning curves: medians over fits, at the same pass or second."""

from math import nan

import numpy as np
import pytest

from aucbench.report.curves import median_curves
from aucbench.report.frame import Frame, Place


def frame(*fits):
    """Fits on one data set with test AUCs at some (seconds, passes) of their curves."""
    curves = (np.array([[p, s, nan, auc] for s, p, auc in points]) for points in fits)
    rows = [(Place(0, 0, 0, k), {"status": "ok", "curve": one}) for k, one in enumerate(curves)]
    return Frame.of(["d"], ["a"], rows)


def test_a_curve_in_time_is_the_median_of_fits_at_the_same_second():
    """Medians of seconds and of AUCs at the same passes would go back from 3 s to 2 s."""
    first, slow, late = (
        [(1.0, 1, 0.5), (2.0, 2, 0.9)],
        [(3.0, 1, 0.6), (4.0, 2, 0.8)],
        [(1.5, 2, 0.7)],
    )
    some = frame(first, slow, late)
    curve = median_curves(some, some.rows(0, 0), "seconds", 40)
    assert curve.x.tolist() == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert np.isnan(curve.test_auc[0])  # one fit of three has begun
    assert curve.test_auc[1:].tolist() == pytest.approx([0.7, 0.8, 0.7, 0.8])
    two = median_curves(some, some.rows(0, 0)[:2], "seconds", 3)
    assert two.x.tolist() == [1.0, 3.0, 4.0]
