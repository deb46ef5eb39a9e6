"""What others test their own functions with, asked of ours.

The tests of scikit-learn run from the installed package. Of scikit-survival and of the R package
aum the rows and the results of their tests are written here as numbers; those of pROC are in
`test_proc.py`, and what aum has recorded of a whole search is in `golden/`.
"""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from aucbench import aum, metrics
from aucbench.data import Survival
from aucbench.data.breakpoints import Breakpoints

# Tests of scikit-learn, by the beginning of their names, that ours fail on purpose, and why.
NO_CLASS = "a class without rows is refused; scikit-learn warns, and returns nan or 0"
OTHERWISE = {
    "test_roc_curve_one_label": NO_CLASS,
    "test_roc_curve_toydata": NO_CLASS,
    "test_auc_score_non_binary_class": NO_CLASS,
    "test_multiclass_ovo_roc_auc_toydata_binary": NO_CLASS,
    "test_precision_recall_curve_toydata": NO_CLASS,
    r"test_perfect_imperfect_chance_multiclass_roc_auc\[ovr-micro": "there is no micro average",
    "test_micro_averaged_ovr_roc_auc": "there is no micro average",
    r"test_roc_auc_score_multiclass_labels_error\[.*must be ordered": "labels come in any order",
    "test_confusion_matrix_at_thresholds_implicit_bytes_pos_label": "bytes are labels as texts are",
}
ASKED = "roc or auc or average_precision or curve or pos_label or scale_invariance or multiclass"


@pytest.mark.nightly
def test_ours_pass_the_tests_of_ranking_of_scikit_learn(tmp_path):
    suite = "sklearn.metrics.tests.test_ranking"
    if find_spec(suite) is None:
        pytest.skip("this scikit-learn was installed without its tests")
    command = [sys.executable, "-m", "pytest", "--pyargs", suite, "-p", "ours_in_scikit_learn"]
    command += ["-q", "-rA", "-p", "no:cacheprovider", "-k", ASKED]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    place = {"cwd": tmp_path, "env": environment}  # which has no settings of ours
    out = subprocess.run(command, **place, capture_output=True, text=True, check=False).stdout
    passed, failed = (
        {name.strip() for name in re.findall(rf"^{word} \S*?::(.+?)(?: - .*)?$", out, re.M)}
        for word in ("PASSED", "FAILED")
    )
    assert len(passed) > 140, out[-3000:]
    found = {name: [known for known in OTHERWISE if re.match(known, name)] for name in failed}
    assert [name for name, known in found.items() if not known] == []
    assert {known for some in found.values() for known in some} == {*OTHERWISE}


def test_equal_scores_have_a_curve():
    """Found by scikit-learn's tests."""
    fpr, tpr, thresholds = metrics.roc_curve([0, 1, 1], [1.0, 1.0, 1.0])
    assert (fpr.tolist(), tpr.tolist(), thresholds.tolist()) == ([0, 1], [0, 1], [np.inf, 1])


# --- scikit-survival: tests/test_metrics.py ------------------------------------------------

# Events (1) and censored rows (0), times, scores; C, concordant, discordant, tied scores and times.
EIGHT, NINE = "1 5 6 11 34 45 46 50", "1 5 6 11 11 34 45 45 50"
HARRELL = {
    "all right": ("11111111", EIGHT, "7 6 5 4 3 2 1 0", 1.0, (28, 0, 0, 0)),
    "all wrong": ("11111111", EIGHT, "0 1 2 3 4 5 6 7", 0.0, (0, 28, 0, 0)),
    "no ties": ("01100100", EIGHT, "5 8 11 34 12 3 9 12", 0.2307692, (3, 10, 0, 0)),
    "times": ("011010100", NINE, "5 8 11 19 34 12 3 9 12", 0.4, (8, 12, 0, 2)),
    "one event": ("011000100", NINE, "5 8 11 19 34 12 3 9 12", 0.2, (3, 12, 0, 1)),
    "events": ("010110100", NINE, "5 8 11 19 34 12 3 9 12", 0.5294118, (9, 8, 0, 1)),
    "scores": ("01101100", EIGHT, "5 15 11 34 12 3 9 12", 0.59375, (9, 6, 1, 0)),
    "events and times": (
        "100010110001",
        "34 11 11 5 1 89 13 45 7 13 9 13",
        "1 19 13 13 15 14 19 23 11 10 11 1",
        0.5681818,
        (12, 9, 1, 2),
    ),
}


def numbers(text):
    return np.array(text.split(), float)


def events(text):
    return np.array([*text]) == "1"


@pytest.mark.parametrize("name", HARRELL)
def test_harrell_s_concordance_is_that_of_scikit_survival(name):
    event, time, scores, value, counts = HARRELL[name]
    found = metrics.concordant_pairs(numbers(time), events(event), numbers(scores))
    assert found.estimate == pytest.approx(value, abs=1e-7)
    of = (found.concordant, found.discordant, found.tied_scores, found.tied_times)
    assert of == counts


TEN = ("0110101001", "1 5 6 10 11 34 45 46 50 56")
TRAIN = ("01010000", "2 4 6 8 10 11 15 19")
# Training rows, test rows, scores, C; τ is the end of the training rows where it is not given.
UNO = {
    "no ties": (TEN, TEN, "5 8 11 19 34 12 3 9 12 20", 0.347890360332615),
    "one tied score": (TEN, TEN, "5 8 11 11 34 12 3 9 12 20", 0.365629810028969),
    "two tied scores": (TEN, TEN, "5 8 11 11 34 12 11 9 12 20", 0.387865723332956),
    "tau": (TRAIN, ("100111", "1 3 5 8 12 13"), "5 8 13 11 9 4", 0.7543736528146774),
    "last row censored": (
        TRAIN,
        ("1001100", "1 3 5 7 12 13 20"),
        "5 8 13 11 9 7 4",
        0.8126567565914234,
    ),
}


@pytest.mark.parametrize("name", UNO)
def test_uno_s_concordance_is_that_of_scikit_survival(name):
    (seen, past), (event, time), scores, value = UNO[name]
    train = Survival.of(numbers(past), events(seen))
    given = {"weight": "ipcw", "train": train, "tau": 19.0 if name == "tau" else None}
    found = metrics.cindex(numbers(time), events(event), numbers(scores), **given)
    assert found == pytest.approx(value, abs=1e-7)


# --- the R package aum: tests/testthat/test-CRAN-aum.R -------------------------------------

FP, FN = [(1, 0, 0)], [(0, -1, 0)]  # (change of FP, change of FN, value) of each breakpoint
WAVE = [(1, 0, -1), (-1, 0, 0), (1, 0, 1)], [(0, -1, -1), (0, 1, 0), (0, -1, 1)]
BOTH = [(0, -1, -1), (1, -1, 0), (1, 0, 1)]
# The breakpoints of each example, predictions, AUM, left and right derivatives of each prediction.
AUM = {
    "a wave": (WAVE, [0, 1], 1, [(1, -1), (1, -1)]),
    "a wave in order": (WAVE, [0, 0], 0, [(-1, 2), (-2, 1)]),
    "a wave at its end": (WAVE, [-1, 1], 0, [(0, 1), (-1, 0)]),
    "tied": ((FP, FN), [0, 0], 0, [(0, 1), (-1, 0)]),
    "in order": ((FP, FN), [-1, 1], 0, [(0, 0), (0, 0)]),
    "out of order": ((FP, FN), [1, -1], 2, [(1, 1), (-1, -1)]),
    "three tied": ((FP, FN, FP), [0, 0, 0], 0, [(0, 1), (-1, 0), (0, 1)]),
    "two errors": ((FP, [(0, -2, 0)], FP), [0, 0, 0], 0, [(0, 1), (-2, 0), (0, 1)]),
    "one with both": (([(2, 0, 0)], FN, BOTH), [0, 0, 0], 0, [(0, 2), (-1, 0), (-1, 1)]),
    "lower": (([(2, 0, 0)], FN, BOTH), [0, 0, -1], 1, [(1, 2), (-1, 0), (-2, -1)]),
    "higher": (([(4, 0, 0)], FN, BOTH), [1, 0, 0], None, [(2, 3), (-1, -1), (-2, -1)]),
    "no breakpoint": (([(1, 0, -1)], [(0, -1, 1)], []), [0] * 3, 2, [(1, 1), (-1, -1), (0, 0)]),
    "nothing": (([], [], []), [1, 0, 0], 0, [(0, 0)] * 3),
}


@pytest.mark.parametrize("name", AUM)
def test_the_aum_is_that_of_its_package(name):
    examples, scores, value, slopes = AUM[name]
    rows = [(e, *row) for e, some in enumerate(examples) for row in some]
    of, fp, fn, value_of = np.array(rows, float).reshape(-1, 4).T.copy()
    base, n = np.zeros(len(examples)), len(examples)
    columns = {"fp_diff": fp, "fn_diff": fn, "value": value_of}
    ends = {"fp_base": base, "fn_base": base, "fp_possible": base + 1, "fn_possible": base + 1}
    errors = Breakpoints(example=of.astype(np.int32), n=n, **columns, **ends)
    found = aum.aum_loss(errors, np.array(scores, float))
    assert value is None or found.value == value
    assert [*zip(found.left, found.right, strict=True)] == slopes
