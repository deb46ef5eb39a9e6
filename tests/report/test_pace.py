"""How fast solvers come near the best test AUC: a folder made by hand, and a real one."""

from math import inf, isnan, log, nan

import numpy as np
import pytest

from aucbench.bench.results.convergence import Optima
from aucbench.report.curves import TARGETS, learning_curve, paces
from aucbench.report.evidence import Evidence, FoldKey, Group
from aucbench.report.findings import Settings, findings_of
from aucbench.report.fits import Condition, Fit
from aucbench.report.page import page_of

HERE, THERE = Condition("h", "c", 1, 1), Condition("other", "c", 1, 1)
FOLDS = (FoldKey(0, 0), FoldKey(0, 1), FoldKey(0, 2))


def fit(points, auc, *, status="ok", seconds=None, condition=HERE):
    """A fit with test AUCs at some (seconds, passes) of its curve; the last point is its end."""
    curve = np.array([[p, s, nan, 0.9, nan, a] for s, p, a in points]).reshape(-1, 6)
    end = curve[-1] if len(curve) else [nan] * 6
    known = dict.fromkeys(("id", "data", "why", "log"), "")
    return Fit(
        **known,
        **dict.fromkeys(("spread", "nnz", "n_train", "n_test", "d"), nan),
        status=status,
        auc=auc if status == "ok" else nan,
        seconds=end[1] if seconds is None else seconds,
        passes=end[0],
        curve=curve,
        condition=condition,
    )


def made(*solvers, pending=()):
    """One data set; each solver is a list of fits, one for each fold."""
    groups = {
        (0, j): Group(dict(zip(FOLDS, fits, strict=False)), int(j in pending))
        for j, fits in enumerate(solvers)
    }
    return Evidence(("set",), tuple(f"solver-{j}" for j in range(len(solvers))), groups)


FAST = [(1.0, 1.0, 0.5), (2.0, 2.0, 0.7932), (4.0, 3.0, 0.8)]
SLOW = [(1.0, 2.0, 0.7), (8.0, 4.0, 0.793), (16.0, 8.0, 0.799)]


def test_a_target_is_a_share_of_the_best_end_of_the_same_fold():
    # Best ends: 0.8. Targets: 0.792 and 0.796.
    found = paces(made([fit(FAST, 0.8)], [fit(SLOW, 0.799)]), 0, timed=True)

    assert TARGETS == (0.99, 0.995)
    assert found[0].seconds == (2.0, 4.0)
    assert found[0].passes == (2.0, 3.0)
    assert found[1].seconds == (8.0, 16.0)
    assert found[1].passes == (4.0, 8.0)


def test_it_is_the_median_over_folds_each_with_its_own_target():
    late = [(s * 3, p * 3, a / 2) for s, p, a in FAST]  # a fold with another best
    never = [(1.0, 1.0, 0.6)]
    found = paces(
        made(
            [fit(FAST, 0.8), fit(late, 0.4), fit(FAST, 0.8)],
            [fit(never, 0.6), fit(SLOW, 0.399), fit(never, 0.6)],
        ),
        0,
        timed=True,
    )

    assert found[0].seconds == (2.0, 4.0)
    assert found[0].passes == (2.0, 3.0)
    assert found[1].seconds == found[1].passes == (inf, inf)


def test_failures_never_arrive_and_what_is_missing_is_not_known():
    broken = [fit(FAST, 0.8), fit((), nan, status="crash")]
    whole = [fit(FAST, 0.8), fit(FAST, 0.8)]
    found = paces(made(broken, whole), 0, timed=True)
    waiting = paces(made(whole, whole, pending=(1,)), 0, timed=True)

    assert found[0].seconds == found[0].passes == (inf, inf)
    assert found[1].seconds == (2.0, 4.0)
    assert all(isnan(x) for x in (*waiting[1].seconds, *waiting[1].passes, waiting[1].anytime))


def test_anytime_is_the_mean_over_the_logarithm_of_time():
    # From 1 to 16 s; 0.5 up to 2 s, 0.7932 up to 4 s, 0.8 after it: ln 2, ln 2 and 2 ln 2 of 4.
    broken = fit((), nan, status="timeout")
    found = paces(made([fit(FAST, 0.8), broken], [fit(SLOW, 0.799)] * 2), 0, timed=True)
    first = (0.5 * log(2) + 0.7932 * log(2) + 0.8 * log(4)) / log(16)

    assert found[0].anytime == pytest.approx((first + 0.5) / 2)
    assert found[1].anytime == pytest.approx((0.7 * log(8) + 0.793 * log(2)) / log(16))


def test_times_that_are_not_compared_are_not_known():
    found = made([fit(FAST, 0.8)], [fit(SLOW, 0.799, condition=THERE)])
    findings, mixed = findings_of(found), findings_of(found, Settings(mixed=True))

    assert all(isnan(pace.anytime) for pace in findings.paces.values())
    assert np.isnan([pace.seconds for pace in findings.paces.values()]).all()
    assert findings.paces[0, 1].passes == (4.0, 8.0)
    assert [p.ratios for p in findings.profiles["seconds", 0.99]] == [(), ()]
    assert [p.ratios for p in findings.profiles["passes", 0.99]] == [(1.0,), (2.0,)]
    assert [p.ratios for p in mixed.profiles["seconds", 0.99]] == [(1.0,), (4.0,)]
    page = page_of(findings, folder="x")
    assert page.data["until"]["seconds"] == [[None, None]] * 2
    assert page.data["until"]["passes"] == [[2, 4], [3, 8]]


def test_a_real_folder_agrees_with_its_records(findings, records):
    names = findings.evidence
    for (dataset, solver), pace in findings.paces.items():
        mine = {
            r.cell.split: r
            for r in records
            if (r.cell.dataset, r.cell.label) == (names.datasets[dataset], names.solvers[solver])
        }
        times = []
        for split, record in mine.items():
            best = max(
                r.measures.auc
                for r in records
                if (r.cell.dataset, r.cell.split) == (names.datasets[dataset], split)
            )
            there = [p["passes"] for p in record.curve if p.get("test_auc", 0) >= 0.995 * best]
            times.append(min(there, default=inf))
        assert pace.passes[1] == sorted(times)[1]
    page = page_of(findings, folder="x")
    assert {x for unit in page.data["until"].values() for k in unit for x in k} != {-1}


def test_a_curve_in_time_is_the_median_of_fits_at_the_same_second():
    """Medians of seconds and of AUCs at the same passes would go back from 3 s to 2 s."""
    first = fit([(1.0, 1, 0.5), (2.0, 2, 0.9)], 0.9)
    slow = fit([(3.0, 1, 0.6), (4.0, 2, 0.8)], 0.8)
    late = fit([(1.5, 2, 0.7)], 0.7)
    curve = learning_curve([first, slow, late], Optima(), 40).seconds
    assert curve.x.tolist() == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert np.isnan(curve.test_auc[0])  # one fit of three has begun
    assert curve.test_auc[1:].tolist() == pytest.approx([0.7, 0.8, 0.7, 0.8])
    assert learning_curve([first, slow], Optima(), 3).seconds.x.tolist() == [1.0, 3.0, 4.0]
