"""Shared parts of solvers: step sizes, eigenvalues, L-BFGS, and what they refuse."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from refusals import assert_refused, refusals
from samples import data

from aucbench.contract import Objective
from aucbench.data import Data, Shape, Shapes, Terms
from aucbench.data.arrays import ALL
from aucbench.data.tally import counting
from aucbench.errors import ParameterError, UnsupportedError
from aucbench.objectives import Logistic, PairwiseSquare
from aucbench.objectives.margins import margins_of_classes
from aucbench.optim import Lbfgs, WeakWolfe, lipschitz, top_eigenvalue
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.roc_svm.descent import normal_step


@pytest.mark.parametrize("m", [1, 7])
def test_lipschitz_is_the_largest_eigenvalue_of_a_block_hessian(m):
    f, rng = PairwiseSquare(data(d=6)), np.random.default_rng(0)
    blocks = f.data.blocks(m, rng)
    hessians = [np.array([f.curvature(e, b) for e in np.eye(6)]) for b in blocks]
    top = max(np.linalg.eigvalsh((h + h.T) / 2)[-1] for h in hessians)
    assert lipschitz(f, blocks, rng) == pytest.approx(top, rel=1e-3)


@pytest.mark.parametrize("spectrum", [np.arange(1.0, 41.0), np.r_[np.ones(39), 1.1], np.ones(40)])
def test_few_products_find_the_top_eigenvalue(spectrum):
    rng = np.random.default_rng(3)
    Q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    H, asked = (Q * spectrum) @ Q.T, []

    def product(v):
        asked.append(v)
        return H @ v

    value, v = top_eigenvalue(product, rng.normal(size=40))

    assert value == pytest.approx(spectrum.max(), rel=5e-3)
    assert value <= spectrum.max() * (1 + 1e-12)
    assert v @ H @ v == pytest.approx(value, rel=1e-9)
    assert len(asked) <= 15


def test_what_is_read_through_an_objective_is_counted():
    f, rng = PairwiseSquare(data(d=6)), np.random.default_rng(0)
    n, w = f.data.n, rng.normal(size=6)
    with counting() as read:
        f.value(w)
        f.grad(w, slice(0, 7))
        f.curvature(w)
        assert read.rows == n + 7 + n
        lipschitz(f, [ALL], rng)
        assert read.rows >= 2 * n + 7 + 2 * n


class Kinked(Objective):
    """No curvature."""

    data = Data.of(np.eye(2), [1, -1])


FLAT = Logistic(Data.of(np.zeros((2, 2)), [1, -1]))
SHAPED = replace(data(d=3), shapes=Shapes(((1, Shape.of("+1")),)))
BOUNDED = replace(data(d=3), terms=Terms.each(3, SHAPED.shapes))


@refusals(
    ("kinks", lambda: lipschitz(Kinked(), [ALL], np.random.default_rng(0)), UnsupportedError,
     "gamma"),
    ("flat", lambda: lipschitz(FLAT, [ALL], np.random.default_rng(0)), ParameterError, "curvature"),
    *((f"group {group}", lambda group=group, name=name: get_solver(name, group=group),
       ParameterError, "group") for group in (0.0, -1.0, inf) for name in ("rank-svm", "ls-svm")),
    *((f"bounds of {name}", lambda name=name, some=some: solve(name, some), UnsupportedError,
       "rank-svm") for name in ("svm-or", "roc-svm-nystrom", "sht-auc", "logistic")
      for some in (SHAPED, BOUNDED)),
)  # fmt: skip
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


# --- L-BFGS ----------------------------------------------------------------------------------

RNG = np.random.default_rng(3)


def inverse_by_the_formula(pairs):
    """H of BFGS as a matrix, from γI."""
    s, y = pairs[-1]
    d = s.size
    H = (s @ y) / (y @ y) * np.eye(d)
    for s, y in pairs:
        V = np.eye(d) - np.outer(y, s) / (s @ y)
        H = V.T @ H @ V + np.outer(s, s) / (s @ y)
    return H


@pytest.mark.parametrize("count", [1, 2, 4, 9])
def test_the_recursion_is_the_matrix_formula_on_the_last_pairs(count):
    B, G = RNG.normal(size=(5, 5)), RNG.normal(size=5)
    pairs = [(s, B @ B.T @ s + s) for s in RNG.normal(size=(count, 5))]
    hessian = Lbfgs(memory=4)
    for s, y in pairs:
        hessian.add(s, y)
    assert len(hessian) == min(count, 4)
    expected = -inverse_by_the_formula(pairs[-4:]) @ G
    np.testing.assert_allclose(hessian.direction(G), expected, rtol=1e-11)
    np.testing.assert_allclose(hessian.direction(G), expected, rtol=1e-11)  # it changed nothing


def test_a_pair_without_curvature_is_left_out():
    hessian = Lbfgs()
    for y in ([0.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [1e-11, 1.0]):
        hessian.add(np.array([1.0, 0.0]), np.array(y))
    assert len(hessian) == 0


@pytest.mark.parametrize("step", [1e-4, 0.3, 1.0, 500.0])
def test_a_search_along_t_minus_1_to_the_fourth_ends_in_both_conditions(step):
    wolfe, accepted, t = WeakWolfe(1.0, -4.0, step), False, None
    while not wolfe.ended:
        t = wolfe.step
        accepted = wolfe.tell((t - 1) ** 4, 4 * (t - 1) ** 3)
    assert accepted  # the last one
    assert (t - 1) ** 4 <= 1 - 1e-4 * t * 4
    assert 4 * (t - 1) ** 3 >= 0.9 * -4


@pytest.mark.parametrize("start", [0.0, 0.7])
def test_the_normal_step_minimises_the_mean_hinge_of_normal_scores(start):
    rng = np.random.default_rng(5)
    y = np.where(np.arange(3000) % 3 == 0, 1, -1).astype(np.int8)
    ds = rng.normal(size=y.size) + 0.8 * y
    s = start * (0.5 * rng.normal(size=y.size) + 0.3 * ds)
    lam = 0.05

    def value(step):
        t = s + step * ds
        margins = (t[y > 0][:, None] - t[y < 0])[:, ::7]
        return np.maximum(0, 1 - margins).mean() + lam / 2 * step**2

    slope = (value(1e-4) - value(0.0)) / 1e-4
    least = min(value(step) for step in np.linspace(0, 3, 31))
    step = normal_step(margins_of_classes(y, s, ds), (lam, lam), slope)

    assert value(step) - least <= 0.01 * (value(0.0) - least)
    assert 0.1 < step < 3.0


def test_the_normal_step_ends_on_any_numbers():
    y = np.array([1, -1, 1], dtype=np.int8)
    for value in (0.0, 1e-300, 1e150, np.nan):
        ds = np.array([value, 0.0, -value])
        with np.errstate(all="ignore"):
            margins = margins_of_classes(y, np.zeros(3), ds)
            assert 0.0 <= normal_step(margins, (0.1, 0.2), -1.0) <= 10.0
