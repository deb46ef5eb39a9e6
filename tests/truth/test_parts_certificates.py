"""Certified gaps of rows in chunks, in exact arithmetic, whatever the scale."""

from fractions import Fraction

import optima
import pytest
from certified_problems import hold, sample, states
from nights import first

from aucbench.registry import get_solver
from aucbench.scale import ChunkedData, InMemory

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", first(range(20)))
@pytest.mark.parametrize("standard", first([True, False]))
def test_gaps_of_the_hinge_in_parts(standard, part):
    told = 0
    for seed in range(5 * part, 5 * (part + 1)):
        X, y, data, lam = sample(seed)
        parts = ChunkedData(InMemory(data, 4), standard=standard)
        scale = optima.exactly(parts.scale)
        seen = states(get_solver("svm-or", lam=lam), parts, 200, every=25)[1]

        def value(w, X=X, y=y, lam=lam, scale=scale):
            v = [a / s for a, s in zip(optima.exactly(w), scale, strict=True)]
            pos, neg = optima.parted([optima.dot(row, v) for row in optima.exactly(X)], y)
            hinges = [max(1 - a + b, Fraction(0)) for a in pos for b in neg]
            return optima.mean(hinges) + optima.ridge(w, lam)

        candidates = optima.hinge_candidates(optima.differences(X / parts.scale, y), lam)
        least = min(value(w) for w in [*candidates, *(w for w, _ in seen)])
        told += hold(seen, value, least)
    assert told > 5


@pytest.mark.parametrize("part", first(range(10)))
def test_gaps_of_the_pairwise_square_in_parts(part):
    told = 0
    for seed in range(20 * part, 20 * (part + 1)):
        X, y, data, lam = sample(seed)
        seen = states(get_solver("ls-svm", lam=lam), ChunkedData(InMemory(data, 4)), 30)[1]
        least = optima.least_square(X, y, lam)

        def value(w, X=X, y=y, lam=lam):
            return optima.pairwise_square(X, y, w) + optima.ridge(w, lam)

        told += hold(seen, value, least)
    assert told > 5


@pytest.mark.parametrize("part", first(range(20)))
def test_gaps_of_the_squared_hinge_in_parts(part):
    told = 0
    for seed in range(5 * part, 5 * (part + 1)):
        X, y, data, lam = sample(seed)
        seen = states(get_solver("rank-svm", lam=lam), ChunkedData(InMemory(data, 4)), 60, every=7)[
            1
        ]
        best = states(get_solver("rank-svm", lam=lam), data, 300, every=300)[1]

        def value(w, X=X, y=y, lam=lam):
            return optima.pairwise_squared_hinge(X, y, w) + optima.ridge(w, lam)

        told += hold(seen, value, min(value(w) for w, _ in [*seen, *best]))
    assert told > 5
