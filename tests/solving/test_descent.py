"""The plain method reaches minima that solvers certify, and never leaves the domain of Ω."""

import numpy as np
import pytest
from observed import observed
from samples import sample

from aucbench import get_solver
from aucbench.contract import Problem
from aucbench.data import Data
from aucbench.objectives import Logistic, PairwiseHinge, PairwiseSquare
from aucbench.projectors import Box, ElasticNet, L2Ball, TopK
from aucbench.solving.descent import lowered
from aucbench.solving.values import objective_at

X, Y = sample(3, n=200, d=8, shift=0.4)
DATA = Data.of(X, Y)
ZERO = np.zeros(8)


@pytest.mark.parametrize("name", ["ls-svm[lam=0.1]", "rank-svm[lam=0.1]", "svm-or[lam=0.1]"])
def test_it_comes_to_what_is_certified(name):
    run, problem = observed(get_solver(name), DATA, gap_tol=1e-9)
    least = run.points[-1].objective
    found = lowered(problem, ZERO, 300)
    assert found.value == objective_at(problem, found.w)
    assert least - 2e-9 <= found.value <= least + (1e-3 if name.startswith("svm-or") else 1e-9)


@pytest.mark.parametrize(
    "problem",
    [
        Problem(PairwiseSquare(DATA), ElasticNet(l1=0.2, l2=0.1)),
        Problem(Logistic(DATA), L2Ball(0.3)),
        Problem(PairwiseSquare(DATA), Box(lo=-0.02, hi=0.05)),
    ],
    ids=["penalty", "ball", "box"],
)
def test_where_it_ends_no_proximal_step_moves(problem):
    w = lowered(problem, ZERO, 300).w
    moved = problem.project(w - 0.01 * problem.objective.grad(w), 0.01)
    assert problem.project.contains(w)
    np.testing.assert_allclose(moved, w, atol=1e-7)


def test_a_set_that_is_not_convex_and_an_objective_with_kinks():
    sparse = Problem(PairwiseSquare(DATA), TopK(2))
    found = lowered(sparse, ZERO, 50)
    assert np.count_nonzero(found.w) == 2
    assert found.value < 0.7
    kinks = Problem(PairwiseHinge(DATA))
    assert lowered(kinks, ZERO, 100).value < 0.6
