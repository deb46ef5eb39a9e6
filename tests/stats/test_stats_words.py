from dataclasses import fields, is_dataclass
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from aucbench import stats
from aucbench.errors import DataError
from aucbench.stats import Difference, Word, holm

NAN = float("nan")


def difference(effect, low, high, p, level=0.95):
    return Difference(effect, low, high, p, level, "by hand")


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (difference(0.02, 0.01, 0.03, 0.001), Word.BETTER),
        (difference(-0.02, -0.03, -0.01, 0.001), Word.WORSE),
        (difference(0.001, -0.002, 0.004, 0.4), Word.EQUIVALENT),
        (difference(0.003, 0.001, 0.005, 0.001), Word.EQUIVALENT),  # certain, and too small
        (difference(0.01, -0.01, 0.03, 0.3), Word.UNCLEAR),
        (difference(0.02, 0.01, 0.03, 0.05), Word.UNCLEAR),
        (difference(0.0, NAN, NAN, NAN), Word.UNCLEAR),
        (difference(0.3, NAN, NAN, NAN), Word.UNCLEAR),
        (difference(NAN, NAN, NAN, NAN), Word.UNCLEAR),
        (difference(0.02, 0.0, 0.04, 0.04, level=0.9), Word.BETTER),
    ],
)
def test_the_word_of_a_difference(found, word):
    assert found.word() is word


def naive_holm(p):
    """Step down: the j-th smallest of m values is multiplied by m - j + 1, and never falls."""
    known = sorted((value, i) for i, value in enumerate(p) if value == value)
    adjusted, largest = [NAN] * len(p), 0.0
    for j, (value, i) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - j) * value))
        adjusted[i] = largest
    return adjusted


@pytest.mark.parametrize("seed", range(20))
def test_holm_agrees_with_stepping_down(seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(size=rng.integers(0, 12)) ** 3, 2)  # rounded: with ties
    p[rng.uniform(size=p.size) < 0.2] = NAN
    assert_array_equal(holm(p), naive_holm(p.tolist()))
    assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])  # of a textbook


@pytest.mark.parametrize("p", [[0.1, 1.1], [-0.1], [[0.1]], 0.1])
def test_holm_refuses_what_is_no_vector_of_p_values(p):
    with pytest.raises(DataError, match="p-values must be"):
        holm(p)


def test_records_name_their_numbers_alike():
    records = [
        record for record in map(partial(getattr, stats), stats.__all__) if is_dataclass(record)
    ]
    names = [[field.name for field in fields(record)] for record in records]
    assert "effect" not in {name for own in names for name in own}
    intervals = [own for own in names if {"low", "high", "level"} <= {*own}]
    assert len(intervals) == 3
    for own in intervals:
        assert own[:3] == ["estimate", "low", "high"]
        assert {"level", "method", "note"} <= {*own}
