"""Figure 6: time and validation AUC of line searches and of a grid, for changepoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan, log
from typing import Any

import numpy as np

from aucbench.papers.aum.descents.figure_6 import METHODS, STARTS
from aucbench.papers.parts import Measurement
from aucbench.papers.ranges import Range, range_of
from aucbench.papers.reading import Answers, Found, Plain, Tested
from aucbench.papers.sections import spread
from aucbench.registry.specs import parse_spec
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid
from aucbench.stats.words import ROPE

CALL = "aucbench.papers.aum.descents.figure_6:measured"
START = STARTS[0]  # that of the paper
SEARCHES = ("first_min", "linear", "quadratic", "max_auc")  # those that the paper proposes
GRID = "grid"
RATIO = 1.0  # validation rows divided by subtrain rows
TEST_RATIO = 2 / 3  # test rows divided by subtrain rows: a quarter and three eighths
TITLES = {
    "surrogate": "from the surrogate, as in the paper",
    "normal": "from N(0, 1), which the paper does not use here",
}

Row = Mapping[str, Any]  # of a descent
Split = Mapping[str, Row]  # the descents of a split by method


def _measurements(told: Plain) -> list[Measurement]:
    return [
        Measurement(
            name=f"fold {fold}, seed {seed}",
            call=CALL,
            request={"fold": fold, "seed": seed, "repeats": told["repeats"]},
            dataset=parse_spec(told["set"]),
        )
        for seed in told["seeds"]
        for fold in range(told["folds"])
    ]


def _rows(found: Found) -> list[Row]:
    return found.results.rows(one.name for one in _measurements(found.told))


def _shown(rows: Sequence[Row]) -> Iterator[Chart | Grid | str]:
    for start in STARTS:
        some = [row for row in rows if row["start"] == start]
        if some:
            yield f"Descents {TITLES[start]}: means over the splits, ± standard deviation"
            yield _table(some)
    of_paper = [row for row in rows if row["start"] == START]
    if of_paper:
        yield _shares(of_paper, "seconds", "seconds of a descent", log_x=True)
        yield _shares(of_paper, "valid_auc", "largest validation AUC", log_x=False)


def _table(rows: Sequence[Row]) -> Grid:
    header = ("method", "steps", "s, median", "s, largest", "largest validation AUC", "test AUC")
    first = [row for row in rows if row["method"] == METHODS[0]]
    start = ["at the start", "–", "–", "–"]
    start += [_spread(first, name) for name in ("valid_auc_start", "test_auc_start")]
    lines = [[*start, f"{_mean(first, 'aum_start'):.4f}"]]
    for method in METHODS:
        some = [row for row in rows if row["method"] == method]
        seconds = [row["seconds"] for row in some]
        line = [method, f"{_mean(some, 'steps'):.0f}", f"{np.median(seconds):.3g}"]
        line += [f"{max(seconds):.3g}", _spread(some, "valid_auc"), _spread(some, "test_auc")]
        lines.append([*line, f"{_mean(some, 'aum_end'):.4f}"])
    return Grid((*header, "AUM at the end"), lines)


def _mean(rows: Sequence[Row], field: str) -> float:
    return float(np.mean([row[field] for row in rows]))


def _spread(rows: Sequence[Row], field: str) -> str:
    values = [row[field] for row in rows]
    return spread(_mean(rows, field), float(np.std(values, ddof=1)) if len(values) > 1 else None)


def _shares(rows: Sequence[Row], field: str, title: str, *, log_x: bool) -> Chart:
    """Return the share of the splits with at most x, for each method."""
    lines = {}
    for method in METHODS:
        values = sorted(row[field] for row in rows if row["method"] == method)
        lines[method] = (values, [(k + 1) / len(values) for k in range(len(values))])
    return Chart(f"{title}, by method", title, "share of the splits", lines, log_x=log_x)


def on_splits(test: Callable[..., Tested]) -> Callable[..., Tested]:
    """Return a test of the descents from the start of the paper, of which it takes two splits."""

    def tested(found: Found, **more: Sequence[str]) -> Tested:
        by_split: dict[tuple[int, int], dict[str, Row]] = {}
        for row in _rows(found):
            if row["start"] == START:
                by_split.setdefault((row["fold"], row["seed"]), {})[row["method"]] = row
        splits = [*by_split.values()]
        return test(splits, **more) if len(splits) > 1 else (None, "it takes two splits")

    return tested


def _similar(splits: Sequence[Split]) -> Tested:
    gains = {m: _gain(splits, m, "valid_auc", GRID, "valid_auc") for m in SEARCHES}
    told = f"the AUC minus that of the grid is {_listed(gains)}; ±{ROPE} is practically the same"
    return all(r.low >= -ROPE and r.high <= ROPE for r in gains.values()), told


def _better(splits: Sequence[Split]) -> Tested:
    gains = {m: _gain(splits, m, "valid_auc", m, "valid_auc_start") for m in (*SEARCHES, GRID)}
    alone = _gain(splits, "first_min", "valid_auc", "first_min", "valid_auc_start", 0.0)
    test = _gain(splits, "first_min", "test_auc", "first_min", "test_auc_start", TEST_RATIO)
    told = (
        f"the AUC minus that at the start is {_listed(gains)}. If the splits did not share rows, "
        f"it would be {alone} for first_min. It is the largest of the values after each step, on "
        f"the rows that choose it, and so never below 0. On the test rows it is {test} for "
        "first_min"
    )
    return all(r.low > 0 for r in gains.values()), told


def _slower(splits: Sequence[Split], slow: Sequence[str], fast: Sequence[str]) -> Tested:
    """Test whether each of some methods takes longer than each of others."""
    ratios = {f"{a} / {b}": _times(splits, a, b, "seconds") for a in slow for b in fast}
    return _above_1(*ratios.values()), f"the ratio of seconds is {_listed(ratios)}"


def _more_steps(splits: Sequence[Split]) -> Tested:
    ratio = _times(splits, "linear", "first_min", "steps")
    return _above_1(ratio), f"the ratio of steps is {ratio}"


def _above_1(*ratios: Range) -> bool | None:
    """Whether all of these are above 1; None when one has no interval."""
    return None if any(isnan(r.low) for r in ratios) else all(r.low > 1 for r in ratios)


def _gain(
    splits: Sequence[Split], a: str, of_a: str, b: str, of_b: str, ratio: float = RATIO
) -> Range:
    return range_of([split[a][of_a] - split[b][of_b] for split in splits], ratio)


def _times(splits: Sequence[Split], a: str, b: str, field: str) -> Range:
    """Return by how much a exceeds b: the geometric mean over the splits where both take steps."""
    some = [split for split in splits if split[a]["steps"] and split[b]["steps"]]
    return range_of([log(split[a][field] / split[b][field]) for split in some]).exp()


def _listed(ranges: Mapping[str, Range]) -> str:
    return ", ".join(f"{one} for {name}" for name, one in ranges.items())


FIGURE_6 = Answers(
    shown=lambda found: [*_shown(_rows(found))],
    tests={
        "similar": on_splits(_similar),
        "better": on_splits(_better),
        "slower": on_splits(_slower),
        "more-steps": on_splits(_more_steps),
    },
    measurements=_measurements,
)
