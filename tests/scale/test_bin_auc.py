"""Bounds of the AUC of rows in chunks, from the bins of a cut."""

import numpy as np
import pytest

from aucbench.data import Data
from aucbench.metrics import auc
from aucbench.objectives import BinnedHinge, BinnedSquaredHinge
from aucbench.scale import ChunkedData, InMemory
from aucbench.solving.loop import solve

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("loss", [BinnedHinge, BinnedSquaredHinge])
def test_the_auc_lies_between_its_bounds(loss):
    rng = np.random.default_rng(0)
    for _ in range(25):
        n, d, scale = (
            int(rng.integers(20, 400)),
            int(rng.integers(1, 4)),
            10.0 ** rng.uniform(-3, 2),
        )
        X = np.round(rng.standard_normal((n, d)), int(rng.integers(0, 3))) * scale  # ties
        y = np.where(X[:, 0] / scale + rng.standard_normal(n) > 0.3, 1, -1)
        y[:2] = -1, 1
        data = ChunkedData(InMemory(Data.of(X, y), 50))
        w = rng.standard_normal(d) * 10.0 ** rng.uniform(-2, 2)
        low, high = loss(data, int(rng.integers(1, 2000))).cut(w).auc
        assert 0.0 <= low <= auc(y, X @ w) + 1e-12
        assert auc(y, X @ w) <= high + 1e-12 <= 1.0 + 1e-12


def test_many_bins_leave_little_open_and_a_fit_says_its_bounds():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3000, 3))
    y = np.where(X[:, 0] + rng.standard_normal(3000) > 0.5, 1, -1)
    data = ChunkedData(InMemory(Data.of(X, y), 500))
    low, high = BinnedHinge(data, 1 << 16).cut(np.array([2.0, 0.0, 0.0])).auc
    assert high - low < 1e-4
    told = []
    run = solve("svm-or[lam=0.01]", data, watch=lambda _, state: told.append(dict(state.info)))
    value = auc(y, X @ run.w)
    assert told[-1]["auc_low"] <= value <= told[-1]["auc_high"]
