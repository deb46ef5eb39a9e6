"""The R package pROC: the expected values of its own tests, for the method "delong"."""

from math import inf, isnan

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import assert_refused, refusals

from aucbench.errors import DataError, ParameterError
from aucbench.metrics import auc, partial_auc
from aucbench.stats import Fold, auc_difference, auc_interval, delong_covariance, delong_test

# 113 patients with aneurysmal subarachnoid haemorrhage: the data set aSAH of the R package pROC
# (Turck et al., 2010, Intensive Care Medicine 36), outcome "Poor" (41) and "Good" (72) with the
# markers wfns, s100b (in 1/100) and ndka (in 1/100). One line for each patient class.
POOR = {
    "wfns": "3 2 4 5 5 5 5 2 5 2 1 2 5 4 4 2 5 5 5 2 5 2 5 2 4 5 4 4 1 4 4 2 2 5 5 2 2 5 5 5 5",
    "s100b": (
        "13 10 16 12 44 71 49 7 33 9 7 41 35 48 96 25 86 52 207 7 77 30 3 9 23 70 27 71 8 26 "
        "13 10 11 22 56 14 58 32 82 74 44"
    ),
    "ndka": (
        "1740 1275 1320 1596 518 890 1160 3237 5482 3241 4034 985 1404 2193 742 838 1356 387 "
        "41919 2122 1040 1109 1222 1367 2263 1290 2157 823 7257 1554 519 963 2148 537 957 3406 "
        "1172 1426 4761 1167 1589"
    ),
}
GOOD = {
    "wfns": (
        "1 1 1 1 5 1 2 2 1 2 2 1 1 1 2 1 2 1 1 3 4 1 4 1 5 5 1 1 2 4 1 1 2 2 1 2 1 2 2 1 1 1 1 "
        "2 1 2 1 1 3 2 4 2 1 4 1 1 5 4 2 2 1 1 1 3 1 2 2 4 4 1 1 1"
    ),
    "s100b": (
        "13 14 10 4 47 18 10 10 4 8 4 9 11 7 17 7 11 13 19 5 16 14 34 9 50 46 16 7 43 45 11 8 "
        "9 8 6 13 10 14 15 6 5 9 4 9 8 16 9 8 33 11 28 7 10 32 7 5 24 38 10 15 8 14 10 7 4 19 "
        "15 47 17 15 50 48"
    ),
    "ndka": (
        "301 854 809 1042 600 1554 601 1786 1341 2075 1611 4994 947 629 1253 654 630 8030 1280 "
        "980 981 1821 503 802 659 963 1312 796 1434 4143 763 706 1259 944 766 1298 2719 2227 "
        "995 1173 5883 639 1721 970 1051 1060 1457 461 1730 1271 944 1107 1946 1083 1197 775 "
        "983 1055 2849 853 1257 1290 4683 1168 1267 901 2458 1033 1387 2243 679 1345"
    ),
}


def asah(marker):
    scores = [int(x) for x in (POOR[marker] + " " + GOOD[marker]).split()]
    return Fold(np.repeat([1, 0], [41, 72]), scores)


def test_variances_and_covariances():
    """Those of test-var.R and test-cov.R."""
    expected = [
        [0.00146991470882363, 0.00119615567376754, -0.000532967856762438],
        [0.00119615567376754, 0.00266868245717244, -0.000756164938056579],
        [-0.000532967856762438, -0.000756164938056579, 0.0031908105493913],
    ]
    assert_allclose(delong_covariance([asah(x) for x in POOR]), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("a", "b", "paired", "statistic", "p"),
    [
        ("wfns", "s100b", True, 2.20898359144091, 0.0271757822291882),
        ("wfns", "ndka", True, 2.79777591868904, 0.00514557970691098),
        ("ndka", "s100b", True, -1.39077002573558, 0.164295175223054),
        ("wfns", "s100b", False, 1.43490640926908, 0.152825378808796),
        ("wfns", "ndka", False, 3.10125096778969, 0.00220950791756457),
        ("ndka", "s100b", False, -1.55995743389685, 0.120192832430845),
    ],
)
def test_statistics_and_p_values(a, b, paired, statistic, p):
    """Those of test-roc.test.R."""
    found = delong_test(asah(a), asah(b), paired=paired)
    turned = delong_test(asah(b), asah(a), paired=paired)
    assert_allclose([found.statistic, found.p], [statistic, p], rtol=1e-10)
    assert_allclose([turned.statistic, turned.p], [-statistic, p], rtol=1e-10)
    assert (found.degrees == inf) is paired
    assert found.method == f"DeLong, {'paired' if paired else 'unpaired'}"


@pytest.mark.parametrize(
    ("paired", "greater", "less"),
    [(True, 0.0135878911145941, 0.986412108885406), (False, 0.076412689404398, 0.923587310595602)],
)
def test_one_sided_p_values(paired, greater, less):
    rows = asah("wfns"), asah("s100b")
    assert_allclose(delong_test(*rows, paired=paired, alternative="greater").p, greater, rtol=1e-11)
    assert_allclose(delong_test(*rows, paired=paired, alternative="less").p, less, rtol=1e-11)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ("wfns", "s100b", 0.0104061769564846, 0.174214419249478),
        ("wfns", "ndka", 0.0634011709339876, 0.3600405634833566),
        ("ndka", "s100b", -0.2876917446341914, 0.0488706064228094),
    ],
)
def test_intervals_of_differences(a, b, low, high):
    found = delong_test(asah(a), asah(b))
    assert_allclose([found.low, found.high], [low, high], rtol=1e-11)
    ours = auc_difference([asah(a)], [asah(b)])  # which has room for rows that nobody saw
    assert ours.estimate == pytest.approx(found.estimate)
    assert ours.method == "DeLong, paired, mixture beta"
    assert ours.high - ours.low > 0.99 * (high - low)


def test_aucs_and_the_interval_of_one():
    """Those of test-auc.R and test-ci.auc.R."""
    assert_allclose(auc_interval([asah("wfns")]).estimate, 0.823678861788618, rtol=1e-14)
    middle, half = 0.611957994579946, 0.722670989888189 - 0.611957994579946
    assert_allclose(auc(asah("ndka").positive, asah("ndka").scores), middle, rtol=1e-14)
    [[variance]] = delong_covariance([asah("ndka")])
    assert_allclose(1.959963984540054 * variance**0.5, half, rtol=1e-11)


# By the range of specificities, or of sensitivities: the raw area, and that with pROC's correction.
PARTS = {
    "wfns": {
        (1.0, 0.9, "sp"): (0.0334417344173442, 0.649693339038653),
        (0.9, 0.8, "sp"): (0.0598373983739837, 0.763749402199904),
        (0.5, 0.0, "sp"): (0.488134475939354, 0.952537903757416),
        (1.0, 0.9, "se"): (0.0400999322493225, 0.68473648552275),
        (0.9, 0.8, "se"): (0.0609953703703703, 0.770561002178649),
        (0.5, 0.0, "se"): (0.483358739837398, 0.933434959349593),
    },
    "ndka": {
        (1.0, 0.9, "sp"): (0.0107046070460705, 0.530024247610897),
        (0.9, 0.8, "sp"): (0.0277777777777778, 0.575163398692811),
        (0.5, 0.0, "sp"): (0.416836043360434, 0.667344173441734),
        (0.9, 0.8, "se"): (0.0242547425474255, 0.554439662043679),
        (0.5, 0.0, "se"): (0.428523035230352, 0.714092140921409),
    },
}


@pytest.mark.parametrize("marker", PARTS)
def test_partial_areas(marker):
    """Those of test-auc.R; a range of sensitivities is one of specificities, classes exchanged."""
    rows = asah(marker)
    for (high, low, focus), (raw, corrected) in PARTS[marker].items():
        y, s = (rows.positive, rows.scores) if focus == "sp" else (~rows.positive, -rows.scores)
        ends = {"min_fpr": 1.0 - high, "max_fpr": 1.0 - low}
        assert_allclose(partial_auc(y, s, **ends, scale="raw"), raw, rtol=1e-12)
        assert_allclose(partial_auc(y, s, **ends), corrected, rtol=1e-12)


@pytest.mark.parametrize("paired", [True, False])
def test_what_has_no_variance_is_not_tested(paired):
    y = [0, 0, 1, 1]
    found = delong_test(Fold(y, [1, 2, 3, 4]), Fold(y, [4, 3, 2, 1]), paired=paired)
    one = delong_test(Fold([0, 0, 1], [1, 2, 3]), Fold([0, 0, 1], [1, 3, 2]), paired=paired)
    assert found.estimate == 1.0
    assert isnan(found.p)
    assert isnan(one.p)
    assert "placed alike" in found.note
    assert "one row" in one.note
    same = delong_test(ROWS, ROWS)
    assert (same.estimate, same.statistic, same.p) == (0.0, 0.0, 1.0)


def of(function, *rows, **how):
    return lambda: function(*rows, **how)


ROWS, OTHER = asah("wfns"), Fold([0, 1], [0.0, 1.0])


@refusals(
    ("other rows", of(delong_test, ROWS, OTHER), DataError, "same rows"),
    ("of a covariance", of(delong_covariance, [ROWS, OTHER]), DataError, "same rows"),
    ("one class", of(delong_covariance, [Fold([1, 1], [0.0, 1.0])]), DataError, "both classes"),
    ("a word", of(delong_test, ROWS, ROWS, alternative="two.sided"), ParameterError, "two-sided"),
)
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)
