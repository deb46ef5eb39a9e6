"""What a fit leaves behind holds no training row, where the method does not need one."""

import pickle

import installed
import numpy as np
import pytest
from layouts import LAYOUTS
from samples import sample

from aucbench import AUCClassifier, solve
from aucbench.data import Data
from aucbench.registry import get_features, get_solver

WRITTEN = {
    "ebm": installed.FEW_ROUNDS,
    "estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]",
}
# The one of two features is left out: it learns two weights.
LEARNERS = [WRITTEN.get(name, name) for name in installed.SOLVERS if name != "auc-opt"]
# Solvers whose scores are sums over training rows: landmarks are rows.
KEEP_ROWS = {"roc-svm-kernel", "roc-svm-nystrom"}
X, Y = sample(4, n=120, d=8)
X = np.round(X, 2)
MARKED = np.array([0, 5, 60, 61, 119])  # all their digits differ from those of other rows
# No mark is the mean of two others.
X[MARKED] = np.random.default_rng(4).uniform(0.5, 0.7, size=(5, 8))


def found(kept, rows):
    """How many numbers of the marked rows stand somewhere in the pickle."""
    text = pickle.dumps(kept, protocol=5)
    return sum(value.tobytes() in text for value in rows.ravel())


@LAYOUTS
@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_and_a_classifier_hold_no_number_of_a_training_row(name, layout):
    data = Data.of(layout(X), Y)
    run = solve(get_solver(name), data, passes=5)
    again = pickle.loads(pickle.dumps(run))
    model = AUCClassifier(name, passes=5).fit(layout(X), Y)
    mapped = model.model_.mapped(data.rows).dense().matrix[MARKED]
    assert {*KEEP_ROWS} <= {*LEARNERS}
    assert found(data, X[MARKED]) == 40
    assert run.keeps_rows is (None if name.startswith("estimator") else name in KEEP_ROWS)
    assert (found(run, X[MARKED]) > 0) is (name in KEEP_ROWS)
    assert found(model, X[MARKED]) == 0
    assert (found(model, mapped) > 0) is (name in KEEP_ROWS)
    np.testing.assert_array_equal(again.decision_function(X), run.decision_function(X))


@pytest.mark.parametrize("name", ["solam", "opauc", "uni-exp", "oam-seq", "oam-gra"])
def test_a_stream_keeps_rows_only_in_its_buffers(name):
    model = AUCClassifier(name).partial_fit(X, Y)
    mapped = model.model_.mapped(Data.of(X, Y).rows).matrix
    assert (found(model, mapped) > 0) is name.startswith("oam")


def test_a_wrapped_classifier_keeps_what_it_wants():
    spec = "estimator[sklearn.neighbors:KNeighborsClassifier,n_neighbors=5]"
    run = solve(get_solver(spec), Data.of(X, Y))
    assert run.keeps_rows is None
    assert found(run, X[MARKED]) == 40


@pytest.mark.parametrize(("spec", "kept"), [("maxabs", False), ("standard+nystroem", True)])
def test_a_map_says_whether_it_keeps_rows(spec, kept):
    assert get_features(spec).fit(Data.of(X, Y), np.random.default_rng(0)).keeps_rows is kept
