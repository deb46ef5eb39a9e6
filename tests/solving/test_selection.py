"""λ by cross-validation: the choice, and its agreement with the benchmark's."""

from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean, stdev
from typing import ClassVar

import numpy as np
import pytest
from bench_toys import cell

from aucbench import Selection, auc, get_solver, select, solve
from aucbench.bench.worker.tune import tune
from aucbench.data import Data
from aucbench.data.folds import drawn_parts
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.protocols import Identity, Needs, Problem, State
from aucbench.solving.wrappers import WithSolver, recast

GRID = (1e-3, 10.0, 0.1, 1.0)


@dataclass(frozen=True)
class Cold(WithSolver):
    """A solver that has no path."""

    needs: ClassVar = Needs()


@dataclass(frozen=True)
class Counter:
    """Yields w0 + lam once and notes where it started; below lam = 0 the weights are NaN."""

    lam: float = 1.0
    log: tuple[list, ...] = ([],)

    space: ClassVar = {"lam": (1.0, 3.0, 2.0)}
    needs: ClassVar = Needs(path="lam")

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        w = problem.start()
        self.log[0].append((self.lam, w[0]))
        yield State(1, np.full(w.size, w[0] + self.lam if self.lam > 0 else np.nan), problem.data.n)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(6)
    y = np.where(rng.random(150) < 0.3, 1, -1)
    return Data.of(rng.normal(size=(150, 8)) + 0.2 * y[:, None], y)


def test_the_highest_mean_wins_and_is_refitted_on_all_rows(rows):
    found = select(get_solver("ls-svm"), rows, grid=GRID, folds=4, seed=3)

    assert isinstance(found, Selection)
    assert [c.value for c in found.candidates] == sorted(GRID, reverse=True)
    assert found.chosen == max(found.candidates, key=lambda c: c.auc).value
    assert found.solver == get_solver("ls-svm", lam=found.chosen)
    np.testing.assert_array_equal(found.run.w, solve(found.solver, rows, seed=3).w)


def test_means_and_spreads_are_those_of_the_folds(rows):
    found = select(get_solver("ls-svm"), rows, grid=[0.1], folds=3, passes=9)
    aucs = []
    for rest, held in drawn_parts(rows, 3, 0):
        run = solve(get_solver("ls-svm", lam=0.1), rest, passes=9)
        aucs.append(auc(held.y, run.decision_function(held.rows)))

    [only] = found.candidates
    assert only.aucs == tuple(aucs)
    assert (only.auc, only.std) == (fmean(aucs), pytest.approx(stdev(aucs)))


@pytest.mark.parametrize("name", ["ls-svm", "spam-l2"])
def test_it_chooses_what_the_benchmark_tunes(rows, name):
    parameter = "lam" if name == "ls-svm" else "l2"
    grid = tuple(sorted(GRID, reverse=True))
    task = cell(name, tune=((parameter, grid),), tune_evals=9, inner_splits=3, seed=5, passes=20)

    tuned = tune(task, lambda point: get_solver(name, **point), rows)
    found = select(
        get_solver(name), rows, grid=grid, parameter=parameter, folds=3, passes=20, seed=5
    )

    assert tuned.best == {parameter: found.chosen}
    aucs = {row["parameters"][parameter]: row["aucs"] for row in tuned.table}
    assert aucs == {c.value: [*c.aucs] for c in found.candidates}


def test_warm_starts_do_not_change_what_an_exact_solver_gives(rows):
    warm = select(get_solver("ls-svm"), rows, grid=GRID)
    cold = select(Cold(get_solver("ls-svm")), rows, grid=GRID)

    assert warm.chosen == cold.chosen
    for one, other in zip(warm.candidates, cold.candidates, strict=True):
        assert one.aucs == other.aucs


def test_a_fold_descends_from_weights_to_weights(rows):
    log = []
    found = select(Counter(log=(log,)), rows, folds=2)

    fold = [(3.0, 0.0), (2.0, 3.0), (1.0, 5.0)]
    assert log == [*fold, *fold, (found.chosen, 0.0)]
    assert [c.passes for c in found.candidates] == [2.0] * 3


def test_invalid_weights_lose_and_are_nobodys_start(rows):
    log = []
    found = select(Counter(log=(log,)), rows, grid=[1.0, -1.0, -2.0], folds=2)

    assert log[:3] == [(1.0, 0.0), (-1.0, 1.0), (-2.0, 0.0)]
    assert found.chosen == 1.0
    assert np.isnan([c.auc for c in found.candidates[1:]]).all()
    assert np.isnan([c.std for c in found.candidates[1:]]).all()
    with pytest.raises(ParameterError, match="none of the 2 values"):
        select(Counter(), rows, grid=[-1.0, -2.0])


def test_a_recast_solver_keeps_its_projector(rows):
    solver = recast(get_solver("sht-auc"), projector=Identity())
    found = select(solver, rows, parameter="k", grid=(1, 3), passes=3)

    assert found.solver == replace(solver, solver=get_solver("sht-auc", k=found.chosen))
    assert found.run.nnz == rows.d


def test_there_are_no_more_folds_than_rare_rows(rows):
    few = rows.take(np.r_[np.flatnonzero(rows.y > 0)[:3], np.flatnonzero(rows.y < 0)])

    assert len(select(get_solver("ls-svm"), few, grid=[1.0]).candidates[0].aucs) == 3
    one = rows.take(np.r_[np.flatnonzero(rows.y > 0)[:1], np.flatnonzero(rows.y < 0)])
    with pytest.raises(DataError, match="there are 1 row\\(s\\) of the rarer class"):
        select(get_solver("ls-svm"), one)


def test_mistakes_are_told(rows):
    with pytest.raises(UnknownNameError, match="known are: group, lam, tol"):
        select(get_solver("ls-svm"), rows, parameter="lamb", grid=[1.0])
    with pytest.raises(ParameterError, match="publishes no grid for 'tol'"):
        select(get_solver("ls-svm"), rows, parameter="tol")
    with pytest.raises(
        ParameterError, match="lam of LsSvm must be 'auto' or None or a number, got '1'"
    ):
        select(get_solver("ls-svm"), rows, grid=[2.0, "1"])
    with pytest.raises(ParameterError, match="C of LogisticRegression must be a number, got '1'"):
        select("logistic", rows, parameter="C", grid=[2.0, "1"])
    with pytest.raises(ParameterError, match="must be a number, got True"):
        select(get_solver("ls-svm"), rows, grid=[2.0, True])
    with pytest.raises(ParameterError, match="lam must be greater than 0, got nan"):
        select(get_solver("ls-svm"), rows, grid=[1.0, float("nan")])
    for grid in (3.0, "1", [], {"lam": 3.0}):
        with pytest.raises(ParameterError, match="give a list of values, a Range"):
            select("ls-svm", rows, grid=grid)
    with pytest.raises(ParameterError, match="names its own"):
        select("ls-svm", rows, parameter="lam", grid={"lam": [1.0]})
    with pytest.raises(ParameterError, match="leave grid= and parameter= out"):
        select({"ls-svm": None}, rows, parameter="lam")
    with pytest.raises(UnknownNameError, match="unknown solver 'lssvm'"):
        select("lssvm", rows)
    with pytest.raises(ParameterError, match="points must be at least 1"):
        select("ls-svm", rows, points=0)
    with pytest.raises(ParameterError, match="greater than 0"):
        select(get_solver("ls-svm"), rows, grid=[1.0, 0.0])
    with pytest.raises(ParameterError, match="folds must be at least 2"):
        select(get_solver("ls-svm"), rows, folds=1)


def test_several_parameters_of_any_kind(rows):
    grid = {"k": (2, 8), "intercept": (True, False), "gamma": [None, 0.5]}
    found = select("sto-iht", rows, grid=grid, folds=2, passes=5)

    tried = [tuple(c.parameters.values()) for c in found.candidates]
    assert {*tried} == {*product(*grid.values())}
    assert len(tried) == 8
    best = max(found.candidates, key=lambda c: c.auc)
    assert found.best == best
    assert found.solver == get_solver("sto-iht", **best.parameters)
    np.testing.assert_array_equal(found.run.w, solve(found.solver, rows, passes=5).w)
    with pytest.raises(ParameterError, match="read its `parameters`"):
        _ = found.chosen
    only = select("sto-iht", rows, parameter="intercept", grid=(True, False), folds=2, passes=5)
    assert [c.value for c in only.candidates] == [True, False]


def test_several_solvers_see_the_same_folds(rows):
    both = select(["ls-svm", get_solver("svm-or")], rows, grid=GRID, folds=3, passes=50)
    each = select({"logistic": None, "ls-svm": {"lam": GRID}, "constant": {}}, rows, folds=3)

    alone = [select(name, rows, grid=GRID, folds=3, passes=50) for name in ("ls-svm", "svm-or")]
    assert both.candidates == alone[0].candidates + alone[1].candidates
    assert both.best in (alone[0].best, alone[1].best)
    assert [type(c.solver).__name__ for c in each.candidates].count("LsSvm") == 4
    assert dict(each.candidates[-1].parameters) == {}
    assert each.candidates[-1].auc == 0.5
    assert {c.value for c in each.candidates[:-5]} == {*get_solver("logistic").space["C"]}


def test_the_parameters_of_a_wrapped_classifier_are_chosen(rows):
    tree = "estimator[sklearn.tree:DecisionTreeClassifier,random_state=0]"
    found = select(tree, rows, grid={"max_depth": (1, 3), "splitter": ("best", "random")}, folds=2)

    assert len(found.candidates) == 4
    assert found.solver.estimator.max_depth == found.best.parameters["max_depth"]
