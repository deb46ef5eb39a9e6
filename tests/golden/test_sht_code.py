"""Retrace the C code that was published with the SHT-AUC paper, step by step.

It visits rows in file order, or in a recorded order of blocks. Each test says where its method is
another one than ours. Translations (see the reference's README): it keeps s - 1 entries, its
gradient is p(1 - p) times ours, its blocks are consecutive rows, and its ridge is a prox before
the threshold. Its versions 1 and 2 have other gradients than the paper's f_B, and ours.
"""

import json
from dataclasses import dataclass
from itertools import islice
from math import floor

import numpy as np
import pytest
from samples import LAYOUT
from stepping import posed, states, step_by_rows

from aucbench.contract import Problem, Projector
from aucbench.data import Data
from aucbench.data.summaries import whole_chunk
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import TopK
from aucbench.registry import get_solver
from aucbench.solving.loop import begin
from aucbench_plugins.online.spam import ProximalPoint, reference_update

LAST = {"average": False, "shuffle": False}


class Recorded:
    """The rows of one small data set, in one layout, and the runs by their names."""

    def __init__(self, folder, layout):
        index = json.loads((folder / "index.json").read_text())
        self._folder, self._cases = folder, {case["file"]: case for case in index["cases"]}
        small = np.load(folder / "input_small.npz")
        self.X, self.y = small["X"], small["y"]
        self.data = Data.of(layout(self.X), self.y)

    def __call__(self, name):
        """Hyperparameters, and the arrays of a run."""
        file = f"small__{name}.npz"
        return self._cases[file]["hyper"], np.load(self._folder / file)


@pytest.fixture(scope="module", params=LAYOUT)
def recorded(request, reference):
    return Recorded(reference / "sht", LAYOUT[request.param])


def after(made, steps):
    """The weights after the given numbers of steps."""
    each = [state.w.copy() for state in islice(made, int(max(steps)))]
    return np.array([each[t - 1] for t in steps])


# --- hard thresholding -------------------------------------------------------------------


class Replay:
    """Stands in for a Generator and deals the recorded blocks."""

    def __init__(self, order=(), batches=()):
        self.order, self.batches = iter(order), iter(batches)

    def integers(self, high):
        return int(next(self.order))

    def choice(self, n, size, *, replace):
        return next(self.batches)

    def permutation(self, n):
        return np.arange(n)


@dataclass
class RidgeThenTopK(Projector):
    """Shrink by 1 / (1 + c l2), then keep k."""

    k: int
    shrink: float

    def __call__(self, v, step=1.0):
        v /= self.shrink
        return TopK(self.k)(v)


@pytest.mark.parametrize("name", ["b20", "b200", "b20_c10", "b20_l2"])
def test_sht_auc(recorded, name):
    (hyper, run), data = recorded(f"sht_v0_{name}"), recorded.data
    k, c = hyper["s"] - 1, hyper["c"]
    gamma = c * data.labels.p * (1 - data.labels.p)
    solver = get_solver("sht-auc", k=k, gamma=gamma, blocks=200 // hyper["b"], shuffle=False)
    project = RidgeThenTopK(k, 1 + c * hyper.get("l2", 0.0))

    made = states(solver, Problem(PairwiseSquare(data), project), Replay(run["block_order"]))

    np.testing.assert_allclose(after(made, run["iterations"]), run["W"], rtol=1e-12, atol=1e-14)


def test_sto_iht_with_intercept(recorded):
    (hyper, run), data = recorded("stoiht"), recorded.data
    how = {"k": hyper["s"] - 1, "gamma": hyper["xi"], "blocks": 10}
    solver = get_solver("sto-iht", **how, shuffle=False, centre=False)

    made = states(solver, posed(solver, data), Replay(run["block_order"]))
    found = after(made, run["iterations"])

    np.testing.assert_allclose(found[:, :-1], run["W"], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found[:, -1], run["intercept"], rtol=1e-12)


@pytest.mark.parametrize(("name", "steps"), [("hsght_tau1", 64), ("hsght_tau10", 16)])
def test_hsg_ht_with_intercept_in_its_first_pass(recorded, name, steps):
    (hyper, run), data = recorded(name), recorded.data
    # The published code rounds its batch sizes down, and takes rows in file order.
    sizes = [floor(hyper["tau"] * hyper["zeta"] ** t) for t in range(steps)]
    batches = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    solver = get_solver("hsg-ht", k=hyper["s"] - 1, gamma=hyper["step"], centre=False)

    [w] = after(states(solver, posed(solver, data), Replay((), batches)), [steps])

    np.testing.assert_allclose(w[:-1], run["W"][0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(w[-1], run["intercept"][0], rtol=1e-12)


# --- steps of single rows ----------------------------------------------------------------


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


def test_opauc(recorded):
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


SPAM = [
    *(("spam_l1", "spam-l1", ["l1"]), ("spam_l2", "spam-l2", ["l2"])),
    *(("spam_noreg", "spam-l1", ["l1"]), ("spam_noreg", "spam-l2", ["l2"])),
    ("spam_noreg", "spam-net", ["l1", "l2"]),
]


@pytest.mark.parametrize(("name", "solver", "penalties"), SPAM)
def test_spam(recorded, name, solver, penalties):
    """It returns the last iterate."""
    hyper, run = recorded(name)
    chosen = get_solver(solver, xi=hyper["xi"], **{k: hyper[k] for k in penalties}, **LAST)
    found = after(begin(chosen, recorded.data)[1], run["epochs"])
    np.testing.assert_allclose(found, run["W"], rtol=1e-10, atol=1e-13)


def test_spam_net_shrinks_both_signs_where_the_published_code_does_not(recorded):
    hyper, run = recorded("spam_net")
    X, y = recorded.X, recorded.y
    found = after(begin(get_solver("spam-net", **hyper, **LAST), recorded.data)[1], run["epochs"])
    point = ProximalPoint.at(np.zeros(X.shape[1]), recorded.data, hyper["l1"], hyper["l2"])
    point.xi = hyper["xi"]
    step_by_rows(reference_update, point, X, y, range(len(y)))
    np.testing.assert_allclose(found[0], point.w, rtol=1e-10, atol=1e-13)
    assert np.abs(found - run["W"]).max() > 1e-3
