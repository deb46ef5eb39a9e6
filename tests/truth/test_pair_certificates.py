"""Certified gaps over the pairs of groups, times, grades and ranges, in exact arithmetic."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import optima
import pytest
import reference
from certified_problems import hold, sample, states
from nights import first

from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.errors import DataError
from aucbench.pairs import Fpr, Grade, Group, Time, Top
from aucbench.registry import get_solver
from aucbench.solving.loop import begin

pytestmark = pytest.mark.slow


def whole(grade):
    return Fraction(int(grade))


LOSSES = {"svm-or": "hinge", "roc-svm-full": "hinge", "rank-svm": "squared", "ls-svm": "square"}


def paired(seed, kind):
    """Rows of `sample` with other pairs: the data, their λ, and a function of scores -> pairs."""
    X, y, data, lam = sample(seed)
    rng, n = np.random.default_rng(seed), len(y)
    ones, group = [1] * n, rng.integers(0, 3, n)
    if kind == "group":
        each = ("pair", "group")[seed % 2]
        pairs = reference.of_groups(y, group, ones, each)
        data = replace(data, pairs=Group(each=each), groups=group.astype(np.int32))
    elif kind == "time":
        time, event = rng.integers(1, 6, n).astype(float), rng.random(n) < 0.7
        pairs = reference.of_times(time, event, ones)
        data = replace(data, target=Survival(time, event), pairs=Time())
    elif kind == "grade":
        grades = rng.integers(0, 4, n)
        gain = ("none", "linear")[seed % 2]
        pairs = reference.of_grades(grades, ones, gain=whole if seed % 2 else None)
        data = replace(data, target=Grades(grades.astype(float)), pairs=Grade(gain=gain))
    else:
        beta, alpha = Fraction(int(rng.integers(1, 9)), 8), Fraction(int(rng.integers(0, 6)), 8)
        top = seed % 3 == 0
        data = replace(data, pairs=Top() if top else Fpr(float(beta), float(alpha)))
        beta, alpha = (Fraction(1, n), Fraction(0)) if top else (beta, alpha)

        def of_scores(s):
            return reference.of_range(y, s, ones, np.zeros(n, int), beta, alpha)

        return X, data, lam, of_scores
    return X, data, lam, lambda s: pairs


CASES = [
    *((name, kind) for name in LOSSES for kind in ("group", "time", "grade")),
    ("svm-or", "range"),
    ("roc-svm-full", "range"),
]


@pytest.mark.parametrize("part", first(range(7)))
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_gaps_over_other_pairs(name, kind, part):
    told = 0
    for seed in range(4 * part, 4 * (part + 1)):
        X, data, lam, of_scores = paired(seed, kind)
        if not of_scores(np.zeros(len(X))):
            with pytest.raises(DataError):
                begin(get_solver(name, lam=lam), data)
            continue
        seen = states(get_solver(name, lam=lam), data, 100, every=30)[1]
        best = seen if name == "svm-or" else [*seen, *states(
            get_solver("svm-or", lam=lam), data, 150, every=50)[1]]  # fmt: skip

        def value(w, X=X, lam=lam, of_scores=of_scores):
            s = optima.scores(X, w)
            return reference.sums(of_scores(s), s, LOSSES[name])[0] + optima.ridge(w, lam)

        told += hold(seen, value, min(value(w) for w, _ in best))
    assert told > 2


@pytest.mark.parametrize("name", LOSSES)
def test_a_heavy_group_without_pairs_spoils_no_gap(name):
    told = 0
    for seed in range(6):
        X, y, data, lam = sample(seed)
        rng, n = np.random.default_rng(seed), len(y)
        grades, group, v = rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(1, 4, n)
        heavy = group == rng.integers(0, 3)
        grades[heavy] = 1
        pairs = reference.of_grades(grades, [int(weight) for weight in v], group=group)

        def value(w, X=X, lam=lam, pairs=pairs):
            s = optima.scores(X, w)
            return reference.sums(pairs, s, LOSSES[name])[0] + optima.ridge(w, lam)

        def seen(by, weight, data=data, v=v, grades=grades, group=group, heavy=heavy, lam=lam):
            target = Grades(grades.astype(float), np.where(heavy, weight, v))
            some = replace(data, target=target, pairs=Grade(), groups=group.astype(np.int32))
            return states(get_solver(by, lam=lam), some, 150, every=50)[1]

        best = [*seen(name, 1.0), *seen("svm-or", 1.0)]
        least = min(value(w) for w, _ in best)
        for weight in (2.0**40, 2.0**53, 1e300):
            told += hold(seen(name, weight), value, least)
    assert told > 20
