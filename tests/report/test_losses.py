"""A report on a measure of which a smaller value is better."""

import numpy as np
import pytest

from aucbench.bench.options import ShowOptions
from aucbench.metrics import measure
from aucbench.report import notes, tables
from aucbench.report.findings import findings_of, means_of


@pytest.fixture(scope="module")
def findings(frame):
    """Those of a loss, in place of the AUC."""
    return findings_of(frame, ShowOptions(metrics=("log-loss",)))


def test_the_first_rank_has_the_least_loss(findings, frame):
    for one in findings.datasets:
        best = min(one.rows, key=lambda row: row.estimate)
        assert best.rank == 1
        assert best.leading
        values = [
            measure("log-loss")(arrays["y"], arrays["scores"])
            for arrays in map(frame.scores, frame.rows(best.dataset, best.solver))
        ]
        assert best.estimate == pytest.approx(np.mean(values))
    means = findings.values.mean(axis=0)
    assert findings.order[0] == np.argmin(means)
    assert findings.advice.leader == frame.solvers[np.argmin(means)]
    assert "has the lowest mean log-loss" in str(findings.advice)
    ranks = [standing.estimate for standing in findings.ranks]
    assert np.argmin(ranks) == np.argmin(means)


def test_tables_mark_the_smallest_loss_and_say_the_direction(findings, frame):
    asked = ShowOptions(metrics=("log-loss", "brier", "auc"))
    for table in tables.tables(findings_of(frame, asked)):
        assert table.header[2] == "log-loss"
        losses, brier, auc = (
            [float(line[table.header.index(name)]) for line in table.lines]
            for name in ("log-loss", "Brier score", "AUC")
        )
        assert table.best == tuple(loss == min(losses) for loss in losses)
        assert max(brier) < 0.25 < 0.9 < min(auc)
    assert "a smaller log-loss is better" in [*notes.notes(findings)]


def test_the_means_are_those_of_the_findings(frame):
    for name in ("auc", "ap", "brier"):
        means, whole = means_of(frame, name), findings_of(frame, ShowOptions(metrics=(name,)))
        assert means.measure == whole.measure
        assert means.values == pytest.approx(
            {(row.dataset, row.solver): row.estimate for row in whole.rows}
        )
