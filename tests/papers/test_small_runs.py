"""Experiments of the papers, made small, from the file to what is shown."""

import json
from itertools import pairwise

import numpy as np
import pytest
from command_line import done
from refusals import assert_refused
from result_folders import paper_experiment, paper_file, run_experiment

from aucbench.datasets.simulated import linear, true_scores
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.papers import results as measures
from aucbench.papers.comparison import Agreement, compare_number
from aucbench.papers.parts import AUC, Line, Scale
from aucbench.papers.results import MEASURES, SECONDS, TRUTH, Fit
from aucbench.papers.whole import sample
from aucbench.registry import get_dataset
from aucbench.report.chart import Chart


@pytest.fixture
def smaller(monkeypatch):
    """Change values of the file of a paper for a test."""

    def change(mapping, **values):
        for key, value in values.items():
            monkeypatch.setitem(mapping, key, value)

    return change


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "model"), [(1, "linear"), (2, "radial")])
def test_simulated_tables_of_roc_svm_run(number, model, smaller, monkeypatch, tmp_path):
    plain = paper_file("roc-svm", f"table {number}")
    sizes = [
        {**over, "n": n, "total": n + 500, "holdout": 500 / (n + 500)}
        for over, n in zip(plain["over"], (300, 600), strict=False)
    ]
    smaller(plain, over=sizes)
    smaller(plain["grids"][0], trials=2)
    experiment = paper_experiment("roc-svm", f"table {number}", Scale.QUICK)
    results, parts = run_experiment(experiment, tmp_path / "results")
    record = next(iter(results.records.values()))
    assert (record.sizes.n_train, record.sizes.n_test) in {(300, 500), (600, 500)}
    found = [compare_number(entry, results) for entry in results.experiment.entries]
    assert {one.entry.measure for one in found} == {AUC, TRUTH, SECONDS}
    for one in found:
        assert one.runs == 2
        if one.entry.measure == AUC:
            assert one.agreement in {Agreement.INCOMPARABLE, Agreement.UNMEASURED, Agreement.NEW}
        if one.entry.measure == TRUTH:
            assert -0.1 < one.mean < 0.01
    assert sum(isinstance(part, Chart) for part in parts) == 3
    read = MEASURES[TRUTH].read
    data = get_dataset(record.cell.dataset)
    rows = results.store.scores(record.id, record.sizes.data)["rows"]
    best = auc(data.y[rows], true_scores(model, data.rows.matrix[rows]))
    fit = Fit(results, Line(), (0,), record)
    assert read(fit) == pytest.approx(record.measures.auc - best, abs=1e-12)
    measures._true_auc.cache_clear()
    monkeypatch.setattr(measures, "get_dataset", lambda _: linear(1200, seed=99))
    assert_refused(lambda: read(fit), DataError, "no longer draws")


def test_a_sample_has_the_shares_of_the_classes_and_rows_of_the_set(tmp_path):
    X, y = np.arange(600.0).reshape(300, 2), np.where(np.arange(300) % 3 == 0, 1, -1)
    path = str(tmp_path / "whole.npz")
    np.savez(path, X=X, y=y)
    first, again = (get_dataset(f"sample[data={path},n=60,seed=1]") for _ in range(2))
    assert (first.n, first.target.n_pos) == (60, 20)
    assert set(first.rows.matrix[:, 0]) <= set(X[:, 0])
    np.testing.assert_array_equal(first.rows.matrix, again.rows.matrix)
    assert not np.array_equal(first.rows.matrix, sample(path, n=60, seed=2).rows.matrix)
    assert_refused(lambda: sample(path, n=300), DataError, "300 cannot be drawn")


def write_digits(folder, n=120):
    """Three classes as a file that a name finds."""
    y = np.arange(n) % 3
    X = np.random.default_rng(0).standard_normal((n, 4)) + y[:, None]
    cells = [" ".join(f"{j + 1}:{x:.4f}" for j, x in enumerate(row)) for row in X]
    lines = (f"{label} {text}" for label, text in zip(y, cells, strict=True))
    (folder / "toy.svm").write_text("\n".join(lines) + "\n")


def write_sequences(folder, n=40):
    """A changepoint set with two folds."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    middle = X[:, 0] + 0.5 * rng.standard_normal(n)
    features = ["sequenceID,a,b", *(f"s{k},{x[0]:.4f},{x[1]:.4f}" for k, x in enumerate(X))]
    errors = ["sequenceID,min_log_lambda,max_log_lambda,fp,fn,labels,fold"]
    for k, m in enumerate(middle):
        edges = ["-inf", f"{m - 1:.4f}", f"{m + 1:.4f}", "inf"]
        for (low, high), wrong in zip(pairwise(edges), ("2,0", "0,0", "0,3"), strict=True):
            errors.append(f"s{k},{low},{high},{wrong},4,{k % 2 + 1}")
    (folder / "chip.features.csv").write_text("\n".join(features) + "\n")
    (folder / "chip.errors.csv").write_text("\n".join(errors) + "\n")


@pytest.mark.usefixtures("in_process")
def test_the_figures_of_aum_run_by_the_command(tmp_path, smaller, monkeypatch):
    write_digits(tmp_path)
    write_sequences(tmp_path)
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    searches = ["first_min", "linear", "quadratic"]
    [five], [six] = (paper_file("aum", f"figure {k}")["measurements"] for k in (5, 6))
    over = [{"n": n, "pairs": 0, "methods": searches} for n in (12, 100, 110)]
    digits = [{"row": "MNIST", "set": "toy", "positive": [1, 2]}]
    smaller(five, rows=digits, over=over, runs=[{"seed": 0}, {"seed": 1}])
    smaller(six, runs=[{"seed": 0, "fold": 0}, {"seed": 0, "fold": 1}])
    for row in six["rows"]:
        smaller(row, set="chip")
    command = ["reproduce", "aum", "--out", tmp_path / "out"]
    ended = done(*command, "--jobs", 2)
    assert ended.stderr.count("6/6: 6 ok\n") == ended.stderr.count("2/2: 2 ok\n") == 1
    for place in ("figure 5", "figure 6"):
        for claim in paper_file("aum", place)["claims"]:
            assert claim["statement"] in " ".join(ended.stdout.split())
    files = sorted((tmp_path / "out" / "reproduction").glob("*.json"))
    assert [path.name for path in files] == ["aum-figure-5-quick.json", "aum-figure-6-quick.json"]
    kept = json.loads(files[1].read_text())
    assert "2 measurements at once" in kept["machine"]
    titles = [part["chart"]["title"] for part in kept["section"]["parts"] if "chart" in part]
    assert titles == ["seconds of a descent, by method", "largest validation AUC, by method"]
    assert done(*command, "--quiet", "--no-run").stdout == ended.stdout
