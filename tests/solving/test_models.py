"""Solvers whose result is no vector of weights: what holds for weights holds for models."""

from dataclasses import dataclass, field
from math import inf, nan

import numpy as np
import pytest
from refusals import assert_refused
from samples import data

from aucbench import auc, solve
from aucbench.contract import Model, Needs, Problem, Solver, State, count_rows
from aucbench.errors import DataError, PluginError
from aucbench.objectives import PairwiseSquare
from aucbench.records import Stop
from aucbench.solving.scoring import Scorer
from aucbench.solving.tuning import fit_and_judge

DATA = data(n=120)


@dataclass(frozen=True)
class Bumps(Model):
    """Scores by the difference of the mean Gaussian bumps of the positives and the negatives."""

    data: object
    width: float

    def scores(self, rows):
        known, y = self.data.rows.matrix, self.data.y
        far = ((rows.matrix[:, None, :] - known[None]) ** 2).sum(axis=2)
        bumps = np.exp(-far / self.width**2)
        return bumps[:, y > 0].mean(axis=1) - bumps[:, y < 0].mean(axis=1)


@dataclass(frozen=True)
class Parzen(Solver):
    """A kernel classifier: the width is halved at each step."""

    width: float = 4.0
    needs = Needs(path="width")

    def iterates(self, problem, w0, rng, budget):
        for t in range(1, 4):
            count_rows(problem.data.n)
            width = self.width / 2**t
            model = Bumps(problem.data, width)
            yield State(gap=1e-30, value=5.0, model=model, info={"width": width})


@dataclass(frozen=True)
class Gives(Solver):
    """Returns one state, of a model with these scores."""

    scores: object
    given: dict = field(default_factory=dict)

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w0, rng, budget):
        return State(model=self, **self.given)


def test_solve_returns_the_last_model_and_no_numbers_of_weights():
    seen = []
    run = solve(Parzen(), DATA, watch=lambda point, state: seen.append((point, state)))
    assert (run.w, run.nnz, run.stop) == (None, None, Stop.FINISHED)
    assert run.model.width == 0.5
    assert [(p.objective, p.gap, p.passes) for p in run.points] == [
        (None, None, passes) for passes in (1.0, 2.0, 3.0, 3.0)
    ]
    assert [s.info for _, s in seen] == [{"width": w} for w in (2.0, 1.0, 0.5, 0.5)]
    np.testing.assert_array_equal(run.decision_function(DATA.rows), run.model.scores(DATA.rows))
    assert_refused(lambda: run.decision_function(np.ones((4, 3))), DataError, "3 columns")


def test_a_model_on_a_listed_objective_has_no_value_of_it():
    run = solve(Gives(lambda rows: np.zeros(rows.n), {"gap": 5.0}), DATA)
    assert (run.stop, run.points[-1].objective, run.points[-1].gap) == (Stop.FINISHED, None, None)


@pytest.mark.parametrize(
    ("scores", "word"),
    [(np.zeros((120, 1)), "(120, 1)"), (np.zeros(3), "(3,)"), (np.array(["a"] * 120), "numbers")],
)
def test_wrong_shapes_are_refused_where_scores_are_used(scores, word):
    run = solve(Gives(lambda rows: scores), DATA)
    sentence = assert_refused(lambda: run.decision_function(DATA.rows), PluginError, word)
    assert "Gives" in sentence


def test_what_is_not_finite_is_nan():
    odd = State(model=Gives(lambda rows: np.r_[inf, -inf, nan, 1, np.zeros(rows.n - 4)]))
    scores = Scorer.of(Problem(train=DATA))(odd, DATA.rows)
    assert np.isnan(scores[:3]).all()
    assert scores[3] == 1
    assert_refused(lambda: auc(DATA.y, scores), DataError, "NaN")


def test_a_model_is_judged_by_held_out_rows_and_one_that_is_nan_is_invalid():
    fold = (DATA, data(1, n=60))
    fit, _ = fit_and_judge(lambda _: Parzen(), solve, {}, fold, None)
    nans, _ = fit_and_judge(
        lambda _: Gives(lambda rows: np.full(rows.n, nan)), solve, {}, fold, None
    )
    assert fit.score > 0.6
    assert "NaN" in nans.reason
