"""Effects that must have a shape have it, up to rounding, on every kind of features."""

from dataclasses import replace

import numpy as np
import pytest
from nights import first
from refusals import assert_refused
from scipy.sparse import csr_array

from aucbench.data import Categories, Data, Shape, Shapes, rows
from aucbench.errors import UnsupportedError
from aucbench.features.chain import applied, fitted
from aucbench.registry import get_preprocessing, get_solver
from aucbench.solving.loop import solve

ROUNDING = 1e-13  # of the largest sum of |w_j φ_j(x)|, in which a score is rounded
SOLVERS = pytest.mark.parametrize("name", first(["rank-svm", "ls-svm", "ls-svm[group=0.05]"], 2))
SLOPES = ("increasing", "decreasing")
BENDS = ("convex", "concave", *(f"{slope}-{bend}" for slope in SLOPES for bend in
                                ("convex", "concave")))  # fmt: skip


def waves(seed, layout=np.asarray, n=500):
    """Columns whose effects go up and down: normal, tied, of few values, heavy tails, mostly 0."""
    rng = np.random.default_rng(seed)
    X = np.c_[
        rng.normal(size=n),
        np.round(rng.normal(size=n), 1),
        rng.integers(0, 4, n),
        rng.standard_t(1.5, n),
        np.where(rng.random(n) < 0.7, 0.0, rng.exponential(size=n)),
    ]
    score = np.sin(3 * X).sum(axis=1) + 0.5 * rng.normal(size=n)
    return Data.of(layout(X), np.where(score > np.quantile(score, 0.7), 1, -1))


def effect(data, shape, column, features, solver):
    """The effect of a column along a fine grid with all of its values, and how it is rounded."""
    shaped = replace(data, shapes=Shapes(((column, Shape.of(shape)),)))
    phi = fitted(get_preprocessing(features), shaped, np.random.default_rng(0))
    run = solve(get_solver(solver), applied(phi, shaped), passes=30)
    x = data.rows.dense().matrix[:, column]
    wide = np.linspace(x.min() - 1.0, x.max() + 1.0, 2001)
    grid = np.unique(np.r_[wide, x, np.quantile(x, np.linspace(0, 1, 501))])
    M = np.zeros((grid.size, data.d))
    M[:, column] = grid
    mapped = phi(rows(csr_array(M) if data.rows.is_sparse else M)).dense().matrix
    return grid, mapped @ run.w, ROUNDING * float((np.abs(mapped) @ np.abs(run.w)).max())


@SOLVERS
@pytest.mark.parametrize("features", first(["splines", "bins", "standard", "none", "maxabs"], 3))
@pytest.mark.parametrize("seed", first(range(4)))
def test_effects_never_turn(name, features, seed):
    data = waves(seed)
    for column in range(data.d):
        for shape, sign in zip(SLOPES, (1, -1), strict=True):
            _, f, rounded = effect(data, shape, column, features, name)
            assert (sign * np.diff(f)).min() >= -rounded, (column, shape)


@SOLVERS
@pytest.mark.parametrize("shape", first(BENDS, 3))
def test_effects_bend_one_way_from_the_first_training_row_to_the_last(name, shape):
    data = waves(7, n=1500)  # of which 0.1 % lie beyond the knots of a free effect
    asked = Shape.of(shape)
    for column in (0, 1, 3):
        grid, f, rounded = effect(data, shape, column, "splines", name)
        x = data.rows.matrix[:, column]
        inside = (grid >= x.min()) & (grid <= x.max())
        slopes = np.diff(f[inside]) / np.diff(grid[inside])
        error = 4.0 * rounded / np.diff(grid[inside]).min()
        assert (asked.bend * np.diff(slopes)).min() >= -error, column
        if asked.slope:
            assert (asked.slope * np.diff(f)).min() >= -rounded, column


def test_classes_have_no_one_direction():
    data = waves(2, n=90)
    target = Categories.of(np.arange(90) % 3)
    shaped = replace(data, target=target, shapes=Shapes(((0, Shape.of("+1")),)))
    assert_refused(lambda: solve(get_solver("rank-svm"), shaped), UnsupportedError, "classes")
