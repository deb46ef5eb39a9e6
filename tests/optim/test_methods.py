"""Shared parts of solvers."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL
from aucbench.data.tally import counting
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.optim import lipschitz, top_eigenvalue


def sample(n=60, d=6):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    return rng.normal(size=(n, d)) + 0.5 * y[:, None], y, rng


@pytest.mark.parametrize("m", [1, 7])
@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_lipschitz_is_the_largest_eigenvalue_of_a_block_hessian(m, layout):
    X, y, rng = sample()
    f = PairwiseSquare(Data.of(layout(X), y))
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
    X, y, rng = sample()
    f = PairwiseSquare(Data.of(X, y))
    n, w = f.data.n, rng.normal(size=6)
    with counting() as read:
        f.value(w)
        f.grad(w, slice(0, 7))
        f.curvature(w)
        assert read.rows == n + 7 + n
        lipschitz(f, [ALL], rng)
        assert read.rows >= 2 * n + 7 + 2 * n


def test_no_curvature_no_step_size():
    class Kinked(Objective):
        data = Data.of(np.eye(2), [1, -1])

    rng = np.random.default_rng(0)
    with pytest.raises(UnsupportedError, match="Kinked has no curvature; give a step, as gamma"):
        lipschitz(Kinked(), [ALL], rng)
    flat = Logistic(Data.of(np.zeros((2, 2)), [1, -1]))
    with pytest.raises(ParameterError, match=r"curvature of the data is 0.0; rescale"):
        lipschitz(flat, [ALL], rng)
