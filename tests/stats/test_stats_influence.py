"""Intervals and differences by the influence of units: folds, groups, and what has none."""

from functools import partial

import numpy as np
import pytest

from aucbench.data.survival import Survival
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.rows import TargetRows, bare
from aucbench.pairs import Time, concordance
from aucbench.stats import Fold, SplitTest, Word
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
    told = GROUPED([measure_of("gauc[each=group]").influence(fold)])
    aucs = [
        GAUC.values(
            [Fold(fold.positive[i : i + 4], fold.scores[i : i + 4], groups=np.zeros(4, int))]
        )
        for i, j in zip(range(0, 160, 4), range(4, 164, 4), strict=True)
    ]
    variance, degrees = told.variance()
    assert told.values[0] == pytest.approx(np.mean(aucs))
    assert variance == pytest.approx(np.var(aucs, ddof=1) / 40)
    assert degrees == pytest.approx(39)
    ours = told.interval()
    assert 0 < ours.low < ours.estimate < ours.high < 1
    assert ours.method == "influence by groups, log-odds and mixture beta"


def test_folds_of_groups_and_repeats_are_counted_once():
    rng = np.random.default_rng(1)
    folds = [grouped(20, rng, first=20 * k) for k in range(3)]
    once = GROUPED([GAUC.influence(fold) for fold in folds])
    again = GROUPED([GAUC.influence(fold) for fold in 2 * folds])
    assert once.groups == again.groups == 60
    assert again.variance(2) == pytest.approx(once.variance())
    # The mean over folds of equal size is the mean over all groups.
    whole = Fold(
        *(np.concatenate([getattr(f, x) for f in folds]) for x in ("positive", "scores")),
        groups=np.concatenate([f.groups for f in folds]),
    )
    all_at_once = GROUPED([GAUC.influence(whole)])
    assert once.values.mean() == pytest.approx(all_at_once.values[0])
    assert once.variance()[0] == pytest.approx(all_at_once.variance()[0], rel=0.05)


def survival(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time, censored = rng.exponential(np.exp(-x)), rng.exponential(2.0, n)
    return TargetRows(bare(Survival(np.minimum(time, censored), time <= censored)), x)


def test_rows_of_repeats_are_those_of_one():
    cindex = measure_of("cindex")
    folds = [cindex.influence(survival(50, seed)) for seed in range(4)]
    once, twice = Influences.joined(folds), Influences.joined(2 * folds)
    assert twice.variance(2)[0] == pytest.approx(once.variance()[0])
    assert twice.variance(2)[1] == pytest.approx(once.variance()[1])
    each = [Influences.joined([fold]).variance()[0] for fold in folds]
    assert once.variance()[0] == pytest.approx(np.mean(each) / 4)


def test_delete_one_jackknife_of_the_concordance_index():
    rows = survival(80, 3)
    told = Influences.joined([measure_of("cindex").influence(rows)])
    t = rows.data.target
    C = [
        concordance(Time().of(Survival(t.time[keep], t.event[keep])), rows.scores[keep])[0]
        for keep in (np.delete(np.arange(80), i) for i in range(80))
    ]
    assert told.variance()[0] == pytest.approx(79 * np.var(C), rel=0.1)


@pytest.mark.parametrize(
    ("fold", "why"),
    [
        (grouped(9, np.random.default_rng(0)), "9 groups have a pair, and an interval needs 10."),
        (grouped(12, np.random.default_rng(0), shift=100.0), "All groups say the same."),
    ],
)
def test_what_has_no_interval_says_why(fold, why):
    told = GROUPED([GAUC.influence(fold)])
    ours, less = told.interval(), told.difference(told)
    assert np.isnan([ours.low, ours.high]).all()
    assert ours.note == why
    assert less.p == 1.0
    assert less.method == "rule of three"
    assert less.word() is Word.UNCLEAR
    assert less.word(rope=0.5) is Word.EQUIVALENT


def test_within_gives_words_by_any_pairs():
    rng = np.random.default_rng(5)
    folds = {"good": {}, "bad": {}, "twin": {}}
    for k in range(5):
        base = grouped(60, rng, 0.0, 60 * k)
        y, noise = base.positive, base.scores
        for name, shift, more in (("good", 1.5, 0.0), ("bad", 0.5, 0.0), ("twin", 1.5, 0.01)):
            s = noise + shift * y + more * rng.normal(size=y.size)
            folds[name][0, k] = Fold(y, s, groups=base.groups)
    told = SplitTest(ratio=0.25, by=GAUC).of_rows(folds)
    assert told.pair("good", "bad").word is Word.BETTER
    assert told.pair("good", "twin").word is Word.EQUIVALENT
    good = told.solvers[0]
    assert good.groups == 300
    assert good.interval.method == "influence by groups, log-odds and mixture beta"
    assert good.interval.low < good.interval.estimate < good.interval.high


def test_differences_follow_the_t_test():
    rng = np.random.default_rng(2)
    a = grouped(200, rng)
    b = Fold(a.positive, a.scores + 0.5 * rng.normal(size=800), groups=a.groups)
    told, other = (GROUPED([GAUC.influence(x)]) for x in (a, b))
    less = told.difference(other)
    assert less.estimate == pytest.approx(told.values[0] - other.values[0])
    assert less.flipped().estimate == other.difference(told).estimate
    half = less.high - less.estimate
    assert half == pytest.approx(less.estimate - less.low)
    wider = told.difference(other, 1 - less.p)
    ends = (wider.low, wider.high)
    assert min(map(abs, ends)) == pytest.approx(0.0, abs=1e-12)
