"""`compare` for Python users: records in the order of the plan, the same numbers as ever."""

import numpy as np
import pytest
from refusals import assert_refused, refusals
from toys import Descent, Locked, Thawed

import aucbench
from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.plan.toml import parse_plans
from aucbench.bench.runner import folder_status
from aucbench.errors import ParameterError
from aucbench.report.folder import read_frame

pytestmark = pytest.mark.usefixtures("in_process")


SET = "breast-cancer"
ROWS = aucbench.Data.of(np.eye(8), np.arange(8) % 2)
TWICE = "sht-auc[k=2,blocks=1],sht-auc[k=2,blocks=1,shuffle=true]"
MAPS = ("standard", "aucbench:standard")


MISTAKES = refusals(
    ("solver", lambda: compare("logistc", SET), ParameterError, "'logistic'"),
    ("number as data", lambda: compare("logistic", [3]), ParameterError, "Data.of"),
    ("a class", lambda: compare([Descent, "logistic"], SET), ParameterError, "instance"),
    ("number", lambda: compare([3, "logistic"], SET), ParameterError, "name of a solver"),
    ("not frozen", lambda: compare([Thawed()], SET), ParameterError, "frozen"),
    ("a lock", lambda: compare([Locked()], SET), ParameterError, "pickled"),
    ("rows twice", lambda: compare("logistic", 2 * [ROWS]), ParameterError, "twice"),
    ("one solver", lambda: compare(TWICE, SET), ParameterError, "same"),
    ("one map", lambda: compare("logistic", SET, features=MAPS), ParameterError, "same"),
)


@MISTAKES
def test_mistakes_show_before_anything_runs(call, error, word):
    assert_refused(call, error, word)


def test_a_solver_in_another_spelling_is_not_computed_again_nor_ranked_twice(tmp_path):
    options = {"splits": 2, "passes": 2, "quiet": True, "features": "standard"}
    spellings = ("sht-auc[k=2,blocks=1]", "sht-auc[blocks=1,k=2,shuffle=true],logistic")
    folders = [tmp_path / name for name in "ab"]
    first = compare(spellings[0], "breast-cancer", out=folders[0], **options)
    for folder in folders:
        again = compare(spellings[1], "breast-cancer", out=folder, **options)
        assert [record.id for record in again][::2] == [record.id for record in first]
    with Store(folders[0]) as store:
        assert len([*store.records()]) == 4
        status = folder_status(store, parse_plans(store.plans()))
    assert (status.planned, status.missing, status.other_settings) == (4, 0, 0)
    for found in (read_frame(folders[0]), read_frame(*folders)):
        assert found.solvers == (spellings[0], "logistic")
        assert found.statuses == {"ok": 4}
    maps = ("maxabs+standard", "standard[spread=none]")  # which differ as a whole
    compare("constant", "breast-cancer", features=maps, splits=2, passes=1, quiet=True)
