"""What svm-or and rank-svm have in common: starts, and a ridge."""

import numpy as np
import pytest
from pair_problems import PairMachine

from aucbench.datasets import linear
from aucbench.registry import get_solver

LOSSES = {"svm-or": np.asarray, "rank-svm": np.square}  # of the hinge of a pair
MACHINES = {name: PairMachine(name, loss) for name, loss in LOSSES.items()}


@pytest.mark.parametrize(("name", "n"), [("svm-or", 20_000), ("rank-svm", 5000)])
def test_neighbours_on_the_grid_start_from_each_other(name, n):
    data, machine, w, cold, warm = linear(n=n), MACHINES[name], None, 0, 0
    for exponent in range(1, -6, -1):
        lam = 10.0**exponent
        _, fresh, at = machine.reached(data, lam, 1e-6)
        cold += fresh
        _, taken, w = (0, fresh, at) if w is None else machine.reached(data, lam, 1e-6, w)
        warm += taken

    assert warm < cold
    np.testing.assert_allclose(w, at, rtol=1e-2)


@pytest.mark.parametrize(("name", "state", "rtol"), [("svm-or", -1, 1e-5), ("rank-svm", 0, 1e-7)])
def test_started_at_the_minimum_it_says_so(name, state, rtol):
    data, machine = linear(n=5000), MACHINES[name]
    best = machine.states(data, 0.01)[-1][0]

    again = machine.states(data, 0.01, best)

    assert again[state][1] <= 1e-9
    np.testing.assert_allclose(again[-1][0], best, rtol=rtol)


@pytest.mark.parametrize("name", MACHINES)
def test_a_ridge_is_needed(name):
    with pytest.raises(ValueError, match="lam must be greater than 0"):
        get_solver(name, lam=0.0)
