"""The kernel of the line minimum alone: it ends in its bounds, and its medians are medians."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucbench.aum import line_min
from aucbench.kernels import aum_line

# Examples up to which nothing is folded, and from which a sample is solved first.
WAYS = [(128, 3_000), (0, 1 << 40), (3, 0), (0, 0)]
GUARD = 64
ANY = st.one_of(st.sampled_from([0.0, 1.0, np.nan, np.inf, -np.inf, 1e308, 5e-324]), st.floats())


@settings(max_examples=300)
@given(
    st.lists(st.tuples(ANY, ANY), min_size=2, max_size=12),
    st.sampled_from(WAYS),
    st.sampled_from([1, 40, 400]),
)
def test_the_kernel_ends_inside_its_bounds(rows, way, repeat):
    s, d = np.tile(np.array(rows).T, repeat).copy()
    y = np.where(np.arange(s.size) % 3 == 1, 1, -1).astype(np.int8)
    around = np.full(4 * s.size + line_min.SAMPLE_ROOM + 2 * GUARD, 7.25)
    out, units = np.zeros(3), np.array([[0.0, 0.0], [1.0, 1.0]])
    aum_line.line_min(s, d, y, units, *way, around[GUARD:-GUARD], out)
    assert (around[:GUARD] == 7.25).all()
    assert (around[-GUARD:] == 7.25).all()


SHAPES = {
    "normal": lambda z: z,
    "sorted": np.sort,
    "reversed": lambda z: np.sort(z)[::-1].copy(),
    "constant": lambda z: np.full(z.size, 2.0),
    "two-values": np.sign,
    "integers": lambda z: np.round(2 * z),
    "half-tied": lambda z: np.where(z > 0, 0.5, z),
    "period": lambda z: np.resize(z[:8], z.size),
    "infinite": lambda z: np.where(np.abs(z) > 1, np.inf * z, z),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sizes", [(1, 3), (90, 90), (1, 5_000), (3_000, 20), (4_000, 9_000)])
def test_weighted_median_is_its_definition(shape, sizes):
    rng = np.random.default_rng(0)
    pos, neg = (SHAPES[shape](rng.standard_normal(m) + k) for k, m in enumerate(sizes))
    values = np.concatenate([pos, neg])
    mass = np.repeat([neg.size, pos.size], [pos.size, neg.size])
    order = np.argsort(-values, kind="stable")
    sums, total = np.cumsum(mass[order]), 2 * pos.size * neg.size
    for target in {1, 2, total // 3, total // 2, total // 2 + 1, total - 1, total} - {0}:
        wanted = values[order][np.searchsorted(sums, target)]
        found = aum_line.weighted_median(pos, neg, target, np.empty_like(pos), np.empty_like(neg))
        assert found[0] == wanted


@pytest.mark.parametrize("shape", ["normal", "sorted", "reversed", "integers", "half-tied"])
@pytest.mark.parametrize("positive", [10, 700, 20_000, 100_000])  # the weights are 1 : n / these
def test_weighted_median_reads_each_value_at_most_four_times(shape, positive):
    n = 200_000
    z = SHAPES[shape](np.random.default_rng(1).standard_normal(n))
    is_positive = np.random.default_rng(2).permutation(n) < positive
    pos, neg = z[is_positive], z[~is_positive]
    kept = np.empty_like(pos), np.empty_like(neg)
    pairs = positive * (n - positive)
    for target in (1, pairs // 100, pairs // 2, pairs, 3 * pairs // 2):
        read = aum_line.weighted_median(pos, neg, target, *kept)[1]
        assert 0 < read <= 4 * n


def test_weighted_median_ends_with_nan():
    z = np.random.default_rng(0).standard_normal(5_000)
    z[::3] = np.nan
    for pos, target in product((z, np.full(5_000, np.nan)), (1, 25_000_000, 50_000_000)):
        aum_line.weighted_median(pos, z, target, np.empty(5_000), np.empty(5_000))
    assert np.isnan(z[::3]).all(), "the values are only read"
