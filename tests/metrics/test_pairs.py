"""Measures of pairs beside their definition, a dict of pairs in fractions."""

from fractions import Fraction as F

import numpy as np
import pytest
import reference as naive
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import somersd

from aucbench.data import Categories, Data, Grades, Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.metrics import (
    auc_of,
    cindex,
    gauc,
    grade_auc,
    hand_till,
    one_vs_rest,
    partial_auc,
)
from aucbench.metrics.pairs import influence_of, measure_of, measured_by, quality_of
from aucbench.metrics.rows import bare
from aucbench.pairs import ByClass, Fpr, Grade, Group, Time, members_of
from aucbench.stats import Fold
from aucbench.stats.influence import Influences

FIRST = [1, 2, 2, 3, 4], [1, 1, 0, 0, 1], [2, 2, 0.5, 1.5, 0]
SECOND = [5, 3, 3, 3, 8, 1], [1, 1, 1, 0, 0, 0], [1, 0, 2, 0.5, 1, 3]
RNG = np.random.default_rng(0)
Y40, S40 = np.r_[1, -1, RNG.choice([-1, 1], 38)], RNG.normal(size=40)


def close(value, wanted):
    return value == pytest.approx(float(wanted), abs=1e-14)


@pytest.mark.parametrize(
    ("value", "wanted"),  # of times: scikit-survival 0.28, lifelines 0.30.3
    [
        (cindex(*FIRST), F(13, 14)),
        (cindex(*FIRST, weight="ipcw"), F(41, 43)),
        (cindex(*SECOND), F(1, 2)),
        (cindex(*SECOND, tau=4), F(1, 2)),
        (cindex(*SECOND, weight="ipcw"), F(1, 2)),
        (grade_auc([2, 1, 0, 1, 2], [1, 1, 0.5, 2, 0]), F(7, 16)),
        (grade_auc([2, 1, 0, 1, 2], [1, 1, 0.5, 2, 0], each="grades"), F(13, 24)),
        (grade_auc([2, 1, 0, 1, 2], [1, 1, 0.5, 2, 0], gain="exp2"), F(3, 8)),
        (grade_auc([0, 3, 1, 3, 0, 2], [0, 2, 0.5, 1, 1, 1.5]), F(21, 26)),
        (grade_auc([0, 3, 1, 3, 0, 2], [0, 2, 0.5, 1, 1, 1.5], each="grades"), F(13, 16)),
        (grade_auc([0, 3, 1, 3, 0, 2], [0, 2, 0.5, 1, 1, 1.5], gain="exp2"), F(99, 116)),
        *(
            # A heavy row of another group changes nothing.
            (grade_auc([1, 0, 1, 0, 1, 0, 1], [0.9, 0.1, 0.3, 0.7, 0.5, 0.5, 2],
                       [0.1, 0.2, 0.3, 0.15, 0.25, 0.35, heavy], groups=[0] * 6 + [1]), F(179, 364))
            for heavy in (1.0, 1e15, 1e300)
        ),
    ],
)  # fmt: skip
def test_golden_concordances(value, wanted):
    assert close(value, wanted)


def sampled(data, n, low, high):
    return np.array(data.draw(st.lists(st.integers(low, high), min_size=n, max_size=n)))


def agrees(value, told, pairs, s, units):
    """The measure is θ, and ψ of each unit is Σ π (k − θ) over the pairs with an end in it."""
    if not pairs:
        assert told is None
        with pytest.raises(DataError):
            value()
        return
    s, units = s.tolist(), units.tolist()
    theta = naive.concordance(pairs, s)[0]
    psi = dict.fromkeys(sorted({*units}), F(0))
    for (i, j), weight in pairs.items():
        k = F(1) if s[i] > s[j] else F(1, 2) if s[i] == s[j] else F(0)
        for unit in {units[i], units[j]}:  # each pair once
            psi[unit] += weight * (k - theta)
    assert close(value(), theta)
    assert close(told.value, theta)
    assert told.psi == pytest.approx([float(psi[u]) for u in told.units.tolist()], abs=1e-14)
    assert told.masses.sum(axis=1) == pytest.approx([2 / len(told.masses)] * len(told.masses))


@given(st.data())
def test_pairs_within_groups(data):
    n = data.draw(st.integers(2, 14))
    y = 2 * sampled(data, n, 0, 1) - 1
    group, v, s = sampled(data, n, 0, 3), sampled(data, n, 1, 3), sampled(data, n, -4, 4) / 4
    each = data.draw(st.sampled_from(["pair", "group"]))
    told = influence_of(Group(each=each), bare(Labels(y.astype(np.int8), v * 1.0), group), s)
    pairs = naive.of_groups(y.tolist(), group.tolist(), v.tolist(), each)
    agrees(lambda: gauc(y, s, v, group, each=each), told, pairs, s, group)


@given(st.data())
def test_pairs_of_survival_times(data):
    n = data.draw(st.integers(2, 12))
    time, event = sampled(data, n, 1, 5) * 1.0, sampled(data, n, 0, 1) > 0
    v, s = sampled(data, n, 1, 3), sampled(data, n, -4, 4) / 4
    tau = data.draw(st.sampled_from([None, 3.0]))
    groups = sampled(data, n, 0, 3) if data.draw(st.booleans()) else None
    units = np.arange(n) if groups is None else groups
    told = influence_of(Time(tau), bare(Survival(time, event, v * 1.0), groups), s)
    pairs = naive.of_times(time.tolist(), event.tolist(), v.tolist(), tau)
    agrees(lambda: cindex(time, event, s, v, tau=tau), told, pairs, s, units)


@given(st.data())
def test_pairs_of_grades_with_gains(data):
    n = data.draw(st.integers(2, 12))
    y, v, s = sampled(data, n, 0, 3), sampled(data, n, 1, 3), sampled(data, n, -4, 4) / 4
    units, gain = sampled(data, n, 0, 3), data.draw(st.sampled_from(["none", "exp2"]))
    naive_gain = None if gain == "none" else lambda x: F(2) ** int(x) - 1
    pairs = naive.of_grades(y.tolist(), v.tolist(), gain=naive_gain)
    told = influence_of(Grade(gain=gain, across=True), bare(Grades(y * 1.0, v * 1.0), units), s)
    agrees(lambda: grade_auc(y, s, v, gain=gain), told, pairs, s, units)
    pairs = naive.of_grades(y.tolist(), v.tolist(), "grades", group=units.tolist())
    if pairs:  # groups, and pairs of grades that count alike
        value = grade_auc(y, s, v, units, each="grades")
        assert close(value, naive.concordance(pairs, s.tolist())[0])
    if np.ptp(y) and np.ptp(s):
        assert close(grade_auc(y, s), (somersd(y, s).statistic + 1) / 2)


def test_weights_of_censoring_come_from_the_rows_that_were_learnt_from():
    rng, seen = np.random.default_rng(34), 0
    for _ in range(60):
        n = int(rng.integers(3, 10))
        s, v = rng.integers(-12, 13, n) / 4, rng.integers(1, 4, n)
        time, event = rng.integers(1, 6, n).tolist(), (rng.random(n) < 0.6).tolist()
        past = [*rng.integers(1, 7, 12).tolist(), 7], [*(rng.random(12) < 0.5).tolist(), True]
        curve = naive.inverse_censoring(*past)
        known = [
            sorted((u, a) for u, a in zip(past[0], curve, strict=True) if u <= t) for t in time
        ]
        weights = [before[-1][1] if before else F(1) for before in known]
        if None in weights:
            continue
        if pairs := naive.of_times(time, event, v.tolist(), a=weights):
            seen += 1
            train = Survival(*map(np.array, past))
            value = cindex(time, event, s, v, weight="ipcw", train=train)
            assert close(value, naive.concordance(pairs, s.tolist())[0])
    assert seen > 30
    train = Survival.of([1, 2, 3], [1, 0, 1])
    cut = cindex([4, 2, 3, 5], [1, 1, 0, 0], [1, 4, 3, 2], weight="ipcw", tau=4, train=train)
    assert close(cut, 1)  # no row is left at time 4, see the refusals


@pytest.mark.parametrize("tau", [None, 5])
def test_counts_of_pairs_are_those_of_their_definition(tau):
    from aucbench.metrics import concordant_pairs

    event, s, time = Y40 > 0, np.round(S40, 1), np.random.default_rng(1).integers(1, 9, 40)
    told, counts, tied_times = concordant_pairs(time, event, s, tau=tau), {1: 0, -1: 0, 0: 0}, 0
    for i in np.flatnonzero(event & (time < (tau or 99))):
        for j in np.flatnonzero((time > time[i]) | ((time == time[i]) & ~event)):
            counts[int(np.sign(s[i] - s[j]))] += 1
            tied_times += int(time[i] == time[j])
    assert (told.concordant, told.discordant, told.tied_scores) == (*counts.values(),)
    assert told.tied_times == tied_times
    assert close(told.estimate, cindex(time, event, s, tau=tau))
    moved = cindex(time - 100, event, s, tau=tau and tau - 100)
    assert moved == cindex(time, event, s, tau=tau)


@pytest.mark.parametrize("each", ["classes", "rest"])
@pytest.mark.parametrize("seed", range(2))
def test_influence_of_classes_is_the_derivative_by_weights(each, seed):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 0, 1, 1, 2, 2, rng.integers(0, 3, 14)]
    S = np.round(rng.normal(size=(20, 3)) + np.eye(3)[y], 1)
    measure = hand_till if each == "classes" else one_vs_rest
    of = bare(Categories(y.astype(np.int32), np.array(["a", "b", "c"])))
    told = influence_of(ByClass(each), of, S)
    assert close(told.value, measure(y, S))
    for i in range(20):
        t = np.eye(20)[i] * 1e-5
        own = (measure(y, S, 1.0 + t) - measure(y, S, 1.0 - t)) / 2e-5
        exact = each == "classes"  # one-vs-rest has the mean over all classes in the place of each
        assert told.psi[i] == pytest.approx(own, abs=1e-8 if exact else 0.02)


def test_golden_group():
    y = np.array([1, -1, -1, 1, 1, 1, -1, 1, 1])
    groups = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
    s = np.array([2, 1.5, 2, 0, 1, 0, 0.5, 3, -3])
    fold = Fold(y, s, groups=groups)
    assert measure_of("gauc").values([fold, None])[0] == 1 / 2
    assert close(measure_of("gauc[each=group]").values([fold])[0], F(13, 24))
    assert measure_of("gauc").influence(fold).groups == (1, 3)
    told = Influences.joined([measure_of("gauc").influence(fold)] * 2, grouped=True)
    assert told.note(2) == "1 of 3 groups hold one class and are left out."
    alone = Fold(y[7:], s[7:], groups=groups[7:])
    assert np.isnan(measure_of("gauc").values([alone]))[0]
    assert measure_of("gauc").influence(alone) is None


def test_the_measure_of_a_target_is_that_of_its_pairs():
    time, event, s = SECOND
    assert auc_of(Survival.of(time, event), s) == cindex(time, event, s)
    grades, group = Grades.of([0, 1, 2, 1, 0, 2]), [0, 0, 0, 1, 1, 1]
    assert auc_of(grades, s) == grade_auc([0, 1, 2, 1, 0, 2], s)
    data = Data.of(np.zeros((6, 1)), grades, groups=group)
    assert members_of(data).pairs == 6  # those of a query, unless asked otherwise
    whole = Data.of(np.zeros((6, 1)), grades, groups=group, pairs=Grade(across=True))
    assert members_of(whole).pairs == 12
    y, groups = RNG.integers(0, 4, 60), np.arange(60) // 6
    y[:6], s = 2, RNG.normal(size=60)  # a group of one grade has no pair
    told = [grade_auc(y[groups == g], s[groups == g]) for g in range(1, 10)]
    assert close(grade_auc(y, s, groups=groups, each="group"), np.mean(told))


@pytest.mark.parametrize(
    ("pairs", "name"),
    [
        *((None, "auc"), (Group(each="group"), "gauc[each=group]"), (Group("user"), "gauc")),
        *((Time(5.0, "ipcw"), "cindex[tau=5.0]"), (Grade(gain="exp2"), "grade-auc[gain=exp2]")),
        *((Grade(across=True), "grade-auc[across=True]"), (ByClass("rest"), "one-vs-rest")),
        *((Fpr(0.1), "pauc"), (Fpr(0.3, 0.2), "pauc[max_fpr=0.3,min_tpr=0.2]")),
        (Fpr(0.3, column="user"), "gpauc[max_fpr=0.3]"),
    ],
)
def test_pairs_name_their_measure(pairs, name):
    assert measured_by(pairs) == name
    assert measure_of(name).share


def test_a_range_within_groups_is_the_mean_over_pairs():
    rng = np.random.default_rng(0)
    group, y = np.repeat(np.arange(6), 20), rng.random(120) < 0.4
    y[group == 5] = True
    s, v = np.round(rng.normal(size=120) + y, 1), rng.integers(1, 4, 120) * 1.0
    told, masses = [], []
    for g in range(5):
        own = group == g
        told.append(partial_auc(y[own], s[own], v[own], max_fpr=0.3, min_tpr=0.1))
        masses.append(v[own & y].sum() * v[own & ~y].sum())
    measure, fold = measure_of("gpauc[.3,min_tpr=.1]"), Fold(y, s, v, group)
    assert measure.name == "gpauc[max_fpr=0.3,min_tpr=0.1]"
    assert measure.values([fold])[0] == pytest.approx(np.average(told, weights=masses))
    own = measure.influence(fold)
    assert own.groups == (1, 6)
    assert own.psi.sum() == pytest.approx(0.0, abs=1e-15)
    pairs = Fpr(0.3, 0.1, column="g")
    data = Data.of(np.zeros((120, 1)), y, groups=group, weights=v, pairs=pairs)
    assert quality_of(data, s) == pytest.approx(own.value)
    whole = measure_of("gpauc[max_fpr=1]").influence(fold)
    assert whole.value == pytest.approx(measure_of("gauc").values([fold])[0])
    assert whole.psi == pytest.approx(measure_of("gauc").influence(fold).psi)
