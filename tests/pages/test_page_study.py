"""The page of the study: its numbers are those of its tables, and its words those of `judge`."""

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import study_tables
from scipy.stats import wilcoxon

import aucbench

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "study" / "index.md"
REAL = ROOT / "docs" / "data" / "study"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables of the form of the study, drawn at random."""
    place = tmp_path_factory.mktemp("study")
    study_tables.write(place, groups=40)
    return place


@pytest.fixture(scope="module")
def read(folder):
    """What these tables say; the modules of docs/ are forgotten after the module."""
    pytest.importorskip("mkdocs", reason="no mkdocs: pip install 'aucbench[docs]'")
    before = {*sys.modules}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        page_study = import_module("page_study")
        yield page_study, page_study.Study.read(folder)
    for name in {*sys.modules} - before:
        if name.startswith("page_"):
            del sys.modules[name]


@pytest.fixture
def page_study(read, monkeypatch):
    """The module, which reads the drawn tables."""
    page, study = read
    monkeypatch.setattr(page, "read", lambda: study)
    return page


@pytest.fixture
def study(read):
    return read[1]


def means(folder, arm="tuned"):
    table = pd.read_csv(folder / "means.csv")
    return table[table["arm"] == arm]


def marks():
    return re.findall(
        r"^<!-- study (?:figure (\w+): .+|(\w+)) -->$", PAGE.read_text("utf-8"), re.MULTILINE
    )


def test_every_part_and_figure_is_on_the_page(page_study):
    assert {name for name, _ in marks() if name} == {*page_study.FIGURES}
    assert {table for _, table in marks() if table} == {*page_study.PARTS}


def test_no_mark_stays_on_the_page_and_nothing_lacks_a_number(page_study):
    text = PAGE.read_text("utf-8")
    some = re.sub(r"^<!-- study figure .*$", "", text, flags=re.MULTILINE)
    filled = page_study.with_study(some)
    assert "<!-- study" not in filled
    assert not re.search(r"\b(nan|None)\b(?! (of|is))", filled)
    assert page_study.NOT_YET not in filled
    with pytest.raises(Exception, match="the study has no nothing; known are"):
        page_study.with_study("<!-- study nothing -->")


@pytest.mark.parametrize("name", ["all", "slopes", "ranks", "pareto", "tree", "c"])
def test_figures_are_drawn(page_study, name):
    drawn = page_study.with_study(f"<!-- study figure {name}: a caption -->")
    assert drawn.count("<svg") == 1
    assert 'aria-label="a caption"' in drawn
    assert "\n" not in drawn
    assert len(re.findall(r"<(?:use|path) ", drawn)) > 5
    assert "nan" not in re.sub(r">[^<]*<", "><", drawn)


def test_before_the_run_has_ended_the_page_says_so(page_study, tmp_path, folder, monkeypatch):
    assert page_study.Study.read(tmp_path) is None
    few = pd.read_csv(folder / "means.csv")
    few = few[few["group"].isin([*dict.fromkeys(few["group"])][:5])]
    for name in ("tasks.csv", "run.json"):
        shutil.copy(folder / name, tmp_path)
    few.to_csv(tmp_path / "means.csv", index=False)
    assert page_study.Study.read(tmp_path) is None
    monkeypatch.setattr(page_study, "read", lambda: None)
    filled = page_study.with_study(PAGE.read_text("utf-8"))
    assert page_study.NOT_YET in filled
    assert "<!-- study" not in filled


def test_tables_that_disagree_are_refused(folder, tmp_path, page_study):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    table = pd.read_csv(folder / "means.csv")
    table["group"] = table["group"].replace("group4", "group5")
    table.to_csv(tmp_path / "means.csv", index=False)
    with pytest.raises(ValueError, match=r"tasks.csv and means.csv disagree on task4-0"):
        page_study.Study.read(tmp_path)


def test_the_means_are_those_of_the_file(page_study, study, folder):
    table = means(folder).pivot(index=["group", "task"], columns="solver", values="auc")
    filled = table.apply(lambda column: column.fillna(table.min(axis=1)))
    wanted = filled.groupby("group").mean().mean()
    lines = {line.split("`")[1]: line for line in page_study.everyone(study) if "`" in line[:4]}
    assert {*lines} == {*wanted.index}
    for solver, line in lines.items():
        cells = [cell.strip() for cell in line.split("|")]
        assert float(cells[2]) == pytest.approx(wanted[solver], abs=6e-5)
        assert int(cells[8]) == table[solver].isna().sum()
    order = [wanted[line.split("`")[1]] for line in [*page_study.everyone(study)][2:]]
    assert order == sorted(order, reverse=True)


def test_a_single_difference_is_wilcoxons_of_the_groups(study, folder):
    [pair] = [pair for pair in study.answers["b"].pairs if pair.b == "opauc"]
    table = means(folder).pivot(index=["group", "task"], columns="solver", values="auc")
    both = table[["ls-svm", "opauc"]].dropna()
    if len(both) == len(table):
        gains = (both["ls-svm"] - both["opauc"]).groupby("group").mean()
        walsh = np.add.outer(gains.to_numpy(), gains.to_numpy())[np.triu_indices(len(gains))] / 2
        assert pair.difference.estimate == pytest.approx(np.median(walsh))
    assert pair.wins + pair.ties + pair.losses <= table.index.get_level_values(0).nunique()
    assert pair.word == "better"
    exact = study.answers["b"].pairs[0]
    odds = np.log((table + 0.005) / (1.005 - table))
    means_of = odds[["svm-or", "rank-svm", "ls-svm"]].mean(axis=1)
    gap = (means_of - odds[["solam", "spam-l1", "spam-l2", "fsauc", "opauc"]].mean(axis=1)).mean()
    assert gap > 0.05
    assert exact.difference.estimate > 0.0
    assert wilcoxon((means_of - odds["opauc"]).groupby("group").mean()).pvalue < 0.001


def test_tuning_compares_a_solver_with_itself(study, folder):
    of = {pair.a: pair for pair in study.tuning.pairs}
    assert "hist-gradient-boosting" not in of  # it was not tuned
    tuned, default = (
        means(folder, arm).pivot(index=["group", "task"], columns="solver", values="auc")
        for arm in ("tuned", "default")
    )
    gains = (
        (tuned["logistic"] - default["logistic"])
        .groupby("group")
        .apply(lambda one: one.mean(skipna=False))
    )
    assert of["logistic"].mean == pytest.approx(gains.mean(), abs=1e-9)
    assert of["logistic"].adjusted_p >= of["logistic"].p


def test_what_is_compared_was_run(page_study):
    answers = sys.modules["page_study_answers"]
    program = import_module("study.study")
    tuned = {*program.TUNED, *program.AS_THEY_ARE}
    for names in (answers.EXACT, answers.STOCHASTIC, answers.SURROGATES, *answers.TREES):
        assert {*names} <= tuned
    assert {*answers.CURVED} - {"hist-gradient-boosting"} <= tuned
    assert {one for sides in answers.CONTRASTS.values() for side in sides for one in side} <= tuned


def judged_like_the_page(page_study, study, path):
    """Whether `aucbench judge` has the stars, the list behind and the words of the page."""
    judgement = aucbench.judge(path, where=("arm=tuned",), by="auc", family="group")
    best, own = judgement.findings.advice.best, study.best
    assert {*best.of(best.possible)} == {*own.of(own.possible)}
    assert {*best.of(best.behind)} == {*own.of(own.behind)}
    answer = judgement.answer()
    for word, start in (("better", "Better than"), ("worse", "Worse than")):
        of = study.everyone.of(word)
        said = [line for line in answer.splitlines() if line.startswith(f"{start} logistic: ")]
        assert bool(said) is bool(of)
        for line in said:  # judge counts them where there are many
            assert f": {len(of)} solvers, " in line or all(pair.a in line for pair in of)


def test_the_words_are_those_of_judge(page_study, study, folder, tmp_path, read):
    table = pd.read_csv(folder / "means.csv")
    few = ("logistic", "svm-or", "opauc", "lightgbm", "random-forest", "additive")
    kept = table["solver"].isin(few) & (table["arm"] != "large")
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    table[kept].to_csv(tmp_path / "means.csv", index=False)
    judged_like_the_page(page_study, page_study.Study.read(tmp_path), tmp_path / "means.csv")


@pytest.fixture(scope="module")
def real(read):
    """The study, by the tables that are in the repository."""
    return read[0].Study.read(REAL)


@pytest.mark.nightly
def test_the_words_of_the_real_tables_are_those_of_judge(page_study, real):
    judged_like_the_page(page_study, real, REAL / "means.csv")


def test_what_is_said_of_the_study_elsewhere_is_what_it_found(page_study, real):
    cells = pd.read_csv(REAL / "means.csv").query("arm == 'tuned'")
    tasks, groups = cells["task"].nunique(), cells["group"].nunique()
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"on {tasks} small and middle-sized tasks of {groups} sources, no linear" in readme
    assert not real.answers["a"].of("better")
    assert "additive" in {pair.a for pair in real.everyone.of("better")}
    assert "svm-or" in {pair.a for pair in real.everyone.of("equivalent")}
