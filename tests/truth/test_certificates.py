"""Every certified gap is at least the true one, in exact arithmetic, whatever the scale."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import optima
import pytest
import reference
from certified_problems import gaps, hold, problem_at
from nights import NIGHTLY, first, first_rows
from term_problems import LOSSES, exact_square, ordered_problem, plain_descent, term_problem

from aucbench.data import Data, Grades, Survival
from aucbench.errors import AucbenchError, DataError
from aucbench.pairs import Fpr, Grade, Group, Time, Top
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.scale import ChunkedData, InMemory
from aucbench.solving.loop import begin, solve

LOSS = {
    "square": optima.pairwise_square,
    "hinge": optima.pairwise_hinge,
    "squared": optima.pairwise_squared_hinge,
}
MEMORY, WIDE, PARTS, STANDARD = "in memory", "wide", "in parts", "in standardised parts"
CASES = [
    *((name, "square", MEMORY) for name in
      ("spdam", "spdam[sampling=blocks]", "spdam[batch=0.3]", "ls-svm")),
    *((name, "hinge", MEMORY) for name in ("svm-or", "roc-svm-full")),
    ("rank-svm", "squared", MEMORY),
    ("ls-svm", "square", PARTS), ("svm-or", "hinge", STANDARD), ("svm-or", "hinge", WIDE),
    *(pytest.param(name, loss, PARTS, marks=NIGHTLY)  # as those of standardised parts
      for name, loss in (("svm-or", "hinge"), ("rank-svm", "squared"))),
]  # fmt: skip


@pytest.mark.parametrize("part", first(range(20)))
@pytest.mark.parametrize(("name", "loss", "where"), CASES)
def test_gaps_over_labels(name, loss, where, part):
    told, in_parts = 0, where in (PARTS, STANDARD)
    seeds, most, every = (2, 40, 20) if in_parts else (10, 200, 9)
    for seed in range(seeds * part, seeds * (part + 1)):
        X, y, data, lam = problem_at(seed)
        if where == WIDE:
            rng, size = np.random.default_rng(seed), np.abs(X).max()
            more = rng.normal(size=(len(X), len(X))) * size * 10.0 ** rng.uniform(-6, 0)
            X = np.hstack([X, more])
            data = Data.of(X, y)
        scale = np.ones(data.d)
        if in_parts:
            data = ChunkedData(InMemory(data, 4), standard=where == STANDARD)
            scale = data.scale

        def value(w, X=X, y=y, lam=lam, scale=scale):
            v = [a / s for a, s in zip(*map(optima.exactly, (w, scale)), strict=True)]
            return LOSS[loss](X, y, v) + optima.ridge(w, lam)

        seen = gaps(get_solver(name, lam=lam), data, most, every)[1]
        D = optima.differences(X / scale, y)
        others = optima.hinge_candidates(D, lam) if loss == "hinge" else ()
        if loss == "squared" and where == PARTS:
            others = [w for w, _ in gaps(get_solver(name, lam=lam), Data.of(X, y), 300, 300)[1]]
        least = optima.least_square(X, y, lam) if loss == "square" else None
        told += hold(seen, value, others, least)
    assert told > 1


@pytest.mark.parametrize("part", first(range(3)))
@pytest.mark.parametrize("name", ["roc-svm", "roc-svm-nystrom", "roc-svm-kernel"])
def test_gaps_of_chosen_pairs_and_of_kernels(name, part):
    told = 0
    for seed in range(15 * part, 15 * (part + 1)):
        X, y, data, lam = problem_at(seed)
        try:
            problem, seen = gaps(get_solver(name, lam=lam), data, 80, every=9)
        except AucbenchError:  # a kernel that is 0 or overflows at this scale
            continue
        f, root = problem.f, getattr(problem.project, "root", np.eye(data.d))
        C = X if name == "roc-svm" else problem.data.rows.matrix

        def value(w, y=y, lam=lam, f=f, root=root, C=C):
            v = optima.scores(root, w)
            norm = Fraction(lam) / 2 * optima.dot(v, v)
            if hasattr(f, "positives"):
                return optima.hinge_of_pairs(C, f.positives, f.negatives, w) + norm
            return optima.pairwise_hinge(C, y, w) + norm

        others = ()
        if name == "roc-svm":
            others = optima.hinge_candidates(C[f.positives] - C[f.negatives], lam)
        told += hold(seen, value, others)
    assert told > 5


@pytest.mark.parametrize("part", first(range(4)))
@pytest.mark.parametrize(("name", "margin"), [("aum", 0.0), ("aum-margin", 1.0)])
def test_gaps_of_the_aum(name, margin, part):
    certified = 0
    for seed in range(25 * part, 25 * (part + 1)):
        X, y, data, _ = problem_at(seed)
        try:
            problem, seen = gaps(get_solver(name, early_stopping=False), data, 80, every=9)
        except AucbenchError:  # equal means
            continue
        normal = None if margin else problem.project.normal

        def value(w, X=X, y=y, normal=normal):
            found = optima.aum(X, y, w, margin)
            pair = (normal, w)
            return found if normal is None else found / optima.dot(*map(optima.exactly, pair))

        hold(seen, value, [optima.least_aum(X, y, margin, normal)])
        certified += bool(seen) and seen[-1][1] <= 1e-6
    assert certified >= 15


def test_what_was_certified_wrongly_is_not():
    X = np.random.default_rng(0).standard_normal((40, 5)) * 1e8
    y = np.repeat([1, -1], [12, 28])
    run = solve(get_solver("spdam", lam=1e-3), Data.of(X, y))
    assert run.stop is Stop.PASSES
    assert run.points[-1].gap >= run.points[-1].objective - float(optima.least_square(X, y, 1e-3))


# --- pairs of groups, times, grades and ranges ---------------------------------------------

OF_PAIRS = {"svm-or": "hinge", "roc-svm-full": "hinge", "rank-svm": "squared", "ls-svm": "square"}


def whole(grade):
    return Fraction(int(grade))


def paired(seed, kind):
    """Rows of `problem_at` with other pairs: the data, their λ, and a function scores -> pairs."""
    X, y, data, lam = problem_at(seed)
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


@pytest.mark.parametrize("part", first(range(7)))
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in OF_PAIRS for kind in ("group", "time", "grade")),
        *((name, "range") for name in ("svm-or", "roc-svm-full")),
    ],
)
def test_gaps_over_other_pairs(name, kind, part):
    told = 0
    for seed in range(4 * part, 4 * (part + 1)):
        X, data, lam, of_scores = paired(seed, kind)
        if not of_scores(np.zeros(len(X))):
            with pytest.raises(DataError):
                begin(get_solver(name, lam=lam), data)
            continue

        def value(w, X=X, lam=lam, of_scores=of_scores):
            s = optima.scores(X, w)
            return reference.sums(of_scores(s), s, OF_PAIRS[name])[0] + optima.ridge(w, lam)

        seen = gaps(get_solver(name, lam=lam), data, 100, every=30)[1]
        others = () if name == "svm-or" else gaps(get_solver("svm-or", lam=lam), data, 150, 50)[1]
        told += hold(seen, value, [w for w, _ in others])
    assert told > 2


@pytest.mark.parametrize("name", OF_PAIRS)
def test_a_heavy_group_without_pairs_spoils_no_gap(name):
    told = 0
    for seed in range(4):
        X, y, data, lam = problem_at(seed)
        rng, n = np.random.default_rng(seed), len(y)
        grades, group, v = rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(1, 4, n)
        heavy = group == rng.integers(0, 3)
        grades[heavy] = 1
        pairs = reference.of_grades(grades, [int(weight) for weight in v], group=group)

        def value(w, X=X, lam=lam, pairs=pairs):
            s = optima.scores(X, w)
            return reference.sums(pairs, s, OF_PAIRS[name])[0] + optima.ridge(w, lam)

        def seen(by, weight, data=data, v=v, grades=grades, group=group, heavy=heavy, lam=lam):
            target = Grades(grades.astype(float), np.where(heavy, weight, v))
            some = replace(data, target=target, pairs=Grade(), groups=group.astype(np.int32))
            return gaps(get_solver(by, lam=lam), some, 150, every=50)[1]

        best = [w for w, _ in (*seen(name, 1.0), *seen("svm-or", 1.0))]
        for weight in (2.0**40, 2.0**53, 1e300):
            told += hold(seen(name, weight), value, best)
    assert told > 12


# --- bounds of weights and groups of terms -------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(
    ("made", "part"),
    [
        *first_rows((term_problem, part) for part in range(20)),
        *first_rows((ordered_problem, part) for part in range(4)),
    ],
)
def test_gaps_with_bounds_and_groups(made, part, name):
    told, loss = 0, LOSSES[name]
    for problem in map(made, range(10 * part, 10 * (part + 1))):
        solver = get_solver(name, lam=problem.lam, group=problem.group)
        seen = gaps(solver, problem.data, 60)[1]
        least = None
        if name == "ls-svm" and problem.group is None and made is term_problem:
            least = exact_square(problem)
        told += hold(
            seen,
            lambda w, problem=problem: problem.value(loss, w),
            [plain_descent(problem, loss, 300)],
            least,
        )
    assert told > 15
