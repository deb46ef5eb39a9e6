"""`splines` and `bins`: functions of one column each, their scales, shapes and ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from refusals import assert_refused, refusals
from scipy.sparse import csr_array

from aucbench.data import Data, Shape, Shapes
from aucbench.data.arrays import rows
from aucbench.data.grades import Grades
from aucbench.errors import DataError, ParameterError, UnknownNameError, UnsupportedError
from aucbench.features import Bins, Chain, Splines, Standard, splines
from aucbench.features.bins import few_digits
from aucbench.features.chain import applied

MAPS = pytest.mark.parametrize("phi", [Splines(), Bins()], ids=["splines", "bins"])


def table(n: int = 400, seed: int = 0) -> np.ndarray:
    """A normal column, two values, six values, a heavy tail, a constant, and many zeros."""
    rng = np.random.default_rng(seed)
    columns = (
        rng.normal(size=n),
        rng.integers(0, 2, n),
        rng.integers(0, 6, n),
        np.exp(3.0 * rng.normal(size=n)),
        np.full(n, 7.0),
        np.where(rng.random(n) < 0.7, 0.0, rng.random(n)),
    )
    return np.column_stack(columns)


def data(X=None, shapes: Shapes | None = None) -> Data:
    X = table() if X is None else X
    return replace(Data.of(X, np.arange(X.shape[0]) % 3 == 0), shapes=shapes)


def shaped(shape: Shape) -> Data:
    """The table, whose first column has a shape."""
    return data(shapes=Shapes(((0, shape),)))


def fit(phi, of: Data):
    return phi.fit(of, np.random.default_rng(0))


def test_steps_are_those_of_a_loop_over_rows_and_thresholds():
    of = data()
    phi = fit(Bins(count=4), of)
    got = phi(of.rows).matrix
    expected = []
    for x, block in zip(table().T, phi.blocks, strict=True):
        if block is not None:
            raw = [[float(v >= t) for t in block.thresholds] for v in x]
            centred = np.array(raw) - np.mean(raw, axis=0)
            expected.append(centred / np.sqrt(centred.var(axis=0).sum()))
    assert np.allclose(got, np.hstack(expected), atol=1e-12)


DIGITS = [(1.0, 2.0, 2.0), (0.0, 1.0, 1.0), (1499.2, 1503.8, 1500.0), (-0.31, -0.29, -0.3)]


@pytest.mark.parametrize(("a", "b", "t"), [*DIGITS, (0.0, 5e-324, 5e-324)])
def test_a_threshold_has_few_digits(a, b, t):
    assert few_digits(a, b) == t


def test_the_thresholds_of_a_tree_divide_the_classes():
    x = np.linspace(0.0, 1.0, 300)
    y = (x > 0.3) & (x < 0.6)
    phi = fit(Bins(count=3, rule="tree"), Data.of(x[:, None], y))
    assert np.allclose(phi.blocks[0].thresholds, [0.3, 0.6], atol=0.01)


def test_curved_functions_are_uncorrelated_with_each_other_and_the_line():
    of = data()
    phi = fit(Splines(curve=0.5), of)
    F, terms = phi(of.rows).matrix, phi.terms()
    assert terms.columns == ((0,), (1,), (2,), (3,), (5,))
    for t in range(len(terms.columns)):
        own = F[:, terms.owner == t]
        cov = np.cov(own.T, bias=True).reshape(own.shape[1], -1)
        assert np.allclose(cov, np.diag(cov.diagonal()), atol=1e-9)
        assert cov[0, 0] == pytest.approx(1.0)
        if own.shape[1] > 1:
            assert cov.diagonal()[1:].sum() == pytest.approx(0.25)
            j = terms.columns[t][0]
            x = of.rows.matrix[:, j]
            inside = (x >= phi.blocks[j].low) & (x <= phi.blocks[j].high)
            line = np.corrcoef(x[inside], own[inside, 0])[0, 1]
            assert line == pytest.approx(1.0, abs=1e-9)


def test_a_ridge_on_the_weights_is_the_roughness_of_the_effect(monkeypatch):
    monkeypatch.setattr(splines, "FLAT", 1e-13)
    rng = np.random.default_rng(1)
    x = rng.random((500, 1))
    block = fit(Splines(knots=6, curve=1.0), data(x)).blocks[0]
    line, C = block.C[:, 0], block.C[:, 1:]
    D = np.diff(np.eye(len(C)), 2, axis=0)
    place = np.linspace(-0.5, 0.5, len(C))
    rough = np.linalg.pinv(D)

    def parts(c):
        v = D @ c
        return np.r_[place @ (c - rough @ v) / (place @ place) / np.linalg.norm(rough), v]

    # A line of the slope that is least rough may be added: the linear feature has its own ridge.
    L = np.c_[parts(line), parts(np.ones(len(C)))]
    ratios = []
    for _ in range(5):
        w = rng.normal(size=C.shape[1])
        v = parts(C @ w)
        left = v - L @ np.linalg.lstsq(L, v, rcond=None)[0]
        ratios.append(w @ w / (left @ left))
    assert np.allclose(ratios, ratios[0], rtol=1e-8)


@MAPS
def test_sparse_rows_stay_sparse_and_differ_by_a_constant(phi):
    X = table()
    X[:, 4] = 0.0
    dense, sparse = data(X), data(csr_array(X))
    from_dense, learnt = fit(phi, dense)(dense.rows).matrix, fit(phi, sparse)
    out = learnt(sparse.rows)
    assert out.is_sparse
    apart = out.matrix.toarray() - from_dense
    assert np.ptp(apart, axis=0).max() < 1e-12
    zero = learnt(rows(csr_array((1, X.shape[1]))))
    assert zero.matrix.nnz == 0
    assert np.allclose(learnt(dense.rows).matrix, out.matrix.toarray(), atol=1e-15)


@MAPS
def test_outside_of_the_training_range_effects_are_constant(phi):
    of = data()
    learnt = fit(phi, of)
    least, most = of.rows.matrix.min(axis=0), of.rows.matrix.max(axis=0)
    ends = learnt(rows(np.array([least, most]))).matrix
    beyond = learnt(rows(np.array([least - 1e300, most + 1e300]))).matrix
    assert np.array_equal(ends, beyond)
    assert np.isfinite(beyond).all()


def test_shapes_go_through_a_chain_that_scales_columns():
    of = shaped(Shape(1))
    chain = fit(Chain((Standard(), Splines())), of)
    terms = applied(chain, of).terms
    assert terms.columns[0] == (0,)
    assert (terms.low[terms.owner == 0] == 0.0).all()


@MAPS
def test_rows_that_teach_nothing_and_of_another_width_are_refused(phi):
    assert_refused(lambda: phi(rows(np.zeros((2, 2)))), ParameterError, "learnt")
    assert_refused(phi.terms, ParameterError, "learnt")
    assert_refused(lambda: fit(phi, data(np.ones((30, 2)))), DataError, "one value")
    assert_refused(lambda: fit(phi, data())(rows(np.zeros((2, 2)))), DataError, "6")


GRADES = Data.of(table(), Grades.of(np.arange(400) % 3))
REFUSED = refusals(
    ("knots", lambda: Splines(knots=2), ParameterError, "knots"),
    ("curve", lambda: Splines(curve=0.0), ParameterError, "curve"),
    ("count", lambda: Bins(count=1), ParameterError, "count"),
    ("rule", lambda: Bins(rule="best"), UnknownNameError, "rule"),
    ("grades", lambda: fit(Bins(rule="tree"), GRADES), UnsupportedError, "classes"),
    ("bend", lambda: fit(Bins(), shaped(Shape(0, 1))), UnsupportedError, "splines"),
)


@REFUSED
def test_what_makes_no_sense_is_refused(call, error, word):
    assert_refused(call, error, word)
