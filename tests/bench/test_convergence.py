"""What is said of the end of a fit: never that it has converged without a certificate."""

import pytest
from toys import SOLVERS, Bench, cell, record_of

from aucbench import compare
from aucbench.bench.results.convergence import Descent, Optima, flat_row
from aucbench.ranges import ENOUGH
from aucbench.report.collecting import frame_of
from aucbench.report.endings import end_notes, ends_of

pytestmark = pytest.mark.usefixtures("in_process")

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


def power(T):
    """f(0) = 1 and f(t) = (1 + 1/(1 + t))/2, after 1, ..., T passes."""
    return [0.5 + 0.5 / (1.0 + t) for t in range(1, T + 1)]


def test_a_small_certified_gap_shows_that_a_fit_has_converged():
    found = judged(fit([0.6, 0.5], gaps=[0.2, 0.004], stop="CERTIFIED"))

    assert (found.gap_kind, found.converged) == ("certified", True)
    assert found.relative_gap == pytest.approx(0.004 / 0.504)  # f* is at least f(w) − gap


@pytest.mark.parametrize("T", [5, 50, 400])
def test_a_large_certified_gap_shows_that_it_has_not(T):
    gaps = [1.0 / t for t in range(1, T + 1)]
    found = judged(fit([0.5] * T, gaps=gaps, planned=float(T)))

    assert found.converged is (1.0 / T <= ENOUGH * (0.5 + 1.0 / T))
    if found.converged is False:
        assert found.gap_kind == "certified"


def test_a_curve_says_nothing_without_a_better_fit():
    alone, beaten = judged(fit(power(20))), judged(fit(power(20)), fit([0.4], solver="b"))

    assert (alone.relative_gap, alone.gap_kind, alone.converged) == (None, None, None)
    assert (beaten.gap_kind, beaten.converged) == ("measured", False)
    assert beaten.relative_gap == pytest.approx((power(20)[-1] - 0.4) / 0.6)


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


def test_a_stalled_fit_without_a_gap_has_not_converged():
    nothing = judged(fit([0.5], stop="STALLED"))
    close = judged(fit([0.6, 0.5], gaps=[1.0, 1e-3], stop="STALLED"))
    far = judged(fit([0.6, 0.5], gaps=[1.0, 0.3], stop="STALLED", passes=[1.0, 2.0]))

    assert (nothing.converged, nothing.relative_gap) == (False, None)
    assert close.converged is True
    assert far.converged is False


@pytest.mark.nightly
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


@pytest.mark.parametrize(
    "unknown", [{"objective_at_start": None}, {"value": None, "values": ()}, {"status": "error"}]
)
def test_nothing_is_said_where_there_is_no_objective(unknown):
    found = judged(fit(**{"values": power(20), **unknown}))
    relative_to_nothing = judged(fit([0.3, 0.2], objective_at_start=0.0))  # of the AUM at w = 0

    assert (found.relative_gap, found.gap_kind, found.converged) == (None, None, None)
    assert relative_to_nothing.converged is None


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


@pytest.mark.nightly
def test_a_short_fit_is_judged_by_longer_fits_only():
    short = compare("spam-l1", "breast-cancer", splits=2, passes=1)
    longer = compare("spam-l1", "breast-cancer", splits=2, passes=20)

    assert {row["converged"] for row in of(short, "spam")} == {None}
    for record in short:
        row = flat_row(record, Optima([*short, *longer]))
        assert (row["gap_kind"], row["converged"]) == ("measured", False)


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
    site.add("toys", toys=SOLVERS)
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
    frame = frame_of([liar, honest])
    ends = ends_of(frame, 0, 0)
    assert str(ends) == "disproved"
    assert end_notes([("liar", "d", ends)])[:2] == (
        "disproved: not certified, since another fit disproves the certificate:",
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
