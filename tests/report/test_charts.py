"""Charts: their axes, the paths of their lines, and what both systems take of them."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aucbench.report.chart import COLOURS, MARKERS, Chart
from aucbench.report.svg import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOLERANCE,
    TOP,
    Axis,
    format_short,
    plot,
    simplify,
)


def axis(values, **given):
    return Axis.of(values, LEFT, RIGHT, **{"log": False, "share": False, **given})


@pytest.mark.parametrize(
    ("values", "given", "ticks"),
    [
        ([0.1, 0.9], {"share": True}, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        ([0.512, 0.587], {}, [0.52, 0.54, 0.56, 0.58]),
        ([3.0, 3.0], {}, [2.9, 3.0, 3.1]),
        ([1e-3, 1e4], {"log": True}, [1e-3, 1e-1, 1e1, 1e3]),
        ([2.0, 5.0], {"log": True}, [2.0, 3.0, 4.0, 5.0]),
    ],
)
def test_axes_have_round_numbers(values, given, ticks):
    found = axis(values, **given)
    assert found.ticks(5) == pytest.approx(ticks)
    places = [found.place(tick) for tick in ticks]
    assert places == sorted(places)
    assert LEFT <= places[0] <= places[-1] <= RIGHT


def test_numbers_of_axes_are_short():
    assert [*map(format_short, (0, 0.25, 100.0, 1e5, 2e-5, -0.5))] == [
        *("0", "0.25", "100", "1e5", "2e-5", "-0.5")
    ]


@given(st.lists(st.tuples(st.integers(0, 800), st.integers(0, 500)), min_size=1, max_size=60))
def test_points_that_are_left_out_are_near_the_line(points):
    points = sorted(points)
    kept = simplify(points)
    assert {*kept} <= {*points}
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    for point in points:
        distances = [distance(point, *ends) for ends in zip(kept, kept[1:] or kept, strict=False)]
        assert min(distances) <= TOLERANCE + 1e-9


def distance(point, first, last):
    p, a, b = (np.array(one, float) for one in (point, first, last))
    step = b - a
    t = np.clip((p - a) @ step / (step @ step), 0, 1) if step.any() else 0.0
    return float(np.linalg.norm(p - a - t * step))


def test_a_path_has_the_places_of_its_points():
    chart = Chart("t", "x", "y", {"a": ([0, 1, None, 3], [0, 1, 9, 0])})
    [path] = re.findall(r'<path class="line s0 marks" d="(.*?)">', plot(chart))
    numbers = [*map(int, re.findall(r"-?\d+", path))]
    places = np.cumsum(np.reshape(numbers, (-1, 2)), axis=0)
    assert len(places) == 3
    assert places[:, 0].min() >= LEFT
    assert places[:, 0].max() <= RIGHT
    assert ((places[:, 1] >= TOP) & (places[:, 1] <= BOTTOM)).all()
    assert places[0, 1] == places[2, 1] > places[1, 1]


def test_what_has_no_place_is_left_out():
    chart = Chart("t", "x", "y", {"a": ([0, 10], [1, 2]), "b": ([0], [1])}, log_x=True)
    assert chart.points("a") == [(10, 2)]
    assert plot(chart).count("class=" + '"line') == 1
    assert plot(Chart("t", "x", "y", {"b": ([0], [1])}, log_x=True)) == ""


def test_no_two_of_many_lines_look_the_same():
    looks = {(k % COLOURS, k % MARKERS) for k in range(COLOURS * MARKERS)}
    assert len(looks) == COLOURS * MARKERS
