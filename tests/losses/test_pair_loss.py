"""Value, gradient and curvature of `PairLoss` against sums over a dict of pairs, in fractions."""

from fractions import Fraction as F

import numpy as np
import pytest
import reference
from refusals import assert_refused, refusals

from aucbench.data import Breakpoints, Categories, Grades, Survival
from aucbench.errors import DataError, NoPairsError, UnknownNameError, UnsupportedError
from aucbench.losses import PairLoss
from aucbench.pairs import ByClass, Fpr, Grade, Group

BENDS = {"squared-hinge": 2, "square": 2, "logistic": F(1, 4)}  # K, the largest φ″
NAMES = np.array(["ada", "bo", "cy"])


def of_all(rng, n, v):
    y = rng.integers(0, 2, n)
    return y, None, lambda s: reference.of_groups(2 * y - 1, np.zeros(n), v)


def of_groups(rng, n, v, each="pair"):
    y, group = rng.integers(0, 2, n), rng.integers(0, 3, n)
    return y > 0, NAMES[group], lambda s: reference.of_groups(2 * y - 1, group, v, each)


def of_range(rng, n, v, beta, alpha, rest, *, grouped=False):
    y, group = 2 * rng.integers(0, 2, n) - 1, rng.integers(0, 3 if grouped else 1, n)

    def pairs(s):
        whole = reference.of_groups(y, group, v)
        part = whole and reference.of_range(y, s, v, group, beta, alpha)
        return {p: part.get(p, F(0)) * (1 - rest) + whole[p] * rest for p in whole}

    return y, NAMES[group] if grouped else None, pairs


def of_times(rng, n, v):
    time, event = rng.integers(1, 6, n), rng.random(n) < 0.6
    fields = [("event", bool), ("time", float)]
    forms = np.where(event, time, -time), np.array([*zip(event, time, strict=True)], fields)
    return forms[n % 2], None, lambda s: reference.of_times(time, event, v)


def of_grades(rng, n, v, *, grouped=False):
    y, group = rng.integers(0, 4, n), rng.integers(0, 3, n) if grouped else None
    return y, NAMES[group] if grouped else None, lambda s: reference.of_grades(y, v, group=group)


HALF, TENTH = F(1, 2), F(1, 10)
KINDS = {
    "all": ("all", of_all, {}),
    "group": ("group", of_groups, {}),
    "each group": (Group(each="group"), of_groups, {"each": "group"}),
    "fpr": ("fpr", of_range, {"beta": TENTH, "alpha": F(0), "rest": F(0)}),
    "rest": (Fpr(0.5, 0.25, 0.5), of_range, {"beta": HALF, "alpha": HALF / 2, "rest": HALF}),
    "fpr of groups": (Fpr(0.5, column="user"), of_range,
                      {"beta": HALF, "alpha": F(0), "rest": F(0), "grouped": True}),
    "survival": ("survival", of_times, {}),
    "grades": ("grades", of_grades, {}),
    "grades of groups": ("grades", of_grades, {"grouped": True}),
}  # fmt: skip


def by_pairs(pairs, s, loss):
    """Return f(s) and its derivatives, by sums over the pairs."""
    if loss != "logistic":
        value, c, _ = reference.sums(pairs, s, {"squared-hinge": "squared"}.get(loss, loss))
        return float(value), np.array(c, float)
    value, c = 0.0, np.zeros(len(s))
    for (i, j), weight in pairs.items():
        value += float(weight) * np.logaddexp(0.0, s[j] - s[i])
        slope = float(weight) / (1.0 + np.exp(s[i] - s[j]))
        c[i], c[j] = c[i] - slope, c[j] + slope
    return value, c


def bend_by_pairs(pairs, s, u, loss):
    """Return u·∇²f(s)u of fixed pairs."""
    if loss != "logistic":
        return float(np.dot(u, np.array(reference.bend(pairs, s, u, loss), float)))
    p = {(i, j): 1.0 / (1.0 + np.exp(s[i] - s[j])) for i, j in pairs}
    return sum(float(w) * p[e] * (1 - p[e]) * (u[e[0]] - u[e[1]]) ** 2 for e, w in pairs.items())


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("kind", KINDS)
def test_each_loss_is_the_sum_over_its_pairs(kind, offset):
    """Scores tie often, and margins are exactly 1; half of the cases have weights."""
    rng, (word, some, how), compared = np.random.default_rng(2), KINDS[kind], 0
    for case in range(25):
        n = int(rng.integers(2, 12))
        v = rng.integers(1, 4, n) if case % 2 else np.ones(n, int)
        target, groups, of = some(rng, n, v, **how)
        s, u = rng.integers(-12, 13, n) / 4, rng.integers(-9, 9, n) / 4
        pairs = of(s)
        for loss in ("squared-hinge", "hinge", "logistic", "square"):
            f = PairLoss(loss, word, weights=v if case % 2 else None)
            if loss == "square" and some is of_range:
                continue
            if not pairs:
                with pytest.raises(NoPairsError):
                    f.value_and_gradient(s, target, groups)
                continue
            value, c = f.value_and_gradient(s + offset, target, groups)
            twin = by_pairs(pairs, s, loss)
            assert value == pytest.approx(twin[0], rel=1e-12, abs=1e-12)
            np.testing.assert_allclose(c, twin[1], atol=1e-12)
            compared += 1
            if loss in BENDS:
                D = f.curvature(s + offset, target, groups)
                mass = np.zeros(n)
                for pair, weight in pairs.items():
                    mass[[*pair]] += 2 * float(BENDS[loss] * weight)
                np.testing.assert_allclose(D, mass, atol=1e-12)
                assert bend_by_pairs(pairs, s, u, loss) <= D @ u**2 + 1e-12
    assert compared > 40


def test_the_aum_is_that_of_its_thresholds():
    rng = np.random.default_rng(3)
    for n in range(2, 14):
        y = rng.integers(0, 2, n)
        y[:2] = 0, 1
        s = rng.integers(-4, 5, n) / 4
        b = Breakpoints.of_labels(2 * y - 1).rates
        given = (b.example, b.value, b.fp_diff, b.fn_diff, s)
        for offset in (0.0, 1e6):
            value, c = PairLoss("aum").value_and_gradient(s + offset, y)
            assert value == pytest.approx(float(reference.aum(*given)), abs=1e-12)
            np.testing.assert_allclose(c, reference.aum_derivatives(*given).mean(1), atol=1e-12)


Y, S = [1, 0, 0, 1, 1, 1, 0, 1, 1], [2, 1.5, 2, 0, 1, 0, 0.5, 3, -3]
USER, TIMES = [0, 0, 0, 1, 1, 1, 1, 2, 2], [5, 3, 3, -3, -8, -1]
OF_TIMES, GRADES, OF_GRADES = [1, 0, 2, 0.5, 1, 3], [2, 1, 0, 1, 2], [1, 1, 0.5, 2, 0]
TOP, OF_TOP = [1, 1, 1, 1, 0, 0, 0, 0, 0], [4, 2, 1, 0, 3, 2, 0.5, -1, -2]


def test_a_target_of_the_library_keeps_its_weights():
    v = np.array([1.0, 2, 3, 1, 2])
    for target, plain, pairs in (
        (Grades.of(GRADES, v), GRADES, "grades"),
        (Survival.of([1, 2, 3, 4, 5], [1, 1, 0, 1, 0], v), [1, 2, -3, 4, -5], "survival"),
    ):
        own = PairLoss(pairs=pairs).value_and_gradient(OF_GRADES, target)
        given = PairLoss(pairs=pairs, weights=v).value_and_gradient(OF_GRADES, plain)
        np.testing.assert_array_equal(own[1], given[1])
        even = PairLoss(pairs=pairs, weights=np.ones(5)).value_and_gradient(OF_GRADES, target)
        assert even[0] == PairLoss(pairs=pairs).value_and_gradient(OF_GRADES, plain)[0] != own[0]


@pytest.mark.parametrize(
    ("pairs", "target", "groups", "quality"),
    [
        ("all", Y, None, 13 / 36),
        ("group", Y, USER, 1 / 2),
        ("survival", TIMES, None, 1 / 2),
        ("grades", GRADES, None, 7 / 16),
        (Fpr(max=0.4), TOP, None, 73 / 128),
    ],
)
def test_the_quality_is_the_share_of_the_same_pairs(pairs, target, groups, quality):
    s = {9: S if target is Y else OF_TOP, 6: OF_TIMES, 5: OF_GRADES}[len(target)]
    assert PairLoss(pairs=pairs).bind(target, groups).quality(s) == pytest.approx(quality)


def called(loss="squared-hinge", pairs="all", weights=None, **given):
    y = given.pop("target", [0, 1, 1])
    return lambda: PairLoss(loss, pairs, weights).value_and_gradient([0.0, 1, 2], y, **given)


REFUSED = refusals(
    ("loss", lambda: PairLoss("cubic"), UnknownNameError, "squared-hinge"),
    ("pairs", lambda: PairLoss(pairs="users"), UnknownNameError, "survival"),
    ("pairs of the AUM", lambda: PairLoss("aum", "group"), UnsupportedError, "all"),
    ("weights of the AUM", called("aum", weights=[1, 2, 3]), UnsupportedError, "weights"),
    ("square of a range", called("square", "fpr"), UnsupportedError, "squared-hinge"),
    ("pairs of classes", called(pairs=ByClass()), UnsupportedError, "class"),
    ("one class", called(target=[1, 1, 1]), NoPairsError, "both classes"),
    ("one grade", called(pairs="grades", target=[2, 2, 2]), NoPairsError, "grades"),
    ("no event", called(pairs="survival", target=[-1, -2, -3]), NoPairsError, "events"),
    ("groups of one class", called(pairs="group", groups=[0, 1, 1]), NoPairsError, "no group"),
    ("three labels", called(target=[0, 1, 2]), DataError, "labels"),
    ("no groups", called(pairs="group"), DataError, "groups"),
    ("no groups of a range", called(pairs=Fpr(column="user")), DataError, "groups"),
    ("groups of all", called(groups=[0, 1, 1]), DataError, "pairs='group'"),
    ("groups across", called(pairs=Grade(across=True), groups=[0, 1, 1]), DataError, "groups"),
    ("too few groups", called(pairs="group", groups=[0, 1]), DataError, "groups"),
    ("too many weights", called(weights=[1, 1, 1, 1]), DataError, "weights"),
    ("a weight of 0", called(weights=[1, 0, 1]), DataError, "above 0"),
    ("too many labels", called(target=[0, 1, 1, 0]), DataError, "shape"),
    ("NaN", lambda: PairLoss().value_and_gradient([0, np.nan], [0, 1]), DataError, "finite"),
    ("infinity", lambda: PairLoss().curvature([0, np.inf], [0, 1]), DataError, "finite"),
    ("a matrix", lambda: PairLoss().value_and_gradient([[0, 1]], [0, 1]), DataError, "shape"),
    ("times of labels", called(pairs="survival", target=Grades.of([0, 1, 1])), DataError, "times"),
    ("classes", called(target=Categories.of([0, 1, 2])), UnsupportedError, "class"),
    ("a curved hinge", lambda: PairLoss("hinge").curvature([0, 1], [0, 1]), UnsupportedError,
     "squared-hinge"),
    ("a curved AUM", lambda: PairLoss("aum").curvature([0, 1], [0, 1]), UnsupportedError,
     "logistic"),
)  # fmt: skip


@REFUSED
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)
