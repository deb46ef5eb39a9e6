"""Members: each kind of pairs against a dict of pairs from its definition."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
import reference

from aucbench.data import Data
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.errors import DataError, ParameterError
from aucbench.pairs import Grade, Group, Members, Time, concordance, members_of

CASES = 250


def of_target(target, groups=None):
    """Return data whose rows hold nothing, with a target."""
    data = Data.of(np.zeros((target.n, 1)), np.arange(target.n) % 2, groups=groups)
    return replace(data, target=target)


def random_labels(rng):
    n = int(rng.integers(3, 14))
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[:2] = 1, -1
    return y, rng.integers(0, 4, n), rng.integers(1, 4, n).astype(float)


def random_times(rng):
    n = int(rng.integers(3, 14))
    time, event = rng.integers(1, 6, n).astype(float), rng.random(n) < 0.6
    return time, event, rng.integers(1, 4, n).astype(float)


def labelled(y, group, v, each):
    data = Data.of(np.zeros((y.size, 1)), y, groups=group, weights=v)
    return members_of(Data.of(data.rows.matrix, y, groups=group, weights=v, pairs=Group(each=each)))


def as_dict(members):
    """Return the pairs of a table of memberships."""
    blocks, pairs = members.blocks, {}
    for g in range(blocks.count):
        mine = blocks.group == g
        up, low = (
            [(int(blocks.rows[r]), float(share[r])) for r in np.flatnonzero(mine & (share > 0.0))]
            for share in (blocks.a, blocks.b)
        )
        for i, u in up:
            for j, v in low:
                pairs[i, j] = pairs.get((i, j), 0.0) + u * v
    return pairs


def check(members, pairs, rng):
    """Compare all that is known of members with a dict of pairs."""
    listed = as_dict(members)
    assert listed.keys() == pairs.keys()
    for pair, weight in pairs.items():
        assert listed[pair] == pytest.approx(float(weight), rel=1e-12)
    n = members.n
    u, s = rng.integers(-9, 9, n) / 4, rng.integers(-12, 13, n) / 4
    L = reference.bend(pairs, s, u, "square")
    np.testing.assert_allclose(2 * members.laplacian(u), np.array(L, float), atol=1e-12)
    np.testing.assert_allclose(2 * members.blocks.laplacian(u), np.array(L, float), atol=1e-12)
    above = [float(sum(w for (i, _), w in pairs.items() if i == r)) for r in range(n)]
    below = [float(sum(w for (_, j), w in pairs.items() if j == r)) for r in range(n)]
    np.testing.assert_allclose(members.row_masses, [above, below], atol=1e-13)
    theta, A, B = reference.concordance(pairs, s)
    got = concordance(members, s)
    assert got[0] == pytest.approx(float(theta), abs=1e-12)
    np.testing.assert_allclose(got[1:], np.array([A, B], float), atol=1e-12)
    X = np.stack([u, s], axis=1)
    inner = sum(float(w) * float(X[i] @ X[j]) for (i, j), w in pairs.items())
    for some in (members, members.blocks):
        assert some.inner(X) == pytest.approx(inner, abs=1e-11)
    rows, part = members.components
    assert sorted(rows.tolist()) == sorted({r for pair in pairs for r in pair})
    parts = dict(zip(rows.tolist(), part.tolist(), strict=True))
    assert all(parts[i] == parts[j] for i, j in pairs)


@pytest.mark.parametrize("each", ["pair", "group"])
def test_pairs_of_groups_are_those_of_the_definition(each):
    rng = np.random.default_rng(1)
    for _ in range(CASES):
        y, group, v = random_labels(rng)
        pairs = reference.of_groups(y, group, v.astype(int), each)
        if not pairs:
            with pytest.raises(DataError, match="no group has rows of both classes"):
                labelled(y, group, v, each)
            continue
        members = labelled(y, group, v, each)
        assert members.pairs == len(pairs)
        kept = {group[i] for i, _ in pairs}
        assert members.left_out == len({*group.tolist()}) - len(kept)
        check(members, pairs, rng)


@pytest.mark.parametrize("weight", ["none", "ipcw"])
def test_comparable_pairs_of_times_are_those_of_the_definition(weight):
    rng = np.random.default_rng(2)
    for case in range(CASES):
        time, event, v = random_times(rng)
        tau = None if case % 2 else float(rng.integers(2, 7))
        a = reference.inverse_censoring(time, event) if weight == "ipcw" else None
        upper = event & (time < (tau or np.inf))
        data = of_target(Survival(time, event, v))
        if a is not None and any(a[i] is None for i in np.flatnonzero(upper)):
            with pytest.raises(DataError, match="censoring leaves no row at time"):
                Time(tau, weight).members(data)
            continue
        a = a and [F(0) if x is None else x for x in a]
        pairs = reference.of_times(time, event, v.astype(int), tau, a)
        if not pairs:
            with pytest.raises(DataError, match="no two rows can be compared: "):
                Time(tau, weight).members(data)
            continue
        members = Time(tau, weight).members(data)
        assert members.pairs == len(pairs)
        check(members, pairs, rng)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    ("each", "gain", "function"),
    [
        ("pair", "none", None),
        ("grades", "none", None),
        ("pair", "linear", lambda y: F(int(y))),
        ("pair", "exp2", lambda y: F(2) ** int(y) - 1),
    ],
)
def test_pairs_of_grades_are_those_of_the_definition(each, gain, function, grouped):
    rng = np.random.default_rng(3)
    for _ in range(CASES // 2):
        n = int(rng.integers(3, 14))
        y, v = rng.integers(0, 4, n).astype(float), rng.integers(1, 4, n).astype(float)
        group = rng.integers(0, 3, n)
        data = of_target(Grades(y, v), groups=group)
        kind = Grade(None, each, gain, across=not grouped)
        pairs = reference.of_grades(
            y.astype(int), v.astype(int), each, function, group if grouped else None
        )
        if not pairs:
            with pytest.raises(DataError, match="no two rows can be compared: "):
                kind.members(data)
            continue
        members = kind.members(data)
        assert gain != "none" or members.pairs == len(pairs)
        check(members, pairs, rng)


def test_rows_are_drawn_as_often_as_their_pairs_count():
    rng = np.random.default_rng(4)
    y, group, v = random_labels(rng)
    time, event, w = random_times(rng)
    of_groups = labelled(y, group, v, "group")
    of_times = Time().members(of_target(Survival(time, event, w)))
    for members in (of_groups, of_times, of_times.blocks):
        draws = 100_000
        i, j = members.drawn(draws, rng)
        pairs = as_dict(members)
        counts = np.bincount(i * members.n + j, minlength=members.n**2)
        assert {*zip(i.tolist(), j.tolist(), strict=True)} <= pairs.keys()
        for (a, b), weight in pairs.items():
            sd = np.sqrt(draws * weight * (1 - weight))
            assert abs(counts[a * members.n + b] - draws * weight) < 4.5 * sd + 1e-9


def test_many_keys_need_few_memberships():
    key = np.random.default_rng(5).permutation(1000)
    members = Members.of_keys(key, np.ones(1000), np.ones(1000))
    assert members.pairs == 1000 * 999 // 2
    assert members.blocks.rows.size <= 1000 * 10


def test_kinds_refuse_what_makes_no_sense():
    data = Data.of(np.zeros((4, 1)), [0, 1, 0, 1])
    with pytest.raises(DataError, match="--groups"):
        Group().members(data)
    with pytest.raises(DataError, match="--time-to-event"):
        Time().members(data)
    for wrong in (lambda: Group(each="row"), lambda: Time(tau=np.nan), lambda: Grade(gain="log")):
        with pytest.raises(ParameterError, match="give"):
            wrong()
    with pytest.raises(ParameterError, match="two weights"):
        Grade(each="grades", gain="linear")
    with pytest.raises(DataError, match="gain=linear"):
        Grade(gain="exp2").members(of_target(Grades(np.array([-1.0, 2.0]))))
