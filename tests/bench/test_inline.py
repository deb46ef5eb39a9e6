"""`compare` with instances of solvers and with `Data`."""

import subprocess
import sys

import numpy as np
import pytest
from toys import Descent, Locked, Thawed

import aucbench
from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.inline import name_solvers
from aucbench.bench.plan.toml import parse_plan
from aucbench.bench.runner import folder_status
from aucbench.errors import AucbenchError, ParameterError
from aucbench.registry.lookup import find
from aucbench.report.folder import read_frame

RESULTS = {"splits": 2, "passes": 3}


def blobs(seed=0, **known):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3 == 0
    return aucbench.Data.of(rng.normal(size=(60, 4)) + y[:, None], y, **known)


def test_instances_data_names_and_specs_stand_in_one_comparison():
    data = blobs()
    found = compare([Descent(0.005), "logistic"], [data, "breast-cancer"], **RESULTS)

    assert [r.status for r in found if r.status.status != "ok"] == []
    frame = found.findings.frame
    assert frame.solvers == ("Descent[gamma=0.005]", "logistic")
    assert frame.datasets[0].startswith("data-")
    assert frame.datasets[1] == "breast-cancer"
    assert found[0].parameters["gamma"] == 0.005
    assert found[0].plugin == ("toys", "object", "toys")


def test_a_cell_of_an_instance_is_what_the_named_one_computes():
    data = blobs()
    [named, *_] = compare("sht-auc[k=3]", data, **RESULTS)
    [given, *_] = compare(aucbench.get_solver("sht-auc", k=3), data, **RESULTS)
    assert given.id == named.id
    assert str(given.cell.solver) == "sht-auc[k=3]"

    weighted = blobs(weights=np.arange(1.0, 61.0))
    [other, *_] = compare("logistic", weighted, **RESULTS)
    assert other.sizes.weighted
    assert other.id != compare("logistic", data, **RESULTS)[0].id


def test_instances_of_a_module_are_resumed_and_what_cannot_be_written_down_is_not(tmp_path):
    both = [Descent(0.005), Descent(shrink=lambda w: 0.9 * w)]
    first = compare(both, blobs(), **RESULTS, out=tmp_path / "out")
    again = compare(both, blobs(), **RESULTS, out=tmp_path / "out")

    assert {r.status.status for r in (*first, *again)} == {"ok"}
    assert [str(r.cell.choice) for r in first[:2]] == ["Descent()[gamma=0.005]", "Descent()"]
    same = [a.id == b.id for a, b in zip(first, again, strict=True)]
    assert same == [True, False, True, False]
    assert len({r.cell.dataset for r in (*first, *again)}) == 1
    changed = blobs(seed=1)
    assert compare(both[0], changed, **RESULTS)[0].id not in {r.id for r in first}


def test_a_folder_says_that_its_objects_are_gone(tmp_path):
    compare(Descent(), blobs(), **RESULTS, out=tmp_path / "out")

    found = read_frame(tmp_path / "out")
    assert "Descent: Descent() was an object in a process of Python" in found.source.unchecked
    assert found.solvers == ("Descent",)
    assert found.statuses == {"ok": 2}
    with Store(tmp_path / "out") as store:
        [plan] = map(parse_plan, store.plans().values())
        with pytest.raises(AucbenchError, match="only that process can compute with it"):
            folder_status(store, [plan])
    with pytest.raises(ParameterError, match="was an object"):
        find("solvers", "Descent()")


def test_instances_are_told_apart_by_their_values_and_else_by_a_number():
    several = [Descent(), Descent(0.005), Descent(), Descent(shrink=lambda w: 0.9 * w)]
    found = compare(several, blobs(), **RESULTS)

    names = ("Descent", "Descent[gamma=0.005]", "Descent-2", "Descent-3")
    assert found.findings.frame.solvers == names
    gammas = [r.parameters["gamma"] for r in found[: len(several)]]
    assert gammas == [0.01, 0.005, 0.01, 0.01]
    assert found[0].measures.objective == found[2].measures.objective
    assert found[0].measures.objective != found[3].measures.objective
    [alone, _] = compare(Descent(0.005), blobs(), **RESULTS)
    assert alone.id == found[1].id


@pytest.mark.parametrize(
    ("solver", "told"),
    [
        (Descent, "wanted the name of a solver or an instance of one"),
        (3, "got 3, wanted the name of a solver"),
        (Thawed(), "is not a valid solver: it is no frozen dataclass"),
        (Locked(), "cannot be brought to another process: .*; give it values that can be pickled"),
    ],
)
def test_what_is_no_solver_is_refused(solver, told):
    with pytest.raises(ParameterError, match=told):
        compare([solver, "logistic"], "breast-cancer")


def test_what_is_no_data_set_is_refused():
    with pytest.raises(
        ParameterError, match=r"got 3 as a data set, wanted a name, a table or Data.of"
    ):
        compare("logistic", [3])
    data = blobs()
    with pytest.raises(ParameterError, match="is named twice"):
        compare("logistic", [data, data])


def test_a_class_in_a_file_is_taken_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / f"own_{tmp_path.name}.py"
    source.write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\n"
        "import toys as base\n@dataclass(frozen=True)\n"
        "class Mine(base.Descent):\n    gamma: float = 0.5\n"
    )
    mine = aucbench.get_solver(f"{source}:Mine", gamma=0.25)
    [spec], given = name_solvers([mine])
    assert str(spec) == f"{source}:Mine[gamma=0.25]"
    assert not given.solvers
    source.write_text(source.read_text() + "# edited\n")
    with pytest.raises(ParameterError, match="has changed since Mine was made; make it again"):
        name_solvers([mine])


SCRIPT = """
import sys
from dataclasses import dataclass
from typing import ClassVar
import aucbench
from aucbench.objectives import PairwiseSquare
from aucbench.contract import Problem, Solver, State

FACTOR = float(sys.argv[1])

@dataclass(frozen=True)
class Descent(Solver):
    gamma: float = 0.01
    space: ClassVar = {}
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))
    def iterates(self, problem, w, rng, budget):
        f = problem.objective
        while True:
            w = w - FACTOR * self.gamma * f.grad(w)
            yield State(w)

if __name__ == "__main__":
    found = aucbench.compare(Descent(0.005), "breast-cancer", splits=2, passes=3, out="out")
    print(found[0].status.status, found[0].id, found[0].plugin[0])
"""


@pytest.fixture
def script(tmp_path):
    """script(argument, ...) -> what Python prints that runs `script.py`, or a typed program."""

    def run(*arguments):
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
        )
        return done.stdout.split()

    (tmp_path / "script.py").write_text(SCRIPT)
    return run


@pytest.mark.nightly
def test_a_script_goes_on_where_it_ended(script):
    first = script("script.py", "1.0")
    assert first[::2] == ["ok", "__main__"]
    assert script("script.py", "1.0") == first


@pytest.mark.nightly
def test_the_globals_and_the_text_of_a_script_count(script, tmp_path):
    first = script("script.py", "1.0")
    assert script("script.py", "2.0")[1] != first[1]
    (tmp_path / "script.py").write_text(SCRIPT + "# edited\n")
    assert script("script.py", "1.0")[1] != first[1]
    # Without a file, as in a notebook, the code that was typed cannot be known for certain.
    typed = ["-c", SCRIPT, "1.0"]
    once, again = script(*typed), script(*typed)
    assert (once[0], again[0]) == ("ok", "ok")
    assert once[1] != again[1]
