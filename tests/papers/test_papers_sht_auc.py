"""The simulated experiments of the SHT-AUC paper: definitions, a tiny run, and statements."""

import numpy as np
import pytest
from paper_results import Given, made, ran

from aucbench.bench import Choice
from aucbench.papers.parts import Line, Protocol, Scale
from aucbench.papers.results import MEASURES
from aucbench.papers.sht_auc import tables
from aucbench.papers.sht_auc.methods import SHT, measured_as, methods, simulated
from aucbench.registry import get_dataset

TEXT = "000_0143e3bd0f6c231c.txt"
CLEAN, LEAKY = Protocol.CLEAN, Protocol.AS_PUBLISHED


def test_numbers_are_those_of_the_paper(papers):
    text = (papers / TEXT).read_text(encoding="utf-8").replace("`", "ℓ")
    lines = [line.split() for line in text.splitlines() if line.count("±") in (4, 8)]

    def printed(cells):
        return [f"{mean:.3f}±{sd:.3f}".replace("0.", ".") for mean, sd in cells]

    for method, cells in tables.TABLE_1.items():
        assert [method, *printed(cells)] in lines
        both = printed(tables.F1[method]) + printed(tables.JACCARD[method])
        assert [method, *both] in lines


def test_the_printed_jaccard_indices_do_not_follow_from_the_printed_f1():
    places = tables.impossible()
    assert (SHT, 40) in places  # 0.365/(2 - 0.365) = 0.223, and 0.200 is printed
    assert len(places) == 11
    assert any("In 11 of the 28 places" in note for note in made("sht-auc", "table 2").notes)


def test_both_tables_have_the_same_cells():
    assert made("sht-auc", "table 1").plans == made("sht-auc", "table 2").plans


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
    arrays = {"w": np.array([1.0, 5e-4]), "relevant": np.array([0])}

    class One:
        id, sizes = "", type("Sizes", (), {"data": None})

        @staticmethod
        def scores(*_):
            return arrays

    value = MEASURES[measured_as("support-f1", method)].read(One, One)
    assert value == pytest.approx(1.0 if below else 2 / 3)


def tiny(k, r, trials, protocol):
    sets = [f"outbreak[k=3,r={max(r, 0.2)},n=80,d=10,mu={k / 10},seed={s}]" for s in range(trials)]
    return tuple(sets if protocol is CLEAN else [f"whole[data={name}]" for name in sets])


def test_tables_run(monkeypatch, tmp_path):
    few = {
        SHT: Choice("sht-auc[k=3]"),
        "SPAM-ℓ2": Choice("spam-l2"),
        "StoIHT": Choice("sto-iht[k=3]"),
    }
    monkeypatch.setattr(tables, "simulated", lambda *asked: tiny(*asked)[:1])
    monkeypatch.setattr(tables, "methods", lambda *_: few)
    monkeypatch.setattr(tables, "COLUMNS", (20, 40))
    for name in ("TABLE_1", "F1", "JACCARD"):
        numbers = getattr(tables, name)
        monkeypatch.setattr(tables, name, {m: numbers[m][:2] for m in few})
    monkeypatch.setattr(tables, "best_support", lambda *_: [])
    experiment = made("sht-auc", "table 2", Scale.QUICK)
    results, told = ran(experiment, tmp_path / "results", splits=2, passes=3.0)
    for entry in experiment.entries:
        values = results.values(entry.line, entry.measure)
        assert values.size == 2
        assert ((values >= 0) & (values <= 1)).all()
    headings = [part for part in told.parts if isinstance(part, str)]
    assert len([part for part in headings if part.startswith("support F1")]) == 1


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

    found = [tables.best_auc(toy_lines(), Given(values))[0]]
    found += tables.best_support(toy_lines(), Given(values))
    for claim in found:
        assert claim.holds is holds, claim
        assert word in claim.because
