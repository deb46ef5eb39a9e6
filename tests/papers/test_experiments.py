"""The files of the papers: their numbers are those of the papers, and their plans are whole."""

import re
from functools import partial
from itertools import chain
from math import inf

import numpy as np
import pytest
from refusals import assert_refused
from result_folders import cells_of, paper_experiment, paper_file
from scipy.integrate import cumulative_trapezoid
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.papers import experiments as catalogue
from aucbench.papers.parts import AUC, Protocol, Scale
from aucbench.papers.results import MEASURES, SECONDS, TRUTH
from aucbench.registry import get_dataset, get_features, get_solver

LEAKY = Protocol.AS_PUBLISHED


@pytest.mark.parametrize("name", catalogue.paper_names())
@pytest.mark.parametrize("scale", Scale)
def test_every_experiment_is_well_formed(name, scale):
    paper = catalogue.paper(name)
    for place in paper.places:
        one = paper_experiment(name, place, scale)
        cells = cells_of(one)
        assert (one.paper, one.place, one.scale) == (name, place, scale)
        assert one.notes
        assert one.plans or one.measurements
        assert len(cells) == len({*cells})
        for spec in {cell.solver for cell in cells}:
            assert get_solver(spec).needs is not None
        for features in {cell.features for cell in cells}:
            assert get_features(features) is not None
        planned = {(c.dataset, c.choice, c.features) for c in cells}
        for entry in one.entries:
            assert entry.measure in MEASURES
            for line in (entry.line, *entry.rivals):
                wanted = {(d, line.choice, line.features) for d in line.datasets}
                assert (wanted <= planned) is not bool(entry.left_out), (place, entry)
            assert entry.published is None or 0 < abs(entry.published.mean) < inf
    for place in paper.as_published:
        assert paper_experiment(name, place, scale, LEAKY).protocol is LEAKY


@pytest.mark.parametrize(
    ("name", "place", "quick", "full"),
    [
        ("roc-svm", "table 1", 4 * 5 * 3, 4 * 50 * 3),
        ("roc-svm", "table 2", 5 * (3 + 3 + 2 + 2), 50 * (3 + 3 + 2 + 2)),
        ("roc-svm", "table 3", 3 * 3 * 3, 3 * 30 * 3),
        ("sht-auc", "table 1", 4 * 10 * 7, 4 * 25 * 7),
        ("sht-auc", "table 2", 4 * 10 * 7, 4 * 25 * 7),
        ("sht-auc", "figure 1", 2 * 3 * 10 * 2, 4 * 3 * 25 * 2),
        ("sht-auc", "figure 2", 4 * 10 * 7, 10 * 15 * 7),
        ("spdam", "table 3", 5 * 8 * 10 + 2 * 5 * 5, 7 * 8 * 25 + 2 * 20 * 5),
        ("spdam", "figure 1", 3 * 3 * 5, 3 * 3 * 10),
        ("spdam", "figure 2", 3 * 10 * 5, 3 * 10 * 10),
    ],
)
def test_plans_have_the_cells_of_the_paper(name, place, quick, full):
    assert len(cells_of(paper_experiment(name, place, Scale.QUICK))) == quick
    assert len(cells_of(paper_experiment(name, place))) == full
    if place in catalogue.paper(name).as_published:
        assert len(cells_of(paper_experiment(name, place, protocol=LEAKY))) == full


TOY = """
methods = {{ ridge = {{ solver = "ls-svm[lam=0.1]" }} }}
[experiments."table 1"]
title = "toys"
notes = ["a note"]
{own}
[[experiments."table 1".grids]]
rows = [{{ row = "cancer" }}]
set = "breast-cancer"
methods = ["ridge"]
features = "none"
{grid}
"""
CLAIM = 'claims = [{{ statement = "it is so", {} }}]'
DIFFERENCE = 'form = "difference", of = {}, item = "{rang}"'


def written(tmp_path, own="", grid=""):
    """The experiments of a file with these additions."""
    file = tmp_path / ("wrong.toml" if own or grid else "toy.toml")
    file.write_text(TOY.format(own=own, grid=grid))
    return catalogue.experiments(catalogue.paper(str(file)))


@pytest.mark.parametrize(
    ("own", "grid", "word"),
    [
        ("fesh = true", "", "'fresh'"),
        ("numbers.aux = {}", "", "'auc'"),
        (CLAIM.format('form = "diference"'), "", "'diference'"),
        (CLAIM.format('form = "open"'), "", "lacks why"),
        (CLAIM.format(DIFFERENCE), "", "'range'"),
        ('drawings = [{ form = "pie" }]', "", "'pie'"),
    ],
)
def test_what_is_not_known_in_a_file_is_refused(tmp_path, own, grid, word):
    [one] = written(tmp_path)
    assert (one.paper, len(cells_of(one))) == ("toy", 5)
    said = assert_refused(lambda: written(tmp_path, own, grid), DataError, word)
    assert said.startswith("wrong.toml, table 1: ")


def test_what_is_no_paper_is_refused(tmp_path):
    (tmp_path / "a.toml").write_text("expriments = {}")
    for name, error, word in (
        ("spdan", UnknownNameError, "'spdam'"),
        (str(tmp_path / "a.toml"), UnknownNameError, "key of the file"),
        (str(tmp_path / "b.toml"), DataError, "cannot be read"),
    ):
        assert_refused(lambda name=name: catalogue.paper(name), error, word)
    for name, place in (("sht-auc", {"figure": 1}), ("spdam", {"table": 3})):
        protocol = partial(catalogue.experiments, catalogue.paper(name), **place, protocol=LEAKY)
        assert_refused(protocol, ParameterError, "as-published is not known")


def text_of(papers, words):
    texts = (path.read_text(encoding="utf-8") for path in papers.glob("*.txt"))
    [text] = [text for text in texts if words in text[:500]]
    return text


def test_the_numbers_of_sht_auc_are_those_of_the_paper(papers):
    text = (papers / "000_0143e3bd0f6c231c.txt").read_text(encoding="utf-8").replace("`", "ℓ")
    lines = [line.split() for line in text.splitlines() if line.count("±") in (4, 8)]

    def numbers(place, measure):
        return paper_file("sht-auc", place)["numbers"][measure]["printed"]

    def printed(cells):
        return [f"{mean:.3f}±{sd:.3f}".replace("0.", ".") for mean, sd in cells]

    for method, cells in numbers("table 1", "auc").items():
        assert [method, *printed(cells)] in lines
        halves = (numbers("table 2", f"support-{m}")[method] for m in ("f1", "jaccard"))
        assert [method, *map(str, chain(*map(printed, halves)))] in lines
    # The halves contradict each other in some places; half a unit of the last digit is rounding.
    f1, jaccard = (
        [mean for row in numbers("table 2", f"support-{m}").values() for mean, _ in row]
        for m in ("f1", "jaccard")
    )
    few = [a for a, b in zip(f1, jaccard, strict=True) if b + 5e-4 < (a - 5e-4) / (2.0005 - a)]
    [note] = [one for one in paper_experiment("sht-auc", "table 2").notes if "smaller one" in one]
    assert f"In {len(few)} of the {len(f1)} places" in note


def test_the_numbers_of_roc_svm_are_those_of_the_paper(papers):
    text = text_of(papers, "Scaling Up ROC-Optimizing")
    lines = {" ".join(line.split()) for line in text.splitlines()}

    def shown(published, measure, form=".3f"):
        """A number as the paper prints it: an AUC in %, with its deviation in thousandths."""
        if published is None:
            return "–"
        if measure == AUC:
            return f"{100 * published.mean:{form}} ({1000 * published.sd:.2f})"
        return f"{published.mean:.2f} ({published.sd:.2f})"

    for place, population in (("table 1", 0.90377), ("table 2", 0.90985)):
        entries = paper_experiment("roc-svm", place).entries
        printed = {(e.row, e.column, e.measure): e.published for e in entries}
        methods = [*dict.fromkeys(e.column for e in entries)][:2]
        for n in (5_000, 10_000, 50_000, 100_000):
            cells = [
                shown(printed.get((f"{n} rows", method, measure)), measure)
                for measure in (SECONDS, AUC)
                for method in methods
            ]
            assert " ".join([f"{n:,}", *cells]) in lines
            for method in methods:
                own, above = (printed.get((f"{n} rows", method, x)) for x in (AUC, TRUTH))
                assert (own is None) is (above is None)
                assert own is None or above.mean == pytest.approx(own.mean - population, abs=1e-9)
                assert own is None or above.sd == own.sd
        assert f"The population AUC (AUC_{{true}}) is {100 * population:.3f}%" in re.sub(
            r"\$|\\\\text|\\\\mathrm", "", text
        )
    printed = {
        (e.row, e.column, e.measure): e.published
        for e in paper_experiment("roc-svm", "table 3").entries
    }
    for row, method in {(row, method) for row, method, _ in printed if "exact" not in method}:
        seconds, own = (printed[row, method, measure] for measure in (SECONDS, AUC))
        both = f"{shown(seconds, SECONDS)} {shown(own, AUC, '.2f')}"
        assert any(line.endswith(both) for line in lines)


def population_auc(name, negative):
    """The AUC ∫ p₊(s) F₋(s) ds of the true scores f(x), if a share of the population is negative.

    The density p₊ of f(x) for positives is that of f(x) times Φ(α + s), and F₋ is the distribution
    function for negatives. For linear, f + ε ~ N(0, 3). For radial, f is exponential with rate
    1/2, so that P(f + ε > t) = Φ(−t) + exp(1/8 − t/2) Φ(t − 1/2).
    """
    if name == "linear":
        alpha, s = -np.sqrt(3.0) * ndtri(negative), np.linspace(-14.0, 14.0, 20_001)
        density = np.exp(-(s**2) / 4.0)
    else:
        above = lambda t: ndtr(-t) + np.exp(0.125 - t / 2.0) * ndtr(t - 0.5)  # noqa: E731
        alpha = -brentq(lambda t: above(t) - (1.0 - negative), -20.0, 60.0, xtol=1e-14)
        s = np.linspace(0.0, 60.0, 20_001)
        density = np.exp(-s / 2.0)
    positive = density * ndtr(alpha + s)
    below = cumulative_trapezoid(density * ndtr(-alpha - s), s, initial=0)
    return float(np.trapezoid(positive * below, s) / (np.trapezoid(positive, s) * below[-1]))


@pytest.mark.parametrize(("number", "model"), [(1, "linear"), (2, "radial")])
def test_the_populations_of_roc_svm_are_those_of_the_printed_model(number, model):
    one = paper_experiment("roc-svm", f"table {number}")
    [chart] = [drawing["lines"] for drawing in one.drawings if drawing["form"] == "given"]
    shares, aucs = chart["the printed model"]
    assert aucs == [pytest.approx(population_auc(model, share), abs=5e-7) for share in shares]
    [note] = [note for note in one.notes if note.startswith("By quadrature")]
    population, share, exactly = map(float, re.findall(r"\d+\.\d+", note))
    assert exactly == round(population_auc(model, 0.8), 5)
    low, high = (population_auc(model, share / 100 + step) for step in (-5e-4, 5e-4))
    assert low <= population <= high
    assert chart["the paper prints, with 0.8"] == [shares, [population] * len(shares)]
    shifts = {claim["shift"] for claim in one.claims if claim["form"] == "varies-as-printed"}
    assert [*shifts] == [pytest.approx(population_auc(model, 0.8) - population, abs=1e-7)]


def test_runs_of_simulated_rows_of_roc_svm_share_no_rows():
    for number in (1, 2):
        plans = paper_experiment("roc-svm", f"table {number}").plans
        for n, plan in zip((5_000, 10_000, 50_000, 100_000), plans, strict=True):
            total = plan.data[0].params["n"]
            assert total - round(total * plan.holdout) == n
        assert len({name.params["seed"] for plan in plans for name in plan.data}) == 200


def test_the_numbers_of_spdam_are_those_of_the_paper(papers):
    text = (papers / "003_929a8c069aaab55c.txt").read_text(encoding="utf-8")
    table, columns = (
        paper_experiment("spdam", "table 3"),
        paper_file("spdam", "table 3")["numbers"]["auc"]["columns"],
    )
    assert f"Datasets {' '.join(columns)}" in text
    published = {}
    for entry in table.entries:
        assert entry.column == columns[len(published.get(entry.row, ()))]
        published.setdefault(entry.row, []).append(entry.published)
    assert len(published) == 11
    for name, row in published.items():
        [line] = re.findall(rf"^{name} (0\..*)$", text, re.MULTILINE)
        printed = " ".join(f"{one.mean:.4f} ± {one.sd:.4f}" for one in row)
        assert line.removesuffix(" – –") == printed
    assert {entry.row for entry in table.entries if entry.why} == {"usps"}


def test_the_exact_minimiser_has_the_ridge_of_reg_solam():
    shares = {"german": 300 / 1000, "splice": 1648 / 3175, "usps": 3863 / 9298}
    for over in paper_file("spdam", "figure 1")["over"]:
        p = shares[over["row"]]
        assert over["exact"] == pytest.approx(over["lam"] / (p * (1 - p)), rel=1e-11)


def test_the_protocol_of_the_code_of_sht_auc_leaks_and_keeps_one_weight_less():
    leaky, clean = (
        paper_experiment("sht-auc", "table 1", protocol=protocol).entries[0].line
        for protocol in (LEAKY, Protocol.CLEAN)
    )
    assert dict(leaky.choice.tune)["k"] == tuple(range(9, 100, 10))
    assert leaky.choice.spec.params["gamma"] == pytest.approx(0.05 * 0.95)
    data, own = get_dataset(leaky.datasets[0]), get_dataset(clean.datasets[0])
    np.testing.assert_allclose(data.rows.matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.rows.matrix.std(axis=0), 1)
    np.testing.assert_array_equal(data.relevant, own.relevant)
    np.testing.assert_array_equal(data.y, own.y)
    assert get_dataset("whole[data=breast-cancer,features=nystroem[rank=3]]").d == 3
