"""ls-svm against the closed form, by the direct method and beyond its limit; its residual."""

from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from optima import ridge_weights
from samples import sample
from stepping import posed, states

import aucbench_plugins.ridge.normal_equations as normal_equations
from aucbench.data import Data
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.solving.values import objective_at

pytestmark = pytest.mark.plain
SHAPES = {"long": (203, 11), "wide": (60, 90)}


def ridge_problem(shape="long", layout=np.asarray, offset=0.0, lam=0.01):
    """Data, and the weights of the closed form of the same rows without their offset."""
    X, y = sample(4, *SHAPES[shape], positives=0.2, density=0.5, shift=0.4, scale=1 / 3)
    return Data.of(layout(X + offset), y), ridge_weights(X, y, lam)


@LAYOUTS
@pytest.mark.parametrize("lam", [1e-4, 0.01, 10.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_ls_svm_is_the_closed_form(shape, layout, lam, monkeypatch):
    if shape == "wide":
        monkeypatch.setattr(normal_equations, "_matrix", None)  # nothing of the size of d x d
    data, w = ridge_problem(shape, layout, lam=lam)
    run = solve(get_solver("ls-svm", lam=lam), data, gap_tol=0.0)
    np.testing.assert_allclose(run.w, w, rtol=1e-7, atol=1e-10)
    assert run.stop is Stop.FINISHED
    assert len(run.points) <= 8


@LAYOUTS
@pytest.mark.parametrize(("lam", "offset"), [(1e-12, 0.0), (1e-3, 1e6)])
def test_products_that_rounding_spoils_are_not_used(layout, lam, offset, monkeypatch):
    monkeypatch.setattr(normal_equations, "_by_products", None)
    data, w = ridge_problem("wide", layout, offset, lam)
    np.testing.assert_allclose(
        solve(get_solver("ls-svm", lam=lam), data).w, w, rtol=1e-2, atol=1e-3
    )


def no_factor(*args, **kwargs):
    raise np.linalg.LinAlgError("not positive definite")


@pytest.mark.parametrize(("name", "value"), [("DIRECT", 5), ("cho_factor", no_factor)])
def test_above_its_limit_and_without_a_factor_the_direct_method_iterates(name, value, monkeypatch):
    monkeypatch.setattr(normal_equations, name, value)
    data, w = ridge_problem()
    run = solve(get_solver("ls-svm", lam=0.01), data, gap_tol=0.0)
    np.testing.assert_allclose(run.w, w, rtol=1e-8, atol=1e-10)
    assert run.stop is Stop.FINISHED
    assert 3 < len(run.points) < 60


def test_the_residual_is_the_norm_of_the_gradient_and_bounds_the_gap(monkeypatch):
    monkeypatch.setattr(normal_equations, "DIRECT", 5)
    (data, w), lam = ridge_problem(), 0.01
    solver = get_solver("ls-svm", lam=lam)
    problem = posed(solver, data)
    best = objective_at(problem, w)

    gaps = []
    for state in islice(states(solver, problem), 8):
        gradient = problem.f.grad(state.w) + lam * state.w
        assert state.residual == pytest.approx(np.linalg.norm(gradient), rel=1e-6, abs=1e-12)
        if state.gap is not None:  # the residual was computed from its definition
            gaps.append(state.gap)
            assert objective_at(problem, state.w) - best <= state.gap * (1 + 1e-9)
    assert len(gaps) >= 2
    assert gaps[-1] < 0.02 * gaps[0]


def test_the_last_state_within_a_budget_of_passes_has_a_gap():
    run = solve(get_solver("spdam", lam=1e-4), ridge_problem()[0], passes=22)
    assert run.stop is Stop.PASSES
    assert run.points[-1].gap is not None
    assert run.points[-1].passes < 22 + 0.1


@pytest.mark.parametrize("name", ["spdam", "spdam[sampling=blocks]"])
def test_spdam_reaches_the_closed_form(name):
    data, w = ridge_problem()
    run = solve(get_solver(name, lam=0.01), data, passes=20_000, gap_tol=1e-7)
    assert run.stop is Stop.CERTIFIED
    np.testing.assert_allclose(run.w, w, atol=1e-3)
