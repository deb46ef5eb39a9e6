"""The kernel of an online solver takes the steps of `reference_update`, which is in its file.

A fit of three passes is run twice: by the kernel, and by the definition row after row. What differs
is the order in which sums are added, so that weights agree up to rounding.
"""

from importlib import import_module
from itertools import islice

import numpy as np
import pytest
from layouts import LAYOUTS
from scipy.sparse import csr_array
from stepping import posed, states, step_by_rows

from aucbench.data import Data
from aucbench.registry import get_solver

# The specification of a solver, its module, the name of the kernel in it, and whose steps they are.
KERNELS = [
    ("solam", "solam", "solam_pass", "solam"),
    ("solam[xi=0.5,R=0.2,kappa=1.0]", "solam", "solam_pass", "solam"),
    ("reg-solam[lam=0.1]", "reg_solam", "solam_pass", "solam"),
    ("fsauc[passes=3]", "fsauc", "stage_rows", "fsauc"),
    ("fsauc[passes=3,R=0.1,eta=0.5]", "fsauc", "stage_rows", "fsauc"),
    ("uni-exp", "uni_exp", "uni_exp_pass", "uni_exp"),
    ("uni-exp[eta=0.1,intercept=false]", "uni_exp", "uni_exp_pass", "uni_exp"),
]
PASSES = 3


def sample(n=150, d=12):
    rng = np.random.default_rng(4)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    X = (rng.normal(size=(n, d)) + 0.4 * y[:, None]) / np.sqrt(d)
    X[rng.random(X.shape) < 0.6] = 0.0
    return X, y


def weights(spec, data):
    solver = get_solver(spec)
    made = states(solver, posed(solver, data), np.random.default_rng(1))
    return np.array([state.w.copy() for state in islice(made, PASSES)])


def by_rows(update, X, y):
    """A kernel that takes the plain steps."""
    return lambda chunk, order, memory: step_by_rows(update, memory, X, y, order)


@LAYOUTS
@pytest.mark.parametrize(("spec", "module", "kernel", "of"), KERNELS)
def test_a_kernel_takes_the_steps_of_the_definition(monkeypatch, layout, spec, module, kernel, of):
    X, y = sample()
    data = Data.of(layout(X), y)
    found = weights(spec, data)
    place = import_module(f"aucbench_plugins.online.{module}")
    update = import_module(f"aucbench_plugins.online.{of}").reference_update

    monkeypatch.setattr(place, kernel, by_rows(update, X, y))
    expected = weights(spec, data)

    assert np.ptp(expected) > 1e-3
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@LAYOUTS
@pytest.mark.parametrize("spec", ["spam-l1[l1=0.005]", "spam-l2", "spam-net[l1=0.005,l2=0.01]"])
@pytest.mark.parametrize("features_per_value", [0, 30])
def test_spam_takes_its_steps_with_each_penalty(monkeypatch, layout, spec, features_per_value):
    """Rows in CSR have lazy steps from 0 features per stored value on, and dense rows never."""
    X, y = sample()
    data = Data.of(layout(X), y)
    spam = import_module("aucbench_plugins.online.spam")
    proximal = import_module("aucbench_plugins.online.proximal")
    if layout is csr_array:
        monkeypatch.setattr(proximal, "LAZY_FROM", features_per_value)
    found = weights(spec, data)

    monkeypatch.setattr(spam, "choose_pass", lambda *_: by_rows(spam.reference_update, X, y))
    expected = weights(spec, data)

    assert np.ptp(expected) > 1e-3
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
