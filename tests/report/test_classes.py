"""Reports on data sets with three or more classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from aucbench import compare
from aucbench.data import Categories
from aucbench.metrics.roc import bands
from aucbench.metrics.rows import TargetRows, bare
from aucbench.report.classes import against_rest, class_sections, classes_within
from aucbench.report.page import page_of
from aucbench.stats.rows import Fold

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(3), rng.integers(0, 3, 147))
    X = rng.normal(size=(150, 3)) + np.eye(3)[y]
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=np.array(["x", "<y>", "z"])[y])
    return compare(frame, solvers="svm-or,sht-auc[k=2]", labels="classes", splits=3)


def rows(seed=0, n=60, k=3):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    return TargetRows(bare(Categories.of(y)), rng.normal(size=(n, k)) + np.eye(k)[y])


def test_each_class_has_its_auc_and_its_curve():
    splits = {(0, 0): rows(0), (0, 1): rows(1)}
    each = classes_within({7: splits}, 20)
    for k, one in enumerate(each):
        own = [roc_auc_score(s.data.target.y == k, s.scores[:, k]) for s in splits.values()]
        assert one.aucs == {7: pytest.approx(np.mean(own))}
        folds = [Fold(s.data.target.y == k, s.scores[:, k]) for s in splits.values()]
        np.testing.assert_allclose(one.roc[7].mean, bands(folds, 20)[0].mean)
    assert sum(one.rows for one in each) == 120
    assert classes_within({7: {(0, 0): Fold([0, 1], [0.0, 1.0])}}, 20) == ()


def test_the_mean_curve_is_first_over_the_classes():
    sides = [[*against_rest(rows(seed))] for seed in (0, 1)]
    curve = bands([fold for own in sides for fold in own], 20, 3)[0]
    means = [np.mean([bands([fold], 20)[0].mean for fold in own], axis=0) for own in sides]
    np.testing.assert_allclose(curve.mean, np.mean(means, axis=0))
    np.testing.assert_allclose(curve.low, np.min(means, axis=0))


def test_the_page_has_a_chapter_on_the_classes(results):
    findings = results.findings
    assert findings.measure == "Hand–Till M"
    [chapter] = class_sections(findings)
    _, table, chart = chapter.parts
    assert [line[0] for line in table.lines] == ["<y>", "x", "z"]
    assert [*chart.lines] == ["<y>", "x", "z"]
    page = page_of(findings, folder="results").content
    page = page if isinstance(page, str) else page.decode()
    assert chapter.title.split(" of ")[0] in page
    assert "<y>" not in page
    assert "the mean over the classes, each against the rest" in page


def test_the_record_says_which_pairs_were_trained(results):
    frame = results.to_frame()
    told = dict(zip(frame["solver"], frame["trained_on"], strict=True))
    assert told["sht-auc[k=2]"] == "class[each=rest]"
    assert not told["svm-or"] or pd.isna(told["svm-or"])
    assert frame["auc"].between(0.6, 1.0).all()
    assert "other pairs" in str(results)
