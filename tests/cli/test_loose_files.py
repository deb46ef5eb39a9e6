"""What stands in files of the user is found from the present folder, and has names of its own."""

import pytest
from command_line import flat, said, strict

SOURCE = '''
from dataclasses import dataclass
from typing import ClassVar
from aucbench.about import metric
from aucbench.objectives import PairwiseSquare
from aucbench.contract import Problem, Solver, State

@dataclass(frozen=True)
class S(Solver):
    """w - gamma f'(w)."""
    gamma: float = {gamma}
    space: ClassVar = {{"gamma": (0.01,)}}
    def problem(self, data, rng, budget):
        return Problem(PairwiseSquare(data))
    def iterates(self, problem, w0, rng, budget):
        return State(w0 - self.gamma * problem.f.grad(w0))

@metric(low=0, high=1)
def gain(y, scores, depth=0.5):
    return depth
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two files of one class, and the results of both."""
    place = tmp_path_factory.mktemp("loose")
    (place / "sub").mkdir()
    for name, gamma in (("mine", 0.01), ("other", 0.02)):
        (place / f"{name}.py").write_text(SOURCE.format(gamma=gamma), encoding="utf-8")
    return place


@pytest.mark.nightly
def test_functions_in_files_are_those_of_the_present_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    asked = ("--solvers", "mine.py:S,other.py:S", "--data", "breast-cancer", "--splits", 2)
    adds = ("--metrics", "auc,mine.py:gain[depth=0.25],./mine.py:gain[0.25]")
    told = said("compare", *asked, "--out", "out", "--json", "rows.json", *adds)
    header = next(line for line in told.splitlines() if "solver  " in line)
    assert header.split().count("mine.py:gain[depth=0.25]") == 1
    rows = strict(folder / "rows.json")
    assert {row["mine.py:gain[depth=0.25]"] for row in rows} == {0.25}
    assert {row["solver"] for row in rows} == {
        f"{folder}/{name}.py:S" for name in ("mine", "other")
    }
    # The table and the answer tell them apart.
    for name in ("mine", "other"):
        assert any(line.split()[:1] in ([f"{name}.py:S"], ["*"]) for line in told.splitlines())
    assert "mine.py:S has the highest AUC" in told.replace("other.py", "mine.py")

    monkeypatch.chdir(folder / "sub")
    told = said("report", "../out", "--metrics", "../mine.py:gain")
    assert "mine.py:gain, 0.5000" in told
    lost = flat(said("report", "../out", "--metrics", "mine.py:gain", code=2))
    assert f"cannot read {folder}/sub/mine.py: No such file or directory" in lost


def table(path, shift=0):
    lines = [f"{i % 7 + shift * (i % 2)},{i * i % 11},{i % 2}" for i in range(40)]
    path.write_text("\n".join(["a,b,y", *lines]), encoding="utf-8")


@pytest.mark.parametrize("names", ["rows.csv,./rows.csv", "breast-cancer,aucbench:breast-cancer"])
def test_one_data_set_under_two_names_is_refused(folder, monkeypatch, names):
    monkeypatch.chdir(folder)
    table(folder / "rows.csv")
    first, second = names.split(",")
    told = said("compare", "--solvers", "constant", "--data", names, code=2)
    assert f"error: {first} and {second} are the same; name one of them" in told


def test_two_sources_of_one_name_run_beside_each_other(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for number, place in enumerate((folder, folder / "sub")):
        table(place / "both.csv", 5 * number)
    asked = ("compare", "--solvers", "logistic", "--splits", 2, "--quiet")
    told = said(*asked, "--data", "both.csv,sub/both.csv")
    assert [line for line in told.splitlines() if "both.csv: 40 rows" in line] == [
        f"{name}: 40 rows, 20 positive (50.0%), 2 features" for name in ("both.csv", "sub/both.csv")
    ]


def test_another_source_of_a_name_in_one_results_folder_is_told(folder, monkeypatch):
    aucs = {}
    for number, place in enumerate((folder, folder / "sub")):
        monkeypatch.chdir(place)
        table(place / "same.csv", 5 * number)
        out = folder / "sources"
        said("compare", "--solvers", "logistic", "--data", "same.csv", "--splits", 2, "--out", out)
        aucs[place] = said("report", out).split(" over ")[0].rpartition(" ")[2]
    assert len({*aucs.values()}) == 2
    for place, auc in aucs.items():
        monkeypatch.chdir(place)
        told = flat(said("report", out))
        assert f"logistic has a mean AUC of {auc}" in told
        assert "warning: 2 record(s) are stale and left out, since the data" in told
    monkeypatch.chdir(folder.parent)
    assert "the folder has two results of logistic on same.csv" in said("report", out, code=2)
