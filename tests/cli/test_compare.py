import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from command_line import call, done, strict

from aucbench.bench import runner
from aucbench.bench.plan.fields import CHANGEPOINT_SOLVERS, DEFAULT_SOLVERS

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


def test_default_solvers_on_embedded_data():
    result = done("compare", "--data", "breast-cancer", "--splits", 2, "--passes", 2)
    assert result.stdout.startswith("breast-cancer: 569 rows, 212 positive (37.3%), 30 features\n")
    assert [*table(result.stdout)] == [*DEFAULT_SOLVERS]
    assert "2 splits x 1 repeat(s), auto, 2 passes, gap 1e-06, seed 0" in result.stdout
    assert not CONTROL.search(result.output)
    assert "failed" not in result.stdout


def test_help_names_the_default_solvers():
    text = " ".join(call("compare", "--help").stdout.split())

    assert ",".join(DEFAULT_SOLVERS) in text.replace(" ", "")
    assert ",".join(CHANGEPOINT_SOLVERS) in re.sub(r"[ │]", "", text)


def test_default_solvers_of_a_changepoint_set(tmp_path):
    middles = np.linspace(-3.0, 3.0, 20)
    ends = [(m - 1, m + 1) for m in middles]
    errors = [
        f"s{k},{low},{fp},{fn}"
        for k, (a, b) in enumerate(ends)
        for low, fp, fn in (("-inf", 1, 0), (a, 0, 0), (b, 0, 1))
    ]
    path = tmp_path / "toy.errors.csv"
    path.write_text("\n".join(["sequenceID,min_log_lambda,fp,fn", *errors]) + "\n")
    features = [f"s{k},{m},{m * m}" for k, m in enumerate(middles)]
    (tmp_path / "toy.features.csv").write_text("\n".join(["sequenceID,x,y", *features]) + "\n")

    result = done("compare", "--data", path, "--splits", 2, "--passes", 5)
    rows = table(result.stdout)
    assert [*rows] == [*CHANGEPOINT_SOLVERS]
    assert all("2/2" in row for row in rows.values())
    aucs = {solver: float(row[0]) for solver, row in rows.items()}
    assert min(aucs["aum"], aucs["interval-regression"]) > aucs["constant"]


def test_json_has_one_object_per_cell(toys, tmp_path):
    path = tmp_path / "rows.json"
    result = call(
        *("compare", "--solvers", "means[scale=2,width=inf],means", "--data", SMALL),
        *("--data", "breast-cancer", "--splits", 3, "--repeats", 2, "--seed", 7, "--json", path),
    )
    rows = strict(path)

    assert result.exit_code == 0, result.output
    assert len(rows) == 2 * 2 * 3 * 2
    assert all(row.keys() >= KEYS for row in rows)
    cells = {(row["solver"], row["dataset"], row["split"], row["seed"]) for row in rows}
    assert len(cells) == len(rows)
    assert {seed for *_, seed in cells} == {7, 8}
    assert {solver for solver, *_ in cells} == {"means[scale=2,width=inf]", "means"}
    assert rows[0]["parameters"] == {"scale": 2, "width": "inf"}
    assert all(row["status"] == "ok" and row["reason"] is None for row in rows)
    assert all(0 <= row["auc"] <= 1 and row["fit_seconds"] > 0 for row in rows)
    assert all(row["auc"] > 0.9 for row in rows if row["dataset"] == "breast-cancer")
    assert {row["nnz"] for row in rows} == {20, 30}
    assert [p.name for p in tmp_path.iterdir()] == ["rows.json"]


def test_table_rows_and_lines_say_which_fits_have_not_converged(tmp_path):
    path = tmp_path / "rows.json"
    result = call(
        *("compare", "--data", "breast-cancer", "--solvers", "ls-svm,spam-l1[xi=0.04],logistic"),
        *("--splits", 2, "--passes", 8, "--json", path, "--out", tmp_path / "kept"),
        *("--features", "maxabs"),
    )
    rows = {row["solver"]: row for row in strict(path)}

    assert result.exit_code == 0, result.output
    ends = {solver: row[-1] for solver, row in table(result.stdout).items()}
    assert ends == {"ls-svm": "2/2", "spam-l1[xi=0.04]": "N", "logistic": "o"}
    assert "N: not converged, gap > 1 % of f(0) − f*:" in result.stdout
    assert "\n  spam-l1[xi=0.04] on breast-cancer: 2 of 2 fits" in result.stdout
    assert [rows[name]["converged"] for name in ("ls-svm", "spam-l1[xi=0.04]", "logistic")] == [
        True,
        False,
        None,
    ]
    assert rows["spam-l1[xi=0.04]"]["gap_kind"] == "extrapolated"
    assert rows["logistic"]["stop"] == "FINISHED"
    assert rows["logistic"]["residual"] >= 0.0
    assert re.search(r"ok: ls-svm on .* s, certified, gap \S+e-\d+$", result.stderr, re.MULTILINE)

    exported = tmp_path / "table.json"
    done("export", tmp_path / "kept", exported)
    names = ("solver", "relative_gap", "gap_kind", "converged", "passes_factor")
    assert {tuple(row[name] for name in names) for row in strict(exported)} == {
        tuple(row[name] for name in names) for row in strict(path)
    }


def test_failing_solvers_are_rows_and_the_rest_runs(toys, tmp_path):
    path = tmp_path / "rows.json"
    names = "raises,means,exits,nans,unbuildable,toy-broken,interrupted"
    result = call("compare", "--solvers", names, "--data", SMALL, "--splits", 2, "--json", path)
    rows = {row["solver"]: row for row in strict(path)}

    assert result.exit_code == 0, result.output
    assert rows["means"]["status"] == "ok"
    assert rows["raises"]["status"] == "error"
    assert rows["raises"]["reason"].startswith("boom [bold], in the solver toys:raises 1.0 (")
    assert rows["raises"]["error_type"] == "ValueError"
    assert (rows["exits"]["reason"], rows["exits"]["error_type"]) == ("3", "SystemExit")
    assert rows["nans"]["status"] == "invalid"
    assert "not finite" in rows["nans"]["reason"]
    assert rows["nans"]["auc"] is None
    assert rows["unbuildable"]["reason"] == "'no luck'"
    assert rows["unbuildable"]["error_type"] == "KeyError"
    assert rows["toy-broken"]["status"] == "error"
    assert "licence" in rows["toy-broken"]["reason"]
    assert rows["interrupted"]["status"] == "error"
    assert rows["interrupted"]["error_type"] == "KeyboardInterrupt"
    assert "12 of 14 rows have no AUC" in result.stdout
    assert result.stdout.count("ValueError: boom [bold]") == 1
    assert not CONTROL.search(result.output)


def test_too_few_rows_of_a_class_is_skipped(toys, tmp_path):
    data, path = write_csv(tmp_path / "tiny.csv", [0, 1, 0, 1, 0, 0, 0]), tmp_path / "rows.json"
    result = call(
        *("compare", "--solvers", "means", "--data", f"{data},{SMALL}"),
        *("--splits", 3, "--json", path),
    )
    rows = strict(path)

    assert result.exit_code == 0, result.output
    assert [row["status"] for row in rows] == ["skipped"] * 3 + ["ok"] * 3
    assert "2 row(s) of the rarer class, fewer than the 3 folds" in rows[0]["reason"]


def test_objective_of_a_solver_that_honours_it(tmp_path):
    paths = [tmp_path / "own.json", tmp_path / "other.json"]
    common = ("compare", "--data", SMALL, "--solvers", "sht-auc[k=5]", "--splits", 2)
    own = call(*common, "--passes", 2, "--json", paths[0])
    other = call(*common, "--passes", 2, "--objective", "logistic", "--json", paths[1])
    rows = [strict(path)[0] for path in paths]

    assert (own.exit_code, other.exit_code) == (0, 0)
    assert [row["with_objective"] for row in rows] == [None, "logistic"]
    assert rows[0]["objective"] != rows[1]["objective"]
    assert "objective logistic" in other.stdout


def test_a_default_of_the_replaced_part_leaves_the_record(tmp_path):
    rows = tmp_path / "rows.json"
    common = ("--data", SMALL, "--solvers", "sht-auc,hsg-ht", "--splits", 2, "--passes", 6)
    done("compare", *common, "--projector", "l2-ball[R=1]", "--json", rows)
    found = [row["parameters"] for row in strict(rows)]
    assert [{*one} & {"k", "gamma"} for one in found] == [{"gamma"}] * 4
    assert all("centre" in one for one in found if "tau" in one)


def test_json_path_is_tried_before_the_run(toys, tmp_path):
    for path in (tmp_path / "absent" / "rows.json", tmp_path):
        result = call("compare", "--solvers", "interrupted", "--data", SMALL, "--json", path)

        assert result.exit_code == 2
        assert str(path) in result.stderr


def test_ctrl_c_keeps_the_finished_rows(toys, tmp_path, monkeypatch):
    path, real = tmp_path / "rows.json", runner.run

    def stopped(*given, **options):
        records = real(*given, **options)
        yield next(records)
        records.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", stopped)
    path.write_text("older")
    common = ("--data", SMALL, "--splits", 2, "--jobs", 1, "--json", path)
    result = call("compare", "--solvers", "means,raises", *common)

    assert result.exit_code == 130
    assert "interrupted: 3 of 4 rows are missing; --out DIR would keep" in result.stderr
    assert [row["solver"] for row in strict(path)] == ["means"]
    assert "means" in result.stdout


def test_positive_and_drop_reach_files(toys, tmp_path):
    data, path = write_csv(tmp_path / "three.csv", [0, 1, 2] * 10), tmp_path / "rows.json"
    common = ("compare", "--solvers", "means", "--data", data, "--splits", 2, "--json", path)
    refused = call(*common)
    result = call(*common, "--positive", "1,2", "--negative", "rest", "--drop", "first")

    assert refused.exit_code == 2
    assert "positive" in refused.stderr
    assert result.exit_code == 0, result.output
    assert [row["d"] for row in strict(path)] == [1, 1]


def test_same_command_gives_the_same_rows(tmp_path):
    found = []
    for name in ("a.json", "b.json"):
        options = ("--solvers", "sht-auc", "--splits", 2, "--passes", 3, "--json", tmp_path / name)
        assert call("compare", "--data", SMALL, *options).exit_code == 0
        found.append([without_times(row) for row in strict(tmp_path / name)])

    assert found[0] == found[1]


def without_times(row):
    moment = {"machine", "curve", "peak_memory"}
    kept = {k: v for k, v in row.items() if k not in moment and "seconds" not in k}
    curve = [{k: v for k, v in point.items() if k != "seconds"} for point in row["curve"]]
    return {**kept, "curve": curve}


def test_names_cannot_move_the_cursor(toys, tmp_path):
    data = write_csv(tmp_path / "red\x1b[31m.csv", [0, 1] * 5)
    result = call("compare", "--solvers", "means", "--data", data, "--splits", 2)

    assert "red\\x1b" in result.output
    assert not CONTROL.search(result.output)


def test_terminal_shows_colours_and_pipe_does_not(toy_folder, process):
    options = ["compare", "--solvers", "means,raises", "--data", SMALL, "--splits", "2"]
    piped = process(*options)
    assert piped.returncode == 0
    assert not CONTROL.search(piped.stdout + piped.stderr)
    limit, *lines = piped.stderr.splitlines()
    assert limit.startswith("a cell is killed after 3600 s")
    assert lines[0] == f"{SMALL}: 200 x 20, 5.00% positive"
    assert [line.split()[0] for line in lines[1:]] == ["1/4", "2/4", "3/4", "4/4"]
    assert sum("error: raises on outbreak" in line and "boom [bold]" in line for line in lines) == 2
    assert sum("ok: means on outbreak" in line and "AUC 0." in line for line in lines) == 2

    code, text = on_terminal(toy_folder, options)
    assert code == 0
    assert "\x1b[1m" in text
    assert "boom [bold]" in text
    assert "means" in text
    progress, table_text = text.split("solver  ")
    assert "0/4" in progress
    assert "0/4" not in table_text


def on_terminal(folder, options):
    """Exit code, and all that a pseudo terminal received."""
    parent, child = pty.openpty()
    environment = os.environ | {"PYTHONPATH": str(folder), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-c", "from aucbench.cli import main; main()", *options]
    with subprocess.Popen(command, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        received = b""
        with os.fdopen(parent, "rb", buffering=0) as terminal, suppress(OSError):  # EIO at its end
            while piece := terminal.read(4096):
                received += piece
    return process.returncode, received.decode()


@pytest.mark.nightly
def test_real_data(data_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    path = tmp_path / "rows.json"
    options = ("--solvers", "sht-auc,sto-iht,hsg-ht,logistic", "--features", "maxabs")
    result = call("compare", "--data", "german,splice", *options, "--json", path)
    rows = strict(path)

    assert result.exit_code == 0, result.output
    assert {row["status"] for row in rows} == {"ok"}
    for name, published in (("german", 0.794), ("splice", 0.922)):
        aucs = [r["auc"] for r in rows if (r["dataset"], r["solver"]) == (name, "logistic")]
        assert np.mean(aucs) == pytest.approx(published, abs=0.003)
