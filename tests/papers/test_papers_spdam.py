"""The experiments of the SPDAM paper: definitions, a tiny run, and statements."""

import re
from importlib import import_module

import numpy as np
import pytest
from paper_results import cells_of, made, ran

from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.bench.results.record import Record, Sizes
from aucbench.papers.parts import Scale
from aucbench.papers.results import Results
from aucbench.papers.spdam import convergence
from aucbench.papers.spdam.convergence import Rows
from aucbench.papers.spdam.methods import GROUPS, METHOD, PUBLISHED, features_of
from aucbench.records import CellStatus
from aucbench.report.sections import Chart, Table

# The package has functions of these names.
figure_2, table_3 = (import_module(f"aucbench.papers.spdam.{n}") for n in ("figure_2", "table_3"))
TEXT = "003_929a8c069aaab55c.txt"
T = np.geomspace(1, 100, 25)  # passes of made curves


def test_numbers_are_those_of_the_paper(papers):
    text = (papers / TEXT).read_text(encoding="utf-8")
    assert f"Datasets {' '.join(METHOD)}" in text
    for name, row in PUBLISHED.items():
        [line] = re.findall(rf"^{name} (0\..*)$", text, re.MULTILINE)
        printed = " ".join(f"{mean:.4f} ± {sd:.4f}" for mean, sd in row.values())
        assert line.removesuffix(" – –") == printed
        assert [*row] == [*METHOD][: len(row)]


def test_some_numbers_of_the_table():
    assert PUBLISHED["diabetes"]["SPDAM"] == (0.8275, 0.0302)
    assert PUBLISHED["ijcnn1"]["B-LS-SVM"] == (0.9320, 0.0037)
    assert PUBLISHED["sector"]["online Uni-Exp"] == (0.9215, 0.0034)
    assert "B-SVM-OR" not in PUBLISHED["sector"]
    assert len(PUBLISHED) == 11


@pytest.mark.parametrize("scale", Scale)
def test_every_number_of_the_table_is_planned_or_says_why_not(scale):
    found = made("spdam", "table 3", scale)
    planned = {(c.dataset, c.solver, c.tune, c.features) for c in cells_of(found)}
    for entry in found.entries:
        spec, tuning = entry.line.choice.spec, entry.line.choice.tuning
        cells = (entry.row, spec, tuning, entry.line.features)
        assert (cells in planned) is not bool(entry.left_out), entry
    assert len(found.entries) == 86
    assert {e.row for e in found.entries if e.why} == {"usps"}


def test_grids_are_those_of_the_paper():
    assert METHOD["SPDAM"].tune == {"lam": tuple(10.0**e for e in range(-5, 2))}
    solam = METHOD["regSOLAM"].tune
    assert solam["xi"] == (1, 10, 19, 28, 37, 46, 55, 64, 73, 82, 91, 100)
    assert solam["lam"] == tuple(10.0**e for e in range(-5, 6))
    full = {p.datasets[0]: p.tune_evals for p in made("spdam", "table 3").plans if p.passes == 15}
    assert full["german"] == len(solam["xi"]) * len(solam["lam"])
    assert full["ijcnn1"] < full["german"]


def test_only_the_columns_of_the_paper_have_rows_of_length_one():
    own = {name for group in GROUPS if not group.taken for name in group.methods}
    assert own == {"SPDAM", "regSOLAM"}
    assert features_of("diabetes", taken=False) == "min-max+unit"
    assert features_of("splice", taken=False) == features_of("a9a", taken=False) == "unit-centred"
    assert features_of("usps", taken=True) == "min-max"
    assert features_of("ijcnn1", taken=True) == "none"


TOY = Rows("breast-cancer", 0.1, 212, 569)


def test_the_table_runs(monkeypatch, tmp_path):
    row = PUBLISHED["diabetes"]
    monkeypatch.setattr(table_3, "PUBLISHED", {TOY.name: row, "usps": row})
    monkeypatch.setattr(table_3, "QUICK", (TOY.name,))
    monkeypatch.setattr(table_3, "_halves", lambda _: ())
    smaller = {"splits": 2, "repeats": 1, "inner_splits": 2, "tune_evals": 2}
    _, told = ran(made("spdam", "table 3", Scale.QUICK), tmp_path / "results", **smaller)

    [main, budgets, _] = [part for part in told.parts if isinstance(part, Table)]
    assert [r[2].endswith("(2)") for r in main.rows] == [True] * 8 + [False] * 8
    assert main.rows[-1][-1] == "not measured: the quick run leaves this set out"
    assert 0.9 < float(budgets.rows[0][3]) <= 1


@pytest.mark.nightly
def test_figures_run(monkeypatch, tmp_path):
    monkeypatch.setattr(convergence, "SETS", (TOY,))
    monkeypatch.setattr(convergence, "FOLDS", 2)
    _, one = ran(
        made("spdam", "figure 1", Scale.QUICK), tmp_path / "one", inner_splits=2, tune_evals=2
    )
    [aucs, falls] = [part for part in one.parts if isinstance(part, Chart)]
    assert [*aucs.lines] == ["SPDAM", "regSOLAM"]
    assert [*falls.lines] == ["breast-cancer, SPDAM", "breast-cancer, regSOLAM"]
    gap = falls.lines["breast-cancer, SPDAM"][1]
    assert gap[0] > 1e-3 > 1e-6 > gap[-1]
    [linear] = [p for p in one.parts if isinstance(p, str) and "theorem 4.1" in p]
    assert "r² at least 0.99" in linear
    monkeypatch.setattr(figure_2, "BATCHES", (0.05, 0.1, 0.5))
    monkeypatch.setattr(figure_2, "SAMPLINGS", {"uniform": "batches drawn as published"})
    _, two = ran(made("spdam", "figure 2", Scale.QUICK), tmp_path / "two", passes=60.0)
    charts = [part for part in two.parts if isinstance(part, Chart)]
    assert [chart.y for chart in charts] == ["test AUC", "certified gap"]
    assert all([*chart.lines] == ["5%", "10%", "50%"] for chart in charts)


def results_of(experiment, curve, auc=lambda cell: 0.8, store=None):
    """Return results with made curves: functions of a cell, slightly other for each split."""
    known = {"status": Status(status=CellStatus.OK), "sizes": Sizes(n_train=800, n_test=200)}
    records = {
        cell: Record(
            id="0", cell=cell, measures=Measures(auc=auc(cell)), curve=tuple(curve(cell)), **known
        )
        for cell in cells_of(experiment)
    }
    return Results(records, store)


def points(gap, objective, auc):
    """Return points of a curve: y of each key at the passes `T`."""
    return [
        {"passes": t, "step": t, "gap": g, "objective": f, "test_auc": a}
        for t, g, f, a in zip(T, gap(T), objective(T), auc(T), strict=True)
    ]


def first_figure(*, gap, excess, own, other):
    """Return the claims of figure 1 on curves that are given."""

    def curve(cell):
        jitter = 1 + 0.01 * cell.split
        if cell.solver.name == "spdam":
            return points(lambda t: gap(t * jitter), np.ones_like, lambda t: own(t * jitter))
        if cell.solver.name == "reg-solam":
            above = lambda t: 1 + excess(t) * (1 + 0.01 * cell.split * np.log(t))  # noqa: E731
            return points(np.ones_like, above, lambda t: other(t / jitter))
        return points(np.ones_like, np.ones_like, lambda t: np.full_like(t, 0.9))

    found = made("spdam", "figure 1", Scale.QUICK)
    return [claim.holds for claim in found.claims(results_of(found, curve))]


def fast(t):
    return 10.0 ** (-t / 20)


def rising(within):
    return lambda t: 0.9 - 0.3 * np.exp(-t / within)


def test_the_claims_of_figure_1_follow_the_curves():
    usual = {"gap": fast, "excess": lambda t: 1 / t, "own": rising(2), "other": rising(10)}
    assert first_figure(**usual) == [True, True, True, True]
    assert first_figure(**{**usual, "gap": lambda t: 1 / (1 + t) ** 2})[0] is False
    assert first_figure(**{**usual, "gap": lambda t: 1 + 0 * t + t / 1e3})[0] is False
    assert first_figure(**{**usual, "excess": lambda t: t**-0.3})[1] is False
    assert first_figure(**{**usual, "excess": lambda t: 10 ** (-t / 20)})[1] is False
    assert first_figure(**{**usual, "own": rising(20)})[2] is False
    assert first_figure(**{**usual, "gap": lambda t: 10.0 ** (-t / 200)})[3] is False
