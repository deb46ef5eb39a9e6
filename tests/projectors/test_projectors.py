"""Projectors: equal to their definition at any scale, and what they do not hide."""

from decimal import Decimal, localcontext
from math import inf, nan

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from aucbench.projectors import (
    Box,
    ElasticNet,
    GroupL2,
    Identity,
    L1Ball,
    L2Ball,
    SoftThreshold,
    TopK,
)

BALLS = [L1Ball(0.7), L2Ball(0.7)]
CONVEX = [*BALLS, L1Ball(40.0), Box(-1.0, 0.5), Box(0.0, inf)]
SETS = [TopK(3), TopK(2, free=2), *CONVEX]
PENALTIES = [SoftThreshold(0.5), ElasticNet(0.5, 2.0), GroupL2(0.5, 2.0), Identity()]
ALL = [*SETS, *PENALTIES]

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 5e-324, 1e-310]),
    st.floats(-10, 10),
    st.floats(-1e6, 1e6),
)
VECTORS = st.lists(NUMBERS, max_size=30).map(lambda v: np.array(v, dtype=np.float64))
SCALES = st.integers(-140, 140).map(lambda e: 10.0**e)


def projected(project, v, step=1.0):
    return project(v.copy(), step)


def close(found, wanted, scale):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-12 * scale)


# --- equal to the definition -------------------------------------------------------------


@given(VECTORS, st.integers(1, 31), st.integers(0, 3))
def test_top_k_is_its_definition(v, k, free):
    np.testing.assert_array_equal(projected(TopK(k, free), v), reference.top_k(v, k, free))


@given(VECTORS, SCALES, SCALES)
def test_l1_ball_is_its_definition_at_any_scale(v, R, scale):
    v *= scale
    close(projected(L1Ball(R), v), reference.l1_ball(v, R), R)


@given(VECTORS, SCALES, SCALES)
def test_l2_ball_is_its_definition_at_any_scale(v, R, scale):
    v *= scale
    close(projected(L2Ball(R), v), reference.l2_ball(v, R), R)


MANTISSAS = st.lists(st.floats(-1.7, 1.7), min_size=1, max_size=8)
POWERS = st.sampled_from([-320, -300, -200, 0, 200, 300, 306, 307, 308])
RADII = st.one_of(
    st.sampled_from([1e-300, 1.0, 1e300, 1e307, 1.7e308, 1.7976931348623157e308]),
    st.floats(1e300, 1.7e308),
)


def exact_l2_ball(v, R):
    """The nearest point in 60 digits."""
    with localcontext(prec=60):
        exact = [Decimal(float(x)) for x in v]
        norm = sum(x * x for x in exact).sqrt()
        return np.array(
            [float(x * min(Decimal(1), Decimal(R) / norm)) if norm else float(x) for x in exact]
        )


@pytest.mark.parametrize(
    ("ball", "twin"), [(L1Ball, reference.l1_ball), (L2Ball, exact_l2_ball)], ids=["l1", "l2"]
)
@given(values=MANTISSAS, power=POWERS, R=RADII)
def test_balls_of_any_radius_hold_the_nearest_point_of_any_vector(ball, twin, values, power, R):
    v = np.array(values) * 10.0**power
    found, wanted = projected(ball(R), v), twin(v, R)

    units = 8 * 5e-324
    np.testing.assert_allclose(found / 2, wanted / 2, rtol=0, atol=1e-12 * R + units)
    assert ball(R).contains(found)
    assert ball(R).contains(v) == np.array_equal(found, v)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300, 1.7e308])
@pytest.mark.parametrize("step", [1e-300, 1.0, 1e300])
def test_penalties_of_numbers_of_any_size(size, step):
    v = size * np.array([1.0, -0.5, 0.25])
    for t in (1e-300, 1e300, size / 3):
        found = projected(SoftThreshold(t), v, step)
        np.testing.assert_array_equal(found, reference.soft_threshold(v, step * t))
        found = projected(ElasticNet(t, 1 / t), v, step)
        np.testing.assert_array_equal(found, reference.elastic_net(v, t, 1 / t, step))
    assert SoftThreshold(1e-300).value(v) == pytest.approx(1.75 * (size * 1e-300))
    assert ElasticNet(0.0, 1e-300).value(np.array([1e200])) == pytest.approx(5e99)
    assert ElasticNet(0.0, 1e300).value(np.array([1e-200])) == pytest.approx(5e-101)


@given(VECTORS, st.tuples(NUMBERS, NUMBERS).map(sorted))
def test_box_is_its_definition(v, bounds):
    np.testing.assert_array_equal(projected(Box(*bounds), v), reference.box(v, *bounds))


@given(VECTORS, st.floats(0, 20), st.floats(0, 20))
def test_soft_threshold_is_its_definition(v, t, step):
    found = projected(SoftThreshold(t), v, step)
    np.testing.assert_array_equal(found, reference.soft_threshold(v, step * t))


@given(VECTORS, st.floats(0, 20), st.floats(0, 20), st.floats(0, 20))
def test_elastic_net_is_its_definition(v, l1, l2, step):
    found = projected(ElasticNet(l1, l2), v, step)
    np.testing.assert_array_equal(found, reference.elastic_net(v, l1, l2, step))


@pytest.mark.parametrize("free", [0, 1, 2, 5])
def test_elastic_net_leaves_free_coordinates_alone(free):
    v = np.array([3.0, -2.0, 0.5])
    count = max(0, 3 - free)

    found = projected(ElasticNet(1.0, 0.5, free), v, 1.0)
    np.testing.assert_array_equal(found[:count], reference.elastic_net(v[:count], 1.0, 0.5, 1.0))
    np.testing.assert_array_equal(found[count:], v[count:])
    assert ElasticNet(1.0, 0.5, free).value(v) == ElasticNet(1.0, 0.5).value(v[:count])


# --- laws of all -------------------------------------------------------------------------


@pytest.mark.parametrize("project", ALL, ids=repr)
@given(v=VECTORS, step=st.floats(0, 10))
def test_overwrites_its_argument_with_a_feasible_point(project, v, step):
    argument = v.copy()
    w = project(argument, step)
    assert w is argument
    assert project.contains(w)
    assert np.isfinite(project.value(w))


@pytest.mark.parametrize("project", ALL, ids=repr)
@given(values=st.lists(st.sampled_from([nan, 0.0, 1.0, -3.0, inf, -inf]), max_size=12))
def test_nan_is_not_hidden(project, values):
    v = np.array([*values, nan, 2.0])
    assert np.isnan(projected(project, v)).any()


@pytest.mark.parametrize("project", [p for p in ALL if not isinstance(p, Box)], ids=repr)
@pytest.mark.parametrize("infinite", [inf, -inf])
def test_infinity_is_not_hidden(project, infinite):
    """Except by a box: there the bound is the nearest number."""
    w = projected(project, np.array([1.0, infinite, -2.0, 0.0]))
    assert not np.isfinite(w).all()


# --- single facts -------------------------------------------------------------------------


def test_balls_forgive_the_rounding_of_a_projection_only():
    for project in BALLS:
        assert project.contains(np.array([0.7 * (1 + 1e-13)]))
        assert not project.contains(np.array([0.7 * (1 + 1e-9)]))
        v = np.random.default_rng(0).standard_normal(100_000)
        assert project.contains(project(v))
    assert not L1Ball().contains(np.full(2, 1.7e308))


def test_values_of_the_penalties():
    w = np.array([1.0, -2.0, 0.0])
    assert SoftThreshold(0.5).value(w) == 1.5
    assert ElasticNet(0.5, 0.25).value(w) == 1.5 + 0.125 * 5
    assert Identity().value(w) == 0.0
