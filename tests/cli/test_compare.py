"""`aucbench compare`: what it prints, the rows that it writes, and what it says of messy tables."""

import re

import numpy as np
import pytest
from command_line import done, flat, refused, said, strict
from sklearn.metrics import average_precision_score, roc_auc_score

from aucbench.bench import Store, runner
from aucbench.registry.defaults import defaults

pytestmark = pytest.mark.usefixtures("in_process")

KEYS = {"solver", "dataset", "split", "seed", "status", "reason", "auc", "fit_seconds", "nnz"}
SMALL = "outbreak[n=200,d=20,k=5]"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def table(text):
    """Entries of the lines of the first table by solver, without the mark."""
    _, header, *lines = text.partition("\n\n")[0].splitlines()
    assert header.split()[0] == "solver"
    return {cells[0]: cells[1:] for cells in (line.lstrip("* ").split() for line in lines)}


def write_csv(path, labels):
    rng = np.random.default_rng(0)
    lines = [f"{rng.random():.3f},{rng.random():.3f},{label}" for label in labels]
    path.write_text("\n".join(["first,second,y", *lines]) + "\n")
    return path


@pytest.fixture
def compared(tmp_path):
    """Return a function that runs the command, and returns what came of it and its rows."""

    def run(*words):
        path = tmp_path / "rows.json"
        return done("compare", *words, "--json", path), strict(path)

    return run


def test_default_solvers_on_small_data():
    result = done("compare", "--data", SMALL, "--splits", 2, "--passes", 2)
    assert re.match(r"outbreak\S+: 200 rows, \d+ positive \(.*%\), 20 features\n", result.stdout)
    assert [*table(result.stdout)] == [*defaults()["solvers"]["labels"]]
    assert "2 splits x 1 repeat(s), auto, 2 passes, gap 1e-06, seed 0" in result.stdout
    assert not CONTROL.search(result.output)


def test_json_has_one_object_per_cell(toys, compared, tmp_path):
    names = ("means[scale=2,width=inf]", "means")
    data = ("--data", SMALL, "--data", "breast-cancer")
    _, rows = compared(
        "--solvers", ",".join(names), *data, "--splits", 3, "--repeats", 2, "--seed", 7
    )
    assert len(rows) == 2 * 2 * 3 * 2
    assert all(row.keys() >= KEYS for row in rows)
    cells = {(row["solver"], row["dataset"], row["split"], row["seed"]) for row in rows}
    assert len(cells) == len(rows)
    assert {seed for *_, seed in cells} == {7, 8}
    assert {solver for solver, *_ in cells} == {*names}
    assert rows[0]["parameters"] == {"scale": 2, "width": "inf"}
    assert all(row["status"] == "ok" and row["reason"] is None for row in rows)
    assert all(row["auc"] > 0.9 for row in rows if row["dataset"] == "breast-cancer")
    assert [p.name for p in tmp_path.iterdir()] == ["rows.json"]


def test_ctrl_c_keeps_the_finished_rows(toys, tmp_path, monkeypatch):
    path, real = tmp_path / "rows.json", runner.run

    def stopped(*words, **options):
        records = real(*words, **options)
        yield next(records)
        records.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", stopped)
    path.write_text("older")
    common = ("--data", SMALL, "--splits", 2, "--jobs", 1, "--json", path)
    result = done("compare", "--solvers", "means,raises", *common, code=130)
    assert "interrupted: 3 of 4 rows are missing; --out DIR would keep" in result.stderr
    assert [row["solver"] for row in strict(path)] == ["means"]
    assert "means" in result.stdout


def test_positive_and_drop_reach_files(toys, compared, tmp_path):
    data = write_csv(tmp_path / "three.csv", [0, 1, 2] * 10)
    common = ("--solvers", "means", "--data", data, "--splits", 2)
    assert "positive" in refused("compare", *common)
    labels = ("--positive", "1,2", "--negative", "rest")
    _, rows = compared(*common, *labels, "--drop", "first")
    assert [row["d"] for row in rows] == [1, 1]


METRICS = "auc,ap,pauc[max_fpr=.1]"
TWO_SPLITS = ("compare", "--quiet", "--data", "breast-cancer", "--splits", 2)


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    """A folder with four cells, without and with metrics: output and rows of each time."""
    folder = tmp_path_factory.mktemp("metrics")
    out, rows = folder / "out", folder / "rows.json"
    asked = (*TWO_SPLITS, "--solvers", "logistic,sht-auc", "--out", out, "--json", rows)
    each = [(said(*asked, *more), strict(rows)) for more in ((), ("--metrics", METRICS))]
    return out, *each


def test_metrics_are_those_of_the_stored_scores_and_cells_do_not_know_of_them(tested):
    out, (_, plain), (_, rows) = tested
    assert len(rows) == 4
    with Store(out) as store:
        for row in rows:
            found = store.scores(row["id"])
            y, s = found["y"], found["scores"]
            assert row["auc"] == pytest.approx(roc_auc_score(y, s), rel=1e-12)
            assert row["ap"] == pytest.approx(average_precision_score(y, s), rel=1e-12)
            partial = roc_auc_score(y, s, max_fpr=0.1)
            assert row["pauc[max_fpr=0.1]"] == pytest.approx(partial, rel=1e-12)
    extra = {"ap", "pauc[max_fpr=0.1]"}
    assert [{k: v for k, v in row.items() if k not in extra} for row in rows] == plain


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the fit that diverges
def test_what_cannot_be_measured_is_marked_and_said(compared):
    solvers = ("--solvers", "constant,roc-svm[step=1e200]")  # the second one diverges
    result, each = compared(*TWO_SPLITS[1:], *solvers, "--metrics", "recall[k=400],ap")
    found = {row["solver"]: row for row in each}
    assert found["constant"]["recall[k=400]"] is None
    assert found["constant"]["ap"] > 0
    assert found["roc-svm[step=1e+200]"]["status"] == "invalid"
    assert found["roc-svm[step=1e+200]"]["ap"] is None
    assert "recall[k=400] is missing: there are 28" in result.stdout
    assert "constant has the highest AP" in result.stdout


def test_warnings_come_before_the_table(tmp_path):
    lines = [f"{5000 + i // 2},0,{i * i % 11},{'' if i == 9 else i % 2}" for i in range(60)]
    (tmp_path / "messy.csv").write_text("\n".join(["patient_id,zero,a,y", *lines]))
    asked = ("--data", tmp_path / "messy.csv", "--unlabelled", "skip", "--passes", 2)
    ended = done("compare", "--solvers", "logistic", *asked)
    before = flat(ended.stdout.partition("solver ")[0])
    for told in ("'patient_id' is suspicious", "constant", "1 of 60 rows have no label"):
        assert told in before
        assert told in flat(ended.stderr)


def sources(tmp_path, name):
    """Two folders with tables of one name, which differ."""
    for shift, place in ((0, tmp_path), (5, tmp_path / "sub")):
        place.mkdir(exist_ok=True)
        lines = [f"{i % 7 + shift * (i % 2)},{i * i % 11},{i % 2}" for i in range(40)]
        (place / name).write_text("\n".join(["a,b,y", *lines]), encoding="utf-8")
    return tmp_path, tmp_path / "sub"


def test_another_source_of_a_name_in_one_results_folder_is_told(tmp_path, monkeypatch):
    aucs, out = {}, tmp_path / "sources"
    for place in sources(tmp_path, "same.csv"):
        monkeypatch.chdir(place)
        said("compare", "--solvers", "logistic", "--data", "same.csv", "--splits", 2, "--out", out)
        aucs[place] = said("report", out).split(" over ")[0].rpartition(" ")[2]
    assert len({*aucs.values()}) == 2
    for place, auc in aucs.items():
        monkeypatch.chdir(place)
        told = flat(said("report", out))
        assert f"logistic has a mean AUC of {auc}" in told
        assert "warning: 2 record(s) are stale and left out, since the data" in told
    monkeypatch.chdir(tmp_path.parent)
    assert "two results of logistic on same.csv" in refused("report", out)
