"""The group lasso over terms within bounds: its definition, and where terms are."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from samples import data
from term_problems import bounds, some_terms

from aucbench.data import Terms
from aucbench.errors import ParameterError
from aucbench.objectives import PairwiseSquare
from aucbench.projectors import ElasticNet, GroupL2, penalty_of
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import recast
from aucbench.testing import parametrize_checks

THREE = Terms(((0,), (1,), (0, 1)), np.array([0, 0, 1, 2, 2, 2], np.int32), np.zeros(6, bool))
STEPS = st.sampled_from([1e-3, 1.0, 30.0])


@parametrize_checks("projectors", [GroupL2(0.7), GroupL2(0.0, 0.3)])
def test_laws(thing, law):
    law(thing)


@given(st.integers(0, 10**6), STEPS, st.sampled_from([0.0, 0.4]), st.sampled_from([0.0, 2.0]))
def test_the_prox_is_its_definition(seed, step, group, l2):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 9))
    terms, v = some_terms(rng, d), np.round(rng.normal(size=d), int(rng.integers(0, 9)))
    low, high = bounds(terms)

    moved = GroupL2(group, l2, terms=terms)(v.copy(), step)

    wanted = reference.group_l2(v, terms.owner, low, high, group=group, l2=l2, step=step)
    np.testing.assert_allclose(moved, wanted, rtol=1e-13, atol=1e-15)
    assert GroupL2(group, l2, terms=terms).contains(moved)


def test_outside_of_the_bounds_it_is_infinite_but_for_intercepts():
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


def test_a_vector_of_another_size_than_the_terms_is_refused():
    assert_refused(lambda: GroupL2(terms=THREE)(np.ones(5)), ParameterError, "6 features")


def test_without_bounds_and_groups_the_penalty_is_the_ridge():
    for rows in (data(), replace(data(), terms=Terms.each(4))):
        assert penalty_of(rows, 0.5) == ElasticNet(0.0, 0.5)
        assert penalty_of(rows, 0.5, group=0.1).group == 0.1


def test_a_solver_of_any_projector_gets_the_terms_of_its_rows():
    rows = replace(data(0, 200, 6, shift=np.repeat([0.0, 0.4], 3)), terms=THREE)
    steepest = PairwiseSquare(rows).grad(np.zeros(6))
    lengths = GroupL2(terms=THREE).lengths(steepest) / np.sqrt([2.0, 1.0, 3.0])

    run = solve(recast(get_solver("sht-auc"), projector=GroupL2(0.5 * float(lengths.max()))), rows)

    assert not run.w[:3].any()
    assert run.w[3:].all()
