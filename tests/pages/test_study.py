"""The study: its plans, the tables of its results, and the pages that take their numbers there."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from nights import NIGHTLY
from shown_pages import DOCS, ROOT, text_of
from toys import cells_in_process

import aucbench
from aucbench.bench import Plan, Store, make_engine, run
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.errors import MissingExtraError
from aucbench.models.choosing import auto_solvers
from aucbench.models.options import FitOptions
from aucbench.registry import get_solver
from aucbench.study.means import MEANS, sha256_of
from aucbench.study.plans import Task, parts, tasks

REAL = DOCS / "data" / "study"
AUTO = REAL / "auto.toml"
PAGE = "study/index.md"


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")


@pytest.fixture
def program(monkeypatch):
    """A copy of the program of the study, which the tests may change."""
    monkeypatch.delitem(sys.modules, "study.study", raising=False)
    yield import_module("study.study")
    del sys.modules["study.study"]


# --- its plans, and the tables of its results ---------------------------------------------


@pytest.mark.slow
def test_plans_are_what_their_files_say_and_tasks_of_one_group_are_a_family(program):
    plans = program.plans()
    for plan in plans.values():
        assert parse_plan(write_plan(plan)) == plan
    every = tasks(apart=True)
    main = [task for task in every if not task.apart]
    assert len(plans["study"].data) + len(plans["few"].data) == len(main)
    apart = sum(len(plans[name].data) for name in ("groups", "time", "text"))
    assert apart == len(every) - len(main)
    plan, taken = plans["study"], parts()["study"].tasks_of(every)
    groups = {task.group for task in taken}
    alone = len(taken) - sum(map(len, plan.families.values()))
    assert len(plan.families) + alone == len(groups)
    assert plans["seconds"].families == plans["large"].families == {}
    assert len({str(choice) for choice in plan.solvers}) == len(plan.solvers)
    for part in parts().values():
        for name in part.tuned:
            with suppress(MissingExtraError):
                assert get_solver(name).space, name


@pytest.mark.slow
def test_the_tables_are_those_of_the_records(program, tmp_path, monkeypatch):
    two = [
        Task("three", "outbreak[n=300,d=30]", "one", 1797, 30, 0.37, "numbers", 212),
        Task("eight", "digits-8", "one", 1797, 64, 0.1, "numbers", 174),
    ]
    few = {"tuned": ("logistic",), "self_tuned": ("additive",), "untuned": ("uni-exp[eta=1e+300]",)}
    large = replace(parts()["large"], least_rows=1000, untuned=("logistic",))
    paths = ("sht-auc[k=4]", "sht-auc[k=2]", "spam-l1[average=false]")
    sparse = replace(parts()["sparse"], untuned=paths, most_features=(3, 5))
    known = {"study": replace(parts()["study"], **few), "large": large, "sparse": sparse}
    others = {
        "TABLES": tmp_path,
        "MEANS": tmp_path / "package.csv",
        "tasks": lambda apart: two,
        "parts": lambda: known,
    }
    for name, value in others.items():
        monkeypatch.setattr(program, name, value)
    same = ("solvers", "splits", "tune_evals", "inner_splits", "timeout", "memory")
    found = {}
    for name in ("study", "sparse"):
        plan = program.plans()[name]
        some = Plan.of({"data": plan.data[:1], **{name: getattr(plan, name) for name in same}})
        with Store(tmp_path / name, create=True) as store, cells_in_process():
            found[name] = [*run(some, store, make_engine())]

    sentences = [*program.write_tables(tmp_path)]

    with (tmp_path / "means.csv").open() as file:
        lines = [*csv.DictReader(file)]
    lines, limited = lines[:5], lines[5:]
    assert [(line["arm"], line["solver"]) for line in lines] == [
        *(("default", name) for name in ("additive", "logistic", "uni-exp[eta=1e+300]")),
        *(("tuned", name) for name in ("logistic", "additive")),
    ]
    assert {line["task"] for line in lines} == {"three"}  # the other one was not run
    for line in lines:
        tuned = line["solver"] == "logistic" and line["arm"] == "tuned"
        of = [
            record
            for record in found["study"]
            if (str(record.cell.solver), record.cell.tune is not False) == (line["solver"], tuned)
        ]
        ok = [record.measures.auc for record in of if record.ok]
        assert (line["cells"], line["ok"]) == ("3", str(len(ok)))
        if line["solver"].startswith("uni-exp"):
            assert line["auc"] == ""  # it has diverged
        else:
            assert float(line["auc"]) == pytest.approx(sum(ok) / 3, rel=1e-4)
    # Of a path, the most features that are not more; spam-l1 never has so few.
    for line, k in zip(limited, (2, None, 4, None), strict=True):
        most = "sparse-3" if line in limited[:2] else "sparse-5"
        assert (line["arm"], line["solver"]) == (most, "sht-auc" if k else "spam-l1")
        of = [one for one in found["sparse"] if str(one.cell.solver) == f"sht-auc[k={k}]"]
        if k:
            assert {one.measures.nnz for one in of} == {k}
            auc = sum(one.measures.auc for one in of) / 3
            assert float(line["auc"]) == pytest.approx(auc, rel=1e-4)
            twins = [replace(one, id="twin") for one in of]
            assert program.along_path([*of, *twins], k) == of  # the first of equal numbers
        assert (line["ok"], line["auc"] == "") == (("3", False) if k else ("0", True))
    told = json.loads((tmp_path / "run.json").read_text())
    assert (told["planned"], told["not_run"]) == (24 + 1 + 9, 12 + 1)
    assert told["protocol_time"] <= told["first_record"]
    assert sentences[0].startswith("9 rows in ")
    package = (tmp_path / "package.csv").read_bytes()
    assert told["means_sha256"] == sha256(package).hexdigest()
    assert len(package.splitlines()) == 1 + 9


def test_the_commit_of_the_protocol_is_the_last_one_before_the_first_record(
    program, tmp_path, monkeypatch
):
    monkeypatch.setattr(program, "ROOT", tmp_path)
    file = tmp_path / "protocol.md"

    def git(*words, **of):
        user = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", *user, *words], cwd=tmp_path, check=True, env={**os.environ, **of})

    git("init", "-q")
    for seconds in (1000, 2000, 3000):
        file.write_text(str(seconds))
        git("add", "protocol.md")
        git("commit", "-qm", "It is changed", GIT_COMMITTER_DATE=f"@{seconds} +0000")
    times = [program.commit_before(limit, file)[1] for limit in (999, 1000, 2999, None)]
    assert times == [None, 1000, 2000, 3000]


def test_the_means_of_the_package_are_those_of_the_documents():
    told = json.loads((REAL / "run.json").read_text(encoding="utf-8"))
    assert told["means_sha256"] == sha256_of(MEANS)
    assert MEANS.stat().st_size < 1.5e6
    whole, package = (pd.read_csv(path, dtype=str) for path in (REAL / "means.csv", MEANS))
    pd.testing.assert_frame_equal(whole[[*package.columns]], package)


# --- the page of the study ----------------------------------------------------------------


@pytest.fixture
def page(documents):
    pytest.importorskip("mkdocs", reason="no mkdocs: pip install 'aucbench[docs]'")
    return documents("page_study")


@pytest.fixture
def study(page):
    return page.read()


def means(arm="tuned"):
    table = pd.read_csv(REAL / "means.csv")
    return table[table["arm"] == arm]


def test_every_part_and_figure_is_on_the_page(page):
    marks = re.findall(r"^<!-- study (?:figure (\w+): .+|(\w+)) -->$", text_of(PAGE), re.M)
    assert {name for name, _ in marks if name} == {*page.FIGURES}
    assert {table for _, table in marks if table} == {*page.PARTS}


@pytest.mark.slow
def test_no_mark_stays_on_the_page_and_nothing_lacks_a_number(page, documents):
    hypotheses = documents("page_study_rulings").hypotheses()
    filled = page.with_study(text_of(PAGE))
    assert "<!-- study" not in filled
    assert filled.count("<svg") == len(page.FIGURES)
    words = re.sub(r"<svg.*?</svg>", "", filled)
    assert not re.search(r"\b(nan|None)\b(?! (of|is))", words)
    for letter, hypothesis in hypotheses.items():  # each has one ruling, if it was run
        count = len(
            re.findall(rf"^- \*\*\({letter}\) .*:\*\* \*{hypothesis[:-1]}\*: ", filled, re.M)
        )
        assert count == 1 or (count == 0 and letter in "ghi")
    with pytest.raises(Exception, match="known are"):
        page.with_study("<!-- study nothing -->")


def test_a_gain_is_refuted_where_each_difference_is_inside_or_certainly_a_loss(page, documents):
    rulings = documents("page_study_rulings")
    better, same, unclear, worse = (Mock(word=word) for word in rulings.WORDS)
    assert rulings.ruling_of([better, unclear], counted=True) == "held for 1 of 2"
    assert (
        rulings.ruling_of([better, better], counted=True) == rulings.ruling_of([better]) == "held"
    )
    assert rulings.ruling_of([same, worse]) == "refuted"
    assert rulings.ruling_of([same, unclear]) == "not decided"


def test_arms_are_compared_on_what_they_share(page, documents):
    """A sparse solver without a value counts for neither; Holm is over all arms."""
    names, solvers = [f"t{number}" for number in range(12)], ["sht-auc", "celer"]
    sets = [
        f"pypi:a/b[target={n % 10},positive=1,{'drop' if n > 9 else 'groups'}=id]"
        for n in range(12)
    ]
    known = pd.DataFrame({"group": names, "dataset": sets}, names)
    arms = {**dict.fromkeys(page.SPARSE, names), "groups": names[:10], "default": names[10:]}
    keys = [(t, arm, s) for arm, tasks in arms.items() for t in tasks for s in solvers]
    table = pd.DataFrame(keys, columns=["task", "arm", "solver"])
    table["auc"] = 0.7 + 0.001 * (table.index % 24) + 0.02 * (table["solver"] == "sht-auc")
    table.loc[[1, 3, 5], "auc"] = np.nan
    answers = documents("page_study_answers")
    made = answers.Study(known, table, {})
    asked = {arm: [answers.Contrast(("sht-auc",), ("celer",), ("a", "b"))] for arm in page.SPARSE}
    pairs = [answer.pairs[0] for answer in made.compared(asked, complete=True).values()]
    assert [pair.data_sets for pair in pairs] == [9, 12]
    assert [pair.adjusted_p for pair in pairs] == pytest.approx([pairs[0].p, 2 * pairs[1].p])
    assert made.twins("groups") == {"t0": "t10", "t1": "t11"}


def test_tables_that_disagree_are_refused(tmp_path, page):
    table = pd.read_csv(REAL / "means.csv")
    table.assign(group=table["group"][::-1].to_numpy()).to_csv(tmp_path / "means.csv")
    with pytest.raises(ValueError, match="disagree"):
        page.Study.read(tmp_path)


def test_the_means_are_those_of_the_file(page, study):
    table = means().pivot(index=["group", "task"], columns="solver", values="auc")
    filled = table.apply(lambda column: column.fillna(table.min(axis=1)))
    wanted = filled.groupby("group").mean().mean()
    lines = {line.split("`")[1]: line for line in page.everyone(study) if "`" in line[:4]}
    assert {*lines} == {*wanted.index}
    for solver, line in lines.items():
        cells = [cell.strip() for cell in line.split("|")]
        assert float(cells[2]) == pytest.approx(wanted[solver], abs=6e-5)
        assert int(cells[8]) == table[solver].isna().sum()
    order = [wanted[line.split("`")[1]] for line in [*page.everyone(study)][2:]]
    assert order == sorted(order, reverse=True)


FEW = ("logistic", "svm-or", "opauc", "lightgbm", "random-forest", "additive")


@pytest.mark.parametrize("solvers", [FEW, pytest.param(None, marks=NIGHTLY)], ids=["few", "all"])
@pytest.mark.slow
def test_the_words_are_those_of_judge(page, solvers, tmp_path):
    """`aucbench judge` has the stars, the list behind and the words of the page."""
    table = pd.read_csv(REAL / "means.csv")
    shutil.copytree(REAL, tmp_path, dirs_exist_ok=True)
    if solvers:
        table = table[table["solver"].isin(solvers) & (table["arm"] != "large")]
        table.to_csv(tmp_path / "means.csv", index=False)
    study = page.Study.read(tmp_path)
    judged = aucbench.judge(tmp_path / "means.csv", where=("arm=tuned",), by="auc", family="group")
    best, own = judged.findings.advice.best, study.best
    assert {*best.of(best.possible)} == {*own.of(own.possible)}
    assert {*best.of(best.behind)} == {*own.of(own.behind)}
    for word, start in (("better", "Better than"), ("worse", "Worse than")):
        of, lines = study.everyone.of(word), judged.answer().splitlines()
        said = [line for line in lines if line.startswith(f"{start} logistic: ")]
        assert bool(said) is bool(of)
        for line in said:  # judge counts them where there are many
            assert f": {len(of)} solvers, " in line or all(pair.a in line for pair in of)


def test_what_losses_lack_to_the_best_of_two_features_is_that_of_the_file(page, study):
    table = pd.read_csv(REAL / "two_features.csv")
    keys = ["task", "first", "second"]
    by_pair = table.pivot_table(["train", "test"], keys, "solver")
    said = [line.split("|") for line in page.two_features(study) if line.startswith("| `")]
    assert {line[1].strip(" `") for line in said} == {*table["solver"]} - {"auc-opt"}
    for line in said:
        of = [by_pair[rows][[line[1].strip(" `"), "auc-opt"]] for rows in ("train", "test")]
        lacking, gain = (two.iloc[:, 0] - two.iloc[:, 1] for two in of)
        train, test = (d.groupby("task").mean().mean() for d in (lacking, gain))
        shown = [float(cell.replace("−", "-").split("[")[0]) for cell in line[3:6]]
        assert shown == pytest.approx([train, lacking.min(), test], abs=6e-5)
        assert line[6].split(",") == [f" {(gain > 0).sum()}", f" {(gain < 0).sum()} "]


@pytest.mark.slow
def test_what_is_said_of_the_study_elsewhere_is_what_it_found(study):
    tasks, groups = means()["task"].nunique(), means()["group"].nunique()
    assert f"on {tasks} small and middle-sized tasks of {groups} sources, no linear" in (
        text_of("../README.md")
    )
    assert not study.answers["a"]["tuned"].of("better")
    assert "additive" in {pair.a for pair in study.everyone.of("better")}
    assert "svm-or" in {pair.a for pair in study.everyone.of("equivalent")}


def test_the_page_of_the_tasks_lists_them_all(documents):
    page, text = documents("page_tasks"), text_of("study/protocol.md")
    header, _, *rows = page.listed()
    names = {task["task"] for task in page.tasks()}
    assert len(rows) == len(names)
    assert {row.count("|") for row in (header, *rows)} == {11}
    [abalone] = [row for row in rows if row.startswith("| `abalone19` |")]
    assert "| 4 174 | 4 174 | 8 | 0.8% | mixed |  | abalone |" in abalone
    assert "| `bank` | `bank[rows=5000]` |" in "\n".join(page.names())
    shut = ("adult", "bank", "colon", "leukemia", "mammography", "splice", "usps")
    assert f"`suite:study` names all {len(names)} tasks" in text
    assert f"`suite:study-open` has the {len(names) - len(shut)} of them" in text
    for task in ("cowles", "smokers", "recidivism", "rossi", "kc1", "stroke", "accelerometer"):
        assert f"`{task}`" in text
        assert task in names


# --- the page "Choose a solver", and what `auto` tries --------------------------------------


def test_the_table_by_kind_of_data_has_means_over_groups(documents):
    page = documents("page_choice")
    header, _, every, *others = page.by_data()
    rows = means()
    rows = rows.assign(auc=rows["auc"].fillna(rows.groupby("task")["auc"].transform("min")))
    of = rows.groupby(["solver", "group"])["auc"].mean().unstack().mean(axis=1)
    cells = [cell.strip() for cell in every.split("|")[1:-1]]
    assert len(header.split("|")) == len(every.split("|"))
    assert cells[0] == "all tasks"
    assert cells[1] == f"{rows['task'].nunique()} ({rows['group'].nunique()})"
    assert cells[2].startswith(f"`{of.idxmax()}` {of.max():.4f}, ")
    linear = of.drop([name for name in page.CURVED if name in of])
    assert cells[4].startswith(f"`{linear.idxmax()}` {linear.max():.4f}, ")
    assert cells[6] == f"{of['logistic']:.4f}"
    assert len(others) >= 5


@pytest.mark.slow
def test_the_table_of_all_solvers_has_both_parts_failures_and_words(documents):
    header, _, *lines = documents("page_choice").by_solver()
    cells = {re.match(r"\| \[?`([^`]+)`", line)[1]: line.split("|") for line in lines}
    whole = pd.read_csv(REAL / "means.csv").query("arm in ('tuned', 'default')")
    assert cells.keys() == {*whole["solver"]}
    assert {len(line) for line in cells.values()} == {len(header.split("|"))}
    failed = whole["auc"].isna().groupby(whole["solver"]).sum()
    assert {name: int(line[6]) for name, line in cells.items()} == failed.to_dict()
    for arm, column in (("tuned", 2), ("default", 3)):
        empty = {name for name, line in cells.items() if line[column].strip() == "—"}
        assert empty == {*whole["solver"]} - {*means(arm)["solver"]}
    assert {"★ may be", "behind"} <= {line[4].strip() for line in cells.values()}


@pytest.fixture
def auto():
    return import_module("auto_solvers")


def groups(auto, aucs):
    names = tuple("abcdefgh"[: aucs.shape[1]])
    like = pd.DataFrame({name: np.arange(len(aucs)) for name in auto.PROPERTIES})
    return auto.Groups(names, aucs, aucs.max(axis=1), like)


def test_a_set_is_chosen_whose_best_is_highest_and_judged_on_other_groups(auto):
    aucs = 0.7 + 0.01 * np.random.default_rng(0).standard_normal((60, 6))
    aucs[:30, 0] += 0.1
    aucs[30:, 3] += 0.1
    assert auto.chosen(aucs, 2) == [0, 3]
    some = groups(auto, aucs)
    losses = auto.elsewhere(some, 2, np.arange(60))
    np.testing.assert_allclose(losses, some.losses("ad"), atol=1e-12)
    found = auto.gain(some.losses("ab"), losses)
    assert auto.better(found)
    assert 0.03 < found["low"] < found["gain"] < found["high"] < 0.07
    luck = groups(auto, 0.7 + 0.01 * np.random.default_rng(1).standard_normal((60, 8)))
    assert not auto.better(auto.gain(luck.losses("abc"), auto.elsewhere(luck, 3, np.arange(60))))


def test_another_set_takes_the_place_of_a_bad_one(auto):
    said = auto.rule(REAL, ("oam-gra", "uni-exp"))
    assert said["solvers"] == said["study"]["instead"]["solvers"] != ["oam-gra", "uni-exp"]
    assert said["study"]["instead"]["low"] > 0


def test_the_file_of_auto_is_of_these_tables_and_of_what_auto_tries(auto):
    known = tomllib.loads(AUTO.read_text(encoding="utf-8"))
    solvers = known["present"]["solvers"]
    assert solvers == [*auto.tried()]
    usual = auto_solvers(FitOptions(), columns_per_row=1.0)
    assert {*solvers} - {"lightgbm"} == {*usual} - {"lightgbm", "hist-gradient-boosting"}
    present = sha256((REAL / "means.csv").read_bytes()).hexdigest()
    assert known["sha256"] == present, "run examples/auto_solvers.py, which reads them"
    assert auto.rule(REAL, auto.tried())["study"] == known
