"""The kernel of an online solver takes the steps of `reference_update`, which is in its file.

A fit of three passes is run twice: by the kernel, and by the definition row after row. What differs
is the order in which sums are added, so that weights agree up to rounding.
"""

from importlib import import_module
from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from samples import sample
from stepping import posed, states, step_by_rows

from aucbench.data import Data
from aucbench.optim import passes
from aucbench.registry import get_solver
from aucbench.solving.loop import begin
from aucbench_plugins.online import span

KERNELS = [  # the module of a solver, the kernel in it, and further parameters
    *(("solam", "solam_pass", given) for given in ("", "[xi=0.5,R=0.2,kappa=1.0]")),
    ("reg_solam", "solam_pass", "[lam=0.1]"),
    *(("fsauc", "stage_rows", given) for given in ("[passes=3]", "[passes=3,R=0.1,eta=0.5]")),
    *(("opauc", "opauc_pass", given) for given in ("", "[eta=0.1,lam=0.5]")),
    *(("opauc_lr", "sketch_pass", given) for given in ("[rank=5]", "[eta=0.1,lam=0.5]")),
    *(("uni_exp", "uni_exp_pass", given) for given in ("", "[eta=0.1,intercept=false]")),
]
PASSES = 3


X, Y = sample(4, n=150, d=12, shift=0.4, density=0.4, scale=12**-0.5)


def weights(spec, data):
    solver = get_solver(spec)
    start = np.linspace(-0.1, 0.1, data.d)
    made = states(solver, posed(solver, data), np.random.default_rng(1), start)
    return np.array([state.w.copy() for state in islice(made, PASSES)])


def by_rows(update):
    """A kernel that takes the plain steps."""
    return lambda chunk, order, memory, *drawn, work=None: step_by_rows(
        update, memory, X, Y, order, *drawn
    )


@LAYOUTS
@pytest.mark.parametrize(("module", "kernel", "given"), KERNELS)
def test_a_kernel_takes_the_steps_of_the_definition(monkeypatch, layout, module, kernel, given):
    spec, of = module.replace("_", "-") + given, module.removeprefix("reg_")
    data = Data.of(layout(X), Y)
    found = weights(spec, data)
    place = import_module(f"aucbench_plugins.online.{module}")
    update = import_module(f"aucbench_plugins.online.{of}").reference_update
    monkeypatch.setattr(place, kernel, by_rows(update))
    expected = weights(spec, data)
    assert np.ptp(expected) > 1e-3
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


# --- wide rows: coordinates in the span of the rows ------------------------------------------

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
