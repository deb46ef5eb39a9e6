"""Parts of solvers: starts from a sample of the rows, and the cuts of Newton's path."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sample

from aucbench.data import Data
from aucbench.objectives import PairwiseHinge
from aucbench.solving.loop import solve
from aucbench_plugins.roc_svm import svm_or
from aucbench_plugins.roc_svm.row_newton import RowNewton


@pytest.mark.parametrize("kind", ["correlated", "scaled"])
def test_many_rows_in_memory_begin_with_a_sample(kind, monkeypatch):
    rng, (plain, y) = np.random.default_rng(0), sample(0, n=20_000, d=12, shift=0.2)
    mixed = rng.normal(size=(12, 12)) if kind == "correlated" else 10.0 ** rng.uniform(-2, 2, 12)
    data = Data.of(plain @ mixed if kind == "correlated" else plain * mixed, y)
    whole = solve("svm-or", data, gap_tol=1e-6, passes=400)
    monkeypatch.setattr(svm_or, "MANY", 10_000)
    monkeypatch.setattr(svm_or, "SAMPLED", 4000)
    short = solve("svm-or", data, gap_tol=1e-6, passes=400)
    a, b = short.points[-1], whole.points[-1]
    assert a.step < b.step / 2
    assert abs(a.objective - b.objective) <= a.gap + b.gap
    assert a.passes > a.step  # what is read of the sample counts
    assert solve("svm-or", data, gap_tol=1e-6, w0=short.w).points[-1].step <= 3


# --- Newton's path on wide rows: its minima, its cuts, and its starts -----------------------


def wide(seed, n=30, d=60, *, weighted=False):
    rows, y = sample(seed, n, d, shift=0.3)
    weights = np.random.default_rng(seed).uniform(0.5, 3.0, n) if weighted else None
    return Data.of(rows, y, weights=weights)


def path(data, lam):
    """(w, at, c, gap) of the first levels, with w as an array."""
    w, found = np.zeros(data.d), []
    for at, c, gap in RowNewton(data, lam).levels(w, data.scores(w)):
        found.append((at(w, lam, data.pullback), at, c, gap))
        if len(found) == 12:
            break
    return found


@st.composite
def wide_problems(draw):
    n = draw(st.integers(2, 9))
    d = draw(st.integers(n, 14))
    rows = draw(st.lists(st.integers(-3, 3), min_size=n * d, max_size=n * d))
    y = np.where(np.arange(n) < draw(st.integers(1, n - 1)), 1, -1)
    rows = draw(st.sampled_from([0.1, 1.0, 30.0])) * np.reshape(rows, (n, d)).astype(float)
    v = draw(st.one_of(st.none(), st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    return Data.of(rows, y, weights=v), draw(st.sampled_from([1e-3, 0.05, 1.0, 100.0]))


@settings(deadline=None)
@given(wide_problems())
def test_every_cut_is_below_the_hinge(problem):
    data, lam = problem
    f, rng = PairwiseHinge(data), np.random.default_rng(0)
    for w, _, c, gap in path(data, lam):
        g, b = data.pullback(c), -0.5 * c @ data.y
        assert gap >= 0.0
        for u in (w, np.zeros(data.d), *rng.normal(size=(5, data.d))):
            size = 1.0 + np.abs(data.scores(u)).max()
            assert f.value(u) >= b + g @ u - 1e-12 * size
