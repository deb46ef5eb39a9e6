"""The tables of the ROC-SVM paper: its numbers, the plans, small runs, and the statements."""

import re

import numpy as np
import pytest
from paper_results import Given, cells_of, made, ran, told

from aucbench.datasets.simulated import linear, true_scores
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.papers import results as measures
from aucbench.papers.parts import AUC, Scale
from aucbench.papers.ranges import deviation_of
from aucbench.papers.results import MEASURES, SECONDS, TRUTH
from aucbench.papers.roc_svm.population import population_auc
from aucbench.papers.sections import Agreement, compared
from aucbench.papers.whole import sample
from aucbench.registry import get_dataset
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid

SIZES = (5_000, 10_000, 50_000, 100_000)
METHODS = ("Linear", "Radial")


def table(number, scale=Scale.FULL):
    return made("roc-svm", f"table {number}", scale)


def shown(published, measure, form=".3f"):
    """A number as the paper prints it: an AUC in %, with its deviation in thousandths."""
    if published is None:
        return "–"
    if measure == AUC:
        return f"{100 * published.mean:{form}} ({1000 * published.sd:.2f})"
    return f"{published.mean:.2f} ({published.sd:.2f})"


def test_the_numbers_are_those_of_the_paper(papers):
    [text] = [
        text
        for path in papers.glob("*.txt")
        if "Scaling Up ROC-Optimizing" in (text := path.read_text(encoding="utf-8"))[:500]
    ]
    lines = {" ".join(line.split()) for line in text.splitlines()}
    for number in (1, 2):
        printed = {(e.row, e.column, e.measure): e.published for e in table(number).entries}
        first, second, _ = dict.fromkeys(e.column for e in table(number).entries)
        for n in SIZES:
            cells = [
                shown(printed.get((f"{n} rows", method, measure)), measure)
                for measure in (SECONDS, AUC)
                for method in (first, second)
            ]
            assert " ".join([f"{n:,}", *cells]) in lines
        population = told("roc-svm", f"table {number}")["population"]
        assert f"The population AUC (AUC_{{true}}) is {100 * population:.3f}%" in re.sub(
            r"\$|\\\\text|\\\\mathrm", "", text
        )
        for n, method in ((n, method) for n in SIZES for method in (first, second)):
            own, above = (printed.get((f"{n} rows", method, x)) for x in (AUC, TRUTH))
            assert (own is None) is (above is None)
            assert own is None or above.mean == pytest.approx(own.mean - population, abs=1e-9)
            assert own is None or above.sd == own.sd
    printed = {(e.row, e.column, e.measure): e.published for e in table(3).entries}
    for row, method in {(row, method) for row, method, _ in printed if method in METHODS}:
        seconds, own = (printed[row, method, measure] for measure in (SECONDS, AUC))
        both = f"{shown(seconds, SECONDS)} {shown(own, AUC, '.2f')}"
        assert any(line.endswith(both) for line in lines)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_each_cell_stands_beside_a_number(number):
    experiment = table(number)
    of_entries = {
        (name, entry.line.choice.spec, entry.line.features)
        for entry in experiment.entries
        for name in entry.line.datasets
    }
    assert of_entries == {(c.dataset, c.solver, c.features) for c in cells_of(experiment)}


def test_full_tables_have_the_sizes_of_the_paper():
    rows = {plan.data[0]: plan for plan in table(1).plans}
    assert [len(plan.data) for plan in rows.values()] == [50] * 4
    assert len(table(1).entries) == 4 * 3 * 3
    for n, plan in zip(SIZES, table(1).plans, strict=True):
        total = plan.data[0].params["n"]
        assert total - round(total * plan.holdout) == n
    everything = [name for plan in table(2).plans for name in plan.data]
    seeds = [name.params["seed"] for name in everything]
    assert len({*seeds}) == 200
    kernels = [len(plan.solvers) for plan in table(2).plans]
    assert kernels == [3, 3, 2, 2]  # without landmarks up to 10 000 rows
    [third] = table(3).plans
    assert (third.repeats, len(third.data), len(third.solvers)) == (30, 3, 3)
    assert str(third.data[0]) == "sample[data=skin,n=100000,seed=0]"


def test_quick_tables_are_a_part_of_the_full_ones():
    for number in (1, 2):
        cells = [{*cells_of(table(number, scale))} for scale in Scale]
        assert cells[0] < cells[1]
        assert len(cells[0]) * 10 == len(cells[1])


def small(monkeypatch, number):
    """Make a table small: two sizes, two runs, and 500 test rows."""
    plain = told("roc-svm", f"table {number}")
    sizes = [
        {**over, "n": n, "total": n + 500, "holdout": 500 / (n + 500)}
        for over, n in zip(plain["over"], (300, 600), strict=False)
    ]
    monkeypatch.setitem(plain, "over", sizes)
    monkeypatch.setitem(plain["grids"][0], "trials", 2)


@pytest.mark.nightly
@pytest.mark.parametrize("number", [1, 2])
def test_a_small_table_of_simulated_rows(number, monkeypatch, tmp_path):
    small(monkeypatch, number)
    simulated = {1: "linear", 2: "radial"}
    experiment = table(number, Scale.QUICK)
    results, parts = ran(experiment, tmp_path / "results")
    record = next(iter(results.records.values()))
    assert (record.sizes.n_train, record.sizes.n_test) in {(300, 500), (600, 500)}

    found = [compared(entry, results) for entry in experiment.entries]
    assert all(one.runs == 2 for one in found)
    by_measure = {one.entry.measure for one in found}
    assert by_measure == {AUC, TRUTH, SECONDS}
    for one in found:
        if one.entry.measure == AUC:
            assert one.agreement in {Agreement.INCOMPARABLE, Agreement.UNMEASURED, Agreement.NEW}
        if one.entry.measure == TRUTH:
            assert -0.1 < one.mean < 0.01
    kinds = [type(part) for part in parts]
    assert kinds.count(Chart) == 3
    texts = " ".join(part for part in parts if isinstance(part, str))
    assert texts.count(" — ") == len(experiment.claims(results)) == 6
    assert "By quadrature the printed model has the population AUC" in texts
    for record in results.records.values():
        data = get_dataset(record.cell.dataset)
        rows = results.store.scores(record.id, record.sizes.data)["rows"]
        best = auc(data.y[rows], true_scores(simulated[number], data.rows.matrix[rows]))
        found = MEASURES[TRUTH].read(record, results.store)
        assert found == pytest.approx(record.measures.auc - best, abs=1e-12)

    measures._true_auc.cache_clear()
    monkeypatch.setattr(measures, "get_dataset", lambda _: linear(1200, seed=99))
    with pytest.raises(DataError, match="no longer draws the rows"):
        MEASURES[TRUTH].read(record, results.store)


@pytest.mark.nightly
def test_a_small_table_of_real_rows(monkeypatch, tmp_path):
    here = ("sample[data=breast-cancer,n=300]", "digits-8", "breast-cancer")
    plain = told("roc-svm", "table 3")
    rows = [{**row, "set": name} for row, name in zip(plain["grids"][0]["rows"], here, strict=True)]
    monkeypatch.setitem(plain["grids"][0], "rows", rows)
    monkeypatch.setitem(plain["plan"], "repeats", 2)
    experiment = table(3, Scale.QUICK)
    results, parts = ran(experiment, tmp_path / "results")
    assert all(compared(entry, results).runs == 2 for entry in experiment.entries)
    [times] = [
        part for part in parts if isinstance(part, Grid) and part.header[-1] == "published / ours"
    ]
    assert len(times.lines) == 6
    for _, _, ours, published, ratio in times.lines:
        assert ratio == pytest.approx(published / ours)
    assert len(experiment.claims(results)) == 4


def noise(line, scale):
    seeds = [name.params["seed"] for name in line.datasets]
    return scale * np.random.default_rng(seeds[0]).standard_normal(len(seeds))


def statements(values):
    claims = table(1, Scale.QUICK).claims(Given(values))
    return {claim.statement: claim for claim in claims}


def of_word(claims, word):
    [found] = [claim for statement, claim in claims.items() if word in statement]
    return found


@pytest.mark.parametrize(
    ("full", "incomplete", "times", "square", "line"),
    [(2.0, 0.5, True, True, True), (1.1, 1.0, False, False, True), (1.1, 1.9, False, False, False)],
)
def test_the_statements_about_time_follow_the_numbers(full, incomplete, times, square, line):
    def values(of, measure):
        if measure == TRUTH:
            return noise(of, 0.05)
        slow = of.method == "full"
        power, at_5000 = (full, 100.0 if times else 1.5) if slow else (incomplete, 1.0)
        return at_5000 * (of.at["n"] / 5000) ** power * np.exp(noise(of, 0.05))

    claims = statements(values)
    assert of_word(claims, "70 times").holds is times
    assert of_word(claims, "above 1.5").holds is square
    assert of_word(claims, "below 1.5").holds is line
    if not times:
        assert "O(n log n)" in of_word(claims, "70 times").because


def test_the_interval_of_a_deviation_covers_the_true_one():
    rng = np.random.default_rng(0)
    found = [deviation_of(2.0 * rng.standard_normal(10)) for _ in range(2000)]
    covered = np.mean([r.low <= 2.0 <= r.high for r in found])
    assert covered == pytest.approx(0.95, abs=0.015)
    assert np.isnan(deviation_of([1.0]).low)


@pytest.mark.parametrize(("number", "model"), [(1, "linear"), (2, "radial")])
def test_the_notes_say_the_auc_of_the_printed_model(number, model):
    [note] = [note for note in table(number).notes if note.startswith("By quadrature")]
    population, share, exactly = re.findall(r"\d+\.\d+", note)
    assert float(population) == told("roc-svm", f"table {number}")["population"]
    low, high = (population_auc(model, float(share) / 100 + step) for step in (-5e-4, 5e-4))
    assert low <= float(population) <= high
    assert exactly == f"{population_auc(model):.5f}"
    [why] = {entry.why for entry in table(number).entries if entry.measure == AUC}
    assert why.endswith(f"AUC {exactly}, and the paper says {population}")


def test_a_sample_has_the_shares_of_the_classes_and_rows_of_the_set(tmp_path):
    X, y = np.arange(600.0).reshape(300, 2), np.where(np.arange(300) % 3 == 0, 1, -1)
    np.savez(tmp_path / "whole.npz", X=X, y=y)
    spec = f"sample[data={tmp_path / 'whole.npz'},n=60,seed=1]"
    first, again = get_dataset(spec), get_dataset(spec)
    other = sample(str(tmp_path / "whole.npz"), n=60, seed=2)

    assert (first.n, first.target.n_pos) == (60, 20)
    assert set(first.rows.matrix[:, 0]) <= set(X[:, 0])
    np.testing.assert_array_equal(first.rows.matrix, again.rows.matrix)
    assert not np.array_equal(first.rows.matrix, other.rows.matrix)
    with pytest.raises(DataError, match="has 300 rows, of which 300 cannot be drawn"):
        sample(str(tmp_path / "whole.npz"), n=300)
