"""Newton's steps: with an elastic net, and with bounds and groups of weights."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from layouts import LAYOUTS
from nights import first
from samples import data as labelled
from scipy.optimize import minimize
from sequences import wide
from stepping import posed, states
from term_problems import LOSSES, bounds, plain_descent, some_terms, term_problem

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.objectives import IntervalHinge
from aucbench.optim.proximal_newton import proximal_newton
from aucbench.projectors import ElasticNet, GroupL2
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.ridge import normal_equations
from aucbench_plugins.roc_svm import preconditioner

# --- proximal steps --------------------------------------------------------------------------


def hinge(n=40, d=3, seed=0, columns=None):
    data = wide(n, d, seed)
    X = data.rows.matrix if columns is None else columns(data.rows.matrix)
    return IntervalHinge(Data(rows(np.c_[X, np.ones(n)]), data.target))


def last(f, omega):
    *_, at = proximal_newton(f, omega, np.zeros(f.data.d))
    return at


PENALTIES = [ElasticNet(0.1, 0.0, 1), ElasticNet(0.0, 0.1, 1), ElasticNet(0.05, 0.05, 1)]


@pytest.mark.parametrize("omega", PENALTIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_that_of_a_general_method(omega, seed):
    f = hinge(seed=seed)
    at = last(f, omega)

    def split(v):  # w = p − m, p and m at least 0, makes the problem smooth
        w = np.append(v[:3] - v[3:6], v[6])
        g = f.grad(w)
        own = g[:3] + omega.l2 * w[:3]
        slopes = np.r_[own + omega.l1, -own + omega.l1, g[3:]]
        return f.value(w) + omega.l1 * v[:6].sum() + omega.l2 / 2 * w[:3] @ w[:3], slopes

    bounds = [(0.0, None)] * 6 + [(None, None)]
    general = minimize(
        split, np.zeros(7), jac=True, bounds=bounds, method="L-BFGS-B", options={"gtol": 1e-10}
    )
    assert at.value == pytest.approx(general.fun, rel=1e-8)
    assert at.value == pytest.approx(f.value(at.w) + omega.value(at.w), rel=1e-12)
    assert 0.0 <= at.gap <= 1e-8 * f.value(np.zeros(4))


@pytest.mark.parametrize("omega", [*PENALTIES, ElasticNet(1e-4, 0.0, 1), ElasticNet(0.0, 1e-4, 1)])
def test_every_gap_holds_and_every_step_goes_down(omega):
    f = hinge(200, 8, columns=lambda X: X * 10.0 ** np.arange(-2, X.shape[1] - 2) + 3.0)
    points = list(proximal_newton(f, omega, np.zeros(9)))
    values = np.array([at.value for at in points])
    assert (np.diff(values) < 0.0).all()
    for at in points:
        assert at.gap >= at.value - values[-1]
    assert len(points) < 30
    assert points[-1].gap < 1e-6 * values[0]  # features differ by 10⁷ in scale


def test_copies_of_a_feature_and_constant_features_do_no_harm():
    def columns(X):
        return np.c_[X, X[:, 0], X[:, 0] * (1.0 + 1e-9), np.full(len(X), 3.0), np.zeros(len(X))]

    for omega in PENALTIES:
        at = last(hinge(columns=columns), omega)
        assert at.gap <= 1e-8
        assert at.value <= last(hinge(), omega).value * (1.0 + 1e-9)
        assert at.w[6] == 0.0


# --- bounds and groups -----------------------------------------------------------------------

SOLVERS = pytest.mark.parametrize("name", LOSSES)


@SOLVERS
@pytest.mark.parametrize("seed", first(range(42), 3))
def test_it_is_the_minimum_of_plain_descent(name, seed):
    problem = term_problem(seed, scaled=False)
    solver = get_solver(name, lam=problem.lam, group=problem.group)
    run = solve(solver, problem.data, gap_tol=1e-9, passes=200)  # seed 17 takes 69
    w = plain_descent(problem, LOSSES[name], 4000)
    mine, plain = (float(problem.value(LOSSES[name], v)) for v in (run.w, w))
    assert mine <= plain + 1e-9
    assert mine == pytest.approx(run.points[-1].objective, rel=1e-12)
    assert run.stop in {Stop.CERTIFIED, Stop.FINISHED}


@SOLVERS
@LAYOUTS
def test_wide_rows_have_a_diagonal_model(name, layout, monkeypatch):
    terms = some_terms(np.random.default_rng(7), 30)
    data = replace(labelled(7, n=80, d=30, shift=0.15, layout=layout), terms=terms)
    for group in (None, 0.05):
        narrow = solve(get_solver(name, lam=0.1, group=group), data, gap_tol=1e-10)
        with monkeypatch.context() as patch:
            patch.setattr(normal_equations, "DIRECT", 10)
            patch.setattr(preconditioner, "WIDE", 10)
            wide = solve(get_solver(name, lam=0.1, group=group), data, passes=500, gap_tol=1e-10)
        assert wide.stop in {Stop.CERTIFIED, Stop.FINISHED}
        np.testing.assert_allclose(wide.w, narrow.w, atol=1e-5)


@SOLVERS
def test_a_start_outside_of_the_bounds_is_moved_into_them(name):
    problem = term_problem(9, scaled=False)
    solver = get_solver(name, lam=problem.lam, group=problem.group)
    w0 = np.full(problem.data.d, -7.0)
    own = posed(solver, problem.data)
    for state in states(solver, own, np.random.default_rng(0), w0):
        assert own.project.contains(state.w)
    low, high = bounds(problem.terms)
    plain = plain_descent(problem, LOSSES[name], 5000)
    np.testing.assert_allclose(state.w, np.clip(plain, low, high), atol=1e-6)


@SOLVERS
def test_a_penalty_that_is_too_large_leaves_nothing(name):
    problem = term_problem(10, scaled=False)
    f = posed(get_solver(name, lam=problem.lam), problem.data).f
    steep = GroupL2(terms=problem.terms).lengths(f.grad(np.zeros(problem.data.d)))
    largest = float((steep / np.sqrt(np.bincount(problem.terms.owner))).max())
    run = solve(get_solver(name, lam=problem.lam, group=1.001 * largest), problem.data)
    assert not run.w.any()
    assert run.points[-1].gap == pytest.approx(0.0, abs=1e-12)


@SOLVERS
@pytest.mark.parametrize("bounded", [True, False], ids=["bounds", "free"])
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_rows_that_are_too_long_certify_nothing(name, bounded):
    for seed in range(8):
        problem = term_problem(seed, scaled=False)
        data = Data.of(problem.X * 1e160, problem.y)
        data = replace(data, terms=problem.terms if bounded else None)
        run = solve(get_solver(name, lam=1.0), data, passes=20)
        assert run.stop is not Stop.CERTIFIED
        assert run.points[-1].gap in (None, inf)
