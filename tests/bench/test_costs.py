"""What a plan will cost: the model, which pilots are run, and what is said of it."""

from dataclasses import replace
from itertools import product
from math import exp, log

import numpy as np
import pytest
from bench_toys import record_of

from aucbench.bench.costs.estimate import Span, estimate_of
from aucbench.bench.costs.ledger import Ledger
from aucbench.bench.costs.model import Arm, forecasts
from aucbench.bench.costs.pilots import _chosen
from aucbench.bench.costs.telling import told
from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.text import lasting
from aucbench.errors import ParameterError

SIZES = {f"d{k}": (100 * 2**k, 5 * (k % 4 + 1)) for k in range(10)}
SOLVERS = (Choice("a"), Choice("a", tune=True), Choice("b"), Choice("c", tune={"k": (1, 2)}))
PLAN = Plan(tuple(SIZES), SOLVERS, splits=4, timeout=0)
LEVELS = {"a": 1e-6, "a (tuned)": 4e-5, "b": 1e-5, "c (tuned k=1|2)": 3e-4}
GROWTHS = {"a": 1.0, "a (tuned)": 1.1, "b": 1.4, "c (tuned k=1|2)": 0.9}
IDLE = 0.2


def seconds(cell, noise=None):
    """Work that grows as a power, by solver; `noise` is by solver and data set."""
    n, d = SIZES[cell.dataset]
    more = 0.0 if noise is None else noise[cell.label, cell.dataset]
    return LEVELS[cell.label] * n ** GROWTHS[cell.label] * d**0.7 * exp(more)


def ended(cell, work):
    return record_of(cell, auc=0.5, fit_seconds=work, wall_seconds=work + IDLE)


def ledger_of(plan=PLAN):
    ledger = Ledger(plan, SIZES)
    for cell in plan.cells():
        ledger.expect(cell)
    return ledger


def with_pilots(noise=None, rounds=4):
    """A ledger after some rounds of the pilots that it chooses, and how long all cells take."""
    ledger = ledger_of()
    whole = sum(seconds(cell, noise) + IDLE for cell in PLAN.cells())
    for _ in range(rounds):
        expected = estimate_of(ledger, 2).forecasts
        for cell in _chosen(ledger, expected, whole / 10):
            ledger.add(ended(cell, seconds(cell, noise)))
    left = [cell for cells in ledger.missing.values() for cell in cells]
    return ledger, sum(seconds(cell, noise) + IDLE for cell in left)


def test_an_estimate_from_few_pilots_is_near_the_truth_where_work_grows_as_a_power():
    ledger, truth = with_pilots()
    found = estimate_of(ledger, 2)
    assert ledger.there <= 4 * len(SOLVERS)
    assert found.left == len(PLAN) - ledger.there
    assert 0.8 < found.total.middle / truth < 1.25
    assert found.total.low < truth < found.total.high


def test_intervals_hold_as_often_as_they_say_or_more():
    holds = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        names = [choice.label for choice in SOLVERS]
        hard = dict(zip(SIZES, 0.4 * rng.standard_normal(len(SIZES)), strict=True))
        noise = {
            (name, d): hard[d] + 0.3 * rng.standard_normal() for name, d in product(names, SIZES)
        }
        ledger, truth = with_pilots(noise)
        total = estimate_of(ledger, 2).total
        holds += total.low < truth < total.high
    assert holds >= 10


def test_the_pilots_begin_on_one_small_set_and_go_on_to_what_is_expensive():
    ledger = ledger_of()
    first = _chosen(ledger, (), 100.0)
    assert [cell.label for cell in first] == ["a", "b", "a (tuned)", "c (tuned k=1|2)"]
    assert {cell.dataset for cell in first} == {"d2"}
    for cell in first:
        ledger.add(ended(cell, seconds(cell)))
    second = _chosen(ledger, estimate_of(ledger, 1).forecasts, 1000.0)
    large = {cell.label: SIZES[cell.dataset][0] for cell in second}
    assert large["c (tuned k=1|2)"] > SIZES["d2"][0]
    cheap = _chosen(ledger, estimate_of(ledger, 1).forecasts, 1e-3)
    assert cheap == []


def test_a_tuned_solver_without_a_pilot_is_its_untuned_twin_as_often_as_it_fits():
    ledger = ledger_of()
    cells = [cell for cell in PLAN.cells() if cell.label == "a" and cell.split == 0]
    for cell in cells:
        ledger.add(ended(cell, seconds(cell)))
    one, tuned = estimate_of(ledger, 1).forecasts[:2]
    times = 1 + PLAN.tune_evals * (PLAN.inner_splits - 1)
    assert (tuned.mean - one.mean).mean() == pytest.approx(log(times), abs=0.3)


def test_a_pilot_that_was_stopped_says_that_more_is_needed():
    ledger = ledger_of()
    cells = [next(c for c in PLAN.cells() if c.label == name) for name in ("a", "b")]
    ledger.add(ended(cells[0], 0.1))
    ledger.add_cut(cells[1], 50.0)
    found = estimate_of(ledger, 1)
    assert found.forecasts[2].seconds[0] > 50
    assert ledger.missing[2, 0][0] == cells[1]
    assert cells[1] not in _chosen(ledger, found.forecasts, 1e9)


@pytest.mark.parametrize(
    ("plan", "most"),
    [
        (replace(PLAN, timeout=7.0), 7.0),
        (replace(PLAN, tune_seconds=5.0), 7.0),
        (replace(PLAN, seconds=0.1), 1 + 60 * 2.0),
    ],
)
def test_limits_of_the_plan_limit_what_a_cell_can_cost(plan, most):
    ledger = ledger_of(plan)
    cell = next(c for c in plan.cells() if c.label == "a (tuned)")
    ledger.add(ended(cell, 500.0))
    found = estimate_of(ledger, 1)
    assert found.forecasts[1].seconds.max() <= most + IDLE + 1
    assert found.late > 0


def test_load_of_other_programs_is_taken_out_of_seconds_and_told():
    ledger = ledger_of()
    for cell in [c for c in PLAN.cells() if c.split == 0]:
        busy = replace(ended(cell, 2.0), machine={"load": 4.0, "cores": 2})
        ledger.add(replace(busy, process=replace(busy.process, wall_seconds=2.0 + IDLE)))
    assert ledger.crowd(10) == 2.0
    alone, shared = estimate_of(ledger, 2), estimate_of(ledger, 2, slow=2.0)
    cells = len(PLAN) - ledger.there
    assert alone.total.middle == pytest.approx(1.1 * cells, rel=0.15)
    assert shared.total.middle == pytest.approx(2 * alone.total.middle, rel=0.05)
    assert any("2.0 times as long as they would alone" in line for line in told(shared, 9))
    assert not any("as they would alone" in line for line in told(alone, 9))


def test_an_estimate_is_told_and_is_json():
    ledger, _ = with_pilots()
    found = estimate_of(ledger, 2, pilots=ledger.there, took=3.0)
    lines = [*told(found, 3)]
    assert lines[0].startswith(f"{found.left} of 160 cells are left, {ledger.there} have a result")
    assert any(line.startswith("   2 ") for line in lines)
    assert any("... and 7 more" in line for line in lines)
    plain = found.to_json()
    assert plain["sizes"]["d3"] == [800, 20]
    assert sum(one["cells"] for one in plain["solvers"]) == found.left
    assert sum(one["cells"] for one in plain["datasets"]) == found.left
    assert plain["wall"]["2"]["middle"] >= plain["total"]["middle"] / 2


def test_a_finished_plan_costs_nothing():
    ledger = ledger_of()
    for cell in PLAN.cells():
        ledger.add(ended(cell, 0.1))
    found = estimate_of(ledger, 2)
    assert (found.left, found.total) == (0, Span(0.0, 0.0, 0.0))
    assert len([*told(found, 9)]) == 1


def test_sizes_are_checked():
    with pytest.raises(ParameterError, match="each at least 1"):
        forecasts(np.zeros((2, 2)), [Arm(np.ones(2))])


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (1000, "17 min"),
        (3599.8, "1 h"),
        (18600, "5 h 10 min"),
        (100000, "1 d 4 h"),
        (1e6, "12 d"),
    ],
)
def test_durations_have_two_units_at_most(duration, text):
    assert lasting(duration) == text
