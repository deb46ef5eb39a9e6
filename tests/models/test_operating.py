"""Aims of thresholds, and the intervals of what a threshold does."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nights import first
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from aucbench.errors import DataError, ParameterError
from aucbench.metrics import Aim, Cuts, intercept_at
from aucbench.models import Operating, calibration, operating
from aucbench.models.document import structured
from aucbench.models.operating import SHARES
from aucbench.stats import wilson

pytestmark = pytest.mark.plain

ROWS = st.lists(st.tuples(st.booleans(), st.integers(-4, 4)), min_size=1, max_size=25)


def with_both(pairs):
    y, scores = zip(*[(True, 2), (False, 0), *pairs], strict=True)
    return np.array(y), np.array(scores, dtype=np.float64)


def every_threshold(scores):
    return [*scores, np.nextafter(scores.max(), np.inf)]


@given(ROWS, st.integers(1, 10))
@example([], 10)
def test_the_smallest_threshold_with_enough_precision(pairs, tenths):
    y, scores = with_both(pairs)
    found = {t: np.mean(y[scores >= t]) for t in scores}
    enough = [t for t, precision in found.items() if precision >= tenths / 10]
    if not enough:
        with pytest.raises(DataError, match=r"no threshold has a precision of .* ask for less"):
            intercept_at(y, scores, precision=tenths / 10)
        return
    t = intercept_at(y, scores, precision=tenths / 10)
    assert np.array_equal(scores >= t, scores >= min(enough))


@given(ROWS, st.integers(1, 10))
def test_the_smallest_threshold_with_few_enough_flags(pairs, tenths):
    y, scores = with_both(pairs)
    few = [t for t in scores if np.mean(scores >= t) <= tenths / 10]
    if not few:
        with pytest.raises(DataError, match=r"the highest score is that of .* allow more flags"):
            intercept_at(y, scores, flags=tenths / 10)
        return
    t = intercept_at(y, scores, flags=tenths / 10)
    assert np.array_equal(scores >= t, scores >= min(few))


@given(ROWS, st.integers(1, 9), st.integers(1, 9))
def test_no_threshold_costs_less(pairs, cost_fp, cost_fn):
    y, scores = with_both(pairs)

    def cost(t):
        return cost_fp * np.sum((scores >= t) & ~y) + cost_fn * np.sum((scores < t) & y)

    t = intercept_at(y, scores, cost_fp=cost_fp, cost_fn=cost_fn)
    assert cost(t) == min(map(cost, every_threshold(scores)))


def test_equal_costs_find_fewer_rows():
    assert intercept_at([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], cost_fp=1, cost_fn=1) == 3.5


def test_mistakes_in_aims_are_told():
    with pytest.raises(ParameterError, match="precision is 0; give a share"):
        Aim(precision=0)
    with pytest.raises(ParameterError, match="cost_fp is -1; give a cost above 0"):
        Aim(cost_fp=-1, cost_fn=2)
    with pytest.raises(ParameterError, match="one cost is given, cost_fn 2; give cost_fp and"):
        Aim(cost_fn=2)
    with pytest.raises(ParameterError, match=r"flags 0\.1 and cost_fp 1 and cost_fn 2 are given"):
        Aim(flags=0.1, cost_fp=1, cost_fn=2)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_statsmodels(pair):
    count, n = pair
    found = wilson(count, n)
    low, high = proportion_confint(count, n, method="wilson")
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)


def test_no_row_has_no_interval():
    found = wilson(0, 0)
    assert np.isnan([found.estimate, found.low, found.high]).all()
    assert found.note == "There is no row."
    with pytest.raises(DataError, match="3 of 2 rows is no share"):
        wilson(3, 2)


def test_the_confusion_is_that_of_the_threshold():
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.2
    scores = rng.normal(size=500) + y
    found = Operating.of(y, scores, Aim(sensitivity=0.8), "500 rows")
    positive = scores >= found.threshold

    assert (found.tp, found.fp) == (np.sum(positive & y), np.sum(positive & ~y))
    assert (found.fn, found.tn) == (np.sum(~positive & y), np.sum(~positive & ~y))
    assert found.sensitivity.estimate == found.tp / y.sum() >= 0.8
    assert found.flags.estimate == positive.mean()
    for name in SHARES:
        interval = getattr(found, name)
        assert 0 <= interval.low < interval.estimate < interval.high <= 1
    assert structured(found.to_json(), Operating) == found


def test_a_resample_counts_rows_as_often_as_it_drew_them():
    y, scores = np.array([1, 0, 1, 0]), np.array([1.0, 1.0, 3.0, 2.0])
    cuts = Cuts.of(y, scores)
    times = np.array([2, 0, 1, 5])  # by descending score
    tp, fp = cuts.counts(times)
    again = Cuts.of(np.repeat(y[cuts.order], times), np.repeat(scores[cuts.order], times))
    assert tp.tolist() == [0, 2, 2, 3]
    assert fp.tolist() == [0, 0, 0, 5]
    assert again.counts()[0][-1] == tp[-1]


def test_groups_of_one_row_are_rows_and_groups_of_copies_are_one():
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.2
    scores = rng.normal(size=300) + y
    rows = Operating.of(y, scores, Aim(sensitivity=0.8), "")
    alone = Operating.of(y, scores, Aim(sensitivity=0.8), "", groups=np.arange(300))
    copies = Operating.of(
        np.repeat(y, 5), np.repeat(scores, 5), Aim(sensitivity=0.8), "", groups=np.arange(1500) // 5
    )
    assert alone.design_effect == pytest.approx(1.0, abs=0.01)
    assert copies.design_effect == pytest.approx(5.0, rel=0.01)
    for name in SHARES:
        plain, own, same = (getattr(point, name) for point in (rows, alone, copies))
        assert own.low == pytest.approx(plain.low, abs=0.015)
        assert own.high == pytest.approx(plain.high, abs=0.015)
        assert same.low == pytest.approx(own.low, abs=0.015)
        assert same.high == pytest.approx(own.high, abs=0.015)
    assert copies.expected(5000).high - 5 * alone.expected(1000).high == pytest.approx(0, abs=10)


@pytest.mark.slow
def test_intervals_of_groups_hold_what_new_groups_will_show(monkeypatch):
    """With 60 groups of 10 rows that share half of their score, by simulation."""
    monkeypatch.setattr("aucbench.models.operating.RESAMPLES", 100)
    rng, inside, rows_inside = np.random.default_rng(4), 0, 0
    for seed in range(60):
        number = np.arange(600) // 10
        scores = rng.normal(size=60)[number] + rng.normal(size=600)
        y = rng.random(600) < norm.sf(2.0 - scores)
        point = Operating.of(y, scores, Aim(flags=0.1), "", groups=number, seed=seed)
        truth = norm.sf(point.threshold / np.sqrt(2))
        inside += point.flags.low <= truth <= point.flags.high
        alone = Operating.of(y, scores, Aim(flags=0.1), "", seed=seed).flags
        rows_inside += alone.low <= truth <= alone.high
    assert rows_inside / 60 < 0.85 < 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60) <= inside / 60


AIMS = ({"sensitivity": 0.9}, {"precision": 0.4}, {"cost_fp": 1, "cost_fn": 20}, {"flags": 0.05})


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "aim",
    first([Aim(), *(Aim(**given) for given in AIMS)]),
    ids=lambda aim: next(iter(aim.given()), "youden"),
)
def test_intervals_hold_what_new_rows_will_show(aim, monkeypatch):
    """The share of a threshold in the population is inside in about 95 % of samples.

    With Wilson's interval alone it is 90 % for the sensitivity of Youden's threshold and of that of
    the smallest cost, where the rows that choose the threshold judge it too.
    """
    monkeypatch.setattr("aucbench.models.operating.RESAMPLES", 200)
    rng, share, shift = np.random.default_rng(1), 0.1, 1.5
    held, repeats = dict.fromkeys(SHARES, 0), 0
    for seed in range(250):
        y = rng.random(600) < share
        scores = rng.normal(size=600) + shift * y
        try:
            found = Operating.of(y, scores, aim, "", seed=seed)
        except DataError:
            continue
        repeats += 1
        sensitivity, false = norm.sf(found.threshold - shift), norm.sf(found.threshold)
        flags = share * sensitivity + (1 - share) * false
        true = (sensitivity, 1 - false, share * sensitivity / flags, flags)
        for name, value in zip(SHARES, true, strict=True):
            held[name] += getattr(found, name).low <= value <= getattr(found, name).high
    assert repeats > 200
    assert min(held.values()) / repeats >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / repeats)


def test_many_rows_are_resampled_by_bins_as_one_by_one(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.2
    scores = y + rng.standard_normal(4000)
    whole = Operating.of(y, scores, Aim(), "rows")
    monkeypatch.setattr(operating, "MANY", 1000)
    binned = Operating.of(y, scores, Aim(), "rows")
    for name in SHARES:
        one, other = getattr(whole, name), getattr(binned, name)
        assert one.estimate == other.estimate
        width = one.high - one.low
        assert abs(one.low - other.low) < 0.1 * width
        assert abs(one.high - other.high) < 0.1 * width


def test_the_chance_of_many_rows_is_that_of_drawn_labels(monkeypatch):
    p = np.random.default_rng(0).beta(1.0, 4.0, 20_000)
    parts = np.array_split(np.argsort(p), 10)
    drawn = calibration._chance(p, parts)
    monkeypatch.setattr(calibration, "MANY", 1000)
    assert calibration._chance(p, parts) == pytest.approx(drawn, rel=0.06)
