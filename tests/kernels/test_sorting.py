"""The sorting door: both sorts give the order of NumPy's stable one, and equal bits after it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sequences import breakpoints

import aucbench
from aucbench.aum import aum_loss, aum_path, roc_auc
from aucbench.data import sorting
from aucbench.data.concordance import weighted_concordance
from aucbench.errors import ParameterError
from aucbench.kernels import ranks, sort
from aucbench.metrics.thresholds import Cuts

ANY = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324]),
    st.integers(-2, 2).map(float),
)
SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(0, 9, n) - 4.0,
    "one value": lambda rng, n: np.full(n, -0.0),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
    "reversed": lambda rng, n: -np.sort(rng.normal(size=n)),
    "infinities": lambda rng, n: np.where(rng.random(n) < 0.5, np.inf, -rng.random(n)),
    # One value far away: no high digit of the others differs, so insertion gives up.
    "crowd": lambda rng, n: np.r_[1e300, 1.0 + 1e-13 * rng.integers(0, 900, n - 1)],
    "subnormal": lambda rng, n: 5e-324 * rng.integers(-900, 900, n),
}


@pytest.fixture(params=sorting.SORTS)
def forced(request, monkeypatch):
    """Let every sort take one way."""
    force(monkeypatch, request.param)
    yield request.param
    sorting._forced.cache_clear()


def force(monkeypatch, named):
    monkeypatch.setenv("AUCBENCH_SORT", named)
    sorting._forced.cache_clear()


def assert_stable(x):
    values, order = sorting.argsort(x)
    wanted = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(order, wanted)
    assert order.dtype == np.int32
    assert values.tobytes() == x[wanted].tobytes()


@pytest.mark.parametrize("named", sorting.SORTS)
@given(values=st.lists(ANY, max_size=70))
def test_any_doubles_are_sorted_with_their_rows(named, values):
    with pytest.MonkeyPatch.context() as patch:
        force(patch, named)
        assert_stable(np.array(values, dtype=np.float64))
    sorting._forced.cache_clear()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 999, 1000, 20_000])
def test_shapes_are_sorted_with_their_rows(forced, shape, n):
    assert_stable(SHAPES[shape](np.random.default_rng(n), n))


@pytest.mark.parametrize("shape", SHAPES)
def test_without_a_name_the_order_is_the_same(shape):
    assert sorting.sort_in_use() in sorting.SORTS
    for n in (2, 999, 1000, 20_000):
        assert_stable(SHAPES[shape](np.random.default_rng(n), n))


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.integers(0, 3).map(float)), max_size=60))
def test_digits_sort_any_doubles(values):
    assert_sorted_by_digits(np.array(values, dtype=np.float64))


def assert_sorted_by_digits(x):
    found = x.copy()
    bits, spare = found.view(np.uint64), np.empty(x.size, np.uint64)
    sort.by_digits(bits, spare, np.empty((6, 2048), np.uint32))
    np.testing.assert_array_equal(found, np.sort(x))


@given(st.lists(ANY, min_size=2, max_size=70))
def test_pairs_are_doubles_that_any_sort_can_order(values):
    x = np.array(values, dtype=np.float64)
    pairs = np.empty(x.size)
    sort.pack(x, pairs.view(np.uint64))
    assert (pairs >= np.finfo(np.float64).tiny).all()  # a processor may take less for zero
    assert np.isfinite(pairs).all()
    assert np.unique(pairs).size == x.size


def test_another_name_is_refused(monkeypatch):
    force(monkeypatch, "quick")
    with pytest.raises(ParameterError, match="'quick'; set it to numpy or to digits"):
        aucbench.auc([0, 1], [0.0, 1.0])
    sorting._forced.cache_clear()


def downstream(n):
    """The bytes of everything that begins with a sort."""
    rng = np.random.default_rng(n)
    y = np.where(rng.random(n) < 0.3, 1, -1).astype(np.int8)
    y[:2] = 1, -1
    v = rng.uniform(0.5, 2.0, n)
    found = []
    for s in (rng.normal(size=n) + 0.5 * (y > 0), rng.integers(0, 40, n) / 8.0):
        found += [aucbench.auc(y, s), aucbench.auc(y, s, v), weighted_concordance(y > 0, s, v)]
        rows = aucbench.Data.of(np.ones((n, 1)), y)
        weighted = aucbench.Data.of(np.ones((n, 1)), y, weights=v)
        for name in ("pairwise-hinge", "pairwise-squared-hinge", "pairwise-logistic"):
            for data in (rows, weighted):
                found += [*aucbench.get_objective(name, data).of_scores(s)]
        cuts = Cuts.of(y, s)
        found += [cuts.order, cuts.scores]
        several = breakpoints(
            example=np.repeat(np.arange(n), 2),
            value=np.sort(rng.integers(0, 60, (n, 2)) / 8.0 + [0.0, 9.0], axis=1).ravel(),
            fp_diff=np.tile([0.0, 1.0], n),
            fn_diff=np.tile([-1.0, 0.0], n),
            n=n,
        )
        loss = aum_loss(several, s)
        found += [loss.value, loss.slopes, roc_auc(several, s)]
        slope, errors = rng.integers(-3, 4, n) / 2.0, np.where(y > 0, 0.0, 1.0)
        path = aum_path(s, slope, errors, errors - 1.0, max_events=50)
        found += [path.step, path.aum, path.auc]
    return [np.asarray(part).tobytes() for part in found]


@pytest.mark.parametrize("n", [50, 3000])
def test_results_have_equal_bits_after_both_sorts(monkeypatch, n):
    found = []
    for named in sorting.SORTS:
        force(monkeypatch, named)
        found.append(downstream(n))
    sorting._forced.cache_clear()

    assert found[0] == found[1]


def test_ranks_of_classes_of_any_size():
    rng = np.random.default_rng(0)
    for m in range(1, 12):
        for n in range(1, 12):
            pos, neg = (np.sort(rng.integers(0, 6, size)).astype(np.float64) for size in (m, n))
            twice = 2 * (pos[:, None] > neg).sum() + (pos[:, None] == neg).sum()
            assert ranks.concordant_twice(pos, neg) == twice
