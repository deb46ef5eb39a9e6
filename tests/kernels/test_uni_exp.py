"""Uni-Exp's passes: equal to the plain definition, wherever chunks end."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS
from stepping import step_by_rows

from aucbench.data import Chunk
from aucbench.data.arrays import rows
from aucbench.registry import get_solver
from aucbench_plugins.online.uni_exp import reference_update


@st.composite
def samples(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(1, 80)), draw(st.integers(1, 20))
    X = rng.uniform(-1.0, 1.0, (n, d)) / np.sqrt(d)
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.6, 0.95]))] = 0.0
    y = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.3, 1.0])), 1, -1)
    return X, y, rng.normal(size=d)


@LAYOUTS
@given(
    samples(),
    st.sampled_from([(0.01, 0.0), (0.01, 0.1), (0.01, 40.0), (0.01, 100.0), (0.01, 170.0)]),
    st.integers(1, 81),
)
def test_chunks_equal_the_definition(layout, sample, rates, length):
    X, y, w = sample  # the rates shrink w slowly, fast, to 0 and past it
    eta, lam = rates
    solver = get_solver("uni-exp", eta=eta, lam=lam)
    memory = solver.start(w.copy(), np.random.default_rng(0))

    for lo, hi in pairwise([*range(0, len(y), length), len(y)]):
        chunk = Chunk(rows(layout(X[lo:hi])), y[lo:hi].astype(np.int8))
        solver.update(memory, chunk, np.arange(hi - lo, dtype=np.int32))

    expected = solver.start(w.copy(), np.random.default_rng(0))
    step_by_rows(reference_update, expected, X, y, range(len(y)))
    np.testing.assert_allclose(memory.w, expected.w, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(memory.offset, expected.offset, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(memory.seen, [(y < 0).sum(), (y > 0).sum()])
