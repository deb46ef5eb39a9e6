"""Shared parts of solvers."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import ALL
from aucbench.errors import ParameterError
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.optim import lipschitz


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

    assert lipschitz(f, blocks, rng) == pytest.approx(top, rel=1e-2)


def test_lipschitz_of_the_logistic_loss():
    X, y, rng = sample()
    top = np.linalg.eigvalsh(X.T @ X / (4 * len(y)))[-1]

    assert lipschitz(Logistic(Data.of(X, y)), [ALL], rng) == pytest.approx(top, rel=1e-2)


def test_no_curvature_no_step_size():
    class Kinked:
        data = Data.of(np.eye(2), [1, -1])

    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="Kinked, which has no curvature bound; give gamma"):
        lipschitz(Kinked(), [ALL], rng)
    flat = Logistic(Data.of(np.zeros((2, 2)), [1, -1]))
    with pytest.raises(ParameterError, match=r"curvature of the data is 0.0; rescale"):
        lipschitz(flat, [ALL], rng)
