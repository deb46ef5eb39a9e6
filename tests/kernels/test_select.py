"""Selection: equal to sorting, in linear work, and inside its bounds on any floats."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from aucbench.kernels import select

GUARD = 70  # entries on each side that a kernel must not touch; it works on 64 at a time
ANY = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 5e-324, -5e-324, 1e308]), st.floats())
VECTORS = st.lists(ANY, max_size=200).map(lambda v: np.array(v, dtype=np.float64))
SAMPLED = 512  # entries from which top_k samples a threshold
LARGE = [SAMPLED - 1, SAMPLED, SAMPLED + 63, 9_999, 70_000]


def guarded(values, fill):
    """The values inside a larger array, as a view, and the array."""
    whole = np.full(len(values) + 2 * GUARD, fill, dtype=values.dtype)
    whole[GUARD : GUARD + len(values)] = values
    return whole[GUARD : GUARD + len(values)], whole


def run_top_k(v, k, free=0):
    """Result of the kernel; checks that nothing around its arrays changed."""
    inside, around = guarded(v, 7.25)
    keys, keys_around = guarded(np.zeros(len(v), np.int64), -9)
    select.top_k(inside, len(v) - free, k, keys)
    for array, fill in ((around, 7.25), (keys_around, -9)):
        assert (array[:GUARD] == fill).all()
        assert (array[-GUARD:] == fill).all()
    return inside


def assert_same(found, wanted):
    """Equal bits, except for the sign of zero."""
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(reference.keys(found), reference.keys(wanted))


@given(VECTORS, st.integers(-2, 210), st.integers(0, 5))
def test_top_k_is_its_definition(v, k, free):
    assert_same(run_top_k(v, k, free), reference.top_k(v, max(k, 0), free))


def sample_places(d):
    """Where top_k looks before it chooses a threshold: what an adversary knows."""
    s = max(128, min(d // 64, 4096))
    hashed = (np.arange(1, s + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> 32
    return np.arange(s) * (d // s) + (hashed % np.uint64(d // s)).astype(np.int64)


def with_sample(v, values):
    v = v.copy()
    v[sample_places(v.size)] = values
    return v


def sprinkled(v, value):
    v = v.copy()
    v[::97] = value
    return v


def nearly_constant(d):
    v = np.full(d, 3.0)
    v[-5:] = [4.0, -5.0, 3.5, 0.0, 1.0]
    return v


SHAPES = {
    "normal": lambda z: z,
    "zeros98": lambda z: np.where(np.abs(z) > 2.33, z, 0.0),
    "sorted": np.sort,
    "reversed": lambda z: np.sort(z)[::-1].copy(),
    "organ-pipe": lambda z: np.minimum(np.arange(z.size), np.arange(z.size)[::-1]).astype(float),
    "constant": lambda z: np.full(z.size, -3.0),
    "nearly-constant": lambda z: nearly_constant(z.size),
    "all-zero": np.zeros_like,
    "integers": lambda z: np.round(2 * z),
    "signs": np.sign,
    "denormal": lambda z: np.round(3 * z) * 5e-324,
    "huge": lambda z: z * 1e303,
    "period": lambda z: np.resize(z[:64], z.size),
    "nan": lambda z: sprinkled(z, np.nan),
    "negative-nan": lambda z: sprinkled(z, -np.nan),
    "infinite": lambda z: sprinkled(z, -np.inf),
    "all-nan": lambda z: np.full(z.size, np.nan),
    "largest-nan": lambda z: np.full(z.size, 2**63 - 1, np.int64).view(np.float64),
    "sample-too-large": lambda z: with_sample(z, 1e9),
    "sample-too-small": lambda z: with_sample(z + np.sign(z), 1e-9),
    "sample-zero": lambda z: with_sample(z, 0.0),
    "sample-tied": lambda z: with_sample(np.round(z), 1.0),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("d", LARGE)
def test_top_k_of_large_vectors(shape, d):
    v = SHAPES[shape](np.random.default_rng(d).standard_normal(d))
    for k in (1, 7, d // 100, d // 2, d - 2, d - 1):
        assert_same(run_top_k(v.copy(), k, free=1), reference.top_k(v, k, free=1))


@pytest.mark.parametrize("d", [SAMPLED, 100_000])
def test_the_adversary_knows_the_sample(d):
    """What k = 1 leaves in the scratch array is the sample, so its places are those above."""
    places = sample_places(d)
    v = with_sample(np.full(d, 0.5), np.arange(1.0, places.size + 1))
    keys = np.zeros(d, np.int64)
    select.top_k(v, d, 1, keys)
    left = keys[10 : places.size].view(np.float64)
    assert left.min() >= 1.0
    assert len(np.unique(left)) == left.size


def run_l1_ball(v, R):
    """Result of the kernel; checks that nothing around its arrays changed."""
    inside, around = guarded(v, 7.25)
    keys, keys_around = guarded(np.zeros(len(v), np.int64), -9)
    select.l1_ball(inside, R, R, keys)
    for array, fill in ((around, 7.25), (keys_around, -9)):
        assert (array[:GUARD] == fill).all()
        assert (array[-GUARD:] == fill).all()
    return inside


@given(VECTORS, st.floats(1e-300, 1e300))
def test_l1_ball_ends_inside_its_bounds(v, R):
    w = run_l1_ball(v.copy(), R)
    if not np.isfinite(v).all():
        assert_same(w, v)
    assert ((w == 0) | (np.sign(w) == np.sign(v)) | np.isnan(v)).all()


def filter_passes(gaps, R):
    """How often Michelot's filter drops something."""
    passes, size = 0, None
    while gaps.size != size:
        passes, size = passes + 1, gaps.size
        gaps = gaps[gaps < (R + gaps.sum()) / size]
    return passes


def slow_for_the_filter():
    """|v_i| whose gaps to the largest lose one entry per pass of the filter."""
    gaps, spread = [0.0], 2.0**-50
    while spread < 0.05:
        gaps.append(0.25 * (1 + spread))
        spread *= len(gaps) + 1.5
    return 1.0 - np.array(gaps), 0.25


def test_l1_ball_where_the_filter_is_slow():
    v, R = slow_for_the_filter()
    assert filter_passes(1.0 - v, R) > 12, "too easy: bisection by rank was never needed"
    wanted = reference.l1_ball(v, R)
    np.testing.assert_allclose(run_l1_ball(v, R), wanted, rtol=0, atol=1e-15)


# No nearest point exists, or its digits do not (a few units of the least number).
NOT_FOR_THE_BALL = {"nan", "negative-nan", "all-nan", "largest-nan", "infinite", "denormal"}


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - NOT_FOR_THE_BALL))
@pytest.mark.parametrize("share", [1e-6, 0.01, 0.5, 0.999])
def test_l1_ball_of_large_vectors(shape, share):
    v = SHAPES[shape](np.random.default_rng(3).standard_normal(1_500))
    R = share * np.abs(v).sum() or 1.0
    wanted = reference.l1_ball(v, R)
    found = run_l1_ball(v.copy(), R)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * R)


@given(st.lists(st.floats(-1.7e308, 1.7e308), min_size=2, max_size=9), st.floats(1e300, 1e307))
def test_l1_ball_where_the_norm_overflows(values, R):
    v = np.array([1.7e308, -1.7e308, *values])
    wanted = reference.l1_ball(v, R)
    np.testing.assert_allclose(run_l1_ball(v, R), wanted, rtol=0, atol=1e-14 * R)
