"""Where a solver stands among the published means: the run, the words, the rows of the command."""

import csv
from collections import Counter
from dataclasses import replace
from math import nan

import pytest
from command_line import done, refused
from toys import cells_in_process

import aucbench
from aucbench.bench import Store
from aucbench.bench.options import RunOptions
from aucbench.errors import DataError, ParameterError
from aucbench.report.running import End
from aucbench.study import plans, running
from aucbench.study.means import format_means, published_means, published_tasks
from aucbench.study.plans import every_kind, kinds_of, main_parts, part_of, spread, tasks
from aucbench.study.running import arm_of, choice_of, failures_of, plans_of, run_study
from aucbench.study.standing import Standing

ROWS = main_parts()[0].rows
FIRST = [task.task for task in spread(tasks(), ROWS) if task in published_tasks()]
SMALL = ("breast-cancer", "digits-8")  # tasks that come with scikit-learn
QUIET = RunOptions(quiet=True, jobs=1)


@pytest.fixture
def two(monkeypatch):
    """The study has two small tasks."""
    monkeypatch.setattr(running, "tasks", lambda: [t for t in tasks() if t.task in SMALL])


def published(solver, names=FIRST, arm="tuned"):
    """The published means of a solver in an arm, of all tasks or of some."""
    of = (one for one in published_means() if (one.arm, one.solver) == (arm, solver))
    return tuple(one for one in of if one.task in names)


def standing(like="lightgbm", count=24, **given):
    """A new solver that has the published means of another one on the first tasks."""
    means = tuple(replace(one, solver="mine") for one in published(like, FIRST[:count]))
    return Standing(solver="mine", means=means, **given)


@pytest.mark.parametrize("count", [8, 24, 90])
def test_the_first_tasks_are_of_all_kinds_and_of_different_groups(count):
    order = spread(tasks(), ROWS)
    assert {*order} == {*tasks()}
    first = order[:count]
    assert len({task.group for task in first}) == count
    taken = Counter(kind for task in first for kind in kinds_of(task, ROWS))
    for kinds in every_kind():
        counts = [taken[kind] for kind in kinds]
        assert max(counts) - min(counts) <= max(2, count // 8), kinds


def test_a_kind_is_that_of_the_rows_which_are_taken():
    task = replace(tasks()[0], all_rows=9000, features=10, rarer=0.31, content="mixed")
    wanted = ("more than 1500 rows", "at most 10 features", "more than 30 % in the rarer class")
    assert kinds_of(task, 2000) == (*wanted, "with categories")
    assert kinds_of(task, 1500)[0] == "more than 500 and at most 1500 rows"


def test_each_task_is_run_by_the_part_that_takes_it():
    plans = plans_of(tasks(), ["logistic"])
    assert [plan.splits for plan in plans] == [3, 5]
    for part, plan in zip(main_parts(), plans, strict=True):
        taken = [task for task in tasks() if part_of(task) == part]
        assert [*map(str, plan.data)] == [task.capped(part.rows) for task in taken]


# --- the run ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("two")
def test_a_published_solver_is_repeated_and_a_second_run_computes_nothing(tmp_path):
    class Idle:
        def run(self, jobs):
            assert not [*jobs]
            yield from ()

    choice = choice_of("logistic")
    with Store(tmp_path / "out", create=True) as store, cells_in_process():
        found = run_study(choice, store, QUIET)
        again = run_study(choice, store, QUIET, Idle())
        record = next(store.records())
    lost = replace(record, status=replace(record.status, status="error", reason="no luck"))
    assert {*failures_of([record, lost], choice, running.tasks()).values()} == {"error, no luck"}
    assert found.means == again.means
    assert found.reference == found.means  # it is timed by itself
    known = published("logistic", SMALL)
    assert {(one.task, one.auc) for one in found.means} == {(one.task, one.auc) for one in known}
    first, *_, repeated, _, _ = found.standing().sentences
    assert first == f"logistic was run on 2 of the {len(FIRST)} tasks of the study, of 2 groups."
    assert repeated.startswith("The study has published logistic: 2 of 2 AUCs are the same")


@pytest.mark.slow
@pytest.mark.usefixtures("two")
def test_the_command_prints_the_answer_and_writes_page_and_rows(tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "from dataclasses import dataclass\n"
        "from aucbench.contract import Solver, State\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Solver):\n"
        "    def iterates(self, problem, w0, rng, budget):\n"
        "        low, high = problem.data.means\n"
        "        return State(high - low)\n"
    )
    files = ("--csv", tmp_path / "rows.csv", "--html", tmp_path / "page.html")
    with cells_in_process():
        ended = done("study", f"{source}:Mine", "--out", tmp_path / "out", "--quiet", *files)
    assert ended.stdout.startswith("Mine was run on 2 of")
    rows = [*csv.DictReader((tmp_path / "rows.csv").read_text().splitlines())]
    assert {row["task"] for row in rows} == {*SMALL}
    assert all(0.5 < float(row["auc"]) < 1.0 and row["arm"] == "tuned" for row in rows)
    page = (tmp_path / "page.html").read_text()
    assert "Kinds of tasks and solvers" in page
    assert "AUC against time" in page


def test_what_is_no_solver_is_refused_before_anything_runs(tmp_path):
    assert "unknown solver 'sht-auk'" in refused("study", "sht-auk")
    with pytest.raises(ParameterError, match="one solver, got logistic, svm-or"):
        choice_of("logistic,svm-or")
    assert "rows.csv" in refused("study", "logistic", "--csv", tmp_path / "no" / "rows.csv")


def test_a_solver_is_tuned_and_compared_as_the_study_has_done_it():
    found = {name: choice_of(name) for name in ("additive", "celer", "svm-or")}
    assert [one.tune for one in found.values()] == [False, False, True]
    assert [*map(arm_of, found.values())] == ["tuned", "default", "tuned"]
    means = published("celer", arm="default")
    said = Standing(solver="celer", means=means, end=End.TIME)
    assert f"celer: {len(means)} of {len(means)} AUCs are the same" in " ".join(said.sentences)
    assert said.sentences[0].endswith("is not complete: the time is over.")
    assert "the published means are those of the arm default" in said.notes


@pytest.mark.usefixtures("two")
def test_a_task_without_data_is_left_out_and_no_time_is_no_answer(tmp_path, monkeypatch):
    def bring(names, progress):
        raise DataError(f"{names[0]} is nowhere")

    monkeypatch.setattr(running, "bring", bring)
    heard = []
    with Store(tmp_path / "out", create=True) as store:
        found = run_study(choice_of("logistic"), store, QUIET, tell=heard.append)
        ended = run_study(choice_of("logistic"), store, replace(QUIET, minutes=1e-6))
    assert sorted(found.without_data) == sorted(SMALL)
    assert "the task digits-8 is left out: digits-8 is nowhere" in heard
    assert ended.end is End.TIME
    with pytest.raises(DataError, match="no complete task: the time is over; give it more"):
        ended.standing()


# --- the words --------------------------------------------------------------------------------


def test_the_words_are_those_of_judge(tmp_path):
    found = standing("logistic")
    table = tmp_path / "t.csv"
    found.table.drop(columns="seconds").to_csv(table, index=False)
    judged = aucbench.judge(table, by="auc", family="group", reference="mine")
    for word, start in (("better", "worse than"), ("worse", "better than")):
        names = {pair.a for pair in judged.findings.advice.reference if pair.word == word}
        lines = [line for line in found.sentences if line.startswith(f"It is certainly {start}")]
        assert bool(lines) is bool(names)
        for line in lines:
            assert {*line.rstrip(".").partition(": ")[2].split(", ")} == names
    said = " ".join(found.sentences)
    assert "logistic" in said.partition("It is equivalent to")[2].partition(".")[0]
    assert f"it {judged.standing('mine')} of" in said


def test_seconds_are_compared_by_the_median_factor_of_the_reference():
    known = published("logistic", FIRST[:7])
    slow = (replace(one, fit_seconds=3 * one.seconds, tune_seconds=0.0) for one in known)
    found = standing(reference=tuple(slow))
    assert found.ratios == pytest.approx([3.0] * 7)
    [line] = [line for line in found.sentences if line.startswith("Here logistic takes")]
    assert line.startswith("Here logistic takes 3 times its published seconds (median of 7 tasks).")
    assert "times are not compared" in standing().sentences[-1]


def test_kinds_have_means_over_groups_and_failures_count_as_the_worst():
    found = standing()
    lost = found.means[0].task
    failed = replace(found.means[0], auc=nan, fit_seconds=nan)
    found = replace(found, means=(failed, *found.means[1:]))
    worst = min(one.auc for one in published_means() if (one.arm, one.task) == ("tuned", lost))
    assert found.filled.loc[lost, "mine"] == worst
    assert "; it failed on 1 of them." in found.sentences[0]
    line = next(line for line in found.kinds.lines if line[0] == "numbers only")
    groups = {name: t.group for name, t in found.tasks.items() if t.content == "numbers"}
    assert line[1:3] == (len(groups), len({*groups.values()}))
    own = found.filled.loc[[*groups], "mine"]
    assert line[3] == pytest.approx(own.groupby(groups).mean().mean())


def test_rows_are_written_as_the_published_ones():
    text = format_means(published_means())
    assert text.encode() == plans.FOLDER.joinpath("means.csv").read_bytes()
