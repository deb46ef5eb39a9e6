"""Each solver on each kind of pairs: it trains on them, certified where it can be, or refuses."""

import re
from dataclasses import replace

import installed
import numpy as np
import pytest

from aucbench import Data, get_solver, solve
from aucbench.data import Grades, Survival
from aucbench.errors import UnsupportedError
from aucbench.metrics.pairs import quality_of
from aucbench.pairs import Fpr, Grade, Group, Time, Top
from aucbench.records import Stop
from aucbench.registry import describe

SOLVERS = [name for name in installed.SOLVERS if name != "estimator"]
ABLE = {name: describe("solvers", name).needs["capabilities"] for name in SOLVERS}
CERTIFIED = ("svm-or", "rank-svm", "ls-svm")
TAKERS = {
    "group": {"svm-or", "rank-svm", "ls-svm", "sht-auc", "roc-svm", "roc-svm-full"},
    "range": {"svm-or", "roc-svm-full", "roc-svm-nystrom"},
    "order": {"svm-or", "rank-svm", "ls-svm", "sht-auc", "roc-svm", "roc-svm-full"},
}
KINDS = {
    "group": Group(),
    "group by group": Group(each="group"),
    "fpr": Fpr(max=0.3, rest=0.5),
    "top": Top(rest=0.5),
    "time": Time(),
    "grade": Grade(),
}


def rows():
    """Rows of 40 groups, of which the first feature tells most."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4))
    return X, X[:, 0] + 0.3 * rng.normal(size=200), np.arange(200) // 5


def data_of(pairs):
    X, inside, group = rows()
    if isinstance(pairs, Time):
        target = Survival.of(np.exp(-inside), np.arange(200) % 3 > 0)
    elif isinstance(pairs, Grade):
        target = Grades.of(np.clip(np.floor(2 * inside), -2, 2))
    else:
        target = np.where(inside > 0.5, 1, -1)
    return replace(Data.of(X, target, groups=group), pairs=pairs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_trains_on_pairs_or_refuses_them(name, kind):
    few = "[n_estimators=20]" if name.endswith("-pairs") else ""
    pairs, solver = KINDS[kind], get_solver(name + few)
    data, capability = data_of(pairs), f"{pairs.kind}-pairs"
    if capability not in ABLE[name]:
        assert name not in TAKERS[pairs.kind]
        with pytest.raises(UnsupportedError) as refusal:
            solve(solver, data, passes=5)
        known = {*re.findall(r"[a-z-]+", str(refusal.value))} & {*SOLVERS}
        assert known, refusal.value
        assert all(capability in ABLE[other] for other in known)
        return
    run = solve(solver, data, passes=300 if name in CERTIFIED else 30)
    assert quality_of(data, run.decision_function(data.rows)) > 0.75
    if name in CERTIFIED:
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
