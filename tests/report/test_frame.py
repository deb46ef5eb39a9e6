"""What is read of one results folder or of several, against the records by hand."""

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import done
from result_folders import DATASETS, SPLITS, failed, with_cell, written_folder
from toys import cell, record_of

from aucbench.bench import Choice, Plan, Store
from aucbench.datasets.reading import ReadOptions
from aucbench.records import CellStatus
from aucbench.report import notes, tables
from aucbench.report.collecting import frame_of
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.page import warnings_of
from aucbench.report.verdict import verdict
from aucbench.stats.ranking import Bootstrap
from aucbench.stats.tables import ResultTable

SHT = "sht-auc[k=10]"
PLANNED = {"data": DATASETS, "solvers": (Choice(SHT),), "splits": SPLITS, "passes": 10}


@pytest.mark.slow
def test_a_folder_is_sorted_by_data_set_and_solver(results_folder, records):
    found = read_frame(results_folder)
    tuned = "logistic (tuned C=0.1|1.0|10.0)"
    assert found.datasets == DATASETS
    assert found.solvers == (SHT, tuned, "hist-gradient-boosting[max_iter=20]")
    assert found.statuses == {"ok": len(records)}
    assert (found.source.stale, found.source.unchecked, found.source.problems()) == (0, "", ())
    assert {name: str(value) for name, value in found.source.common.items()} == {
        **{"splits": f"{SPLITS}", "features": "auto", "passes": "10.0", "gap_tol": "1e-06"},
        **{"tune_evals": "20", "inner_splits": "3", "repeat_fits": "1"},
    }
    for i, dataset in enumerate(DATASETS):
        for j, solver in enumerate(found.solvers):
            cells = ((str(r.cell.dataset), str(r.cell.choice), r) for r in records)
            own = [r for *place, r in cells if place == [dataset, solver]]
            assert {*found.facts["id"][found.rows(i, j, found.ok)]} == {r.id for r in own}
            for name, column in (("auc", "auc"), ("fit_seconds", "seconds")):
                mean = np.mean([getattr(r.measures, name) for r in own])
                assert found.means(column)[i, j] == pytest.approx(mean)


def test_choices_that_vary_are_in_the_names(records):
    some = [replace(with_cell(r, passes=99.0), id=r.id[::-1]) for r in records]
    found = frame_of([*records, *some])
    assert {f"{SHT}, passes=10.0", f"{SHT}, passes=99.0"} < {*found.solvers}
    assert len(found.solvers) == 6
    assert "passes" not in found.source.common
    found = frame_of([*records, *(with_cell(r, reading=ReadOptions(drop=("age",))) for r in some)])
    assert {"digits-3, default reading", "digits-3, drop=['age']"} < {*found.datasets}


def test_a_failed_cell_takes_the_value_of_its_data_set_and_leaves_the_others(records):
    broken = next(r for r in records if "sht-auc" in str(r.cell.choice))
    lost = failed(broken, CellStatus.TIMEOUT, "too slow")
    found = frame_of([lost if r is broken else r for r in records])
    i, j = found.datasets.index(str(broken.cell.dataset)), found.solvers.index(SHT)
    assert np.argwhere(np.isnan(found.values("auc"))).tolist() == [[i, j]]
    assert found.counts(found.ok)[i, j] == SPLITS - 1
    [row] = found.rows(i, j, found.failed)
    assert (found.facts["status"][row], found.facts["why"][row]) == ("timeout", "too slow")
    assert found.statuses == {"ok": len(records) - 1, "timeout": 1}


def test_data_sets_have_the_families_of_the_plans(records):
    grouped = Plan.of({**PLANNED, "families": {"digits": ("digits-8", "digits-3")}})
    other = Plan.of({**PLANNED, "splits": 2, "families": {"digits": ("digits-3",)}})
    source = frame_of(records, [Plan.of(PLANNED), grouped]).source
    families = dict(zip(DATASETS, (None, "digits", "digits"), strict=True))
    found = frame_of(records, [Plan.of(PLANNED), grouped])
    assert dict(zip(found.datasets, source.families, strict=True)) == families
    assert frame_of(records).source.families == (None, None, None)
    assert "digits-8, splits=2" in frame_of(records, [grouped, other]).datasets


def test_a_cell_that_was_not_run_yet_leaves_its_data_set_out(records):
    plan = Plan.of({**PLANNED, "data": ("breast-cancer", "digits-1")})
    found = frame_of(records, [plan])
    new = found.datasets.index("digits-1")
    assert [*found.finished] == [i for i in range(len(found.datasets)) if i != new]
    assert found.counts(found.pending)[new, found.solvers.index(SHT)] == SPLITS
    assert found.statuses["not run yet"] == SPLITS
    assert len(found.values("auc")) == len(DATASETS)


def changed_plan(folder, old, new):
    for path in (folder / "plans").glob("*.toml"):
        text = path.read_text("utf-8").partition("# seal")[0]  # which is of the text as it was
        path.write_text(text.replace(old, new), encoding="utf-8")


def test_plans_that_cannot_be_resolved_are_said_and_all_records_count(doctored):
    folder = doctored(lambda record: record)
    changed_plan(folder, "digits-8", "gone.csv")
    found = read_frame(folder)
    assert "gone" in found.source.unchecked
    assert found.statuses["ok"] == 27
    assert found.statuses["not run yet"] == 9  # those of the set that is gone


def of_splits(keys, division="5 folds", n_test=20):
    """Results of one solver with cells of these (seed, split)."""
    sizes = {"n_train": 100 - n_test, "n_test": n_test, "division": division}
    cells = ((f"{seed}-{split}", cell(seed=seed, split=split, splits=5)) for seed, split in keys)
    return frame_of([record_of(planned, name=name, auc=0.8, **sizes) for name, planned in cells])


def test_each_seed_of_folds_is_a_repeat_and_a_share_is_one_by_the_rows_it_shares():
    folds = [(seed, split) for seed in range(4) for split in range(5)]
    assert of_splits(folds).repeats(0) == 4
    assert of_splits(folds[:5]).repeats(0) == 1
    for count, repeats in ((1, 1), (2, 2), (5, 2), (10, 3), (20, 5)):  # 1 + (count - 1) / 5
        shares = of_splits([(seed, 0) for seed in range(count)], "share of 0.2")
        assert shares.repeats(0) == repeats
        assert not shares.redrawn(0)
    assert of_splits([(0, 0), (1, 0), (2, 0)], "share of 0.5", n_test=50).repeats(0) == 2


def test_a_family_counts_once_in_means_and_ranks(records):
    def found(families):
        frame = frame_of(sorted(records, key=lambda r: DATASETS.index(str(r.cell.dataset))))
        return findings_of(replace(frame, source=replace(frame.source, families=families)))

    alone, related = found(()), found((None, "digits", "digits"))
    whole = alone.values
    by_hand = np.vstack([whole[:1], whole[1:].mean(axis=0, keepdims=True)])
    assert np.array_equal(related.table.units, by_hand)
    assert [one.estimate for one in related.means] == pytest.approx(by_hand.mean(axis=0))
    assert related.ranks == Bootstrap().ranks(ResultTable(by_hand, related.frame.solvers))
    assert "over 2 families of 3 data sets" in str(related.advice)
    assert "over 3 data sets" in str(alone.advice)
    best = verdict(related)["solvers"][0]
    assert best["mean"] == pytest.approx(by_hand.mean(axis=0).max())


def test_of_too_many_pairs_inside_data_sets_none_is_compared_and_all_outputs_say_so(records):
    frame = frame_of(records)
    assert frame.pairs_inside == 9
    few, whole = findings_of(frame, most_pairs=8), findings_of(frame, most_pairs=9)
    assert not any(one.pairs for one in few.datasets)
    assert not any(row.leading for row in few.rows)
    assert len(whole.datasets[0].pairs) == 3
    assert any(row.leading for row in whole.rows)
    assert few.values.tolist() == whole.values.tolist()
    assert " alone the best may be" in str(whole.advice)
    assert " alone the best may be" not in str(few.advice)
    [said] = [line for line in notes.sentences(few) if line.startswith("Left out")]
    assert "comparisons of 9 pairs of solvers inside single data sets, and the stars" in said
    assert any(said in line for line in warnings_of(few))
    known = verdict(few)
    assert said in known["answer"]
    assert {one["possible_best"] for each in known["data_sets"] for one in each["solvers"]} == {
        None
    }
    assert "Left out" not in " ".join(notes.sentences(whole))


def change(folder, changed):
    """Write the records of a folder anew."""
    with Store(folder) as store:
        records = [*store.records()]
        for path in (folder / "cells").rglob("*.json"):
            path.unlink()
        for record in records:
            store.write(changed(record))


@pytest.fixture
def two(tmp_path):
    """Folders a and b of logistic, whose records b has from a, and one further solver each."""
    sets = ("t0", "t1", "t2")
    a = written_folder(tmp_path / "a", sets, ("logistic", "means"))
    b = written_folder(tmp_path / "b", sets, ("logistic", "raises"), seed=1)
    change(b, lambda record: Store(a).read(record.id) or record)
    return str(a), str(b)


def test_a_record_that_both_folders_have_counts_once_and_all_outputs_say_where_from(two, tmp_path):
    a, b = two
    found = read_frame(a, b, stale=True)
    assert found.solvers == ("logistic", "means", "raises")
    assert found.source.folders == (f"{a}, {b}", a, b)
    assert found.statuses == {"ok": 18}
    assert {plan.folder for plan in found.source.plans} == {a, b}
    assert {*found.facts["folder"][found.dataset == 0]} == {a, b}
    board = tables.leaderboard(findings_of(found))
    assert board.header[-1] == "folder"
    assert [line[-1] for line in board.lines if line[1] == "means"] == [a]
    ended = done("report", a, b, "--stale", "--json", tmp_path / "verdict.json")
    for line in (f"from {a}, {b}: logistic", f"from {a}: means", f"from {b}: raises"):
        assert line in ended.stdout
    known = json.loads((tmp_path / "verdict.json").read_text("utf-8"))["solvers"]
    sources = {one["solver"]: one["folder"] for one in known}
    assert sources == {"logistic": f"{a}, {b}", "means": a, "raises": b}


@pytest.mark.parametrize("other_id", [True, False], ids=["other code", "other result"])
def test_other_results_of_one_solver_stand_apart(two, other_id, tmp_path):
    a, b = two

    def changed(record):
        measures = replace(record.measures, auc=record.measures.auc - 0.1)
        return replace(record, id=record.id[::-1] if other_id else record.id, measures=measures)

    change(tmp_path / "b", changed)
    found = findings_of(read_frame(a, b, stale=True))
    names = (f"logistic, folder={a}", "means", f"logistic, folder={b}", "raises")
    assert found.frame.solvers == names
    assert found.frame.source.folders == (a, a, b, b)
    means = [one.estimate for one in found.means]
    assert means[0] - means[2] == pytest.approx(0.1)
