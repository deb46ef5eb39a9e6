"""Figure 6: time and validation AUC of line searches and of a grid, for changepoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan, log
from typing import Any

import numpy as np

from aucbench.papers.aum.descents.figure_6 import METHODS, PUBLISHED, STARTS
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Measurement, Protocol, Scale
from aucbench.papers.ranges import Range, range_of
from aucbench.papers.sections import spread
from aucbench.report.sections import Chart, Table
from aucbench.stats.words import ROPE

CALL = "aucbench.papers.aum.descents.figure_6:measured"
SET = "chipseq-H3K4me3_TDH_immune"
FOLDS = 4  # of the set
SEEDS, REPEATS = (0, 1, 2, 3), 3
QUICK_SEEDS = SEEDS[:2]
START = STARTS[0]  # that of the paper
SEARCHES = ("first_min", "linear", "quadratic", "max_auc")  # those that the paper proposes
GRID = "grid"
RATIO = 1.0  # validation rows divided by subtrain rows
TEST_RATIO = 2 / 3  # test rows divided by subtrain rows: a quarter and three eighths
TITLES = {
    "surrogate": "from the surrogate, as in the paper",
    "normal": "from N(0, 1), which the paper does not use here",
}
NOTES = (
    "H3K4me3_TDH_immune (chipseq) with its four folds: each is the test set once, and the others "
    "are divided at random into halves, subtrain and validation rows. The paper does not say the "
    "shares of the two.",
    "A descent ends with the first step that lowers the AUM by less than 0.001 divided by the "
    "number of the rarer kind of errors, because the AUM is that of rates. The paper says 0.001 "
    "without the unit.",
    "The grid has 25 steps from 10⁻⁹ to 10³; that of the paper is not printed. 'ours' is the "
    "solver aum with first_min and the subgradients of 30 steps, and no method of the paper.",
    "Seconds are those of the processor inside the descent, without the AUCs that are only "
    "reported. All methods of a split run in one process, one after another. The paper's are "
    "seconds of an R package. Each result holds the machine, the versions, and how many ran at "
    "once.",
    "Intervals of AUCs take into account that the splits are of the same rows, as in the corrected "
    "resampled t-test; they are meant for other rows. Those of seconds and steps describe these "
    "splits, as if each were a problem of its own.",
)


Row = Mapping[str, Any]  # of a descent
Split = Mapping[str, Row]  # the descents of a split by method
Tested = tuple[bool | None, str]  # whether a statement holds, and the numbers


def figure_6(scale: Scale, protocol: Protocol) -> Experiment:
    """Return figure 6; quick: two of the four seeds, each descent once."""
    quick = scale is Scale.QUICK
    seeds, repeats = (QUICK_SEEDS, 1) if quick else (SEEDS, REPEATS)
    measurements = tuple(
        Measurement(
            name=f"fold {fold}, seed {seed}",
            call=CALL,
            request={"fold": fold, "seed": seed, "repeats": repeats},
            dataset=SET,
        )
        for seed in seeds
        for fold in range(FOLDS)
    )
    names = [one.name for one in measurements]
    size = (
        f"Two of the paper's four seeds, so {len(names)} splits."
        if quick
        else f"Four seeds, so {len(names)} splits; seconds are the median of {repeats} descents."
    )
    return Experiment(
        title="time and validation AUC for changepoints",
        notes=(size, *NOTES),
        measurements=measurements,
        shown=lambda results: [*_shown(results.rows(names))],
        claims=lambda results: claims_of(results.rows(names)),
    )


def _shown(rows: Sequence[Row]) -> Iterator[Chart | Table | str]:
    for start in STARTS:
        some = [row for row in rows if row["start"] == start]
        if some:
            yield f"Descents {TITLES[start]}: means over the splits, ± standard deviation"
            yield _table(some)
    of_paper = [row for row in rows if row["start"] == START]
    if of_paper:
        yield _shares(of_paper, "seconds", "seconds of a descent", log_x=True)
        yield _shares(of_paper, "valid_auc", "largest validation AUC", log_x=False)


def _table(rows: Sequence[Row]) -> Table:
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
    return Table((*header, "AUM at the end"), lines)


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


def claims_of(rows: Sequence[Row]) -> list[Claim]:
    """Return what section 5.2 says of figure 6, tested on the descents from the paper's start."""
    by_split: dict[tuple[int, int], dict[str, Row]] = {}
    for row in rows:
        if row["start"] == START:
            by_split.setdefault((row["fold"], row["seed"]), {})[row["method"]] = row
    splits = [*by_split.values()]
    few: Tested = (None, "it takes two splits")
    return [
        Claim(f"{statement} (section 5.2)", *(test(splits) if len(splits) > 1 else few))
        for statement, test in TESTS.items()
    ]


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


def _others(method: str) -> list[str]:
    return [name for name in PUBLISHED if name != method]


TESTS: Mapping[str, Callable[[Sequence[Split]], Tested]] = {
    "All searches reach a validation AUC similar to that of the grid": _similar,
    "All methods reach a validation AUC significantly higher than at the start": _better,
    "first_min is the fastest method": lambda s: _slower(s, _others("first_min"), ["first_min"]),
    "first_min is faster than the grid": lambda s: _slower(s, [GRID], ["first_min"]),
    "linear is the slowest method, slower than the grid too": lambda s: _slower(
        s, ["linear"], _others("linear")
    ),
    "A descent takes more steps with linear than with first_min": _more_steps,
}
