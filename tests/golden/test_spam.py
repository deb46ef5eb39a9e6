"""Retrace SPAM of the C code published with the SHT-AUC paper, pass by pass.

It returns the last iterate and visits rows in file order; each recorded row of W is a run of
its own from w = 0, which SPAM's successive passes repeat.
"""

import json
from itertools import islice

import numpy as np
import pytest
import reference as naive
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.registry import get_solver

LAYOUTS = pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
LAST = {"average": False, "shuffle": False}


@pytest.fixture(scope="module")
def recorded(reference):
    index = json.loads((reference / "sht" / "index.json").read_text())
    cases = {case["file"]: case for case in index["cases"]}
    small = np.load(reference / "sht" / "input_small.npz")

    def read(name):
        case = cases[f"small__{name}.npz"]
        return case["hyper"], case["epochs"], np.load(reference / "sht" / case["file"])["W"]

    return small["X"], small["y"], read


def after(solver, data, epochs):
    """Weights after the given numbers of passes."""
    states = solver.iterates(solver.problem(data, None), np.random.default_rng(0))
    passes = [state.w.copy() for state in islice(states, max(epochs))]
    return np.array([passes[t - 1] for t in epochs])


@LAYOUTS
@pytest.mark.parametrize(
    ("name", "solver", "penalties"),
    [
        ("spam_l1", "spam-l1", ["l1"]),
        ("spam_l2", "spam-l2", ["l2"]),
        ("spam_noreg", "spam-l1", ["l1"]),
        ("spam_noreg", "spam-l2", ["l2"]),
        ("spam_noreg", "spam-net", ["l1", "l2"]),
    ],
)
def test_spam(recorded, name, solver, penalties, layout):
    X, y, read = recorded
    hyper, epochs, W = read(name)

    chosen = get_solver(solver, xi=hyper["xi"], **{k: hyper[k] for k in penalties}, **LAST)
    found = after(chosen, Data.of(layout(X), y), epochs)

    np.testing.assert_allclose(found, W, rtol=1e-10, atol=1e-13)


@LAYOUTS
def test_spam_net_shrinks_both_signs_where_the_published_code_does_not(recorded, layout):
    X, y, read = recorded
    hyper, epochs, W = read("spam_net")
    solver = get_solver("spam-net", **hyper, **LAST)
    steps = hyper["xi"] / np.sqrt(np.arange(1, len(y) + 1))

    found = after(solver, Data.of(layout(X), y), epochs)
    w, _, _ = naive.spam(
        X, y, range(len(y)), steps, l1=hyper["l1"], l2=hyper["l2"], w=np.zeros(X.shape[1])
    )

    np.testing.assert_allclose(found[0], w, rtol=1e-10, atol=1e-13)
    assert np.abs(found - W).max() > 1e-3
