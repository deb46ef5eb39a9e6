"""Reports on data sets with survival times."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aucbench import compare
from aucbench.data import Survival
from aucbench.metrics import cindex
from aucbench.metrics.rows import TargetRows, bare
from aucbench.report.page import page_of
from aucbench.report.times import time_sections, times_within
from aucbench.stats.rows import Fold

pytestmark = pytest.mark.usefixtures("in_process")


def patients(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    dies, leaves = rng.exponential(np.exp(-X[:, 0]) * 20), rng.exponential(30, n)
    frame = pd.DataFrame(X, columns=["a", "b"])
    return frame.assign(days=np.ceil(np.minimum(dies, leaves)), died=(dies <= leaves).astype(int))


@pytest.fixture(scope="module")
def results():
    named = {"time_to_event": "days", "event": "died"}
    return compare(patients(0), solvers="ls-svm,rank-svm", splits=2, **named)


def rows(seed):
    frame = patients(seed)
    rng = np.random.default_rng(seed)
    return TargetRows(bare(Survival.of(frame.days, frame.died)), frame.a.to_numpy() + rng.normal())


def test_c_until_a_time_counts_its_events():
    splits = {(0, 0): rows(0), (0, 1): rows(1)}
    until = times_within({7: splits})
    band = until.bands[7]
    targets = [one.data.target for one in splits.values()]
    for k, t in enumerate(until.times):
        own = [
            cindex(target.time, target.event, one.scores, tau=t + 0.5)
            for target, one in zip(targets, splits.values(), strict=True)
        ]
        assert band.mean[k] == pytest.approx(np.mean(own))
        assert (band.low[k], band.high[k]) == pytest.approx((min(own), max(own)))
        assert until.events[k] == sum(int((g.event & (g.time <= t)).sum()) for g in targets)
    whole = [
        cindex(g.time, g.event, one.scores) for g, one in zip(targets, splits.values(), strict=True)
    ]
    assert band.mean[-1] == pytest.approx(np.mean(whole))


def test_a_split_without_a_pair_so_early_has_no_part():
    late = TargetRows(bare(Survival.of([50.0, 60.0], [1, 0])), np.array([1.0, 0.0]))
    until = times_within({0: {(0, 0): rows(0), (0, 1): late}})
    assert until.bands[0].low[0] == until.bands[0].high[0]
    assert times_within({0: {(0, 0): Fold([0, 1], [0.0, 1.0])}}) is None


def test_the_page_has_a_chapter_on_the_times(results):
    findings = results.findings
    assert findings.measure == "C-index"
    [chapter] = time_sections(findings)
    _, chart, table = chapter.parts
    assert {*chart.lines} == {*chart.bands} == {"ls-svm", "rank-svm"}
    assert len(table.lines) >= 5
    page = page_of(findings, folder="results").content
    assert "C until a time" in (page if isinstance(page, str) else page.decode())
