"""Projectors: equal to their definition at any scale, and what they do not hide.

`tests/conformance` asks their laws: the argument is overwritten with the nearest feasible point.
"""

from dataclasses import replace
from math import hypot, inf, nan

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused, refusals
from samples import data
from term_problems import bounds, some_terms

from aucbench.data import Terms
from aucbench.errors import ParameterError
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import (
    Box,
    ElasticNet,
    GroupL2,
    Hyperplane,
    Identity,
    KernelNorm,
    L1Ball,
    L2Ball,
    SoftThreshold,
    TopK,
)
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import recast
from aucbench.testing import parametrize_checks

ALL = [TopK(3), TopK(2, free=2), L1Ball(0.7), L2Ball(0.7), Box(-1.0, 0.5), Box(0.0, inf)]
ALL += [SoftThreshold(0.5), ElasticNet(0.5, 2.0), GroupL2(0.5, 2.0), Identity()]
NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 5e-324, 1e-310]),
    st.floats(-10, 10),
    st.floats(-1e6, 1e6),
)
VECTORS = st.lists(NUMBERS, max_size=30).map(lambda v: np.array(v, dtype=np.float64))
STEPS = st.floats(0, 20)


def projected(project, v, step=1.0):
    return project(v.copy(), step)


# --- equal to the definition -------------------------------------------------------------


BOUNDS = st.tuples(NUMBERS, NUMBERS).map(sorted)
# A projector, the definition of its prox with a step, and what is drawn for both.
DEFINITIONS = {
    "top-k": (
        TopK,
        lambda v, step, k, free: reference.top_k(v, k, free),
        (st.integers(1, 31), st.integers(0, 3)),
    ),
    "box": (lambda ends: Box(*ends), lambda v, step, ends: reference.box(v, *ends), (BOUNDS,)),
    "soft-threshold": (
        SoftThreshold,
        lambda v, step, t: reference.soft_threshold(v, step * t),
        (STEPS,),
    ),
    "elastic-net": (
        ElasticNet,
        lambda v, step, l1, l2: reference.elastic_net(v, l1, l2, step),
        (STEPS, STEPS),
    ),
}


@pytest.mark.parametrize("name", DEFINITIONS)
@given(v=VECTORS, step=STEPS, data=st.data())
def test_it_is_its_definition(name, v, step, data):
    make, definition, drawn = DEFINITIONS[name]
    parameters = data.draw(st.tuples(*drawn))
    project = make(*parameters)
    found = projected(project, v, step)
    np.testing.assert_array_equal(found, definition(v, step, *parameters))
    assert project.contains(found)


BALLS = pytest.mark.parametrize(
    ("ball", "twin"), [(L1Ball, reference.l1_ball), (L2Ball, reference.l2_ball)], ids=["l1", "l2"]
)


@BALLS
@given(
    values=st.lists(st.floats(-1.7, 1.7), min_size=1, max_size=8),
    power=st.sampled_from([-320, -300, -200, 0, 200, 300, 306, 307, 308]),
    R=st.one_of(
        st.sampled_from([1e-300, 1.0, 1e300, 1e307, 1.7e308, np.finfo(float).max]),
        st.floats(1e300, 1.7e308),
    ),
)
def test_balls_of_any_radius_hold_the_nearest_point_of_any_vector(ball, twin, values, power, R):
    v = np.array(values) * 10.0**power
    found, wanted = projected(ball(R), v), twin(v, R)

    units = 8 * 5e-324
    np.testing.assert_allclose(found / 2, wanted / 2, rtol=0, atol=1e-12 * R + units)
    assert ball(R).contains(found)
    assert ball(R).contains(v) == np.array_equal(found, v)


def test_values_of_penalties_neither_overflow_nor_vanish():
    v = np.array([1e300, -5e299, 2.5e299])
    assert SoftThreshold(1e-300).value(v) == pytest.approx(1.75)
    assert ElasticNet(0.0, 1e-300).value(np.array([1e200])) == pytest.approx(5e99)
    assert ElasticNet(0.0, 1e300).value(np.array([1e-200])) == pytest.approx(5e-101)


# --- what is not hidden, and what is forgiven --------------------------------------------


@pytest.mark.parametrize("project", ALL, ids=repr)
@given(values=st.lists(st.sampled_from([nan, 0.0, 1.0, -3.0, inf, -inf]), max_size=12))
def test_nan_is_not_hidden_nor_infinity(project, values):
    """Except by a box, whose bound is the nearest number to infinity."""
    assert np.isnan(projected(project, np.array([*values, nan, 2.0]))).any()
    if not isinstance(project, Box):
        assert not np.isfinite(projected(project, np.array([1.0, -inf, -2.0, 0.0]))).all()


@pytest.mark.parametrize("ball", [L1Ball(0.7), L2Ball(0.7)])
def test_balls_forgive_the_rounding_of_a_projection_only(ball):
    assert ball.contains(np.array([0.7 * (1 + 1e-13)]))
    assert not ball.contains(np.array([0.7 * (1 + 1e-9)]))
    assert ball.contains(ball(np.random.default_rng(0).standard_normal(100_000)))
    assert not L1Ball().contains(np.full(2, 1.7e308))


# --- a hyperplane, and the norm of a function in representer form ------------------------

FOUR = st.lists(st.floats(-100, 100), min_size=4, max_size=4).map(np.array)


@given(FOUR.filter(lambda a: np.abs(a).max() > 1e-3), FOUR, FOUR)
def test_a_hyperplane_has_the_nearest_point_and_steps_along_it(a, v, u):
    inside = Hyperplane(a)
    w, other = inside(v.copy()), inside(u.copy())

    assert inside.contains(w)
    assert inside.value(w) == 0.0
    assert np.linalg.norm(v - w) <= np.linalg.norm(v - other) * (1 + 1e-9) + 1e-9
    np.testing.assert_allclose(inside(w.copy()), w, atol=1e-9 * (1 + np.abs(w).max()))
    length = hypot(*v)  # the square of a tiny number would be 0
    assert abs(a @ inside.along(v)) <= 1e-9 * np.linalg.norm(a) * length
    beside = w + 0.1 * a / np.linalg.norm(a)
    assert not inside.contains(beside)
    assert inside.value(beside) == np.inf


@pytest.mark.parametrize("step", [1e-3, 1.0, 50.0])
def test_the_norm_of_a_kernel_and_its_prox(step):
    rng = np.random.default_rng(0)
    A, (w, g) = rng.normal(size=(6, 9)), rng.normal(size=(2, 6))
    K = A @ A.T
    norm = KernelNorm(0.7, np.linalg.cholesky(K).T)
    v = norm.coordinates(w)

    assert norm.value(w) == pytest.approx(0.35 * w @ K @ w, rel=1e-12)
    assert norm.value(w) == pytest.approx(0.35 * v @ v, rel=1e-12)
    np.testing.assert_allclose(norm.weights(v), w, rtol=1e-9)
    assert norm.pulled(g) @ v == pytest.approx(g @ w, rel=1e-9)
    u = projected(norm, w, step)
    np.testing.assert_allclose(u + step * 0.7 * K @ u, w, rtol=1e-9, atol=1e-11)


# --- the group lasso over terms within bounds --------------------------------------------

THREE = Terms(((0,), (1,), (0, 1)), np.array([0, 0, 1, 2, 2, 2], np.int32), np.zeros(6, bool))


@parametrize_checks("projectors", [GroupL2(0.7), GroupL2(0.0, 0.3)])
def test_laws_of_the_group_lasso(thing, law):
    law(thing)


@given(
    st.integers(0, 10**6),
    st.sampled_from([1e-3, 1.0, 30.0]),
    st.sampled_from([0.0, 0.4]),
    st.sampled_from([0.0, 2.0]),
)
def test_the_prox_of_the_group_lasso_is_its_definition(seed, step, group, l2):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    terms, v = some_terms(rng, d), np.round(rng.normal(size=d), int(rng.integers(0, 9)))
    low, high = bounds(terms)

    moved = GroupL2(group, l2, terms=terms)(v.copy(), step)

    wanted = reference.group_l2(v, terms.owner, low, high, group=group, l2=l2, step=step)
    np.testing.assert_allclose(moved, wanted, rtol=1e-13, atol=1e-15)
    assert GroupL2(group, l2, terms=terms).contains(moved)


def test_outside_of_its_bounds_the_group_lasso_is_infinite_but_for_intercepts():
    low, high = np.zeros(6), np.full(6, inf)
    project = GroupL2(0.5, 1.0, free=1, terms=THREE.bounded(low, high))
    moved = project(np.full(7, -3.0), 1.0)
    np.testing.assert_array_equal(moved, [0, 0, 0, 0, 0, 0, -3.0])
    assert project.contains(moved)
    assert project.value(moved) == 0.0
    outside = np.r_[-1e-300, np.ones(6)]
    assert not project.contains(outside)
    assert project.value(outside) == inf


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_lengths_neither_overflow_nor_vanish(scale):
    v = scale * np.array([3.0, 4.0, -2.0, 1.0, 2.0, 2.0])
    np.testing.assert_allclose(GroupL2(terms=THREE).lengths(v), scale * np.array([5.0, 2.0, 3.0]))


def test_a_solver_of_any_projector_gets_the_terms_of_its_rows():
    rows = replace(data(0, 200, 6, shift=np.repeat([0.0, 0.4], 3)), terms=THREE)
    steepest = PairwiseSquare(rows).grad(np.zeros(6))
    lengths = GroupL2(terms=THREE).lengths(steepest) / np.sqrt([2.0, 1.0, 3.0])

    run = solve(recast(get_solver("sht-auc"), projector=GroupL2(0.5 * float(lengths.max()))), rows)

    assert not run.w[:3].any()
    assert run.w[3:].all()


# --- refusals ----------------------------------------------------------------------------


def read_only():
    v = np.ones(3)
    v.flags.writeable = False
    return v


ARGUMENTS = [np.ones(3, np.float32), np.ones(3, np.int64), np.ones(3, ">f8"), np.ones((3, 1))]
ARGUMENTS += [np.ones(6)[::2], read_only(), [1.0, 2.0], None]


@pytest.mark.parametrize("project", [*ALL[:-1], Hyperplane(np.ones(3))], ids=repr)
def test_an_argument_that_cannot_be_overwritten_is_refused(project):
    for argument in ARGUMENTS:
        assert_refused(lambda v=argument: project(v), ParameterError, "overwrites")


def refused(word, make, *parameters, **named):
    row = f"{make.__name__}{parameters}{named or ''}"
    return row, lambda: make(*parameters, **named), ParameterError, word


REFUSED = refusals(
    *(refused("k", TopK, k) for k in (0, 2.5, True)),
    refused("free", TopK, 3, free=-1),
    *(refused("length", Hyperplane, np.full(3, x)) for x in (0.0, 1e-160, 1e160, inf)),
    *(refused("R", ball, R) for ball in (L1Ball, L2Ball) for R in (0.0, -1.0, inf)),
    *(refused("lo", Box, *ends) for ends in ((1.0, 0.0), (nan, 0.0), (inf, inf))),
    refused("t", SoftThreshold, -0.1),
    refused("l2", ElasticNet, 0.1, nan),
    ("terms", lambda: GroupL2(terms=THREE)(np.ones(5)), ParameterError, "6 features"),
    *(refused("lam", KernelNorm, lam, np.eye(2)) for lam in (0.0, -1.0, inf)),
)


@REFUSED
def test_parameters_that_make_no_sense_are_refused(call, error, word):
    assert_refused(call, error, word)
