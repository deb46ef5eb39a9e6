"""What a fit leaves behind holds no training row, where the method does not need one."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench import AUCClassifier, solve
from aucbench.data import Data
from aucbench.registry import get_features, get_solver, list_solvers

WRITTEN = {"estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]"}
LEARNERS = [WRITTEN.get(name, name) for name in list_solvers()]
# Solvers whose scores are sums over training rows, with the reason.
KEEP_ROWS = {
    "roc-svm-kernel": "a score is a sum of kernels at the training rows that span the others",
    "roc-svm-nystrom": "a score is a sum of kernels at landmarks, which are training rows",
}
RNG = np.random.default_rng(4)
Y = np.where(RNG.random(120) < 0.3, 1, -1)
X = np.round(RNG.normal(size=(120, 8)) + 0.5 * Y[:, None], 2)
MARKED = np.array([0, 5, 60, 61, 119])  # all their digits differ from those of other rows
X[MARKED] = RNG.uniform(0.5, 0.7, size=(5, 8))  # no mark is the mean of two others


def found(kept, rows):
    """How many numbers of the marked rows stand somewhere in the pickle."""
    text = pickle.dumps(kept, protocol=5)
    return sum(value.tobytes() in text for value in rows.ravel())


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_holds_no_number_of_a_training_row(name, layout):
    data = Data.of(layout(X), Y)
    run = solve(get_solver(name), data, passes=5)

    assert found(data, X[MARKED]) == 40
    if name in KEEP_ROWS:
        assert run.keeps_rows is True
        assert found(run, X[MARKED]) > 0
    else:
        assert run.keeps_rows is (None if name.startswith("estimator") else False)
        assert found(run, X[MARKED]) == 0
    again = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(again.decision_function(X), run.decision_function(X))


@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_classifier_holds_no_number_of_a_training_row(name, layout):
    model = AUCClassifier(name, passes=5).fit(layout(X), Y)
    mapped = model.model_.mapped(Data.of(layout(X), Y).rows).dense().matrix[MARKED]

    assert found(model, X[MARKED]) == 0
    assert (found(model, mapped) > 0) is (name in KEEP_ROWS)


@pytest.mark.parametrize("name", ["solam", "opauc", "uni-exp", "oam-seq", "oam-gra"])
def test_a_stream_keeps_rows_only_in_its_buffers(name):
    model = AUCClassifier(name).partial_fit(X, Y)
    mapped = model.model_.mapped(Data.of(X, Y).rows).matrix

    assert (found(model, mapped) > 0) is name.startswith("oam")


def test_the_exceptions_are_solvers():
    assert {*KEEP_ROWS} <= {*LEARNERS}


def test_a_wrapped_classifier_keeps_what_it_wants():
    spec = "estimator[sklearn.neighbors:KNeighborsClassifier,n_neighbors=5]"
    run = solve(get_solver(spec), Data.of(X, Y))

    assert run.keeps_rows is None
    assert found(run, X[MARKED]) == 40


@pytest.mark.parametrize(("spec", "kept"), [("maxabs", False), ("standard+nystroem", True)])
def test_a_map_says_whether_it_keeps_rows(spec, kept):
    phi = get_features(spec).fit(Data.of(X, Y), np.random.default_rng(0))

    assert phi.keeps_rows is kept


def test_a_classifier_of_two_weights_is_small():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(20_000, 2))
    model = AUCClassifier("svm-or", passes=5).fit(wide, wide[:, 0] + rng.normal(size=20_000) > 1)

    assert len(pickle.dumps(model)) < 10_000
