"""Measures of pairs beside their definition, a dict of pairs in fractions."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
import reference as naive
from hypothesis import given
from hypothesis import strategies as st

from aucbench.data import Data
from aucbench.data.categories import Categories
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics import auc, hand_till, one_vs_rest, partial_auc
from aucbench.metrics.pairs import (
    influence_of,
    measure_of,
    measured_by,
    pair_measure,
    quality_of,
)
from aucbench.metrics.rows import TargetRows, bare, rows_of
from aucbench.pairs import ByClass, Fpr, Grade, Group, Time
from aucbench.stats import Fold
from aucbench.stats.delong import Placements
from aucbench.stats.influence import Influences

X = np.zeros


def drawn(data, n, low, high):
    return np.array(data.draw(st.lists(st.integers(low, high), min_size=n, max_size=n)))


def expected(pairs, s, units):
    """θ, and ψ of each unit: Σ π (k − θ) over the pairs with an end in it, each pair once."""
    theta = naive.concordance(pairs, s)[0]
    psi = dict.fromkeys(sorted({*units}), F(0))
    for (i, j), weight in pairs.items():
        k = F(1) if s[i] > s[j] else F(1, 2) if s[i] == s[j] else F(0)
        for unit in {units[i], units[j]}:
            psi[unit] += weight * (k - theta)
    return theta, psi


def agrees(told, pairs, s, units):
    if not pairs:
        assert told is None
        return
    theta, psi = expected(pairs, s.tolist(), units.tolist())
    assert told.value == pytest.approx(float(theta), abs=1e-14)
    assert told.psi == pytest.approx([float(psi[u]) for u in told.units.tolist()], abs=1e-14)
    assert told.masses.sum(axis=1) == pytest.approx([2 / len(told.masses)] * len(told.masses))


@given(st.data())
def test_influence_within_groups(data):
    n = data.draw(st.integers(2, 14))
    y = 2 * drawn(data, n, 0, 1) - 1
    group, v, s = drawn(data, n, 0, 3), drawn(data, n, 1, 3), drawn(data, n, -4, 4) / 4
    each = data.draw(st.sampled_from(["pair", "group"]))
    of = bare(Labels(y.astype(np.int8), v * 1.0), group)
    told = influence_of(Group(each=each), of, s)
    agrees(told, naive.of_groups(y.tolist(), group.tolist(), v.tolist(), each), s, group)


@given(st.data())
def test_influence_of_survival_times(data):
    n = data.draw(st.integers(2, 12))
    time, event = drawn(data, n, 1, 5) * 1.0, drawn(data, n, 0, 1) > 0
    v, s = drawn(data, n, 1, 3), drawn(data, n, -4, 4) / 4
    tau = data.draw(st.sampled_from([None, 3.0]))
    groups = drawn(data, n, 0, 3) if data.draw(st.booleans()) else None
    units = np.arange(n) if groups is None else groups
    of = bare(Survival(time, event, v * 1.0), groups)
    pairs = naive.of_times(time.tolist(), event.tolist(), v.tolist(), tau)
    agrees(influence_of(Time(tau), of, s), pairs, s, units)


@given(st.data())
def test_influence_of_grades_with_gains(data):
    n = data.draw(st.integers(2, 12))
    y, v, s = drawn(data, n, 0, 3), drawn(data, n, 1, 3), drawn(data, n, -4, 4) / 4
    units = drawn(data, n, 0, 3)
    gain = data.draw(st.sampled_from(["none", "exp2"]))
    naive_gain = None if gain == "none" else lambda x: F(2) ** int(x) - 1
    pairs = naive.of_grades(y.tolist(), v.tolist(), gain=naive_gain)
    of = bare(Grades(y * 1.0, v * 1.0), units)
    agrees(influence_of(Grade(gain=gain, across=True), of, s), pairs, s, units)


@pytest.mark.parametrize("each", ["classes", "rest"])
@pytest.mark.parametrize("seed", range(4))
def test_influence_of_classes_is_the_derivative_by_weights(each, seed):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 0, 1, 1, 2, 2, rng.integers(0, 3, 14)]
    S = np.round(rng.normal(size=(20, 3)) + np.eye(3)[y], 1)
    names = np.array(["a", "b", "c"])
    measure = hand_till if each == "classes" else one_vs_rest
    told = influence_of(ByClass(each), bare(Categories(y.astype(np.int32), names)), S)
    assert told.value == pytest.approx(measure(y, S), abs=1e-14)
    for i in range(20):
        t = np.eye(20)[i] * 1e-5
        own = (measure(y, S, 1.0 + t) - measure(y, S, 1.0 - t)) / 2e-5
        exact = each == "classes"  # one-vs-rest has the mean over all classes in the place of each
        assert told.psi[i] == pytest.approx(own, abs=1e-8 if exact else 0.02)


def test_all_pairs_of_labels_have_the_variance_of_delong():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [30, 50])
    s = np.round(rng.normal(size=80) + y, 1)
    gauc = measure_of("gauc")
    one = Fold(y, s, groups=np.zeros(80, int))
    told = gauc.influence(one)
    assert told.value == pytest.approx(auc(y, s), abs=1e-14)
    grades = measure_of("grade-auc").influence(TargetRows(bare(Grades(y * 1.0)), s))
    ours, delong = Influences.joined([grades]).variance(), Placements.of([Fold(y, s)]).variance(1)
    assert ours == pytest.approx(delong)


def test_golden_group():
    y = np.array([1, -1, -1, 1, 1, 1, -1, 1, 1])
    groups = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
    s = np.array([2, 1.5, 2, 0, 1, 0, 0.5, 3, -3])
    fold = Fold(y, s, groups=groups)
    assert measure_of("gauc").values([fold, None])[0] == 1 / 2
    assert measure_of("gauc[each=group]").values([fold])[0] == pytest.approx(13 / 24, abs=1e-15)
    assert measure_of("gauc").influence(fold).groups == (1, 3)
    told = Influences.joined([measure_of("gauc").influence(fold)] * 2, grouped=True)
    assert told.note(2) == "1 of 3 groups hold one class and are left out."
    alone = Fold(y[7:], s[7:], groups=groups[7:])
    assert np.isnan(measure_of("gauc").values([alone]))[0]
    assert measure_of("gauc").influence(alone) is None


def test_the_quality_of_rows_is_the_measure_of_their_pairs():
    rng = np.random.default_rng(0)
    y = np.r_[1, -1, rng.choice([-1, 1], 38)]
    s, groups = rng.normal(size=40), np.arange(40) % 4
    data = Data.of(X((40, 1)), y, groups=groups)
    assert quality_of(data, s) == auc(y, s)
    within = Data.of(X((40, 1)), y, groups=groups, pairs=Group(each="group"))
    told = np.mean([auc(y[groups == g], s[groups == g]) for g in range(4)])
    assert quality_of(within, s) == pytest.approx(told, abs=1e-14)
    classes = np.abs(rng.integers(0, 3, 40))
    S = rng.normal(size=(40, 3))
    of = Data.of(X((40, 1)), Categories.of(classes))
    assert quality_of(of, S) == pytest.approx(hand_till(classes, S), abs=1e-14)
    rest = Data.of(X((40, 1)), Categories.of(classes), pairs=ByClass("rest"))
    assert quality_of(rest, S) == pytest.approx(one_vs_rest(classes, S), abs=1e-14)
    with pytest.raises(DataError, match=r"scores have shape \(40, 2\) for 3 classes"):
        quality_of(rest, S[:, :2])
    with pytest.raises(DataError, match="1 score"):
        quality_of(within, np.where(np.arange(40) == 3, np.nan, s))
    with pytest.raises(DataError, match="the rows have none"):
        quality_of(Data.of(X((40, 1)), y, pairs=Group()), s)


@pytest.mark.parametrize(
    ("pairs", "name"),
    [
        (None, "auc"),
        (Group(each="group"), "gauc[each=group]"),
        (Group("user"), "gauc"),
        (Time(5.0, "ipcw"), "cindex[tau=5.0]"),
        (Grade(gain="exp2"), "grade-auc[gain=exp2]"),
        (Grade(across=True), "grade-auc[across=True]"),
        (ByClass("rest"), "one-vs-rest"),
        (Fpr(0.1), "pauc"),
        (Fpr(0.3, 0.2), "pauc[max_fpr=0.3,min_tpr=0.2]"),
        (Fpr(min_tpr=0.5), "pauc[max_fpr=1.0,min_tpr=0.5]"),
        (Fpr(0.3, column="user"), "gpauc[max_fpr=0.3]"),
    ],
)
def test_pairs_name_their_measure(pairs, name):
    assert measured_by(pairs) == name
    assert measure_of(name).share


def test_names_are_canonical_and_have_the_parameters():
    assert pair_measure("cindex[ipcw, tau=5]").name == "cindex[weight=ipcw,tau=5]"
    assert pair_measure("cindex[ipcw, tau=5]").pairs == Time(5.0, "ipcw")
    assert pair_measure("gauc[pair]").name == "gauc"
    assert measure_of("pauc[.2]").name == "pauc[max_fpr=0.2]"
    with pytest.raises(UnknownNameError, match="unknown parameter of gauc 'all'"):
        measure_of("gauc[all=3]")
    with pytest.raises(ParameterError, match="each is 'both'"):
        measure_of("gauc[both]")
    with pytest.raises(UnknownNameError, match=r"unknown measure 'gac'.*gauc"):
        measure_of("gac")
    with pytest.raises(ParameterError, match="across is 'maybe'; give true or false"):
        measure_of("grade-auc[across=maybe]")
    with pytest.raises(ParameterError, match="has no parameter"):
        measure_of("hand-till[2]")


def test_rows_of_arrays():
    y, s = np.array([1, -1, 1]), np.array([0.0, 1.0, 2.0])
    assert isinstance(rows_of({"y": y, "scores": s}), Fold)
    assert rows_of({"scores": s}) is None
    times = {"time": np.array([1.0, 2.0, 3.0]), "event": np.array([True, True, False])}
    rows = rows_of({**times, "scores": s, "groups": np.array([0, 0, 1])})
    assert rows.data.target.n_events == 2
    assert rows.groups.tolist() == [0, 0, 1]
    assert rows.has_rows_of(rows_of({**times, "scores": -s}))
    assert not rows.has_rows_of(rows_of({**times, "scores": s, "weights": np.array([1.0, 2, 1])}))
    assert not rows.has_rows_of(Fold(y, s))
    with pytest.raises(DataError, match=r"there are 3 rows, and the scores have shape \(2,\)"):
        rows_of({**times, "scores": s[:2]})


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
    measure = measure_of("gpauc[.3,min_tpr=.1]")
    assert measure.name == "gpauc[max_fpr=0.3,min_tpr=0.1]"
    fold = Fold(y, s, v, group)
    assert measure.values([fold])[0] == pytest.approx(np.average(told, weights=masses))
    own = measure.influence(fold)
    assert own.groups == (1, 6)
    assert own.psi.sum() == pytest.approx(0.0, abs=1e-15)
    data = Data.of(X((120, 1)), y, groups=group, weights=v, pairs=Fpr(0.3, 0.1, column="g"))
    assert quality_of(data, s) == pytest.approx(own.value)
    whole = measure_of("gpauc[max_fpr=1]").influence(fold)
    assert whole.value == pytest.approx(measure_of("gauc").values([fold])[0])
    assert whole.psi == pytest.approx(measure_of("gauc").influence(fold).psi)
    with pytest.raises(DataError, match="the rows have none"):
        measure.values([Fold(y, s)])
    with pytest.raises(DataError, match="no group has rows of both classes"):
        quality_of(replace(data, groups=np.arange(120)), s)
