"""What is read of a results folder, against the records by hand."""

from dataclasses import replace

import numpy as np
import pytest
from result_folders import DATASETS, SPLITS, failed, with_cell
from toys import cell, record_of

from aucbench.bench import Choice, Plan
from aucbench.bench.answers import Wanted
from aucbench.bench.cell import solver_of
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError, UnknownNameError
from aucbench.records import CellStatus
from aucbench.report.collecting import collect_rows, frame_of, make_frame
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.frame import Source
from aucbench.report.notes import sentences
from aucbench.report.page import warnings_of
from aucbench.report.verdict import verdict
from aucbench.stats.ranking import Bootstrap
from aucbench.stats.tables import ResultTable


def test_a_folder_is_sorted_by_data_set_and_solver(results_folder, records):
    found = read_frame(results_folder)

    assert found.datasets == DATASETS
    assert found.solvers == (
        "sht-auc[k=10]",
        "logistic (tuned C=0.1|1.0|10.0)",
        "hist-gradient-boosting[max_iter=20]",
    )
    assert found.statuses == {"ok": len(records)}
    assert (found.source.stale, found.source.unchecked, found.source.problems()) == (0, "", ())
    assert {name: str(value) for name, value in found.source.common.items()} == {
        **{"splits": f"{SPLITS}", "features": "auto", "passes": "10.0", "gap_tol": "1e-06"},
        **{"tune_evals": "20", "inner_splits": "3", "repeat_fits": "1"},
    }
    for i, dataset in enumerate(DATASETS):
        for j, solver in enumerate(found.solvers):
            own = [
                r for r in records if (str(r.cell.dataset), str(r.cell.choice)) == (dataset, solver)
            ]
            assert {*found.facts["id"][found.rows(i, j, found.ok)]} == {r.id for r in own}
            for name, column in (("auc", "auc"), ("fit_seconds", "seconds")):
                assert found.means(column)[i, j] == pytest.approx(
                    np.mean([getattr(r.measures, name) for r in own])
                )


def test_scores_come_with_the_labels_of_their_rows(frame):
    row = frame.rows(0, 0)[0]
    arrays = frame.scores(row)
    positive, negative = (arrays["scores"][arrays["y"] == label] for label in (1, -1))
    greater = (positive[:, None] > negative).mean() + (positive[:, None] == negative).mean() / 2
    assert greater == pytest.approx(frame.numbers["auc"][row])


def test_choices_that_vary_are_in_the_names(records):
    some = [replace(with_cell(r, passes=99.0), id=r.id[::-1]) for r in records]
    found = frame_of([*records, *some])
    assert "sht-auc[k=10], passes=10.0" in found.solvers
    assert "sht-auc[k=10], passes=99.0" in found.solvers
    assert len(found.solvers) == 6
    assert "passes" not in found.source.common

    found = frame_of([*records, *(with_cell(r, reading=ReadOptions(drop=("age",))) for r in some)])
    assert "digits-3, default reading" in found.datasets
    assert "digits-3, drop=['age']" in found.datasets


def test_a_failed_cell_takes_the_value_of_its_data_set_and_leaves_the_others(records):
    broken = next(r for r in records if "sht-auc" in str(r.cell.choice))
    some = [failed(r, CellStatus.TIMEOUT, "too slow") if r is broken else r for r in records]
    found = frame_of(some)
    i, j = found.datasets.index(str(broken.cell.dataset)), found.solvers.index("sht-auc[k=10]")

    lacks = np.isnan(found.values("auc"))
    assert lacks[i, j]
    assert lacks.sum() == 1
    assert found.counts(found.ok)[i, j] == SPLITS - 1
    [row] = found.rows(i, j, found.failed)
    assert (found.facts["status"][row], found.facts["why"][row]) == ("timeout", "too slow")
    assert found.statuses == {"ok": len(records) - 1, "timeout": 1}


def test_data_sets_have_the_families_of_the_plans(records):
    solvers = (Choice("sht-auc[k=10]"),)
    one = {"data": DATASETS, "solvers": solvers, "splits": SPLITS, "passes": 10}
    grouped = Plan.of({**one, "families": {"digits": ("digits-8", "digits-3")}})
    other = {**one, "splits": 2}

    found = frame_of(records, [Plan.of(one), grouped])
    assert dict(zip(found.datasets, found.source.families, strict=True)) == {
        **{"breast-cancer": None, "digits-8": "digits", "digits-3": "digits"}
    }
    assert frame_of(records).source.families == (None, None, None)
    assert (
        "digits-8, splits=2"
        in frame_of(
            records, [grouped, Plan.of({**other, "families": {"digits": ("digits-3",)}})]
        ).datasets
    )
    with pytest.raises(DataError, match="families digits and d"):
        frame_of(records, [grouped, Plan.of({**other, "families": {"d": ("digits-3",)}})])


def test_a_cell_that_was_not_run_yet_leaves_its_data_set_out(records):
    asked = {"data": ("breast-cancer", "digits-1"), "solvers": (Choice("sht-auc[k=10]"),)}
    plan = Plan.of({**asked, "splits": SPLITS, "passes": 10})
    found = frame_of(records, [plan])

    new = found.datasets.index("digits-1")
    assert [found.datasets[i] for i in found.finished] == [
        name for name in found.datasets if name != "digits-1"
    ]
    assert found.counts(found.pending)[new, found.solvers.index("sht-auc[k=10]")] == SPLITS
    assert found.statuses["not run yet"] == SPLITS
    assert len(found.values("auc")) == len(DATASETS)


def test_stale_records_are_counted_and_refused_when_nobody_knows_which_one_counts(records):
    old = [replace(r, id=r.id[::-1]) for r in records[:4]]
    collected = collect_rows([*records, *old], (), Wanted({r.cell: r.id for r in records}))
    found = make_frame(collected, (), Source())
    assert found.source.stale == 4
    assert found.statuses == {"ok": len(records)}
    with pytest.raises(DataError, match=r"two results of .* delete one of"):
        frame_of([*records, *old])


def test_an_empty_folder_is_refused():
    with pytest.raises(DataError, match="nothing to report"):
        frame_of([])


def test_plans_that_cannot_be_looked_up_are_said_and_all_records_count(doctored):
    folder = doctored(lambda record: record)
    for path in (folder / "plans").glob("*.toml"):
        text = path.read_text("utf-8").partition("# seal")[0]  # which is of the text as it was
        path.write_text(text.replace("digits-8", "gone.csv"), encoding="utf-8")
    found = read_frame(folder)
    assert "gone" in found.source.unchecked
    assert found.statuses["ok"] == 27
    assert found.statuses["not run yet"] == 9  # those of the set that is gone


def test_a_solver_is_known_by_its_name_without_options():
    names = ("logistic", "logistic-l1", "sht-auc[k=5]", "svm-or (tuned C=1|2)", "a[b=1]", "a[b=2]")
    assert solver_of(names, "logistic") == "logistic"
    assert solver_of(names, "sht-auc") == "sht-auc[k=5]"
    assert solver_of(names, "svm-or") == "svm-or (tuned C=1|2)"
    for unknown in ("a", "sht", "svm", ""):
        with pytest.raises(UnknownNameError, match="solver in this comparison"):
            solver_of(names, unknown)


def of_splits(*keys, division="5 folds", n_test=20):
    """Results of one solver with cells of these (seed, split)."""
    rows = [
        record_of(
            cell(seed=seed, split=split, splits=5),
            name=f"{seed}-{split}",
            auc=0.8,
            n_train=100 - n_test,
            n_test=n_test,
            division=division,
        )
        for seed, split in keys
    ]
    return frame_of(rows)


def test_each_seed_of_folds_is_a_repeat_and_a_share_is_one_by_the_rows_it_shares():
    folds = [(seed, split) for seed in range(4) for split in range(5)]
    assert of_splits(*folds).repeats(0) == 4
    assert of_splits(*folds[:5]).repeats(0) == 1
    for count, repeats in ((1, 1), (2, 2), (5, 2), (10, 3), (20, 5)):  # 1 + (count - 1) / 5
        shares = of_splits(*((seed, 0) for seed in range(count)), division="share of 0.2")
        assert shares.repeats(0) == repeats
        assert not shares.redrawn(0)
    halves = of_splits((0, 0), (1, 0), (2, 0), division="share of 0.5", n_test=50)
    assert halves.repeats(0) == 2


@pytest.mark.parametrize(
    ("division", "redrawn"),
    [
        ("5 folds", True),
        ("5 folds by groups", True),
        ("5 folds by times", False),
        ("5 folds by groups and times", False),
        ("5 own folds", False),
        (None, True),  # an old record does not say
    ],
)
def test_whether_further_seeds_would_give_other_folds(division, redrawn):
    assert of_splits(*((0, split) for split in range(5)), division=division).redrawn(0) is redrawn


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
    told = verdict(related)["solvers"][0]
    assert told["mean"] == pytest.approx(by_hand.mean(axis=0).max())


def test_of_too_many_pairs_inside_data_sets_none_is_compared(records):
    frame = frame_of(records)
    assert frame.pairs_inside == 9
    few = findings_of(frame, most_pairs=8)
    assert not any(one.pairs for one in few.datasets)
    assert not any(row.leading for row in few.rows)
    all_of_them = findings_of(frame, most_pairs=9)
    assert len(all_of_them.datasets[0].pairs) == 3
    assert any(row.leading for row in all_of_them.rows)
    assert few.values.tolist() == all_of_them.values.tolist()
    shown = [few.over_splits(row) for row in few.rows]
    assert shown == [all_of_them.over_splits(row) for row in all_of_them.rows]
    assert " alone the best may be" in str(all_of_them.advice)
    assert " alone the best may be" not in str(few.advice)
    one = frame_of([r for r in records if str(r.cell.dataset) == "digits-8"])
    assert len(findings_of(one, most_pairs=0).datasets[0].pairs) == 3


def test_what_was_left_out_is_said_wherever_the_answer_is(records):
    frame = frame_of(records)
    few = findings_of(frame, most_pairs=8)
    [said] = [line for line in sentences(few) if line.startswith("Left out")]
    assert "comparisons of 9 pairs of solvers inside single data sets, and the stars" in said
    assert any(said in line for line in warnings_of(few))
    told = verdict(few)
    assert said in told["answer"]
    assert {one["possible_best"] for each in told["data_sets"] for one in each["solvers"]} == {None}
    assert not any(line.startswith("Left out") for line in sentences(findings_of(frame)))
