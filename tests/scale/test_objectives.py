"""Objectives of rows in chunks: exact arithmetic, certificates, and the solvers on them."""

from fractions import Fraction

import numpy as np
import pytest
from parts_problems import as_columns, in_parts, rows_with_labels

import aucbench
from aucbench.data import Data
from aucbench.data.rounding import gamma
from aucbench.objectives import (
    BinnedSquaredHinge,
    LogisticInParts,
    MomentSquare,
    PairwiseSquare,
    PairwiseSquaredHinge,
)
from aucbench.records import Stop
from aucbench.scale import InMemory
from aucbench.scale.moments import moments
from aucbench.solving.loop import begin

CASES = pytest.mark.parametrize("case", [{}, {"offset": 1e3}, {"sparse": True}], ids=str)


def differences(data):
    """x_i − x_j of all pairs, in long doubles."""
    X, y = data.rows.dense().matrix.astype(np.longdouble), data.y
    return (X[y > 0][:, None] - X[y < 0][None]).reshape(-1, data.d)


def of_logistic(data, C, theta):
    """P at (w, c) of rows as they are, with its gradient, in long doubles."""
    X = data.rows.dense().matrix.astype(np.longdouble)
    m = data.y * (X @ theta[:-1] + theta[-1])
    alpha = 1 / (1 + np.exp(m))
    value = C * np.logaddexp(0, -m).sum() + theta[:-1] @ theta[:-1] / 2
    slope = np.append(theta[:-1] - C * X.T @ (alpha * data.y), -C * (alpha * data.y).sum())
    return float(value), slope.astype(float)


# --- solvers on rows in chunks are those on rows in memory ---------------------------------------


@CASES
@pytest.mark.parametrize(
    ("spec", "objective"),
    [
        *((f"ls-svm[lam={lam}]", PairwiseSquare) for lam in (1e-4, 10.0)),
        *(("ls-svm", PairwiseSquare), ("rank-svm", PairwiseSquaredHinge)),
        ("rank-svm[lam=1e-3]", PairwiseSquaredHinge),
    ],
)
def test_a_solver_is_that_in_memory_within_both_gaps(spec, objective, case):
    data = rows_with_labels(35, n=900, **case)
    solver, parts = aucbench.get_solver(spec), in_parts(data, 200)
    run, best = aucbench.solve(solver, parts), aucbench.solve(solver, data)
    assert run.stop is Stop.CERTIFIED
    ridge, f = begin(solver, parts)[0].project.l2, objective(data)
    P = [f.value(w) + 0.5 * ridge * (w @ w) for w in (run.w, best.w)]
    gaps = [r.points[-1].gap for r in (run, best)]
    assert abs(P[0] - P[1]) <= sum(gaps) + 1e-12 * abs(P[0])
    assert P[0] <= run.points[-1].objective * (1 + 1e-9)
    assert case.get("sparse") or run.w[data.d // 2] == 0.0  # of a constant column
    if objective is PairwiseSquare:
        assert parts.readings == 2
        atol = 1e-7 * abs(best.w).max()
        np.testing.assert_allclose(run.w, best.w, rtol=1e-5, atol=atol)


def test_many_features_are_solved_by_readings(monkeypatch):
    """Beyond 4000 features the matrix is not formed; here beyond 3."""
    monkeypatch.setattr("aucbench.objectives.moment_square.DIRECT", 3)
    data = rows_with_labels(18)
    parts = in_parts(data)
    run = aucbench.solve("ls-svm", parts, gap_tol=1e-14)
    assert run.points[-1].gap < 1e-8
    assert "moments" not in vars(parts)
    np.testing.assert_allclose(run.w, aucbench.solve("ls-svm", data).w, rtol=1e-5, atol=1e-7)


def test_separable_rows_have_finite_weights():
    rng = np.random.default_rng(2)
    y = np.where(rng.random(300) < 0.4, 1, -1)
    X = np.column_stack([y * 1e3 + rng.standard_normal(300), rng.standard_normal(300)])
    parts = in_parts(Data.of(X, y), 50)
    run = aucbench.solve(aucbench.get_solver("logistic", C=1e4), parts, passes=30)
    assert np.isfinite(run.w).all()
    assert np.isfinite(run.points[-1].gap)


# --- moments -------------------------------------------------------------------------------------


def naive(data, shift):
    """Moments in long doubles, and the sums of the magnitudes of what they add up."""
    X = data.rows.dense().matrix.astype(np.longdouble) - shift
    sides = [X[data.y == side] for side in (-1, 1)]
    products = [np.einsum("ni,nj->ij", Z, Z) for Z in sides]
    sizes = [np.einsum("ni,nj->ij", abs(Z), abs(Z)) for Z in sides]
    return tuple(map(len, sides)), [Z.sum(axis=0) for Z in sides], products, sizes


@pytest.mark.parametrize("layout", ["dense", "sparse", "columns", "single columns"])
def test_moments_are_those_of_the_rows(layout):
    sparse = layout == "sparse"
    data = rows_with_labels(1, offset=0.0 if sparse else 100.0, sparse=sparse)
    dtype = np.float32 if layout.startswith("single") else np.float64
    if "columns" in layout:
        data = Data.of(data.rows.matrix.astype(dtype).astype(float), data.y)
    shift = np.zeros(data.d) if sparse else data.rows.matrix.mean(axis=0)
    rows = next(iter(InMemory(data, data.n).read(0)))
    got = moments(as_columns(data, dtype) if "columns" in layout else rows, shift)
    counts, sums, products, sizes = naive(data, shift)
    assert got.counts == counts
    np.testing.assert_allclose(got.sums, np.array(sums, float), rtol=1e-12, atol=1e-9)
    for k in (0, 1):
        assert (abs(got.products[k] - products[k]) <= 2 * gamma(data.n) * sizes[k]).all()
        assert (got.products[k] == got.products[k].T).all()


@pytest.mark.parametrize("ordered", [False, True])
def test_a_large_mean_costs_no_digits_and_threads_change_no_bit(ordered):
    """The mean of all rows is the shift, also where the first part is far from it."""
    data = rows_with_labels(5, n=4000, d=4, offset=1e6)
    if ordered:
        data = data.take(np.argsort(data.rows.matrix[:, 0]).astype(np.int32))
    parts = in_parts(data, 500)
    for got, exact in zip(parts.moments.products, naive(data, parts.centre)[2], strict=True):
        size = np.sqrt(np.outer(np.diag(exact), np.diag(exact))) + 1e-300
        assert (abs(got - exact) / size).max() < 1e-14
    with aucbench.threads(3):
        three = in_parts(data, 500).moments
    assert three.products.tobytes() == parts.moments.products.tobytes()


# --- the pairwise square by moments --------------------------------------------------------------


@CASES
def test_the_rounding_of_the_square_is_bounded(case):
    """Of value and gradient, and of the gradient by the matrix of moments of many short tiles."""
    data = rows_with_labels(12, n=200, d=4, **case)
    g, D, rng = MomentSquare(in_parts(data, 40)), differences(data), np.random.default_rng(1)
    for scale in (1e-3, 1.0, 10.0):
        w = scale * rng.standard_normal(data.d)
        (e, eta), margins = g.rounding(w), 1 - D @ w
        assert abs(g.value(w) - (margins**2).mean()) <= e
        exact = -2 * (margins[:, None] * D).mean(axis=0)
        assert np.linalg.norm((g.grad(w) - exact).astype(float)) <= eta
    for lam in (1e-6, 1e-2):
        w = np.linalg.solve(g.matrix(lam), -2.0 * g.delta)
        slope = -2 * ((1 - D @ w)[:, None] * D).mean(axis=0) + lam * w
        assert float(slope @ slope) / (2 * lam) <= g.solved(w, lam)[1]


# --- the squared hinge by bins -------------------------------------------------------------------


def of_kind(name, seed):
    rng, data = np.random.default_rng(seed), rows_with_labels(seed, n=60, d=3)
    X, y = data.rows.matrix.copy(), data.y
    if name == "sparse":
        return rows_with_labels(seed, n=60, d=3, sparse=True)
    if name == "ties":
        X = np.round(X)
    elif name == "heavy tails":
        X = X * np.exp(3.0 * rng.standard_normal((len(X), 1)))
    elif name == "offset":
        X = X + 1e7
    elif name == "rare":
        y = np.where(np.arange(60) < 2, 1, -1)
    return Data.of(X, y)


@pytest.mark.parametrize("kind", ["normal", "ties", "heavy tails", "offset", "rare", "sparse"])
def test_cuts_are_below_and_values_above_at_any_point(kind):
    """The bins are those of the score of a sample of a few rows, so that many are outside."""
    data, rng = of_kind(kind, 31), np.random.default_rng(1)
    points, D = (
        rng.standard_normal((600, 3)) * 10.0 ** rng.uniform(-4, 1, (600, 1)),
        differences(data),
    )
    at = (np.maximum(1 - D @ points.T, 0) ** 2).mean(axis=0)
    for bins in (1, 7, 1024):
        for k in range(0, 600, 150):
            w, f = points[k], BinnedSquaredHinge(in_parts(data, 11), bins)
            cut, (e, eta) = f.cut(w), f.rounding(w)
            far = eta * np.linalg.norm(points - w, axis=1)
            assert (at >= cut.intercept + points @ cut.slope - e - far).all()
            assert cut.value >= at[k] - e
            assert cut.value - cut.slack == pytest.approx(cut.intercept + cut.slope @ w, rel=1e-9)
    f, g = PairwiseSquaredHinge(data), BinnedSquaredHinge(in_parts(data, 13), 1 << 18)
    w = 0.3 * np.random.default_rng(1).standard_normal(3)
    np.testing.assert_allclose(g.value(w), f.value(w), rtol=1e-6 if kind != "heavy tails" else 1e-4)
    np.testing.assert_allclose(g.grad(w), f.grad(w), rtol=1e-3, atol=1e-4 * abs(f.grad(w)).max())


def test_any_parts_and_two_readings_give_the_same_counts_and_nearly_the_same_cut(monkeypatch):
    data = rows_with_labels(33, n=500)
    whole, w, cuts = in_parts(data, 500), np.linspace(-1.0, 1.0, data.d), []
    for size, sums in ((500, None), (77, None), (10, None), (10, 1)):  # two readings of large sums
        parts = in_parts(data, size)
        for name in ("shift", "survey", "sample"):  # the bins depend on them
            vars(parts)[name] = getattr(whole, name)
        if sums:
            monkeypatch.setattr("aucbench.scale.bins.SUMS", sums)
        cuts.append(BinnedSquaredHinge(parts).cut(w))
    assert len({Fraction(cut.intercept) for cut in cuts}) == 1
    assert len({cut.slack for cut in cuts}) == 1
    for cut in cuts:
        np.testing.assert_allclose(cut.slope, cuts[0].slope, rtol=1e-12, atol=1e-13)


# --- logistic regression -------------------------------------------------------------------------


@pytest.mark.parametrize("C", [1e-4, 0.1, 100.0])
@pytest.mark.parametrize("case", [{}, {"offset": 30.0}, {"sparse": True}], ids=str)
def test_logistic_is_its_sums_and_its_gap_is_at_least_the_true_one(case, C):
    data = rows_with_labels(52, n=80, d=3, **case)
    f, rng = LogisticInParts(in_parts(data, 11), C), np.random.default_rng(1)
    theta = rng.standard_normal(4) / 5
    at = f.at(theta)  # the same point for rows as they are: the intercept without the centre
    value, slope = of_logistic(data, C, np.append(theta[:3], theta[3] - theta[:3] @ f.data.centre))
    assert at.value == pytest.approx(value, rel=1e-12)
    slope[:-1] -= f.data.centre * slope[-1]  # z is centred
    np.testing.assert_allclose(at.gradient, slope, rtol=1e-9, atol=1e-9 * abs(slope).max())

    Z = np.column_stack([data.rows.dense().matrix, np.ones(data.n)]).astype(np.longdouble)
    point = np.zeros(4)
    for _ in range(60):  # Newton's method in long doubles
        alpha = (1 / (1 + np.exp(data.y * (Z @ point)))).astype(float)
        H = C * (Z.T * (alpha * (1 - alpha))) @ Z + np.diag([1, 1, 1, 0])
        point = point - np.linalg.solve(H.astype(float), of_logistic(data, C, point)[1])
    best = of_logistic(data, C, point)[0]
    run = aucbench.solve(aucbench.get_solver("logistic", C=C), f.data)
    near = np.append(run.w, 0.0) + 1e-3 * rng.standard_normal((20, 4))
    for t in [*0.3 * rng.standard_normal((20, 4)), *near]:
        at = f.at(t)
        assert at.value - best <= at.gap * (1 + 1e-12)
    assert f.value(run.w) + run.w @ run.w / 2 - best <= run.points[-1].gap
