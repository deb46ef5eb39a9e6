"""The claims of the papers follow the numbers, whichever these are, and intervals cover."""

from dataclasses import replace
from math import comb, isnan, log

import numpy as np
import pytest
from result_folders import GivenResults, cells_of, paper_experiment

from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.bench.results.record import Record, Sizes
from aucbench.errors import UnknownNameError
from aucbench.papers.claims import deviation_range, evaluate_claims, mean_range
from aucbench.papers.parts import Experiment, Line, Scale
from aucbench.papers.results import TRUTH, Results, find_measure
from aucbench.records import CellStatus


def holds(results):
    return [claim.holds for claim in evaluate_claims(results)]


def noise(line, scale=0.01, size=25):
    """Other numbers for each line, and the same ones for one line."""
    return np.random.default_rng([*f"{line.method}{line.row}".encode()]).normal(0, scale, size)


def toy(*claims):
    """An experiment with two methods on two rows."""
    lines = tuple(
        Line(method=method, row=row, at={"n": n})
        for row, n in (("r", 10), ("s", 100))
        for method in "ab"
    )
    statements = [{"statement": f"claim {k}", **claim} for k, claim in enumerate(claims)]
    return Experiment(title="toy", lines=lines, claims=tuple(statements), splits={"ratio": 0.0})


def evaluated(values, *claims):
    results = GivenResults(toy(*claims), lambda line, _: values[line.row + line.method])
    return [*evaluate_claims(results)]


PAIRS = {"ra": [3.0, 4.0], "rb": [1.0, 1.5], "sa": [3.0, 3.0], "sb": [3.0, 2.0]}


def test_a_claim_says_what_decides_it():
    side = {"form": "difference", "of": {"method": "a"}}
    bounds = {"because": "a minus b is {}", "item": "{range:.2f} on {row}", "each": "row"}
    one, each, either, maybe, wrong = evaluated(
        PAIRS,
        side,
        {**side, **bounds, "above": -9},
        {**side, **bounds, "above": 0, "unclear": "open"},
        {**side, **bounds, "above": 0, "unclear": "holds"},
        {**side, **bounds, "below": -9, "otherwise": "not {}", "why": "so it is"},
    )
    # The differences of the runs are 2 and 2.5 on r, 0 and 1 on s; t(1) has its quantile at 12.71.
    assert str(one) == (
        "claim 0 — does not hold here, because it cannot be told from b (+1.375, -3.390 to "
        "+6.140); mean differences with 95 % intervals"
    )
    assert each.because == "a minus b is 2.25 (-0.93 to 5.43) on r, 0.50 (-5.85 to 6.85) on s"
    assert (each.holds, either.holds, maybe.holds, wrong.holds) == (True, None, True, False)
    assert either.because.startswith("the interval of these runs does not decide it: a minus b")
    assert wrong.because.startswith("not 2.25 (-0.93 to 5.43) on r, 0.50")
    assert wrong.because.endswith("; so it is")


def test_sides_may_be_ratios_slopes_and_differences_of_others():
    ratio, slope, nested = evaluated(
        {"ra": [2.0, 2.0], "rb": [1.0, 1.0], "sa": [200.0, 200.0], "sb": [5.0, 5.0]},
        {
            **{"form": "ratio", "of": {"method": "a", "row": "r"}, "against": ["b"]},
            **{"above": 1, "because": "{}", "item": "{range} {a:g} {b:g} {rival}"},
        },
        {
            **{"form": "slope", "of": {"method": "a"}, "along": "n", "log": 10},
            **{"above": 1.9, "below": 2.1, "because": "{}", "item": "{range}"},
        },
        {
            **{"form": "difference", "of": {"row": "s", "method": "a", "minus": {"method": "b"}}},
            **{"against": {"r": {"row": "r"}}, "because": "{}", "item": "{range}"},
        },
    )
    assert ratio.because == "2 (2 to 2) 2 1 b"
    assert (slope.because, slope.holds) == ("2 (2 to 2)", True)
    assert nested.because == "194 (194 to 194)"


def test_a_claim_without_runs_is_open_and_one_of_no_line_is_refused():
    side = {"form": "difference", "of": {"method": "a"}}
    [few] = evaluated({name: [1.0] for name in PAIRS}, side)
    assert (few.holds, few.because) == (None, "it takes two runs of each of its lines")
    with pytest.raises(UnknownNameError, match="unknown method 'c'"):
        evaluated(PAIRS, {"form": "difference", "of": {"method": "c"}})
    with pytest.raises(UnknownNameError, match="unknown key of a line 'k'"):
        evaluated(PAIRS, {"form": "difference", "of": {"k": 3}})
    with pytest.raises(UnknownNameError, match=r"auc-after\[PASSES\]"):
        find_measure("auc-before[3]")


def test_intervals_of_means_and_deviations_cover_the_true_ones():
    rng = np.random.default_rng(0)
    draws = 2.0 * rng.standard_normal((2000, 10))
    covered = [(r.low <= 0.0 <= r.high) for r in map(mean_range, draws)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.015)
    covered = [(r.low <= 2.0 <= r.high) for r in map(deviation_range, draws)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.015)
    assert isnan(deviation_range([1.0]).low)
    assert isnan(mean_range([1.0, np.nan]).low)


@pytest.mark.parametrize(
    ("shift", "decided", "word"),
    [(0.1, True, "above"), (0.0, False, "cannot be told from"), (-0.1, False, "below")],
)
def test_the_claims_about_tables_of_sht_auc(shift, decided, word):
    def values(line, _):
        return 0.7 + shift * (line.method == "SHT-AUC") + noise(line)

    [first, *_] = evaluate_claims(GivenResults(paper_experiment("sht-auc", "table 1"), values))
    for claim in (
        first,
        *evaluate_claims(GivenResults(paper_experiment("sht-auc", "table 2"), values)),
    ):
        assert claim.holds is decided, claim
        assert word in claim.because


def test_the_claims_about_figures_of_sht_auc():
    def passes(line, _):
        return 100.0 * np.exp(-2.0 * line.at["r"] + noise(line))

    assert holds(GivenResults(paper_experiment("sht-auc", "figure 1"), passes)) == [True] * 6

    def auc(line, measure):
        gain = 0.2 - 0.3 * line.at["r"] if "HT" not in line.method or measure != "auc" else 0.0
        return 0.6 + 0.4 * line.at["r"] + gain * (line.method != "StoIHT") + noise(line)

    falls = [*evaluate_claims(GivenResults(paper_experiment("sht-auc", "figure 2"), auc))]
    assert [claim.holds for claim in falls[1:5]] == [True] * 4
    assert falls[0].because.startswith("it is above a slope of 0 (+0.39")

    def peaked(at):
        return lambda line, _: -abs(log(line.at["k"] / at)) + noise(line)

    assert holds(GivenResults(paper_experiment("sht-auc", "figure 3"), peaked(50))) == [True, True]
    assert holds(GivenResults(paper_experiment("sht-auc", "figure 3"), peaked(10))) == [
        False,
        False,
    ]

    def shares(line, _):
        return 0.3 + 0.1 * (line.method == "HSG-HT") + noise(line)

    [claim, _] = evaluate_claims(
        GivenResults(paper_experiment("sht-auc", "figure 4", Scale.QUICK), shares)
    )
    assert claim.holds is False
    assert claim.because.startswith("at k = 50 the shares are SHT-AUC 0.3")
    assert claim.because.endswith("; genes drawn at random have 0.018")


@pytest.mark.parametrize(
    ("full", "incomplete", "times", "square", "line"),
    [(2.0, 0.5, True, True, True), (1.1, 1.0, False, False, True), (1.1, 1.9, False, False, False)],
)
def test_the_claims_about_times_of_roc_svm(full, incomplete, times, square, line):
    def values(of, measure):
        if measure == TRUTH:
            return noise(of, 0.05)
        slow = of.method == "full"
        power, at_5000 = (full, 100.0 if times else 1.5) if slow else (incomplete, 1.0)
        return at_5000 * (of.at["n"] / 5000) ** power * np.exp(noise(of, 0.05))

    claims = [*evaluate_claims(GivenResults(paper_experiment("roc-svm", "table 1"), values))]
    assert [claim.holds for claim in claims[1:4]] == [times, square, line]
    if not times:
        assert claims[1].because.endswith("O(n log n) here, and not pair by pair")


@pytest.mark.parametrize(("scale", "decided"), [(1.0, True), (4.0, False)])
def test_the_claims_about_deviations_of_roc_svm(scale, decided):
    experiment = paper_experiment("roc-svm", "table 1")
    printed = {e.line: e.published for e in experiment.entries if e.measure == "auc"}

    def values(line, measure):
        one = printed.get(line)
        usual = noise(line, 1.0, 50)
        auc = scale * (one.sd if one else 1.0) * usual / usual.std(ddof=1)
        return auc / 2 if measure == TRUTH else auc

    *_, full, incomplete = evaluate_claims(GivenResults(experiment, values))
    assert (full.holds, incomplete.holds) == (decided, decided)
    assert ("population AUC" in full.because) is not decided

    def spread(line, _):
        return 0.9 + noise(line, 0.02 if line.method == "Radial" else 0.02 / scale)

    [*_, more] = evaluate_claims(GivenResults(paper_experiment("roc-svm", "table 3"), spread))
    assert more.holds is (None if scale == 1.0 else True)


T = np.geomspace(1, 100, 25)  # passes of made curves


def figure_1_of_spdam(*, gap, excess, own, other):
    """Return whether the claims hold on curves that are given, slightly other for each split."""
    experiment = paper_experiment("spdam", "figure 1", Scale.QUICK)

    def points(cell):
        jitter = 1 + 0.01 * cell.split
        if cell.solver.name == "spdam":
            curves = gap(T * jitter), np.ones(T.size), own(T * jitter)
        elif cell.solver.name == "reg-solam":
            above = 1 + excess(T) * (1 + 0.01 * cell.split * np.log(T))
            curves = np.ones(T.size), above, other(T / jitter)
        else:
            curves = np.ones(T.size), np.ones(T.size), np.full(T.size, 0.9)
        names = ("gap", "objective", "test_auc")
        return [
            {"passes": t, "step": t, **dict(zip(names, some, strict=True))}
            for t, *some in zip(T, *curves, strict=True)
        ]

    known = {"status": Status(status=CellStatus.OK), "sizes": Sizes(n_train=800, n_test=200)}
    records = {
        cell: Record(
            id="0", cell=cell, measures=Measures(auc=0.8), curve=tuple(points(cell)), **known
        )
        for cell in cells_of(experiment)
    }
    return holds(Results(experiment, records, None))


def test_the_claims_about_figure_1_of_spdam():
    def fast(t):
        return 10.0 ** (-t / 20)

    def rising(within):
        return lambda t: 0.9 - 0.3 * np.exp(-t / within)

    usual = {"gap": fast, "excess": lambda t: 1 / t, "own": rising(2), "other": rising(10)}
    assert figure_1_of_spdam(**usual) == [True, True, True, True]
    for k, other in (
        (0, {"gap": lambda t: 1 / (1 + t) ** 2}),
        (0, {"gap": lambda t: 1 + t / 1e3}),
        (1, {"excess": lambda t: t**-0.3}),
        (1, {"excess": fast}),
        (2, {"own": rising(20)}),
        (3, {"gap": lambda t: 10.0 ** (-t / 200)}),
    ):
        assert figure_1_of_spdam(**{**usual, **other})[k] is False


@pytest.mark.parametrize(("power", "decided"), [(0.5, True), (-0.5, False)])
def test_the_claims_about_figure_2_and_table_3_of_spdam(power, decided):
    def values(line, measure):
        if "rate" in measure:
            return line.at["batch"] ** power * np.exp(noise(line))
        return 0.8 - 0.1 * decided * (line.at["batch"] == 0.01) + noise(line)

    assert holds(GivenResults(paper_experiment("spdam", "figure 2"), values)) == [decided] * 5

    def aucs(line, _):
        return 0.8 + 0.1 * (not decided and line.method == "SPDAM") + noise(line, 1e-4)

    own, other, unknown = evaluate_claims(GivenResults(paper_experiment("spdam", "table 3"), aucs))
    assert (own.holds, other.holds, unknown.holds) == (decided, True, None)
    assert own.because.startswith("no difference" if decided else "some differences")


STEPS = {"first_min": 10.0, "linear": 100.0, "quadratic": 10.0}
SLOW = {"first_min": 1.0, "linear": 1.0, "quadratic": 5.0}


@pytest.mark.parametrize(
    ("power", "steps", "seconds", "decided"),
    [
        (lambda n: n * log(n), STEPS, SLOW, [True, True, True, True, True]),
        (lambda n: n**1.5, STEPS, SLOW, [True, False, True, True, True]),
        (lambda n: n**2.2, STEPS, SLOW, [False, False, True, True, True]),
        (lambda n: n, {**STEPS, "first_min": 20.0}, SLOW, [True, True, False, True, True]),
        (lambda n: n, {**STEPS, "linear": 10.0}, SLOW, [True, True, True, False, True]),
        (lambda n: n, STEPS, {**SLOW, "quadratic": 0.5}, [True, True, True, True, False]),
    ],
)
def test_the_claims_about_figure_5_of_aum(power, steps, seconds, decided):
    experiment = paper_experiment("aum", "figure 5", Scale.QUICK)
    experiment = replace(experiment, lines=[x for x in experiment.lines if x.row == "MNIST"])

    def values(line, measure):
        n, search = line.at["n"], line.method
        events = {"linear": n, "quadratic": comb(n, 2)}.get(search, power(n))
        exact = {"events": events, "steps": steps[search], "search_seconds": seconds[search]}
        return exact[measure] * np.random.default_rng([n, len(search)]).uniform(0.98, 1.02, 4)

    assert holds(GivenResults(experiment, values)) == decided


def test_the_claims_about_figure_6_of_aum():
    order = {"max_auc": 1, "first_min": 2, "quadratic": 3, "grid": 4, "ours": 5, "linear": 6}

    def values(line, measure):
        k = order.get(line.method, 0)
        return {"seconds": 10.0**k, "steps": 10.0**k}.get(measure, 0.8 + 0.1 * (k > 0)) * np.exp(
            noise(line, 1e-4, 8)
        )

    # max_auc is faster than first_min here, and linear is the slowest method.
    assert holds(GivenResults(paper_experiment("aum", "figure 6"), values)) == [
        True,
        True,
        False,
        True,
        True,
        True,
    ]
