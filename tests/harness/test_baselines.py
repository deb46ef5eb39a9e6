"""Libraries with threads of their own, in processes that are forked from a warm one."""

import json

import pytest

SOLVERS = [
    "hist-gradient-boosting[max_iter=5]",
    "lightgbm[n_estimators=5]",
    "lightgbm-pairwise[n_estimators=5]",
    "random-forest[n_estimators=5]",
    "xgboost[n_estimators=5]",
    "xgboost-pairwise[n_estimators=5]",
    "estimator[sklearn.neighbors:KNeighborsClassifier]",
]


@pytest.mark.slow
def test_none_hangs_and_rows_are_maps(shell):
    done = shell.run(
        "compare", "--data", "breast-cancer", "--solvers", ",".join(SOLVERS), "--splits", "2",
        "--json", "fits.json", timeout=300,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    rows = json.loads((shell.folder / "fits.json").read_text())
    assert len(rows) == 2 * len(SOLVERS)
    assert {row["status"] for row in rows} == {"ok"}
    assert all(row["auc"] > 0.9 and row["nnz"] is None for row in rows)
