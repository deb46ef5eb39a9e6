"""Libraries with threads of their own, in processes that are forked from a warm one."""

import pytest
from harness.shell import installed

SOLVERS = [
    "hist-gradient-boosting[max_iter=5]",
    "lightgbm[n_estimators=5]",
    "lightgbm-pairwise[n_estimators=5]",
    "random-forest[n_estimators=5]",
    "xgboost[n_estimators=5]",
    "xgboost-pairwise[n_estimators=5]",
    "estimator[sklearn.neighbors:KNeighborsClassifier]",
]


@pytest.mark.nightly
def test_none_hangs_and_rows_are_maps(tmp_path):
    found = installed(tmp_path).compare("breast-cancer", ",".join(SOLVERS), "kept")

    assert len(found) == 2 * len(SOLVERS)
    for key, record in found.items():
        assert record.ok, (key, record.why)
        assert record.measures.auc > 0.9
        assert record.measures.nnz is None
