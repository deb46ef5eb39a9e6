"""Tests of windows hold their level, see what is there, and are kept in the file of a model."""

import numpy as np
import pytest

from aucbench.models.document import structured
from aucbench.models.drift import Drift, differ
from aucbench.models.model import finite
from aucbench.models.reliability import Reliability

pytestmark = pytest.mark.plain


def test_equal_windows_differ_as_often_as_the_level_says():
    rng = np.random.default_rng(0)
    p = [differ(rng.random(300) < 0.1, np.arange(300) % 3, 3, seed) for seed in range(300)]
    assert np.mean(np.array(p) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert np.mean(np.array(p) < 0.5) >= 0.3


def test_a_share_that_rises_and_one_that_jumps_are_seen():
    number = np.repeat(np.arange(5), 200)
    rng = np.random.default_rng(1)
    assert differ(rng.random(1000) < 0.05 + 0.03 * number, number, 5) < 0.01
    assert differ(rng.random(1000) < np.where(number == 2, 0.3, 0.1), number, 5) < 0.01
    assert differ(np.zeros(1000, bool), number, 5) == 1.0


def windows(shift=0.0, n=2000):
    rng = np.random.default_rng(2)
    positive = rng.random(n) < 0.2
    late = np.arange(n) >= 0.8 * n
    scores = rng.normal(size=n) + 1.5 * positive + shift * late
    return Drift.of(500, positive, scores, np.arange(n, dtype=np.int32), 0.1)


def test_counts_of_windows_add_up():
    drift = windows()
    assert sum(window.rows for window in drift.windows) == 2000
    assert sum(window.flagged for window in drift.windows) == 200
    for window in drift.windows:
        assert window.right <= min(window.positives, window.flagged)
        assert window.share("flags").estimate == window.flagged / window.rows
    assert not [*drift.warnings()]


def test_calibration_that_is_off_in_the_last_window_is_said():
    drift = windows(shift=1.5)
    calibration = [w for w in drift.warnings() if w.startswith("calibration is off in the last")]
    assert len(calibration) == 1
    assert drift.probability > 2 * drift.windows[-1].share("positives").estimate


def test_equal_times_are_in_one_window_and_few_rows_make_none():
    rng = np.random.default_rng(3)
    positive, scores = rng.random(1000) < 0.3, rng.normal(size=1000)
    times = np.sort(rng.integers(0, 2, 1000)).astype(np.int32)
    drift = Drift.of(10, positive, scores, times, 0.2)
    assert [window.rows for window in drift.windows] == np.bincount(times).tolist()
    assert Drift.of(10, positive, scores, np.zeros(1000, np.int32), 0.2) is None
    assert Drift.of(10, positive, scores, times, 0.005) is None


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_true_probabilities_have_the_error_of_chance_and_wrong_ones_more(method):
    rng = np.random.default_rng(4)
    scores = rng.normal(size=4000)
    p = 1 / (1 + np.exp(-2 * scores))
    curve = Reliability.of(method, rng.random(4000) < p, scores)
    assert curve.error < 2 * curve.chance
    assert [group.rows for group in curve.groups] == [400] * 10
    inside = [g.positive.low <= g.probability <= g.positive.high for g in curve.groups]
    assert sum(inside) >= 8
    if method == "sigmoid":  # no sigmoid has two levels with a step between
        step = np.where(scores > 0, 0.7, 0.3)
        wrong = Reliability.of(method, rng.random(4000) < step, scores)
        assert wrong.error > 3 * wrong.chance


def test_a_class_of_three_rows_has_no_curve():
    assert Reliability.of("sigmoid", np.arange(50) < 3, np.arange(50.0)) is None


def test_both_come_back_from_the_file_of_a_model():
    from dataclasses import asdict

    drift = windows()
    assert structured(finite(asdict(drift)), Drift) == drift
    rng = np.random.default_rng(5)
    curve = Reliability.of("sigmoid", rng.random(100) < 0.5, rng.normal(size=100))
    assert structured(finite(asdict(curve)), Reliability) == curve
