"""The experiments of the SPDAM paper: definitions, a tiny run, and statements."""

import re
from dataclasses import replace

import numpy as np
import pytest
from paper_results import cells_of, made, ran, told

from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.bench.results.record import Record, Sizes
from aucbench.papers.parts import Scale
from aucbench.papers.results import Results
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid

TEXT = "003_929a8c069aaab55c.txt"
T = np.geomspace(1, 100, 25)  # passes of made curves


def table(scale=Scale.FULL):
    return made("spdam", "table 3", scale)


def test_numbers_are_those_of_the_paper(papers):
    text = (papers / TEXT).read_text(encoding="utf-8")
    numbers = told("spdam", "table 3")["numbers"]["auc"]
    assert f"Datasets {' '.join(numbers['columns'])}" in text
    published = {}
    for entry in table().entries:
        assert entry.column == numbers["columns"][len(published.get(entry.row, ()))]
        published.setdefault(entry.row, []).append(entry.published)
    assert len(published) == 11
    for name, row in published.items():
        [line] = re.findall(rf"^{name} (0\..*)$", text, re.MULTILINE)
        printed = " ".join(f"{one.mean:.4f} ± {one.sd:.4f}" for one in row)
        assert line.removesuffix(" – –") == printed


@pytest.mark.parametrize("scale", Scale)
def test_every_number_of_the_table_is_planned_or_says_why_not(scale):
    found = table(scale)
    planned = {(c.dataset.name, c.choice, c.features) for c in cells_of(found)}
    for entry in found.entries:
        cells = (entry.row, entry.line.choice, entry.line.features)
        assert (cells in planned) is not bool(entry.left_out), entry
    assert len(found.entries) == 86
    assert {e.row for e in found.entries if e.why} == {"usps"}


def test_grids_are_those_of_the_paper():
    own, solam = (dict(e.line.choice.tune) for e in table().entries[:2])
    assert own == {"lam": tuple(10.0**e for e in range(-5, 2))}
    assert solam["xi"] == (1, 10, 19, 28, 37, 46, 55, 64, 73, 82, 91, 100)
    assert solam["lam"] == tuple(10.0**e for e in range(-5, 6))
    full = {p.data[0].name: p.tune_evals for p in table().plans if p.passes == 15}
    assert full["german"] == len(solam["xi"]) * len(solam["lam"])
    assert full["ijcnn1"] < full["german"]


def test_only_the_columns_of_the_paper_have_rows_of_length_one():
    maps = {(e.row, e.column): str(e.line.features) for e in table().entries}
    assert {column for (_, column), phi in maps.items() if "unit" in phi} == {"SPDAM", "regSOLAM"}
    assert maps["diabetes", "SPDAM"] == maps["german", "regSOLAM"] == "min-max+unit"
    assert maps["splice", "SPDAM"] == maps["a9a", "regSOLAM"] == "unit-centred"
    assert maps["usps", "OPAUC"] == "min-max"
    assert maps["ijcnn1", "B-LS-SVM"] == "none"


def test_the_exact_minimiser_has_the_ridge_of_reg_solam():
    shares = {"german": 300 / 1000, "splice": 1648 / 3175, "usps": 3863 / 9298}
    for over in told("spdam", "figure 1")["over"]:
        p = shares[over["row"]]
        assert over["exact"] == pytest.approx(over["lam"] / (p * (1 - p)), rel=1e-11)


P = 212 / 569  # positives of the toy set
TOY = {"row": "breast-cancer", "lam": 0.1, "exact": 0.1 / (P * (1 - P))}
TOY |= {"features": "min-max+unit"}


def test_the_table_runs(monkeypatch, tmp_path):
    plain = told("spdam", "table 3")
    first, *_ = plain["over"]
    toy = {**first, "row": TOY["row"]}
    usps = {**first, "row": "usps", "left_out": "the quick run leaves this set out"}
    monkeypatch.setitem(plain, "over", [toy, usps])
    numbers = plain["numbers"]["auc"]
    row = numbers["printed"]["diabetes"]
    monkeypatch.setitem(numbers, "printed", {TOY["row"]: row, "usps": row})
    monkeypatch.setitem(plain, "grids", [{**grid, "trials": 1} for grid in plain["grids"]])
    smaller = {"splits": 2, "repeats": 1, "inner_splits": 2, "tune_evals": 2}
    experiment = made("spdam", "table 3", Scale.QUICK)
    plans = tuple(plan for plan in experiment.plans if plan.data == (Spec(TOY["row"]),))
    _, parts = ran(replace(experiment, plans=plans), tmp_path / "results", **smaller)

    [main, budgets, _] = [part for part in parts if isinstance(part, Grid)]
    assert [r[2].endswith("(2)") for r in main.lines] == [True] * 8 + [False] * 8
    assert main.lines[-1][-1] == "not measured: the quick run leaves this set out"
    assert 0.9 < float(budgets.lines[0][3]) <= 1


@pytest.mark.nightly
def test_figures_run(monkeypatch, tmp_path):
    for place in ("figure 1", "figure 2"):
        monkeypatch.setitem(told("spdam", place), "over", [TOY])
        monkeypatch.setitem(told("spdam", place)["plan"], "splits", 2)
    _, one = ran(
        made("spdam", "figure 1", Scale.QUICK), tmp_path / "one", inner_splits=2, tune_evals=2
    )
    [aucs, falls] = [part for part in one if isinstance(part, Chart)]
    assert [*aucs.lines] == ["SPDAM", "regSOLAM"]
    assert [*falls.lines] == ["breast-cancer, SPDAM", "breast-cancer, regSOLAM"]
    gap = falls.lines["breast-cancer, SPDAM"][1]
    assert gap[0] > 1e-3 > 1e-6 > gap[-1]
    [linear] = [p for p in one if isinstance(p, str) and "theorem 4.1" in p]
    assert "r² at least 0.99" in linear
    batches = {"5%": 0.05, "10%": 0.1, "50%": 0.5}
    plain = told("spdam", "figure 2")
    monkeypatch.setitem(plain, "batches", batches)
    monkeypatch.setitem(plain, "samplings", {"uniform": "batches drawn as published"})
    monkeypatch.setitem(plain["grids"][0], "methods", [f"uniform {batch}" for batch in batches])
    monkeypatch.setitem(plain, "claims", [])
    _, two = ran(made("spdam", "figure 2", Scale.QUICK), tmp_path / "two", passes=60.0)
    charts = [part for part in two if isinstance(part, Chart)]
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
