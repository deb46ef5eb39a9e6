"""The simulated experiments of the SHT-AUC paper: definitions, a tiny run, and statements."""

from itertools import chain

import numpy as np
import pytest
from paper_results import Given, file_of, made, ran, told

from aucbench.papers.parts import Protocol, Scale
from aucbench.papers.results import Results
from aucbench.papers.sht_auc.comparisons import SHT
from aucbench.registry import get_dataset

TEXT = "000_0143e3bd0f6c231c.txt"
LEAKY = Protocol.AS_PUBLISHED
HALVES = ("support-f1", "support-jaccard")


def numbers(place, measure):
    return told("sht-auc", place)["numbers"][measure]["printed"]


def test_numbers_are_those_of_the_paper(papers):
    text = (papers / TEXT).read_text(encoding="utf-8").replace("`", "ℓ")
    lines = [line.split() for line in text.splitlines() if line.count("±") in (4, 8)]

    def printed(cells):
        return [f"{mean:.3f}±{sd:.3f}".replace("0.", ".") for mean, sd in cells]

    for method, cells in numbers("table 1", "auc").items():
        assert [method, *printed(cells)] in lines
        halves = (numbers("table 2", measure)[method] for measure in HALVES)
        assert [method, *map(str, chain(*map(printed, halves)))] in lines


def test_the_printed_jaccard_indices_do_not_follow_from_the_printed_f1():
    """Half a unit of the last digit is allowed for rounding, of both."""
    both = [
        (f1, jaccard)
        for method, cells in numbers("table 2", "support-f1").items()
        for (f1, _), (jaccard, _) in zip(
            cells, numbers("table 2", "support-jaccard")[method], strict=True
        )
    ]
    few = [one for one in both if one[1] + 5e-4 < (one[0] - 5e-4) / (2 - (one[0] - 5e-4))]
    assert (0.365, 0.2) in few  # 0.365/(2 - 0.365) = 0.223
    [note] = [one for one in made("sht-auc", "table 2").notes if "smaller one" in one]
    assert f"In {len(few)} of the {len(both)} places" in note


def test_both_tables_have_the_same_cells():
    assert made("sht-auc", "table 1").plans == made("sht-auc", "table 2").plans


def test_the_protocol_of_the_code_leaks_and_keeps_one_weight_less():
    leaky, clean = (
        made("sht-auc", "table 1", protocol=protocol).entries[0].line
        for protocol in (LEAKY, Protocol.CLEAN)
    )
    assert dict(leaky.choice.tune)["k"] == tuple(range(9, 100, 10))
    assert leaky.choice.spec.params["gamma"] == pytest.approx(0.05 * 0.95)
    name = leaky.datasets[0]
    data = get_dataset(name)
    np.testing.assert_allclose(data.rows.matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.rows.matrix.std(axis=0), 1)
    own = get_dataset(clean.datasets[0])
    np.testing.assert_array_equal(data.relevant, own.relevant)
    np.testing.assert_array_equal(data.y, own.y)
    assert get_dataset("whole[data=breast-cancer,features=nystroem[rank=3]]").d == 3


@pytest.mark.parametrize(("method", "below"), [(SHT, 0.0), ("StoIHT", 0.0), ("FSAUC", 1e-3)])
def test_only_methods_without_hard_thresholds_are_truncated(method, below):
    arrays = {"w": np.array([1.0, 5e-4]), "relevant": np.array([0])}
    [line] = [e.line for e in made("sht-auc", "table 2").entries if e.row == method][:1]

    class One:
        id, ok, sizes = "", True, type("Sizes", (), {"data": None})

    results = Results({}, type("Store", (), {"scores": lambda *_: arrays})())
    results._by_line[line.datasets[0], line.choice, line.features] = [One]
    [value] = results.values(line, "support-f1")
    assert value == pytest.approx(1.0 if below else 2 / 3)


def test_tables_run(monkeypatch, tmp_path):
    plain = told("sht-auc", "table 2")
    few = {
        SHT: {"solver": "sht-auc[k=3]"},
        "SPAM-ℓ2": {"solver": "spam-l2", "truncated": True},
        "StoIHT": {"solver": "sto-iht[k=3]"},
    }
    sizes = {"methods": [*few], "rows": [{"k": 20}, {"k": 40}], "trials": 1}
    sizes["set"] = "outbreak[k=3,r=0.2,n=80,d=10,mu={k},seed={seed}]"
    monkeypatch.setitem(plain, "grids", [{**plain["grids"][0], **sizes}])
    for number in plain["numbers"].values():
        monkeypatch.setitem(number, "printed", {m: number["printed"][m][:2] for m in few})
    monkeypatch.setitem(plain, "claims", [])
    monkeypatch.setitem(file_of("sht-auc"), "methods", few)
    experiment = made("sht-auc", "table 2", Scale.QUICK)
    results, parts = ran(experiment, tmp_path / "results", splits=2, passes=3.0)
    for entry in experiment.entries:
        values = results.values(entry.line, entry.measure)
        assert values.size == 2
        assert ((values >= 0) & (values <= 1)).all()
    headings = [part for part in parts if isinstance(part, str)]
    assert len([part for part in headings if part.startswith("support F1")]) == 1


def noise(line):
    """Return other numbers for each line, and the same ones for one line."""
    return np.random.default_rng([*line.choice.spec.name.encode(), *line.row.encode()]).normal(
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

    found = [made("sht-auc", "table 1").claims(Given(values))[0]]
    found += made("sht-auc", "table 2").claims(Given(values))
    for claim in found:
        assert claim.holds is holds, claim
        assert word in claim.because
