"""The fit of a cell with three or more classes, and what the parent makes of it."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from aucbench import get_solver, solve
from aucbench.bench.cell import Cell
from aucbench.bench.evaluation.measures import measured
from aucbench.bench.worker.classes import fitted_classes
from aucbench.contract import Solver, State
from aucbench.data import Categories, Data
from aucbench.datasets.reading import ReadOptions
from aucbench.metrics import hand_till
from aucbench.pairs import ByClass
from aucbench.processes.records import Ending, Outcome
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec, parse_chain, parse_spec


def drawn(n, seed, d=5, k=3):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    return Data.of(rng.normal(size=(n, d)) + 1.5 * np.eye(k, d)[y], Categories.of(y))


TRAIN, HELD = drawn(150, 0), drawn(60, 1)


def cell(solver, **limits):
    asked = {"passes": None, "seconds": None, "gap_tol": 1e-6, **limits}
    return Cell(
        solver=parse_spec(solver),
        tune=False,
        dataset=Spec("three"),
        features=parse_chain("none"),
        objective=None,
        projector=None,
        reading=ReadOptions(),
        splits=5,
        repeat=0,
        split=0,
        seed=0,
        tune_evals=10,
        inner_splits=3,
        **asked,
    )


def fitted(solver, **limits):
    lines = []
    asked = cell(solver, **limits)
    done = fitted_classes(asked, get_solver(solver), TRAIN, lambda: HELD.rows, lines.append)
    return done, [line["point"] for line in lines]


def saved(array):
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


def judged(done, points, **replaced):
    arrays = {**done.arrays, **replaced}
    files = {f"{name}.npy": saved(np.asarray(array)) for name, array in arrays.items()}
    outcome = Outcome(ending=Ending.OK, wall_seconds=60.0, result=done.result, files=files)
    return measured(outcome, np.arange(60, dtype=np.int32), HELD, len(points))


@pytest.mark.parametrize("solver", ["svm-or[lam=0.1]", "sht-auc[k=3]", "logistic"])
def test_the_cell_is_the_run_of_all_classes(solver):
    done, points = fitted(solver, passes=300)
    run = solve(solver, TRAIN, passes=300)
    np.testing.assert_array_equal(done.arrays["scores"], run.decision_function(HELD.rows))
    assert done.arrays["w"].shape == (3, done.arrays["w"].shape[1])
    made = judged(done, points)
    assert made.status.status is CellStatus.OK
    assert made.measures.auc == hand_till(HELD.target.y, done.arrays["scores"])
    assert made.measures.nnz == run.nnz
    assert made.measures.stop == run.stop.name
    last = run.points[-1]
    assert made.measures.objective == pytest.approx(last.objective)
    if last.gap is not None:
        assert made.measures.gap == last.gap
    assert points[-1]["passes"] == pytest.approx(last.passes)


def test_points_of_the_curve_are_of_all_classes():
    done, points = fitted("svm-or[lam=0.01]", passes=300)
    made = judged(done, points)
    assert len(points) > 3
    assert done.arrays["along"].shape == (len(points) - 1, 60, 3)
    assert sorted(made.along) == [*range(len(points))]
    assert made.along[len(points) - 1] == made.measures.auc
    seconds, objectives = ([p[name] for p in points] for name in ("seconds", "objective"))
    assert seconds == sorted(seconds)
    assert objectives[-1] == min(objectives)
    assert points[-1]["train_auc"] > 0.8
    assert done.result["fit_seconds"] == pytest.approx(seconds[-1])


def test_equal_problems_have_the_same_name_and_others_another_one():
    even, again = (fitted(f"{name}[lam=0.1]", passes=300)[0] for name in ("svm-or", "svm-or"))
    assert even.result["problem"] == again.result["problem"]
    rest = fitted_classes(
        cell("svm-or[lam=0.1]"),
        get_solver("svm-or[lam=0.1]"),
        replace(TRAIN, pairs=ByClass("rest")),
        lambda: HELD.rows,
        lambda _: None,
    )
    assert rest.result["problem"] != even.result["problem"]


def test_trees_have_scores_and_no_weights():
    done, points = fitted("hist-gradient-boosting")
    made = judged(done, points)
    assert made.status.status is CellStatus.OK
    assert "w" not in done.arrays
    assert done.arrays["scores"].shape == (60, 3)
    assert done.result["test_points"] == []
    assert points


def test_sets_are_checked_for_each_class():
    done, points = fitted("sht-auc[k=2]", passes=20)
    assert judged(done, points).measures.feasible
    other = done.arrays["w"].copy()
    other[1] = 1.0  # five non-zeros
    made = judged(done, points, w=other)
    assert made.status.status is CellStatus.INVALID
    assert "not in the set" in made.status.reason


@pytest.mark.parametrize(
    "replaced",
    [
        {"scores": np.zeros(60)},
        {"scores": np.zeros((60, 2))},
        {"scores": np.zeros((3, 60))},
        {"along": np.zeros((1, 60))},
        {"w": np.zeros(15)},
        {"w": np.zeros((2, 5))},
    ],
)
def test_arrays_of_another_shape_are_refused(replaced):
    made = judged(*fitted("svm-or[lam=0.1]", passes=300), **replaced)
    assert made.status.status is CellStatus.ERROR


class Diverging(Solver):
    """svm-or, whose weights are not finite for the second class."""

    needs = get_solver("svm-or").needs

    def __init__(self):
        self.fits = 0

    def problem(self, data, rng, budget):
        return get_solver("svm-or", lam=0.1).problem(data, rng, budget)

    def iterates(self, problem, w0, rng, budget):
        self.fits += 1
        return State(np.full(problem.data.d, np.nan if self.fits == 2 else 1.0))


def test_a_class_that_fails_is_named():
    lines = []
    done = fitted_classes(cell("svm-or"), Diverging(), TRAIN, lambda: HELD.rows, lines.append)
    assert done.result["status"] == "invalid"
    assert done.result["reason"].startswith("class 1: The solver returned a number")
    assert not done.arrays
