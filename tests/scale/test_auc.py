"""The AUC of scores in chunks: counts in bins, bounds that hold, and the bits of all in memory."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused, refusals
from score_parts import KINDS, ScoreParts, normal_scores

import aucbench
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.metrics import auc, gauc
from aucbench.metrics.chunked import auc_in_chunks
from aucbench.metrics.partial import partial_auc
from aucbench.objectives import BinnedHinge, BinnedSquaredHinge
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale.auc_bins import ScoreBins, ScoreTally, counted
from aucbench.scale.engines import Here
from aucbench.scale.exact_auc import exact_twice, ranges
from aucbench.solving.loop import solve
from aucbench.stats.delong import auc_interval
from aucbench.stats.rows import Fold

pytestmark = pytest.mark.debug

ROOM = 4_000  # scores that are in memory at a time
MEGABYTES = ROOM * 16 / 2**20
ALL_KINDS = pytest.mark.parametrize("kind", KINDS)
SOME_KINDS = pytest.mark.parametrize("kind", ["ties", "infinite", "single"])
SCORES = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, np.inf, -np.inf, 1.7e308, -1.7e308]),
)
SAMPLES = st.lists(SCORES, min_size=1, max_size=30)


@st.composite
def labelled(draw, most=60):
    y = [1, -1, *draw(st.lists(st.sampled_from([-1, 1]), max_size=most))]
    s = draw(st.lists(SCORES, min_size=len(y), max_size=len(y)))
    return np.array(y, np.int8), np.array(s)


def tally_of(y, s, bins):
    tally, parts = ScoreTally(bins), ScoreParts.of(y, s, size=7)
    for i in range(len(parts.sizes)):
        for piece in parts.read(i):
            tally.add(piece)
    return tally


@pytest.fixture
def few_bins(monkeypatch):
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 1)
    monkeypatch.setattr("aucbench.scale.auc_bins.INTERVALS", 20)


@given(labelled(), SAMPLES)
def test_bins_are_monotone_in_the_score_and_count_as_a_loop_over_the_rows(case, sample):
    """Whatever the sample was by which they were placed."""
    y, s = case
    bins = ScoreBins.of(np.array(sample), 40)
    counts, places = tally_of(y, s, bins).counts, np.empty(y.size, int)
    sides = {1: {}, -1: {}}
    for r in range(y.size):
        one = tally_of(y[[r]], s[[r]], bins).counts
        places[r] = np.flatnonzero(one.pos + one.neg)[0]
        side = sides[y[r]]
        side[places[r]] = side.get(places[r], 0) + 1
    for told, side in ((counts.pos, sides[1]), (counts.neg, sides[-1])):
        assert {b: c for b, c in enumerate(told.tolist()) if c} == side
    for b in {*places.tolist()}:
        assert bool(counts.single[b]) == (len({x + 0.0 for x in s[places == b]}) == 1)
    order = np.argsort(s, kind="stable")
    assert (np.diff(places[order]) >= 0).all()
    assert not np.diff(places[order])[s[order][1:] == s[order][:-1]].any()


@given(labelled(), SAMPLES)
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
    value = twice / (2 * sum(exact[i] for i in pos) * sum(exact[i] for i in neg))
    assert Fraction(low) <= value <= Fraction(high)
    assert not (whole and known.counts.cut)


@ALL_KINDS
def test_scores_of_any_kind_have_narrow_bounds_and_by_ranges_the_same_bits(kind):
    y, s = normal_scores(20_000, kind=kind)
    parts = ScoreParts.of(y, s, size=1_111, pieces=2)
    known = counted(parts, Here())
    low, high = known.counts.bounds
    assert low <= auc(y, s) <= high <= low + 2e-6
    twice, readings = exact_twice(parts, Here(), known, ROOM)
    assert twice / (2 * known.counts.n_pos * known.counts.n_neg) == auc(y, s)
    assert readings <= 6


@SOME_KINDS
def test_no_division_into_parts_and_no_number_of_threads_changes_a_count(kind):
    y, s = normal_scores(3_000, kind=kind)
    bins = ScoreBins.of(np.asarray(s[::50], float), 3_000)
    expected = Here().tally(ScoreParts.of(y, s, size=3_000), ScoreTally, bins).table.tobytes()
    with aucbench.threads(3):
        many = Here().tally(ScoreParts.of(y, s, size=331, pieces=4), ScoreTally, bins)
    backwards = ScoreParts.of(y[::-1].copy(), s[::-1], size=777)
    assert many.table.tobytes() == expected
    assert Here().tally(backwards, ScoreTally, bins).table.tobytes() == expected


def test_few_bins_are_sorted_in_several_ranges(few_bins):
    y, s = normal_scores(20_000)
    told = auc_in_chunks(ScoreParts.of(y, s, size=5_000), memory=MEGABYTES)
    assert told.is_exact
    assert told.low == auc(y, s)
    assert told.readings > 4


@SOME_KINDS
def test_the_weighted_auc_by_ranges_is_within_the_rounding_of_its_weights(kind):
    y, s = normal_scores(6_000, kind=kind)
    v = np.random.default_rng(1).uniform(0.1, 3.0, 6_000)
    parts = ScoreParts.of(y, s, weights=v, size=999)
    told = auc_in_chunks(parts, weighted=True, memory=MEGABYTES * 2)
    assert told.low - 1e-13 <= auc(y, s, v) <= told.high + 1e-13 <= told.low + 1e-11
    whole = auc_in_chunks(ScoreParts.of(y, s, weights=np.ceil(v)), weighted=True)
    assert whole.is_exact
    assert whole.low == pytest.approx(auc(y, s, np.ceil(v)), abs=1e-14)


@SOME_KINDS
def test_a_part_of_the_curve_is_that_of_all_rows_or_within_its_bounds(kind, monkeypatch):
    y, s = normal_scores(6_000, kind=kind)
    parts = ScoreParts.of(y, s, size=999)
    for max_fpr in (0.003, 0.1, 1.0):
        told = auc_in_chunks(parts, max_fpr=max_fpr, memory=MEGABYTES * 2)
        assert told.is_exact
        assert told.low == pytest.approx(partial_auc(y, s, max_fpr=max_fpr), abs=1e-11)
    monkeypatch.setattr("aucbench.metrics.chunked.FEW", 0)
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 2)
    for max_fpr in (0.01, 0.1, 0.5):
        told = auc_in_chunks(parts, max_fpr=max_fpr)
        assert told.low - 1e-11 <= partial_auc(y, s, max_fpr=max_fpr) <= told.high + 1e-11


@pytest.mark.parametrize("each", ["pair", "group"])
def test_groups_are_those_of_gauc(each):
    y, s = normal_scores(6_000, kind="ties")
    groups = np.random.default_rng(2).integers(0, 400, 6_000)
    parts = ScoreParts.of(y, s, groups.astype(float), size=999)
    told = auc_in_chunks(parts, groups=each, memory=MEGABYTES * 4)
    assert told.low == pytest.approx(gauc(y, s, None, groups, each=each), abs=1e-14)
    assert told.readings > 1
    assert told.measure == ("gauc" if each == "pair" else "gauc[each=group]")


@SOME_KINDS
def test_the_interval_is_that_of_all_rows(kind):
    y, s = normal_scores(4_000, kind=kind)
    told = auc_in_chunks(ScoreParts.of(y, s)).interval
    whole = auc_interval([Fold(y, s.astype(float))])
    assert told.estimate == pytest.approx(whole.estimate, abs=1e-15)
    assert told.low == pytest.approx(whole.low, abs=1e-7)
    assert told.high == pytest.approx(whole.high, abs=1e-7)


@pytest.mark.plain
@pytest.mark.parametrize("loss", [BinnedHinge, BinnedSquaredHinge])
def test_the_bins_of_a_cut_bound_the_auc(loss):
    rng = np.random.default_rng(0)
    for _ in range(12):
        n, d, scale = *rng.integers([20, 1], [400, 4]).tolist(), 10.0 ** rng.uniform(-3, 2)
        X = np.round(rng.standard_normal((n, d)), int(rng.integers(0, 3))) * scale  # ties
        y = np.where(X[:, 0] / scale + rng.standard_normal(n) > 0.3, 1, -1)
        y[:2] = -1, 1
        data = ChunkedData(InMemory(Data.of(X, y), 50))
        w = rng.standard_normal(d) * 10.0 ** rng.uniform(-2, 2)
        low, high = loss(data, int(rng.integers(1, 2000))).cut(w).auc
        assert 0.0 <= low <= auc(y, X @ w) + 1e-12
        assert auc(y, X @ w) <= high + 1e-12 <= 1.0 + 1e-12
    told, data = [], ChunkedData(InMemory(Data.of(X, y), 100))
    run = solve("svm-or[lam=0.01]", data, watch=lambda _, state: told.append(dict(state.info)))
    assert told[-1]["auc_low"] <= auc(y, X @ run.w) <= told[-1]["auc_high"]


Y, S = normal_scores(300)
GAP = np.where(np.arange(300) == 250, np.nan, 1.0)
PARTS = ScoreParts.of(Y, S)


def read(*columns, y=Y, asked=auc_in_chunks, weights=None, **options):
    return lambda: asked(ScoreParts.of(y, *columns, weights=weights, pieces=3), **options)


def weigh(bad):
    weights = np.where(np.arange(300) == 250, bad, 1.0)
    return lambda: counted(ScoreParts.of(Y, S, weights=weights), Here(), weighted=True)


REFUSED = refusals(
    *((f"weight {bad}", weigh(bad), DataError, "part 2, row 50") for bad in (0.0, np.nan)),
    ("NaN", read(np.where(np.isin(np.arange(300), [133, 277]), np.nan, S)), DataError,
     "part 1, row 33"),
    ("one class", read(S, y=np.full(300, -1)), DataError, "300"),
    ("groups of one row", read(S, np.arange(300.0), groups="pair"), DataError, "both classes"),
    ("a group of NaN", read(S, GAP, groups="pair"), DataError, "part 2, row 50"),
    ("a large group", read(S, np.zeros(300), groups="pair", memory=0.003), DataError, "memory"),
    ("weights and a range", lambda: auc_in_chunks(PARTS, weighted=True, max_fpr=0.1),
     UnsupportedError, "together"),
    ("range of 0", lambda: auc_in_chunks(PARTS, max_fpr=0.0), ParameterError, "max_fpr"),
    ("groups", lambda: auc_in_chunks(PARTS, groups="each"), ParameterError, "'each'"),
    ("memory", lambda: auc_in_chunks(PARTS, memory=0), ParameterError, "memory"),
    ("a bin that does not fit", lambda: [*ranges(counted(PARTS, Here()).counts, 1)], DataError,
     "memory for 1"),
    ("other scores", lambda: exact_twice(
        ScoreParts.of(Y, np.zeros(300)), Here(), counted(PARTS, Here()), 30), DataError, "before"),
)  # fmt: skip


@REFUSED
def test_what_has_no_auc_is_refused(few_bins, call, error, word):
    assert_refused(call, error, word)
