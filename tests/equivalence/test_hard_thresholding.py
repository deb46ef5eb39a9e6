"""Hard thresholding with trivial settings is a known method; k is chosen by trial fits."""

from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from samples import sample
from stepping import posed, states

import aucbench_plugins.thresholding.sparsity as sparsity
from aucbench.contract import Identity, Problem
from aucbench.data import Data
from aucbench.data.tally import counting
from aucbench.objectives import PairwiseSquare
from aucbench.optim import chosen, lipschitz
from aucbench.registry import get_dataset, get_solver
from aucbench.solving.loop import solve

X, Y = sample(5, n=48, d=9, positives=0.25, shift=0.4)
DATA = Data.of(X, Y)
OUTBREAK = get_dataset("outbreak[n=400,d=50,k=5]")
NAMES = pytest.mark.parametrize("name", ["sht-auc", "sto-iht", "hsg-ht"])


def made(solver, data=DATA):
    return states(solver, posed(solver, data, np.random.default_rng(5)), np.random.default_rng(3))


def iterates(solver, steps, data=DATA):
    return np.array([state.w.copy() for state in islice(made(solver, data), steps)])


@LAYOUTS
def test_sht_auc_with_all_features_and_one_block_is_gradient_descent(layout):
    found = iterates(get_solver("sht-auc", k=9, blocks=1, gamma=0.05), 20, Data.of(layout(X), Y))
    f, w = PairwiseSquare(DATA), np.zeros(9)
    for step in found:
        w = w - 0.05 * f.grad(w)
        np.testing.assert_allclose(step, w, rtol=1e-13, atol=1e-15)


def test_hsg_ht_with_full_batches_is_full_gradient_thresholding():
    hsg = get_solver("hsg-ht", k=4, gamma=0.3, tau=48)
    sto = get_solver("sto-iht", k=4, gamma=0.3, blocks=1)
    np.testing.assert_array_equal(iterates(hsg, 20), iterates(sto, 20))


def test_hsg_ht_grows_its_batches_over_the_whole_run():
    with counting() as read:
        run = made(get_solver("hsg-ht", k=4, gamma=0.3, tau=5.0, zeta=1.5))
        seen = np.diff([0, *(read.rows for _ in islice(run, 9))])
    np.testing.assert_array_equal(seen, [5, 8, 12, 17, 26, 38, 48, 48, 48])


def test_default_step_is_half_of_one_over_the_block_smoothness():
    problem = Problem(PairwiseSquare(DATA), Identity())
    gamma = 0.5 / lipschitz(problem.f, DATA.blocks(1), np.random.default_rng(0))
    run = states(get_solver("sht-auc", k=9, blocks=1), problem, np.random.default_rng(3))
    np.testing.assert_allclose(next(run).w, -gamma * problem.f.grad(np.zeros(9)), rtol=1e-2)


@NAMES
def test_trials_of_k_are_fits_of_their_own(name, monkeypatch):
    shared = solve(name, OUTBREAK, passes=3)
    monkeypatch.setattr(sparsity, "chosen", lambda trial, *rest: chosen(trial.solver, *rest))
    own = solve(name, OUTBREAK, passes=3)
    np.testing.assert_array_equal(shared.w, own.w)
    assert [p.objective for p in shared.points] == [p.objective for p in own.points]
