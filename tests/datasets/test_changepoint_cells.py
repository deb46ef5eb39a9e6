"""Cells on error functions: their rows on disk, their folds, and solvers that need labels."""

import json
from io import BytesIO

import numpy as np
import pytest
from toys import Bench, cell

from aucbench import get_solver, solve
from aucbench.aum import roc_auc
from aucbench.bench.worker import rows
from aucbench.data import NEEDS_LABELS
from aucbench.data.folds import drawn_parts, splits
from aucbench.data.packed import (
    CHANGES,
    OF_EXAMPLES,
    pack_known,
    unpack_known,
)
from aucbench.datasets import load_changepoint
from aucbench.metrics import auc_of

N = 24


@pytest.fixture
def changepoints(tmp_path):
    """Path of the errors of 24 sequences in 3 folds of their own."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 2))
    centre = X[:, 0] + 0.3 * rng.normal(size=N)
    header = "sequenceID,min_log_lambda,max_log_lambda,fp,fn,fold\n"
    lines = [
        f"s{i},{low},{high},{fp},{fn},{i % 3 + 1}\n"
        for i, c in enumerate(centre)
        for low, high, fp, fn in (
            ("-inf", c - 1, 1, 0),
            (c - 1, c + 1, 0, 0),
            (c + 1, "inf", 0, 1),
        )
    ]
    (tmp_path / "toy.errors.csv").write_text(header + "".join(lines))
    named = [f"s{i},{a},{b},{'inf' if i else 1}\n" for i, (a, b) in enumerate(X)]
    (tmp_path / "toy.features.csv").write_text("sequenceID,a,b,c\n" + "".join(named))
    return tmp_path / "toy.errors.csv"


@pytest.fixture
def data(changepoints):
    return load_changepoint(changepoints.with_name("toy.features.csv"), changepoints)


def test_a_cell_gives_what_plain_calls_give(tmp_path, changepoints, data):
    (tmp_path / "bench").mkdir()
    done = Bench(tmp_path / "bench").run(
        cell("aum", str(changepoints), splits=3, split=1, features="none")
    )
    train, test = splits(data, 3, 0)[1]
    run = solve(get_solver("aum"), data.take(train), passes=4)
    held = data.take(test)

    assert done.error is None
    assert done.result["status"] == "ok"
    assert done.result["auc"] == auc_of(held.target, run.decision_function(held.rows))
    with np.load(BytesIO(done.scores)) as kept:
        assert sorted(kept) == ["rows", "scores"]
        np.testing.assert_array_equal(kept["rows"], np.flatnonzero(np.arange(N) % 3 == 1))


@pytest.mark.parametrize("tune", [False, True])
def test_a_solver_that_needs_labels_is_skipped(tmp_path, changepoints, tune):
    (tmp_path / "bench").mkdir()
    done = Bench(tmp_path / "bench").run(cell("sht-auc", str(changepoints), splits=3, tune=tune))

    reason = f"{NEEDS_LABELS}; aum, constant and interval-regression do"
    assert done.reported == {"status": "skipped", "reason": reason}
    assert (done.result["status"], done.result["reason"]) == ("skipped", reason)


def test_a_target_survives_the_way_to_another_process(data):
    packed = json.loads(json.dumps(pack_known(data)))
    known = unpack_known(data.rows, packed)
    back = known.target

    assert back.n == N
    np.testing.assert_array_equal(known.folds, data.folds)
    for name in CHANGES + OF_EXAMPLES:
        np.testing.assert_array_equal(getattr(back, name), getattr(data.target, name))
        assert not getattr(back, name).flags.writeable
    assert rows.data_hash(data.take(np.arange(1, N, dtype=np.int32))) != rows.data_hash(data)


def test_parts_of_error_functions_are_disjoint(data):
    seen = []
    for rest, held in drawn_parts(data, 4, 0):
        assert rest.n + held.n == N
        assert held.target.n == held.n
        seen += held.rows.matrix[:, 0].tolist()
    assert sorted(seen) == sorted(data.rows.matrix[:, 0])


def test_taken_breakpoints_are_those_of_the_rows(data):
    block = np.array([5, 0, 5], dtype=np.int32)
    part, w = data.take(block), np.array([0.5, -1.0])
    s = data.scores(w)

    for k, i in enumerate(block):
        mine, all_ = part.target.example == k, data.target.example == i
        np.testing.assert_array_equal(part.target.value[mine], data.target.value[all_])
        np.testing.assert_array_equal(part.target.fp_diff[mine], data.target.fp_diff[all_])
    whole = data.take(np.arange(N, dtype=np.int32))
    assert roc_auc(whole.target, s) == roc_auc(data.target, s)
