"""The best AUC of two features is that of all directions, in rational numbers."""

import numpy as np
import pytest
import reference as twins
from refusals import assert_refused, refusals
from scipy.sparse import csr_array

from aucbench.errors import DataError
from aucbench.metrics import auc, best_auc_2d
from aucbench.optim import plane

KINDS = {
    "normal": lambda rng, n: rng.normal(size=(n, 2)),
    "grid": lambda rng, n: rng.integers(-3, 4, (n, 2)),
    "duplicates": lambda rng, n: rng.normal(size=(4, 2))[rng.integers(0, 4, n)],
    "one line": lambda rng, n: np.outer(rng.normal(size=n), [1.0, 2.0]),
    "near a line": lambda rng, n: np.outer(rng.normal(size=n), [1.0, 3.0]),
    "zero column": lambda rng, n: np.c_[np.zeros(n), rng.normal(size=n)],
    "equal rows": lambda rng, n: np.ones((n, 2)),
    "far away": lambda rng, n: 1e9 + rng.normal(size=(n, 2)),
    "neighbours": lambda rng, n: 1.0 + 2.0**-52 * rng.integers(0, 20, (n, 2)),
    "any size": lambda rng, n: (
        10.0 ** rng.integers(-300, 300, (n, 2)) * rng.choice([-1, 1], (n, 2))
    ),
    "ends": lambda rng, n: rng.choice([1.7e308, -1.7e308, 5e-324, 0.0, 1.0, 1 + 2**-52], (n, 2)),
}


@pytest.fixture(params=[(1 << 14, 4), (4, 0), (1, 0)], ids=["swept", "halved", "halved to the end"])
def way(request, monkeypatch):
    for name, value in zip(("SWEPT", "SWEPT_EACH"), request.param, strict=True):
        monkeypatch.setattr(plane, name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_most_of_all_directions(kind, way):
    rng = np.random.default_rng(3)
    for _ in range(10):
        n = int(rng.integers(2, 14))
        X, y = KINDS[kind](rng, n).astype(float), np.where(rng.random(n) < 0.4, 1, -1)
        y[:2] = 1, -1
        best = best_auc_2d(X, y)
        assert best.twice == twins.best_auc_2d(X, y)
        assert best.auc == best.twice / (2 * best.pairs)
        assert best.auc_of_scores == auc(y, best.w[0] * X[:, 0] + best.w[1] * X[:, 1])
        if kind in ("normal", "grid", "duplicates", "one line", "zero column", "equal rows"):
            assert best.twice == exactly(X, y, best.w)
            assert best.auc_of_scores == best.auc
            assert 0 < best.width <= np.pi / 2 + 1e-15


def exactly(X, y, w):
    """2 #{w·x_i > w·x_j} + #{w·x_i = w·x_j} in rational numbers."""
    s = [sum(twins.Fraction(a) * twins.Fraction(b) for a, b in zip(x, w, strict=True)) for x in X]
    return sum(1 + twins.sign(a - b) for a, i in zip(s, y, strict=True) if i > 0
               for b, j in zip(s, y, strict=True) if j < 0)  # fmt: skip


def test_an_arc_of_rounding_is_left_for_one_that_scores_can_have():
    """On a grid whose columns are divided, pairs that were level differ by the last digits."""
    rng = np.random.default_rng(6)
    y = np.where(rng.random(400) < 0.4, 1, -1)
    whole = rng.integers(0, 4, (400, 2)) + (y[:, None] > 0) * rng.integers(0, 2, (400, 2))
    grid, rounded = best_auc_2d(whole, y), best_auc_2d(whole / [0.7, 1.1], y)
    assert rounded.twice >= grid.twice
    assert rounded.auc_of_scores == grid.auc < rounded.auc
    assert rounded.width > 1e-3


def test_no_direction_of_a_fine_grid_has_more():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(3000) < 0.2, 1, -1)
    X = rng.normal(size=(3000, 2)) + np.c_[0.4 * y, np.sin(3 * y)]
    angles = np.linspace(-np.pi, np.pi, 2001)
    grid = [auc(y, X @ w) for w in np.c_[np.cos(angles), np.sin(angles)]]
    best = best_auc_2d(X, y)
    assert max(grid) <= best.auc < max(grid) + 1e-3
    assert auc(y, X @ best.w) == best.auc_of_scores == best.auc


def test_rows_may_be_sparse_and_labels_words():
    X, y = [[0, 0], [1, 3], [3, 1], [1, 1]], ["no", "yes", "yes", "no"]
    assert best_auc_2d(csr_array(np.array(X, float)), y).twice == best_auc_2d(X, y).twice == 8
    assert best_auc_2d(X, y, pos_label="no").twice == 8  # the opposite direction


@refusals(
    ("three columns", lambda: best_auc_2d(np.ones((4, 3)), [0, 1, 0, 1]), DataError, "two columns"),
    ("one class", lambda: best_auc_2d(np.ones((2, 2)), [1, 1]), DataError, "classes"),
    ("a NaN", lambda: best_auc_2d([[1, 2], [np.nan, 0]], [0, 1]), DataError, "NaN"),
)
def test_what_has_no_best_direction(call, error, word):
    assert_refused(call, error, word)


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(plane, "PAIRS", 3)
    with pytest.raises(DataError, match="sample of the rows"):
        best_auc_2d([[0, 1], [1, 0], [1, 1], [2, 2]], [0, 1, 0, 1])
