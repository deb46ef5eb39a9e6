"""Solvers whose result is no vector of weights: what holds for weights holds for models."""

import pickle
from dataclasses import dataclass, field
from math import inf, nan

import numpy as np
import pytest
from sklearn.base import clone
from toys import DATA, Bench, cell, told

from aucbench import AUCClassifier, auc, get_dataset, solve
from aucbench.bench.worker.tune import tune
from aucbench.contract import Model, Problem, Solver, State
from aucbench.errors import DataError, PluginError
from aucbench.objectives import PairwiseSquare
from aucbench.records import Stop
from aucbench.solving.scoring import Scorer

SOURCE = '''
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from aucbench.hookspecs import hookimpl
from aucbench.contract import Model, Needs, Solver, State, count_rows

DRAWN = np.random.default_rng(0)  # one for the whole process: what no solver should do


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
class Flawed(Model):
    """What stands in `flaw` in place of scores."""

    flaw: str
    slope: float = field(default_factory=DRAWN.normal)

    def scores(self, rows):
        if self.flaw == "draws":
            return self.slope * rows.matrix[:, 0]
        return {"nan": np.full(rows.n, np.nan), "short": np.zeros(2)}[self.flaw]


@dataclass(frozen=True)
class Parzen(Solver):
    """A kernel classifier: the width is halved at each step."""

    width: float = 4.0
    flaw: str = ""
    space: ClassVar = {"width": (1.0, 4.0, 1e-9)}
    needs: ClassVar = Needs(path="width")

    def iterates(self, problem, w0, rng, budget):
        for t in range(1, 4):
            count_rows(problem.data.n)
            model = Flawed(self.flaw) if self.flaw else Bumps(problem.data, self.width / 2**t)
            info = {"width": self.width / 2**t}
            yield State(gap=1e-30, value=5.0, model=model, info=info)


@hookimpl
def aucbench_solvers():
    return {"parzen": Parzen}
'''


@pytest.fixture
def parzen(site):
    """Return the class of the toy solver, registered under this name."""
    site.add("toys", models=SOURCE)
    from aucbench.registry.lookup import find

    return find("solvers", "parzen").factory


@pytest.fixture
def bench(parzen, tmp_path):
    (tmp_path / "bench").mkdir()
    return Bench(tmp_path / "bench")


@pytest.fixture(scope="module")
def data():
    return get_dataset(DATA)


def test_solve_returns_the_last_model_and_no_numbers_of_weights(parzen, data):
    seen = []
    run = solve(parzen(), data, watch=lambda point, state: seen.append((point, state)))

    assert (run.w, run.nnz, run.stop) == (None, None, Stop.FINISHED)
    assert run.model.width == 0.5
    assert [(p.objective, p.gap, p.passes) for p in run.points] == [
        (None, None, passes) for passes in (1.0, 2.0, 3.0, 3.0)
    ]
    assert [s.info for _, s in seen] == [{"width": w} for w in (2.0, 1.0, 0.5, 0.5)]
    np.testing.assert_array_equal(run.decision_function(data.rows), run.model.scores(data.rows))
    with pytest.raises(DataError, match="X has 3 columns, the model was trained on"):
        run.decision_function(np.ones((4, 3)))


@dataclass(frozen=True)
class Zero(Model):
    """Every row scores 0."""

    def scores(self, rows):
        return np.zeros(rows.n)


@dataclass(frozen=True)
class Says(Solver):
    """Yields one state with what it is told."""

    given: dict = field(default_factory=dict)

    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))

    def iterates(self, problem, w0, rng, budget):
        return State(**self.given)


def test_a_model_on_a_listed_objective_has_no_value_of_it(data):
    run = solve(Says({"model": Zero(), "gap": 5.0}), data)

    assert (run.stop, run.points[-1].objective, run.points[-1].gap) == (Stop.FINISHED, None, None)


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        (np.zeros((120, 1)), r"shape \(120, 1\) for 120 rows, wanted .*\(120,\)"),
        (np.zeros(3), r"shape \(3,\)"),
        (np.array(["a"] * 120), "wanted numbers"),
    ],
)
def test_wrong_shapes_are_told_where_scores_are_used(data, scores, told):
    class Wrong:
        def scores(self, rows):
            return scores

    run = solve(Says({"model": Wrong()}), data)

    with pytest.raises(PluginError, match=f"Wrong.scores returned .*{told}"):
        run.decision_function(data.rows)


def test_what_is_not_finite_is_nan(data):
    class Odd:
        def scores(self, rows):
            return np.r_[inf, -inf, nan, 1, np.zeros(rows.n - 4)]

    scores = Scorer.of(Problem(train=data))(State(model=Odd()), data.rows)

    assert np.isnan(scores[:3]).all()
    assert scores[3] == 1
    with pytest.raises(DataError, match="NaN"):
        auc(data.y, scores)


def test_a_cell_with_a_model_is_measured(bench, data):
    done = bench.run(cell("parzen", repeat_fits=2, passes=9.0))
    points = told(done, "point")

    assert (done.error, done.result["status"], done.result["stop"]) == (None, "ok", "FINISHED")
    assert [done.result[name] for name in ("objective", "gap", "nnz", "feasible")] == [None] * 4
    assert done.result["deterministic"] is True
    assert done.result["auc"] > 0.6
    assert [p["passes"] for p in points] == [1.0, 2.0, 3.0, 3.0]
    assert all(p["train_auc"] > 0.6 and p["validation_auc"] is None for p in points)
    assert bench.run(cell("parzen[flaw=draws]", repeat_fits=2)).result["deterministic"] is False


def test_a_cell_with_bad_scores_says_so(bench):
    invalid = bench.run(cell("parzen[flaw=nan]"))

    assert (invalid.result["status"], invalid.result["reason"]) == (
        "invalid",
        "Scores of test rows are NaN.",
    )
    assert {p["train_auc"] for p in told(invalid, "point")} == {None}
    assert isinstance(bench.run(cell("parzen[flaw=short]")).error, PluginError)


def test_a_model_is_tuned(parzen, bench, data):
    planned = cell("parzen", tune=True, passes=9.0)
    found = tune(planned, lambda point: parzen(**point), data)

    assert [row["status"] for row in found.table] == ["ok"] * 3
    best = max(found.table, key=lambda row: row["auc"])
    assert found.best == best["parameters"]
    assert bench.run(planned).result["status"] == "ok"
    flawed = (("flaw", ("nan", "")),)
    found = tune(cell("parzen", tune=flawed), lambda point: parzen(**point), data)
    assert found.best == {"flaw": ""}  # the default, which is tried first
    assert [row["status"] for row in found.table] == ["ok", "invalid"]


def test_the_classifier_thresholds_a_model(parzen, data):
    X, y = data.rows.matrix, np.where(data.y > 0, "yes", "no")
    model = AUCClassifier("parzen", validation=0.3, sensitivity=0.9).fit(X, y)
    again = pickle.loads(pickle.dumps(model))

    assert model.run_.w is None
    assert auc(data.y, model.decision_function(X)) > 0.6
    assert {*model.predict(X)} == {"yes", "no"}
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params()["solver"] == "parzen"
    with pytest.raises(DataError, match="X has 1 features, but AUCClassifier is expecting"):
        model.predict(X[:, :1])
