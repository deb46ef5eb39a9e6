"""Reports on classes, grades and survival times, and on measures of which less is better."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from aucbench import compare
from aucbench.bench.options import ShowOptions
from aucbench.data import Categories, Data, Survival
from aucbench.data.grades import Grades
from aucbench.metrics import cindex, grade_auc, hand_till, measure
from aucbench.metrics.roc import bands
from aucbench.metrics.rows import TargetRows, bare
from aucbench.report.classes import class_sections, classes_within
from aucbench.report.findings import findings_of
from aucbench.report.page import page_of
from aucbench.report.times import time_sections, times_within
from aucbench.stats.rows import Fold

pytestmark = pytest.mark.usefixtures("in_process")
LONELY = {0: {(0, 0): Fold([0, 1], [0.0, 1.0])}}


def data_of(kind, n=160):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    signal = X[:, 0] + 0.5 * rng.normal(size=n)
    if kind == "times":
        time, end = rng.exponential(np.exp(-2 * signal)), rng.exponential(2.0, n)
        return Data.of(X, Survival.of(np.minimum(time, end) + 1e-9, time <= end))
    if kind == "grades":
        return Data.of(X, Grades.of(np.clip(np.round(signal), -1, 1)), groups=np.arange(n) // 4)
    return Data.of(X, Categories.of(np.argmax(X + rng.normal(size=X.shape), axis=1)))


def by_hand(kind, some, scores):
    if kind == "times":
        return cindex(some.target.time, some.target.event, scores)
    if kind == "grades":
        return grade_auc(some.target.y, scores, groups=some.groups)
    return hand_till(some.target.y, scores)


def page(results):
    return page_of(results.findings, folder="results").content.decode()


@pytest.mark.parametrize(
    ("kind", "title", "method"),
    [
        ("times", "C-index", "influence"),
        ("grades", "grade AUC", "influence by groups"),
        ("classes", "Hand–Till M", "influence"),
    ],
)
def test_other_targets_are_judged_by_their_measure(kind, title, method):
    data = data_of(kind)
    results = compare("svm-or,ls-svm", data, splits=2, features="none")
    found = results.findings
    assert (found.measure, found.quality) == (title, title)
    assert found.row_test == "a t-test by the influence of rows"
    for row in found.datasets[0].rows:
        interval = row.within.interval
        assert interval.method == f"{method}, log-odds and mixture beta"
        assert interval.low < interval.estimate < interval.high
    for record in results:
        arrays = results._store.scores(record.id, record.sizes.data)
        some = data.take(arrays["rows"].astype(np.int32))
        assert record.measures.auc == pytest.approx(by_hand(kind, some, arrays["scores"]))
    [pair] = found.datasets[0].pairs
    assert pair.delong.method == f"{method}, paired"
    assert pair.verdict.low <= pair.verdict.estimate <= pair.verdict.high
    assert title in found.advice.sentences[0]


def class_rows(seed=0, n=60):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(3), rng.integers(0, 3, n - 3))
    return TargetRows(bare(Categories.of(y)), rng.normal(size=(n, 3)) + np.eye(3)[y])


def test_each_class_has_its_auc_and_its_curve():
    splits = {(0, 0): class_rows(0), (0, 1): class_rows(1)}
    each = classes_within({7: splits}, 20)
    for k, one in enumerate(each):
        sides = [(s.data.target.y == k, s.scores[:, k]) for s in splits.values()]
        assert one.aucs == {7: pytest.approx(np.mean([roc_auc_score(*side) for side in sides]))}
        [band] = bands([Fold(*side) for side in sides], 20)[:1]
        np.testing.assert_allclose(one.roc[7].mean, band.mean)
    assert sum(one.rows for one in each) == 120
    assert classes_within(LONELY, 20) == ()


def test_the_page_has_a_chapter_on_the_classes_and_the_records_say_what_was_trained():
    rng = np.random.default_rng(0)
    y = np.append(np.arange(3), rng.integers(0, 3, 147))
    X = rng.normal(size=(150, 3)) + np.eye(3)[y]
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=np.array(["x", "<y>", "z"])[y])
    results = compare(table, solvers="svm-or,sht-auc[k=2]", labels="classes", splits=3)
    [chapter] = class_sections(results.findings)
    _, grid, chart = chapter.parts
    assert [line[0] for line in grid.lines] == [*chart.lines] == ["<y>", "x", "z"]
    content = page(results)
    assert chapter.title.split(" of ")[0] in content
    assert "<y>" not in content
    assert "the mean over the classes, each against the rest" in content
    rows = results.to_frame()
    trained = dict(zip(rows["solver"], rows["trained_on"], strict=True))
    assert trained["sht-auc[k=2]"] == "class[each=rest]"
    assert not trained["svm-or"] or pd.isna(trained["svm-or"])
    assert "other pairs" in str(results)


def patients(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    dies, leaves = rng.exponential(np.exp(-X[:, 0]) * 20), rng.exponential(30, n)
    columns = {"days": np.ceil(np.minimum(dies, leaves)), "died": (dies <= leaves).astype(int)}
    return pd.DataFrame(X, columns=["a", "b"]).assign(**columns)


def rows_of_times(seed):
    table = patients(seed)
    return TargetRows(bare(Survival.of(table.days, table.died)), table.a.to_numpy())


def test_c_until_a_time_counts_its_events():
    splits = {(0, 0): rows_of_times(0), (0, 1): rows_of_times(1)}
    until = times_within({7: splits})
    band, own = until.bands[7], [(s.data.target, s.scores) for s in splits.values()]
    for k, end in enumerate(until.times):
        c = [cindex(g.time, g.event, scores, tau=end + 0.5) for g, scores in own]
        assert band.mean[k] == pytest.approx(np.mean(c))
        assert (band.low[k], band.high[k]) == pytest.approx((min(c), max(c)))
        assert until.events[k] == sum(int((g.event & (g.time <= end)).sum()) for g, _ in own)
    whole = [cindex(g.time, g.event, scores) for g, scores in own]
    assert band.mean[-1] == pytest.approx(np.mean(whole))
    late = TargetRows(bare(Survival.of([50.0, 60.0], [1, 0])), np.array([1.0, 0.0]))
    until = times_within({0: {(0, 0): rows_of_times(0), (0, 1): late}})
    assert until.bands[0].low[0] == until.bands[0].high[0]  # a split without a pair so early
    assert times_within(LONELY) is None


def test_the_page_has_a_chapter_on_the_times():
    named = {"time_to_event": "days", "event": "died"}
    results = compare(patients(0), solvers="ls-svm,rank-svm", splits=2, **named)
    [chapter] = time_sections(results.findings)
    _, chart, grid = chapter.parts
    assert {*chart.lines} == {*chart.bands} == {"ls-svm", "rank-svm"}
    assert len(grid.lines) >= 5
    assert "C until a time" in page(results)


def test_the_first_rank_has_the_least_loss(frame):
    findings = findings_of(frame, ShowOptions(metrics=("log-loss",)))
    for one in findings.datasets:
        best = min(one.rows, key=lambda row: row.estimate)
        assert (best.rank, best.leading) == (1, True)
        scored = map(frame.scores, frame.rows(best.dataset, best.solver))
        values = [measure("log-loss")(arrays["y"], arrays["scores"]) for arrays in scored]
        assert best.estimate == pytest.approx(np.mean(values))
    least = np.argmin(findings.values.mean(axis=0))
    assert findings.order[0] == np.argmin([rank.estimate for rank in findings.ranks]) == least
    assert findings.advice.leader == frame.solvers[least]
    assert "has the lowest mean log-loss" in str(findings.advice)
