"""Members of each kind of pairs, and losses over them, against a dict of pairs by definition."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
import reference
from refusals import assert_refused, refusals

from aucbench import get_solver, solve
from aucbench.data import Categories, Data, Grades, Survival
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.objectives import PairwiseSquare, PairwiseSquaredHinge
from aucbench.pairs import (
    ByClass,
    Fpr,
    Grade,
    Group,
    Members,
    Time,
    Top,
    concordance,
    members_of,
    sums,
)
from aucbench.pairs.classes import Weighted
from aucbench.pairs.sums import PairSums

CASES = 60


def of_target(target, groups=None):
    """Data whose rows hold nothing, with a target."""
    data = Data.of(np.zeros((target.n, 1)), np.arange(target.n) % 2, groups=groups)
    return replace(data, target=target)


def some_groups(rng, n, v, each="pair"):
    y, group = np.where(rng.random(n) < 0.5, 1, -1), rng.integers(0, 4, n)
    y[:2] = 1, -1
    data = Data.of(
        np.zeros((n, 1)), y, groups=group, weights=v.astype(float), pairs=Group(each=each)
    )
    return reference.of_groups(y, group, v, each), lambda: members_of(data)


def some_times(rng, n, v, weight="none"):
    time, event = rng.integers(1, 6, n).astype(float), rng.random(n) < 0.6
    tau = float(rng.integers(2, 7)) if rng.random() < 0.5 else None
    data = of_target(Survival(time, event, v.astype(float)))
    a = None
    if weight == "ipcw":
        a = reference.inverse_censoring(time, event)
        upper = np.flatnonzero(event & (time < (tau or np.inf)))
        a = None if any(a[i] is None for i in upper) else [x or F(0) for x in a]
        if a is None:  # censoring leaves no row at the time of an event
            return {}, lambda: Time(tau, weight).members(data)
    return reference.of_times(time, event, v, tau, a), lambda: Time(tau, weight).members(data)


GAINS = {"none": None, "linear": lambda y: F(int(y)), "exp2": lambda y: F(2) ** int(y) - 1}


def some_grades(rng, n, v, each="pair", gain="none", *, grouped=False):
    y, group = rng.integers(0, 4, n), rng.integers(0, 3, n)
    data = of_target(Grades(y.astype(float), v.astype(float)), groups=group)
    kind = Grade(None, each, gain, across=not grouped)
    pairs = reference.of_grades(y, v, each, GAINS[gain], group if grouped else None)
    return pairs, lambda: kind.members(data)


def classed(rng, n, v, k=3):
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    X = rng.integers(-12, 13, (n, k)) / 4
    return Data.of(X, Categories.of(y), weights=v.astype(float))


def some_classes(rng, n, v, each="classes"):
    data, k = classed(rng, n, v), int(rng.integers(3))
    y = data.target.y.tolist()
    masses = [sum(int(w) for w, c in zip(v, y, strict=True) if c == own) for own in range(3)]
    pairs = {
        (i, j): F(int(v[i] * v[j]), masses[k] * (masses[y[j]] if each == "classes" else 1))
        for i in range(n)
        for j in range(n)
        if y[i] == k != y[j]
    }
    return reference.scaled(pairs), lambda: [*ByClass(each).of_each(data)][k]


KINDS = {
    "group": (some_groups, {}),
    "group each=group": (some_groups, {"each": "group"}),
    "time": (some_times, {}),
    "time ipcw": (some_times, {"weight": "ipcw"}),
    "grade": (some_grades, {}),
    "grade each=grades": (some_grades, {"each": "grades"}),
    "grade linear": (some_grades, {"gain": "linear", "grouped": True}),
    "grade exp2": (some_grades, {"gain": "exp2"}),
    "grade grouped": (some_grades, {"grouped": True}),
    "class": (some_classes, {}),
    "class rest": (some_classes, {"each": "rest"}),
}


def as_dict(members):
    """The pairs of a table of memberships."""
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


def check_members(members, pairs, s, u):
    """Compare all that is known of members with a dict of pairs."""
    assert as_dict(members) == pytest.approx({p: float(w) for p, w in pairs.items()}, rel=1e-12)
    L = np.array(reference.bend(pairs, s, u, "square"), float)
    np.testing.assert_allclose(2 * members.laplacian(u), L, atol=1e-12)
    np.testing.assert_allclose(2 * members.blocks.laplacian(u), L, atol=1e-12)
    masses, times = np.zeros((2, 2, members.n))
    for (i, j), w in pairs.items():
        masses[0, i], masses[1, j] = masses[0, i] + w, masses[1, j] + w
        times[0, i], times[1, j] = times[0, i] + w * u[j], times[1, j] + w * u[i]
    np.testing.assert_allclose(members.row_masses, masses, atol=1e-13)
    np.testing.assert_allclose(members.times(u), times, atol=1e-12)
    X = np.stack([u, s], axis=1)
    inner = sum(float(w) * float(X[i] @ X[j]) for (i, j), w in pairs.items())
    assert members.inner(X) == pytest.approx(inner, abs=1e-11)
    assert members.blocks.inner(X) == pytest.approx(inner, abs=1e-11)
    rows, part = members.components
    assert sorted(rows.tolist()) == sorted({r for pair in pairs for r in pair})
    parts = dict(zip(rows.tolist(), part.tolist(), strict=True))
    assert all(parts[i] == parts[j] for i, j in pairs)


def check_sums(members, pairs, s, u):
    """Compare losses over members, and the share in order, with sums over the dict."""
    for loss in ("hinge", "squared"):
        add = PairSums(members, squared=loss == "squared")
        value, c, active = add(s)
        twin = reference.sums(pairs, s, loss)
        assert value == pytest.approx(float(twin[0]), rel=1e-12, abs=1e-13)
        np.testing.assert_allclose(c, np.array(twin[1], float), atol=1e-12)
        if loss == "hinge":
            assert active == pytest.approx(float(twin[2]), rel=1e-12)
    D = np.array(reference.bend(pairs, s, u), float)
    np.testing.assert_allclose(add.bend()(u), D, atol=1e-12)
    theta, *each = reference.concordance(pairs, s)
    got = concordance(members, s)
    assert got[0] == pytest.approx(float(theta), abs=1e-12)
    np.testing.assert_allclose(got[1:], np.array(each, float), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_and_losses_are_those_of_the_definition(kind, monkeypatch):
    """Scores tie often, and margins are exactly 1; groups are summed by all pairs, and sorted."""
    rng, (some, how), none = np.random.default_rng(1), KINDS[kind], 0
    for case in range(CASES):
        monkeypatch.setattr(sums, "SMALL", (0, 512)[case % 2])
        n = int(rng.integers(3, 14))
        pairs, build = some(rng, n, rng.integers(1, 4, n), **how)
        if not pairs:
            none += 1
            with pytest.raises(DataError):
                build()
            continue
        members = build()
        assert members.pairs == len(pairs) or how.get("gain") == "exp2" or kind == "grade linear"
        s, u = rng.integers(-12, 13, n) / 4, rng.integers(-9, 9, n) / 4
        check_members(members, pairs, s, u)
        check_sums(members, pairs, s, u)
    assert none < CASES / 2


@pytest.mark.parametrize("kind", ["group each=group", "time"])
def test_rows_are_drawn_as_often_as_their_pairs_count(kind):
    rng, draws, (some, how) = np.random.default_rng(4), 100_000, KINDS[kind]
    pairs, build = some(rng, 10, rng.integers(1, 4, 10), **how)
    for members in (build(), build().blocks):
        i, j = members.drawn(draws, rng)
        counts = np.bincount(i * members.n + j, minlength=members.n**2)
        assert {*zip(i.tolist(), j.tolist(), strict=True)} <= pairs.keys()
        for (a, b), weight in pairs.items():
            mean = draws * float(weight)
            sd = np.sqrt(mean * float(1 - weight))
            assert abs(counts[a * members.n + b] - mean) < 4.5 * sd + 1e-9


def test_many_keys_need_few_memberships():
    key = np.random.default_rng(5).permutation(1000)
    members = Members.of_keys(key, np.ones(1000), np.ones(1000))
    assert members.pairs == 1000 * 999 // 2
    assert members.blocks.rows.size <= 1000 * 10


def test_weighted_pairs_are_taken_with_their_rows():
    y, v = np.array([1, 1, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    X = np.arange(5.0)[:, np.newaxis]
    some = np.array([4, 2, 0], np.int32)
    drawn = Data.of(X, y, pairs=Weighted(v)).take(some)
    weighted = Data.of(X[some], y[some], weights=v[some])
    s = np.array([0.5, 1.0, 2.0])
    assert concordance(members_of(drawn), s)[0] == concordance(members_of(weighted), s)[0] == 1 / 6


LABELLED = Data.of(np.eye(4), [0, 1, 0, 1])
NARROW = replace(LABELLED, pairs=Fpr(max=0.2))
CLASSED = classed(np.random.default_rng(0), 12, np.ones(12))
EVEN = Data.of(CLASSED.rows, Categories.of(CLASSED.target.y), pairs=ByClass())
REFUSED = refusals(
    ("group", lambda: Group().members(LABELLED), DataError, "--groups"),
    ("time", lambda: Time().members(LABELLED), DataError, "--time-to-event"),
    ("classes of labels", lambda: [*ByClass().labels(LABELLED)], DataError, "labels"),
    ("each of groups", lambda: Group(each="row"), ParameterError, "each"),
    ("each of classes", lambda: ByClass("pair"), ParameterError, "rest"),
    ("tau", lambda: Time(tau=np.nan), ParameterError, "tau"),
    ("gain", lambda: Grade(gain="log"), ParameterError, "gain"),
    ("two weights", lambda: Grade(each="grades", gain="linear"), ParameterError, "two"),
    ("negative grade", lambda: Grade(gain="exp2").members(of_target(Grades(np.array([-1.0, 2.0])))),
     DataError, "gain=linear"),
    ("groups of classes", lambda: solve("svm-or", replace(
        CLASSED, groups=np.arange(12, dtype=np.int32), pairs=Group())), DataError, "ByClass"),
    ("square of a range", lambda: PairwiseSquare(NARROW), UnsupportedError, "squared-hinge"),
    ("bend of a range", lambda: PairwiseSquaredHinge(NARROW).bent(np.arange(4.0)), UnsupportedError,
     "hinge"),
    ("no weights", lambda: solve("sht-auc", EVEN), UnsupportedError, "each=rest"),
    *(("share", lambda how=how: Fpr(**how), ParameterError, "share")
      for how in ({"max": 0.0}, {"max": 1.5}, {"min_tpr": 1.0}, {"rest": -0.1})),
    ("share of the top", lambda: Top(rest=2.0), ParameterError, "share"),
)  # fmt: skip


@REFUSED
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


def test_a_solver_without_weights_learns_the_pairs_of_classes_that_it_can():
    rest = replace(EVEN, pairs=ByClass("rest"))
    run = solve(get_solver("sht-auc", k=2), rest, passes=5)
    assert run.trained_on == ""  # they were asked for


# --- golden numbers, and many rows against all their pairs -----------------------------------


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
