"""Retrace FSAUC, OPAUC, SOLAM and SPAM of the C code published with the SHT-AUC paper.

It visits rows in file order. Each test says where its method is another one than ours.
"""

import numpy as np
import pytest
from stepping import step_by_rows

from aucbench.data.summaries import whole_chunk
from aucbench.registry import get_solver
from aucbench.solving.loop import begin
from aucbench_plugins.online.spam import ProximalPoint, reference_update

LAST = {"average": False, "shuffle": False}


@pytest.mark.parametrize("name", ["fsauc", "fsauc_tight"])
def test_fsauc(recorded, name):
    """It fixes kappa = 1, and its stages follow from the planned passes: each epoch is a run."""
    hyper, run = recorded(name)
    found = []
    for passes in run["epochs"].tolist():
        own = {"R": hyper["R"], "eta": hyper["g"], "passes": passes}
        *_, last = begin(get_solver("fsauc", **own, kappa=1.0, shuffle=False), recorded.data)[1]
        found.append(last.w)
    np.testing.assert_allclose(found, run["W"], rtol=1e-10, atol=1e-12)


def test_opauc(recorded, after):
    """Its dense form steps as ours does.

    There is no step before the first row of the other class, and further passes have the same
    moments.
    """
    hyper, run = recorded("opauc")
    solver = get_solver("opauc", eta=hyper["eta"], lam=hyper["lam"], shuffle=False)
    found = after(begin(solver, recorded.data)[1], run["epochs"])
    np.testing.assert_allclose(found, run["W"], rtol=1e-10)


@pytest.mark.parametrize("name", ["solam", "solam_tight"])
def test_solam(recorded, name):
    """It starts at w = R/sqrt(d), a = b = R, alpha = 2R and clips with kappa = 1.

    But it clips a and b from above only (which shows in the first rows): here rows come one by
    one, without a bound of the solver's own, and the test clips.
    """
    hyper, run = recorded(name)
    data, R = recorded.data, hyper["R"]
    solver = get_solver("solam", xi=hyper["xi"], R=R, kappa=1e9, shuffle=False)
    memory = solver.start(np.full(data.d, R / np.sqrt(data.d)), np.random.default_rng(0))
    memory.a, memory.b, memory.alpha = R, R, 2 * R
    found = []
    for t in range(max(run["epochs"]) * data.n):
        solver.update(memory, whole_chunk(data), np.array([t % data.n], dtype=np.int32))
        memory.a, memory.b = min(memory.a, R), min(memory.b, R)
        memory.alpha = min(max(memory.alpha, -2 * R), 2 * R)
        if (t + 1) / data.n in run["epochs"]:
            found.append(solver.weights(memory))
    np.testing.assert_allclose(found, run["W"], rtol=1e-10, atol=1e-12)


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
def test_spam(recorded, after, name, solver, penalties):
    """It returns the last iterate."""
    hyper, run = recorded(name)
    chosen = get_solver(solver, xi=hyper["xi"], **{k: hyper[k] for k in penalties}, **LAST)
    found = after(begin(chosen, recorded.data)[1], run["epochs"])
    np.testing.assert_allclose(found, run["W"], rtol=1e-10, atol=1e-13)


def test_spam_net_shrinks_both_signs_where_the_published_code_does_not(recorded, after):
    hyper, run = recorded("spam_net")
    X, y = recorded.X, recorded.y
    solver = get_solver("spam-net", **hyper, **LAST)
    found = after(begin(solver, recorded.data)[1], run["epochs"])
    point = ProximalPoint.at(np.zeros(X.shape[1]), recorded.data, hyper["l1"], hyper["l2"])
    point.xi = hyper["xi"]
    step_by_rows(reference_update, point, X, y, range(len(y)))
    np.testing.assert_allclose(found[0], point.w, rtol=1e-10, atol=1e-13)
    assert np.abs(found - run["W"]).max() > 1e-3
