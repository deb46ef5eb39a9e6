"""`compare` with instances of solvers and with `Data`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import assert_refused
from samples import data
from toys import Descent

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
ROWS = data()


def test_a_folder_says_that_its_objects_are_gone(tmp_path):
    compare(Descent(), ROWS, **RESULTS, out=tmp_path / "out")
    found = read_frame(tmp_path / "out")
    assert "Descent: Descent() was an object in a process of Python" in found.source.unchecked
    assert found.solvers == ("Descent",)
    assert found.statuses == {"ok": 2}
    with Store(tmp_path / "out") as store:
        [plan] = map(parse_plan, store.plans().values())
        with pytest.raises(AucbenchError, match="process"):
            folder_status(store, [plan])
    with pytest.raises(ParameterError, match="object"):
        find("solvers", "Descent()")


def test_a_cell_of_an_instance_is_what_the_named_one_computes(here):
    [named, *_] = compare("sht-auc[k=3]", ROWS, **RESULTS)
    [given, *_] = compare(aucbench.get_solver("sht-auc", k=3), ROWS, **RESULTS)
    assert given.id == named.id
    assert str(given.cell.solver) == "sht-auc[k=3]"
    [other, *_] = compare("sht-auc[k=3]", data(weighted=True), **RESULTS)
    assert other.sizes.weighted
    assert other.id != named.id


def test_instances_of_a_module_are_resumed_and_what_cannot_be_written_down_is_not(here, tmp_path):
    both = [Descent(0.005), Descent(shrink=lambda w: 0.9 * w)]
    first = compare(both, ROWS, **RESULTS, out=tmp_path / "out")
    again = compare(both, data(), **RESULTS, out=tmp_path / "out")
    assert {r.status.status for r in (*first, *again)} == {"ok"}
    assert [str(r.cell.choice) for r in first[:2]] == ["Descent()[gamma=0.005]", "Descent()"]
    same = [a.id == b.id for a, b in zip(first, again, strict=True)]
    assert same == [True, False, True, False]
    assert len({r.cell.dataset for r in (*first, *again)}) == 1
    changed = compare(both[0], data(1), **RESULTS)
    assert changed[0].id not in {r.id for r in first}


def test_a_class_of_a_file_that_has_changed_since_is_refused(tmp_path):
    source = tmp_path / f"own_{tmp_path.name}.py"
    source.write_text(
        "from dataclasses import dataclass\nimport toys\n"
        "@dataclass(frozen=True)\nclass Mine(toys.Descent):\n    gamma: float = 0.5\n"
    )
    mine = aucbench.get_solver(f"{source}:Mine", gamma=0.25)
    [spec], given = name_solvers([mine])
    assert str(spec) == f"{source}:Mine[gamma=0.25]"
    assert not given.solvers
    source.write_text(source.read_text() + "# edited\n")
    assert_refused(lambda: name_solvers([mine]), ParameterError, "changed since Mine")


SCRIPT = """
import sys
from dataclasses import dataclass
import aucbench
from toys import Descent

FACTOR = float(sys.argv[1])

@dataclass(frozen=True)
class Own(Descent):
    def problem(self, data, rng, budget):
        assert FACTOR
        return Descent.problem(self, data, rng, budget)

if __name__ == "__main__":
    found = aucbench.compare(Own(0.005), "breast-cancer", splits=2, passes=3, out="out")
    print(found[0].status.status, found[0].id, found[0].plugin[0])
"""


@pytest.mark.nightly
def test_the_globals_and_the_text_of_a_script_count(tmp_path):
    def printed(*arguments):
        command = [sys.executable, *arguments]
        path = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
        return subprocess.check_output(command, cwd=tmp_path, text=True, env=path).split()

    (tmp_path / "script.py").write_text(SCRIPT)
    first = printed("script.py", "1.0")
    assert first[::2] == ["ok", "__main__"]
    assert printed("script.py", "1.0") == first
    assert printed("script.py", "2.0")[1] != first[1]
    (tmp_path / "script.py").write_text(SCRIPT + "# edited\n")
    assert printed("script.py", "1.0")[1] != first[1]
    # Without a file, as in a notebook, the code that was typed cannot be known for certain.
    once, again = (printed("-c", SCRIPT, "1.0") for _ in range(2))
    assert (once[0], again[0]) == ("ok", "ok")
    assert once[1] != again[1]
