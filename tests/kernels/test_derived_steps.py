"""Steps whose size follows from the rows, against the definition; memory does not see chunks."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import LAYOUTS
from stepping import step_by_rows

from aucbench.data import Chunk, Data
from aucbench.registry import get_solver
from aucbench_plugins.online import opauc, opauc_lr
from aucbench_plugins.online.derived import derive_spam_step
from aucbench_plugins.online.uni_exp import reference_update


@st.composite
def samples(draw):
    """Rows of very different lengths, both classes, first weights, and where chunks end."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 60)), draw(st.integers(1, 12))
    lengths = 10.0 ** rng.uniform(-1, draw(st.sampled_from([-1.0, 0.5])), (n, 1))
    X = lengths * rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 1.0]))
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.6]))] = 0.0
    X[0, 0] = 0.5  # the first row has a length
    y = np.where(rng.random(n) < 0.3, 1, -1)
    cuts = sorted({0, n, *draw(st.lists(st.integers(1, n), max_size=3))})
    return X, y, rng.normal(size=d), cuts


def learnt(solver, layout, X, y, w, cuts):
    memory = solver.start(w.copy(), np.random.default_rng(7))
    for lo, hi in pairwise(cuts):
        chunk = Chunk.of(layout(X[lo:hi]), y[lo:hi])
        solver.update(memory, chunk, np.arange(hi - lo, dtype=np.int32))
    return solver.weights(memory)


@LAYOUTS
@pytest.mark.parametrize("rank", [None, 3])
@settings(max_examples=50)
@given(samples(), st.sampled_from([0.0, 1e-3, 0.5, 10.0]))
def test_opauc(layout, rank, sample, lam):
    X, y, w, cuts = sample
    solver, module, drawn = get_solver("opauc", lam=lam), opauc, ()
    if rank is not None:
        solver, module = get_solver("opauc-lr", lam=lam, rank=rank), opauc_lr
        noise = np.random.default_rng(7).standard_normal((len(y), rank)) / np.sqrt(rank)
        drawn = (noise,)

    found = learnt(solver, layout, X, y, w, cuts)

    memory = solver.start(w.copy(), None)
    wanted = step_by_rows(module.reference_update, memory, X, y, range(len(y)), *drawn).w
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


@LAYOUTS
@settings(max_examples=50)
@given(samples(), st.sampled_from([0.0, 1e-3, 0.5, 10.0]))
def test_uni_exp(layout, sample, lam):
    X, y, w, cuts = sample

    found = learnt(get_solver("uni-exp", lam=lam), layout, X, y, w, cuts)

    memory = get_solver("uni-exp", lam=lam).start(w.copy(), np.random.default_rng(7))
    wanted = step_by_rows(reference_update, memory, X, y, range(len(y))).w
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


@LAYOUTS
@given(samples())
def test_the_first_step_of_spam(layout, sample):
    X, y, _, _ = sample
    y[:2] = 1, -1
    p = np.mean(y > 0)
    steepest, growth = 0.0, 0.0
    for x, k in zip(X, y, strict=True):
        away, share = x - X[y == -k].mean(axis=0), 1 - p if k > 0 else p
        step = 2 * share * np.outer(x, away)
        steepest = max(steepest, 4 * share * (x @ x))
        growth -= min(0.0, np.linalg.eigvalsh(step + step.T).min()) / 2
    data = Data.of(layout(X), y)

    assert derive_spam_step(data, shuffle=True) == pytest.approx(1 / steepest)
    assert derive_spam_step(data, shuffle=False) == pytest.approx(
        1 / max(steepest, 16 * growth), rel=1e-6
    )
