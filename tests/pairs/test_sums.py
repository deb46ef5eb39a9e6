"""Losses over pairs: against sums over a dict of pairs, and against all pairs of arrays."""

from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
import reference

from aucbench.pairs import Members, concordance, sums
from aucbench.pairs.sums import PairSums

CASES = 350


def quarters(rng, n):
    """Return scores that tie often, and margins of exactly 1."""
    return rng.integers(-12, 13, n) / 4


def some_blocks(rng, n):
    """Return members of random groups with weights, and the same as a dict."""
    y = np.where(rng.random(n) < 0.5, 1, -1)
    group, v = rng.integers(0, 4, n), rng.integers(1, 4, n)
    each = ("pair", "group")[int(rng.integers(2))]
    pairs = reference.of_groups(y, group, v, each)
    weight = None if each == "pair" else "equal"
    return pairs and Members.of_blocks(
        n, np.arange(n), group, y > 0, v.astype(float), weight
    ), pairs


def some_order(rng, n):
    """Return members of random times with weights, and the same as a dict."""
    time, event, v = rng.integers(1, 9, n), rng.random(n) < 0.6, rng.integers(1, 4, n)
    pairs = reference.of_times(time, event, v)
    key = 2 * time + ~event
    return pairs and Members.of_keys(key, np.where(event, v, 0.0), v.astype(float)), pairs


@pytest.mark.parametrize("small", [0, 512])
@pytest.mark.parametrize("some", [some_blocks, some_order])
def test_losses_are_those_of_the_definition(some, small, monkeypatch):
    monkeypatch.setattr(sums, "SMALL", small)
    rng = np.random.default_rng(6)
    for _ in range(CASES):
        n = int(rng.integers(3, 14))
        members, pairs = some(rng, n)
        if not pairs:
            continue
        s, u = quarters(rng, n), quarters(rng, n)
        for loss in ("hinge", "squared"):
            add = PairSums(members, squared=loss == "squared")
            value, c, active = add(s)
            twin = reference.sums(pairs, s, loss)
            assert value == pytest.approx(float(twin[0]), rel=1e-12, abs=1e-13)
            np.testing.assert_allclose(c, np.array(twin[1], float), atol=1e-12)
            if loss == "hinge":
                assert active == pytest.approx(float(twin[2]), rel=1e-12)
                assert value == pytest.approx(active + c @ s, abs=1e-12)
        np.testing.assert_allclose(
            add.bend()(u), np.array(reference.bend(pairs, s, u), float), atol=1e-12
        )
        A = reference.concordance(pairs, s)[1]
        np.testing.assert_allclose(concordance(members, s)[1], np.array(A, float), atol=1e-12)


def dense(members):
    """Return π (n, n)."""
    P, blocks = np.zeros((members.n, members.n)), members.blocks
    for lo, hi in pairwise(blocks.starts.tolist()):
        rows = blocks.rows[lo:hi]
        np.add.at(P, np.ix_(rows, rows), np.outer(blocks.a[lo:hi], blocks.b[lo:hi]))
    return P


@pytest.mark.debug
@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("small", [0, 64, 2000])
def test_many_rows_are_as_all_their_pairs(small, even, monkeypatch):
    """Nodes of the trie, and groups on both sides of the size from which they are sorted."""
    monkeypatch.setattr(sums, "SMALL", small)
    rng = np.random.default_rng(7)
    for case in range(8):
        n = int(rng.integers(300, 1100))
        v = np.ones(n) if even else rng.integers(1, 4, n).astype(float)
        s = quarters(rng, n) if case % 2 else rng.normal(size=n)
        group = rng.integers(0, 3, n) if case % 4 < 2 else None
        if case < 4:
            key = rng.integers(0, int(rng.integers(2, n)), n)
            members = Members.of_keys(key, v * (rng.random(n) < 0.6), v, group)
        else:
            group = np.zeros(n, int) if group is None else group
            members = Members.of_blocks(n, np.arange(n), group, rng.random(n) < 0.3, v)
        P, z, u = dense(members), 1.0 - s[:, None] + s, rng.normal(size=n)
        on = P * (z > 0.0)
        value, c, active = PairSums(members, squared=False)(s)
        assert value == pytest.approx((on * z).sum(), rel=1e-12)
        assert active == pytest.approx(on.sum(), rel=1e-12)
        np.testing.assert_allclose(c, on.sum(0) - on.sum(1), atol=1e-14)
        squared = PairSums(members, squared=True)
        value, c, _ = squared(s)
        assert value == pytest.approx((on * z * z).sum(), rel=1e-12)
        np.testing.assert_allclose(c, 2 * ((on * z).sum(0) - (on * z).sum(1)), atol=1e-13)
        D = 2 * (np.diag(on.sum(0) + on.sum(1)) - on - on.T)
        np.testing.assert_allclose(squared.bend()(u), D @ u, atol=1e-13)
        k = P * ((s[:, None] > s) + 0.5 * (s[:, None] == s))
        np.testing.assert_allclose(concordance(members, s)[1], k.sum(0) + k.sum(1), atol=1e-14)


GROUPS = (
    np.array([1, -1, -1, 1, 1, 1, -1, 1, 1]),
    np.array([0, 0, 0, 1, 1, 1, 1, 2, 2]),
    np.array([2, 1.5, 2, 0, 1, 0, 0.5, 3, -3]),
)


def of_groups(weight):
    y, group, _ = GROUPS
    return Members.of_blocks(y.size, np.arange(y.size), group, y > 0, np.ones(y.size), weight)


@pytest.mark.parametrize(
    ("weight", "theta", "hinge", "squared"),
    [
        (None, "1/2", "1", "6/5"),
        ("equal", "13/24", "23/24", "53/48"),
        (np.array([3.0, 1.0, 5.0]), "31/48", "41/48", "83/96"),
    ],
)
def test_golden_numbers_of_groups(weight, theta, hinge, squared):
    members, s = of_groups(weight), GROUPS[2]
    assert (members.left_out, members.pairs) == (1, 5)
    assert concordance(members, s)[0] == pytest.approx(float(F(theta)))
    for loss, value in ((False, hinge), (True, squared)):
        got = PairSums(members, squared=loss)(s)[0]
        assert got == pytest.approx(float(F(value)))


def test_golden_derivatives_of_groups():
    s = GROUPS[2]
    for weight, loss, wanted in (
        (None, False, "-2/5 1/5 1/5 -1/5 -1/5 -1/5 3/5 0 0"),
        (None, True, "-3/5 1/5 2/5 -3/5 -1/5 -3/5 7/5 0 0"),
        ("equal", False, "-1/2 1/4 1/4 -1/6 -1/6 -1/6 1/2 0 0"),
        ("equal", True, "-3/4 1/4 1/2 -1/2 -1/6 -1/2 7/6 0 0"),
    ):
        c = PairSums(of_groups(weight), squared=loss)(s)[1]
        np.testing.assert_allclose(c, [float(F(x)) for x in wanted.split()], atol=1e-15)


@pytest.mark.parametrize(
    ("key", "upper", "s", "theta", "hinge", "squared", "c"),
    [
        ([0, 1, 2, 4, 5], [1, 1, 0, 0, 1], [2, 2, 0.5, 1.5, 0], "13/14", "2/7", "3/14",
         "-2/7 0 0 2/7 0"),
        ([4, 1, 1, 2, 5, 0], [1, 1, 1, 0, 0, 0], [1, 0, 2, 0.5, 1, 3], "1/2", "13/14", "45/28",
         "0 -3/7 0 1/7 2/7 0"),
        ([0, 1, 2, 1, 0], [1] * 5, [1, 1, 0.5, 2, 0], "7/16", "21/16", "83/32",
         "-3/8 1/8 3/8 1/4 -3/8"),
        ([3, 0, 2, 0, 3, 1], [1] * 6, [0, 2, 0.5, 1, 1, 1.5], "21/26", "6/13", "1/2",
         "1/13 -1/13 -1/13 -3/13 3/13 1/13"),
    ],
    ids=["times", "tied times", "grades 2", "grades 3"],
)  # fmt: skip
def test_golden_numbers_of_order(key, upper, s, theta, hinge, squared, c):
    members = Members.of_keys(np.array(key), np.array(upper, float), np.ones(len(key)))
    s = np.array(s, float)
    assert concordance(members, s)[0] == pytest.approx(float(F(theta)))
    value, slopes, _ = PairSums(members, squared=False)(s)
    assert value == pytest.approx(float(F(hinge)))
    np.testing.assert_allclose(slopes, [float(F(x)) for x in c.split()], atol=1e-15)
    assert PairSums(members, squared=True)(s)[0] == pytest.approx(float(F(squared)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_not_finite_show(bad):
    for some in (some_blocks, some_order):
        members, pairs = some(np.random.default_rng(9), 12)
        s = np.zeros(12)
        s[next(iter(pairs))[1]] = bad
        assert not np.isfinite(PairSums(members, squared=False)(s)[0])
