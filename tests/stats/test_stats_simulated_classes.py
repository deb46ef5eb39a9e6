"""Simulated coverage of intervals of three classes, of which one is rare."""

import numpy as np
import pytest
from nights import first_rows
from scipy.stats import binom

from aucbench.data.categories import Categories
from aucbench.metrics.pairs import measure_of
from aucbench.metrics.rows import TargetRows, bare
from aucbench.stats.influence import Influences

SIGNALS = (0.3, 1.0, 2.0, 3.0)  # Hand and Till's M of about .58, .76, .92 and .98
NAMES = np.array(["a", "b", "c"])


def scored(rng, y, signal):
    """Return rows with two scores for each class, which are equally good and alike."""
    base = signal * np.eye(3)[y] + 0.8 * rng.normal(size=(y.size, 3))
    target = bare(Categories(y, NAMES))
    return [TargetRows(target, base + 0.6 * rng.normal(size=base.shape)) for _ in range(2)]


def true_value(measure, counts, signal):
    rng = np.random.default_rng(7)
    y = np.repeat(np.arange(3, dtype=np.int32), np.array(counts) * 8000 // sum(counts))
    return np.mean([measure.values(scored(rng, y, signal)) for _ in range(3)])


def shares(name, counts, signal, samples):
    """Return how often intervals hold, and how often equal scores are told apart."""
    rng, measure = np.random.default_rng(1), measure_of(name)
    true, y = true_value(measure, counts, signal), np.repeat(np.arange(3, dtype=np.int32), counts)
    held, differ = [], []
    for _ in range(samples):
        a, b = (Influences.joined([measure.influence(rows)]) for rows in scored(rng, y, signal))
        interval = a.interval()
        if not np.isnan(interval.low):
            held.append(interval.low <= true <= interval.high)
        differ.append(a.difference(b).p < 0.05)
    return np.mean(held), np.mean(differ), len(held)


@pytest.mark.parametrize(
    ("counts", "samples"),
    first_rows(
        [((48, 9, 3), 100), ((48, 9, 3), 1500), ((200, 192, 8), 1000), ((20, 20, 20), 1500)]
    ),
)
@pytest.mark.parametrize("name", ["hand-till", "one-vs-rest"])
def test_intervals_hold_from_three_rows_of_the_rarest_class_on(name, counts, samples):
    for signal in SIGNALS:
        held, differ, kept = shares(name, counts, signal, samples)
        assert held >= binom.ppf(0.001, kept, 0.94) / kept, signal
        assert differ <= binom.ppf(0.999, samples, 0.06) / samples, signal


@pytest.mark.parametrize("rarest", [1, 2])
def test_fewer_rows_of_the_rarest_class_have_no_interval(rarest):
    rng, y = np.random.default_rng(0), np.repeat(np.arange(3, dtype=np.int32), (48, 9, rarest))
    for name in ("hand-till", "one-vs-rest"):
        a, b = (Influences.joined([measure_of(name).influence(x)]) for x in scored(rng, y, 1.0))
        for told in (a.interval(), a.difference(b)):
            assert np.isnan([told.low, told.high]).all()
            assert told.note == f"{rarest} rows are of the rarest class, and an interval needs 3."


def test_rows_of_the_rarest_class_are_counted_over_folds_and_not_over_repeats():
    rng, hand_till = np.random.default_rng(0), measure_of("hand-till")
    y = np.repeat(np.arange(3, dtype=np.int32), (20, 10, 1))
    folds = [hand_till.influence(scored(rng, y, 1.0)[0]) for _ in range(4)]
    four = Influences.joined(folds)
    assert not four.flaw()
    assert four.flaw(repeats=2).startswith("2 rows are of the rarest class")
    # One row of a class in a fold says nothing of the variance: hidden rows count in full.
    assert four.interval().high - four.interval().low > 0.2
