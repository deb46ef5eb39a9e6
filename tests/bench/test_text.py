"""Durations as people read them."""

import pytest

from aucbench.bench.text import lasting


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (1000, "17 min"),
        (3599.8, "1 h"),
        (18600, "5 h 10 min"),
        (100000, "1 d 4 h"),
        (1e6, "12 d"),
    ],
)
def test_durations_have_two_units_at_most(duration, text):
    assert lasting(duration) == text
