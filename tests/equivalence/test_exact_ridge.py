"""ls-svm against the closed form, by the direct method and beyond its limit; its residual."""

from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from stepping import posed, states

import aucbench_plugins.ridge.normal_equations as normal_equations
from aucbench.data import Data
from aucbench.data.tally import counting
from aucbench.objectives import PairwiseSquare
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.solving.values import objective_at

pytestmark = pytest.mark.plain


def sample(layout=np.asarray, n=203, d=11, offset=0.0):
    rng = np.random.default_rng(4)
    y = np.where(rng.random(n) < 0.2, 1, -1)
    X = (rng.normal(size=(n, d)) + 0.4 * y[:, None]) / 3.0
    X[rng.random(X.shape) < 0.5] = 0.0
    return Data.of(layout(X + offset), y)


def ridge(data, lam):
    """w of (2(C+ + C- + dd') + lam I) w = -2d, from centred rows."""
    X = data.rows.matrix if not data.rows.is_sparse else data.rows.matrix.toarray()
    pos, neg = X[data.y > 0], X[data.y < 0]
    delta = neg.mean(axis=0) - pos.mean(axis=0)
    H = 2 * (np.cov(pos.T, bias=True) + np.cov(neg.T, bias=True) + np.outer(delta, delta))
    return np.linalg.solve(H + lam * np.eye(data.d), -2 * delta)


@LAYOUTS
@pytest.mark.parametrize("lam", [1e-4, 0.01, 10.0])
def test_ls_svm_is_the_closed_form(layout, lam):
    data = sample(layout)

    run = solve(get_solver("ls-svm", lam=lam), data)

    np.testing.assert_allclose(run.w, ridge(data, lam), rtol=1e-9, atol=1e-12)
    assert run.stop in {Stop.FINISHED, Stop.CERTIFIED}


def wide(layout=np.asarray, offset=0.0):
    return sample(layout, n=60, d=90, offset=offset)


@LAYOUTS
@pytest.mark.parametrize("lam", [1e-4, 0.01, 10.0])
def test_with_fewer_rows_than_features_it_is_the_closed_form_too(layout, lam, monkeypatch):
    monkeypatch.setattr(normal_equations, "_matrix", None)  # nothing of the size of d x d
    data = wide(layout)

    run = solve(get_solver("ls-svm", lam=lam), data, gap_tol=0.0)

    np.testing.assert_allclose(run.w, ridge(data, lam), rtol=1e-7, atol=1e-10)
    assert run.stop is Stop.FINISHED
    assert len(run.points) <= 8


@LAYOUTS
def test_the_factor_of_few_rows_inverts_the_matrix(layout):
    data = wide(layout)
    weighted = Data.of(data.rows.matrix, data.y, weights=np.linspace(0.5, 2.0, data.n))
    for rows in (data, weighted):
        f, r = PairwiseSquare(rows), np.sin(np.arange(90.0))
        for _ in range(2):  # where the products are kept they count too
            with counting() as read:
                solve_few = normal_equations.preconditioner(rows, 0.01)
                assert read.rows == rows.n
                v = solve_few(r)
                assert read.rows == 2 * rows.n
        np.testing.assert_allclose(f.curvature(v) + 0.01 * v, r, rtol=1e-9, atol=1e-9)


@LAYOUTS
@pytest.mark.parametrize("lam", [1e-12, 1e-3])
def test_products_that_rounding_spoils_are_not_used(layout, lam, monkeypatch):
    monkeypatch.setattr(normal_equations, "_by_products", None)
    offset = 0.0 if lam < 1e-6 else 1e6
    data = wide(layout, offset=offset)

    run = solve(get_solver("ls-svm", lam=lam), data)

    np.testing.assert_allclose(run.w, ridge(wide(layout), lam), rtol=1e-2, atol=1e-3)


@LAYOUTS
def test_above_the_limit_of_the_direct_method_it_iterates(layout, monkeypatch):
    monkeypatch.setattr(normal_equations, "DIRECT", 5)
    data = sample(layout)

    run = solve(get_solver("ls-svm", lam=0.01), data, gap_tol=0.0)

    np.testing.assert_allclose(run.w, ridge(data, 0.01), rtol=1e-8, atol=1e-10)
    assert run.stop is Stop.FINISHED
    assert 3 < len(run.points) < 60


def test_the_residual_is_the_norm_of_the_gradient_and_bounds_the_gap(monkeypatch):
    monkeypatch.setattr(normal_equations, "DIRECT", 5)
    data, lam = sample(), 0.01
    solver = get_solver("ls-svm", lam=lam)
    problem = posed(solver, data)
    best = objective_at(problem, ridge(data, lam))

    gaps = []
    for state in islice(states(solver, problem), 8):
        gradient = problem.f.grad(state.w) + lam * state.w
        assert state.residual == pytest.approx(np.linalg.norm(gradient), rel=1e-6, abs=1e-12)
        if state.gap is not None:  # the residual was computed from its definition
            gaps.append(state.gap)
            assert objective_at(problem, state.w) - best <= state.gap * (1 + 1e-9)
    assert len(gaps) >= 2
    assert gaps[-1] < 0.02 * gaps[0]


def test_features_with_huge_means_keep_their_digits():
    plain, moved = sample(), sample(offset=1e5)

    run = solve(get_solver("ls-svm", lam=0.01), moved, gap_tol=0.0)

    np.testing.assert_allclose(run.w, ridge(plain, 0.01), rtol=1e-5)


def test_a_matrix_without_a_factor_is_solved_by_its_diagonal(monkeypatch):
    def fails(*args, **kwargs):
        raise np.linalg.LinAlgError("not positive definite")

    monkeypatch.setattr(normal_equations, "cho_factor", fails)
    data = sample()

    run = solve(get_solver("ls-svm", lam=0.01), data, gap_tol=0.0)

    np.testing.assert_allclose(run.w, ridge(data, 0.01), rtol=1e-8, atol=1e-10)


def test_the_last_state_within_a_budget_of_passes_has_a_gap():
    run = solve(get_solver("spdam", lam=1e-4), sample(), passes=22)

    assert run.stop is Stop.PASSES
    assert run.points[-1].gap is not None
    assert run.points[-1].passes < 22 + 0.1
