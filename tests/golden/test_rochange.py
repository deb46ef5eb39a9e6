"""The R package penaltyLearning: the AUC of `ROChange`, from the cases of its own tests.

Each case has errors on the intervals of log λ between the numbers 1, 2, ... and a constant
prediction. In `neuroblastoma` they are those that the tests of the package compute.
"""

import numpy as np
import pytest

from aucbench.aum import roc_auc
from aucbench.data.breakpoints import Breakpoints

INF = np.inf


def one_sequence(tp, fp, possible):
    """Breakpoints of one sequence, whose intervals begin at -inf, 1, 2, ..."""
    low = np.r_[-INF, np.arange(1.0, len(fp))]
    fn = possible - np.array(tp)
    most = np.full(len(fp), possible)
    example = np.zeros(len(fp), int)
    return Breakpoints.of_penalties(
        example, low, fp, fn, possible_fp=most, possible_fn=most, denominator="count"
    )


@pytest.mark.parametrize(
    ("tp", "fp", "possible", "area"),
    [
        pytest.param([0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0, 1], 1, 2.0, id="a loop"),
        pytest.param([0, 1, 1], [0, 0, 1], 1, 1.0, id="errors grow with the penalty"),
        pytest.param([1, 2, 2], [0, 0, 1], 2, 1.0, id="the same, incomplete at both ends"),
    ],
)
def test_one_sequence(tp, fp, possible, area):
    assert roc_auc(one_sequence(tp, fp, possible), [-1.5]) == area


SIX = {  # each has one label and one threshold: three can have fp, three fn
    "fp": ([1, 0], [0, 0], 1, 0),
    "fn": ([0, 0], [0, 1], 0, 1),
}


def six_labels(thresholds, fp_weight=1, fn_weight=1):
    """Breakpoints of sequences with one label each, given as (kind, threshold of log λ)."""
    example, low, fp, fn, most_fp, most_fn = [], [], [], [], [], []
    for k, (kind, at) in enumerate(thresholds):
        fps, fns, can_fp, can_fn = SIX[kind]
        example += [k, k]
        low += [-INF, at]
        fp += [fp_weight * x for x in fps]
        fn += [fn_weight * x for x in fns]
        most_fp += [fp_weight * can_fp] * 2
        most_fn += [fn_weight * can_fn] * 2
    return Breakpoints.of_penalties(
        example, low, fp, fn, possible_fp=most_fp, possible_fn=most_fn, denominator="count"
    )


@pytest.mark.parametrize("weights", [(1, 1), (1, 2), (2, 1)])
def test_one_tie_of_six_labels(weights):
    """fp = 3, 2, 1, 0, 0, 0 and fn = 0, 0, 0, 1, 2, 3: one fp and one fn change together."""
    tied = [("fp", 0), ("fp", 1), ("fp", 2), ("fn", 2), ("fn", 3), ("fn", 4)]
    apart = [("fp", 0), ("fp", 1), ("fp", 1.5), ("fn", 2), ("fn", 3), ("fn", 4)]

    assert roc_auc(six_labels(tied, *weights), np.zeros(6)) == pytest.approx(17 / 18, abs=1e-15)
    assert roc_auc(six_labels(apart, *weights), np.zeros(6)) == 1.0


def test_errors_that_no_threshold_changes():
    """FP = 2, 1, 1 and FN = 1, 1, 2 of three possible each, as in its test without thresholds.

    So the points are (2/3, 2/3), (1/3, 2/3), (1/3, 1/3), and the area is that of the polygon
    (0, 0), (1/3, 1/3), (1/3, 2/3), (2/3, 2/3), (1, 1).
    """
    b = Breakpoints.of_penalties(
        [0, 0, 0, 1, 2, 3, 4],
        [-INF, -500, 500, -INF, -INF, -INF, -INF],
        [1, 0, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 1, 0, 0],
        possible_fp=[1, 1, 1, 1, 0, 1, 0],
        possible_fn=[1, 1, 1, 0, 1, 0, 1],
        denominator="count",
    )

    assert b.possible == (3, 3)
    assert roc_auc(b, np.zeros(5)) == pytest.approx((1 / 18) + (2 / 9) + (5 / 18), abs=1e-15)


def test_what_can_never_be_found_counts_against_the_area():
    """Errors of 84 sequences of neuroblastoma-detailed are of this kind: fp(-inf) < possible."""
    example, low = [0, 0, 1, 1], [-INF, 0.0, -INF, 1.0]
    fp, fn = [1, 0, 0, 0], [0, 0, 0, 1]
    known = Breakpoints.of_penalties(example, low, fp, fn, denominator="count")
    least = Breakpoints.of_penalties(
        example, low, fp, fn, possible_fp=[2, 2, 0, 0], denominator="count"
    )
    most = Breakpoints.of_penalties(
        example, low, fp, fn, possible_fn=[0, 0, 2, 2], denominator="count"
    )

    assert roc_auc(known, [0.0, 0.0]) == 1.0
    assert roc_auc(known, [3.0, 0.0]) == 0.0
    # (0, 0), (0, 1), (1/2, 1), (1, 1); then (0, 0), (1/2, 0), (1/2, 1), (1, 1)
    assert [roc_auc(least, [s, 0.0]) for s in (0.0, 3.0)] == [1.0, 0.5]
    # (0, 0), (0, 1/2), (0, 1), (1, 1); then (0, 0), (0, 1/2), (1, 1/2), (1, 1)
    assert [roc_auc(most, [s, 0.0]) for s in (0.0, 3.0)] == [1.0, 0.5]
