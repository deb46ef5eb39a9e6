"""The claims of the papers follow the numbers, whichever these are, and intervals cover."""

from dataclasses import replace
from math import comb, isnan, log

import numpy as np
import pytest
from refusals import assert_refused
from result_folders import GivenResults, cells_of, paper_experiment
from toys import record_of

from aucbench.errors import UnknownNameError
from aucbench.papers.claims import deviation_range, evaluate_claims, mean_range
from aucbench.papers.parts import Experiment, Line, Scale
from aucbench.papers.results import TRUTH, Results, find_measure


def claims(paper, place, values, scale=Scale.FULL):
    """The claims of an experiment about given values."""
    return [*evaluate_claims(GivenResults(paper_experiment(paper, place, scale), values))]


def words(paper, place, values):
    return [claim.holds for claim in claims(paper, place, values)]


def noise(line, scale=0.01, size=25):
    """Other numbers for each line, and the same ones for one line."""
    return np.random.default_rng([*f"{line.method}{line.row}".encode()]).normal(0, scale, size)


def evaluated(values, *statements):
    """Claims about two methods on two rows."""
    places = ((row, n, method) for row, n in (("r", 10), ("s", 100)) for method in "ab")
    lines = tuple(Line(method=method, row=row, at={"n": n}) for row, n, method in places)
    toys = tuple({"statement": f"claim {k}", **one} for k, one in enumerate(statements))
    toy = Experiment(title="toy", lines=lines, claims=toys, splits={"ratio": 0.0})
    return [*evaluate_claims(GivenResults(toy, lambda line, _: values[line.row + line.method]))]


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
    for of, word in (({"method": "c"}, "'c'"), ({"k": 3}, "'k'")):
        assert_refused(lambda of=of: evaluated(PAIRS, {**side, "of": of}), UnknownNameError, word)
    assert_refused(lambda: find_measure("auc-before[3]"), UnknownNameError, "auc-after[PASSES]")


def test_intervals_of_means_and_deviations_cover_the_true_ones():
    rng = np.random.default_rng(0)
    draws = 2.0 * rng.standard_normal((2000, 10))
    covered = [(r.low <= 0.0 <= r.high) for r in map(mean_range, draws)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.015)
    covered = [(r.low <= 2.0 <= r.high) for r in map(deviation_range, draws)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.015)
    assert isnan(deviation_range([1.0]).low)
    assert isnan(mean_range([1.0, np.nan]).low)


def test_the_claims_about_figures_of_sht_auc():
    def passes(line, _):
        return 100.0 * np.exp(-2.0 * line.at["r"] + noise(line))

    assert words("sht-auc", "figure 1", passes) == [True] * 6

    def auc(line, measure):
        gain = 0.2 - 0.3 * line.at["r"] if "HT" not in line.method or measure != "auc" else 0.0
        return 0.6 + 0.4 * line.at["r"] + gain * (line.method != "StoIHT") + noise(line)

    falls = claims("sht-auc", "figure 2", auc)
    assert [claim.holds for claim in falls[1:5]] == [True] * 4
    assert "above a slope of 0 (+0.39" in falls[0].because

    for peak in (50, 10):

        def peaked(line, _, peak=peak):
            return -abs(log(line.at["k"] / peak)) + noise(line)

        assert words("sht-auc", "figure 3", peaked) == [peak == 50] * 2

    def shares(line, _):
        return 0.3 + 0.1 * (line.method == "HSG-HT") + noise(line)

    claim, _ = claims("sht-auc", "figure 4", shares, Scale.QUICK)
    assert claim.holds is False
    assert "at k = 50 the shares are SHT-AUC 0.3" in claim.because
    assert "genes drawn at random have 0.018" in claim.because


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

    found = claims("roc-svm", "table 1", values)
    assert [claim.holds for claim in found[1:4]] == [times, square, line]
    assert ("O(n log n) here" in found[1].because) is not times


T = np.geomspace(1, 100, 25)  # passes of made curves


def figure_1_of_spdam(*, gap, excess, own, other):
    """Return whether the claims hold on curves that are given, slightly other for each split."""
    experiment, ones = paper_experiment("spdam", "figure 1", Scale.QUICK), np.ones(T.size)

    def curves(cell):
        jitter = 1 + 0.01 * cell.split
        if cell.solver.name == "spdam":
            return gap(T * jitter), ones, own(T * jitter)
        if cell.solver.name == "reg-solam":
            above = 1 + excess(T) * (1 + 0.01 * cell.split * np.log(T))
            return ones, above, other(T / jitter)
        return ones, ones, 0.9 * ones

    def record(cell):
        points = zip(T, *curves(cell), strict=True)
        names = ("passes", "gap", "objective", "test_auc")
        curve = tuple(
            {"step": point[0], **dict(zip(names, point, strict=True))} for point in points
        )
        return record_of(cell, auc=0.8, n_train=800, n_test=200, curve=curve)

    records = {cell: record(cell) for cell in cells_of(experiment)}
    return [claim.holds for claim in evaluate_claims(Results(experiment, records, None))]


def test_the_claims_about_figure_1_of_spdam():
    def fast(t):
        return 10.0 ** (-t / 20)

    def rising(within):
        return lambda t: 0.9 - 0.3 * np.exp(-t / within)

    usual = {"gap": fast, "excess": lambda t: 1 / t, "own": rising(2), "other": rising(10)}
    assert figure_1_of_spdam(**usual) == [True] * 4
    for k, other in (
        (0, {"gap": lambda t: 1 / (1 + t) ** 2}),
        (0, {"gap": lambda t: 1 + t / 1e3}),
        (1, {"excess": lambda t: t**-0.3}),
        (1, {"excess": fast}),
        (2, {"own": rising(20)}),
        (3, {"gap": lambda t: 10.0 ** (-t / 200)}),
    ):
        assert figure_1_of_spdam(**{**usual, **other})[k] is False


STEPS = {"first_min": 10.0, "linear": 100.0, "quadratic": 10.0}
SLOW = {"first_min": 1.0, "linear": 1.0, "quadratic": 5.0}


@pytest.mark.parametrize(
    ("power", "steps", "seconds", "wrong"),
    [
        (lambda n: n * log(n), STEPS, SLOW, ()),
        (lambda n: n**1.5, STEPS, SLOW, (1,)),
        (lambda n: n**2.2, STEPS, SLOW, (0, 1)),
        (lambda n: n, {**STEPS, "first_min": 20.0}, SLOW, (2,)),
        (lambda n: n, {**STEPS, "linear": 10.0}, SLOW, (3,)),
        (lambda n: n, STEPS, {**SLOW, "quadratic": 0.5}, (4,)),
    ],
)
def test_the_claims_about_figure_5_of_aum(power, steps, seconds, wrong):
    experiment = paper_experiment("aum", "figure 5", Scale.QUICK)
    lines = [line for line in experiment.lines if line.row == "MNIST"]

    def values(line, measure):
        n, search = line.at["n"], line.method
        events = {"linear": n, "quadratic": comb(n, 2)}.get(search, power(n))
        exact = {"events": events, "steps": steps[search], "search_seconds": seconds[search]}
        return exact[measure] * np.random.default_rng([n, len(search)]).uniform(0.98, 1.02, 4)

    found = evaluate_claims(GivenResults(replace(experiment, lines=lines), values))
    assert [claim.holds for claim in found] == [k not in wrong for k in range(5)]
