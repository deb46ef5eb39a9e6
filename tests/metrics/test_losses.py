"""Verdicts on measures of which a smaller value is better."""

import numpy as np
import pytest

from aucbench.metrics import measure
from aucbench.stats import Advice, Fold, PairTest, SplitTest, Word
from aucbench.stats.tables import ResultTable, Scale


def folds(gains, splits=5):
    """The same rows for each solver; a larger gain separates the classes better."""
    found = {name: {} for name in gains}
    for split in range(splits):
        rng = np.random.default_rng(split)
        y = rng.random(300) < 0.4
        noise = rng.normal(size=y.size)
        for name, gain in gains.items():
            found[name][0, split] = Fold(y, gain * y + noise)
    return found


@pytest.mark.parametrize("name", ["brier", "log-loss"])
def test_the_solver_with_the_smaller_loss_is_better(name):
    test, rows = SplitTest(ratio=1 / 4, by=measure(name)), folds({"bad": 0.3, "good": 2.0})
    found = test.of_rows(rows)
    values = {solver.name: solver.values.mean() for solver in found.solvers}
    table = {solver.name: solver.values for solver in found.solvers}
    for each in (found, test.of_values(table, "No scores.")):  # values alone say the same
        [pair] = each.pairs
        assert each.best == "good"
        assert (pair.a, pair.b, pair.word) == ("bad", "good", Word.WORSE)
        assert pair.verdict.estimate == pytest.approx(values["bad"] - values["good"])
        assert pair.verdict.low > 0
        assert each.pair("good", "bad").word is Word.BETTER
        assert [solver.not_worse for solver in each.solvers] == [False, True]
    y = np.repeat([1, 0], [3, 50])
    for own in rows.values():
        own[0, 5] = Fold(y, np.arange(53.0))  # a half without two positives has no value
    found = test.of_rows(rows)
    assert [solver.missing for solver in found.solvers] == [1, 1]
    assert "1 of 6 splits have no value." in found.pairs[0].verdict.note


def losses(seed=0, n=12):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.1, 0.2, size=(n, 1))
    table = base + np.array([0.0, 0.03, 0.03]) + rng.normal(scale=0.002, size=(n, 3))
    table[0, 2] = np.nan
    return table


def test_pairs_and_advice_of_losses_are_those_of_their_negatives():
    names, sets = ["b", "a", "c"], [f"x{i}" for i in range(12)]
    smaller = ResultTable(losses(), names, sets, scale=Scale.SMALLER)
    larger = ResultTable(-losses(), names, sets, scale=Scale.LARGER)
    of_losses, of_gains = (PairTest().pairs(table).all for table in (smaller, larger))
    for loss, gain in zip(of_losses, of_gains, strict=True):
        assert loss.word is gain.word
        assert (loss.wins, loss.ties, loss.losses) == (gain.wins, gain.ties, gain.losses)
        assert (loss.mean, loss.difference.estimate) == (-gain.mean, -gain.difference.estimate)
        assert (loss.p, loss.adjusted_p) == (gain.p, gain.adjusted_p)
        assert loss.flipped().word is gain.flipped().word
    assert of_losses[0].word is Word.BETTER
    advice, gains = (Advice(table=one, measure="Brier score") for one in (smaller, larger))
    assert advice.leader == gains.leader == "b"
    lowest = f"b has the lowest mean Brier score, {losses()[:, 0].mean():.4f} over 12 data sets"
    assert advice.sentences[1].startswith(lowest)
    assert (advice.best, advice.sentences[0]) == (gains.best, gains.sentences[0])
    assert "highest" not in str(advice)
