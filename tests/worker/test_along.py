"""Test AUC along a fit: which weights are kept, and that the number is that of a shorter fit."""

import numpy as np
import pytest

from aucbench import compare
from aucbench.bench.worker.measure import MOST, KeptWeights


def kept_of(passes, d=3):
    kept = KeptWeights()
    for place, at in enumerate(passes):
        kept.add(place, at, np.full(d, float(at)))
        assert len(kept.points) <= MOST
    return kept


@pytest.mark.parametrize("count", [1, 2, 10, 24, 25, 31, 100, 160])
def test_points_that_are_kept_are_spread_over_log_passes(count):
    passes = np.unique(np.round(1.08 ** np.arange(count) + np.arange(count), 6))
    points = kept_of(passes).points
    assert (points[0].place, points[-1].place) == (0, count - 1)
    assert all((kept.w == passes[kept.place]).all() for kept in points)
    assert len(points) == min(count, MOST)
    if count > MOST:
        even = np.log(passes[-1]) / MOST
        late = [kept.at for kept in points if kept.place > MOST]  # the curve has few early ones
        assert np.diff(late).max(initial=0.0) < 3 * even


def test_the_test_auc_of_a_point_is_that_of_a_fit_which_ends_there(in_process):
    long, *short = (
        compare("solam", "breast-cancer", splits=2, passes=passes)[0] for passes in (9, 1, 4)
    )
    known = {point["passes"]: point["test_auc"] for point in long.curve}
    for record in (long, *short):
        assert known[record.measures.passes] == record.measures.auc
    assert len({*known.values()}) > 1
