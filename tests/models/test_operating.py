"""What a threshold does and how sure that is, and whether probabilities are true."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nights import first
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from aucbench.errors import DataError
from aucbench.metrics import Aim
from aucbench.models import Operating, operating
from aucbench.models.calibration import Reliability
from aucbench.models.operating import SHARES
from aucbench.stats import wilson

pytestmark = pytest.mark.plain


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_statsmodels(pair):
    count, n = pair
    found = wilson(count, n)
    wanted = proportion_confint(count, n, method="wilson")
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-12)


def rows(seed, n, share=0.2, shift=1.0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, rng.normal(size=n) + shift * y


def test_the_confusion_is_that_of_the_threshold():
    y, scores = rows(0, 500)
    found = Operating.of(y, scores, Aim(sensitivity=0.8), "500 rows")
    positive = scores >= found.threshold
    assert (found.tp, found.fp) == (np.sum(positive & y), np.sum(positive & ~y))
    assert (found.fn, found.tn) == (np.sum(~positive & y), np.sum(~positive & ~y))
    assert found.sensitivity.estimate == found.tp / y.sum() >= 0.8
    assert found.flags.estimate == positive.mean()
    for name in SHARES:
        interval = getattr(found, name)
        assert 0 <= interval.low < interval.estimate < interval.high <= 1


def are_close(one, other, share):
    for name in SHARES:
        a, b = getattr(one, name), getattr(other, name)
        assert (b.low, b.high) == pytest.approx((a.low, a.high), abs=share * (a.high - a.low))


def test_groups_of_one_row_are_rows_and_groups_of_copies_are_one(monkeypatch):
    y, scores = rows(3, 300)
    aim = Aim(sensitivity=0.8)
    plain = Operating.of(y, scores, aim, "")
    alone = Operating.of(y, scores, aim, "", groups=np.arange(300))
    y, scores = np.repeat(y, 5), np.repeat(scores, 5)
    copies = Operating.of(y, scores, aim, "", groups=np.arange(1500) // 5)
    assert alone.design_effect == pytest.approx(1.0, abs=0.01)
    assert copies.design_effect == pytest.approx(5.0, rel=0.01)
    are_close(plain, alone, 0.15)
    are_close(alone, copies, 0.15)
    assert copies.expected(5000).high - 5 * alone.expected(1000).high == pytest.approx(0, abs=10)


def test_many_rows_are_resampled_by_bins_as_one_by_one(monkeypatch):
    y, scores = rows(0, 4000)
    whole = Operating.of(y, scores, Aim(), "rows")
    monkeypatch.setattr(operating, "MANY", 1000)
    are_close(whole, Operating.of(y, scores, Aim(), "rows"), 0.1)


AIMS = ({"sensitivity": 0.9}, {"precision": 0.4}, {"cost_fp": 1, "cost_fn": 20}, {"flags": 0.05})


@pytest.mark.nightly
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
    monkeypatch.setattr(operating, "RESAMPLES", 200)
    held, repeats, share, shift = dict.fromkeys(SHARES, 0), 0, 0.1, 1.5
    for seed in range(250):
        y, scores = rows([1, seed], 600, share, shift)
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
    assert Reliability.of(method, np.arange(50) < 3, np.arange(50.0)) is None
