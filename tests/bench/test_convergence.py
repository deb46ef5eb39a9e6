"""What is said of the end of a fit: never that it has converged without a certificate."""

import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from bench_toys import SOURCE, Bench, cell, record_of

from aucbench import compare
from aucbench.bench.results.convergence import LONG, Descent, Optima, flat_row
from aucbench.bench.results.decay import decays_of
from aucbench.bench.results.record import Record
from aucbench.bench.show.endings import Ends, end_notes
from aucbench.ranges import ENOUGH

PROBLEM = "PairwiseSquare + L2Ball[R=1.0]"


def fit(
    values=(), *, passes=None, gaps=None, value=None, solver="a", split=0, planned=50.0, **given
):
    """Record of a fit with these objectives after 1, 2, ... passes, and f(0) = 1."""
    passes = passes or [float(t) for t in range(1, len(values) + 1)]
    gaps = gaps or [None] * len(values)
    points = zip(passes, values, gaps, strict=True)
    known = {
        "objective": value if value is not None or not values else values[-1],
        "gap": gaps[-1] if gaps else None,
        "objective_at_start": 1.0,
        "passes": passes[-1] if passes else None,
        "stop": "PASSES",
        "problem": PROBLEM,
        "data": "d",
    }
    curve = tuple({"passes": t, "objective": y, "gap": g} for t, y, g in points)
    planned = cell(solver, passes=planned, split=split)
    return record_of(planned, curve=curve, **{**known, **given})


def judged(record, *others):
    return Optima([record, *others]).judge(Descent.of(record))


def power(T, *, limit=0.5, a=1.0):
    """f(0) = 1 and f(t) = limit + (1 − limit) (1 + t)^(−a), after 1, ..., T passes."""
    return [limit + (1.0 - limit) * (1.0 + t) ** -a for t in range(1, T + 1)]


def test_a_small_certified_gap_shows_that_a_fit_has_converged():
    found = judged(fit([0.6, 0.5], gaps=[0.2, 0.004], stop="CERTIFIED"))

    assert (found.gap_kind, found.converged, found.passes_factor) == ("certified", True, None)
    assert found.relative_gap == pytest.approx(0.004 / 0.504)  # f* is at least f(w) − gap


@pytest.mark.parametrize("T", [5, 50, 400])
def test_a_large_certified_gap_shows_that_it_has_not(T):
    gaps = [1.0 / t for t in range(1, T + 1)]
    found = judged(fit([0.5] * T, gaps=gaps, planned=float(T)))
    needed = 1.0 / (ENOUGH * 0.5) / T

    assert found.converged is (1.0 / T <= ENOUGH * (0.5 + 1.0 / T))
    if found.converged is False:
        assert found.gap_kind == "certified"
        assert found.passes_factor == pytest.approx(needed, rel=0.3)


def test_the_curve_of_the_objective_tells_the_factor_where_gaps_are_rare():
    values = power(20)
    gaps = [None] * 19 + [0.1]  # four times what is left to fall
    rare, none = judged(fit(values, gaps=gaps)), judged(fit(values))

    assert (rare.gap_kind, none.gap_kind) == ("certified", "extrapolated")
    assert none.passes_factor < rare.passes_factor < LONG


def test_the_bound_of_the_tolerance_is_no_question_of_passes():
    found = judged(fit([0.9, 0.5], gaps=[1.0, 0.1], stop="CERTIFIED"))

    assert (found.converged, found.passes_factor) == (False, None)


def test_a_curve_that_falls_has_not_converged():
    found = judged(fit(power(20)))

    assert (found.gap_kind, found.converged) == ("extrapolated", False)
    assert 0.5 * 1 / 21 <= found.relative_gap <= 1.2 * 1 / 21  # the gap is 1/21 of f(0) − f*


@pytest.mark.parametrize("a", [0.5, 1.0, 2.0])
def test_the_factor_would_do_and_falls_with_the_passes_that_were_made(a):
    factors = {}
    for T in (8, 16, 32, 64, 128):
        found = judged(fit(power(T, a=a)))
        if found.converged is False:
            factors[T] = found.passes_factor
            needed = min(LONG, (100.0 ** (1.0 / a) - 1.0) / T)
            assert found.passes_factor >= needed
            assert T < 32 or found.passes_factor <= 2.0 * needed

    assert [*factors.values()] == sorted(factors.values(), reverse=True)
    assert 8 in factors
    assert min(factors.values()) >= 2.0


def test_a_method_that_converged_geometrically_is_not_marked():
    values = [0.5 + 0.5 * 0.6**t for t in range(1, 21)]  # falls by 0.3 % in the last half

    assert judged(fit(values)).converged is None
    assert judged(fit(values[:10])).converged is None  # 4 % in the last half, 0.3 % before it
    assert judged(fit(values[:6])).converged is False  # 5 % before it


def test_a_flat_curve_says_nothing_without_a_better_fit():
    rng = np.random.default_rng(0)
    flat = [0.7 + 1e-4 * x for x in rng.standard_normal(20)]
    alone, beaten = judged(fit(flat)), judged(fit(flat), fit([0.6], solver="b"))

    assert alone.converged is None
    assert alone.relative_gap < 0.002
    assert (beaten.gap_kind, beaten.converged, beaten.passes_factor) == ("measured", False, inf)
    assert beaten.relative_gap == pytest.approx((flat[-1] - 0.6) / 0.4)


def test_only_fits_of_the_same_problem_on_the_same_rows_count():
    own = fit([0.7])
    others = [
        fit([0.6], split=1),
        fit([0.6], data="e"),
        fit([0.6], problem="PairwiseSquare"),
        fit([0.6], problem=None),
        fit([0.6], status="invalid"),
    ]

    assert judged(own, *others).relative_gap is None
    assert judged(own, *others, fit([0.6])).converged is False


def test_a_better_iterate_of_its_own_counts():
    found = judged(fit([0.9, 0.5, 0.8]))

    assert (found.gap_kind, found.converged, found.passes_factor) == ("measured", False, None)
    assert found.relative_gap == pytest.approx(0.6)


def test_w_is_zero_counts_too():
    worse, null = judged(fit([1.3])), judged(fit([1.0]))

    assert (worse.converged, worse.relative_gap) == (False, pytest.approx(0.3))
    assert null.converged is None


def test_a_stalled_fit_without_a_gap_has_not_converged():
    nothing = judged(fit([0.5], stop="STALLED"))
    close = judged(fit([0.6, 0.5], gaps=[1.0, 1e-3], stop="STALLED"))
    far = judged(fit([0.6, 0.5], gaps=[1.0, 0.3], stop="STALLED", passes=[1.0, 2.0]))

    assert (nothing.converged, nothing.relative_gap, nothing.passes_factor) == (False, None, inf)
    assert close.converged is True
    assert (far.converged, far.passes_factor) == (False, inf)  # it ended by itself


@pytest.mark.parametrize(
    ("solver", "passes", "seconds", "limit"),
    [
        ("oam-gra", None, None, 1.0),
        ("solam", None, None, 50.0),
        ("oam-gra", 3.0, None, 3.0),
        ("solam", None, 0.01, None),  # a limit of seconds has no passes
    ],
)
def test_a_record_holds_the_budget_that_was_in_force(solver, passes, seconds, limit):
    record = compare(solver, "breast-cancer", splits=2, passes=passes, seconds=seconds, jobs=1)[0]

    assert record.measures.passes_limit == limit


def test_a_method_that_used_its_own_budget_has_not_ended_by_itself():
    own = {"stop": "FINISHED", "planned": None}
    of_one = fit(power(20), **own, passes_limit=20.0)
    of_many = fit(power(20), **own, passes_limit=50.0)
    older = fit(power(20), **own)

    assert Descent.of(of_one).ended_by_itself is False
    assert Descent.of(of_many).ended_by_itself is True
    assert Descent.of(older).ended_by_itself is True


def test_one_that_ended_by_itself_needs_no_more_passes():
    early = {"stop": "FINISHED", "planned": 50.0}
    planned_stages = {"stop": "FINISHED", "planned": 20.02}

    assert judged(fit(power(20), **early)).passes_factor == inf
    assert 2.0 <= judged(fit(power(20), **planned_stages)).passes_factor < LONG


@pytest.mark.parametrize(
    "unknown", [{"objective_at_start": None}, {"value": None, "values": ()}, {"status": "error"}]
)
def test_nothing_is_said_where_there_is_no_objective(unknown):
    found = judged(fit(**{"values": power(20), **unknown}))
    relative_to_nothing = judged(fit([0.3, 0.2], objective_at_start=0.0))  # of the AUM at w = 0

    assert (found.relative_gap, found.gap_kind, found.converged) == (None, None, None)
    assert relative_to_nothing.converged is None


def test_points_that_make_no_sense_do_no_harm():
    junk = ({"passes": "x", "objective": 3}, {}, {"passes": True}, {"passes": 2.0, "gap": []})
    record = fit(power(20))

    assert judged(replace(record, curve=(*junk, *record.curve))) == judged(record)


@pytest.mark.parametrize("a", [0.5, 1.0, 3.0])
def test_the_limit_of_an_exact_decay_is_found(a):
    x = np.linspace(0.25, 1.0, 20)
    found = decays_of(x, 2.0 + 0.1 * x**-a)[0]
    geometric = decays_of(x, 2.0 + 0.1 * np.exp(-5.0 * (x - 1.0)))[0]

    assert found.limit == pytest.approx(2.0, abs=0.02)
    assert not found.geometric
    assert geometric.limit == pytest.approx(2.0, abs=0.02)
    assert geometric.geometric
    assert geometric.reaches(2.01) == pytest.approx(1.0 + np.log(10) / 5.0, rel=0.1)
    assert found.reaches(found.limit) == inf
    assert found.reaches(3.0) == 1.0


def test_noise_and_rising_curves_are_no_decay():
    x = np.linspace(0.25, 1.0, 20)
    rng = np.random.default_rng(1)

    assert decays_of(x, 1.0 + 0.01 * rng.standard_normal(20)) == ()
    assert decays_of(x, x) == ()
    assert decays_of(x, np.ones(20)) == ()
    assert decays_of(x[:3], 1.0 / x[:3]) == ()


def test_a_certificate_that_nothing_can_be_gained_is_no_lack_of_convergence():
    none = fit([1.0, 1.0, 1.0], gaps=[1e-2, 1e-4, 5e-7], stop="CERTIFIED")
    assert judged(none).converged is True
    assert judged(fit([1.0, 1.0, 1.0], gaps=[1e-2, 1e-2, 1e-3])).converged is False


@pytest.fixture(scope="module")
def fits():
    """Fits of exact and of iterative solvers, some of them of one problem."""
    solvers = (
        "ls-svm[lam=0.5],opauc[lam=0.25],spam-l1[xi=0.04],aum,aum-margin[early_stopping=False],"
        "logistic"
    )
    return compare(solvers, "breast-cancer", features="maxabs", splits=2, passes=8)


def of(fits, solver):
    return [flat_row(r, Optima(fits)) for r in fits if str(r.cell.solver).startswith(solver)]


def test_an_exact_solver_has_converged_and_a_few_passes_have_not(fits):
    assert {row["converged"] for row in of(fits, "ls-svm")} == {True}
    assert {row["converged"] for row in of(fits, "spam-l1")} == {False}
    assert {row["gap_kind"] for row in of(fits, "spam-l1")} == {"extrapolated"}
    assert all(row["passes_factor"] >= 2 for row in of(fits, "spam-l1"))
    assert all(row["residual"] > 0 for row in of(fits, "ls-svm"))


def test_two_solvers_of_one_problem_are_compared(fits):
    for exact, online in zip(of(fits, "ls-svm"), of(fits, "opauc"), strict=True):
        ridge = "PairwiseSquare + ElasticNet[l1=0.0,l2=0.5,free=0]"
        assert exact["problem"] == online["problem"] == ridge
        behind = (online["objective"] - exact["objective"]) / (1.0 - exact["objective"])
        assert online["relative_gap"] >= 0.99 * behind > 0.0
        assert online["converged"] is not True  # nothing of its own is certified


def test_nothing_is_said_of_early_stopping_nor_of_unlisted_objectives(fits):
    for row in (*of(fits, "aum["), *of(fits, "logistic")):
        assert row["converged"] is row["relative_gap"] is row["gap_kind"] is None
    assert {row["stop"] for row in of(fits, "logistic")} == {"FINISHED"}  # in a single step


def test_one_pass_is_judged_by_longer_fits_only():
    short = compare("spam-l1", "breast-cancer", splits=2, passes=1)
    longer = compare("spam-l1", "breast-cancer", splits=2, passes=20)

    assert {row["converged"] for row in of(short, "spam")} == {None}  # one point is no curve
    for record in short:
        row = flat_row(record, Optima([*short, *longer]))
        assert (row["gap_kind"], row["converged"]) == ("measured", False)
        assert row["passes_factor"] is None


def test_rows_are_strict_json_and_frames_have_the_columns(fits):
    row = flat_row(fit([0.5], stop="STALLED"), Optima())

    assert json.loads(json.dumps(row, allow_nan=False))["passes_factor"] is None
    assert {"converged", "gap_kind", "relative_gap", "passes_factor", "residual"} <= row.keys()
    frame = fits.to_frame().set_index("solver")
    assert [*frame.loc["ls-svm[lam=0.5]", "converged"]] == [True, True]


def test_records_of_before_are_read_and_nothing_is_said(fits):
    plain = next(r for r in fits if str(r.cell.solver).startswith("spam-l1")).to_json()
    for name in ("objective_at_start", "problem"):
        del plain["measures"][name]
    before = Record.from_json(plain)

    assert judged(before).converged is None
    assert judged(before).relative_gap is None


@pytest.mark.parametrize(
    ("solver", "problem"),
    [
        ("means", "PairwiseSquare + Identity"),
        ("sht-auc[k=2]", "PairwiseSquare + TopK[k=2,free=0]"),
        ("sto-iht[k=2]", "Logistic[centre=True,intercepts=1] + TopK[k=2,free=1] + AppendOne"),
        ("svm-or[lam=0.01]", "PairwiseHinge + ElasticNet[l1=0.0,l2=0.01,free=0]"),
        ("roc-svm", None),  # random pairs
        ("holds", None),  # not all of the rows
    ],
)
def test_a_problem_is_named_where_it_is_known(site, tmp_path, solver, problem):
    site.add("toys", toys=SOURCE)
    done = Bench(tmp_path / "bench").run(cell(solver))

    assert done.result["problem"] == problem
    assert done.result["objective_at_start"] == pytest.approx(done.reported["objective_at_zero"])


def test_a_certificate_that_another_fit_disproves_is_none():
    liar = fit([0.9, 0.8], gaps=[0.1, 1e-7], stop="CERTIFIED", solver="liar")
    honest = fit([0.6, 0.5], solver="b")
    optima = Optima([liar, honest])
    found = optima.judge(Descent.of(liar))

    assert found.disproved == (
        "its certificate says that f + Ω is at least 0.7999999, and b has 0.5 on the same rows"
    )
    assert (found.gap_kind, found.converged) == ("measured", False)
    row = flat_row(liar, optima)
    assert (row["stop"], row["gap_kind"]) == ("DISPROVED", "measured")
    assert row["disproved"] == found.disproved
    ends = Ends.of(1, 0, [(Descent.of(liar), found)])
    assert ends.mark == "x"
    assert end_notes([("liar", "d", ends)])[:2] == (
        "x: not certified, since another fit disproves the certificate:",
        f"  liar on d: 1 of 1 fits, {found.disproved}",
    )
    by_fits = Optima()
    for record in (liar, honest):
        by_fits.add_fit(Descent.of(record))
    assert by_fits.judge(Descent.of(liar)) == found


@pytest.mark.parametrize(
    "other",
    [
        {"solver": "b", "problem": "another"},
        {"solver": "b", "split": 1},
        {"solver": "b", "feasible": False},
        {"solver": "b", "value": 0.8 - 1e-7},  # only a point before the end is lower
        {"solver": "b", "value": 0.8 - 9e-7},
    ],
    ids=["problem", "split", "infeasible", "claim along the way", "rounding"],
)
def test_what_disproves_no_certificate(other):
    certified = fit([0.9, 0.8], gaps=[0.1, 0.0], stop="CERTIFIED")
    found = judged(certified, fit([0.6, 0.5], **other))

    assert (found.disproved, found.gap_kind) == (None, "certified")
