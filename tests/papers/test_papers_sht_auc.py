"""The simulated experiments of the SHT-AUC paper: definitions, a tiny run, and statements."""

from dataclasses import replace

import numpy as np
import pytest

from aucbench.bench import Store, make_engine, run
from aucbench.errors import ParameterError
from aucbench.papers.catalogue import experiments, paper
from aucbench.papers.parts import Line, Protocol, Scale
from aucbench.papers.results import MEASURES, Results, by_cell
from aucbench.papers.sections import section_of
from aucbench.papers.sht_auc import claims, convergence, imbalance, published, tables
from aucbench.papers.sht_auc.figure_1 import OWN
from aucbench.papers.sht_auc.methods import FOR_AUC, SHT, methods, simulated, support_measure
from aucbench.registry import get_dataset
from aucbench.sections import Chart

TEXT = "000_0143e3bd0f6c231c.txt"
PLACES = ("table 1", "table 2", "figure 1", "figure 2")
CLEAN, LEAKY = Protocol.CLEAN, Protocol.AS_PUBLISHED


def made(place, scale=Scale.FULL, protocol=CLEAN):
    kind, number = place.split()
    given = {kind: int(number)}
    (found,) = experiments(paper("sht-auc"), **given, scale=scale, protocol=protocol)
    return found


def test_numbers_are_those_of_the_paper(papers):
    text = (papers / TEXT).read_text(encoding="utf-8").replace("`", "ℓ")
    lines = [line.split() for line in text.splitlines() if line.count("±") in (4, 8)]

    def printed(cells):
        return [f"{mean:.3f}±{sd:.3f}".replace("0.", ".") for mean, sd in cells]

    for method, cells in published.TABLE_1.items():
        name = method.replace("ℓ", "ℓ")
        assert [name, *printed(cells)] in lines
        both = printed(published.F1[method]) + printed(published.JACCARD[method])
        assert [name, *both] in lines


def test_the_printed_jaccard_indices_do_not_follow_from_the_printed_f1():
    places = tables.impossible()
    assert (SHT, 40) in places  # 0.365/(2 - 0.365) = 0.223, and 0.200 is printed
    assert len(places) == 11
    assert any("In 11 of the 28 places" in note for note in made("table 2").notes)


@pytest.mark.parametrize(
    ("place", "scale", "protocol", "cells"),
    [
        ("table 1", Scale.FULL, CLEAN, 4 * 25 * 7),
        ("table 1", Scale.FULL, LEAKY, 4 * 25 * 7),
        ("table 2", Scale.FULL, CLEAN, 4 * 25 * 7),
        ("table 1", Scale.QUICK, CLEAN, 4 * 10 * 7),
        ("figure 1", Scale.FULL, CLEAN, 4 * 3 * 25 * 2),
        ("figure 1", Scale.QUICK, CLEAN, 2 * 3 * 10 * 2),
        ("figure 2", Scale.FULL, CLEAN, 10 * 15 * 7),
        ("figure 2", Scale.QUICK, CLEAN, 4 * 10 * 7),
    ],
)
def test_plans_have_the_cells_of_the_paper(place, scale, protocol, cells):
    found = made(place, scale, protocol)
    planned = [cell for plan in found.plans for cell in plan.cells()]
    assert len(planned) == len({*planned}) == cells
    known = {(c.dataset, c.solver, c.tune, c.features) for c in planned}
    for entry in found.entries:
        assert entry.measure in MEASURES
        spec, tuning = entry.line.choice.spec, entry.line.choice.tuning
        for name in entry.line.datasets:
            assert (name, spec, tuning, entry.line.features) in known
    assert found.notes


def test_both_tables_have_the_same_cells():
    one, two = (made(place).plans for place in ("table 1", "table 2"))
    assert one == two


def test_figures_have_no_protocol_of_the_code_of_their_own():
    with pytest.raises(ParameterError, match="as-published is not known for figure 1"):
        made("figure 1", Scale.QUICK, LEAKY)


def test_the_protocol_of_the_code_leaks_and_keeps_one_weight_less():
    found = methods(LEAKY, 0.05)
    assert found[SHT].tune["k"] == tuple(range(9, 100, 10))
    assert found[SHT].spec.params["gamma"] == pytest.approx(0.05 * 0.95)
    (name,) = simulated(20, 0.05, 1, LEAKY)
    data = get_dataset(name)
    np.testing.assert_allclose(data.rows.matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.rows.matrix.std(axis=0), 1)
    own = get_dataset(simulated(20, 0.05, 1, CLEAN)[0])
    np.testing.assert_array_equal(data.relevant, own.relevant)
    np.testing.assert_array_equal(data.y, own.y)
    assert get_dataset("whole[data=breast-cancer,features=nystroem[rank=3]]").d == 3


@pytest.mark.parametrize(("method", "below"), [(SHT, 0.0), ("StoIHT", 0.0), ("FSAUC", 1e-3)])
def test_only_methods_without_hard_thresholds_are_truncated(method, below):
    kept = {"w": np.array([1.0, 5e-4]), "relevant": np.array([0])}

    class One:
        id, sizes = "", made("table 1")

        @staticmethod
        def scores(*_):
            return kept

    One.sizes = type("Sizes", (), {"data": None})
    value = MEASURES[support_measure("support-f1", method)].read(One, One)
    assert value == pytest.approx(1.0 if below else 2 / 3)


def tiny(k, r, trials, protocol):
    sets = [f"outbreak[k=3,r={max(r, 0.2)},n=80,d=10,mu={k / 10},seed={s}]" for s in range(trials)]
    return tuple(sets if protocol is CLEAN else [f"whole[data={name}]" for name in sets])


@pytest.fixture(scope="module")
def few():
    chosen = methods(CLEAN, 0.05)
    return {name: replace_grid(chosen[name]) for name in (SHT, "SPAM-ℓ2", "StoIHT")}


def replace_grid(choice):
    return type(choice)(f"{choice.spec.name}[k=3]" if "k" in choice.tune else choice.spec)


def test_tables_run(monkeypatch, tmp_path, few):
    monkeypatch.setattr(tables, "simulated", lambda *given: tiny(*given)[:1])
    monkeypatch.setattr(tables, "methods", lambda *_: few)
    monkeypatch.setattr(published, "SPARSITIES", (20, 40))
    for name in ("TABLE_1", "F1", "JACCARD"):
        numbers = getattr(published, name)
        monkeypatch.setattr(published, name, {m: numbers[m][:2] for m in few})
    found = made("table 2", Scale.QUICK)
    found = replace(found, plans=tuple(replace(p, splits=2, passes=3.0) for p in found.plans))
    [plan] = found.plans
    with Store(tmp_path / "results", create=True) as store:
        results = Results(by_cell(run(plan, store, make_engine(jobs=1))), store)
        told = section_of(replace(found, claims=lambda _: ()), results)
        for entry in found.entries:
            values = results.values(entry.line, entry.measure)
            assert values.size == 2
            assert ((values >= 0) & (values <= 1)).all()
        headings = [part for part in told.parts if isinstance(part, str) and "support" in part]
    assert len([part for part in headings if part.startswith("support F1")]) == 1


class Given:
    """Results that are given: values by line and measure, and curves."""

    def __init__(self, values=None, curves=None):
        self._values, self._curves = values, curves

    def values(self, line, measure="auc"):
        return self._values(line, measure)

    def curves(self, line, x="passes", y="test_auc"):
        return self._curves(line, y)


def toy_lines(second=(20, 40, 60, 80)):
    return {
        (m, at): Line(("a", "b", "c", "d", "e"), choice, str(at))
        for m, choice in methods(CLEAN, 0.05).items()
        for at in second
    }


def noise(line):
    """Return other numbers for each line, and the same ones for one line."""
    return np.random.default_rng([*line.choice.spec.name.encode(), *line.features.encode()]).normal(
        0, 0.01, 25
    )


@pytest.mark.parametrize(
    ("shift", "holds", "word"),
    [(0.1, True, "above"), (0.0, False, "cannot be told from"), (-0.1, False, "below")],
)
def test_statements_about_the_tables_follow_the_data(shift, holds, word):
    def values(line, _):
        own = line.choice.spec.name == "sht-auc"
        return 0.7 + shift * own + noise(line)

    found = [claims.best_auc(toy_lines(), Given(values))[0]]
    found += claims.best_support(toy_lines(), Given(values))
    for claim in found:
        assert claim.holds is holds, claim
        assert word in claim.because


def test_statements_are_open_without_runs():
    empty = Given(lambda *_: np.empty(0), lambda *_: [])
    lines = toy_lines()
    found = [*claims.best_auc(lines, empty), *claims.best_support(lines, empty)]
    shares = toy_lines((0.05, 0.5))
    found += [*imbalance.falls(shares, empty), *imbalance.gains(shares, empty)]
    steps = {("own", 20, r): Line(("a",), methods(CLEAN, r)[SHT], "unit") for r in (0.05, 0.5)}
    found += convergence.slower(steps, empty)
    assert {claim.holds for claim in found} == {None}
    assert all("no comparison with" in claim.because for claim in found)
    assert not any(isinstance(part, Chart) for part in convergence.curves(steps, empty))


@pytest.mark.parametrize("rise", [0.5, 0.0, -0.5])
def test_statements_about_the_share_follow_the_data(rise):
    def values(line, _):
        r = float(line.features)
        ahead = 0.2 * (line.choice.spec.name in for_auc) * (r < 0.2)
        return 0.6 + rise * r + ahead + noise(line)

    for_auc = {methods(CLEAN, 0.05)[name].spec.name for name in FOR_AUC}
    lines = toy_lines((0.05, 0.3, 0.5))
    rising = imbalance.falls({at: line for at, line in lines.items() if at[1] > 0.2}, Given(values))
    assert [claim.holds for claim in rising] == [rise > 0] * 6
    ahead, most = imbalance.gains(lines, Given(values))
    assert ahead.holds
    assert most.holds
    chart = imbalance.against_share(lines, Given(values))[0]
    assert [*chart.lines] == [*methods(CLEAN, 0.05)]


def curve(rate):
    passes = np.arange(0.0, 301.0)
    return passes, 1.0 - 0.5 * np.exp(-passes * rate)


def test_the_passes_of_a_curve_are_those_until_it_stays_near_its_end():
    passes, values = curve(0.1)
    wanted = np.log(20) / 0.1  # 0.5 exp(-t/10) = 0.05 * 0.5
    assert convergence.reached(passes, 1.5 - values, "objective") == np.ceil(wanted)
    wanted = np.log(100) / 0.1  # 0.5 exp(-t/10) = 0.005
    assert convergence.reached(passes, values, "train_auc") == np.ceil(wanted)
    later = values.copy()
    later[200] = 0.5  # it leaves the end once more
    assert convergence.reached(passes, later, "test_auc") == 201
    assert convergence.reached(passes, np.full(301, 0.9), "test_auc") == 0


@pytest.mark.parametrize(("rate", "holds"), [(0.02, True), (0.5, False), (0.1, False)])
def test_the_statement_about_convergence_follows_the_curves(rate, holds):
    lines = {
        (OWN, 20, r): Line(("a", "b", "c", "d", "e"), methods(CLEAN, 0.05)[SHT], str(r))
        for r in (0.05, 0.5)
    }

    def curves(line, y):
        mean = rate if line.features == "0.05" else 0.1
        rng = np.random.default_rng(len(line.features))
        found = [curve(mean * np.exp(0.3 * rng.standard_normal())) for _ in range(25)]
        return [(passes, 1.5 - v if y == "objective" else v) for passes, v in found]

    found = convergence.slower(lines, Given(curves=curves))
    assert [claim.holds for claim in found] == [holds] * 3
    shown = convergence.curves(lines, Given(curves=curves))
    assert [chart.title for chart in shown[:2]] == [
        f"{title}, k* = 20, {OWN}" for title in convergence.CURVES.values()
    ]
