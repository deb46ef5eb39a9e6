"""The R package penaltyLearning: the AUC of `ROChange`, from the cases of its own tests.

Each case has errors on intervals of log λ, what is possible, and a constant prediction.
"""

import numpy as np
import pytest

from aucbench.aum import roc_auc
from aucbench.data.breakpoints import Breakpoints

INF = np.inf


def area(example, low, fp, fn, scores, **possible):
    b = Breakpoints.of_penalties(example, low, fp, fn, **possible, denominator="count")
    return roc_auc(b, np.broadcast_to(scores, b.n))


@pytest.mark.parametrize(
    ("tp", "fp", "possible", "wanted"),
    [
        pytest.param([0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0, 1], 1, 2.0, id="a loop"),
        pytest.param([0, 1, 1], [0, 0, 1], 1, 1.0, id="errors grow with the penalty"),
        pytest.param([1, 2, 2], [0, 0, 1], 2, 1.0, id="the same, incomplete at both ends"),
    ],
)
def test_one_sequence(tp, fp, possible, wanted):
    """Its intervals begin at -inf, 1, 2, ..."""
    low, most = np.r_[-INF, np.arange(1.0, len(fp))], np.full(len(fp), possible)
    none, fn = np.zeros(len(fp), int), possible - np.array(tp)
    assert area(none, low, fp, fn, -1.5, possible_fp=most, possible_fn=most) == wanted


@pytest.mark.parametrize("weights", [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize(("third", "wanted"), [(2.0, 17 / 18), (1.5, 1.0)], ids=["tied", "apart"])
def test_one_tie_of_six_labels(weights, third, wanted):
    """fp = 3, 2, 1, 0, 0, 0 and fn = 0, 0, 0, 1, 2, 3; one of each may change together."""
    low = np.array([[-INF, at] for at in (0, 1, third, 2, 3, 4)]).ravel()
    most = np.repeat(np.diag(weights), 6, axis=1)  # three labels can have fp, three fn
    fp, fn = most * ([1, 0] * 3 + [0, 1] * 3)
    found = area(
        np.repeat(np.arange(6), 2), low, fp, fn, 0.0, possible_fp=most[0], possible_fn=most[1]
    )
    assert found == pytest.approx(wanted, abs=1e-15)


def test_errors_that_no_threshold_changes():
    """FP = 2, 1, 1 and FN = 1, 1, 2 of three possible each, as in its test without thresholds.

    So the points are (2/3, 2/3), (1/3, 2/3), (1/3, 1/3), and the area is that of the polygon
    (0, 0), (1/3, 1/3), (1/3, 2/3), (2/3, 2/3), (1, 1).
    """
    found = area(
        [0, 0, 0, 1, 2, 3, 4],
        [-INF, -500, 500, -INF, -INF, -INF, -INF],
        [1, 0, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 1, 0, 0],
        0.0,
        possible_fp=[1, 1, 1, 1, 0, 1, 0],
        possible_fn=[1, 1, 1, 0, 1, 0, 1],
    )
    assert found == pytest.approx((1 / 18) + (2 / 9) + (5 / 18), abs=1e-15)
