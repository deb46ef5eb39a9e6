"""Stochastic solvers approach the exact optimum at the rate that their theory promises."""

from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.registry import get_solver

PASSES = 2 ** np.arange(7)


def sample(n=400, d=8):
    rng = np.random.default_rng(17)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    return (rng.normal(size=(n, d)) + 0.5 * y[:, None]) / np.sqrt(d), y


def ridge_optimum(X, y, lam):
    """Minimiser of F + (lam/2) |w|^2."""
    pos, neg = X[y > 0], X[y < 0]
    delta = neg.mean(axis=0) - pos.mean(axis=0)
    H = 2 * (np.cov(pos.T, bias=True) + np.cov(neg.T, bias=True) + np.outer(delta, delta))
    return np.linalg.solve(H + lam * np.eye(len(delta)), -2 * delta)


def gaps(solver, data, optimum, seeds):
    """Objective gap after 1, 2, 4 ... passes, mean over the seeds."""
    problem = solver.problem(data, None)
    best, rows = problem.value(optimum), []
    for seed in range(seeds):
        states = solver.iterates(problem, np.random.default_rng(seed))
        values = [problem.value(state.w) for state in islice(states, PASSES[-1])]
        rows.append(np.array(values)[PASSES - 1] - best)
    return np.mean(rows, axis=0)


CASES = {
    "spam-l2": {"xi": 0.3, "l2": 1e-2},
    "reg-solam": {"xi": 0.3, "lam": 1e-2},
}


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", CASES)
def test_the_gap_falls_at_least_like_the_root_of_the_passes(name, layout):
    X, y = sample()
    data = Data.of(layout(X), y)
    solver = get_solver(name, **CASES[name])
    optimum = ridge_optimum(X, y, 1e-2 / (data.p * (1 - data.p)))

    found = gaps(solver, data, optimum, seeds=5)
    slope = np.polyfit(np.log(PASSES), np.log(found), 1)[0]

    assert (found > 0).all()  # nothing lies below the optimum
    assert slope < -0.4, dict(zip(PASSES.tolist(), found.tolist(), strict=True))


def test_solam_without_a_ridge_comes_near_the_optimum_of_its_ball():
    X, y = sample()
    data = Data.of(X, y)
    optimum = ridge_optimum(X, y, 0.0)
    solver = get_solver("solam", xi=0.3, R=2.0 * float(np.linalg.norm(optimum)))

    found = gaps(solver, data, optimum, seeds=5)

    assert (found > 0).all()
    assert np.polyfit(np.log(PASSES), np.log(found), 1)[0] < -0.4
