"""Tuning: which points, which folds, which choice."""

import sys
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np
import pytest
from bench_toys import DATA, SOURCE, Bench, cell, told

from aucbench import auc, get_dataset, get_solver, solve
from aucbench.data import Data
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError
from aucbench.fit.build import build
from aucbench.fit.grid import chains, points_of
from aucbench.fit.tune import inner_folds, tune


@pytest.fixture
def bench(site, tmp_path):
    site.add("toys", toys=SOURCE)
    (tmp_path / "bench").mkdir()
    return Bench(tmp_path / "bench")


def values(points):
    return [dict(point.values) for point in points]


def test_a_small_grid_is_tried_whole_and_in_order():
    points = points_of(cell("sht-auc", tune=(("blocks", (2, 1)), ("k", (1, 2)))))

    assert values(points) == [
        {"blocks": 2, "k": 1},
        {"blocks": 2, "k": 2},
        {"blocks": 1, "k": 1},
        {"blocks": 1, "k": 2},
    ]


def test_what_a_specification_fixes_is_not_tuned():
    points = points_of(cell("sht-auc[k=7]", tune=True))

    assert values(points) == [{"blocks": blocks} for blocks in (1, 2, 4, 8, 10)]


@pytest.mark.parametrize("count", [1, 2, 16, 49, 50, 51])
def test_points_of_a_large_grid_are_drawn_by_the_seed(count):
    drawn = [
        values(points_of(cell("sht-auc", tune=True, tune_evals=count, seed=seed)))
        for seed in range(20)
    ]

    for points in drawn:
        assert {"k": 50, "blocks": 10} in points
        assert len({tuple(p.items()) for p in points}) == len(points) == min(count, 50)
        assert points == sorted(points, key=lambda p: (p["k"], p["blocks"]))
    assert values(points_of(cell("sht-auc", tune=True, tune_evals=count, seed=3))) == drawn[3]
    assert len({str(points) for points in drawn}) > 1 or count in (1, 50, 51)


def test_every_point_can_be_drawn():
    tuned = cell("sht-auc", tune=(("k", (50, 1, 2, 3)),), tune_evals=2)
    seen = {p.values["k"] for s in range(40) for p in points_of(replace(tuned, seed=s))}

    assert seen == {50, 1, 2, 3}


def test_a_default_that_the_grid_lacks_is_not_added():
    points = points_of(cell("sht-auc", tune=(("k", (1, 2, 3)),), tune_evals=2))

    assert len(points) == 2
    assert 50 not in [p.values["k"] for p in points]


def test_a_grid_of_any_size_is_drawn_from():
    grid = tuple((name, tuple(range(1, 1001))) for name in ("blocks", "k"))
    huge = cell("sht-auc", tune=(*grid, ("gamma", tuple(range(1, 1001)))), tune_evals=5)

    assert prod(len(v) for _, v in huge.tune) == 10**9
    assert len(points_of(huge)) == 5
    with pytest.raises(ParameterError, match=r"2..62 points fit"):
        points_of(cell("sht-auc", tune=tuple((c, tuple(range(2000))) for c in "abcdef")))


def test_chains_follow_the_path():
    points = points_of(cell("sht-auc", tune=(("blocks", (1, 2)), ("k", (1, 2, 3)))))

    assert chains(points, "k") == [[0, 1, 2], [3, 4, 5]]
    assert chains(points, "blocks") == [[0, 3], [1, 4], [2, 5]]
    assert chains(points, None) == chains(points, "absent") == [[j] for j in range(6)]


def test_the_table_holds_means_of_inner_folds():
    tuned = cell("sht-auc", tune=(("k", (1, 2)),), passes=3.0, seed=4)
    data = get_dataset(DATA)
    found = tune(tuned, partial(build, tuned), data)

    expected = []
    for k in (1, 2):
        aucs = []
        for rest, held in inner_folds(data, tuned):
            run = solve(get_solver("sht-auc", k=k), rest, passes=3, seed=4, every=np.inf)
            aucs.append(auc(held.y, run.decision_function(held.rows)))
        expected.append(aucs)
    assert [row["aucs"] for row in found.table] == expected
    assert [row["auc"] for row in found.table] == [pytest.approx(np.mean(a)) for a in expected]
    assert found.point == {"k": 1 + int(np.argmax([row["auc"] for row in found.table]))}
    assert found.seconds == sum(row["seconds"] for row in found.table) > 0


def test_the_first_of_equals_wins():
    tuned = cell("sht-auc", tune=(("k", (9, 5, 7)),))  # all keep both features

    found = tune(tuned, partial(build, tuned), get_dataset(DATA))

    assert len({row["auc"] for row in found.table}) == 1
    assert found.point == {"k": 9}


def test_inner_folds_are_stratified_and_disjoint():
    data = get_dataset(DATA)
    folds = list(inner_folds(data, cell()))

    assert len(folds) == 3
    assert sum(held.n for _, held in folds) == data.n
    for rest, held in folds:
        assert rest.n + held.n == data.n
        assert abs(held.target.n_pos - data.target.n_pos / 3) < 1


def test_the_rarer_class_bounds_the_folds():
    X = np.random.default_rng(0).standard_normal((20, 2))
    two, one = (Data.of(X, np.arange(20) < count) for count in (2, 1))

    assert len(list(inner_folds(two, cell()))) == 2
    with pytest.raises(
        DataError, match=r"has 1 row\(s\) of the rarer class; take the solver without"
    ):
        list(inner_folds(one, cell()))


def test_a_failing_point_is_recorded_and_passed_over(bench):
    done = bench.run(cell("means", tune=True))
    (tuning,) = told(done, "tuning")
    rows = tuning["table"]

    assert done.result["status"] == "ok"
    assert [row["status"] for row in rows] == ["error"] * 2 + ["ok"] * 6
    assert (rows[0]["reason"], rows[0]["error_type"]) == ("c is 0", "ValueError")
    assert rows[0]["auc"] is None
    assert [len(row["aucs"]) for row in rows] == [0] * 2 + [3] * 6
    best = max(row["auc"] for row in rows[2:])
    assert next(row["parameters"] for row in rows if row["auc"] == best) == tuning["chosen"]
    assert told(done, "parameters")[0]["c"] == tuning["chosen"]["c"]
    solving = sum(row["seconds"] for row in rows)
    assert done.result["tune_seconds"] == solving + tuning["map_seconds"]
    assert told(done, "point")[-1]["passes"] == done.result["passes"] == 4


def test_the_chosen_point_is_fitted_on_all_training_rows(bench):
    tuned = bench.run(cell("sht-auc", tune=(("k", (1, 2)),)))
    chosen = told(tuned, "tuning")[0]["chosen"]["k"]

    assert tuned.result["auc"] == bench.run(cell(f"sht-auc[k={chosen}]")).result["auc"]


@pytest.mark.parametrize("solver", ["nans", "infeasible"])
def test_invalid_points_are_passed_over(bench, solver):
    done = bench.run(cell(solver, tune=(("c", (1.0, 2.0)),)))

    assert isinstance(done.error, ParameterError)
    assert "none of the 2 points of the grid could be fitted" in str(done.error)
    (tuning,) = told(done, "tuning")
    assert tuning["chosen"] is None
    assert {row["status"] for row in tuning["table"]} == {"invalid"}


def test_neighbours_start_from_each_other_along_the_path(bench):
    bench.run(cell("path", tune=True))
    seen = sys.modules["toys_toys"].SEEN
    first = [(c, w0) for c, other, w0 in seen[:8] if other == "a"]

    # 0.5 raises, so that the next one starts afresh; it is not tried on the second fold.
    assert first == [(0.0, None), (0.5, 0.0), (1.0, None), (2.0, 1.0)]
    assert len(seen) == 8 + 6 + 6 + 1
    assert seen[8][:2] == (0.0, "a")
    assert seen[-1][2] is None  # the final fit starts afresh


def test_nothing_to_choose_costs_nothing(bench):
    done = bench.run(cell("bare", tune=True))

    assert done.result["tune_seconds"] == 0
    (tuning,) = told(done, "tuning")
    assert tuning["chosen"] == {}
    assert len(tuning["table"]) == 1


def test_too_few_rows_to_tune_is_skipped(bench, tmp_path):
    path = tmp_path / "rare.csv"
    path.write_text("a,y\n" + "".join(f"{j},{int(j < 2)}\n" for j in range(12)))
    done = bench.run(cell("sht-auc", str(path), splits=2, tune=True))

    assert done.result["status"] == "skipped"
    assert "needs two training rows of each kind" in done.result["reason"]


def test_test_rows_do_not_change_the_choice(bench, monkeypatch):
    tuned = cell("means", tune=True, seed=3)
    folders = bench.steps(tuned)
    expected = told(bench.run(tuned), "tuning")[0]
    (folder,) = (f for f in folders.values() if (f / "test").is_dir())
    np.save(folder / "test" / "values.npy", 7 * np.load(folder / "test" / "values.npy"))
    again = told(bench.run(tuned), "tuning")[0]

    for tuning in (expected, again):
        tuning["map_seconds"] = 0
        for row in tuning["table"]:
            row["seconds"] = 0
    assert again == expected


def test_tuning_reads_no_row_outside_the_training_part(bench):
    data = get_dataset(DATA)
    tuned = cell("means", tune=True, features="standard")
    before = told(bench.run(tuned), "tuning")[0]
    folders = bench.steps(tuned)
    (split,) = (f for f in folders.values() if (f / "test").is_dir())
    held = np.setdiff1d(np.arange(data.n), np.load(split / "learnt.npy"))
    poisoned = data.rows.matrix.copy()
    poisoned[held] *= -100
    y = data.y.copy()  # the folds are drawn by the labels, which therefore stay
    (raw,) = (f / "raw" for f in folders.values() if (f / "raw").is_dir())
    np.save(raw / "values.npy", Data(Data.of(poisoned, y).rows, Labels(y)).rows.values)
    for step in (split,):
        for path in sorted(step.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        step.rmdir()
    after = told(bench.run(tuned), "tuning")[0]

    assert [row["aucs"] for row in after["table"]] == [row["aucs"] for row in before["table"]]
    assert after["chosen"] == before["chosen"]
