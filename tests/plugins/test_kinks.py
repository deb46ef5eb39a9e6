"""The mean curvature of the hinge, and where a fit begins with it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.solving.loop import solve
from aucbench_plugins.roc_svm import svm_or
from aucbench_plugins.roc_svm.preconditioner import WINDOW, bend, inverse_bend


def rows(n, d, kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "correlated":
        X = X @ rng.normal(size=(d, d))
    elif kind == "scaled":
        X = X * 10.0 ** rng.uniform(-2, 2, d)
    elif kind == "skew":
        X = np.exp(1.2 * X)
    s = (X - X.mean(axis=0)) @ (rng.normal(size=d) / X.std(axis=0))
    return X, np.where(s / s.std() + rng.normal(size=n) > 1.2, 1, -1)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_bend_is_the_sum_over_pairs_in_the_window(layout):
    X, y = rows(60, 3, "normal")
    data = Data.of(layout(X), y)
    s = X @ np.array([0.3, -0.2, 0.5])
    u, t = s[y < 0], s[y > 0] - 1.0
    h = WINDOW * np.hypot(u.std(), t.std()) * min(u.size, t.size) ** -0.2
    total = np.zeros((3, 3))
    for i in np.flatnonzero(y > 0):
        for j in np.flatnonzero(y < 0):
            if abs(1.0 - s[i] + s[j]) <= h:
                total += np.outer(X[i] - X[j], X[i] - X[j])
    assert np.allclose(bend(data, s), total / (2 * h * u.size * t.size), atol=1e-12)


def test_wide_rows_and_scores_without_kinks():
    X, y = rows(40, 3, "normal")
    assert inverse_bend(Data.of(np.zeros((4, 1001)), [0, 1, 0, 1]), np.zeros(4), 1.0) is None
    flat = inverse_bend(Data.of(X, y), np.zeros(40), 0.5)  # no pair is near its kink
    assert np.allclose(flat(np.ones(3)), 2.0)
    with np.errstate(over="ignore", invalid="ignore"):
        assert inverse_bend(Data.of(1e200 * X, y), X @ np.ones(3), 1.0) is None


@pytest.mark.parametrize("kind", ["correlated", "scaled"])
def test_many_rows_in_memory_begin_so_too(kind, monkeypatch):
    X, y = rows(20_000, 12, kind)
    data = Data.of(X, y)
    whole = solve("svm-or", data, gap_tol=1e-6, passes=400)
    monkeypatch.setattr(svm_or, "MANY", 10_000)
    monkeypatch.setattr(svm_or, "SAMPLED", 4000)
    short = solve("svm-or", data, gap_tol=1e-6, passes=400)
    a, b = short.points[-1], whole.points[-1]
    assert a.step < b.step / 3
    assert abs(a.objective - b.objective) <= a.gap + b.gap
    assert a.passes > a.step  # what is read of the sample counts
    again = solve("svm-or", data, gap_tol=1e-6, w0=short.w)
    assert again.points[-1].step <= 3
