"""`aucbench compare`: what it prints, and the rows that it writes."""

import re

import numpy as np
import pytest
from command_line import call, done, flat, refused, said, strict

from aucbench.bench import runner
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


def test_default_solvers_on_embedded_data():
    result = done("compare", "--data", "breast-cancer", "--splits", 2, "--passes", 2)
    assert result.stdout.startswith("breast-cancer: 569 rows, 212 positive (37.3%), 30 features\n")
    assert [*table(result.stdout)] == [*defaults()["solvers"]["labels"]]
    assert "2 splits x 1 repeat(s), auto, 2 passes, gap 1e-06, seed 0" in result.stdout
    assert not CONTROL.search(result.output)
    assert "failed" not in result.stdout
    text = re.sub(r"[ │]", "", flat(said("compare", "--help")))
    assert ",".join(defaults()["solvers"]["labels"]) in text
    assert ",".join(defaults()["solvers"]["breakpoints"]) in text


def test_default_solvers_of_a_changepoint_set(changepoints):
    rows = table(done("compare", "--data", changepoints, "--splits", 2, "--passes", 5).stdout)
    assert [*rows] == [*defaults()["solvers"]["breakpoints"]]
    assert all("2/2" in row for row in rows.values())
    aucs = {solver: float(row[0]) for solver, row in rows.items()}
    assert min(aucs["aum"], aucs["interval-regression"]) > aucs["constant"]


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
    assert all(0 <= row["auc"] <= 1 and row["fit_seconds"] > 0 for row in rows)
    assert all(row["auc"] > 0.9 for row in rows if row["dataset"] == "breast-cancer")
    assert {row["nnz"] for row in rows} == {20, 30}
    assert [p.name for p in tmp_path.iterdir()] == ["rows.json"]


def test_table_rows_and_lines_say_which_fits_have_not_converged(compared, tmp_path):
    converged = {"ls-svm[lam=0.01]": True, "opauc[lam=0.005]": False, "logistic": None}
    asked = ("--data", "breast-cancer", "--solvers", ",".join(converged), "--features", "maxabs")
    out = tmp_path / "kept"
    result, each = compared(*asked, "--splits", 2, "--passes", 5, "--out", out)
    rows = {row["solver"]: row for row in each}
    ends = {
        solver: " ".join(row[row.index("2/2") + 1 :])
        for solver, row in table(result.stdout).items()
    }
    assert ends == {
        "ls-svm[lam=0.01]": "",
        "opauc[lam=0.005]": "not converged",
        "logistic": "over budget",
    }
    assert "over budget: used more than 1.1 times the budget" in result.stdout
    assert "not converged: gap > 1 % of f(0) − f*:" in result.stdout
    assert "\n  opauc[lam=0.005] on breast-cancer: 2 of 2 fits" in result.stdout
    assert {name: rows[name]["converged"] for name in converged} == converged
    assert rows["opauc[lam=0.005]"]["gap_kind"] == "measured"
    assert rows["logistic"]["stop"] == "FINISHED"
    assert rows["logistic"]["residual"] >= 0.0

    exported = tmp_path / "table.json"
    done("export", out, exported)
    names = ("solver", "relative_gap", "gap_kind", "converged")
    both = ({tuple(row[n] for n in names) for row in some} for some in (strict(exported), each))
    assert next(both) == next(both)


def test_too_few_rows_of_a_class_is_skipped(toys, compared, tmp_path):
    data = write_csv(tmp_path / "tiny.csv", [0, 1, 0, 1, 0, 0, 0])
    _, rows = compared("--solvers", "means", "--data", f"{data},{SMALL}", "--splits", 3)
    assert [row["status"] for row in rows] == ["skipped"] * 3 + ["ok"] * 3
    assert "2 row(s) of the rarer class, fewer than the 3 folds" in rows[0]["reason"]


MAPS = ("standard+nystroem[rank=60]", "none", "none+unit+nystroem[rank=9]")


@pytest.mark.nightly
def test_each_map_gives_cells_and_joined_ones_are_applied_in_turn(toys, compared):
    asked = ("--data", "radial[n=300]", "--solvers", "means", "--splits", 2, "--quiet")
    result, rows = compared(*asked, "--features", MAPS[0], "--features", ",".join(MAPS[1:]))
    found = {(row["features"], row["d"]): row["auc"] for row in rows}
    assert set(found) == {*zip(MAPS, (60, 2, 9), strict=True)}
    assert MAPS[0] in result.stdout
    assert found["none", 2] < 0.8 < 0.9 < found[MAPS[0], 60]


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
    _, rows = compared(*common, "--positive", "1,2", "--negative", "rest", "--drop", "first")
    assert [row["d"] for row in rows] == [1, 1]


def test_names_cannot_move_the_cursor(toys, tmp_path):
    data = write_csv(tmp_path / "red\x1b[31m.csv", [0, 1] * 5)
    output = call("compare", "--solvers", "means", "--data", data, "--splits", 2).output
    assert "red\\x1b" in output
    assert not CONTROL.search(output)


@pytest.mark.nightly
def test_real_data(data_folder, compared, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    options = ("--solvers", "sht-auc,sto-iht,hsg-ht,logistic", "--features", "maxabs")
    _, rows = compared("--data", "german,splice", *options)
    assert {row["status"] for row in rows} == {"ok"}
    for name, published in (("german", 0.794), ("splice", 0.922)):
        aucs = [r["auc"] for r in rows if (r["dataset"], r["solver"]) == (name, "logistic")]
        assert np.mean(aucs) == pytest.approx(published, abs=0.003)
