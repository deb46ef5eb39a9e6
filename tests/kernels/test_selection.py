"""Selection and sorting: equal to those of NumPy, in linear work, in bounds on any floats."""

import numpy as np
import pytest
import reference
from definitions import ANY, SHAPES, guarded
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

import aucbench
from aucbench.data import sorting
from aucbench.errors import ParameterError
from aucbench.kernels import select

VECTORS = st.lists(ANY, max_size=200).map(lambda v: np.array(v, dtype=np.float64))
SAMPLED = 512  # entries from which top_k samples a threshold
LARGE = [SAMPLED - 1, SAMPLED, SAMPLED + 63, 9_999, 70_000]

# --- top-k and the l1 ball ---------------------------------------------------------------


def guarded_run(kernel, v, *arguments):
    """The vector after a kernel, which touches nothing around it and its scratch space."""
    inside, vector_untouched = guarded(v)
    keys, keys_untouched = guarded(np.zeros(len(v), np.int64), -9)
    kernel(inside, *arguments, keys)
    vector_untouched()
    keys_untouched()
    return inside


def run_top_k(v, k, free=0):
    return guarded_run(select.top_k, v, len(v) - free, k)


def run_l1_ball(v, R):
    return guarded_run(select.l1_ball, v, R, R)


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


def with_sample(z, values):
    z[sample_places(z.size)] = values
    return z


def sprinkled(z, value):
    z[::97] = value
    return z


# What is hard for the sample, beside the shapes that are hard for all; each may overwrite z.
SPECIAL = {
    "zeros98": lambda z: np.where(np.abs(z) > 2.33, z, 0.0),
    "huge": lambda z: z * 1e303,
    "sample too large": lambda z: with_sample(z, 1e9),
    "sample too small": lambda z: with_sample(z + np.sign(z), 1e-9),
    "sample zero": lambda z: with_sample(z, 0.0),
    "sample tied": lambda z: with_sample(np.round(z), 1.0),
}
NOT_FINITE = {
    "nan": lambda z: sprinkled(z, np.nan),
    "negative nan": lambda z: sprinkled(z, -np.nan),
    "infinite": lambda z: sprinkled(z, -np.inf),
    "all nan": lambda z: np.full(z.size, np.nan),
    "largest nan": lambda z: np.full(z.size, 2**63 - 1, np.int64).view(np.float64),
}


def shaped(shape, d):
    rng = np.random.default_rng(d)
    known = SPECIAL | NOT_FINITE
    return known[shape](rng.normal(size=d)) if shape in known else SHAPES[shape](rng, d)


@pytest.mark.parametrize("shape", [*SHAPES, *SPECIAL, *NOT_FINITE])
@pytest.mark.parametrize("d", LARGE)
def test_top_k_of_large_vectors(shape, d):
    v = shaped(shape, d)
    for k in (1, 7, d // 100, d // 2, d - 2, d - 1):
        assert_same(run_top_k(v, k, free=1), reference.top_k(v, k, free=1))


@given(VECTORS, st.floats(1e-300, 1e300))
def test_l1_ball_ends_inside_its_bounds(v, R):
    w = run_l1_ball(v, R)
    if not np.isfinite(v).all():
        assert_same(w, v)
    assert ((w == 0) | (np.sign(w) == np.sign(v)) | np.isnan(v)).all()


# Digits of the nearest point to subnormal numbers are lost: a few units of the least number.
@pytest.mark.parametrize("shape", sorted({*SHAPES, *SPECIAL} - {"subnormal"}))
@pytest.mark.parametrize("share", [1e-6, 0.01, 0.5, 0.999])
def test_l1_ball_of_large_vectors(shape, share):
    v = shaped(shape, 1_500)
    R = share * np.abs(v).sum() or 1.0
    np.testing.assert_allclose(run_l1_ball(v, R), reference.l1_ball(v, R), rtol=0, atol=1e-12 * R)


@given(st.lists(st.floats(-1.7e308, 1.7e308), min_size=2, max_size=9), st.floats(1e300, 1e307))
def test_l1_ball_where_the_norm_overflows(values, R):
    v = np.array([1.7e308, -1.7e308, *values])
    np.testing.assert_allclose(run_l1_ball(v, R), reference.l1_ball(v, R), rtol=0, atol=1e-14 * R)


def filter_passes(gaps, R):
    """How often Michelot's filter drops something."""
    passes, size = 0, None
    while gaps.size != size:
        passes, size = passes + 1, gaps.size
        gaps = gaps[gaps < (R + gaps.sum()) / size]
    return passes


def test_l1_ball_where_the_filter_is_slow():
    """The gaps of |v_i| to the largest lose one entry per pass of the filter."""
    gaps, spread, R = [0.0], 2.0**-50, 0.25
    while spread < 0.05:
        gaps.append(0.25 * (1 + spread))
        spread *= len(gaps) + 1.5
    v = 1.0 - np.array(gaps)

    assert filter_passes(1.0 - v, R) > 12, "too easy: bisection by rank was never needed"
    np.testing.assert_allclose(run_l1_ball(v, R), reference.l1_ball(v, R), rtol=0, atol=1e-15)


# --- one key in its sorted place ---------------------------------------------------------


def orders(n):
    """Whole numbers, some with ties, in orders that are hard for one way of selection."""
    rng, up = np.random.default_rng(n), np.arange(n)
    yield from (
        (name, np.unique(of(rng, n), return_inverse=True)[1]) for name, of in SHAPES.items()
    )
    yield "one out of place", np.roll(up, 1)
    yield "interleaved", np.concatenate([up[::2], up[1::2]])
    yield "saw", up % max(1, n // 10)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 600, 601, 602, 5_000, 50_000])
def test_floyd_rivest_puts_one_key_in_its_place_after_a_few_looks_at_each(n):
    for name, order in orders(n):
        for k in {0, n // 100, n // 2, n - 1}:
            keys = order.astype(np.int64)
            looked_at = select.floyd_rivest(keys, k)
            np.testing.assert_array_equal(np.sort(keys), np.sort(order))
            assert keys[: k + 1].max() == keys[k] == keys[k:].min()
            assert n < 1_000 or looked_at < (4 if name == "normal" else 24) * n, name


def test_an_order_made_against_floyd_rivest_stays_linear():
    """Each pivot x[k] is the smallest key that is left."""
    n, k = 600, 300
    keys = np.r_[1 : k + 1, 0, k + 1 : n]
    looked_at = select.floyd_rivest(keys, k)
    assert looked_at > 16 * n, "the order is too easy: bisection was never needed"
    assert looked_at < (16 + 1 + 1 + np.log2(n) + 1) * n
    assert keys[: k + 1].max() == keys[k] == keys[k:].min() == k


# --- the sorting door --------------------------------------------------------------------


@pytest.fixture
def force():
    """Return a function that lets every sort take one way."""
    with pytest.MonkeyPatch.context() as patch:

        def one_way(named):
            patch.setenv("AUCBENCH_SORT", named)
            sorting._forced.cache_clear()

        yield one_way
    sorting._forced.cache_clear()


@pytest.fixture(params=[*sorting.SORTS, None])
def way(request, force):
    """Each way to sort, and none that is forced."""
    if request.param:
        force(request.param)
    assert sorting.sort_in_use() in sorting.SORTS


def assert_stable(x):
    values, order = sorting.argsort(x)
    wanted = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(order, wanted)
    assert order.dtype == np.int32
    assert values.tobytes() == x[wanted].tobytes()


@pytest.mark.parametrize("named", sorting.SORTS)
def test_any_doubles_are_sorted_with_their_rows(named, force):
    force(named)

    @given(st.lists(ANY, max_size=70))
    def sorted_stably(values):
        assert_stable(np.array(values, dtype=np.float64))

    sorted_stably()


@pytest.mark.parametrize("shape", [*SHAPES, "infinite"])
def test_shapes_are_sorted_with_their_rows(way, shape):
    for n in (2, 999, 1000, 20_000):
        assert_stable(shaped(shape, n))


def test_another_name_is_refused(force):
    force("quick")
    assert_refused(lambda: aucbench.auc([0, 1], [0.0, 1.0]), ParameterError, "quick")
