"""The loop for bounds and groups: its model, its minimum, its start, and whom it is for."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS
from nights import first
from samples import data as labelled
from stepping import posed, states
from term_problems import LOSSES, bounds, plain_descent, some_terms, term_problem

from aucbench.data import Data, Terms
from aucbench.data.rounding import gap_of_gradient
from aucbench.objectives import PairwiseSquare, PairwiseSquaredHinge
from aucbench.optim.term_model import Model, model_minimum
from aucbench.optim.term_newton import TermPoint, term_newton
from aucbench.projectors import GroupL2
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.ridge import normal_equations
from aucbench_plugins.roc_svm import preconditioner

SOLVERS = pytest.mark.parametrize("name", LOSSES)
FREE = {PairwiseSquare: "ls-svm", PairwiseSquaredHinge: "rank-svm"}


def model_of(seed, d=7, rank=None):
    """A positive definite matrix, a gradient, terms with bounds, and a point within these."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rank or d, d)) * 10.0 ** rng.uniform(-1, 1, d)
    terms = some_terms(rng, d)
    w = np.clip(np.round(rng.normal(size=d)), *bounds(terms))
    return A.T @ A + 1e-3 * np.eye(d), rng.normal(size=d) * 3.0, terms, w


def rise(M, g, penalty, w, v):
    move = v - w
    return g @ move + 0.5 * move @ M @ move + penalty.of_lengths(v)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 2.0]))
def test_the_minimum_of_the_model_is_a_fixed_point_of_its_prox(seed, group):
    M, g, terms, w = model_of(seed, rank=3 if seed % 2 else None)
    penalty = GroupL2(group, terms=terms)
    v = model_minimum(Model(M), g, penalty, w)
    assert penalty.contains(v)
    bend = float(np.linalg.eigvalsh(M)[-1])
    moved = penalty(v - (g + M @ (v - w)) / bend, 1.0 / bend)
    assert bend * np.abs(moved - v).max() <= 1e-5 * np.abs(g).max()
    for other in (w, np.zeros(v.size), moved):
        assert rise(M, g, penalty, w, v) <= rise(M, g, penalty, w, other) + 1e-9 * (1 + v @ v)


@SOLVERS
@pytest.mark.parametrize("seed", first(range(42), 3))
def test_it_is_the_minimum_of_plain_descent(name, seed):
    problem = term_problem(seed, scaled=False)
    run = solve(get_solver(name, lam=problem.lam, group=problem.group), problem.data, gap_tol=1e-9)
    w = plain_descent(problem, LOSSES[name], 4000)
    mine, plain = (float(problem.value(LOSSES[name], v)) for v in (run.w, w))
    assert mine <= plain + 1e-9
    assert mine == pytest.approx(run.points[-1].objective, rel=1e-12)
    assert run.stop in {Stop.CERTIFIED, Stop.FINISHED}


@pytest.mark.parametrize("loss", [PairwiseSquare, PairwiseSquaredHinge])
def test_without_bounds_and_groups_it_comes_to_the_weights_of_the_solver(loss):
    data = labelled(3, n=300, d=6, shift=0.2)
    penalty = GroupL2(0.0, 0.01, terms=Terms.each(6))
    diagonal = Model(np.full(6, 4.0))
    *_, at = term_newton(loss(data), penalty, np.zeros(6), lambda *_: diagonal)
    run = solve(get_solver(FREE[loss], lam=0.01), data, gap_tol=1e-14)
    np.testing.assert_allclose(at.w, run.w, atol=1e-7)


def test_with_infinite_bounds_the_gap_is_that_of_the_gradient():
    data = labelled(5, n=40, d=3, shift=0.0)
    f, w = PairwiseSquaredHinge(data), np.array([0.5, -1.0, 0.2])
    anywhere = Terms.each(3).bounded(np.full(3, -inf), np.full(3, inf))
    at = TermPoint(f, GroupL2(0.0, 0.2, terms=anywhere), w, data.scores(w), 1e-12)
    at.differentiate()
    alone = gap_of_gradient(float(np.linalg.norm(at.gradient)), w, 0.2, at.slack)
    assert at.gap == pytest.approx(alone, rel=1e-9)
    assert at.residual == pytest.approx(float(np.linalg.norm(at.gradient)), rel=1e-9)


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
def test_samples_of_many_rows_come_first_for_the_hinge_only(name):
    data = labelled(2, n=17_000, positives=0.2, shift=0.15)
    low = np.array([0.0, -inf, -inf, 0.0])
    data = replace(data, terms=Terms.each(4).bounded(low, np.array([inf, 0.0, 0.0, inf])))
    run = solve(get_solver(name), data, gap_tol=1e-8)
    assert run.stop is Stop.CERTIFIED
    assert (run.w[[0, 3]] > 0.0).all()
    assert not run.w[[1, 2]].any()


@pytest.mark.parametrize("loss", [PairwiseSquare, PairwiseSquaredHinge])
def test_the_square_bends_as_its_definition(loss):
    for seed in range(14):
        problem = term_problem(seed, scaled=False)
        f, rng = loss(problem.data), np.random.default_rng(seed)
        w, v = rng.normal(size=(2, problem.data.d))
        value, c, bend = f.bent(problem.data.scores(w))
        assert value == pytest.approx(f.value(w), rel=1e-12)
        np.testing.assert_allclose(f.pullback(c), f.grad(w), rtol=1e-9, atol=1e-10)
        if loss is PairwiseSquare:
            product = f.pullback(bend(problem.data.scores(v)))
            np.testing.assert_allclose(product, f.curvature(v), rtol=1e-9, atol=1e-10)


def test_a_model_that_is_too_old_is_renewed_from_more_rows():
    """Nearly equal columns, of which one drops out: with one old model steps would stay short."""
    problem = term_problem(31)
    asked, f = [], PairwiseSquaredHinge(problem.data)
    penalty = GroupL2(problem.group, problem.lam, terms=problem.terms)

    def hessian(s):
        bend, d = f.bent(s)[2], f.data.d
        columns = [f.pullback(bend(f.data.scores(e))) for e in np.eye(d)]
        return np.array(columns) + 1.000001 * problem.lam * np.eye(d)

    def models(s, step):
        if step is None or step.products > 2 or step.shortened:
            asked.append(Model(hessian(s)))
        return asked[-1]

    points = [*term_newton(f, penalty, np.zeros(problem.data.d), models)]
    assert 2 <= len(asked) < 20
    assert points[-1].gap <= 1e-6 * points[-1].value
    assert len(points) < 60


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
