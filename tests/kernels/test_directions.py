"""Orders of points along directions of the plane: exact, and in bounds on any floats."""

from fractions import Fraction
from functools import cmp_to_key

import numpy as np
import pytest
import reference as twins
from definitions import ANY
from hypothesis import given
from hypothesis import strategies as st

from aucbench.kernels import directions

SMALL = st.integers(-3, 3).map(float)
NEAR = st.sampled_from([1.0, 1.0 + 2**-52, 1.0 - 2**-53, 3.0, 1e8 + 2**-20])
FAR = st.sampled_from([0.0, 5e-324, -5e-324, 1e-200, 1e200, -1e200, 1.7e308, -1.7e308])
KINDS = {"integers": SMALL, "near": NEAR, "far": FAR, "plain": st.floats(-5, 5)}


def level(turn, a, b):
    """The sign of e · (a − b), where the points of the turn are level at e."""
    p, q, r, s = (tuple(map(Fraction, of)) for of in (turn[:2], turn[2:], a, b))
    d, v = (p[0] - q[0], p[1] - q[1]), (r[0] - s[0], r[1] - s[1])
    return twins.sign(v[0] * d[1] - v[1] * d[0]), twins.sign(v[0] * d[0] + v[1] * d[1])


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_places_are_those_of_rational_numbers(kind, data):
    number = KINDS[kind]
    points = data.draw(st.lists(st.tuples(number, number), min_size=1, max_size=9, unique=True))
    turn = data.draw(st.tuples(number, number, number, number).filter(lambda t: t[:2] != t[2:]))
    points, n = np.array(points), len(points)
    rng = np.random.default_rng(0)
    pos, neg = rng.integers(0, 3, (2, n))
    before, after, spare, order = np.empty((4, n), np.int32)
    order[:] = rng.permutation(n)
    counts = directions.places(points, np.array(turn), pos, neg, order, spare, before, after)
    for places, side, twice in ((before, -1, counts[0]), (after, 1, counts[1])):

        def above(i, j, side=side):
            first, then = level(turn, points[i], points[j])
            return first or side * then

        wanted = sorted(range(n), key=cmp_to_key(above))
        assert np.argsort(places).tolist() == wanted
        assert twice == pos @ (1 + np.sign(places[:, None] - places)) @ neg
    assert order.tolist() == np.argsort(after).tolist()


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.1, 1.0), (1.0, 0.05)])
@pytest.mark.parametrize("stride", [1, 3])
def test_turns_are_the_pairs_that_change_their_order(shares, stride):
    rng = np.random.default_rng(1)
    for n in (1, 2, 16, 17, 200):
        first, second = (rng.permutation(n).astype(np.int32) for _ in range(2))
        pos, neg = (rng.integers(1, 4, n) * (rng.random(n) < share) for share in shares)
        pos[0], neg[-1] = 1, 2  # there is a row of each class
        by_first = np.argsort(first)
        P, N = (
            second[kept].astype(np.int64) << 32 | kept
            for kept in (by_first[rows[by_first] > 0] for rows in (pos, neg))
        )
        up, low, gains = np.full((3, n * n), -1, np.int32)
        gains, spare = gains.astype(np.uint8), np.empty(n, np.int64)
        found = directions.turns(first, pos, neg, P, N, spare, stride, up, low, gains)
        pairs = {
            (i, j): first[i] < first[j]
            for i in np.flatnonzero(pos)
            for j in np.flatnonzero(neg)
            if (first[i] - first[j]) * (second[i] - second[j]) < 0
        }
        gain = sum(int(pos[i] * neg[j]) for (i, j), concordant in pairs.items() if concordant)
        assert found == (gain, len(pairs), -(-len(pairs) // stride))
        listed = {
            ((u, v) if g else (v, u)): g
            for u, v, g in zip(up, low, gains == 1, strict=True)
            if u >= 0
        }
        assert len(listed) == found[2]
        assert listed.items() <= pairs.items()


@given(st.lists(st.tuples(ANY, ANY), min_size=2, max_size=12), st.tuples(ANY, ANY, ANY, ANY))
def test_kernels_end_and_keep_each_point_on_any_floats(points, turn):
    points, n = np.array(points), len(points)
    ones = np.ones(n, np.int64)
    before, after, spare, order = np.zeros((4, n), np.int32)
    order[:] = np.arange(n)
    directions.places(points, np.array(turn), ones, ones, order, spare, before, after)
    assert sorted(order) == sorted(before) == sorted(after) == [*range(n)]
    up, low = np.arange(n, dtype=np.int32), np.roll(np.arange(n, dtype=np.int32), 1)
    order, keys = np.arange(n, dtype=np.int32), np.linspace(0, 1, n)
    gains = np.ones(n, np.uint8)
    found = directions.best_arc(points, up, low, gains, ones, ones, keys, -1.0, 0, order, spare)
    assert found[0] == 2 * n  # each event gains two
    assert sorted(order) == [*range(n)]
