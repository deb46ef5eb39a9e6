"""Retrace the C code published with the SHT-AUC paper, step by step.

Translations (see the reference's README): it keeps s - 1 entries, its gradient is p(1 - p)
times ours, its blocks are consecutive rows drawn in a recorded order, its ridge is a prox
before the threshold. Versions 1 and 2 use other estimates of the gradient than the paper's
f_B; here they are objectives of this test, run by the same loop.
"""

from dataclasses import dataclass
from itertools import islice
from math import floor

import numpy as np
import pytest
from stepping import posed, states

from aucbench.contract import Objective, Problem, Projector
from aucbench.data import Data
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import TopK
from aucbench.registry import get_solver


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
class Spam(Objective):
    """Version 1: SPAM's gradient without centring, scaled to estimate that of F."""

    data: Data

    def coefficients(self, rows, w):
        X, y = self.data.rows.take(rows).matrix, self.data.y[rows]
        m_neg, m_pos = self.data.means
        a, b, p = w @ m_pos, w @ m_neg, self.data.labels.p
        return X, y, X @ w, a, b, p

    def grad(self, w, rows):
        X, y, s, a, b, p = self.coefficients(rows, w)
        c = np.where(y > 0, (1 - p) * (s - a - 1 - b + a), p * (s - b + 1 + b - a))
        return 2 * (X.T @ c) / len(y) / (p * (1 - p))


class Expanded(Spam):
    """Version 2: each row against the mean of the other class."""

    def grad(self, w, rows):
        X, y, s, a, b, p = self.coefficients(rows, w)
        m_neg, m_pos = self.data.means
        q, pos = p * (1 - p) * (a - b), y > 0
        c_x = np.where(pos, (1 - p) * (s - b - 1), p * (s - a + 1))
        c_pos = np.where(pos, (1 - p) * a - q, -p * s - q)
        c_neg = np.where(pos, -(1 - p) * s + q, p * b + q)
        total = X.T @ c_x + c_pos.sum() * m_pos + c_neg.sum() * m_neg
        return 2 * total / len(y) / (p * (1 - p))


@dataclass
class RidgeThenTopK(Projector):
    """Shrink by 1 / (1 + c l2), then keep k."""

    k: int
    shrink: float

    def __call__(self, v, step=1.0):
        v /= self.shrink
        return TopK(self.k)(v)


@pytest.mark.parametrize(
    ("name", "objective"),
    [
        ("sht_v0_b20", PairwiseSquare),
        ("sht_v0_b200", PairwiseSquare),
        ("sht_v0_b20_c10", PairwiseSquare),
        ("sht_v0_b20_l2", PairwiseSquare),
        ("sht_v1_b20", Spam),
        ("sht_v2_b20", Expanded),
    ],
)
def test_sht_auc(recorded, after, name, objective):
    (hyper, run), data = recorded(name), recorded.data
    k, c = hyper["s"] - 1, hyper["c"]
    gamma = c * data.labels.p * (1 - data.labels.p)
    solver = get_solver("sht-auc", k=k, gamma=gamma, blocks=200 // hyper["b"], shuffle=False)
    project = RidgeThenTopK(k, 1 + c * hyper.get("l2", 0.0))

    problem = Problem(objective(data), project)
    found = after(states(solver, problem, Replay(run["block_order"])), run["iterations"])

    np.testing.assert_allclose(found, run["W"], rtol=1e-12, atol=1e-14)


def test_sto_iht_with_intercept(recorded, after):
    (hyper, run), data = recorded("stoiht"), recorded.data
    solver = get_solver(
        "sto-iht", k=hyper["s"] - 1, gamma=hyper["xi"], blocks=10, shuffle=False, centre=False
    )

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

    made = states(solver, posed(solver, data), Replay((), batches))
    w = [s.w.copy() for s in islice(made, steps)][-1]

    np.testing.assert_allclose(w[:-1], run["W"][0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(w[-1], run["intercept"][0], rtol=1e-12)
