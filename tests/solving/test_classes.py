"""Fits of three or more classes: one for each class against the rest."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from aucbench import get_objective, get_solver, solve
from aucbench.contract import Needs, Solver, State
from aucbench.data import Categories, Data
from aucbench.metrics import hand_till
from aucbench.records import Stop
from aucbench.solving.classes import against_rest
from aucbench.solving.loop import begin, solve_classes
from aucbench.solving.tuning import fit_and_judge

GOLDEN = [  # y, 4S; Hand–Till hinge, squared hinge and square; one-vs-rest hinge
    ([0, 0, 1, 1, 1, 2], ["220", "112", "130", "211", "022", "112"], "1/2 11/18 31/36", "569/1080"),
    ([0, 1, 2, 0, 1, 2], ["211", "121", "121", "112", "031", "103"], "3/8 11/24 11/12", "3/8"),
]
LOSSES = ("pairwise-hinge", "pairwise-squared-hinge", "pairwise-square")


def classes(n=90, d=4):
    """Three classes, each with a column in which its rows are larger."""
    rng = np.random.default_rng(0)
    y = np.append(np.arange(3), rng.integers(0, 3, n - 3))
    return Data.of(rng.normal(size=(n, d)) + 1.5 * np.eye(3, d)[y], Categories.of(y))


def mean_of_fits(name, y, S, *, even):
    """The mean over the classes of the objective at their scores: rows of one feature, w = 1."""
    target, found = Categories.of(y), []
    for k in range(S.shape[1]):
        labels = target.against_rest(k, even=even)
        data = Data(Data.of(S[:, k, None], labels.y).rows, labels)
        found.append(get_objective(name, data).value(np.ones(1)))
    return np.mean(found)


@pytest.mark.parametrize(("y", "S", "losses", "rest"), GOLDEN)
def test_the_mean_of_the_fits_has_the_golden_loss(y, S, losses, rest):
    y, S = np.array(y), np.array([[*row] for row in S], np.float64)
    for name, golden in zip(LOSSES, losses.split(), strict=True):
        found = mean_of_fits(name, y, S, even=True)
        assert found == pytest.approx(float(Fraction(golden)), rel=1e-14)
    found = mean_of_fits("pairwise-hinge", y, S, even=False)
    assert found == pytest.approx(float(Fraction(rest)), rel=1e-14)


@pytest.mark.parametrize("name", ["svm-or", "rank-svm", "ls-svm"])
def test_a_certified_fit_has_the_mean_of_the_gaps(name):
    data = classes()
    run = solve(get_solver(name, lam=0.1), data, passes=1000)
    assert run.stop is Stop.CERTIFIED or name == "ls-svm"
    assert len(run.parts) == 3
    assert run.w is None
    last = run.points[-1]
    assert last.gap == pytest.approx(np.mean([part.points[-1].gap for part in run.parts]))
    assert last.gap <= 1e-6
    each = [part.points[-1].objective for part in run.parts]
    assert last.objective == pytest.approx(np.mean(each), rel=1e-14)
    S = run.decision_function(data.rows)
    assert S.shape == (data.n, 3)
    assert hand_till(data.target.y, S) > 0.85
    assert run.nnz == 12
    assert run.trained_on == ""


def test_seconds_are_divided_among_the_classes_that_are_left():
    runs, solver = [], get_solver("sht-auc", k=3)

    def fit(solver, rows, seconds):
        left = 1000.0 - sum(run.seconds for run in runs)
        assert seconds == pytest.approx(left / (3 - len(runs)), rel=1e-12)
        runs.append(solve(solver, rows, passes=1))
        return runs[-1]

    assert solve_classes(solver, classes(), 1000.0, [fit] * 3).seconds < 1000.0
    run = solve(solver, classes(2000), seconds=0.1)
    assert [part.stop for part in run.parts] == [Stop.SECONDS] * 3
    assert run.stop is Stop.SECONDS


@dataclass(frozen=True)
class Diverging(Solver):
    """A solver whose weights are not finite for one class."""

    needs: ClassVar = Needs(frozenset({"weights"}))

    def iterates(self, problem, w0, rng, budget):
        return State(w0 + np.nan)


def test_an_invalid_class_makes_the_run_invalid():
    run = solve(Diverging(), classes())
    assert run.stop is Stop.INVALID
    result, w = fit_and_judge(lambda _: Diverging(), solve, {}, (classes(), classes()), None)
    assert w is None
    assert result.reason == Stop.INVALID.value


def test_no_class_is_fitted_after_an_invalid_one():
    ended = []

    def fit(solver, data, *, seconds):
        ended.append(solve(solver, data, passes=2))
        return replace(ended[-1], stop=Stop.INVALID) if len(ended) == 2 else ended[-1]

    assert solve_classes(get_solver("ls-svm"), classes(), None, [fit] * 3).stop is Stop.INVALID
    assert len(ended) == 2


def test_a_solver_that_draws_pairs_draws_them_by_their_weights():
    y = np.repeat([0, 1, 2], [40, 4, 16])
    data = Data.of(np.random.default_rng(0).normal(size=(60, 2)), Categories.of(y))
    solver = get_solver("roc-svm", pairs=200_000)
    assert solve(get_solver("roc-svm"), data, passes=3).trained_on == ""
    for k, part in enumerate(against_rest(solver, data)):
        f = begin(solver, part, seed=k)[0].f
        assert (y[f.positives] == k).all()
        others = [c for c in range(3) if c != k]
        share = np.mean(y[f.negatives] == others[0])
        assert share == pytest.approx(0.5, abs=0.006)  # five standard deviations
