"""Axes that points are drawn from: ranges, distributions, and several mappings of them."""

import json
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from toys import SOLVERS, cell

from aucbench.bench.codec import dump, load
from aucbench.bench.worker.build import check_grid, grids_of, points_of
from aucbench.bench.worker.resolve import resolve_spec
from aucbench.errors import ParameterError, PluginError, UnknownNameError
from aucbench.ranges import Range
from aucbench.registry.specs import Spec, parse_spec
from aucbench.solving.points import size_of

pytestmark = pytest.mark.usefixtures("in_process")

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)
LOG = Range(1e-6, 1.0, log=True)
COARSE = (0.25, 0.75, 0.125)  # the default of the toys is the middle

SPACES = """
@dataclass(frozen=True)
class Wide(Means):
    from aucbench.ranges import Range
    limit: float = 0.5
    space: ClassVar = {"c": Range(0.25, 4.0, log=True), "other": ("a", "b", "c")}
@dataclass(frozen=True)
class Frozen(Means):
    from scipy import stats
    space: ClassVar = {"c": stats.loguniform(0.1, 10.0)}
@dataclass(frozen=True)
class Split(Means):
    from aucbench.ranges import Range
    space: ClassVar = [
        {"c": (0.5, 2.0), "other": ("b",)},
        {"c": Range(0.5, 8.0), "other": ("a",), "limit": Range(1, 9, integer=True)},
        {"c": (3.0, 4.0, 5.0)},
    ]
"""
NAMES = ["wide", "frozen", "split"]
MORE = "".join(f'"{name}": {name.title()}, ' for name in NAMES)
TOYS = SOLVERS.replace("@hookimpl", SPACES + "@hookimpl").replace(
    '"odd": Odd,', '"odd": Odd, ' + MORE
)


@pytest.fixture(scope="module")
def toys(shared_site):
    shared_site.add("toys", toys=TOYS)


def values(points):
    return [dict(point.values) for point in points]


def size(spec, replaced=()):
    """Number of points of the published grid."""
    return sum(map(size_of, grids_of(parse_spec(spec), True, replaced)))


@given(low=NUMBERS, high=NUMBERS, integer=st.booleans(), u=st.floats(0, 1, exclude_max=True))
def test_every_share_of_a_range_lies_inside(low, high, integer, u):
    if integer:
        low, high = float(round(low)), float(round(high))
    if not low < high:
        return
    axis = Range(low, high, integer=integer)
    found = axis.at(u)
    assert found in axis
    assert type(found) is (int if integer else float)
    assert load(json.loads(json.dumps(dump(axis))), Range) == axis


NO_RANGES = [
    ({"low": 1.0, "high": 1.0}, "less than"),
    ({"low": 0.0, "high": 1.0, "log": True}, "above 0"),
    ({"low": 0.5, "high": 2, "integer": True}, "whole"),
    ({"low": "1", "high": 2}, "'1'"),
    ({"low": 0.0, "high": inf}, "inf"),
    ({"high": 1.0}, "needs low"),
    ({"low": 1, "hi": 2}, "'hi'"),
]


@pytest.mark.parametrize(("given", "word"), NO_RANGES)
def test_what_is_no_range_is_told(given, word):
    assert_refused(lambda: Range.of(given), (ParameterError, UnknownNameError), word)


def test_points_of_a_range_go_from_the_default_and_from_coarse_to_fine(toys):
    points = values(points_of(cell("wide", tune=True, tune_evals=12)))
    assert points[0] == {"c": 1.0, "other": "a"}
    assert points[1:4] == [{"c": Range(0.25, 4.0, log=True).at(u), "other": "a"} for u in COARSE]
    assert {*(p["other"] for p in points[4:])} == {*"abc"}
    assert all(p["c"] in Range(0.25, 4.0) for p in points)
    assert len({*map(repr, points)}) == 12
    small = cell("means", tune=(("c", Range(1, 3, integer=True)),))
    assert sorted(p["c"] for p in values(points_of(small))) == [1, 2, 3]


def test_mappings_take_turns(toys):
    def parts(count):
        points = points_of(cell("split", tune=True, tune_evals=count))
        return "".join(str(p.part) for p in points), values(points)

    turns, points = parts(16)
    # None has the default, other = "a" with limit = inf. So it is added to the first, which has
    # five points then; the last one has three, and the rest is for the range.
    assert turns == "0120120120101111"
    first = {"c": 1.0, "other": "a"}
    assert points[:3] == [first, {**first, "limit": 5}, {"c": 4.0}]
    assert {p["c"] for p, part in zip(points, turns, strict=True) if part == "2"} == {3, 4, 5}
    assert all(1 <= p["limit"] <= 9 for p in points if "limit" in p)
    for count in (1, 2, 7):
        assert parts(count) == (turns[:count], points[:count])


def test_both_ends_and_the_median_are_tried_on_the_solver(toys):
    check_grid(Spec("frozen"), True)
    assert resolve_spec("solvers", parse_spec("split"), True)["ok"]
    assert size("wide") == size("frozen") == size("split") == inf
    told = resolve_spec("solvers", parse_spec("ls-svm"), (("lam", Range(-1.0, 1.0)),))
    assert (told["ok"], told["reason"]) == (False, "lam must be greater than 0, got -1.0")
    assert not resolve_spec("solvers", parse_spec("ls-svm"), (("lamb", LOG),))["ok"]
    assert_refused(lambda: check_grid(Spec("odd"), True), PluginError, "'12'")
