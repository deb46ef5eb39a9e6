"""Records: whatever happened to a cell, its record says so, and no worker decides a measure."""

import json
from io import BytesIO
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused
from toys import cell

from aucbench import auc
from aucbench.bench.codec import dump, load
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.results.convergence import Convergence, Optima, flat_row
from aucbench.bench.results.ending import make_record
from aucbench.bench.results.record import Conditions, Record, documented
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError
from aucbench.processes.records import Ending, Outcome
from aucbench.records import CellStatus

LINES = (
    {"about": {"n_train": 80, "n_test": 40, "d": 2, "data": "ab", "conditions": {"host": "h"}}},
    {"about": {"plugin": ["toys", "1.0", "m"]}},
    {"parameters": {"k": 5}},
    {"point": {"passes": 1.0}},
    {"point": {"passes": 2.0}},
)
RESULT = {
    **{"status": "ok", "reason": None, "stop": "PASSES", "exempt": 1, "feasible": True},
    **{"fit_seconds": 0.5, "fit_seconds_each": [0.5], "passes": 4.0},
    **{"objective": 0.25, "objective_at_zero": 0.5},
}
Y = np.where(np.arange(120) % 3 == 0, 1, -1).astype(np.int8)
TARGET = KeptTarget(pack_arrays({"y": Y}), Y.size)
NUMBERS, HELD = TARGET.held(cell())
SCORES = np.arange(40.0)
W = np.array([1.0, 0.0, 2.0, 3.0])


def saved(array):
    file = BytesIO()
    np.save(file, array, allow_pickle=array.dtype == object)
    return file.getvalue()


FILES = {"scores.npy": saved(SCORES), "w.npy": saved(W)}


def both(ending=Ending.OK, planned=None, **given):
    known = {"result": RESULT if ending is Ending.OK else None, "lines": LINES}
    files = {"files": FILES if ending is Ending.OK else {}, "wall_seconds": 1.5}
    outcome = Outcome(ending, **{**known, **files, **given})
    conditions = Conditions(concurrency=2, timeout=9.0)
    made, scores = make_record(planned or cell(), "0" * 32, outcome, conditions, TARGET)
    plain = json.loads(json.dumps(dump(made), allow_nan=False))
    assert load(plain, Record) == made
    json.dumps(made.flat(), allow_nan=False)
    with pytest.raises(AttributeError):
        made.measures.auc = 1.0
    return made, scores


def record(ending=Ending.OK, planned=None, **given):
    return both(ending, planned, **given)[0]


def with_result(**changed):
    return record(result={**RESULT, **changed})


def test_an_ok_cell():
    planned = cell(seed=3, repeat=1)
    made, kept = both(log="chatter", peak_memory=7, planned=planned)
    numbers, held = TARGET.held(planned)
    measures, sizes, process = made.measures, made.sizes, made.process
    assert made.ok
    assert (made.status.reason, made.status.error_type, made.why) == (None, None, "")
    assert measures.auc == auc(held.y, SCORES)
    assert (measures.nnz, measures.fit_seconds, measures.tune_seconds) == (2, 0.5, None)
    assert (sizes.n_train, sizes.n_test, sizes.d, sizes.data) == (80, 40, 2, "ab")
    assert made.cell == planned
    assert made.parameters == {"k": 5}
    assert made.plugin == ("toys", "1.0", "m")
    assert made.curve == ({"passes": 1.0}, {"passes": 2.0, "test_auc": auc(held.y, SCORES)})
    assert made.conditions == Conditions(concurrency=2, timeout=9.0)
    assert made.machine == {"host": "h"}
    assert (process.log, process.wall_seconds, process.peak_memory) == (None, 1.5, 7)
    with np.load(BytesIO(kept)) as arrays:
        np.testing.assert_array_equal(arrays["scores"], SCORES)
        np.testing.assert_array_equal(arrays["rows"], numbers)
        assert sorted(arrays) == ["rows", "scores"]


def test_each_field_has_a_meaning_that_the_page_shows():
    rows = documented(Convergence)
    row = flat_row(record(), Optima())
    assert len({name for name, *_ in rows}) == len(rows) > 20
    assert all(meaning for *_, meaning in rows)
    page = (Path(__file__).parents[2] / "docs" / "record.md").read_text(encoding="utf-8")
    assert page.count("<!-- fields -->") == 1
    elsewhere = {"id", "cell", "parameters", "tuning", "curve", "plugin", "conditions", "machine"}
    assert elsewhere <= {*row}
    assert all(f"`{name}`" in page for name in elsewhere)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda plain: plain["measures"].update(auk=1), "measures"),
        (lambda plain: plain.pop("status"), "status"),
        (lambda plain: plain["status"].update(status="fine"), "status"),
    ],
)
def test_a_record_that_is_none_is_refused_with_its_place(change, place):
    plain = dump(record())
    change(plain)
    assert_refused(lambda: load(plain, Record), DataError, place)


@pytest.mark.parametrize("status", ["invalid", "skipped", "error"])
def test_the_cell_itself_says_how_it_ended(status):
    result = {"status": status, "reason": "because", "objective": inf, "gap": nan}
    made = record(result={**result, "error_type": "KeyError"}, log="last words")
    assert (made.status.status, made.status.reason) == (status, "because")
    assert (made.status.error_type, made.why) == ("KeyError", "KeyError: because")
    assert made.measures.auc is made.measures.objective is made.measures.gap is None
    assert made.process.log == "last words"


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.MEMOUT, Ending.CRASH, Ending.ERROR])
def test_a_killed_cell_keeps_its_curve(ending):
    made = record(ending, reason="SIGSEGV", log="x")
    assert (made.status.status.value, made.status.reason) == (ending.value, "SIGSEGV")
    assert made.curve == ({"passes": 1.0}, {"passes": 2.0})
    assert (made.sizes.n_train, made.parameters) == (80, {"k": 5})
    assert (made.measures.auc, made.measures.fit_seconds, made.process.log) == (None, None, "x")
    assert record(ending).status.reason == ending.value


def test_rows_that_are_refused_skip_the_cell():
    data_error = {"error_type": "DataError", "refusal": True}
    refused = record(Ending.ERROR, reason="too large: 3", step="split-1", **data_error)
    broken = record(Ending.ERROR, reason="'x'", step="split-1", error_type="KeyError")
    slow = record(Ending.TIMEOUT, reason="after 3 s", step="data-1")
    own = record(Ending.ERROR, reason="too large", **data_error)
    assert (refused.status.status, refused.status.reason) == ("skipped", "too large: 3")
    assert refused.status.error_type is None
    assert refused.curve == ()
    assert broken.why == "KeyError: while its rows were prepared: 'x'"
    assert (broken.status.error_type, own.status.error_type) == ("KeyError", "DataError")
    assert (slow.status.status, own.status.status) == ("timeout", "error")


@pytest.mark.parametrize("result", [None, {}, {"status": "timeout"}, {"status": 3}])
def test_a_result_that_makes_no_sense_is_an_error(result):
    assert record(result=result).status.status is CellStatus.ERROR


@pytest.mark.parametrize(
    ("files", "status", "word"),
    [
        ({}, "error", "no scores.npy"),
        ({"scores.npy": b"\x93NUMPY nonsense"}, "error", "no array"),
        ({"scores.npy": saved(np.array([{}], dtype=object))}, "error", "no array"),
        ({"scores.npy": saved(np.arange(39.0))}, "error", "39"),
        ({"scores.npy": saved(np.arange(40))}, "error", "float64"),
        ({"scores.npy": saved(np.zeros((40, 1)))}, "error", "vector"),
        ({**FILES, "w.npy": b""}, "error", "w.npy"),
        ({"scores.npy": saved(np.full(40, nan))}, "invalid", "NaN"),
        ({**FILES, "w.npy": saved(np.array([1.0, inf]))}, "invalid", "not finite"),
    ],
)
def test_what_cannot_be_measured_has_no_auc(files, status, word):
    made = record(files=files)
    assert (made.status.status, made.measures.auc) == (status, None)
    assert word in made.status.reason


POINTS = tuple({"point": {"passes": float(k), "test_auc": 1.0}} for k in range(5))


def along(numbers, scores):
    lines, files = (*LINES[:3], *POINTS), {**FILES, "along.npy": saved(scores)}
    return record(lines=lines, files=files, result={**RESULT, "test_points": numbers})


def test_the_parent_measures_the_test_auc_along_a_fit():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3, 40))
    made = along([0, 1, 3], np.vstack([scores[:2], np.full(40, nan)]))
    assert [point["passes"] for point in made.curve] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert [point.get("test_auc") for point in made.curve] == [
        *(auc(HELD.y, row) for row in scores[:2]),
        None,  # no scores were handed over, and what the worker says does not count
        None,  # NaN has no order
        made.measures.auc,
    ]
    assert all("test_auc" not in point for point in record(Ending.CRASH, lines=POINTS).curve)


@pytest.mark.parametrize(
    ("numbers", "shape", "word"),
    [
        *(([0, 5], (2, 40), "none"), ([-1], (1, 40), "none"), ([1, 0], (2, 40), "none")),
        *(([True], (1, 40), "none"), ([0], (1, 39), "1 x 39"), ([0], (40,), "no matrix")),
    ],
)
def test_scores_along_a_fit_that_make_no_sense_are_an_error(numbers, shape, word):
    made = along(numbers, np.zeros(shape))
    assert made.status.status is CellStatus.ERROR
    assert word in made.status.reason


def test_what_a_worker_claims_of_measures_and_sizes_counts_for_nothing():
    forged = record(lines=({"about": {"n_train": 1, "n_test": 2, "d": 2}},))
    assert with_result(auc=1.0, nnz=0).measures == record().measures
    assert (forged.sizes.n_train, forged.sizes.n_test) == (80, 40)


@pytest.mark.parametrize(
    ("described", "feasible"),
    [
        (None, True),
        ({"class": "TopK", "parameters": {"k": 2, "free": 1}}, True),
        ({"class": "TopK", "parameters": {"k": 1, "free": 0}}, False),
        ({"class": "L2Ball", "parameters": {"R": 0.1}}, False),
        ({"class": "TopK", "parameters": {"q": 1}}, False),
    ],
)
def test_sets_of_aucbench_are_asked_by_the_parent(described, feasible):
    made = with_result(set=described)
    assert made.measures.feasible is feasible
    assert made.ok is feasible


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"objective": 50.0}, None),
        ({"objective": 51.0}, "102 times"),
        ({"objective": None}, "not finite"),
        ({"objective": 51.0, "objective_at_zero": 0.0}, None),
        ({"score_error": 38.0}, None),
        ({"score_error": 39.0}, "norm 3.74"),
        ({"score_error": None}, "inf"),
    ],
)
def test_a_fit_that_diverged_does_not_count(changed, reason):
    made = with_result(**changed)
    assert made.status.status == ("ok" if reason is None else "invalid")
    assert (reason or "") in (made.status.reason or "")
    assert (made.measures.auc is None) == (reason is not None)


@pytest.mark.parametrize(
    "changed",
    [
        *({"fit_seconds_each": [1.9, 1.9]}, {"fit_seconds_each": [1.0], "tune_seconds": 2.0}),
        *({"fit_seconds_each": [-1.0]}, {"predict_seconds": 7.0}),
    ],
)
def test_times_fit_into_the_life_of_the_process(changed):
    made = with_result(**changed)
    assert made.status.status is CellStatus.ERROR
    assert "1.5 s" in made.status.reason


def test_a_parent_that_heard_of_the_begin_late_costs_no_cell():
    made = with_result(fit_seconds_each=[1.1, 1.2])  # of a process that was seen for 1.5 s
    assert made.ok
    assert made.measures.fit_seconds_each == (1.1, 1.2)


def test_lines_that_make_no_sense_do_no_harm():
    wrong = ({"about": 3}, {"other": 1}, {"about": {"n_train": "many", "plugin": [1, 2]}})
    made = record(lines=(*wrong, {"point": inf}, {"tuning": {"chosen": {}}}))
    assert (made.sizes.n_train, made.plugin, made.curve) == (None, None, ())
    assert made.tuning == {"chosen": {}}


def test_an_auc_that_cannot_be_had_is_an_error_of_the_cell_not_of_the_run(monkeypatch):
    def refuses(target, scores):
        raise DataError("fp changes by 0 over all thresholds")

    monkeypatch.setattr("aucbench.bench.evaluation.measures.quality_of", refuses)
    made = record()
    assert (made.status.status, made.measures.auc) == ("error", None)
    assert made.why == "DataError: fp changes by 0 over all thresholds"


def test_a_fold_of_one_class_is_refused_before_any_job():
    y, folds = np.array([-1, 1, 1, -1, 1, 1], np.int8), np.array([0, 0, 1, 1, 2, 2], np.int32)
    target = KeptTarget(pack_arrays({"y": y, "folds": folds}), y.size)
    refusals = [target.refusal(cell(split=split)) for split in range(3)]
    assert len({*refusals}) == 1  # of the whole division: a mean would be that of other rows
    assert "split 3 of 3 has no negative row among its test rows" in refusals[0]
