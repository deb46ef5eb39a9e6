"""Classes and functions in files that no package has."""

import os

import pytest
from refusals import assert_refused

import aucbench
from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.fingerprints import file_fingerprint
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.bench.runner import folder_status
from aucbench.errors import AucbenchError, ParameterError
from aucbench.registry.specs import Spec
from aucbench.report.folder import read_frame

SOURCE = """
import os
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from aucbench.data import Data
from aucbench.errors import require_at_least
from aucbench.objectives import PairwiseSquare
from aucbench.contract import FeatureMap, Needs, Problem, Projector, Solver, State
import {helper}

with open({pids!r}, "a") as file:
    file.write(f"{{os.getpid()}}\\n")

@dataclass(frozen=True)
class Descent(Solver):
    '''w - gamma f'(w).'''
    gamma: float = 0.01
    space: ClassVar = {{"gamma": (0.01, 0.1)}}
    needs: ClassVar = Needs(frozenset({{"any-objective", "any-projector"}}))
    def __post_init__(self):
        require_at_least(0.0, gamma=self.gamma)
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))
    def iterates(self, problem, w, rng, budget):
        f = problem.objective
        while True:
            w = problem.project(w - {helper}.FACTOR * self.gamma * f.grad(w), self.gamma)
            yield State(w)

@dataclass(frozen=True)
class Whole(Projector):
    '''R^d.'''
    iterates_of: int = 0

@dataclass(frozen=True)
class Twice(FeatureMap):
    '''x -> 2x.'''

class Lacking:
    pass

def blobs(n: int = 60, seed: int = 0):
    '''Two shifted blobs.'''
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return Data.of(rng.normal(size=(n, 4)) + y[:, None], y)
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder with `mine.py` and what it imports; the current one. The names are new each time."""
    helper = f"helper_{tmp_path.name}"
    write(tmp_path, helper)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, helper, stem="mine"):
    folder.mkdir(exist_ok=True)
    (folder / f"{helper}.py").write_text("FACTOR = 1.0\n")
    source = SOURCE.format(helper=helper, pids=str(folder / "pids"))
    (folder / f"{stem}.py").write_text(source)


WRONG = [  # a specification, the source of its file, and two words of the sentence
    ("none.py:A", None, "cannot read", "none.py"),
    ("mine.py:Descend", None, "no Descend", "Descent"),
    ("mine.py:blobs", None, "mine.py:blobs", "data set"),
    ("mine.py:Whole", None, "mine.py:Whole", "projector"),
    ("mine.py:Lacking", None, "line 40", "lacks"),
    ("mine.py:Descent[k=1]", None, "Descent", "'k'"),
    ("mine.py:Descent[gamma=-1]", None, "gamma", "-1"),
    ("wrong.py:A", "x = 1\nclass A(:\n", "line 2", "SyntaxError"),
    ("wrong.py:A", "x = 1\n1 / 0\n", "line 2", "ZeroDivisionError"),
    ("wrong.py:A", "raise SystemExit(3)", "line 1", "SystemExit"),
    ("wrong.py:A", "A = 3", "is 3", "a class"),
    ("json.py:A", "A = 3", "json", "rename"),
]


@pytest.mark.parametrize(("spec", "source", "place", "word"), WRONG)
def test_what_is_wrong_is_one_sentence_with_file_and_line(mine, spec, source, place, word):
    if source is not None:
        (mine / spec.partition(":")[0]).write_text(source)
    said = assert_refused(lambda: aucbench.get_solver(spec), AucbenchError, word)
    assert place in said


def test_the_content_identifies_a_file_and_what_it_imports(mine, tmp_path):
    own, helper = mine / "mine.py", next(mine.glob("helper*.py"))
    before = file_fingerprint(own)
    write(tmp_path / "moved", helper.stem, "renamed")
    moved = tmp_path / "moved" / "renamed.py"
    moved.write_text(own.read_text())  # which names the same file of pids
    (mine / "unrelated.py").write_text("x = 1")
    assert file_fingerprint(moved) == before == file_fingerprint(own)
    helper.write_text("FACTOR = 2.0\n")
    with_other_helper = file_fingerprint(own)
    own.write_text(own.read_text() + "# edited\n")
    assert len({before, with_other_helper, file_fingerprint(own)}) == 3
    own.write_text(own.read_text() + "import xgboost_that_nobody_has\n")
    assert file_fingerprint(own) not in (before, with_other_helper)


def test_a_plan_means_the_same_in_every_folder(mine, monkeypatch, tmp_path):
    text = """data = ["mine.py:blobs"]
features = ["none+mine.py:Twice"]
projector = "mine.py:Whole"
[[solvers]]
spec = "./mine.py:Descent"
tune = {gamma = [0.1, 0.2]}
"""
    plan = parse_plan(text)
    assert str(plan.solvers[0].spec) == f"{mine}/mine.py:Descent"
    assert plan.data == (Spec(f"{mine}/mine.py:blobs"),)
    assert [*map(str, plan.features)] == [f"none+{mine}/mine.py:Twice"]
    assert plan.projector == Spec(f"{mine}/mine.py:Whole")
    monkeypatch.chdir(tmp_path.parent)
    assert parse_plan(write_plan(plan)) == plan


def test_a_run_imports_a_file_in_its_workers_and_labels_are_short(mine):
    data, how = ["./mine.py:blobs", "breast-cancer"], {"splits": 2, "passes": 3}
    found = compare("./mine.py:Descent[gamma=.005]", data, features="standard+mine.py:Twice", **how)
    assert {r.status.status for r in found} == {"ok"}, [(r.why, r.process.log) for r in found]
    assert found.findings.frame.solvers == ("Descent[gamma=0.005]",)
    assert found.findings.frame.datasets == ("blobs", "breast-cancer")
    assert str(found[0].cell.solver) == f"{mine}/mine.py:Descent[gamma=0.005]"
    assert found[0].plugin[0] == str(mine / "mine.py")
    pids = {int(line) for line in (mine / "pids").read_text().split()}
    assert pids
    assert os.getpid() not in pids


def test_a_moved_file_is_resumed_and_an_edited_one_computed_again(mine, tmp_path, monkeypatch):
    arguments = {"data": "mine.py:blobs", "splits": 2, "passes": 3, "out": tmp_path / "out"}
    first = compare("mine.py:Descent", **arguments)
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in mine.glob("*.py"):
        path.rename(moved / path.name)
    monkeypatch.chdir(moved)
    again = compare("mine.py:Descent", **arguments)

    assert [r.measures for r in again] == [r.measures for r in first]  # the clock included
    assert str(again[0].cell.solver) == f"{moved}/mine.py:Descent"
    found = read_frame(tmp_path / "out")
    assert found.source.unchecked == ""
    assert (found.solvers, found.statuses) == (("Descent",), {"ok": 2})
    with Store(tmp_path / "out") as store:
        status = folder_status(store, map(parse_plan, store.plans().values()))
    assert (status.planned, status.missing, status.stale, status.other_settings) == (2, 0, 0, 0)

    helper = next(moved.glob("helper*.py"))
    before = helper.stat()
    helper.write_text("FACTOR = 2.0\n")  # the same for Python's cache: its size, its time
    os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))
    edited = compare("mine.py:Descent", **arguments)
    assert {r.id for r in edited}.isdisjoint(r.id for r in first)
    assert edited[0].curve[-1]["objective"] != first[0].curve[-1]["objective"]


FAULTS = {  # of files: what a fault at import costs is the row of its solver
    "hangs": ("import time\nwhile True:\n    time.sleep(1)\n", "timeout"),
    "leaves": ("import sys\nsys.exit(3)\n", "error"),
    "ends": ("import os\nos._exit(0)\n", "crash"),
}


def test_a_file_that_never_ends_or_leaves_at_its_import_costs_its_own_row_only(mine):
    for name, (source, _) in FAULTS.items():
        (mine / f"{name}.py").write_text(source)
    names = [f"{name}.py:Descent" for name in FAULTS]
    found = compare([*names, "constant"], "breast-cancer", splits=2, passes=1, timeout=3)
    assert [record.status.status for record in found[: len(FAULTS) + 1]] == [
        *(status for _, status in FAULTS.values()),
        "ok",
    ]


def test_a_script_that_compares_when_imported_does_not_run_for_ever(mine):
    again = 'import aucbench\naucbench.compare("./script.py:Descent", "breast-cancer")\n'
    (mine / "script.py").write_text((mine / "mine.py").read_text() + again)
    with pytest.raises(ParameterError, match="__main__"):
        compare("./script.py:Descent", "breast-cancer")
