"""Hard thresholding solvers with trivial settings are methods everybody knows."""

from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csr_array
from stepping import posed, states

from aucbench.contract import Identity, Problem
from aucbench.data import Data
from aucbench.data.tally import counting
from aucbench.objectives import PairwiseSquare
from aucbench.optim import lipschitz
from aucbench.registry import get_solver

RNG = np.random.default_rng(5)
Y = np.where(RNG.random(48) < 0.25, 1, -1)
X = RNG.normal(size=(48, 9)) + 0.4 * Y[:, None]


def iterates(solver, problem, steps, seed=3):
    made = states(solver, problem, np.random.default_rng(seed))
    return np.array([state.w.copy() for state in islice(made, steps)])


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_sht_auc_with_all_features_and_one_block_is_gradient_descent(layout):
    data = Data.of(layout(X), Y)
    solver = get_solver("sht-auc", k=9, blocks=1, gamma=0.05)

    found = iterates(solver, posed(solver, data, RNG), 20)

    f, w = PairwiseSquare(data), np.zeros(9)
    for step in found:
        w = w - 0.05 * f.grad(w)
        np.testing.assert_allclose(step, w, rtol=1e-13, atol=1e-15)


def test_hsg_ht_with_full_batches_is_full_gradient_thresholding():
    data = Data.of(X, Y)
    hsg = get_solver("hsg-ht", k=4, gamma=0.3, tau=48)
    sto = get_solver("sto-iht", k=4, gamma=0.3, blocks=1)

    np.testing.assert_array_equal(
        iterates(hsg, posed(hsg, data, RNG), 20), iterates(sto, posed(sto, data, RNG), 20)
    )


def test_hsg_ht_grows_its_batches_over_the_whole_run():
    data = Data.of(X, Y)
    solver = get_solver("hsg-ht", k=4, gamma=0.3, tau=5.0, zeta=1.5)

    with counting() as read:
        made = states(solver, posed(solver, data, RNG), np.random.default_rng(0))
        seen = np.diff([0, *(read.rows for _ in islice(made, 9))])

    np.testing.assert_array_equal(seen, [5, 8, 12, 17, 26, 38, 48, 48, 48])


def test_default_step_is_half_of_one_over_the_block_smoothness():
    data = Data.of(X, Y)
    free = get_solver("sht-auc", k=9, blocks=1)
    problem = Problem(PairwiseSquare(data), Identity())
    gamma = 0.5 / lipschitz(problem.f, data.blocks(1), np.random.default_rng(0))

    first = iterates(free, problem, 1)[0]

    np.testing.assert_allclose(first, -gamma * problem.f.grad(np.zeros(9)), rtol=1e-2)


def test_default_step_converges_with_small_blocks_where_the_full_step_diverges():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.05, 1, -1)
    y[:8] = 1
    data = Data.of(rng.normal(size=(400, 30)) + 0.3 * y[:, None], y)
    f = PairwiseSquare(data)
    full = 1 / lipschitz(f, data.blocks(1), rng)

    def objective_after(gamma):
        solver = get_solver("sht-auc", k=30, blocks=200, gamma=gamma)
        with np.errstate(over="ignore", invalid="ignore"):
            return f.value(iterates(solver, posed(solver, data, rng), 2000)[-1])

    assert objective_after(None) < 1.0
    assert not objective_after(full) < 1.0
