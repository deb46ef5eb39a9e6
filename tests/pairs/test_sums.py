"""Losses over pairs: golden numbers, many rows against all their pairs, and scores of no sense."""

from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest

from aucbench.pairs import Members, concordance, sums
from aucbench.pairs.sums import PairSums


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
        s = rng.integers(-12, 13, n) / 4 if case % 2 else rng.normal(size=n)
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


GROUP, UPPER = np.array([[0, 0, 0, 1, 1, 1, 1, 2, 2], [1, 0, 0, 1, 1, 1, 0, 1, 1]])
SCORES = [2, 1.5, 2, 0, 1, 0, 0.5, 3, -3]


def of_groups(weight=None):
    """Three groups, of which the last has positives only."""
    members = Members.of_blocks(9, np.arange(9), GROUP, UPPER > 0, np.ones(9), weight)
    assert (members.left_out, members.pairs) == (1, 5)
    return members, SCORES


def of_keys(key, upper, s):
    return Members.of_keys(np.array(key), np.array(upper, float), np.ones(len(key))), s


GOLDEN = {  # members and scores; θ, hinge, squared hinge, and the derivatives of both
    "groups": (of_groups(), "1/2 1 6/5",
               "-2/5 1/5 1/5 -1/5 -1/5 -1/5 3/5 0 0", "-3/5 1/5 2/5 -3/5 -1/5 -3/5 7/5 0 0"),
    "equal groups": (of_groups("equal"), "13/24 23/24 53/48",
                     "-1/2 1/4 1/4 -1/6 -1/6 -1/6 1/2 0 0", "-3/4 1/4 1/2 -1/2 -1/6 -1/2 7/6 0 0"),
    "weights": (of_groups(np.array([3.0, 1.0, 5.0])), "31/48 41/48 83/96", None, None),
    "times": (of_keys([0, 1, 2, 4, 5], [1, 1, 0, 0, 1], [2, 2, 0.5, 1.5, 0]),
              "13/14 2/7 3/14", "-2/7 0 0 2/7 0", None),
    "tied times": (of_keys([4, 1, 1, 2, 5, 0], [1, 1, 1, 0, 0, 0], [1, 0, 2, 0.5, 1, 3]),
                   "1/2 13/14 45/28", "0 -3/7 0 1/7 2/7 0", None),
    "grades 2": (of_keys([0, 1, 2, 1, 0], [1] * 5, [1, 1, 0.5, 2, 0]),
                 "7/16 21/16 83/32", "-3/8 1/8 3/8 1/4 -3/8", None),
    "grades 3": (of_keys([3, 0, 2, 0, 3, 1], [1] * 6, [0, 2, 0.5, 1, 1, 1.5]),
                 "21/26 6/13 1/2", "1/13 -1/13 -1/13 -3/13 3/13 1/13", None),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_numbers(name):
    (members, s), numbers, *slopes = GOLDEN[name]
    s = np.array(s, float)
    theta, *losses = (float(F(x)) for x in numbers.split())
    assert concordance(members, s)[0] == pytest.approx(theta)
    for squared, (loss, slope) in enumerate(zip(losses, slopes, strict=True)):
        value, c, _ = PairSums(members, squared=bool(squared))(s)
        assert value == pytest.approx(loss)
        if slope:
            np.testing.assert_allclose(c, [float(F(x)) for x in slope.split()], atol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_not_finite_show(bad):
    for members, s in (of_groups(), of_keys([0, 1, 2, 1, 0], [1] * 5, np.zeros(5))):
        s = np.zeros(len(s))
        s[members.rows[-1]] = bad
        assert not np.isfinite(PairSums(members, squared=False)(s)[0])
