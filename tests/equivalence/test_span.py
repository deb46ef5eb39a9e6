"""Online solvers of wide rows: coordinates in the span of the rows, and those of all features."""

from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from samples import sample
from stepping import posed

from aucbench.data import Data
from aucbench.optim import passes
from aucbench.registry import get_solver
from aucbench.solving.loop import begin
from aucbench_plugins.online import span

METHODS = pytest.mark.parametrize("name", ["opauc", "opauc-lr", "oam-seq", "oam-gra"])


def wide(layout, offset=0.0, n=24, d=150):
    X, y = sample(0, n, d, shift=0.3, offset=offset)
    X[-4:] = X[:4]  # some rows twice, with both labels
    return Data.of(layout(X), y)


def weights_of(states, count=3):
    return [state.w.copy() for state in islice(states, count)]


@METHODS
@LAYOUTS
@pytest.mark.parametrize("start", [0.0, 0.01])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_the_weights_are_those_of_all_features(name, layout, start, offset):
    data, solver = wide(layout, offset), get_solver(name)
    problem = posed(solver, data)
    w0 = start * np.random.default_rng(1).normal(size=data.d)
    draws = (np.random.default_rng(2) for _ in range(2))

    assert span.fits_span(data)
    plain = weights_of(passes(solver, problem, w0.copy(), next(draws), shuffle=True))
    inside = span.passes_in_span(
        solver, problem, w0.copy(), next(draws), shuffle=True, where=span.fits_span
    )
    found = weights_of(inside)

    size = np.abs(plain[-1]).max() * (1.0 + offset)
    np.testing.assert_allclose(found, plain, rtol=0, atol=1e-11 * size)


@METHODS
def test_it_is_for_fewer_rows_than_features_that_fit_in_memory(name, monkeypatch):
    used, solver, basis = [], get_solver(name), span.span
    monkeypatch.setattr(span, "span", lambda *given: used.append(1) or basis(*given))
    for data, wanted in ((wide(np.asarray), 1), (wide(np.asarray, d=20), 0)):
        used.clear()
        next(begin(solver, data)[1], None)
        assert len(used) == wanted
    monkeypatch.setattr(span, "SPAN_BYTES", 8 * 24 * 150 - 1)
    assert not span.fits_span(wide(np.asarray))
