"""The hyperplane {w : a·w = 1}: what no test over random balls covers."""

from math import hypot

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aucbench.projectors import Hyperplane

NUMBERS = st.floats(-100, 100)
VECTORS = st.lists(NUMBERS, min_size=4, max_size=4).map(np.array)


@given(VECTORS.filter(lambda a: np.abs(a).max() > 1e-3), VECTORS, VECTORS)
def test_it_is_the_nearest_point(a, v, u):
    inside = Hyperplane(a)
    w, other = inside(v.copy()), inside(u.copy())

    assert inside.contains(w)
    assert inside.contains(other)
    assert inside.value(w) == 0.0
    assert np.linalg.norm(v - w) <= np.linalg.norm(v - other) * (1 + 1e-9) + 1e-9
    np.testing.assert_allclose(inside(w.copy()), w, atol=1e-9 * (1 + np.abs(w).max()))


@given(VECTORS.filter(lambda a: np.abs(a).max() > 1e-3), VECTORS)
def test_steps_along_it_stay_inside(a, v):
    inside = Hyperplane(a)

    length = hypot(*v)  # the square of a tiny number would be 0
    assert abs(a @ inside.along(v)) <= 1e-9 * np.linalg.norm(a) * length


def test_points_beside_it_are_not_inside():
    inside = Hyperplane(np.array([2.0, 0.0]))

    assert not inside.contains(np.array([0.6, 3.0]))
    assert inside.value(np.array([0.6, 3.0])) == np.inf
