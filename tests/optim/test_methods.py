"""Shared parts of solvers: step sizes, eigenvalues, and what they refuse."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from refusals import assert_refused, refusals
from samples import data

from aucbench.contract import Objective
from aucbench.data import Data, Shape, Shapes, Terms
from aucbench.data.arrays import ALL
from aucbench.data.tally import counting
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.optim import lipschitz, top_eigenvalue
from aucbench.registry import get_solver
from aucbench.solving.loop import solve

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("m", [1, 7])
def test_lipschitz_is_the_largest_eigenvalue_of_a_block_hessian(m):
    f, rng = PairwiseSquare(data(d=6)), np.random.default_rng(0)
    blocks = f.data.blocks(m, rng)
    hessians = [np.array([f.curvature(e, b) for e in np.eye(6)]) for b in blocks]
    top = max(np.linalg.eigvalsh((h + h.T) / 2)[-1] for h in hessians)
    assert lipschitz(f, blocks, rng) == pytest.approx(top, rel=1e-3)


@pytest.mark.parametrize("spectrum", [np.arange(1.0, 41.0), np.r_[np.ones(39), 1.1], np.ones(40)])
def test_few_products_find_the_top_eigenvalue(spectrum):
    rng = np.random.default_rng(3)
    Q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    H, asked = (Q * spectrum) @ Q.T, []

    def product(v):
        asked.append(v)
        return H @ v

    value, v = top_eigenvalue(product, rng.normal(size=40))

    assert value == pytest.approx(spectrum.max(), rel=5e-3)
    assert value <= spectrum.max() * (1 + 1e-12)
    assert v @ H @ v == pytest.approx(value, rel=1e-9)
    assert len(asked) <= 15


def test_what_is_read_through_an_objective_is_counted():
    f, rng = PairwiseSquare(data(d=6)), np.random.default_rng(0)
    n, w = f.data.n, rng.normal(size=6)
    with counting() as read:
        f.value(w)
        f.grad(w, slice(0, 7))
        f.curvature(w)
        assert read.rows == n + 7 + n
        lipschitz(f, [ALL], rng)
        assert read.rows >= 2 * n + 7 + 2 * n


class Kinked(Objective):
    """No curvature."""

    data = Data.of(np.eye(2), [1, -1])


FLAT = Logistic(Data.of(np.zeros((2, 2)), [1, -1]))
SHAPED = replace(data(d=3), shapes=Shapes(((1, Shape.of("+1")),)))
BOUNDED = replace(data(d=3), terms=Terms.each(3, SHAPED.shapes))


@refusals(
    ("kinks", lambda: lipschitz(Kinked(), [ALL], RNG), UnsupportedError, "gamma"),
    ("flat", lambda: lipschitz(FLAT, [ALL], RNG), ParameterError, "curvature"),
    *((f"group {group}", lambda group=group, name=name: get_solver(name, group=group),
       ParameterError, "group") for group in (0.0, -1.0, inf) for name in ("rank-svm", "ls-svm")),
    *((f"bounds of {name}", lambda name=name, some=some: solve(name, some), UnsupportedError,
       "rank-svm") for name in ("svm-or", "roc-svm-nystrom", "sht-auc", "logistic")
      for some in (SHAPED, BOUNDED)),
)  # fmt: skip
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)
