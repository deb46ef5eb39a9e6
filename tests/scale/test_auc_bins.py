"""Scores in bins: counts are those of a loop, bounds hold, and no division into parts matters."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_parts import KINDS, ScoreParts, normal_scores

import aucbench
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.scale.auc_bins import ScoreBins, ScoreTally, counted
from aucbench.scale.engines import Here

pytestmark = pytest.mark.debug

SCORES = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, np.inf, -np.inf, 1.7e308, -1.7e308]),
)


@st.composite
def labelled(draw, most=60):
    y = [1, -1, *draw(st.lists(st.sampled_from([-1, 1]), max_size=most))]
    s = draw(st.lists(SCORES, min_size=len(y), max_size=len(y)))
    return np.array(y, np.int8), np.array(s)


def tally_of(y, s, bins, **options):
    tally = ScoreTally(bins, **options)
    for i in range(len(ScoreParts.of(y, s, size=7).sizes)):
        for piece in ScoreParts.of(y, s, size=7).read(i):
            tally.add(piece)
    return tally


@given(labelled(), st.lists(SCORES, min_size=1, max_size=30))
def test_bins_are_monotone_in_the_score_whatever_the_sample_was(case, sample):
    y, s = case
    bins = ScoreBins.of(np.array(sample), 40)
    order = np.argsort(s, kind="stable")

    places = [int(np.flatnonzero(tally_of(y[[r]], s[[r]], bins).table[:, :2].any(axis=1))[0])
              for r in order]  # fmt: skip

    assert places == sorted(places)
    assert all(
        a == b
        for a, b, r, q in zip(places[:-1], places[1:], order[:-1], order[1:], strict=True)
        if s[r] == s[q]
    )


@given(labelled(), st.lists(SCORES, min_size=1, max_size=30))
def test_counts_equal_a_loop_over_the_rows(case, sample):
    y, s = case
    bins = ScoreBins.of(np.array(sample), 40)

    counts = tally_of(y, s, bins).counts

    pos, neg, seen = {}, {}, {}
    for label, score in zip(y, s, strict=True):
        one = tally_of(np.array([label]), np.array([score]), bins).counts
        at = int(np.flatnonzero(one.pos + one.neg)[0])
        side = pos if label > 0 else neg
        side[at] = side.get(at, 0) + 1
        seen.setdefault(at, set()).add(score + 0.0)
    assert {b: c for b, c in enumerate(counts.pos.tolist()) if c} == pos
    assert {b: c for b, c in enumerate(counts.neg.tolist()) if c} == neg
    assert all(bool(counts.single[b]) == (len(values) == 1) for b, values in seen.items())


@given(labelled(), st.lists(SCORES, min_size=1, max_size=10))
def test_bounds_hold_the_auc_for_any_bins(case, sample):
    y, s = case
    pairs = 2 * int((y > 0).sum()) * int((y < 0).sum())
    twice = sum(2 * (a > b) + (a == b) for a in s[y > 0] for b in s[y < 0])

    counts = tally_of(y, s, ScoreBins.of(np.array(sample), 1)).counts

    assert counts.twice[0] <= twice <= counts.twice[1] <= pairs
    low, high = counts.bounds
    assert Fraction(low) <= Fraction(int(twice), pairs) <= Fraction(high) or low == high
    assert low <= auc(y, s) <= high


@given(labelled(), st.integers(0, 2**32 - 1), st.booleans())
def test_weighted_bounds_hold_the_weighted_auc(case, seed, whole):
    (y, s), rng = case, np.random.default_rng(seed)
    v = rng.integers(1, 9, y.size).astype(float) if whole else rng.uniform(1e-3, 10.0, y.size)

    known = counted(ScoreParts.of(y, s, weights=v, size=9), Here(), weighted=True)

    low, high = known.counts.bounds
    exact = [Fraction(weight) for weight in v.tolist()]
    pos, neg = (np.flatnonzero(y == side).tolist() for side in (1, -1))
    won = {(i, j): int(s[i] > s[j]) * 2 + int(s[i] == s[j]) for i in pos for j in neg}
    twice = sum(exact[i] * exact[j] * times for (i, j), times in won.items())
    masses = (sum(exact[i] for i in side) for side in (pos, neg))
    value = twice / (2 * next(masses) * next(masses))
    assert Fraction(low) <= value <= Fraction(high)
    if whole:
        assert not known.counts.cut


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_are_narrow_whatever_the_scores_are_distributed_like(kind):
    y, s = normal_scores(60_000, kind=kind)

    known = counted(ScoreParts.of(y, s, size=7_000, pieces=3), Here())

    low, high = known.counts.bounds
    assert low <= auc(y, s) <= high
    assert high - low <= 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_no_division_into_parts_and_no_number_of_threads_changes_a_count(kind):
    y, s = normal_scores(5_000, kind=kind)
    bins = ScoreBins.of(np.asarray(s[::50], float), 5_000)

    with aucbench.threads(3):
        many = Here().tally(ScoreParts.of(y, s, size=331, pieces=4), ScoreTally, bins)
    backwards = ScoreParts.of(y[::-1].copy(), s[::-1], size=777)

    expected = tally_of(y, s, bins).table.tobytes()
    assert many.table.tobytes() == expected
    assert Here().tally(backwards, ScoreTally, bins).table.tobytes() == expected


def test_the_pilot_sample_need_not_be_like_the_rest():
    y, s = normal_scores(40_000)
    first = np.zeros(20_000)  # the pilot sample sees little else

    known = counted(ScoreParts.of(np.tile(y[:20_000], 1), first, size=20_000), Here())
    mixed = counted(
        ScoreParts.of(np.append(y, y), np.append(np.full(40_000, 5.0), s), size=40_000, pieces=50),
        Here(),
    )

    assert known.counts.bounds == (0.5, 0.5)
    low, high = mixed.counts.bounds
    assert low <= auc(np.append(y, y), np.append(np.full(40_000, 5.0), s)) <= high
    assert high - low <= 1e-6


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_a_weight_that_is_no_number_above_0_is_refused_with_its_place(bad):
    y, s = normal_scores(300)
    v = np.ones(300)
    v[250] = bad

    with pytest.raises(DataError, match=r"part 2, row 50 has the weight .* above 0"):
        counted(ScoreParts.of(y, s, weights=v), Here(), weighted=True)


def test_a_nan_is_refused_with_its_place_and_the_first_one_is_told():
    y, s = normal_scores(1_000)
    s[[333, 777]] = np.nan

    with aucbench.threads(2), pytest.raises(DataError, match="part 3, row 33 has a NaN"):
        counted(ScoreParts.of(y, s, pieces=3), Here())


def test_a_missing_class_is_refused_and_one_part_of_one_class_is_not():
    y, s = normal_scores(300)
    y[:100] = -1

    counted(ScoreParts.of(y, s), Here())

    with pytest.raises(DataError, match="all 300 labels are negative"):
        counted(ScoreParts.of(np.full(300, -1), s), Here())


@settings(max_examples=20)
@given(st.integers(1, 10**6))
def test_sums_of_units_fit_into_64_bits(rows):
    from aucbench.scale.auc_bins import units_of

    unit, most = units_of(3.7, rows)

    assert rows * most <= 2**62
    assert 3.7 / unit <= most
