"""The AUC by ranges: the same bits as with all scores in memory; of weights, parts and groups."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_parts import KINDS, ScoreParts, normal_scores

from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import auc, gauc
from aucbench.metrics.chunked import AucBounds, auc_in_chunks
from aucbench.metrics.partial import partial_auc
from aucbench.scale.auc_bins import counted
from aucbench.scale.engines import Here
from aucbench.scale.exact_auc import exact_twice, ranges
from aucbench.scale.partial_auc import area_of
from aucbench.stats.delong import auc_interval
from aucbench.stats.rows import Fold

ROOM = 4_000  # scores that are in memory at a time
MEGABYTES = ROOM * 16 / 2**20


@pytest.mark.parametrize("kind", KINDS)
def test_the_auc_by_ranges_has_the_same_bits(kind):
    y, s = normal_scores(20_000, kind=kind)
    parts = ScoreParts.of(y, s, size=1_111, pieces=2)
    known = counted(parts, Here())

    twice, readings = exact_twice(parts, Here(), known, ROOM)

    assert twice / (2 * known.counts.n_pos * known.counts.n_neg) == auc(y, s)
    assert readings <= 6


def test_few_bins_are_sorted_in_several_ranges(monkeypatch):
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 1)
    y, s = normal_scores(20_000)
    parts = ScoreParts.of(y, s, size=5_000)

    told = auc_in_chunks(parts, memory=MEGABYTES)

    assert told.is_exact
    assert told.low == auc(y, s)
    assert told.readings > 4


def test_a_bin_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 1)
    monkeypatch.setattr("aucbench.scale.auc_bins.INTERVALS", 20)
    y, s = normal_scores(2_000)
    parts = ScoreParts.of(y, s)
    known = counted(parts, Here())

    with pytest.raises(DataError, match="there is memory for 1; give more memory"):
        [*ranges(known.counts, 1)]


def test_parts_that_change_between_two_readings_are_refused(monkeypatch):
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 1)
    monkeypatch.setattr("aucbench.scale.auc_bins.INTERVALS", 20)
    y, s = normal_scores(2_000)
    known = counted(ScoreParts.of(y, s), Here())

    with pytest.raises(DataError, match="other scores than before"):
        exact_twice(ScoreParts.of(y, np.zeros(2_000)), Here(), known, ROOM)


@pytest.mark.parametrize("kind", KINDS)
def test_the_weighted_auc_by_ranges_is_within_the_rounding_of_its_weights(kind):
    y, s = normal_scores(6_000, kind=kind)
    v = np.random.default_rng(1).uniform(0.1, 3.0, 6_000)

    told = auc_in_chunks(
        ScoreParts.of(y, s, weights=v, size=999), weighted=True, memory=MEGABYTES * 2
    )

    assert told.low - 1e-13 <= auc(y, s, v) <= told.high + 1e-13
    assert told.high - told.low <= 1e-11


def test_whole_weights_give_the_weighted_auc_itself():
    y, s = normal_scores(3_000)
    v = np.random.default_rng(1).integers(1, 6, 3_000).astype(float)

    told = auc_in_chunks(ScoreParts.of(y, s, weights=v), weighted=True)

    assert told.is_exact
    assert told.low == pytest.approx(auc(y, s, v), abs=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_fpr", [0.003, 0.1, 1.0])
def test_a_part_of_the_curve_is_that_of_all_rows(kind, max_fpr):
    y, s = normal_scores(6_000, kind=kind)

    told = auc_in_chunks(ScoreParts.of(y, s, size=999), max_fpr=max_fpr, memory=MEGABYTES * 2)

    assert told.is_exact
    assert told.low == pytest.approx(partial_auc(y, s, max_fpr=max_fpr), abs=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_of_a_part_of_the_curve_hold_it(kind, monkeypatch):
    monkeypatch.setattr("aucbench.metrics.chunked.FEW", 0)
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 2)
    y, s = normal_scores(6_000, kind=kind)

    for max_fpr in (0.01, 0.1, 0.5):
        told = auc_in_chunks(ScoreParts.of(y, s, size=999), max_fpr=max_fpr)

        assert told.low - 1e-11 <= partial_auc(y, s, max_fpr=max_fpr) <= told.high + 1e-11


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.lists(st.integers(0, 5), min_size=1, max_size=12),
    st.fractions(0, 1),
)
def test_the_area_up_to_a_rate_is_that_of_the_polygon(pos, neg, share):
    pos, neg, x = np.array(pos, float), np.array(neg, float), share * len(neg)

    area, at, above = Fraction(0), Fraction(0), 0
    for value in sorted({*pos, *neg}, reverse=True):
        p, q = int((pos == value).sum()), int((neg == value).sum())
        step = min(Fraction(q), max(Fraction(0), x - at))
        if q:
            area += 2 * step * above + p * step * step / q
        at, above = at + q, above + p

    assert area_of(pos, neg, x) == area


@pytest.mark.parametrize("each", ["pair", "group"])
def test_groups_are_those_of_gauc(each):
    y, s = normal_scores(6_000, kind="ties")
    groups = np.random.default_rng(2).integers(0, 400, 6_000)

    told = auc_in_chunks(
        ScoreParts.of(y, s, groups.astype(float), size=999), groups=each, memory=MEGABYTES * 4
    )

    assert told.low == pytest.approx(gauc(y, s, None, groups, each=each), abs=1e-14)
    assert told.readings > 1
    assert told.measure == ("gauc" if each == "pair" else "gauc[each=group]")


def test_groups_that_cannot_be_used_are_refused():
    y, s = normal_scores(300)
    alone = ScoreParts.of(y, s, np.arange(300.0))
    with pytest.raises(DataError, match="no group has rows of both classes"):
        auc_in_chunks(alone, groups="pair")

    gaps = ScoreParts.of(y, s, np.where(np.arange(300) == 120, np.nan, 0.0))
    with pytest.raises(DataError, match="part 1, row 20 has a NaN"):
        auc_in_chunks(gaps, groups="pair")

    with pytest.raises(DataError, match="must be in memory together"):
        auc_in_chunks(ScoreParts.of(y, s, np.zeros(300)), groups="pair", memory=0.003)


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_is_that_of_all_rows(kind):
    y, s = normal_scores(4_000, kind=kind)

    told = auc_in_chunks(ScoreParts.of(y, s))
    whole = auc_interval([Fold(y, s.astype(float))])

    assert told.interval.estimate == pytest.approx(whole.estimate, abs=1e-15)
    assert told.interval.low == pytest.approx(whole.low, abs=1e-7)
    assert told.interval.high == pytest.approx(whole.high, abs=1e-7)


def test_bounds_alone_take_one_reading(monkeypatch):
    monkeypatch.setattr("aucbench.metrics.chunked.FEW", 0)
    y, s = normal_scores(50_000)

    told = auc_in_chunks(ScoreParts.of(y, s, size=10_000))

    assert isinstance(told, AucBounds)
    assert told.readings == 1
    assert told.low < auc(y, s) < told.high


def test_what_makes_no_sense_is_refused():
    parts = ScoreParts.of(*normal_scores(100))

    with pytest.raises(UnsupportedError, match="not computed together"):
        auc_in_chunks(parts, weighted=True, max_fpr=0.1)
    with pytest.raises(ParameterError, match="max_fpr must be in"):
        auc_in_chunks(parts, max_fpr=0.0)
    with pytest.raises(ParameterError, match="groups is 'each'"):
        auc_in_chunks(parts, groups="each")
    with pytest.raises(ParameterError, match="memory"):
        auc_in_chunks(parts, memory=0)
