"""The choice of k is that of trial fits of their own, but L̂ is found once for all of them."""

from dataclasses import replace

import numpy as np
import pytest
from stepping import posed, states

import aucbench_plugins.thresholding.sparsity as sparsity
from aucbench.data.tally import counting
from aucbench.optim import chosen
from aucbench.registry import get_dataset, get_solver
from aucbench.solving.loop import solve

DATA = get_dataset("outbreak[n=400,d=50,k=5]")


@pytest.mark.parametrize("name", ["sht-auc", "sto-iht", "hsg-ht"])
def test_trials_are_fits_of_their_own(name, monkeypatch):
    shared = solve(name, DATA, passes=3)
    monkeypatch.setattr(sparsity, "chosen", lambda trial, *rest: chosen(trial.solver, *rest))

    own = solve(name, DATA, passes=3)

    np.testing.assert_array_equal(shared.w, own.w)
    assert [p.objective for p in shared.points] == [p.objective for p in own.points]


@pytest.mark.parametrize("name", ["sht-auc", "sto-iht", "hsg-ht"])
def test_every_trial_has_the_same_batches_and_rows(name, monkeypatch):
    tried = []

    def watched(trial, parameter, values, data, rng, budget):
        for k in values:
            run = replace(trial, k=k)
            draws = np.random.default_rng(7)
            with counting() as read:
                problem = posed(run, data, draws)
                next(states(run, problem, draws))
            tried.append((problem.project.k, read.rows, draws.random(), read.numbers))
        return values[0]

    monkeypatch.setattr(sparsity, "chosen", watched)
    posed(get_solver(name), DATA, np.random.default_rng(0))

    few, all_features = tried
    assert (few[0], all_features[0]) == (12, 50)
    assert few[1:3] == all_features[1:3]
    assert 0 < all_features[3] < 0.5 * few[3]  # the products that give L̂ were known
