"""OAM's passes: equal to the naive twin, whatever the layout and wherever chunks end."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from stepping import step_by_buffers

from aucbench.data import Chunk
from aucbench.data.arrays import rows
from aucbench.data.layouts import stack_rows
from aucbench.kernels.oam import oam_pass
from aucbench.registry import get_solver

METHODS = pytest.mark.parametrize("name", ["oam-seq", "oam-gra"])
SIZES = st.sampled_from([1, 2, 7, 100])


@st.composite
def samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 35))
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.6, 0.95]))] = 0.0
    X = X[rng.integers(0, n, n)]  # some rows twice, perhaps with both labels
    y = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])), 1, -1)
    return X, y, rng.normal(size=d), rng


def learn(name, layouts, X, y, w, cuts, **parameters):
    """Memory after the chunks between the cuts, whose layouts take turns."""
    solver = get_solver(name, **parameters)
    memory = solver.start(w.copy(), np.random.default_rng(3))
    for turn, (lo, hi) in enumerate(pairwise(cuts)):
        chunk = Chunk(rows(layouts[turn % len(layouts)](X[lo:hi])), y[lo:hi].astype(np.int8))
        solver.update(memory, chunk, np.arange(hi - lo, dtype=np.int32))
    return memory


def buffered(memory, line):
    """Rows in the buffer of a class, in slot order."""
    kept = memory.kept.matrix
    dense = kept.toarray() if memory.kept.is_sparse else kept
    size = memory.slots.shape[1]
    return dense[~memory.slots[line, : min(size, memory.seen[line])]]


@METHODS
@pytest.mark.parametrize("layouts", [[np.asarray], [csr_array], [np.asarray, csr_array]])
@given(samples(), SIZES, st.sampled_from([0.01, 0.3, 4.0]), st.integers(1, 61))
def test_chunks_equal_the_naive_twin(name, layouts, sample, buffer, C, length):
    X, y, w, _ = sample
    uniforms = np.random.default_rng(3).random((len(y), 2))
    cuts = [*range(0, len(y), length), len(y)]

    solver = get_solver(name, C=C, buffer=buffer)
    expected, buffers = step_by_buffers(solver, w, X, y, range(len(y)), uniforms)
    memory = learn(name, layouts, X, y, w, cuts, C=C, buffer=buffer)

    size = 1 + np.abs(expected).max()
    np.testing.assert_allclose(memory.w, expected, rtol=1e-10, atol=1e-10 * size)
    for line in range(2):
        wanted = np.reshape(buffers[line], (-1, X.shape[1]))
        np.testing.assert_array_equal(buffered(memory, line), wanted)


@METHODS
@given(samples())
def test_passes_over_one_chunk_in_any_order_equal_the_naive_twin(name, sample):
    X, y, w, rng = sample
    order = rng.integers(0, len(y), 3 * len(y)).astype(np.int32)
    uniforms = np.random.default_rng(3).random((order.size, 2))
    solver = get_solver(name, C=0.3, buffer=4)
    memory = solver.start(w.copy(), np.random.default_rng(3))
    chunk = Chunk(rows(csr_array(X)), y.astype(np.int8))

    for part in np.split(order, 3):
        solver.update(memory, chunk, part)

    expected, _ = step_by_buffers(solver, w, X, y, order, uniforms)
    np.testing.assert_allclose(memory.w, expected, rtol=1e-10, atol=1e-10 * np.abs(w).max())


@METHODS
@pytest.mark.parametrize("layouts", [[np.asarray], [csr_array], [np.asarray, csr_array]])
@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_differences_keep_their_digits_far_from_0(name, layouts, offset, scale):
    """oam-seq all of them; oam-gra adds up rows, and loses those by which they are longer."""
    rng = np.random.default_rng(0)
    X, y = scale * (offset + rng.normal(size=(80, 7))), np.where(rng.random(80) < 0.4, 1, -1)
    uniforms, C = np.random.default_rng(3).random((80, 2)), 1 / scale**2
    solver = get_solver(name, C=C, buffer=20)
    wanted, _ = step_by_buffers(solver, np.zeros(7), X, y, range(80), uniforms)

    memory = learn(name, layouts, X, y, np.zeros(7), [0, 13, 80], C=C, buffer=20)

    lost = 1.0 if name == "oam-seq" else 1.0 + offset
    assert np.linalg.norm(memory.w - wanted) <= 1e-14 * lost * np.linalg.norm(wanted)
    np.testing.assert_array_equal(memory.zeros, 0.0)


def call(name, w, order, uniforms):
    """One pass of the kernel over six rows, with two slots for each class."""
    memory = get_solver(name, buffer=2).start(w, None)
    chunk = Chunk.of(csr_array(np.eye(6, 4)), np.tile([1, -1], 3))
    oam_pass(chunk, order, memory, uniforms, (np.zeros((2, 16)), np.empty(2, np.intp)))
    return memory.slots


@METHODS
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0, 1.0, 1e300])
def test_any_floats_end_and_stay_in_bounds(bad, name):
    order, w = np.tile(np.arange(6, dtype=np.int32), 5), np.array([bad, 0.0, 1.0, bad])

    for uniforms in (np.full((30, 2), bad), np.column_stack([np.zeros(30), np.full(30, bad)])):
        slots = call(name, w.copy(), order, uniforms)

        assert (slots >= 0).all()
        assert (slots[0] % 2 == 1).all()  # negatives in their own line
        assert (slots[1] % 2 == 0).all()


@pytest.mark.parametrize("first", [np.asarray, csr_array])
@pytest.mark.parametrize("second", [np.asarray, csr_array])
@pytest.mark.parametrize("count", [0, 3])
def test_stacked_rows_have_the_layout_of_the_first(first, second, count):
    upper, lower = np.eye(2, 4), np.arange(4.0 * count).reshape(count, 4)

    both = stack_rows(rows(first(upper)), rows(second(lower)))

    assert both.is_sparse == (first is csr_array)
    dense = both.matrix.toarray() if both.is_sparse else both.matrix
    np.testing.assert_array_equal(dense, np.vstack([upper, lower]))
