"""Intervals and differences by the influence of units: folds, groups, classes, and their rates."""

from functools import partial

import numpy as np
import pytest
from nights import first_rows
from scipy.stats import binom

from aucbench.data.categories import Categories
from aucbench.data.survival import Survival
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.rows import TargetRows, bare
from aucbench.pairs import Time, concordance
from aucbench.stats import Fold, Word
from aucbench.stats.influence import Influences

GAUC = measure_of("gauc")
GROUPED = partial(Influences.joined, grouped=True)


def grouped(groups, rng, shift=1.0, first=0):
    """Rows of some groups, four in each, two of them positive."""
    y = np.tile([1, 1, 0, 0], groups)
    s = rng.normal(size=y.size) + shift * y + np.repeat(rng.normal(size=groups), 4)
    return Fold(y, s, groups=first + np.repeat(np.arange(groups), 4))


def test_the_mean_over_groups_has_the_variance_of_its_aucs():
    fold = grouped(40, np.random.default_rng(0))
    found = GROUPED([measure_of("gauc[each=group]").influence(fold)])
    aucs = [
        GAUC.values([Fold(fold.positive[own], fold.scores[own], groups=np.zeros(4, int))])
        for own in np.arange(160).reshape(40, 4)
    ]
    variance, degrees = found.variance()
    assert found.values[0] == pytest.approx(np.mean(aucs))
    assert variance == pytest.approx(np.var(aucs, ddof=1) / 40)
    assert degrees == pytest.approx(39)
    interval = found.interval()
    assert 0 < interval.low < interval.estimate < interval.high < 1
    assert interval.method == "influence by groups, log-odds and mixture beta"


def test_folds_of_groups_and_repeats_are_counted_once():
    rng = np.random.default_rng(1)
    folds = [grouped(20, rng, first=20 * k) for k in range(3)]
    once = GROUPED([GAUC.influence(fold) for fold in folds])
    again = GROUPED([GAUC.influence(fold) for fold in 2 * folds])
    assert once.groups == again.groups == 60
    assert again.variance(2) == pytest.approx(once.variance())
    # The mean over folds of equal size is the mean over all groups.
    y, s, group = (
        np.concatenate([getattr(f, x) for f in folds]) for x in ("positive", "scores", "groups")
    )
    all_at_once = GROUPED([GAUC.influence(Fold(y, s, groups=group))])
    assert once.values.mean() == pytest.approx(all_at_once.values[0])
    assert once.variance()[0] == pytest.approx(all_at_once.variance()[0], rel=0.05)


def survival(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time, censored = rng.exponential(np.exp(-x)), rng.exponential(2.0, n)
    return TargetRows(bare(Survival(np.minimum(time, censored), time <= censored)), x)


def test_delete_one_jackknife_of_the_concordance_index():
    rows = survival(80, 3)
    found = Influences.joined([measure_of("cindex").influence(rows)])
    target = rows.data.target
    without = [
        concordance(Time().of(Survival(target.time[keep], target.event[keep])), rows.scores[keep])
        for keep in (np.delete(np.arange(80), i) for i in range(80))
    ]
    jackknife = 79 * np.var([value for value, *_ in without])
    assert found.variance()[0] == pytest.approx(jackknife, rel=0.1)


@pytest.mark.parametrize(
    ("groups", "shift", "why"),
    [
        (9, 1.0, "9 groups have a pair, and an interval needs 10."),
        (12, 100.0, "All groups say the same."),
    ],
)
def test_what_has_no_interval_says_why(groups, shift, why):
    found = GROUPED([GAUC.influence(grouped(groups, np.random.default_rng(0), shift))])
    interval, less = found.interval(), found.difference(found)
    assert np.isnan([interval.low, interval.high]).all()
    assert interval.note == why
    assert (less.p, less.method) == (1.0, "rule of three")
    assert less.word() is Word.UNCLEAR
    assert less.word(rope=0.5) is Word.EQUIVALENT


def test_differences_follow_the_t_test():
    rng = np.random.default_rng(2)
    a = grouped(200, rng)
    b = Fold(a.positive, a.scores + 0.5 * rng.normal(size=800), groups=a.groups)
    one, other = (GROUPED([GAUC.influence(x)]) for x in (a, b))
    less = one.difference(other)
    assert less.estimate == pytest.approx(one.values[0] - other.values[0])
    assert less.flipped().estimate == other.difference(one).estimate
    assert less.high - less.estimate == pytest.approx(less.estimate - less.low)
    wider = one.difference(other, 1 - less.p)
    assert min(abs(wider.low), abs(wider.high)) == pytest.approx(0.0, abs=1e-12)


SIGNALS = (0.3, 1.0, 2.0, 3.0)  # Hand and Till's M of about .58, .76, .92 and .98


def labels(*counts):
    return np.repeat(np.arange(3, dtype=np.int32), counts)


def scored(rng, y, signal):
    """Return rows with two scores for each class, which are equally good and alike."""
    base = signal * np.eye(3)[y] + 0.8 * rng.normal(size=(y.size, 3))
    target = bare(Categories(y, np.array(["a", "b", "c"])))
    return [TargetRows(target, base + 0.6 * rng.normal(size=base.shape)) for _ in range(2)]


@pytest.mark.parametrize(
    ("counts", "signals", "samples"),
    first_rows(
        [
            *(((48, 9, 3), (1.0,), 50), ((48, 9, 3), SIGNALS, 1500)),
            *(((200, 192, 8), SIGNALS, 1000), ((20, 20, 20), SIGNALS, 1500)),
        ]
    ),
)
@pytest.mark.parametrize("name", ["hand-till", "one-vs-rest"])
def test_intervals_hold_from_three_rows_of_the_rarest_class_on(name, counts, signals, samples):
    measure, y = measure_of(name), labels(*counts)
    many = labels(*(np.array(counts) * 8000 // sum(counts)))
    for signal in signals:
        rng = np.random.default_rng(7)
        true = np.mean([measure.values(scored(rng, many, signal)) for _ in range(3)])
        rng, held, differ = np.random.default_rng(1), [], []
        for _ in range(samples):
            a, b = (Influences.joined([measure.influence(x)]) for x in scored(rng, y, signal))
            interval = a.interval()
            if not np.isnan(interval.low):
                held.append(interval.low <= true <= interval.high)
            differ.append(a.difference(b).p < 0.05)
        assert np.mean(held) >= binom.ppf(0.001, len(held), 0.94) / len(held), signal
        assert np.mean(differ) <= binom.ppf(0.999, samples, 0.06) / samples, signal


@pytest.mark.parametrize("rarest", [1, 2])
@pytest.mark.parametrize("name", ["hand-till", "one-vs-rest"])
def test_fewer_rows_of_the_rarest_class_have_no_interval(name, rarest):
    both = scored(np.random.default_rng(0), labels(48, 9, rarest), 1.0)
    a, b = (Influences.joined([measure_of(name).influence(rows)]) for rows in both)
    for found in (a.interval(), a.difference(b)):
        assert np.isnan([found.low, found.high]).all()
        assert found.note == f"{rarest} rows are of the rarest class, and an interval needs 3."


def test_rows_of_the_rarest_class_are_counted_over_folds_and_not_over_repeats():
    rng, hand_till = np.random.default_rng(0), measure_of("hand-till")
    y = labels(20, 10, 1)
    four = Influences.joined([hand_till.influence(scored(rng, y, 1.0)[0]) for _ in range(4)])
    assert not four.flaw()
    assert four.flaw(repeats=2).startswith("2 rows are of the rarest class")
    # One row of a class in a fold says nothing of the variance: hidden rows count in full.
    assert four.interval().high - four.interval().low > 0.2
