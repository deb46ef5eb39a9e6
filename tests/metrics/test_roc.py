"""Mean ROC and precision-recall curves against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import auc as area
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

from aucbench.errors import DataError, ParameterError
from aucbench.metrics.roc import bands, corners
from aucbench.stats import Fold


def fold(seed, n=300, digits=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n) * 2 - 1
    return y, np.round(y + 2 * rng.standard_normal(n), digits)


@pytest.mark.parametrize("digits", [0, 1, 6])  # many ties, some, none
def test_one_fold_has_the_roc_curve_of_scikit_learn(digits):
    y, scores = fold(0, digits=digits)
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    found = bands([Fold(y, scores)], 400)[0]

    # At a vertical step scikit-learn has two points, of which the upper one counts here.
    np.testing.assert_allclose(found.mean, np.interp(found.x + 1e-12, fpr, tpr), atol=1e-9)
    assert area([0.0, *found.x], [0.0, *found.mean]) == pytest.approx(
        roc_auc_score(y, scores), abs=2e-3
    )


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_one_fold_has_the_precision_of_scikit_learn_where_a_recall_is_first_reached(digits):
    y, scores = fold(1, digits=digits)
    precision, recall, _ = precision_recall_curve(y, scores)
    found = bands([Fold(y, scores)], int((y > 0).sum()))[1]

    known = {round(x, 9): p for x, p in zip(found.x, found.mean, strict=True)}
    for r in np.unique(recall[recall > 0]):
        best = precision[np.isclose(recall, r)].max()
        assert known[round(r, 9)] == pytest.approx(best)


def test_a_band_spans_the_folds():
    folds = [Fold(*fold(2)), Fold(*fold(3))]
    alone = [bands([one], 20)[0].mean for one in folds]
    band = bands(folds, 20)[0]

    np.testing.assert_allclose(band.mean, np.mean(alone, axis=0))
    np.testing.assert_allclose(band.low, np.min(alone, axis=0))
    np.testing.assert_allclose(band.high, np.max(alone, axis=0))


def test_infinite_scores_have_their_place_and_one_class_has_no_curve():
    fp, tp = corners(Fold([1, 0, 1, 0], [np.inf, np.inf, 0.0, -np.inf]))
    assert fp.tolist() == [0, 1, 1, 2]
    assert tp.tolist() == [0, 1, 2, 2]
    for folds in ([], [Fold([1, 1], [0.0, 1.0])]):
        with pytest.raises(DataError, match="both classes"):
            bands(folds)
    with pytest.raises(ParameterError, match="points"):
        bands([], 1)
