"""An error names the plugin that raised it: kind, distribution, version, file and line."""

import pytest
from samples import data

from aucbench import compare
from aucbench.bench.worker.blame import blamed, place_of
from aucbench.processes.child import _failure
from aucbench.registry import get_objective, get_solver
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import recast

pytestmark = pytest.mark.plain

PARTS = '''
from dataclasses import dataclass
from typing import Any
from aucbench.contract import FeatureMap, Objective, Projector
from aucbench.data.arrays import ALL
from aucbench.hookspecs import hookimpl
@dataclass(frozen=True)
class Bad(Objective):
    """An objective whose gradient fails."""
    data: Any
    def value(self, w):
        return 1.0
    def grad(self, w, rows=ALL):
        raise ValueError("grad is not my day")  # of bad
    def curvature(self, v, rows=ALL):
        return v
@dataclass(frozen=True)
class Half(FeatureMap):
    """A map that drops rows."""
    def __call__(self, rows):  # of half
        return rows.take(slice(0, rows.n // 2))
@dataclass(frozen=True)
class Jammed(Projector):
    """A projector that fails."""
    def __call__(self, v, step=1.0):
        return v[99999]  # of jammed
def gone():
    """A data set that fails."""
    raise KeyError("no such sheet")  # of gone
@hookimpl
def aucbench_objectives(): return {"bad": Bad}
@hookimpl
def aucbench_projectors(): return {"jammed": Jammed}
@hookimpl
def aucbench_features(): return {"half": Half}
@hookimpl
def aucbench_datasets():
    return {"gone": gone}
'''


def line(mark):
    return next(n for n, text in enumerate(PARTS.splitlines(), 1) if text.endswith(f"# of {mark}"))


@pytest.fixture
def parts(site):
    site.add("parts", "2.5", parts=PARTS)
    return site.path / "parts_parts.py"


def test_the_innermost_plugin_is_named_and_not_the_solver(parts):
    solver = recast(
        get_solver("sht-auc[k=1,gamma=.1]"), objective=lambda d: get_objective("bad", d)
    )
    with pytest.raises(ValueError, match="day") as caught, blamed():
        solve(solver, data(), passes=2)
    place = f"in the objective parts:bad 2.5 ({parts}, line {line('bad')})"
    assert place_of(caught.value) == place
    assert _failure(caught.value)["reason"] == f"grad is not my day, {place}"


@pytest.mark.parametrize(
    ("option", "name", "error"),
    [
        ("objective", "bad", "ValueError"),
        ("projector", "jammed", "IndexError"),
        ("features", "half", "PluginError"),
        ("data", "gone", "KeyError"),
    ],
)
def test_a_record_names_the_plugin_at_fault(parts, in_process, option, name, error):
    given = {"data": "linear[n=60]", "solvers": "sto-iht[gamma=.1]", "splits": 2} | {option: name}
    for record in compare(**given):
        assert record.status.status == "error"
        assert record.why.startswith(error)
        assert f"({parts}, line {line(name)})" in record.why
        assert ("half" if name == "half" else f"parts:{name} 2.5") in record.why.casefold()
