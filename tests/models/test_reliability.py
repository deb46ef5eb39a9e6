"""The reliability curve of probabilities, which the file of a model keeps."""

from dataclasses import asdict

import numpy as np
import pytest

from aucbench.models.calibration import Reliability
from aucbench.models.document import structured
from aucbench.models.model import finite

pytestmark = pytest.mark.plain


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


def test_a_curve_comes_back_from_the_file_of_a_model():
    rng = np.random.default_rng(5)
    curve = Reliability.of("sigmoid", rng.random(100) < 0.5, rng.normal(size=100))
    assert structured(finite(asdict(curve)), Reliability) == curve
