"""Passes that threads share: the same bits with any number of threads, and the sums of one part."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import aucbench
from aucbench.data import Data, passes
from aucbench.data.arrays import ALL
from aucbench.objectives import Logistic, PairwiseSquare, UnivariateExp

COUNTS = (1, 2, 3, 4)


@pytest.fixture(scope="module", autouse=True)
def small_parts():
    """Parts of 16 stored values, so that small rows have many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "DIVIDED_FROM", 32)
        patch.setattr(passes, "PART", 16)
        patch.setattr(passes, "SHARE", 1)
        yield


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 300)), draw(st.integers(1, 20))
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.8, 1.0]))] = 0.0
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    dtype = draw(st.sampled_from(["float64", "float32"]))
    data = Data.of(csr_array(X) if draw(st.booleans()) else X, y, dtype=dtype)
    shuffled = rng.integers(0, n, draw(st.integers(0, n))).astype(np.int32)
    lo, hi = sorted(rng.integers(0, n + 1, 2).tolist())
    return data, draw(st.sampled_from([ALL, slice(lo, hi), slice(0, 0), shuffled])), rng


def products(data, block, w, r):
    return (
        data.scores(w, block),
        data.pullback(r, block),
        *passes.affine(data.rows, data.y, w, np.array([2.0, 3.0]), np.ones(2), block),
        *passes.margin(data.rows, data.y, w, np.ones(2), block, logistic=True, shift=0.5),
        *passes.margin(data.rows, data.y, w, np.ones(2), block, logistic=False),
    )


@settings(max_examples=60)
@given(problems())
def test_the_number_of_threads_changes_no_bit(problem):
    data, block, rng = problem
    w, r = rng.normal(size=data.d) / data.d, rng.normal(size=np.arange(data.n)[block].size)

    found = []
    for count in COUNTS:
        with aucbench.threads(count):
            found.append(products(data, block, w, r))

    for other in found[1:]:
        for one, many in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, many)


@settings(max_examples=60)
@given(problems())
def test_parts_add_up_to_what_one_part_gives_and_scores_have_its_bits(problem):
    data, block, rng = problem
    w, r = rng.normal(size=data.d) / data.d, rng.normal(size=np.arange(data.n)[block].size)

    divided = products(data, block, w, r)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "DIVIDED_FROM", 2**18)
        whole = products(data, block, w, r)

    np.testing.assert_array_equal(divided[0], whole[0])
    for parts, one in zip(divided[1:], whole[1:], strict=True):
        np.testing.assert_allclose(parts, one, rtol=1e-11, atol=1e-11 * (1 + r.size))


@given(st.integers(0, 50), st.integers(0, 3000), st.integers(1, 40), st.integers(0, 40))
def test_parts_follow_each_other_and_begin_at_fours(lo, length, d, sums):
    n = lo + length + 2
    X = Data.of(np.ones((n, d)), np.arange(n) == 0).rows
    cuts = passes.parts(X, lo, lo + length, sums)

    assert len(cuts) in {1, 2, 4, 8, 16}
    assert [cuts[0][0], cuts[-1][1]] == [lo, lo + length]
    for (a, b), (c, _) in pairwise(cuts):
        assert a < b == c
        assert (b - lo) % 4 == 0
    assert len(cuts) * sums <= max(sums, length * d)  # what the parts keep is less than they read


@pytest.mark.parametrize("make", [PairwiseSquare, Logistic, UnivariateExp])
def test_objectives_of_large_rows_have_the_same_bits(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3001, 40)), np.where(rng.random(3001) < 0.2, 1, -1)
    w = rng.normal(size=40) / 40

    for rows in (X, csr_array(X)):
        with aucbench.threads(1):
            f = make(Data.of(rows, y))
            one = f.value(w), f.grad(w)
        with aucbench.threads(3):
            f = make(Data.of(rows, y))
            many = f.value(w), f.grad(w)
        assert one[0] == many[0]
        np.testing.assert_array_equal(one[1], many[1])
