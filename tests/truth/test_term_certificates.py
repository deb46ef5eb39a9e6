"""Certified gaps with bounds of weights and groups of terms, in exact arithmetic, at any scale."""

from decimal import Decimal

import pytest
from certified_problems import states
from nights import first
from term_problems import (
    LOSSES,
    exact_square,
    ordered_problem,
    plain_descent,
    term_problem,
)

from aucbench.registry import get_solver

pytestmark = pytest.mark.slow
SOLVERS = pytest.mark.parametrize("name", LOSSES)


def seen(name, problem, count=60):
    solver = get_solver(name, lam=problem.lam, group=problem.group)
    return states(solver, problem.data, count)[1]


@SOLVERS
@pytest.mark.parametrize("part", first(range(8)))
def test_no_gap_is_too_small(name, part):
    problems = map(term_problem, range(25 * part, 25 * (part + 1)))
    assert sum(held(name, problem) for problem in problems) > 40


@SOLVERS
@pytest.mark.parametrize("part", first(range(4)))
def test_no_gap_over_ordered_pairs_is_too_small(name, part):
    problems = map(ordered_problem, range(10 * part, 10 * (part + 1)))
    assert sum(held(name, problem) for problem in problems) > 15


def held(name, problem):
    """Check the gaps of a problem; how many there are."""
    loss, reached = LOSSES[name], seen(name, problem)
    values = [problem.value(loss, w) for w, _ in reached]
    others = [problem.value(loss, plain_descent(problem, loss, 300))]
    if name == "ls-svm" and problem.group is None:
        others.append(exact_square(problem))
    least = min(*values, *others)
    for (_, gap), value in zip(reached, values, strict=True):
        assert value - least <= Decimal(gap), (value - least, gap)
    return len(reached)
