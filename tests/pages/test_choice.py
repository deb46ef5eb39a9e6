"""The page "Choose a solver": its tables are those of the study, and `auto` tries what it found."""

import re
import tomllib
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import study_tables

from aucbench.models.choosing import auto_solvers
from aucbench.models.options import FitOptions

ROOT = Path(__file__).parents[2]
REAL = ROOT / "docs" / "data" / "study"
AUTO = REAL / "auto.toml"
NAMED = re.compile(r"\| \[`([^`]+)`")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of the form of the study, drawn at random."""
    place = tmp_path_factory.mktemp("study")
    study_tables.write(place, groups=30)
    return place


@pytest.fixture
def page(documents, folder, monkeypatch):
    module = documents("page_choice")
    measured = module.measured
    monkeypatch.setattr(module, "measured", lambda arm="tuned": measured(arm, folder))
    return module


@pytest.fixture
def auto(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return import_module("auto_solvers")


def tuned(folder):
    rows = pd.read_csv(folder / "means.csv").query("arm == 'tuned'")
    worst = rows.groupby("task")["auc"].transform("min")
    return rows.assign(auc=rows["auc"].fillna(worst))


def test_the_table_by_kind_of_data_has_means_over_groups(page, folder):
    head, _, every, *others = page.by_data()
    rows = tuned(folder)
    by_group = rows.groupby(["solver", "group"])["auc"].mean().unstack()
    means = by_group.mean(axis=1)
    best = means.idxmax()
    cells = [cell.strip() for cell in every.split("|")[1:-1]]
    assert len(head.split("|")) == len(every.split("|"))
    assert cells[0] == "all tasks"
    assert cells[1] == f"{rows['task'].nunique()} ({rows['group'].nunique()})"
    assert cells[2].startswith(f"`{best}` {means[best]:.4f}, ")
    linear = means.drop([name for name in page.CURVED if name in means])
    assert cells[4].startswith(f"`{linear.idxmax()}` {linear.max():.4f}, ")
    assert cells[6] == f"{means['logistic']:.4f}"
    assert len(others) >= 5


def test_the_table_of_all_solvers_has_both_parts_failures_and_words(page, folder):
    head, _, *lines = page.by_solver()
    cells = {NAMED.match(line)[1]: line.split("|") for line in lines}
    whole = pd.read_csv(folder / "means.csv").query("arm in ('tuned', 'default')")
    assert cells.keys() == {*whole["solver"]}
    assert {len(line) for line in cells.values()} == {len(head.split("|"))}
    failed = whole["auc"].isna().groupby(whole["solver"]).sum()
    assert {name: int(line[6]) for name, line in cells.items()} == failed.to_dict()
    assert cells["spdam"][2].strip() == "—"
    assert cells["spdam"][3].strip() != "—"
    said = {line[4].strip() for line in cells.values()}
    assert {"★ may be", "behind"} <= said


def test_before_the_study_has_ended_the_page_says_so(documents, tmp_path, monkeypatch):
    module = documents("page_choice")
    monkeypatch.setattr(module, "STUDY", tmp_path)
    assert module.measured("tuned", tmp_path) is None
    monkeypatch.setattr(module, "measured", lambda arm="tuned": None)
    assert [*module.by_data()] == [*module.by_solver()] == [module.NOT_YET]


def groups(auto, aucs):
    aucs = np.asarray(aucs, float)
    names = tuple("abcdefgh"[: aucs.shape[1]])
    like = pd.DataFrame({name: np.arange(len(aucs)) for name in auto.PROPERTIES})
    return auto.Groups(names, aucs, aucs.max(axis=1), like)


def test_a_set_is_chosen_whose_best_is_highest_and_judged_on_other_groups(auto):
    rng = np.random.default_rng(0)
    aucs = 0.7 + 0.01 * rng.standard_normal((60, 6))
    aucs[:30, 0] += 0.1
    aucs[30:, 3] += 0.1
    assert auto.chosen(aucs, 2) == [0, 3]
    some = groups(auto, aucs)
    losses = auto.elsewhere(some, 2, np.arange(60))
    np.testing.assert_allclose(losses, some.losses("ad"), atol=1e-12)
    found = auto.gain(some.losses("ab"), losses)
    assert auto.better(found)
    assert 0.03 < found["low"] < found["gain"] < found["high"] < 0.07


def test_luck_is_no_gain(auto):
    aucs = 0.7 + 0.01 * np.random.default_rng(1).standard_normal((60, 8))
    some = groups(auto, aucs)
    assert not auto.better(auto.gain(some.losses("abc"), auto.elsewhere(some, 3, np.arange(60))))


def test_another_set_takes_the_place_of_a_bad_one(auto, folder):
    bad = ("oam-gra", "uni-exp")
    said = auto.rule(folder, bad)
    assert said["solvers"] == said["study"]["instead"]["solvers"] != [*bad]
    assert said["study"]["instead"]["low"] > 0


def test_the_study_judges_the_solvers_that_auto_tries(auto):
    known = tomllib.loads(AUTO.read_text(encoding="utf-8"))["present"]["solvers"]
    assert known == [*auto.tried()]
    usual = auto_solvers(FitOptions(), columns_per_row=1.0)
    assert {*known} - {"lightgbm"} == {*usual} - {"lightgbm", "hist-gradient-boosting"}


@pytest.mark.skipif(not (REAL / "means.csv").is_file(), reason="the study has not ended")
def test_what_auto_tries_is_judged_by_the_tables_that_are_there():
    known = tomllib.loads(AUTO.read_text(encoding="utf-8"))
    present = sha256((REAL / "means.csv").read_bytes()).hexdigest()
    assert known["sha256"] == present, "run examples/auto_solvers.py, which reads them"


@pytest.mark.nightly
@pytest.mark.skipif(not (REAL / "means.csv").is_file(), reason="the study has not ended")
def test_the_file_is_what_the_program_writes(auto):
    known = tomllib.loads(AUTO.read_text(encoding="utf-8"))
    assert auto.rule(REAL, auto.tried())["study"] == known
