"""The R package aum (2024.6.19): AUM, one-sided derivatives, ROC curves, changepoint errors.

A difference: the package moves two breakpoints of one example at one value apart (a33).
"""

import csv
import json
import lzma
import re

import numpy as np
import pytest
from sequences import breakpoints

from aucbench.aum import aum_loss, loss, roc_auc
from aucbench.data.breakpoints import Breakpoints
from aucbench.errors import DataError

APART = "a33_dup_breakpoint_same_example"


def cases(reference, kind):
    for path in sorted((reference / "aum").glob("?[0-9_]*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case["kind"] == kind:
            yield case


def breakpoints_of(inputs):
    e = inputs["error_diff"]
    columns = e["example"], e["pred"], e["fp_diff"], e["fn_diff"]
    return breakpoints(*columns, len(inputs["pred"])), np.array(inputs["pred"], float)


def test_area_and_derivatives_of_every_case(reference):
    seen = 0
    for case in cases(reference, "aum_line_search"):
        b, s = breakpoints_of(case["inputs"])
        slopes = np.array(case["outputs"]["derivative_mat"])
        for found in (aum_loss(b, s), loss.sort_loss(b, s)):
            assert found.value == pytest.approx(case["outputs"]["aum"], rel=1e-12), case["id"]
            if case["id"] != APART:
                np.testing.assert_allclose(
                    np.c_[found.left, found.right], slopes, rtol=0, atol=1e-12, err_msg=case["id"]
                )
                gradient = case["outputs"]["gradient_pred"]
                np.testing.assert_allclose(found.gradient, gradient, rtol=0, atol=1e-12)
        seen += 1
    assert seen == 69


def test_breakpoints_of_one_example_move_together(reference):
    case = json.loads((reference / "aum" / f"{APART}.json").read_text(encoding="utf-8"))
    b, s = breakpoints_of(case["inputs"])

    found = aum_loss(b, s)

    np.testing.assert_array_equal(np.c_[found.left, found.right], [[2, 2], [-2, -2]])
    assert aum_loss(b, s + np.array([0.0, 0.25])).value == found.value - 2 * 0.25


def test_roc_area_of_every_case(reference):
    """At step 0 the exact tables draw tied thresholds as straight lines."""
    seen = 0
    for case in cases(reference, "aum_line_search"):
        path = reference / "aum" / "exact" / f"{case['id']}.json"
        if path.is_file():
            area = json.loads(path.read_text(encoding="utf-8"))["table"]["auc"][0]
            assert roc_auc(*breakpoints_of(case["inputs"])) == pytest.approx(area, abs=1e-12)
            seen += 1
    assert seen == 53


ERRORS = {
    "e07_na_prediction": (
        lambda: aum_loss(Breakpoints.of_labels([0, 1]), [0.0, np.nan]),
        "score 1 is nan",
    ),
    "e11_max_fp": (
        lambda: roc_auc(Breakpoints.of_labels([1, 1, 1], "count"), [1.0, 2.0, 3.0]),
        "give both classes",
    ),
    "e17_binary_labels_bad": (
        lambda: Breakpoints.of_labels([0, 1, 2]),
        "there is a label 2",
    ),
    "e23_penalty_no_zero": (
        lambda: Breakpoints.of_penalties([0] * 4, [1, 2, 3, 4], [10, 4, 4, 0], [0, 2, 2, 10]),
        "example 0 begins at min_log_lambda 1.0",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_the_package_refuses_we_refuse_in_our_words(reference, name):
    case = json.loads((reference / "aum" / f"{name}.json").read_text(encoding="utf-8"))
    call, sentence = ERRORS[name]

    assert case["outputs"]["raised"]
    with pytest.raises(DataError, match=re.escape(sentence)):
        call()


def test_what_the_package_takes():
    """e25, e27 and e29; the infinite breakpoint of the last we refuse."""
    assert aum_loss(Breakpoints.of_labels([1, 1], "count"), [0.0, 1.0]).value == 0.0
    assert aum_loss(breakpoints([0, 0], [0, 0], [1, -1], [0, 0], 1), [0.0]).value == 0.0
    with pytest.raises(DataError, match="breakpoint 1 is infinite"):
        breakpoints([0, 1], [0, np.inf], [1, 0], [0, -1], 2)


def test_rates_of_changepoint_errors(reference, data_folder):
    """d12: every other sequence outside fold 1."""
    path = reference / "aum" / "d12_chipseq_H3K4me3_rate.json"
    expected, s = breakpoints_of(json.loads(path.read_text(encoding="utf-8"))["inputs"])
    with lzma.open(data_folder / "chipseq-H3K4me3_TDH_immune.errors.csv.xz", "rt") as lines:
        rows = [row for row in csv.DictReader(lines) if row["fold"] != "1"]
    names = [*dict.fromkeys(row["sequenceID"] for row in rows)][::2]
    number = {name: k for k, name in enumerate(names)}
    rows = [row for row in rows if row["sequenceID"] in number]
    low, high, fp, fn = (
        [float(row[key]) for row in rows]
        for key in ("min_log_lambda", "max_log_lambda", "fp", "fn")
    )
    example = [number[row["sequenceID"]] for row in rows]

    found = Breakpoints.of_penalties(example, low, fp, fn, max_log_lambda=high)

    np.testing.assert_array_equal(found.example, expected.example)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-14)
    np.testing.assert_allclose(found.fp_diff, expected.fp_diff, rtol=1e-14)
    np.testing.assert_allclose(found.fn_diff, expected.fn_diff, rtol=1e-14)
    assert aum_loss(found, s).value == pytest.approx(aum_loss(expected, s).value, rel=1e-12)
