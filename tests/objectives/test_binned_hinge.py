"""Bounds of the hinge from scores in bins, against exact arithmetic."""

from fractions import Fraction

import numpy as np
import optima
import pytest
from refusals import assert_refused

from aucbench.data import Data
from aucbench.errors import UnsupportedError
from aucbench.objectives import BinnedHinge
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale import bins as scores_in_bins
from aucbench.scale.row_sums import additions

KINDS = ("normal", "ties", "skew", "scaled", "offset", "apart", "rare")


def parts_of(X, y, size=50, **how):
    return ChunkedData(InMemory(Data.of(X, y), size), **how)


def problem(kind, n=24, d=3, seed=0):
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    y = np.where(np.arange(n) < (2 if kind == "rare" else n // 3), 1, -1)
    X = rng.normal(size=(n, d)) + 0.7 * (y > 0)[:, None]
    if kind == "ties":
        X = np.round(X)
    elif kind == "skew":
        X = np.exp(2.0 * X)
    elif kind == "scaled":
        X = X * 10.0 ** np.array([-4, 0, 4])[:d]
    elif kind == "offset":
        X = X + 1e6
    elif kind == "apart":
        X = X + 50.0 * (y > 0)[:, None]
    return X, y, rng


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bins", [1, 16, 1024])
def test_cuts_and_values_hold_exactly(kind, bins):
    X, y, rng = problem(kind)
    f = BinnedHinge(parts_of(X, y, 5), bins)
    size = 1.0 / X.std(axis=0)
    for _ in range(3):
        w = rng.normal(size=3) * size * rng.choice([0.1, 1.0, 10.0])
        cut = f.cut(w)
        e, eta = f.rounding(w)
        assert optima.pairwise_hinge(X, y, w) <= Fraction(cut.value) + Fraction(e)
        for scale in (0.0, 1e-6, 0.1, 1.0, 30.0):
            u = w + scale * rng.normal(size=3) * size
            below = Fraction(cut.intercept) + optima.dot(
                optima.exactly(cut.slope), optima.exactly(u)
            )
            allowed = Fraction(e) + Fraction(eta) * Fraction(float(np.linalg.norm(u - w)))
            assert optima.pairwise_hinge(X, y, u) >= below - allowed
    assert e <= 1e-9 * (1.0 + float(np.abs(X - X.mean(axis=0)).max()) * np.linalg.norm(w))


def test_rows_beyond_the_range_of_the_sample_cost_slack_only(monkeypatch):
    X, y, rng = problem("normal", n=300)
    parts = parts_of(X, y)
    w = rng.normal(size=3)
    narrow = scores_in_bins.Grid(-0.2, 10.0, 4)
    monkeypatch.setattr("aucbench.objectives.binned_hinge.grid_of", lambda *_: narrow)
    cut = BinnedHinge(parts).cut(w)
    true = float(optima.pairwise_hinge(X, y, w))
    assert cut.value - cut.slack <= true + 1e-12 <= cut.value + 2e-12
    assert cut.slack > 0.1


def test_constant_columns_have_exactly_no_gradient():
    X, y, rng = problem("normal", n=300, d=4)
    X[:, 1] = 0.1
    assert BinnedHinge(parts_of(X, y)).cut(rng.normal(size=4)).slope[1] == 0.0


def test_nothing_is_read_twice():
    X, y, rng = problem("normal", n=300)
    parts = parts_of(X, y)
    f = BinnedHinge(parts)
    assert f.value(np.zeros(3)) == 1.0
    assert np.allclose(f.grad(np.zeros(3)), X[y < 0].mean(axis=0) - X[y > 0].mean(axis=0))
    assert f.operations >= additions(parts)  # the sums of the survey are rounded too
    w = rng.normal(size=3)
    f.cut(w)
    before = parts.readings
    value = f.value(w)
    f.grad(w)
    assert parts.readings == before
    assert f.finer()
    assert f.value(w) == value
    finer = f.cut(w)
    assert parts.readings == before + 1
    assert finer.value < value
    while f.finer():
        pass
    assert f.bins == 1 << 20
    some = np.arange(3, dtype=np.int32)
    assert_refused(lambda: f.grad(w, some), UnsupportedError, "all of them")
