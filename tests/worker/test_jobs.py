"""The functions that supervised processes call, called in this process."""

import json
import sys
from contextlib import suppress
from io import BytesIO
from runpy import run_module

import numpy as np
import pytest
from refusals import assert_refused
from samples import sample
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold
from toys import DATA, SOLVERS, cell, told

from aucbench import auc, get_dataset, get_solver, solve
from aucbench.bench.fingerprints import file_fingerprint
from aucbench.bench.requests import resolve_job
from aucbench.bench.worker import jobs, rows
from aucbench.data import Data
from aucbench.errors import AucbenchError, DataError, UnsupportedError
from aucbench.registry import get_features, list_solvers
from aucbench.registry.discovery import entries, loaded
from aucbench.registry.specs import parse_spec

pytestmark = pytest.mark.plain

OTHERS = {"objective": "logistic", "projector": "l2-ball[R=0.5]"}


@pytest.mark.parametrize(
    ("solver", "features"), [("sht-auc[k=2,blocks=3]", "standard"), ("linear-svc", "maxabs")]
)
def test_a_cell_gives_what_plain_calls_give(bench, solver, features):
    planned = cell(solver, features=features, seed=5, split=2)
    done = bench.run(planned)
    data = get_dataset(DATA)
    folds = StratifiedKFold(3, shuffle=True, random_state=5).split(np.zeros(data.n), data.y)
    train, test = list(folds)[2]
    raw = data.take(train.astype(np.int32))
    fitted = get_features(features).fit(raw, np.random.default_rng([5, 2]))
    run = solve(get_solver(solver), raw.with_rows(fitted(raw.rows)), passes=4, seed=5)
    scores = run.decision_function(fitted(data.rows.take(test.astype(np.int32))))
    assert done.error is None
    assert done.result["auc"] == auc(data.y[test], scores)
    assert (done.result["status"], done.result["reason"]) == ("ok", None)
    assert done.result["nnz"] == run.nnz
    assert done.result["objective"] == run.points[-1].objective
    with np.load(BytesIO(done.scores)) as kept:
        np.testing.assert_array_equal(kept["scores"], scores)
        np.testing.assert_array_equal(kept["rows"], test)
        assert (sorted(kept), kept["scores"].dtype) == (["rows", "scores"], np.float64)


def test_objective_and_projector_replace_the_solvers_own(bench):
    plain, replaced = bench.run(cell("sht-auc[k=2]")), bench.run(cell("sht-auc[k=2]", **OTHERS))
    refused = bench.run(cell("logistic", projector="top-k[k=1]"))
    assert plain.result["problem"] == "PairwiseSquare + TopK[k=2,free=0]"
    assert replaced.result["problem"].startswith("Logistic")
    assert replaced.result["problem"].endswith("L2Ball[R=0.5]")
    assert replaced.result["feasible"] is True
    assert isinstance(refused.error, UnsupportedError)


def test_rows_are_shared_and_read_only(bench, toys):
    for c in (0.5, 1, 2):
        assert bench.run(cell(f"spy[c={c}]")).error is None
    seen = toys["toys_toys"].SEEN
    assert len(seen) == 3
    assert len({*seen}) == 1
    (about, *writeable) = seen[0]
    assert about.startswith("r--s ")
    assert about.endswith("/train/values.npy")
    assert writeable == [False, False]


def test_a_solver_that_writes_to_its_rows_fails_alone(bench):
    before = bench.run(cell()).result["auc"]
    writer = bench.run(cell("writes"))
    assert isinstance(writer.error, ValueError)
    assert "read-only" in str(writer.error)
    assert bench.run(cell()).result["auc"] == before


def test_the_hash_is_that_of_the_content():
    X, y = np.arange(12.0).reshape(4, 3), [1, 0, 0, 1]
    data = Data.of(X, y)
    other = X.copy()
    other[3, 2] += 1e-12
    others = [(other, y), (X, [1, 0, 1, 0]), (X[:, ::-1], y), (csr_array(X), y)]
    others.append((X.reshape(6, 2), [1, 0, 0, 1, 0, 1]))
    hashes = {rows.data_hash(Data.of(*changed)) for changed in others}
    assert rows.data_hash(Data.of(np.asfortranarray(X), y)) == rows.data_hash(data)
    assert rows.data_hash(Data.of(X.astype(np.float32), y)) == rows.data_hash(data)
    assert len(hashes | {rows.data_hash(data)}) == 6


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"splits": 100}, "rarer class"),
        ({"dataset": "absent.csv"}, "absent.csv"),
        ({"dataset": "linear[n=1]"}, "at least 2"),
        ({"features": "nothing"}, "unknown feature map"),
    ],
)
def test_steps_refuse_in_a_sentence(bench, given, word):
    assert_refused(lambda: bench.steps(cell(**given)), AucbenchError, word)
    assert_refused(lambda: bench.steps(cell(), data="0" * 32), DataError, "changed")


@pytest.mark.parametrize(
    ("solver", "features", "reason", "feasible"),
    [
        ("nans", "none", "not finite", None),
        ("infeasible", "none", "TopK", False),
        ("huge", "none", "NaN", True),
        ("sto-iht[k=2,gamma=1e9]", "maxabs", "diverged", True),
    ],
)
def test_invalid_results_say_why(bench, solver, features, reason, feasible):
    with np.errstate(all="ignore"):
        done = bench.run(cell(solver, features=features))
    assert (done.result["status"], done.result["feasible"]) == ("invalid", feasible)
    assert reason in done.result["reason"]
    assert done.result["auc"] is done.scores is None


def test_the_curve_is_written_before_the_end(bench):
    done = bench.run(cell("dies"))
    assert isinstance(done.error, ValueError)
    assert [point["passes"] for point in told(done, "point")] == [1, 2, 3]
    assert told(done, "about")[1] == {"plugin": ["toys", "1.0", "toys_toys"]}
    assert told(done, "parameters") == [{"c": 1.0, "other": "a", "limit": "inf"}]


def test_points_are_measured_by_the_harness(bench):
    done = bench.run(cell("holds", passes=5.0))
    points = told(done, "point")
    assert [point["passes"] for point in points] == [1, 2, 3, 4, 5]
    assert [point["gap"] for point in points] == [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]
    assert points[-1]["objective"] == done.result["objective"]
    assert done.result["gap"] == 1 / 5
    for name in ("train_auc", "validation_auc"):
        assert all(0 <= point[name] <= 1 for point in points)


def test_repeated_fits_give_a_median_and_a_spread(bench, toys):
    steady = bench.run(cell(repeat_fits=3)).result
    fickle = bench.run(cell("fickle", repeat_fits=3)).result
    once = bench.run(cell()).result
    each = [*steady["fit_seconds_each"]]
    assert len(each) == 3
    assert steady["fit_seconds"] == sorted(each)[1]
    assert steady["fit_seconds_spread"] == max(each) - min(each)
    assert (steady["deterministic"], fickle["deterministic"]) == (True, False)
    assert fickle["status"] == "ok"
    assert (once["deterministic"], once["fit_seconds_spread"]) == (None, None)


def test_the_warm_process_knows_no_third_party(site):
    site.add("toys", toys=SOLVERS)
    never = run_module("aucbench.bench.worker.warm")["NEVER"]
    known = {entry: loaded(entry) for entry in entries()}
    assert not any(found for entry, found in known.items() if not entry.builtin)
    assert "toys_toys" not in sys.modules
    assert all(known[e] for e in known if e.builtin and e.name not in never)


def asked(kind, spec, tuning=False):
    request = json.loads(json.dumps(resolve_job(kind, parse_spec(spec), tuning).request))
    return jobs.resolve(request, None, {})


def test_a_built_in_solver_imports_scikit_learn_when_it_is_built_or_never(monkeypatch):
    """So building it tells whether its cells need a process that has imported scikit-learn."""
    for name in ("sklearn", *(name for name in sys.modules if name.startswith("sklearn."))):
        monkeypatch.setitem(sys.modules, name, None)
    light, train = set(), Data.of(*sample(0, 60, 4))
    for name in list_solvers():
        with suppress(ImportError, AucbenchError):
            solver = get_solver(name)
            light.add(name)
        if name in light:
            with suppress(AucbenchError):  # it wants other rows, and says so before it fits
                solve(solver, train, passes=1).decision_function(train.rows)
    assert {"sht-auc", "svm-or", "aum", "solam", "ls-svm"} <= light
    assert "logistic" not in light


@pytest.mark.parametrize(
    ("kind", "spec", "error", "word"),
    [
        ("solvers", "sht-ouc", "UnknownNameError", "'sht-auc'"),
        ("solvers", "sht-auc[k=0]", "ParameterError", "at least 1"),
        ("objectives", "logistic[a=1]", "UnknownNameError", "logistic"),
        ("features", "append-one", "ParameterError", "intercept"),
        ("solvers", "broken", "PluginError", "broken:broken"),  # no fault of the user
    ],
)
def test_mistakes_of_the_user_are_refused(site, kind, spec, error, word):
    site.add("broken", broken="raise RuntimeError('no licence')")
    answer = asked(kind, spec)
    is_ours = error == "PluginError"
    assert (answer["ok"], answer["error"]) == (False, error)
    assert answer["status"] == ("error" if is_ours else "refused")
    assert word in answer["reason"]
    if is_ours:
        assert answer["plugin"] == ("broken", "1.0", "broken_broken")


@pytest.mark.parametrize(
    ("solver", "limits", "overspent"),
    [
        ("sht-auc[k=2,gamma=0.1]", {"passes": 2}, False),
        ("sht-auc[k=2]", {"passes": 1}, True),  # the search for the step size takes more
        ("sht-auc[k=2]", {"seconds": 1e-9}, True),
    ],
)
def test_what_is_beyond_the_budget_is_recorded(bench, solver, limits, overspent):
    done = bench.run(cell(solver, **limits))
    assert done.result["overspent"] is overspent
    assert done.record.measures.overspent is overspent
    assert done.record.measures.cpu_seconds > 0


def test_an_exit_and_a_broken_law_with_the_line_of_its_yield_are_errors(bench):
    left = bench.run(cell("exits")).record.status
    assert (left.status, left.reason, left.error_type) == ("error", "3", "SystemExit")
    done = bench.run(cell("shape", features="none"))
    assert done.record.status.status == "error"
    assert "State.w must be a NumPy array of float64" in str(done.error)
    assert "toys.py, line " in str(done.error)


def test_a_cell_whose_code_or_file_has_changed_is_an_error(bench, tmp_path):
    assert jobs.cell({"code": "of another aucbench"}, tmp_path, {})["status"] == "error"
    own = tmp_path / "mine.py"
    own.write_text("x = 1")
    same, other = ({str(own): known} for known in (file_fingerprint(own), "of before"))
    assert bench.run(cell(), files=same).record.ok
    changed = bench.run(cell(), files=other).record
    assert changed.status.status == "error"
    assert changed.why.startswith(f"{own} has changed since the run began")
