"""What is said of the end of a fit: never that it has converged without a certificate."""

import pytest
from toys import SOLVERS, Bench, cell, record_of

from aucbench.bench.results.convergence import Descent, Optima, flat_row
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


def test_a_curve_says_nothing_without_a_better_fit():
    alone, beaten = judged(fit(power(20))), judged(fit(power(20)), fit([0.4], solver="b"))
    assert (alone.relative_gap, alone.gap_kind, alone.converged) == (None, None, None)
    assert (beaten.gap_kind, beaten.converged) == ("measured", False)
    assert beaten.relative_gap == pytest.approx((power(20)[-1] - 0.4) / 0.6)


def test_only_fits_of_the_same_problem_on_the_same_rows_count():
    own = fit([0.7])
    differences = (
        *({"split": 1}, {"data": "e"}, {"problem": "PairwiseSquare"}, {"problem": None}),
        {"status": "invalid"},
    )
    others = [fit([0.6], **different) for different in differences]
    assert judged(own, *others).relative_gap is None
    assert judged(own, *others, fit([0.6])).converged is False


def test_a_stalled_fit_without_a_gap_has_not_converged():
    nothing = judged(fit([0.5], stop="STALLED"))
    close = judged(fit([0.6, 0.5], gaps=[1.0, 1e-3], stop="STALLED"))
    far = judged(fit([0.6, 0.5], gaps=[1.0, 0.3], stop="STALLED", passes=[1.0, 2.0]))
    assert (nothing.converged, nothing.relative_gap) == (False, None)
    assert close.converged is True
    assert far.converged is False


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
    assert "0.7999999" in found.disproved
    assert "b has 0.5" in found.disproved
    assert (found.gap_kind, found.converged) == ("measured", False)
    row = flat_row(liar, optima)
    assert (row["stop"], row["gap_kind"]) == ("DISPROVED", "measured")
    assert row["disproved"] == found.disproved
    ends = ends_of(frame_of([liar, honest]), 0, 0)
    assert str(ends) == "disproved"
    assert found.disproved in end_notes([("liar", "d", ends)])[1]


@pytest.mark.parametrize(
    "other",
    [
        *({"problem": "another"}, {"split": 1}, {"feasible": False}),
        *({"value": 0.8 - 1e-7}, {"value": 0.8 - 9e-7}),  # a lower point on the way; rounding
    ],
)
def test_what_disproves_no_certificate(other):
    certified = fit([0.9, 0.8], gaps=[0.1, 0.0], stop="CERTIFIED")
    found = judged(certified, fit([0.6, 0.5], solver="b", **other))
    assert (found.disproved, found.gap_kind) == (None, "certified")
