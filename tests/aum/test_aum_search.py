"""Line searches: the laws beside all events of `aum_path`, and the picture of an example."""

import tracemalloc
from dataclasses import astuple, replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from aum_path import main
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import aum
from refusals import assert_refused, refusals
from sequences import breakpoints

from aucbench.aum import (
    Lines,
    aum_loss,
    aum_path,
    best_max_auc,
    best_min,
    first_min,
    reference_path,
    roc_auc,
    walk,
)
from aucbench.errors import DataError, ParameterError

SEARCHES = [first_min, best_min, best_max_auc]


# --- twins: one walk over all events of the path -------------------------------------------


def cut(path, events, limit):
    """Rows of the events that may be visited, and the end of what they tell."""
    rows = np.flatnonzero(path.step <= limit)
    end = limit
    if events is not None and rows.size > events + 1:
        end = path.step[events + 1]
        rows = rows[: events + 1]
    return rows, end


def valleys(path, events=None):
    """(lo, hi, AUM, rises after it, last event) of maximal runs of events with slopes 0."""
    rows, end = cut(path, events, inf)
    found, start = [], 0
    for k in rows:
        if path.aum_slope_after[k] != 0:
            rises = path.aum_slope_after[k] > 0
            found.append((path.step[start], path.step[k], path.aum[start], rises, k))
            start = k + 1
    if start < rows.size:
        found.append((path.step[start], end, path.aum[start], True, rows[-1]))
    return found


def plateaus(path, limit=inf):
    """(lo, hi, AUC) of steps between which the AUC is one."""
    rows, end = cut(path, None, limit)
    changes = [0, *(k for k in rows[1:] if path.auc_after[k] != path.auc_after[k - 1])]
    found = []
    for k, following in zip(changes, [*changes[1:], None], strict=True):
        value = path.auc_after[k]
        if following is None:
            found.append((path.step[k], end, path.auc[k] if path.step[k] == end else value))
        else:
            found.append((path.step[k], path.step[following], value))
    return found


def first(pieces):
    return next((piece for piece in pieces if piece[3]), pieces[-1])


def best(pieces, sign):
    return max(pieces, key=lambda piece: sign * piece[2])


def same(found, piece):
    assert (found.step_lo, found.step_hi, found.value) == piece[:3]


# --- lines ---------------------------------------------------------------------------------

few = st.integers(-4, 4)


@st.composite
def lines_of(draw, *, labels=False):
    """Whole numbers, often tied; errors that are not monotone unless they are labels."""
    n = draw(st.integers(1, 9))
    T, d = (np.array(draw(st.lists(few, min_size=n, max_size=n)), float) for _ in "Td")
    if labels:
        y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
        assume(0 < y.sum() < n)
        return Lines(T, d, 1.0 - y, -1.0 * y)
    changes = st.lists(st.integers(-1, 2), min_size=n, max_size=n)
    fp, fn = np.array(draw(changes), float), -np.array(draw(changes), float)
    assume(fp.sum() > 0 > fn.sum())
    return Lines(T, d, fp, fn)


def path_of(lines):
    return aum_path(lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff)


def normal_lines(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    fp, fn = ~y / np.count_nonzero(~y), -1.0 * y / np.count_nonzero(y)
    return Lines(-rng.normal(size=n) - y, rng.normal(size=n) + 0.5 * ~y - 0.5 * y, fp, fn)


limits = st.one_of(st.just(inf), st.integers(0, 8).map(lambda k: k / 2))
numbers_of_events = st.one_of(st.none(), st.integers(0, 6))


# --- laws ----------------------------------------------------------------------------------


@given(st.one_of(lines_of(), lines_of(labels=True)))
def test_the_published_search_is_the_definition(lines):
    """Its AUM at each step is the area threshold by threshold, and its slope leads to the next."""
    columns = [x.tolist() for x in (lines.intercept, lines.slope, lines.fp_diff, lines.fn_diff)]
    intercept, slope, *errors = columns
    path = [*reference_path(lines)]
    for event, following in zip(path, [*path[1:], path[-1]], strict=True):
        for step in (event.step, (event.step + following.step) / 2):
            T = [Fraction(t) + step * Fraction(d) for t, d in zip(intercept, slope, strict=True)]
            area = aum(range(len(T)), T, *errors, [0] * len(T))
            assert event.aum + (step - event.step) * event.slope_after == area


@given(st.one_of(lines_of(), lines_of(labels=True)), numbers_of_events)
def test_minima_are_those_among_all_events(lines, events):
    path = path_of(lines)
    found, piece = first_min(lines), first(valleys(path))
    same(found, piece)
    assert found.events == piece[4]
    found = best_min(lines, max_events=events)
    same(found, best(valleys(path, events), -1))
    assert found.events == cut(path, events, inf)[0][-1]


@given(st.one_of(lines_of(), lines_of(labels=True)), limits)
def test_maxima_are_those_among_all_events(lines, limit):
    path = path_of(lines)
    piece, found = best(plateaus(path, limit), 1), best_max_auc(lines, step_limit=limit)
    assert (found.step_lo, found.step_hi) == piece[:2]
    if found.step > 0 or found.step_hi < inf:
        assert found.value == piece[2]
    assert found.events == cut(path, None, limit)[0][-1]


@given(lines_of(), numbers_of_events, limits, st.sampled_from([2, 3, 7]))
def test_the_size_of_blocks_does_not_matter(lines, events, limit, size):
    def results():
        bounded = best_min(lines, max_events=events), best_max_auc(lines, step_limit=limit)
        return first_min(lines), *bounded

    with pytest.MonkeyPatch.context() as patch:
        expected = results()
        patch.setattr(walk, "BLOCK", size)
        assert results() == expected


def rates_and_counts(T, d, fp, fn):
    """The same lines twice: quotients, which are rounded, and whole numbers in proportion."""
    fps, fns = fp.sum(), -fn.sum()
    return Lines(T, d, fp / fps, fn / fns), Lines(T, d, fp * fns, fn * fps)


def steps_of(found):
    return found.step, found.step_lo, found.step_hi, found.events


@pytest.mark.parametrize(("k", "j"), [(1, 2), (10, 33), (9_999, 6_000)])
def test_what_rounding_leaves_of_a_slope_is_0(k, j):
    """All negatives above all positives, equal means of directions: flat, then falling."""
    d = np.r_[-k : k + 1, -j : j + 1] + 2.0
    negative = np.arange(d.size) <= 2 * k
    T = np.where(negative, d, d + 1e6)  # negatives move apart, so do positives
    rates, counts = rates_and_counts(T, d, 1.0 * negative, 1.0 * negative - 1.0)
    found = first_min(rates)
    assert steps_of(found) == steps_of(first_min(counts))
    assert (found.step_lo, found.events) == (0.0, 1)
    assert found.step_hi > 1.0


@pytest.mark.parametrize("seed", [*range(20), 271, 2720])
def test_rates_are_searched_as_counts_are(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(4, 12)
    T, d = rng.integers(-4, 5, (2, n)) + 0.0
    fp, fn = rng.integers(0, 4, n) + 0.0, -rng.integers(0, 4, n) - 0.0
    rates, counts = rates_and_counts(T, d, fp, fn)
    for search_for in SEARCHES:
        assert steps_of(search_for(rates)) == steps_of(search_for(counts))


def two(T, d):
    """A negative and a positive example."""
    return Lines(np.array(T, float), np.array(d, float), np.array([1.0, 0]), np.array([0, -1.0]))


# Slopes -2, 0, -4, 2, ... of errors that are not monotone.
SHOULDER = Lines(*np.array([[-4, -3, -2, 2, 3, 4], [1, 1, 1, -1, -1, -1],
                            [1, -1, 1, 0, 0, 0], [0, 0, 0, -1, 1, -1]], float))  # fmt: skip
TURNED = two([0, 1], [1, 0])  # AUM falls from 1 to 0 at step 1; AUC is 0, then 1
GOLDEN = [  # lines, search, its limit; step, its bounds, value, events
    (SHOULDER, first_min, {}, (3.0, 3.0, 3.0, 0.0, 3)),
    (SHOULDER, best_min, {"max_events": 1}, (2.25, 2.0, 2.5, 2.0, 1)),
    (SHOULDER, best_max_auc, {}, (3.25, 3.0, 3.5, 2.0, 5)),
    (two([1, 0], [0, 0]), best_max_auc, {}, (0.0, 0.0, inf, 1.0, 0)),
    (two([0, 0], [0, 1]), best_max_auc, {}, (0.0, 0.0, inf, 0.5, 0)),  # a tie broken wrong
    (two([0, 0], [1, 0]), best_max_auc, {}, (1.0, 0.0, inf, 1.0, 0)),  # a tie broken right
    (TURNED, best_max_auc, {}, (2.0, 1.0, inf, 1.0, 1)),
    (TURNED, best_max_auc, {"step_limit": 0.5}, (0.25, 0.0, 0.5, 0.0, 0)),
    (TURNED, best_max_auc, {"step_limit": 1.0}, (1.0, 1.0, 1.0, 0.5, 1)),
    (TURNED, best_max_auc, {"step_limit": 0.0}, (0.0, 0.0, 0.0, 0.0, 0)),
    (TURNED, best_min, {"max_events": 0}, (0.0, 0.0, 0.0, 1.0, 0)),
]


@pytest.mark.parametrize(("lines", "search", "limit", "expected"), GOLDEN)
def test_golden_numbers(lines, search, limit, expected):
    assert astuple(search(lines, **limit)) == expected


def test_memory_does_not_grow_with_the_events():
    lines = normal_lines(500)
    tracemalloc.start()
    try:
        events = [search_for(lines).events for search_for in (best_min, best_max_auc)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert min(events) > 50_000  # 2 MB of columns
    assert peak < 1_000_000


def test_lines_of_scores():
    changes = breakpoints([0, 0, 2], [-1.0, 2.0, 0.5], [1, 0, 1], [0, -1, -1], 3)
    s, d = np.array([1.0, 5.0, -2.0]), np.array([0.5, 7.0, -1.0])

    lines = Lines.of(changes, s, d)

    np.testing.assert_array_equal(lines.intercept, [-2.0, 1.0, 2.5])
    np.testing.assert_array_equal(lines.slope, [0.5, 0.5, -1.0])
    path = path_of(lines)
    for step in (0.0, 0.7, 2.9):
        k = np.flatnonzero(path.step <= step)[-1]
        aum = path.aum[k] + path.aum_slope_after[k] * (step - path.step[k])
        assert aum_loss(changes, s - step * d).value == pytest.approx(aum)
        if step:
            assert roc_auc(changes, s - step * d) == pytest.approx(path.auc_after[k])


THREE = breakpoints([0, 0, 2], [-1.0, 2.0, 0.5], [1, 0, 1], [0, -1, -1], 3)


@refusals(
    *((f"scores {m} direction {n}", lambda m=m, n=n: Lines.of(THREE, np.zeros(m), np.zeros(n)),
       DataError, "3 examples") for m, n in ((3, 2), (2, 3), (4, 4))),
    *((f"limit {limit}", lambda limit=limit: best_max_auc(TURNED, step_limit=limit), ParameterError,
       "step_limit") for limit in (-1.0, np.nan)),
    *((f"{search.__name__} of {what}", lambda search=search, lines=lines: search(lines), DataError,
       what) for search in SEARCHES for what, lines in (
           ("intercept", two([0, np.nan], [1, 0])),
           ("length", replace(TURNED, slope=np.zeros(3))),
           ("both", replace(TURNED, fn_diff=np.zeros(2))),
           ("kinds", Lines(*np.empty((4, 0)))))),
)  # fmt: skip
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


def test_the_example_draws_its_picture(tmp_path):
    main(tmp_path / "path.svg")
    assert "svg" in (tmp_path / "path.svg").read_text(encoding="utf-8")
