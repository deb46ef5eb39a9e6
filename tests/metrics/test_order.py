"""The concordance of survival times and of grades, beside definitions and other packages."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
import reference
from scipy.stats import somersd

from aucbench.data import Data, Grades, Survival
from aucbench.errors import DataError
from aucbench.metrics import auc, auc_of, cindex, grade_auc

FIRST = [1, 2, 2, 3, 4], [1, 1, 0, 0, 1], [2, 2, 0.5, 1.5, 0]
SECOND = [5, 3, 3, 3, 8, 1], [1, 1, 1, 0, 0, 0], [1, 0, 2, 0.5, 1, 3]


def close(value, wanted):
    return value == pytest.approx(float(wanted), abs=1e-14)


@pytest.mark.parametrize(
    ("rows", "options", "wanted"),
    [
        (FIRST, {}, F(13, 14)),
        (FIRST, {"weight": "ipcw"}, F(41, 43)),
        (SECOND, {}, F(1, 2)),
        (SECOND, {"tau": 4}, F(1, 2)),
        (SECOND, {"weight": "ipcw"}, F(1, 2)),
    ],
)
def test_concordance_of_two_small_sets(rows, options, wanted):
    assert close(cindex(*rows, **options), wanted)  # scikit-survival 0.28, lifelines 0.30.3


@pytest.mark.parametrize("heavy", [1.0, 1e12, 1e15, 1e16, 1e300])
def test_a_heavy_row_of_another_group_changes_nothing(heavy):
    y, s = [1, 0, 1, 0, 1, 0, 1], [0.9, 0.1, 0.3, 0.7, 0.5, 0.5, 2]
    weights = [0.1, 0.2, 0.3, 0.15, 0.25, 0.35, heavy]
    assert close(grade_auc(y, s, weights, groups=[0] * 6 + [1]), F(179, 364))


@pytest.mark.parametrize(
    ("y", "s", "each", "even", "exp2"),
    [
        ([2, 1, 0, 1, 2], [1, 1, 0.5, 2, 0], F(7, 16), F(13, 24), F(3, 8)),
        ([0, 3, 1, 3, 0, 2], [0, 2, 0.5, 1, 1, 1.5], F(21, 26), F(13, 16), F(99, 116)),
    ],
)
def test_concordance_of_grades(y, s, each, even, exp2):
    assert close(grade_auc(y, s), each)
    assert close(grade_auc(y, s, each="grades"), even)
    assert close(grade_auc(y, s, gain="exp2"), exp2)
    assert close(grade_auc(y, s), (somersd(y, s).statistic + 1) / 2)


def drawn(rng):
    n = int(rng.integers(3, 14))
    s, v = rng.integers(-12, 13, n) / 4, rng.integers(1, 4, n)
    return n, s, v, s.tolist(), v.tolist()


def test_random_times_beside_the_definition():
    rng, seen = np.random.default_rng(33), 0
    for _ in range(1000):
        n, s, v, plain, weights = drawn(rng)
        time, event = rng.integers(1, 7, n).tolist(), (rng.random(n) < 0.6).tolist()
        tau = float(rng.integers(2, 8)) if rng.random() < 0.5 else None
        pairs = reference.of_times(time, event, weights, tau)
        if not pairs:
            with pytest.raises(DataError, match="no two rows can be compared"):
                cindex(time, event, s, v, tau=tau)
            continue
        seen += 1
        assert close(cindex(time, event, s, v, tau=tau), reference.concordance(pairs, plain)[0])
    assert seen > 700


def test_weights_of_censoring_come_from_the_rows_that_were_learnt_from():
    rng, seen = np.random.default_rng(34), 0
    for _ in range(300):
        n, s, v, plain, weights = drawn(rng)
        time, event = rng.integers(1, 6, n).tolist(), (rng.random(n) < 0.6).tolist()
        past = [*rng.integers(1, 7, 12).tolist(), 7], [*(rng.random(12) < 0.5).tolist(), True]
        curve = reference.inverse_censoring(*past)
        a = [_at(t, past[0], curve) for t in time]
        if any(share is None for share in a):
            continue
        pairs = reference.of_times(time, event, weights, a=a)
        if not pairs:
            continue
        seen += 1
        value = cindex(time, event, s, v, weight="ipcw", train=Survival(*map(np.array, past)))
        assert close(value, reference.concordance(pairs, plain)[0])
    assert seen > 150


def _at(t, times, curve):
    """Return the weight at a time of other rows: that of the last of their times until t."""
    before = [(u, share) for u, share in zip(times, curve, strict=True) if u <= t]
    return max(before)[1] if before else F(1)


def test_random_grades_beside_the_definition_and_scipy():
    rng = np.random.default_rng(35)
    for _ in range(1000):
        n, s, v, plain, weights = drawn(rng)
        y = rng.integers(0, 4, n)
        group = rng.integers(0, 3, n).tolist() if rng.random() < 0.5 else None
        each = str(rng.choice(["pair", "grades"]))
        if y.min() == y.max():
            continue
        pairs = reference.of_grades(y.tolist(), weights, each, group=group)
        if not pairs:
            with pytest.raises(DataError, match="no two rows can be compared"):
                grade_auc(y, s, v, group, each=each)
            continue
        value = grade_auc(y, s, v, group, each=each)
        assert close(value, reference.concordance(pairs, plain)[0])
        with np.errstate(invalid="ignore", divide="ignore"):  # of equal scores
            assert close(grade_auc(y, s), (somersd(y, s).statistic + 1) / 2)


def test_all_events_and_two_grades_are_the_auc():
    rng = np.random.default_rng(36)
    y, s, v = np.repeat([1, -1], 20), rng.integers(0, 9, 40), rng.integers(1, 4, 40)
    whole = auc(y, s, v)
    assert close(cindex(np.where(y > 0, 1, 2), np.ones(40), s, v), whole)
    assert close(grade_auc(y, s, v), whole)


def test_the_measure_of_a_target_is_that_of_its_pairs():
    time, event, s = SECOND
    assert auc_of(Survival.of(time, event), s) == cindex(time, event, s)
    assert auc_of(Grades.of([0, 1, 2, 1, 0, 2]), s) == grade_auc([0, 1, 2, 1, 0, 2], s)


def test_censoring_that_leaves_no_row_is_refused():
    with pytest.raises(DataError, match="censoring leaves no row at time 2; give a tau"):
        cindex(
            [4, 2, 3, 5], [1, 1, 0, 0], range(4), weight="ipcw", train=Survival.of([1, 2], [1, 0])
        )
    train = Survival.of([1, 2, 3], [1, 0, 1])
    with pytest.raises(DataError, match="censoring leaves no row at time 4"):
        cindex([4, 2, 3, 5], [1, 1, 0, 0], range(4), weight="ipcw", train=train)
    assert close(
        cindex([4, 2, 3, 5], [1, 1, 0, 0], [1, 4, 3, 2], weight="ipcw", tau=4, train=train), 1
    )


def test_scores_fit_the_rows():
    with pytest.raises(DataError, match=r"scores have shape \(2,\)"):
        cindex(FIRST[0], FIRST[1], [1, 2])
    with pytest.raises(DataError, match=r"1 score\(s\) are NaN"):
        grade_auc([1, 2], [np.nan, 1])


def test_pairs_of_grades_are_those_of_a_query_unless_asked_otherwise():
    from aucbench.pairs import Grade, members_of

    y, group = [0, 1, 2, 0, 1], [0, 0, 0, 1, 1]
    data = Data.of(np.zeros((5, 1)), Grades.of(y), groups=group)
    assert members_of(data).pairs == 4
    whole = Data.of(np.zeros((5, 1)), Grades.of(y), groups=group, pairs=Grade(across=True))
    assert members_of(whole).pairs == 8
