"""The pairwise square by moments, and ls-svm on it: as the same rows in memory."""

from dataclasses import replace

import numpy as np
import pytest
from parts_problems import in_parts, rows_with_labels

import aucbench
from aucbench.errors import UnsupportedError
from aucbench.objectives import MomentSquare, PairwiseSquare
from aucbench.records import Stop

CASES = [{}, {"offset": 1e3}, {"sparse": True}]


@pytest.mark.parametrize("case", CASES)
def test_value_gradient_and_curvature_are_those_in_memory(case):
    data = rows_with_labels(11, **case)
    f, g = PairwiseSquare(data), MomentSquare(in_parts(data))
    rng = np.random.default_rng(0)
    for w in (np.zeros(data.d), rng.standard_normal(data.d)):
        np.testing.assert_allclose(g.value(w), f.value(w), rtol=1e-11)
        np.testing.assert_allclose(g.grad(w), f.grad(w), rtol=1e-10, atol=1e-9)
        np.testing.assert_allclose(g.curvature(w), f.curvature(w), rtol=1e-10, atol=1e-9)


def test_the_rounding_of_gradient_and_value_is_bounded():
    data = rows_with_labels(12, n=200, offset=1e4)
    g = MomentSquare(in_parts(data, 40))
    X, y = data.rows.matrix.astype(np.longdouble), data.y
    D = (X[y > 0][:, None] - X[y < 0][None]).reshape(-1, data.d)
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1.0, 10.0):
        w = scale * rng.standard_normal(data.d)
        e, eta = g.rounding(w)
        margins = 1 - D @ w
        assert abs(g.value(w) - (margins**2).mean()) <= e
        exact = -2 * (margins[:, None] * D).mean(axis=0)
        assert np.linalg.norm((g.grad(w) - exact).astype(float)) <= eta


@pytest.mark.parametrize("case", CASES)
def test_the_rounding_of_the_moments_is_bounded(case):
    """The gradient by the matrix against the exact one, with moments of many short tiles."""
    data = rows_with_labels(20, n=400, d=4, **case)
    f = MomentSquare(in_parts(data, 50))
    X, y = data.rows.dense().matrix.astype(np.longdouble), data.y
    D = (X[y > 0][:, None] - X[y < 0][None]).reshape(-1, data.d)
    for lam in (1e-6, 1e-2):
        w = np.linalg.solve(f.matrix(lam), -2.0 * f.delta)
        gap = f.solved(w, lam)[1]
        slope = -2 * ((1 - D @ w)[:, None] * D).mean(axis=0) + lam * w
        assert float(slope @ slope) / (2 * lam) <= gap


def test_the_matrix_and_its_diagonal_are_the_hessian():
    data = rows_with_labels(13)
    f = MomentSquare(in_parts(data))
    H = f.matrix(0.5)
    for j, e in enumerate(np.eye(data.d)):
        np.testing.assert_allclose(H[j], f.curvature(e) + 0.5 * e, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(f.diagonal(0.5), H.diagonal(), rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("lam", [None, 1e-4, 10.0])
def test_ls_svm_is_that_in_memory_and_certified(case, lam):
    data = rows_with_labels(14, **case)
    solver = aucbench.get_solver("ls-svm", lam=lam)
    parts = in_parts(data)
    run, exact = aucbench.solve(solver, parts), aucbench.solve(solver, data)
    assert run.stop is Stop.CERTIFIED
    assert parts.readings == 2
    np.testing.assert_allclose(run.w, exact.w, rtol=1e-5, atol=1e-7 * abs(exact.w).max())
    last = run.points[-1]
    assert last.objective <= exact.points[-1].objective * (1 + 1e-12) + last.gap


def test_the_weight_of_a_constant_column_is_exactly_zero():
    data = rows_with_labels(15, offset=1e5)
    run = aucbench.solve("ls-svm", in_parts(data))
    assert run.w[data.d // 2].tobytes() == np.zeros(1).tobytes()


def test_every_ridge_takes_the_same_reading_of_the_moments():
    """So a grid of ridges costs no reading, and each of them is certified."""
    data = rows_with_labels(16)
    parts = in_parts(data)
    for lam in (1e-4, 1e-2, 1.0):
        run = aucbench.solve(aucbench.get_solver("ls-svm", lam=lam), parts)
        assert run.stop is Stop.CERTIFIED
        exact = aucbench.solve(aucbench.get_solver("ls-svm", lam=lam), data)
        np.testing.assert_allclose(run.w, exact.w, rtol=1e-6, atol=1e-8)
    assert parts.readings == 2


def test_many_features_are_solved_by_readings(monkeypatch):
    """Beyond 4000 features the matrix is not formed; here beyond 3."""
    monkeypatch.setattr("aucbench.objectives.moment_square.DIRECT", 3)
    data = rows_with_labels(18)
    parts = in_parts(data)
    run = aucbench.solve("ls-svm", parts, gap_tol=1e-14)
    assert run.points[-1].gap < 1e-8
    assert "moments" not in vars(parts)
    np.testing.assert_allclose(run.w, aucbench.solve("ls-svm", data).w, rtol=1e-5, atol=1e-7)


def test_a_group_lasso_needs_rows_in_memory():
    solver = replace(aucbench.get_solver("ls-svm"), group=0.1)
    with pytest.raises(UnsupportedError, match=r"group=0\.1 needs rows in memory"):
        aucbench.solve(solver, in_parts(rows_with_labels(19)))
