"""The kernel of splines, against the recursion by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.kernels import splines


def by_definition(t, degree, i, u):
    """B_i of a degree at u, by the recursion of de Boor; 0/0 is 0."""
    if degree == 0:
        inside = t[i] <= u < t[i + 1] or (u == t[-1] and t[i] < t[i + 1] == t[-1])
        return float(inside)
    total = 0.0
    if t[i + degree] > t[i]:
        total += (u - t[i]) / (t[i + degree] - t[i]) * by_definition(t, degree - 1, i, u)
    if t[i + degree + 1] > t[i + 1]:
        rest = (t[i + degree + 1] - u) / (t[i + degree + 1] - t[i + 1])
        total += rest * by_definition(t, degree - 1, i + 1, u)
    return total


def knots_of(inner, degree):
    return np.r_[[0.0] * (degree + 1), np.unique(inner), [1.0] * (degree + 1)]


inside = st.lists(st.floats(0.01, 0.99), max_size=8)


@given(inside, st.sampled_from([1, 2, 3]), st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=9))
def test_it_is_the_recursion(inner, degree, numbers):
    t = knots_of(inner, degree)
    m = t.size - degree - 1
    x, out = np.array(numbers), np.empty((len(numbers), m))
    splines.curves(x, 0.0, 1.0, t, degree, np.eye(m), out)
    expected = [[by_definition(t, degree, i, min(max(u, 0.0), 1.0)) for i in range(m)] for u in x]
    np.testing.assert_allclose(out, expected, atol=1e-9)
    np.testing.assert_allclose(out.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e308, -1e308])
def test_it_stays_in_bounds_for_all_numbers(wrong):
    t = knots_of([0.5], 3)
    out = np.empty((1, t.size - 4))
    splines.curves(np.array([wrong]), -1e308, 1e308, t, 3, np.eye(t.size - 4), out)
    assert np.isfinite(out).all() == (not np.isnan(wrong))


def test_another_degree_is_refused():
    with pytest.raises(ValueError, match="degree is 4"):
        splines.curves(np.zeros(1), 0.0, 1.0, np.zeros(12), 4, np.eye(5), np.zeros((1, 5)))
