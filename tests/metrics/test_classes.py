"""Hand and Till's M and the one-vs-rest AUC: golden numbers and a naive twin."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.data.categories import Categories
from aucbench.errors import DataError
from aucbench.metrics import auc_of, hand_till, one_vs_rest

GOLDEN = [
    (
        [0, 0, 1, 1, 1, 2],
        [[2, 2, 0], [1, 1, 2], [1, 3, 0], [2, 1, 1], [0, 2, 2], [1, 1, 2]],
        Fraction(3, 4),
        Fraction(1591, 2160),
    ),
    (
        [0, 1, 2, 0, 1, 2],
        [[2, 1, 1], [1, 2, 1], [1, 2, 1], [1, 1, 2], [0, 3, 1], [1, 0, 3]],
        Fraction(13, 16),
        Fraction(13, 16),
    ),
]


@st.composite
def classed(draw):
    """Draw y, S in quarters, weights 1 to 3."""
    k = draw(st.integers(3, 5))
    n = draw(st.integers(k, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    return rng.permutation(y), rng.integers(-4, 5, (n, k)) / 4, rng.integers(1, 4, n)


def naive_m(y, S, v):
    """M from its definition: a mean over ordered pairs of classes of shares of pairs of rows."""
    shares = []
    for k, other in permutations(range(S.shape[1]), 2):
        pairs = [(i, j) for i in np.flatnonzero(y == k) for j in np.flatnonzero(y == other)]
        mass = sum(int(v[i] * v[j]) for i, j in pairs)
        wins = sum(
            int(v[i] * v[j]) * Fraction(int(S[i, k] > S[j, k]) * 2 + int(S[i, k] == S[j, k]), 2)
            for i, j in pairs
        )
        shares.append(wins / mass)
    return sum(shares) / len(shares)


@pytest.mark.parametrize(("y", "S", "m", "rest"), GOLDEN)
def test_golden(y, S, m, rest):
    S = np.array(S) / 4
    assert hand_till(y, S) == pytest.approx(float(m), abs=1e-15)
    assert one_vs_rest(y, S) == pytest.approx(float(rest), abs=1e-15)


@given(classed())
def test_equals_its_definition(drawn):
    y, S, v = drawn
    assert hand_till(y, S, v) == pytest.approx(float(naive_m(y, S, v)), abs=1e-14)


def test_auc_of_categories_is_m():
    y, S, m, _ = GOLDEN[0]
    assert auc_of(Categories.of(np.array(["a", "b", "c"])[y]), np.array(S)) == pytest.approx(m)


@pytest.mark.parametrize(
    ("y", "S", "told"),
    [
        ([0, 1, 1], np.eye(3), "no row of class 2"),
        ([0, 1, 2], np.eye(3)[:2], "give scores of shape"),
        ([0, 1, 3, 9], np.eye(4)[:, :3], "4 classes and 3 columns"),
        ([0, 1], np.eye(2), "K at least 3"),
        ([0, 1, 2], np.full((3, 3), np.nan), "9 score"),
    ],
)
def test_refuses(y, S, told):
    with pytest.raises(DataError, match=told):
        hand_till(y, S)
