"""FSAUC, lazy inside the l1 ball and by Newton's steps outside, against the plain definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS
from stepping import posed, states, step_by_rows

from aucbench.data import Chunk, Data
from aucbench.data.arrays import rows
from aucbench.kernels.fsauc import stage_rows
from aucbench.projectors import L1Ball
from aucbench.registry import get_solver
from aucbench_plugins.online import fsauc
from aucbench_plugins.online.fsauc import Stage, reference_update, schedule

BALLS = pytest.mark.parametrize(("R", "r"), [(1.0, 0.05), (1.0, 0.4), (1e3, 0.2), (0.2, 1e3)])


def stage_at(w, *, R=1e9, r=1e9, D=1e9, eta=1.0):
    """A stage that projects nothing, unless it is given a radius."""
    stage = Stage.first(w.copy(), R, 1.0, eta)
    stage.r, stage.D = r, D
    return stage


def sample(seed, n=40, d=19):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    X = (rng.normal(size=(n, d)) + 0.3 * y[:, None]) / 3.0
    X[rng.random(X.shape) < 0.6] = 0.0
    return X, y


def passes_of(solver, data, w0=None):
    """Weights after each pass."""
    made = states(solver, posed(solver, data), np.random.default_rng(0), w0)
    return [s.w for s in made]


def compare(layout, X, y, *, passes, w0=None, **given):
    """One run, and the same run by the definition."""
    solver, data = get_solver("fsauc", passes=passes, shuffle=False, **given), Data.of(layout(X), y)
    found = passes_of(solver, data, w0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fsauc, "stage_rows", by_rows(X, y))
        expected = passes_of(solver, data, w0)

    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * min(given["R"], 1.0))


def by_rows(X, y):
    return lambda chunk, order, stage: step_by_rows(reference_update, stage, X, y, order)


@LAYOUTS
@given(
    seed=st.integers(0, 2**16),
    R=st.sampled_from([0.01, 0.1, 1.0, 10.0, 1e4]),
    eta=st.sampled_from([0.01, 0.3, 1.0, 8.0]),
    kappa=st.sampled_from([0.5, 1.0, None]),
    passes=st.integers(1, 8),
    started=st.booleans(),
)
def test_it_equals_the_eager_definition(layout, seed, R, eta, kappa, passes, started):
    X, y = sample(seed)
    w0 = np.random.default_rng(seed + 1).normal(size=X.shape[1]) * R if started else None

    compare(layout, X, y, R=R, eta=eta, kappa=kappa, passes=passes, w0=w0)


@LAYOUTS
@pytest.mark.parametrize("times", [1e4, 1e6])
@pytest.mark.parametrize("R", [1.0, 1e3])
def test_rows_far_longer_than_the_rest_cost_no_digits(layout, times, R):
    """Their steps are up to 1e12 times as long as w, and the balls bring w back."""
    X, y = sample(0, n=200, d=6)
    X[::40] *= times

    compare(layout, X, y, R=R, eta=0.1, kappa=5.0, passes=4)


def on_the_ball(seed, R):
    """A start of a stage with |w|_1 = R, for R up to about 10."""
    return L1Ball(R)(np.random.default_rng(seed).normal(size=19))


def run(stage, layout, X, y, parts):
    chunk = Chunk.of(layout(X), y)
    for part in parts:
        stage_rows(chunk, part, stage)
    return stage


@LAYOUTS
@BALLS
def test_each_point_is_on_both_balls(layout, R, r):
    X, y = sample(5, n=400)
    stage, radii, norms = stage_at(on_the_ball(0, R), R=R, r=r, D=0.1), [], []

    for i in range(len(y)):
        run(stage, layout, X, y, [np.array([i], dtype=np.int32)])
        norms.append(np.abs(stage.w0 + stage.z).sum())
        radii.append(np.linalg.norm([*stage.z, stage.a - stage.a0, stage.b - stage.b0]))
        assert abs(stage.alpha - stage.alpha0) <= 0.1 * (1 + 1e-12)

    assert max(norms) <= R * (1 + 1e-12)
    assert max(radii) <= r * (1 + 1e-12)
    assert max(norms) == pytest.approx(R) or max(radii) == pytest.approx(r)


@LAYOUTS
@BALLS
@given(seed=st.integers(0, 2**16), cuts=st.lists(st.integers(0, 120), max_size=6))
def test_one_call_equals_many(layout, R, r, seed, cuts):
    """Norms are measured when a call begins, and followed from row to row within it."""
    X, y = sample(seed)
    order = (np.random.default_rng(seed).permutation(120) % 40).astype(np.int32)
    start = on_the_ball(seed, R)
    close = {"rtol": 1e-10, "atol": 1e-10 * min(R, 1.0)}

    whole = run(stage_at(start, R=R, r=r), layout, X, y, [order])
    for places in (cuts, range(1, 120)):
        cut = run(stage_at(start, R=R, r=r), layout, X, y, np.split(order, sorted(places)))
        np.testing.assert_allclose(cut.mean, whole.mean, **close)
        np.testing.assert_allclose(cut.z, whole.z, **close)
        for name in ("a", "b", "alpha", "total_a", "total_b"):
            np.testing.assert_allclose(getattr(cut, name), getattr(whole, name), **close)
        np.testing.assert_array_equal(cut.seen, whole.seen)
        assert not cut.work[0].any()
    assert not whole.work[0].any()


@LAYOUTS
@pytest.mark.parametrize("spread", [1.5, 4.0, 1e3, 1e10])
@pytest.mark.parametrize("R", [1e-6, 1.0, 50.0])
def test_one_far_step_lands_on_the_nearest_point(layout, R, spread):
    """Entries that fall off geometrically cost Newton the most steps."""
    x = (-1.0) ** np.arange(60) * spread ** -np.arange(60.0)
    stage = stage_at(np.zeros(60), R=R, eta=1e3)

    # p = 1/2 at the positive row: a step of eta/2 along x from 0
    run(stage, layout, np.stack([-x, x]), [-1, 1], [np.array([0, 1], dtype=np.int32)])

    wanted = L1Ball(R)(500.0 * x)
    np.testing.assert_allclose(stage.w0 + stage.z, wanted, rtol=1e-10, atol=1e-12 * R)


@LAYOUTS
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, 1e160, 5e-324])
@pytest.mark.parametrize("where", ["row", "weights", "start"])
def test_it_ends_on_any_floats(layout, bad, where):
    X, y = sample(1, d=21)
    stage = stage_at(np.zeros(21), R=1.0, r=0.5, D=0.5, eta=0.5)
    target = {"row": X[5], "weights": stage.z, "start": stage.w0}[where]
    target[2] = bad
    guard = np.full(3 * 21, 7.25)
    guard[21:42] = stage.z
    stage.z = guard[21:42]

    order = (np.arange(3000) % 40).astype(np.int32)
    stage_rows(Chunk(rows(layout(X)), y.astype(np.int8)), order, stage)

    assert stage.seen.sum() == 3000
    assert (guard[:21] == 7.25).all()
    assert (guard[42:] == 7.25).all()
    if not np.isfinite(bad):
        assert not np.isfinite(stage.total).all()


def test_the_schedule_is_the_published_one_and_has_a_stage_for_any_number_of_rows():
    wanted = {1: (1, 1), 2: (1, 2), 16: (1, 16), 200: (1, 200), 2000: (3, 666), 10**6: (7, 142857)}

    assert {N: schedule(N) for N in wanted} == wanted
    assert all(
        m >= 1 and n0 >= 1 and m * n0 <= N for N in range(1, 3000) for m, n0 in [schedule(N)]
    )


@pytest.mark.parametrize("kappa", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("n0", [20, 3000])
def test_the_next_stage_has_the_published_balls_and_begins_at_the_mean(kappa, n0):
    """A short stage has too few rows for the bounds D and β, which are then 1e7."""
    stage, rng = Stage.first(np.zeros(3), 2.0, kappa, 0.1), np.random.default_rng(0)
    r, old = stage.r, stage.beta
    stage.rows, stage.seen[:] = n0, (0.6 * n0, 0.4 * n0)
    stage.total[:], stage.sums[:] = rng.normal(size=3), n0 * rng.normal(size=(2, 3))
    w, delta = stage.total / n0, stage.sums[0] / (0.6 * n0) - stage.sums[1] / (0.4 * n0)

    stage.restart()

    L, c = np.log(120), 2 + np.sqrt(2 * np.log(120))
    left = 0.4 * n0 - np.sqrt(2 * n0 * L)
    D, beta = 1e7, 1e7
    if n0 == 3000:
        D = np.sqrt(8) * kappa * r / 2
        D += np.sqrt(32) * kappa * c * (1 + 2 * kappa) * 2.0 / np.sqrt(left)
        beta = 1 + 8 * kappa**2 + 32 * kappa**2 * (1 + 2 * kappa) ** 2 * c**2 * n0 / left
    assert (r, old) == pytest.approx((4 * np.sqrt(1 + 2 * kappa**2), 1 + 8 * kappa**2))
    assert (stage.r, stage.D, stage.beta) == pytest.approx((r / 2, D, beta))
    assert stage.eta == pytest.approx(min(0.1, 0.05 * np.sqrt(beta / old)))
    np.testing.assert_allclose(stage.w0, w)
    assert stage.alpha == stage.alpha0 == pytest.approx(w @ delta)
    assert not stage.rows
    assert not stage.z.any()
    assert not stage.total.any()
