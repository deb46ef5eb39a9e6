import numpy as np
import pytest
from layouts import LAYOUTS

from aucbench.data import Data
from aucbench.data.passes import gram
from aucbench.objectives import PairwiseSquare
from aucbench_plugins.ridge.centred import CentredRows

RNG = np.random.default_rng(2)
Y = np.where(RNG.random(40) < 0.3, 1, -1)
X = RNG.normal(size=(40, 6)) + 2.0
X[RNG.random(X.shape) < 0.4] = 0.0


def explicit():
    p = (Y > 0).mean()
    means = {side: X[side == Y].mean(axis=0) for side in (-1, 1)}
    share = {1: p, -1: 1 - p}
    return np.array([(x - means[y]) / np.sqrt(share[y]) for x, y in zip(X, Y, strict=True)])


@LAYOUTS
@pytest.mark.parametrize("block", [slice(None), np.array([3, 7, 9, 30], dtype=np.int32)])
def test_products_are_those_of_the_centred_rows(layout, block):
    rows, bar = CentredRows(Data.of(layout(X), Y)), explicit()[block]
    w, r = RNG.normal(size=6), RNG.normal(size=len(bar))

    np.testing.assert_allclose(rows.scores(w, block), bar @ w, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rows.pullback(r, block), bar.T @ r, rtol=1e-12, atol=1e-12)


@LAYOUTS
def test_the_largest_norm(layout):
    rows = CentredRows(Data.of(layout(X), Y))

    assert rows.largest_norm() == pytest.approx(np.linalg.norm(explicit(), axis=1).max())


def test_the_pairwise_square_is_half_a_mean_of_squares():
    data, w = Data.of(X, Y), RNG.normal(size=6)
    m_neg, m_pos = data.means

    half = 0.5 * ((explicit() @ w) ** 2).mean() + 0.5 * (1 + w @ (m_neg - m_pos)) ** 2

    assert half == pytest.approx(0.5 * PairwiseSquare(data).value(w))


@LAYOUTS
@pytest.mark.parametrize("stored", [0.05, 0.5, 1.0])  # few are multiplied as sparse rows
def test_gram_is_a_weighted_sum_of_outer_products(layout, stored):
    Z, c, centre = X * (RNG.random(X.shape) < stored), RNG.random(40), RNG.normal(size=6)

    total = sum(weight * np.outer(z - centre, z - centre) for weight, z in zip(c, Z, strict=True))

    product = gram(Data.of(layout(Z), Y).rows, c, centre)
    np.testing.assert_allclose(product, total, rtol=1e-11, atol=1e-11)
