"""The squared hinge by bins: its cuts and bounds against exact arithmetic, and rank-svm on it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parts_problems import in_parts, rows_with_labels

import aucbench
from aucbench.data import Data
from aucbench.objectives import BinnedSquaredHinge, PairwiseSquaredHinge
from aucbench.objectives.binned_squared_hinge import distances
from aucbench.records import Stop
from aucbench.solving.loop import begin


def exact(data, W):
    """f at many points (k, d), in long doubles, over all pairs."""
    X, y = data.rows.dense().matrix.astype(np.longdouble), data.y
    D = (X[y > 0][:, None] - X[y < 0][None]).reshape(-1, data.d)
    return (np.maximum(1 - D @ np.asarray(W, np.longdouble).T, 0) ** 2).mean(axis=0)


def kinds(name, seed):
    rng = np.random.default_rng(seed)
    data = rows_with_labels(seed, n=60, d=3, sparse=name == "sparse")
    X = data.rows.dense().matrix.copy()
    if name == "ties":
        X = np.round(X)
    elif name == "heavy tails":
        X = X * np.exp(3.0 * rng.standard_normal((len(X), 1)))
    elif name == "offset":
        X = X + 1e7
    elif name == "rare":
        y = np.where(np.arange(60) < 2, 1, -1)
        return Data.of(X, y)
    return data if name == "sparse" else Data.of(X, data.y)


KINDS = ("normal", "ties", "heavy tails", "offset", "rare", "sparse")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bins", [1, 7, 1024])
def test_cuts_are_below_and_values_above_at_ten_thousand_points(kind, bins):
    """The bins are those of the score of a sample of a few rows, so that many are outside."""
    data = kinds(kind, 31)
    rng = np.random.default_rng(bins)
    points = rng.standard_normal((600, 3)) * 10.0 ** rng.uniform(-4, 1, (600, 1))
    at = exact(data, points)
    for w in points[::100]:
        f = BinnedSquaredHinge(in_parts(data, 11), bins)
        cut = f.cut(w)
        e, eta = f.rounding(w)
        assert (
            at >= cut.intercept + points @ cut.slope - e - eta * np.linalg.norm(points - w, axis=1)
        ).all()
        assert cut.value >= exact(data, w[None])[0] - e
        assert cut.value - cut.slack == pytest.approx(cut.intercept + cut.slope @ w, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_many_bins_have_the_loss_and_its_gradient(kind):
    data = kinds(kind, 32)
    f, g = PairwiseSquaredHinge(data), BinnedSquaredHinge(in_parts(data, 13), 1 << 18)
    w = 0.3 * np.random.default_rng(1).standard_normal(3)
    np.testing.assert_allclose(g.value(w), f.value(w), rtol=1e-6 if kind != "heavy tails" else 1e-4)
    np.testing.assert_allclose(g.grad(w), f.grad(w), rtol=1e-3, atol=1e-4 * abs(f.grad(w)).max())


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9))
def test_distances_of_bins_are_sums_over_pairs(bins):
    neg, pos = (np.array(column, np.int64) for column in zip(*bins, strict=True))
    k, kappa, square = distances(neg, pos)
    at = np.arange(len(bins))
    between = np.maximum(at[None] - at[:, None], 0)  # positives in rows, negatives in columns
    assert k.tolist() == (between @ neg).tolist()
    assert kappa.tolist() == (pos @ between).tolist()
    assert square.tolist() == (between**2 @ neg).tolist()
    assert pos @ k == kappa @ neg


def test_any_parts_give_the_same_counts_and_nearly_the_same_cut():
    data = rows_with_labels(33, n=500)
    whole, w = in_parts(data, 500), np.linspace(-1.0, 1.0, data.d)
    cuts = []
    for size in (500, 77, 10):
        parts = in_parts(data, size)
        for name in ("shift", "survey", "sample"):  # the bins depend on them
            vars(parts)[name] = getattr(whole, name)
        cuts.append(BinnedSquaredHinge(parts).cut(w))
    b = {Fraction(cut.intercept) for cut in cuts}
    assert len(b) == 1
    for cut in cuts:
        np.testing.assert_allclose(cut.slope, cuts[0].slope, rtol=1e-12, atol=1e-13)


def test_two_readings_take_the_place_of_large_sums(monkeypatch):
    data = rows_with_labels(34)
    w = np.linspace(-0.5, 0.5, data.d)
    one = BinnedSquaredHinge(in_parts(data)).cut(w)
    monkeypatch.setattr("aucbench.scale.bins.SUMS", 1)
    f = BinnedSquaredHinge(in_parts(data))
    two = f.cut(w)
    assert (one.intercept, one.slack) == (two.intercept, two.slack)
    np.testing.assert_allclose(one.slope, two.slope, rtol=1e-12, atol=1e-14)
    assert f.data.readings == 3


@pytest.mark.parametrize("case", [{}, {"offset": 1e4}, {"sparse": True}])
@pytest.mark.parametrize("lam", [None, 1e-3])
def test_rank_svm_is_that_in_memory_within_both_gaps(case, lam):
    data = rows_with_labels(35, n=1500, **case)
    solver = aucbench.get_solver("rank-svm", lam=lam)
    parts = in_parts(data, 200)
    run, best = aucbench.solve(solver, parts), aucbench.solve(solver, data)
    assert run.stop is Stop.CERTIFIED
    ridge = begin(solver, parts)[0].project.l2
    f = PairwiseSquaredHinge(data)
    P = [f.value(w) + 0.5 * ridge * (w @ w) for w in (run.w, best.w)]
    gaps = [r.points[-1].gap for r in (run, best)]
    assert abs(P[0] - P[1]) <= sum(gaps)
    assert P[0] <= run.points[-1].objective * (1 + 1e-9)
    assert case.get("sparse") or run.w[data.d // 2] == 0.0


def test_rank_svm_of_many_rows_begins_with_a_sample(monkeypatch):
    """A sample of a tenth of the rows leaves few readings to do."""
    monkeypatch.setattr("aucbench.scale.data.NUMBERS", 3000)
    monkeypatch.setattr("aucbench.scale.data.FEWEST", 100)
    data = rows_with_labels(36, n=12_000)
    parts = in_parts(data, 1000)
    run = aucbench.solve("rank-svm", parts, gap_tol=1e-4)
    assert parts.sample.n == 1000
    assert run.stop is Stop.CERTIFIED
    assert parts.readings <= 6
