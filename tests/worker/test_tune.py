"""Tuning: which points, which folds, which choice."""

import sys
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import DATA, cell, told

from aucbench import auc, get_dataset, get_solver, solve
from aucbench.bench.worker.build import build, points_of
from aucbench.bench.worker.tune import inner_splits, tune
from aucbench.data import Data
from aucbench.data.targets import Labels
from aucbench.errors import DataError


def values(points):
    return [dict(point.values) for point in points]


GRID = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(
    lambda sizes: tuple((f"p{j}", tuple(range(1, n + 1))) for j, n in enumerate(sizes))
)


@given(GRID, st.integers(1, 40))
def test_a_budget_tries_the_first_points_and_none_twice(grid, count):
    def tried(count):
        return values(points_of(cell("sht-auc", tune=grid, tune_evals=count)))

    few, more = tried(count), tried(1000)
    assert few == more[:count] == tried(count)
    assert len({tuple(p.items()) for p in more}) == len(more) == prod(len(v) for _, v in grid)


def test_neither_a_seed_nor_what_a_specification_fixes_is_tuned():
    one, other = (points_of(cell("sht-auc", tune=True, tune_evals=9, seed=s)) for s in (0, 1))
    assert one == other
    published = points_of(cell("sht-auc[k=7]", tune=True))
    assert all({*point} == {*get_solver("sht-auc").space} - {"k"} for point in values(published))


def test_the_table_holds_means_of_inner_folds():
    tuned = cell("sht-auc", tune=(("k", (1, 2)),), passes=3.0, seed=4)
    data = get_dataset(DATA)
    found = tune(tuned, partial(build, tuned), data)
    expected = []
    tried = [row["parameters"]["k"] for row in found.table]
    assert tried == [2, 1]
    for k in tried:
        aucs = []
        for rest, held in (map(data.take, split) for split in inner_splits(data, tuned)):
            run = solve(get_solver("sht-auc", k=k), rest, passes=3, seed=4, every=np.inf)
            aucs.append(auc(held.y, run.decision_function(held.rows)))
        expected.append(aucs)
    assert [row["aucs"] for row in found.table] == expected
    assert [row["auc"] for row in found.table] == [pytest.approx(np.mean(a)) for a in expected]
    assert found.point == {"k": tried[int(np.argmax([row["auc"] for row in found.table]))]}
    assert found.seconds == sum(row["seconds"] for row in found.table) > 0


def test_inner_folds_are_stratified_and_disjoint_and_the_rarer_class_bounds_them():
    data = get_dataset(DATA)
    folds = inner_splits(data, cell())
    assert len(folds) == 3
    for rest, held in folds:
        assert np.array_equal(np.sort([*rest, *held]), np.arange(data.n))
        assert abs(data.take(held).target.n_pos - data.target.n_pos / 3) < 1
    assert sum(held.size for _, held in folds) == data.n
    X = np.random.default_rng(0).standard_normal((20, 2))
    two, one = (Data.of(X, np.arange(20) < count) for count in (2, 1))
    assert len(inner_splits(two, cell())) == 2
    with pytest.raises(DataError, match="rarer class"):
        inner_splits(one, cell())


def test_a_failing_point_is_recorded_and_passed_over(bench):
    done = bench.run(cell("means", tune=True))
    (tuning,) = told(done, "tuning")
    rows = tuning["table"]
    assert done.result["status"] == "ok"
    fine = [row for row in rows if row["parameters"]["c"] != 0]
    failed = [row for row in rows if row not in fine]
    assert (len(fine), len(failed)) == (6, 2)
    for row in failed:
        told_of = (row["status"], row["error_type"], row["reason"], row["auc"])
        assert told_of == ("error", "ValueError", "c is 0", None)
    assert all((row["status"], len(row["aucs"])) == ("ok", 3) for row in fine)
    best = max(row["auc"] for row in fine)
    assert next(row["parameters"] for row in rows if row["auc"] == best) == tuning["chosen"]
    assert told(done, "parameters")[0]["c"] == tuning["chosen"]["c"]
    chosen = ",".join(f"{name}={value}" for name, value in tuning["chosen"].items())
    assert done.result["auc"] == bench.run(cell(f"means[{chosen}]")).result["auc"]


def test_neighbours_start_from_each_other_along_the_path(bench):
    bench.run(cell("path", tune=True))
    seen = sys.modules["toys_toys"].SEEN
    first = [(c, w0) for c, other, w0 in seen[:8] if other == "a"]
    # 0.5 raises, so that the next one starts afresh; it is not tried on the second fold.
    assert first == [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (2.0, 1.0)]
    assert len(seen) == 8 + 6 + 6 + 1
    assert seen[8][:2] == (0.0, "a")
    assert seen[-1][2] == 0.0  # the final fit starts afresh


def test_too_few_rows_to_tune_is_skipped(bench, tmp_path):
    path = tmp_path / "rare.csv"
    path.write_text("a,y\n" + "".join(f"{j},{int(j < 2)}\n" for j in range(12)))
    done = bench.run(cell("sht-auc", str(path), splits=2, tune=True))
    assert done.result["status"] == "skipped"
    assert "needs two training rows of each kind" in done.result["reason"]


def test_tuning_reads_no_row_outside_the_training_part(bench):
    data = get_dataset(DATA)
    tuned = cell("means", tune=True, features="standard")
    before = told(bench.run(tuned), "tuning")[0]
    bench.change("test/values", lambda values: 7 * values)
    split, block = bench.block("learnt")
    held = np.setdiff1d(np.arange(data.n), block.array("learnt"))
    poisoned = data.rows.matrix.copy()
    poisoned[held] *= -100
    y = data.y.copy()  # the folds are drawn by the labels, which therefore stay
    bench.change("raw/values", lambda _: Data(Data.of(poisoned, y).rows, Labels(y)).rows.stored)
    again = told(bench.run(tuned), "tuning")[0]  # with other mapped rows of the test
    del bench.kept[split]
    after = told(bench.run(tuned), "tuning")[0]
    for tuning in (again, after):
        assert [row["aucs"] for row in tuning["table"]] == [row["aucs"] for row in before["table"]]
        assert tuning["chosen"] == before["chosen"]


def test_a_limit_of_seconds_tries_points_by_rungs_and_the_record_says_how_far():
    data = get_dataset("linear[n=3600,seed=2]")
    planned = cell("logistic", tune=True, tune_evals=9, inner_splits=3, tune_seconds=600.0)
    found = tune(planned, partial(build, planned), data)
    told = found.to_json()["search"]

    assert (told["ended"], told["points"]) == ("all points were tried", len(found.table))
    assert told["tried"] == len(found.table)
    assert [rung["rows"] for rung in told["rungs"]][-1] == 2400
    best = max(found.table, key=lambda row: (len(row["levels"]), row["auc"]))
    assert found.best == best["parameters"]
    again = tune(planned, partial(build, planned), data)
    assert [row["levels"] for row in again.table] == [row["levels"] for row in found.table]

    hurried = replace(planned, tune_seconds=1e-6)
    short = tune(hurried, partial(build, hurried), data)
    assert short.search.ended == "the time was up"
    assert (short.search.tried, short.best) == (1, found.table[0]["parameters"])


def test_a_point_that_diverged_is_not_chosen():
    data = get_dataset("linear[n=300,seed=2]")
    planned = cell("sht-auc", tune=(("gamma", (2.0, 1e-3)),), passes=12.0, features="none")
    found = tune(planned, partial(build, planned), data)
    first, second = sorted(found.table, key=lambda row: -row["parameters"]["gamma"])
    assert first["status"] == "invalid"
    assert "times its value at w = 0" in first["reason"]
    assert (second["status"], found.best) == ("ok", {"gamma": 1e-3})
