"""Records: whatever happened to a cell, its record says so in strict JSON."""

import json
from dataclasses import asdict
from math import inf, nan

import pytest
from bench_toys import cell

from aucbench.bench.results.conditions import Conditions
from aucbench.bench.results.record import make_record
from aucbench.fit.machine import CPUINFO, here
from aucbench.fit.plain import canonical, first_line, strict
from aucbench.infra.supervise.records import Ending, Outcome

LINES = (
    {"about": {"n_train": 80, "n_test": 40, "d": 2, "data": "ab", "conditions": {"host": "h"}}},
    {"about": {"plugin": ["toys", "1.0", "m"]}},
    {"parameters": {"k": 5}},
    {"point": {"passes": 1.0}},
    {"point": {"passes": 2.0}},
)
RESULT = {"status": "ok", "reason": None, "auc": 0.75, "nnz": 3, "fit_seconds": 0.5}


def record(ending=Ending.OK, planned=None, **given):
    told = {"result": RESULT if ending is Ending.OK else None, "lines": LINES, **given}
    conditions = Conditions(concurrency=2, timeout=9.0)
    made = make_record(planned or cell(), "0" * 32, Outcome(ending, **told), conditions)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    return made


def test_an_ok_cell():
    made = record(log="chatter", wall_seconds=1.5, peak_memory=7, planned=cell(seed=3, repeat=1))

    assert (made["status"], made["reason"], made["auc"]) == ("ok", None, 0.75)
    assert made["error_type"] is None
    assert (made["nnz"], made["fit_seconds"], made["tune_seconds"]) == (3, 0.5, None)
    assert (made["n_train"], made["n_test"], made["d"], made["data"]) == (80, 40, 2, "ab")
    assert (made["solver"], made["seed"], made["repeat"], made["tune"]) == ("means", 3, 1, False)
    assert made["with_objective"] is made["with_projector"] is None
    assert made["parameters"] == {"k": 5}
    assert made["plugin"] == ["toys", "1.0", "m"]
    assert made["curve"] == [{"passes": 1.0}, {"passes": 2.0}]
    assert made["conditions"] == {**asdict(Conditions(concurrency=2, timeout=9.0)), "host": "h"}
    assert (made["log"], made["wall_seconds"], made["peak_memory"]) == (None, 1.5, 7)
    assert made["cell"]["splits"] == 3
    assert made["id"] == "0" * 32


def test_a_record_holds_every_name_of_compares_rows():
    names = (
        "solver dataset repeat split seed preprocess with_objective with_projector status reason "
        "auc fit_seconds nnz passes stop objective n_train n_test d parameters"
    )
    assert {*names.split()} <= record().keys()


@pytest.mark.parametrize("status", ["invalid", "skipped", "error"])
def test_the_cell_itself_says_how_it_ended(status):
    result = {"status": status, "reason": "because", "objective": inf, "gap": nan}
    result["error_type"] = "KeyError"
    made = record(result=result, log="last words")

    assert (made["status"], made["reason"], made["auc"]) == (status, "because", None)
    assert made["error_type"] == "KeyError"
    assert (made["objective"], made["gap"], made["log"]) == (None, None, "last words")


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.MEMOUT, Ending.CRASH, Ending.ERROR])
def test_a_killed_cell_keeps_its_curve(ending):
    made = record(ending, reason="SIGSEGV", log="x")

    assert (made["status"], made["reason"]) == (ending.value, "SIGSEGV")
    assert made["curve"] == [{"passes": 1.0}, {"passes": 2.0}]
    assert (made["n_train"], made["parameters"]) == (80, {"k": 5})
    assert (made["auc"], made["fit_seconds"], made["log"]) == (None, None, "x")
    assert record(ending)["reason"] == ending.value


def test_rows_that_are_refused_skip_the_cell():
    data_error = {"error_type": "DataError", "refusal": True}
    refused = record(Ending.ERROR, reason="too large: 3", step="split-1", **data_error)
    broken = record(Ending.ERROR, reason="'x'", step="split-1", error_type="KeyError")
    slow = record(Ending.TIMEOUT, reason="after 3 s", step="data-1")
    own = record(Ending.ERROR, reason="too large", **data_error)

    assert (refused["status"], refused["reason"]) == ("skipped", "too large: 3")
    assert refused["error_type"] is None
    assert refused["curve"] == []
    assert (broken["status"], broken["reason"]) == (
        "error",
        "while its rows were prepared: 'x'",
    )
    assert (broken["error_type"], own["error_type"]) == ("KeyError", "DataError")
    assert (slow["status"], own["status"]) == ("timeout", "error")


@pytest.mark.parametrize(
    "result", [None, {}, {"status": "timeout"}, {"status": "ok"}, {"status": "ok", "auc": "1"}]
)
def test_a_result_that_makes_no_sense_is_an_error(result):
    made = record(result=result)

    assert made["status"] == "error"
    assert "the cell returned the" in made["reason"]


def test_lines_that_make_no_sense_do_no_harm():
    lines = ({"about": 3}, {"other": 1}, {"point": inf}, {"tuning": {"chosen": {}}})
    made = record(lines=lines)

    assert (made["n_train"], made["tuning"], made["curve"]) == (None, {"chosen": {}}, [None])


def test_a_tuned_cell_tells_its_grid():
    made = record(planned=cell(tune=(("k", (1, 2)),)))

    assert made["tune"] == made["cell"]["tune"] == [["k", [1, 2]]]


def test_conditions_name_the_machine(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    found = here()

    assert found["threads"] == 3
    assert {"python", "aucbench", "numpy", "scipy", "scikit-learn"} == found["versions"].keys()
    assert found["cores"] >= 1
    assert found["load"] >= 0
    if "model name" in CPUINFO.read_text(encoding="utf-8"):
        assert f": {found['cpu']}\n" in CPUINFO.read_text(encoding="utf-8")
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert here()["threads"] is None


def test_values_become_plain():
    class Thing:
        pass

    assert strict({"a": (1, nan), 2: [inf]}) == {"a": [1, None], "2": [None]}
    assert canonical({"a": (1, inf), "b": Thing}) == {"a": [1, "inf"], "b": repr(Thing)}
    assert canonical(Thing()) == f"{Thing.__module__}.{Thing.__qualname__}"
    assert first_line(ValueError("a\nb")) == "ValueError: a"
    assert first_line(KeyError()) == "KeyError"
