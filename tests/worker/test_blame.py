"""An error names the plugin that raised it: kind, distribution, version, file and line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aucbench.bench.worker.blame import blamed, place_of
from aucbench.data import Data
from aucbench.processes.child import _failure
from aucbench.registry import get_features, get_objective, get_solver
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
        raise ValueError("grad is not my day")  # of Bad

    def curvature(self, v, rows=ALL):
        return v


@dataclass(frozen=True)
class Half(FeatureMap):
    """A map that drops rows."""

    def __call__(self, rows):  # of Half
        return rows.take(slice(0, rows.n // 2))


@dataclass(frozen=True)
class Jammed(Projector):
    """A projector that fails."""

    def __call__(self, v, step=1.0):
        return v[99999]  # of Jammed


def gone():
    """A data set that fails."""
    raise KeyError("no such sheet")  # of gone


@hookimpl
def aucbench_objectives():
    return {"bad": Bad}


@hookimpl
def aucbench_projectors():
    return {"jammed": Jammed}


@hookimpl
def aucbench_features():
    return {"half": Half}


@hookimpl
def aucbench_datasets():
    return {"gone": gone}
'''
MODULE = "parts_parts"
SCRIPT = Path(sys.executable).with_name("aucbench")


def line(mark):
    return next(n for n, text in enumerate(PARTS.splitlines(), 1) if text.endswith(f"# of {mark}"))


@pytest.fixture
def parts(site):
    site.add("parts", "2.5", parts=PARTS)
    return site.path / f"{MODULE}.py"


def rows():
    return Data.of([[0.0, 1.0], [1.0, 0.5], [1.0, 1.0], [0.0, 0.0]], [0, 1, 0, 1])


def test_the_innermost_plugin_is_named_and_not_the_solver(parts):
    solver = recast(
        get_solver("sht-auc[k=1,gamma=.1]"), objective=lambda d: get_objective("bad", d)
    )

    with pytest.raises(ValueError, match="not my day") as caught, blamed():
        solve(solver, rows(), passes=2)

    place = f"in the objective parts:bad 2.5 ({parts}, line {line('Bad')})"
    assert place_of(caught.value) == place
    assert _failure(caught.value)["reason"] == f"grad is not my day, {place}"


def test_an_error_without_a_plugin_and_one_on_purpose_have_no_note(parts):
    get_features("half")
    with pytest.raises(ZeroDivisionError) as caught, blamed():
        _ = 1 / 0
    assert getattr(caught.value, "__notes__", []) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("--objective", "bad"),
            "ValueError: grad is not my day, in the objective parts:bad 2.5 ({}",
        ),
        (("--projector", "jammed"), "in the projector parts:jammed 2.5 ({}"),
        (("--features", "half"), "PluginError: while its rows were prepared: the feature map"),
        (("--data", "gone"), "in the data set parts:gone 2.5 ({}"),
    ],
)
def test_table_and_json_name_the_plugin_at_fault(parts, tmp_path, options, sentence):
    mark = {"bad": "Bad", "jammed": "Jammed", "half": "Half", "gone": "gone"}[options[1]]
    given = {"--data": "linear[n=60]", "--solvers": "sto-iht[gamma=.1]", "--splits": "2"}
    given |= {"--json": str(tmp_path / "rows.json"), **dict([options])}
    path = os.pathsep.join([str(parts.parent), os.environ.get("PYTHONPATH", "")])

    done = subprocess.run(
        [sys.executable, SCRIPT, "compare", *(x for pair in given.items() for x in pair)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    told = sentence.format(parts)
    assert told in done.stdout + done.stderr
    for row in json.loads((tmp_path / "rows.json").read_text()):
        assert row["status"] == "error"
        assert told in f"{row['error_type']}: {row['reason']}"
        assert f"{parts}, line {line(mark)})" in row["reason"]
