"""Each solver on each kind of pairs: it trains on them, certified where it can be, or refuses."""

import re
from dataclasses import replace

import numpy as np
import pytest

from aucbench import Data, get_solver, solve
from aucbench.data import Grades, Survival
from aucbench.errors import UnsupportedError
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Fpr, Grade, Group, Time, Top
from aucbench.records import Stop
from aucbench.registry import describe, names

WRITTEN = {
    "estimator": None,  # whose parameter is required
    "random-forest": "random-forest[n_estimators=5]",
    "hist-gradient-boosting": "hist-gradient-boosting[max_iter=5]",
    **{
        name: f"{name}[n_estimators=20]"
        for name in ("lightgbm", "xgboost", "lightgbm-pairwise", "xgboost-pairwise")
    },
}
CERTIFIED = ("svm-or", "rank-svm", "ls-svm")
TAKERS = {
    "group": {"svm-or", "rank-svm", "ls-svm", "sht-auc", "roc-svm", "roc-svm-full"},
    "range": {"svm-or", "roc-svm-full", "roc-svm-nystrom"},
    "order": {"svm-or", "rank-svm", "ls-svm", "sht-auc", "roc-svm", "roc-svm-full"},
}


def rows():
    """Rows of 40 groups, of which the first feature tells most."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4))
    inside = X[:, 0] + 0.3 * rng.normal(size=200)
    return X, inside, np.arange(200) // 5


def data_of(pairs):
    X, inside, group = rows()
    if isinstance(pairs, Time):
        target = Survival.of(np.exp(-inside), np.arange(200) % 3 > 0)
    elif isinstance(pairs, Grade):
        target = Grades.of(np.clip(np.floor(2 * inside), -2, 2))
    else:
        target = np.where(inside > 0.5, 1, -1)
    return replace(Data.of(X, target, groups=group), pairs=pairs)


KINDS = {
    "group": Group(),
    "group by group": Group(each="group"),
    "fpr": Fpr(max=0.3, rest=0.5),
    "top": Top(rest=0.5),
    "time": Time(),
    "grade": Grade(),
}
SOLVERS = [WRITTEN.get(name, name) for name in names("solvers") if WRITTEN.get(name, name)]


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_trains_on_pairs_or_refuses_them(name, kind):
    pairs, solver = KINDS[kind], get_solver(name)
    data = data_of(pairs)
    bare = name.partition("[")[0]
    if f"{pairs.kind}-pairs" not in solver.needs.capabilities:
        assert bare not in TAKERS[pairs.kind]
        with pytest.raises(UnsupportedError) as refusal:
            solve(solver, data, passes=5)
        said = str(refusal.value)
        known = {n for n in re.findall(r"[a-z-]+", said) if n in names("solvers")}
        assert known, said
        able = [describe("solvers", n).needs["capabilities"] for n in known]
        assert all(f"{pairs.kind}-pairs" in each for each in able)
        return
    run = solve(solver, data, passes=300 if bare in CERTIFIED else 30)
    assert quality_of(data, run.decision_function(data.rows)) > 0.75
    if bare in CERTIFIED:
        assert run.stop is Stop.CERTIFIED
        assert run.points[-1].gap is not None


@pytest.mark.parametrize("name", sorted(TAKERS["group"]))
def test_what_is_constant_in_each_group_has_no_weight(name):
    X, inside, group = rows()
    level = np.random.default_rng(3).normal(size=(40, 2))[group]
    y = np.where(inside + 2.0 * level[:, 0] > 0.5, 1, -1)
    data = Data.of(np.c_[X, level], y, groups=group, pairs=Group())
    w = solve(get_solver(name), data, passes=30).w
    np.testing.assert_array_equal(w[4:], 0.0)
    assert w[0] > 0.0
