"""Measurements that are no cells: what is kept, what is done again, and what is refused."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused
from toys import cells_in_process

from aucbench.bench import Store
from aucbench.bench.engines.local import LocalEngine
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError
from aucbench.papers import measuring
from aucbench.papers.comparison import compare
from aucbench.papers.measuring import open_measurements, read_measurements
from aucbench.papers.parts import Experiment, Measurement
from aucbench.papers.results import read_results
from aucbench.processes.records import Limits
from aucbench.progress import Progress
from aucbench.registry.specs import Spec

TOYS = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(TOYS))
    monkeypatch.setenv("PYTHONPATH", str(TOYS), prepend=":")
    measuring._files_of.cache_clear()


@pytest.fixture
def signs(tmp_path):
    """Where each measurement tells that it began."""
    folder = tmp_path / "signs"
    folder.mkdir()
    return folder


def begun(signs):
    return {path.name: len(path.read_text().split()) for path in signs.iterdir()}


@pytest.fixture
def rows(tmp_path):
    lines = [f"{k % 5},{(k * 7) % 3},{k % 2}" for k in range(12)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    return tmp_path / "rows.csv"


def counting(rows, signs, n=0, **more):
    request = {"n": n, "folder": str(signs)}
    given = {"dataset": Spec(str(rows)), "reading": ReadOptions(target="y"), **more}
    return Measurement(name=f"number {n}", call="toy_measured:count", request=request, **given)


def failing(rows, signs, how, **more):
    request = {"how": how, "folder": str(signs)}
    one = counting(rows, signs, **more)
    return replace(one, name=how, call="toy_measured:fail", request=request)


def done(some, folder):
    """What a run yields, by name."""
    Store(folder, create=True).home.require()
    with open_measurements(folder, create=True) as store:
        found = measuring.run(some, store, LocalEngine(jobs=2), Progress(len(some)), print)
        return {one.asked.name: one for one in found}


@cells_in_process()  # `in_process` would hold for the other tests too, one of which crashes
def test_a_result_is_kept_and_computed_again_only_by_other_code(tmp_path, rows, signs, monkeypatch):
    some, out = [counting(rows, signs, n) for n in range(3)], tmp_path / "out"
    first = done(some, out)
    assert all(first[f"number {n}"].result == {"rows": 12, "n": n} for n in range(3))
    one = first["number 0"]
    assert (one.status, one.why, one.log, one.asked) == ("ok", "", "", some[0])
    assert one.machine["versions"]["numpy"] == np.__version__
    assert (one.conditions.engine, one.conditions.concurrency) == ("local", 2)
    assert done(some, out) == {one.asked.name: one for one in read_measurements(out)} == first
    assert begun(signs) == {"0": 1, "1": 1, "2": 1}

    toys = tmp_path / "toys"
    toys.mkdir()
    text = (TOYS / "toy_measured.py").read_text()
    (toys / "toy_measured.py").write_text(text.replace("data.n,", "2 * data.n,"))
    monkeypatch.setattr(sys, "path", [str(toys), *sys.path])
    monkeypatch.delitem(sys.modules, "toy_measured", raising=False)
    measuring._files_of.cache_clear()
    assert done(some[:1], out)["number 0"].result["rows"] == 24
    monkeypatch.delitem(sys.modules, "toy_measured")
    measuring._files_of.cache_clear()


WAYS = {"error": Limits(60.0), "crash": Limits(60.0), "timeout": Limits(2.0)}
WAYS["memout"] = Limits(60.0, memory=300 * 10**6)


@pytest.mark.parametrize("ways", [["error"], pytest.param([*WAYS], marks=pytest.mark.nightly)])
def test_failures_are_marked_with_a_sentence_and_computed_again(tmp_path, rows, signs, ways):
    some, out = [failing(rows, signs, how, limits=WAYS[how]) for how in ways], tmp_path / "out"
    if ways == ["error"]:
        with cells_in_process():
            found = done(some, out)
    else:
        found = done(some, out)
        assert found["crash"].machine["host"]
    assert {name: one.status for name, one in found.items()} == {name: name for name in ways}
    assert found["error"].why == "ValueError: it did not like the rows"
    assert "ValueError" in found["error"].log
    assert all(one.result is None and one.why for one in found.values())
    assert begun(signs) == dict.fromkeys(ways, 1)
    with cells_in_process():
        assert done(some[:1], out)["error"].status == "error"
    assert begun(signs) == {**dict.fromkeys(ways, 1), "error": 2}

    experiment = Experiment(title="failures", measurements=(*some, counting(rows, signs, 7)))
    with Store(out) as store:
        parts = compare(read_results(experiment, store))
    [listed] = [part for part in parts if "No result" in part]
    assert f"1 of {len(ways) + 1} measurements were not run." in parts
    assert "error (error: ValueError: it did not like the rows)" in listed


def test_a_function_of_no_module_is_refused_before_anything_runs(tmp_path, rows, signs):
    nowhere = replace(counting(rows, signs), call="no_such_module:count")
    some = [counting(rows, signs, 1), nowhere]
    assert_refused(lambda: done(some, tmp_path / "out"), ParameterError, "'no_such_module'")
    assert begun(signs) == {}
