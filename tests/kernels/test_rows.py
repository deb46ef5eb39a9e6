"""Kernels that read rows: products, moments, bins, curves and trees, beside their definitions."""

import numpy as np
import pytest
import reference
from definitions import equals_definition
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sample
from scipy.interpolate import BSpline
from scipy.sparse import csr_array

import aucbench
from aucbench.data import Data, passes
from aucbench.data.arrays import ALL, rows
from aucbench.kernels import splines, trees
from aucbench.objectives import Logistic, PairwiseSquare, UnivariateExp
from aucbench.scale.bins import Grid, binned, pulled
from aucbench.scale.parts import Columns, Piece
from aucbench.scale.tiles import scores_of

# --- products ----------------------------------------------------------------------------


def products(case, size):
    """Scores and pullback of a block, and the squared lengths of all rows."""
    data, r = case.data, case.rng().normal(size=case.order.size)
    w = size * case.w
    return data.scores(w, case.order), data.pullback(r, case.order), passes.square_norms(data.rows)


def products_by_rows(case, size):
    r = case.rng().normal(size=case.order.size)
    scores = reference.block_scores(case.X, size * case.w, case.order)
    pulled = reference.block_pullback(case.X, r, case.order)
    return scores, pulled, np.array([x @ x for x in case.X])


test_products_equal_their_definition = equals_definition(
    products, products_by_rows, ["dense", "csr"], offsets=(0.0, 1e3), atol=1e-13,
    of_cases={"divided": False, "features": 35}, size=st.sampled_from([1e-6, 1.0, 1e6]),
)  # fmt: skip


@pytest.mark.parametrize("convert", [np.float64, np.float32, csr_array])
def test_equal_rows_have_equal_scores_wherever_they_are(convert):
    """Kernels read four dense rows at a time; fewer at the end of a block are no exception."""
    rng = np.random.default_rng(7)
    for d in (2, 8, 9, 40):
        x, w = rng.normal(size=d), rng.normal(size=d)
        data = Data.of(convert(np.tile(x, (11, 1))), np.arange(11) % 2)
        block = rng.permutation(11).astype(np.int32)
        scores = [data.scores(w, block[:n]) for n in range(1, 12)]
        assert len(set(np.concatenate([data.scores(w), *scores]).tolist())) == 1


LOSSES = {
    Logistic: reference.logistic,
    PairwiseSquare: reference.pairwise_square,
    UnivariateExp: reference.univariate_exp,
}


def losses(case, objective):
    """Value and gradient of an objective, whose passes fuse both products."""
    f = objective(case.data)
    return 1.0 + f.value(0.3 * case.w), f.grad(0.3 * case.w)


def losses_by_rows(case, objective):
    value, grad = LOSSES[objective](case.X, case.y, 0.3 * case.w)
    return 1.0 + value, grad


test_fused_products_equal_their_definition = equals_definition(
    losses, losses_by_rows, ["dense", "csr"], offsets=(0.0, 30.0),
    of_cases={"divided": False, "most": 30}, objective=st.sampled_from([*LOSSES]),
)  # fmt: skip


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_any_float_in_w_touches_only_the_rows_that_hold_it(bad):
    data = Data.of(csr_array(np.eye(5)), [1, -1, 1, -1, 1])

    scores = data.scores(np.array([1.0, bad, 2.0, 3.0, 4.0]))

    np.testing.assert_array_equal(scores[[0, 2, 3, 4]], [1.0, 2.0, 3.0, 4.0])
    assert not np.isfinite(scores[1])


@pytest.mark.parametrize("row", [3, -1])
def test_rows_that_do_not_exist_are_refused(row):
    with pytest.raises(ValueError, match="3 rows"):
        Data.of(np.eye(3), [1, -1, 1]).scores(np.ones(3), np.array([row], dtype=np.int32))


# --- passes that threads share -----------------------------------------------------------


@pytest.fixture(scope="module")
def small_parts():
    """Parts of 16 stored values, so that small rows have many."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("DIVIDED_FROM", 32), ("PART", 16), ("SHARE", 1)):
            patch.setattr(passes, name, value)
        yield


@st.composite
def shared(draw):
    """Data, a block of any kind, w, and a number for each row of the block."""
    seed, n, d = draw(st.integers(0, 2**32)), draw(st.integers(2, 300)), draw(st.integers(1, 20))
    density, dtype = draw(st.sampled_from([1.0, 0.2, 0.0])), draw(st.sampled_from(["f8", "f4"]))
    X, y = sample(seed, n, d, density=density, layout=draw(st.sampled_from(["dense", "csr"])))
    rng = np.random.default_rng(seed)
    shuffled = rng.integers(0, n, draw(st.integers(0, n))).astype(np.int32)
    lo, hi = sorted(rng.integers(0, n + 1, 2).tolist())
    block = draw(st.sampled_from([ALL, slice(lo, hi), slice(0, 0), shuffled]))
    r = rng.normal(size=np.arange(n)[block].size)
    return Data.of(X, y, dtype=np.dtype(dtype)), block, rng.normal(size=d) / d, r


def all_passes(data, block, w, r):
    return (
        data.scores(w, block),
        data.pullback(r, block),
        *passes.affine(data.rows, data.y, w, np.array([2.0, 3.0]), np.ones(2), block),
        *passes.margin(data.rows, data.y, w, np.ones(2), block, logistic=True, shift=0.5),
        *passes.margin(data.rows, data.y, w, np.ones(2), block, logistic=False),
    )


@settings(max_examples=60)
@given(shared())
def test_threads_change_no_bit_and_parts_add_up_to_the_whole(small_parts, problem):
    found = []
    for count in (1, 2, 3, 4):
        with aucbench.threads(count):
            found.append(all_passes(*problem))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "DIVIDED_FROM", 2**18)
        whole = all_passes(*problem)

    for other in found[1:]:
        for one, many in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, many)
    np.testing.assert_array_equal(found[0][0], whole[0])
    for parts, one in zip(found[0][1:], whole[1:], strict=True):
        np.testing.assert_allclose(parts, one, rtol=1e-11, atol=1e-11 * (1 + problem[3].size))


# --- pieces: rows in bins, and moments of columns ----------------------------------------

PIECES = pytest.mark.parametrize("kind", ["columns", "mixed", "f8", "f4", "csr f8", "csr f4"])


def piece_of(kind, X, y):
    """A piece of rows, or of columns of which all or half are single."""
    if kind in ("columns", "mixed"):
        types = ["f4"] if kind == "columns" else ["f8", "f4"]
        columns = [np.ascontiguousarray(c.astype(types[j % len(types)])) for j, c in enumerate(X.T)]
        return Piece(Columns(tuple(columns)), y)
    return Piece(rows(csr_array(X) if "csr" in kind else X, np.dtype(kind[-2:])), y)


def row_sample(seed, n, d):
    X, y = sample(seed, n, d, density=0.7, dtype=np.float32)
    return X, y.astype(np.int8), np.random.default_rng(seed)


@PIECES
@settings(max_examples=15)
@given(seed=st.integers(0, 99), n=st.integers(2, 300), d=st.integers(1, 40))
def test_rows_in_bins(kind, seed, n, d):
    X, y, rng = row_sample(seed, n, d)
    centre, w = np.zeros(d) if "csr" in kind else rng.normal(size=d), rng.normal(size=d)
    piece, low, K, count = piece_of(kind, X, y), -1.5, 3.7, int(rng.integers(1, 30))

    s = scores_of(piece, centre, w)
    found = binned(piece, centre, w, Grid(low, K, count))
    c = rng.normal(size=(2, count))
    pull = pulled(piece, centre, w, Grid(low, K, count), c)

    assert np.allclose(s, (X.astype(float) - centre) @ w, atol=1e-12)
    counts, sums = reference.rows_in_bins(X.astype(float) - centre, y, s, low, K, count)
    assert np.array_equal(found.counts, counts)
    assert np.allclose(found.sums, sums, atol=1e-12)
    assert np.allclose(pull.total, np.einsum("kb,kbj->j", c, sums), atol=1e-11)
    assert binned(piece, centre, w, Grid(low, K, count), sums=False).sums is None
    for k, side in enumerate((-1, 1)):
        own = s[y == side]
        assert found.ends[k].tolist() == [own.min(), own.max()]


# --- splines and trees -------------------------------------------------------------------


@given(
    st.lists(st.floats(0.01, 0.99), max_size=8),
    st.sampled_from([1, 2, 3]),
    st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=9),
)
def test_splines_are_those_of_scipy(inner, degree, numbers):
    t = np.r_[[0.0] * (degree + 1), np.unique(inner), [1.0] * (degree + 1)]
    m, x = t.size - degree - 1, np.array(numbers)
    out = np.empty((x.size, m))

    splines.curves(x, 0.0, 1.0, t, degree, np.eye(m), out)

    wanted = BSpline(t, np.eye(m), degree)(np.clip(x, 0.0, 1.0))
    np.testing.assert_allclose(out, wanted, atol=1e-9)
    np.testing.assert_allclose(out.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308, -1e308])
def test_splines_stay_in_bounds_for_all_numbers(bad):
    t = np.array([0.0] * 4 + [0.5] + [1.0] * 4)
    out = np.empty((1, 5))
    splines.curves(np.array([bad]), -1e308, 1e308, t, 3, np.eye(5), out)
    assert np.isfinite(out).all() == (not np.isnan(bad))


def test_splines_of_another_degree_are_refused():
    with pytest.raises(ValueError, match="degree"):
        splines.curves(np.zeros(1), 0.0, 1.0, np.zeros(12), 4, np.eye(5), np.zeros((1, 5)))


def forest(rng, count, d):
    """Return the arrays of random trees, whose children come after their parents."""
    nodes = []

    def grow(depth):
        place = len(nodes)
        nodes.append((-1, 0.0, place, place, rng.normal()))
        if depth and rng.random() < 0.7:
            left, right = grow(depth - 1), grow(depth - 1)
            nodes[place] = (int(rng.integers(d)), rng.normal(), left, right, 0.0)
        return place

    roots = np.array([grow(5) for _ in range(count)], np.int32)
    feature, threshold, left, right, value = map(np.array, zip(*nodes, strict=True))
    feature, left, right = (whole.astype(np.int32) for whole in (feature, left, right))
    return feature, threshold, left, right, value, roots


@given(seed=st.integers(0, 999), n=st.integers(0, 30), d=st.integers(1, 6), count=st.integers(1, 5))
def test_rows_come_to_their_leaves_also_where_numbers_are_strange(seed, n, d, count):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    odd = rng.random((n, d)) < 0.2
    X[odd] = rng.choice([np.nan, np.inf, -np.inf, 0.0], odd.sum())
    arrays, out = forest(rng, count, d), np.empty(n)

    trees.scores(X, *arrays, out)

    assert out.tolist() == reference.tree_scores(X, *arrays)
