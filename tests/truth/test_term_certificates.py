"""Certified gaps with bounds of weights and groups of terms, in exact arithmetic, at any scale."""

from decimal import Decimal

import pytest
from certified_problems import states
from nights import first
from term_problems import LOSSES, exact_square, plain_descent, term_problem

from aucbench.registry import get_solver

pytestmark = pytest.mark.slow
SOLVERS = pytest.mark.parametrize("name", LOSSES)


def seen(name, problem, count=60):
    solver = get_solver(name, lam=problem.lam, group=problem.group)
    return states(solver, problem.data, count)[1]


@SOLVERS
@pytest.mark.parametrize("part", first(range(8)))
def test_no_gap_is_too_small(name, part):
    told = 0
    for seed in range(25 * part, 25 * (part + 1)):
        problem = term_problem(seed)
        reached = seen(name, problem)
        values = [problem.value(LOSSES[name], w) for w, _ in reached]
        others = [problem.value(LOSSES[name], plain_descent(problem, LOSSES[name], 300))]
        if name == "ls-svm" and problem.group is None:
            others.append(exact_square(problem))
        least = min(*values, *others)
        for (_, gap), value in zip(reached, values, strict=True):
            assert value - least <= Decimal(gap), (seed, value - least, gap)
        told += len(reached)
    assert told > 40
