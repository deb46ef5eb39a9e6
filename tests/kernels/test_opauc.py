"""OPAUC, grouped and through BLAS, and its implicit low-rank form against the definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS
from stepping import posed, step_by_rows

from aucbench.data import Chunk, Data
from aucbench.errors import UnsupportedError
from aucbench.kernels.opauc import opauc_pass
from aucbench.kernels.sketch import sketch_pass
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.online import matrices, opauc, opauc_lr

NAMES = pytest.mark.parametrize("name", ["opauc", "opauc-lr"])


def sample(seed, n=150, d=9, *, mean=0.0, density=0.4):
    """Rows of length about 1 around `mean` where they are stored, in both classes."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    X = rng.normal(size=(n, d)) + 0.3 * y[:, None] + mean
    X[rng.random(X.shape) > density] = 0.0
    return X / np.sqrt(d * density), y


def two_passes(seed, n):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.permutation(n) for _ in range(2)]).astype(np.int32)


def noise(seed, rows, rank):
    return np.random.default_rng(seed).standard_normal((rows, rank)) / np.sqrt(rank)


def file_order(chunk):
    return np.arange(chunk.n, dtype=np.int32)


def plain(solver, X, y, w, order, *noise):
    """The memory after the plain steps of the file of a solver."""
    update = (opauc_lr if noise else opauc).reference_update
    return step_by_rows(update, solver.start(w.copy(), None), X, y, order, *noise)


def assert_equal(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())


@LAYOUTS
@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**16),
    eta=st.sampled_from([1e-3, 0.05, 0.2]),
    lam=st.sampled_from([0.0, 1e-3, 0.5, 10.0]),
    mean=st.sampled_from([0.0, 1.0]),
)
def test_opauc_equals_the_definition(layout, seed, eta, lam, mean):
    X, y = sample(seed, mean=mean)
    order, w = two_passes(seed, len(y)), np.random.default_rng(seed).normal(size=X.shape[1])

    solver = get_solver("opauc", eta=eta, lam=lam)
    memory = solver.start(w.copy(), None)
    solver.update(memory, Chunk.of(layout(X), y), order)

    assert_equal(memory.w, plain(solver, X, y, w, order).w)


@LAYOUTS
@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**16),
    eta=st.sampled_from([1e-3, 0.05, 0.1]),
    lam=st.sampled_from([0.0, 1e-3, 0.5, 10.0, 15.0]),  # 10 wipes w out, 15 turns it round
    mean=st.sampled_from([0.0, 1.0]),
    rank=st.sampled_from([1, 5, 20]),
)
def test_the_low_rank_form_equals_the_eager_one(layout, seed, eta, lam, mean, rank):
    X, y = sample(seed, mean=mean)
    order, w = two_passes(seed, len(y)), np.random.default_rng(seed).normal(size=X.shape[1])

    solver = get_solver("opauc-lr", rank=rank, eta=eta, lam=lam)
    memory = solver.start(w.copy(), np.random.default_rng(seed))
    solver.update(memory, Chunk.of(layout(X), y), order)

    r = noise(seed, len(order), rank)
    assert_equal(memory.w, plain(solver, X, y, w, order, r).w)


@LAYOUTS
@pytest.mark.parametrize(
    ("d", "mean", "density", "eta", "lam"),
    [
        (2000, 0.0, 0.02, 0.1, 1e-3),
        (2000, 0.0, 0.02, 0.1, 9.99),
        (400, 0.0, 0.1, 0.5, 0.5),
        (300, 30.0, 1.0, 1e-4, 0.1),
        (20, 100.0, 1.0, 0.03, 0.1),
    ],
)
def test_digits_survive_hundreds_of_implicit_steps(layout, d, mean, density, eta, lam):
    X, y = sample(4, 600, d, mean=mean, density=density)
    order = np.random.default_rng(4).permutation(600).astype(np.int32)

    solver = get_solver("opauc-lr", rank=8, eta=eta, lam=lam)
    memory = solver.start(np.zeros(d), np.random.default_rng(4))
    solver.update(memory, Chunk.of(layout(X), y), order)

    r = noise(4, 600, 8)
    assert_equal(memory.w, plain(solver, X, y, np.zeros(d), order, r).w)
    negative, positive = np.split(memory.B, 2, axis=1)
    assert_equal(memory.G[0], negative.T @ negative)
    assert_equal(memory.G[1], positive.T @ positive)
    assert_equal(memory.G[2], negative.T @ positive)
    assert_equal(memory.ha[0], memory.B.T @ memory.u)


@LAYOUTS
def test_moments_at_large_means(layout):
    X, y = sample(1, density=1.0)
    X[:, ::2] += 1e5
    chunk = Chunk.of(layout(X), y)

    solver = get_solver("opauc", eta=1e-20, lam=0.0)
    memory = solver.start(np.zeros(X.shape[1]), None)
    solver.update(memory, chunk, file_order(chunk))

    for k, side in enumerate((-1, 1)):
        rows = X[y == side]
        waiting = memory.pending[k, : memory.held[k]]
        upper = np.triu(memory.scatter[k] + waiting.T @ waiting)
        assert memory.n[k] == len(rows)
        assert not np.tril(memory.scatter[k], -1).any()
        assert_equal(memory.mean[k], rows.mean(axis=0))
        assert_equal(upper, np.triu(np.cov(rows.T, bias=True) * len(rows)))


@pytest.mark.parametrize(("module", "size"), [(opauc, "SLOTS"), (opauc_lr, "SLICE")])
def test_sizes_of_groups_do_not_matter(monkeypatch, module, size):
    X, y = sample(6)
    name = {"SLOTS": "opauc", "SLICE": "opauc-lr"}[size]
    solver, chunk, found = get_solver(name), Chunk.of(X, y), []

    for value in (1, 7, 1000):
        monkeypatch.setattr(module, size, value)
        memory = solver.start(np.zeros(X.shape[1]), np.random.default_rng(6))
        solver.update(memory, chunk, file_order(chunk))
        found.append(solver.weights(memory))

    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-12)


@NAMES
def test_no_step_before_the_other_class(name):
    solver, rng = get_solver(name, eta=0.1, lam=0.5), np.random.default_rng(8)
    X, w = rng.normal(size=(5, 3)), rng.normal(size=3)
    memory = solver.start(w.copy(), rng)

    solver.update(memory, Chunk.of(X[:4], np.ones(4)), np.arange(4, dtype=np.int32))
    np.testing.assert_allclose(solver.weights(memory), w, rtol=1e-14)
    np.testing.assert_array_equal(memory.n, [0, 4])

    solver.update(memory, Chunk.of(X[4:], -np.ones(1)), np.zeros(1, np.int32))
    assert np.abs(solver.weights(memory) - w).max() > 1e-3


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
@LAYOUTS
def test_they_end_on_any_floats(layout, bad):
    X, y = sample(9)
    matrix = layout(X)
    chunk = Chunk.of(matrix, y)  # its rows are read-only views of the matrix
    (matrix.data if chunk.rows.is_sparse else matrix.reshape(-1))[5] = bad
    np.testing.assert_equal(chunk.rows.stored.reshape(-1)[5], bad)
    full = get_solver("opauc").start(np.zeros(chunk.d), None)
    low = get_solver("opauc-lr", rank=2).start(np.zeros(chunk.d), np.random.default_rng(9))
    full.eta = low.eta = bad

    opauc_pass(chunk, file_order(chunk), full, np.empty((3, 32)))
    sketch_pass(chunk, file_order(chunk), low, noise(9, chunk.n, 2), np.empty((opauc_lr.WORK, 8)))

    assert full.n.sum() == low.n.sum() == chunk.n


def test_a_fit_of_more_than_ten_minutes_is_refused(monkeypatch):
    X, y = sample(3)
    monkeypatch.setattr(matrices, "ENTRY_SECONDS", 1.0)

    with pytest.raises(UnsupportedError, match=r"150 rows with 9 x 9 .* 10125 minutes .* opauc-lr"):
        posed(get_solver("opauc"), Data.of(X, y))


def test_a_fit_of_few_passes_is_not_refused(monkeypatch):
    X, y = sample(3)
    monkeypatch.setattr(matrices, "ENTRY_SECONDS", 0.02)
    solver, data = get_solver("opauc"), Data.of(X, y)

    assert solve(solver, data, passes=2).w is not None
    assert solve(solver, data, seconds=1e-9).points[-1].passes == 1.0
    with pytest.raises(UnsupportedError, match=r"3 pass.* 12 minutes"):
        solve(solver, data, passes=3)
