"""Step sizes that nobody gave: no rows make them diverge, and the paper's constants still do."""

import numpy as np
import pytest
from refusals import assert_refused
from scipy.sparse import csr_array
from stepping import observed

from aucbench.data import Data
from aucbench.errors import DataError
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.solving.values import objective_at

pytestmark = pytest.mark.plain

SPAM = ["spam-l1", "spam-l2", "spam-net"]
STREAMING = ["opauc", "opauc-lr", "uni-exp"]
NAMES = pytest.mark.parametrize("name", STREAMING + SPAM)
SORTED = ("sorted", "sorted and shifted")
KINDS = (
    "plain", "four rows", "wide", "offset", "shifted", "tiny", "huge", "duplicated",
    "contradictory", "constant columns", "sparse", "heavy tails", "scales", *SORTED,
)  # fmt: skip


def plain(rng, n, d):
    y = np.where(rng.random(n) < rng.choice([0.1, 0.3, 0.5, 0.8]), 1, -1)
    y[:2] = 1, -1
    gap = rng.choice([0.0, 0.3, 2.0]) * rng.normal(size=d)
    return rng.normal(size=(n, d)) + gap * y[:, None], y


def changed(X, y, kind, rng):
    n, d = X.shape
    if kind == "sparse":
        return np.where(rng.random(X.shape) < 0.9, 0.0, X), y
    if kind == "constant columns":
        return np.column_stack([np.full(n, 0.1), X, np.full(n, 1e3)]), y
    if kind == "duplicated":
        return np.repeat(X, 2, axis=0), np.repeat(y, 2)
    if kind == "contradictory":
        return np.repeat(X, 2, axis=0), np.tile([1, -1], n)
    shift = {"offset": 1e6, "shifted": 5 * rng.normal(size=d)}
    shift["sorted and shifted"] = 3 * rng.normal(size=d)
    scale = {"tiny": 1e-100, "huge": 1e100, "scales": 10.0 ** rng.uniform(-3, 3, d)}
    scale["heavy tails"] = np.exp(2 * rng.normal(size=(n, 1)))
    X = scale.get(kind, 1.0) * X + shift.get(kind, 0.0)
    order = np.argsort(y, kind="stable")[:: rng.choice([-1, 1])]
    return (X[order], y[order]) if kind in SORTED else (X, y)


def drawn(kind, seed):
    """Rows and labels; both layouts occur."""
    rng = np.random.default_rng(seed)
    size = {"four rows": (4, 3), "wide": (20, 60)}
    n, d = size.get(kind, (int(rng.integers(20, 200)), int(rng.integers(1, 20))))
    X, y = changed(*plain(rng, n, d), kind, rng)
    return Data.of(csr_array(X) if seed % 2 else X, y)


def heights(solver, data):
    """The objective after 1, 5 and 50 passes over its value at w = 0."""
    run, problem = observed(solver, data, passes=50)
    assert run.stop is Stop.PASSES
    assert np.isfinite(run.w).all()
    found = np.array([run.points[t - 1].objective for t in (1, 5, 50)])
    return found / objective_at(problem, np.zeros(data.d))


@NAMES
@pytest.mark.parametrize("kind", KINDS)
def test_neither_the_mean_nor_the_last_iterate_ends_above_its_start(name, kind):
    for seed in range(2):
        data = drawn(kind, seed)
        for shuffle in (True, False):
            found = heights(get_solver(name, shuffle=shuffle), data)

            # Uni-Exp has no memory of the other class: sorted rows pull w to and fro.
            sorted_rows = kind in SORTED and not shuffle and name == "uni-exp"
            noise = 1.2 if name == "uni-exp" else 1.1
            assert (found < (data.n if sorted_rows else noise)).all(), (seed, shuffle, found)
        if name in SPAM:
            found = heights(get_solver(name, average=False), data)

            # Where labels contradict each other, all of w is noise, the most in the first pass.
            assert (found < [2.0, 1.2, 1.2]).all(), (seed, found)


@NAMES
def test_rows_whose_squares_overflow_are_refused(name):
    data = Data.of(1e150 * np.eye(4), [1, -1, 1, -1])
    parameter = "xi" if name in SPAM else "eta"
    assert_refused(lambda: solve(get_solver(name), data), DataError, f"give {parameter}")
    assert solve(get_solver(name, **{parameter: 1e-300}), data, passes=1).stop is not None


@NAMES
def test_a_number_too_large_still_ends_as_invalid(name):
    data = Data.of(1e3 * np.random.default_rng(2).normal(size=(60, 5)), [1, -1] * 30)
    parameter = "xi" if name in SPAM else "eta"
    assert solve(get_solver(name, **{parameter: 100.0}), data).stop is Stop.INVALID
