"""scikit-learn's own checks of an estimator, for every solver."""

import installed
import pytest
from nights import some
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

from aucbench import AUCClassifier, GradeRanker

# What cannot be built by its name alone, and small trees where the default takes long.
WRITTEN = {
    "ebm": installed.FEW_ROUNDS,
    "catboost": "catboost[n_estimators=10]",
    "estimator": "estimator[sklearn.tree:DecisionTreeClassifier,max_depth=3]",
    "hist-gradient-boosting": "hist-gradient-boosting[max_iter=10]",
    "interval-regression": "interval-regression[lam=0.01]",  # no path of them
    "lightgbm": "lightgbm[n_estimators=10]",
    "lightgbm-pairs": "lightgbm-pairs[n_estimators=10]",
    **{name: f"{name}[step=0.05]" for name in ("mlp", "soap", "sopa-s")},  # passes are few
    "random-forest": "random-forest[n_estimators=5]",
    "xgboost": "xgboost[n_estimators=10]",
    "xgboost-pairs": "xgboost-pairs[n_estimators=10]",
}
# auc-opt takes two columns, and the checks have more.
CHECKED = [name for name in installed.SOLVERS if name != "auc-opt"]
EACH_CHANGE = {"opauc"}  # the checks ask the estimator, and little of the solver
# The exceptions of all solvers, and of one: the check, and the reason.
WEIGHTS = "the feature map and the threshold count rows, not weights; many solvers take no weights"
ALL = {
    "check_sample_weights_not_overwritten": "many solvers take no weights, and refuse them",
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
EXCEPTIONS = {
    "constant": {"check_classifiers_train": "it learns nothing, so that its AUC is 1/2"},
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the checks give data on which solvers do not converge
@pytest.mark.parametrize("name", ["grades", *some(CHECKED, EACH_CHANGE)])
def test_every_solver_passes_the_checks_of_scikit_learn(name, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    model = AUCClassifier(WRITTEN.get(name, name), passes=5, pos_label="last")
    own = EXCEPTIONS.get(name, {})
    if name == "grades":
        model = GradeRanker("ls-svm")

    with threadpool_limits(1):
        found = check_estimator(
            model, on_skip=None, on_fail=None, expected_failed_checks={**ALL, **own}
        )

    failed = {r["check_name"]: str(r["exception"]) for r in found if r["status"] == "failed"}
    assert failed == {}
    excused = {r["check_name"] for r in found if r["status"] == "xfail"}
    assert {*own} <= excused <= {*ALL, *own}
    assert sum(r["status"] == "passed" for r in found) >= 45
