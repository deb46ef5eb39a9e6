"""What `compare` says of targets other than labels: their measure, its interval, and words."""

import numpy as np
import pytest

from aucbench import compare
from aucbench.data import Data
from aucbench.data.categories import Categories
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.metrics import cindex, grade_auc, hand_till
from aucbench.report.notes import notes

pytestmark = pytest.mark.usefixtures("in_process")


def rows(kind, n=160):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    signal = X[:, 0] + 0.5 * rng.normal(size=n)
    if kind == "times":
        time, end = rng.exponential(np.exp(-2 * signal)), rng.exponential(2.0, n)
        return Data.of(X, Survival.of(np.minimum(time, end) + 1e-9, time <= end))
    if kind == "grades":
        return Data.of(X, Grades.of(np.clip(np.round(signal), -1, 1)), groups=np.arange(n) // 4)
    return Data.of(X, Categories.of(np.argmax(X + rng.normal(size=X.shape), axis=1)))


def by_hand(kind, data, record, results):
    arrays = results._store.scores(record.id, record.sizes.data)
    some, s = data.take(arrays["rows"].astype(np.int32)), arrays["scores"]
    if kind == "times":
        return cindex(some.target.time, some.target.event, s)
    if kind == "grades":
        return grade_auc(some.target.y, s, groups=some.groups)
    return hand_till(some.target.y, s)


@pytest.mark.parametrize(
    ("kind", "title", "method"),
    [
        ("times", "C-index", "influence, log-odds and mixture beta"),
        ("grades", "grade AUC", "influence by groups, log-odds and mixture beta"),
        ("classes", "Hand–Till M", "influence, log-odds and mixture beta"),
    ],
)
def test_other_targets_are_judged_by_their_measure(kind, title, method):
    data = rows(kind)
    results = compare("svm-or,ls-svm", data, splits=2, features="none")
    found = results.findings
    assert (found.measure, found.quality) == (title, title)
    assert found.row_test == "a t-test by the influence of rows"
    for row in found.datasets[0].rows:
        ours = row.within.interval
        assert ours.method == method
        assert ours.low < ours.estimate < ours.high
    for record in results:
        assert record.ok
        assert record.measures.auc == pytest.approx(by_hand(kind, data, record, results))
    [pair] = found.datasets[0].pairs
    assert pair.delong.method == f"{method.removesuffix(', log-odds and mixture beta')}, paired"
    assert pair.verdict.low <= pair.verdict.estimate <= pair.verdict.high
    assert title in found.advice.sentences[0]


def test_a_class_of_two_rows_has_no_interval_over_test_rows_and_the_table_says_why():
    y = np.repeat([0, 1, 2], [40, 12, 2])
    X = np.random.default_rng(0).normal(size=(54, 3)) + np.eye(3)[y]
    found = compare("svm-or,ls-svm", Data.of(X, Categories.of(y)), splits=2).findings
    [line] = [line for line in notes(found) if line.startswith("no interval")]
    assert line.endswith(": 2 rows are of the rarest class, and an interval needs 3.")


def test_other_measures_of_a_target_are_had_from_the_folder():
    results = compare("svm-or", rows("times"), splits=2, metrics="cindex[weight=ipcw,tau=1],cindex")
    found = results.findings
    assert found.measure == "C-index[weight=ipcw,tau=1]"
    [row] = found.datasets[0].rows
    assert row.within.interval.low < row.estimate < row.within.interval.high
    censoring = {
        record.id: results._store.scores(record.id, record.sizes.data) for record in results
    }
    assert all(one["learnt_time"].size == 80 for one in censoring.values())
