"""`compare` for Python users: records in the order of the plan, the same numbers as ever."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import aucbench
from aucbench import compare
from aucbench.errors import ParameterError
from aucbench.features import MaxAbs

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def records():
    names = {"features": "maxabs", "splits": 3, "passes": 5, "seed": 4}
    return compare("sht-auc[k=5],logistic", "breast-cancer", **names)


def test_records_stand_in_the_order_of_the_plan(records):
    found = [(r.cell.split, str(r.cell.solver)) for r in records]

    assert found == [(j, s) for j in range(3) for s in ("sht-auc[k=5]", "logistic")]
    assert {r.status.status for r in records} == {"ok"}


def test_a_cell_is_what_anybody_would_compute_by_hand(records):
    data = aucbench.get_dataset("breast-cancer")
    folds = StratifiedKFold(3, shuffle=True, random_state=4)
    for split, (train, test) in enumerate(folds.split(np.zeros(data.n), data.y)):
        rows = [data.take(part.astype(np.int32)) for part in (train, test)]
        scaled = MaxAbs().fit(rows[0], np.random.default_rng(0))
        ours, theirs = (part.with_rows(scaled(part.rows)) for part in rows)
        run = aucbench.solve(aucbench.get_solver("sht-auc", k=5), ours, passes=5, seed=4)
        expected = aucbench.auc(theirs.y, run.decision_function(theirs.rows))

        record = records[2 * split]
        assert record.measures.auc == expected
        assert record.measures.nnz == run.nnz
        assert record.curve[-1]["objective"] == pytest.approx(run.points[-1].objective)


@pytest.mark.parametrize(
    ("solvers", "data", "sentence"),
    [
        ("logistc", "breast-cancer", "did you mean 'logistic'"),
        ("sht-auc[q=1]", "breast-cancer", "known are: blocks, gamma, k, shuffle"),
        ("logistic", "brest-cancer", "did you mean 'breast-cancer'"),
        ("sht-auc[k=0]", "breast-cancer", "k must be at least 1"),
    ],
)
def test_mistakes_show_before_anything_runs(solvers, data, sentence):
    with pytest.raises(ParameterError, match=sentence):
        compare(solvers, data)
