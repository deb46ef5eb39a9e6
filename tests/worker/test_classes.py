"""The fit of a cell with three or more classes, and what the parent makes of it."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from samples import data
from toys import cell as planned

from aucbench import get_solver, solve
from aucbench.bench.evaluation.measures import measured
from aucbench.bench.worker.classes import fitted_classes
from aucbench.metrics import hand_till
from aucbench.processes.records import Ending, Outcome
from aucbench.records import CellStatus

TRAIN, HELD = data(0, 150, kind="classes"), data(1, 60, kind="classes")


def cell(solver, **limits):
    asked = {"passes": None, "features": "none", "splits": 5, "tune_evals": 10, **limits}
    return planned(solver, "three", **asked)


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


@pytest.mark.parametrize("solver", ["svm-or[lam=0.1]", "logistic"])
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


def test_sets_are_checked_for_each_class():
    done, points = fitted("sht-auc[k=2]", passes=20)
    assert judged(done, points).measures.feasible
    other = done.arrays["w"].copy()
    other[1] = 1.0  # five non-zeros
    made = judged(done, points, w=other)
    assert made.status.status is CellStatus.INVALID
    assert "not in the set" in made.status.reason


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *(("scores", (60,)), ("scores", (60, 2)), ("scores", (3, 60)), ("along", (1, 60))),
        *(("w", (15,)), ("w", (2, 5))),
    ],
)
def test_arrays_of_another_shape_are_refused(name, shape):
    made = judged(*fitted("svm-or[lam=0.1]", passes=300), **{name: np.zeros(shape)})
    assert made.status.status is CellStatus.ERROR
