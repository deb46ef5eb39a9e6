"""A constant that is added to all scores costs no digit, beside values in exact arithmetic.

Losses of differences of scores do not depend on it. Scores and rows here are such that they are
exact at all offsets.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from aucbench.data import Data
from aucbench.objectives import (
    Aum,
    PairwiseHinge,
    PairwiseLogistic,
    PairwiseSquare,
    PairwiseSquaredHinge,
    UnivariateExp,
)

N = 24
RNG = np.random.default_rng(0)
BASE = np.round(RNG.normal(size=(N, 2)) * 64.0) / 64.0
Y = np.where(BASE[:, 0] + RNG.normal(size=N) > 0.3, 1, -1)
V = RNG.integers(1, 5, N).astype(float)
OFFSETS = (0.0, 2.0**13, 1e8, 1e10, 1e12)
POS, NEG = np.flatnonzero(Y > 0).tolist(), np.flatnonzero(Y < 0).tolist()
# Loss of a pair and its derivative in the margin m = s_i - s_j, of exact numbers.
LOSSES = {
    PairwiseSquare: lambda m: ((1 - m) ** 2, -2 * (1 - m)),
    PairwiseHinge: lambda m: (max(0, 1 - m), -int(m < 1)),
    PairwiseSquaredHinge: lambda m: (max(0, 1 - m) ** 2, -2 * max(0, 1 - m)),
    PairwiseLogistic: lambda m: ((1 + (-m).exp()).ln(), -1 / (1 + m.exp())),
}


def in_the_rows(offset):
    """All features are large."""
    return BASE + offset, np.array([0.5, 0.25])


def in_a_constant_column(offset):
    """The last feature is 1 and has a large weight, as an intercept."""
    return np.column_stack([BASE, np.ones(N)]), np.array([0.5, 0.25, offset])


PLACES = pytest.mark.parametrize("place", [in_the_rows, in_a_constant_column])
WEIGHTS = pytest.mark.parametrize("weights", [None, V], ids=["alike", "weighted"])


def by_pairs(X, v, w, loss, number):
    """Mean loss over the pairs and its gradient, in fractions or in decimals of 50 digits."""
    with localcontext(prec=50):
        rows = [[number(x) for x in row] for row in X.tolist()]
        v, w = ([number(x) for x in each.tolist()] for each in (v, w))
        s = [sum(x * a for x, a in zip(row, w, strict=True)) for row in rows]
        total, value, grad = number(0), number(0), [number(0)] * len(w)
        for i, j in product(POS, NEG):
            each, slope = loss(s[i] - s[j])
            mass = v[i] * v[j]
            total, value = total + mass, value + mass * each
            apart = [a - b for a, b in zip(rows[i], rows[j], strict=True)]
            grad = [g + mass * slope * x for g, x in zip(grad, apart, strict=True)]
        return float(value / total), np.array([float(g / total) for g in grad])


@pytest.mark.parametrize("objective", LOSSES, ids=lambda kind: kind.__name__)
@PLACES
@WEIGHTS
def test_pairs(objective, place, weights):
    number = Decimal if objective is PairwiseLogistic else Fraction
    for offset in OFFSETS:
        X, w = place(offset)
        f = objective(Data.of(X, Y, weights=weights))
        v = np.ones(N) if weights is None else weights
        value, grad = by_pairs(X, v, w, LOSSES[objective], number)
        # A product with large rows rounds them, whatever the coefficients are.
        lost = 2e-15 * max(1.0, offset) if place is in_the_rows else 4e-15

        assert f.value(w) == pytest.approx(value, rel=1e-15)
        np.testing.assert_allclose(f.grad(w), grad, rtol=0, atol=lost * np.abs(grad).max() + 2e-15)
        if place is in_a_constant_column:
            assert f.grad(w)[-1] == 0.0


@WEIGHTS
def test_a_constant_column_has_no_part_in_the_curvature(weights):
    X, w = in_a_constant_column(0.0)
    square = PairwiseSquare(Data.of(X, Y, weights=weights))
    near = square.curvature(w)

    w[-1] = 1e12
    np.testing.assert_array_equal(square.curvature(w), near)
    assert near[-1] == 0.0


@PLACES
def test_the_exponential_loss_at_its_best_offset(place):
    near = UnivariateExp(Data.of(place(0.0)[0], Y), offset=True)
    value, grad = near.value(place(0.0)[1]), near.grad(place(0.0)[1])
    for offset in OFFSETS:
        X, w = place(offset)
        f = UnivariateExp(Data.of(X, Y), offset=True)
        lost = 2e-15 * max(1.0, offset) if place is in_the_rows else 1e-14

        assert f.value(w) == pytest.approx(value, rel=1e-15)
        np.testing.assert_allclose(f.grad(w)[:2], grad[:2], rtol=0, atol=lost)


@PLACES
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_the_aum(place, margin):
    for offset in OFFSETS:
        X, w = place(offset)
        t = [Fraction(float(x)) for x in BASE @ np.array([0.5, 0.25])]
        t = [x - Fraction(margin) if y > 0 else x for x, y in zip(t, Y, strict=True)]
        ends, area = sorted(t), Fraction(0)
        for low, high in pairwise(ends):
            above = sum(t[j] >= high for j in NEG)
            below = sum(t[i] <= low for i in POS)
            area += (high - low) * min(Fraction(above, len(NEG)), Fraction(below, len(POS)))

        assert Aum(Data.of(X, Y), margin=margin).value(w) == pytest.approx(float(area), rel=1e-15)


def test_a_row_that_lies_far_away_and_hardly_counts():
    X, v = BASE.copy(), np.ones(N)
    X[POS[0]], v[POS[0]] = 2.0**40, 2.0**-200
    value, _ = by_pairs(X, v, np.array([0.5, 0.25]), LOSSES[PairwiseSquare], Fraction)

    f = PairwiseSquare(Data.of(X, Y, weights=v))
    assert f.value(np.array([0.5, 0.25])) == pytest.approx(value, rel=1e-15)


@pytest.mark.filterwarnings("ignore:overflow")
@WEIGHTS
def test_a_square_that_overflows_is_infinite(weights):
    assert PairwiseSquare(Data.of(BASE, Y, weights=weights)).value(np.full(2, 1e200)) == np.inf
