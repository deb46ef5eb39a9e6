"""interval-regression and the constant model: what they fit, choose and refuse."""

import numpy as np
import pytest
from samples import sample
from sequences import learnable
from sklearn.svm import LinearSVC

from aucbench.aum import roc_auc
from aucbench.data import Data
from aucbench.metrics import auc
from aucbench.records import Stop
from aucbench.registry import get_solver
from aucbench.solving.loop import solve


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("lam", [None, 0.03, 3.0])
def test_it_ends_with_a_certificate_and_learns(penalty, lam):
    solver = get_solver("interval-regression", penalty=penalty, lam=lam)
    data, test = learnable(), learnable(seed=1)
    run, again = solve(solver, data), solve(solver, data)

    assert run.stop is Stop.CERTIFIED
    assert run.points[-1].gap <= 1e-6
    assert run.w.size == 7  # with the intercept
    assert run.points[-1].passes < 30
    np.testing.assert_array_equal(run.w, again.w)
    if lam is None:  # it is chosen
        scores = run.decision_function(test.rows)
        assert roc_auc(test.target, scores) > 0.97 > roc_auc(test.target, np.zeros(test.n))
        low, high = test.target.target_intervals
        assert ((low < scores) & (scores < high)).mean() > 0.9  # the intercept counts
        assert penalty == "l2" or np.count_nonzero(run.w[2:6]) < 4


def test_labels_are_classified_as_by_a_squared_hinge():
    X, y = sample(3, n=200, d=3, positives=0.6, shift=0.8)
    ours = solve(get_solver("interval-regression", lam=0.01), Data.of(X, y)).w
    # LIBLINEAR penalises its intercept, so it gets it as a feature of large size.
    C = 1.0 / (0.01 * 200)
    theirs = LinearSVC(C=C, intercept_scaling=1e3, tol=1e-10, max_iter=10**6, dual=False)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours[:-1], theirs.coef_[0], rtol=1e-3)
    assert auc(y, X @ ours[:-1]) > 0.9


def test_the_constant_model_scores_0_and_reads_no_row():
    data = learnable()
    run = solve(get_solver("constant"), data)
    assert (run.stop, run.points[-1].passes) == (Stop.FINISHED, 0.0)
    np.testing.assert_array_equal(run.decision_function(data.rows), 0.0)
    assert auc([1, -1, -1], np.zeros(3)) == 0.5
