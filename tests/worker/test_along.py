"""Test AUC along a fit: which weights are kept, and that the number is that of a shorter fit."""

import numpy as np
import pytest

from aucbench import compare
from aucbench.bench.worker import measure as along
from aucbench.bench.worker.measure import MOST, KeptWeights
from aucbench.contract import Problem
from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.objectives import PairwiseSquare


def kept_of(passes, d=3):
    kept = KeptWeights()
    for place, at in enumerate(passes):
        kept.add(place, at, np.full(d, float(at)))
        assert len(kept.points) <= MOST
    return kept


def problem_of(d=3):
    X = np.random.default_rng(0).normal(size=(20, d))
    return Problem(PairwiseSquare(Data.of(X, np.arange(20) % 2)))


def rows_of(n, d=3):
    return Rows(np.random.default_rng(1).normal(size=n * d), None, None, n, d)


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


def test_the_copies_and_the_scores_have_limits_of_bytes(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(along, "WEIGHT_BYTES", 8 * 3 * 5)
        assert len(kept_of(range(1, 60)).points) == 5
        patch.setattr(along, "WEIGHT_BYTES", 8 * 3 - 1)
        none = kept_of(range(1, 60))
        assert none.points == none.scores(problem_of(), rows_of(4), 59)[0] == []
    kept, test = kept_of(range(1, 21)), rows_of(10)
    monkeypatch.setattr(along, "SCORE_BYTES", 8 * 10 * 4)
    places, scores = kept.scores(problem_of(), test, 19)
    monkeypatch.setattr(along, "MOST_BYTES", 2 * 8 * 13)  # nothing is left beside the fit itself
    assert places == [0, 6, 12, 18]
    assert scores.shape == (4, 10)
    assert kept.scores(problem_of(), test, 19)[0] == []


def test_the_test_auc_of_a_point_is_that_of_a_fit_which_ends_there(in_process):
    long, *short = (
        compare("solam", "breast-cancer", splits=2, passes=passes)[0] for passes in (9, 1, 4)
    )
    known = {point["passes"]: point["test_auc"] for point in long.curve}
    for record in (long, *short):
        assert known[record.measures.passes] == record.measures.auc
    assert len({*known.values()}) > 1
