"""The three tables: AUC and seconds of the ROC-SVM on simulated and on imbalanced rows.

Rows of tables 1 and 2 are simulated, so that their true scores are known. The truth is linear in
table 1 and radial in table 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, isnan, log
from typing import Any

import numpy as np

from aucbench.papers.parts import AUC, Line
from aucbench.papers.ranges import Range, deviation_of, growth, in_pairs, range_of
from aucbench.papers.reading import Answers, Found, Tested
from aucbench.papers.results import SECONDS, TRUTH, Results
from aucbench.papers.roc_svm.population import population_auc
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid

Runs = Mapping[int, float]  # a measure by the number of its run
Points = tuple[Sequence[float], Sequence[float]]
Place = Callable[[Line], tuple[Any, ...]]
N_TEST = 25_000  # of each run of tables 1 and 2
FEW = "it takes two runs of each of its lines"
OPEN = "the interval of these runs does not decide it"


def runs_of(results: Results, line: Line, measure: str = AUC) -> Runs:
    """Return a measure of a line by the number of the data set, or of the split of the only one."""
    place = {name: number for number, name in enumerate(line.datasets)}
    values = zip(results.of(line), results.values(line, measure), strict=True)
    return {
        place[record.cell.dataset] + record.cell.repeat: float(value)
        for record, value in values
        if not isnan(value)
    }


def gain(found: Found, a: Line, b: Line) -> Range:
    """Return the mean of AUC a − AUC b over the runs that both have."""
    pairs = in_pairs(*(runs_of(found.results, line) for line in (a, b)))
    return range_of([x - y for x, y in pairs], _shared(found))


def times(found: Found, a: Line, b: Line) -> Range:
    """Return how many times as long a takes as b: the geometric mean over the runs of both."""
    pairs = in_pairs(*(runs_of(found.results, line, SECONDS) for line in (a, b)))
    return range_of([log(x / y) for x, y in pairs], _shared(found)).exp()


def _shared(found: Found) -> float:
    """Return the ratio of test and training rows for splits of the same rows; 0 for fresh rows."""
    if found.told.get("fresh"):
        return 0.0
    holdout: float = found.told["plan"]["holdout"]
    return holdout / (1 - holdout)


def exponent(results: Results, lines: Sequence[Line]) -> Range:
    """Return the exponent by which seconds grow with n, over the runs that all n have."""
    by_size = {line.at["n"]: runs_of(results, line, SECONDS) for line in lines}
    if len(by_size) < 2:
        return range_of([])
    common = set.intersection(*map(set, by_size.values()))
    seconds = [[runs[run] for runs in by_size.values()] for run in sorted(common)]
    return range_of([growth([*by_size], some) for some in seconds])


def decided(
    ranges: Mapping[str, Range], what: str, above: float = -inf, below: float = inf, why: str = ""
) -> Tested:
    """Decide whether ranges are between two bounds; they have the words for what each is of.

    It holds when it does for all of them, and fails when it does for one of them; `why` is said
    then. Else these runs leave it open.
    """
    if not ranges or any(isnan(r.low) for r in ranges.values()):
        return None, FEW
    told = f"{what}: {', '.join(f'{r} {name}' for name, r in ranges.items())}"
    if all(above < r.low and r.high < below for r in ranges.values()):
        return True, told
    if any(r.high <= above or r.low >= below for r in ranges.values()):
        return False, "; ".join(filter(None, (told, why)))
    return None, f"{OPEN}: {told}"


def _compared(
    compare: Callable[[Found, Line, Line], Range],
    found: Found,
    method: str,
    rival: str,
    told: str,
    rows: Sequence[str] = (),
    **bounds: Any,
) -> Tested:
    """Test how two methods compare on the rows that both have, or on some as far as these ran."""
    ranges = {
        f"{'with' if found.told.get('fresh') else 'on'} {line.row}": compare(found, line, other)
        for line in found.where(method)
        for other in found.where(rival, line.row)
        if not rows or (line.row in rows and runs_of(found.results, line, SECONDS))
    }
    return decided(ranges, told, **bounds)


def _grows(found: Found, method: str, **bounds: Any) -> Tested:
    """Test how the seconds of a method grow with the number of training rows."""
    lines = found.where(method)
    sizes = f"from {found.lines[0].at['n']} to {lines[-1].at['n']} rows"
    ranges = {f"of {method}": exponent(found.results, lines)}
    return decided(ranges, f"exponent of the seconds {sizes}", **bounds)


def _varies(found: Found, method: str) -> Tested:
    """Decide whether the AUC varies from run to run by as much as the paper prints."""
    told, outside, truths = [], [], []
    for line in found.where(method):
        printed, runs = found.printed(line), runs_of(found.results, line)
        if printed is None or printed.sd is None or len(runs) < 2:
            continue
        ours, theirs = deviation_of([*runs.values()]), printed.sd
        above = runs_of(found.results, line, TRUTH)
        truths.append(np.var([runs[run] - gap for run, gap in above.items()], ddof=1))
        told.append(f"{ours} with {line.row}, printed {theirs:.3g}")
        outside.append(not ours.low <= theirs <= ours.high)
    if not told:
        return None, FEW
    because = f"the standard deviation is {'; '.join(told)}"
    if not any(outside):
        return True, because
    truth = float(np.sqrt(np.mean(truths)))
    far = abs(population_auc(found.told["model"]) - found.told["population"]) / truth
    return False, (
        f"{because}. Drawing {N_TEST} test rows anew makes nearly all of ours: the AUC of the true "
        f"scores on them varies by {truth:.3g}. Where the printed one is smaller, the runs of the "
        "paper may share their test rows, whose chance is then in all of its means. Its population "
        f"AUC is {far:.1f} such deviations away from that of the model"
    )


def varies_more(found: Found, method: str, rival: str, row: str) -> Tested:
    """Compare the deviations of the AUC of both models by their intervals."""
    radial, linear = (
        deviation_of([*runs_of(found.results, found.one(name, row)).values()])
        for name in (method, rival)
    )
    if isnan(radial.low) or isnan(linear.low):
        return None, FEW
    told = f"the standard deviation is {radial} for the radial model, {linear} for the linear one"
    if not (radial.low > linear.high or radial.high < linear.low):
        return None, f"{OPEN}: {told}"
    return radial.low > linear.high, told


def _times_table(found: Found, lines: Iterable[Line], place: Place) -> list[Grid | str]:
    """Return our mean seconds beside theirs; `place` is what a line has under the header."""
    rows = [
        (*place(line), ours, printed.mean, printed.mean / ours)
        for line in lines
        if (printed := found.printed(line, SECONDS))
        and (runs := runs_of(found.results, line, SECONDS))
        for ours in [float(np.mean([*runs.values()]))]
    ]
    title = "Mean seconds of a fit, and how many times as long the paper's took on its machine"
    header = (*found.told["of-times"], "ours", "published", "published / ours")
    return [title, Grid(header, rows)] if rows else []


def _of_simulated(found: Found) -> Iterator[Chart | Grid | str]:
    """Yield how times grow, how near the AUC is to that of the truth, and what it could be."""
    ordered = [line for method in found.methods for line in found.where(method)]
    yield from _times_table(found, ordered, lambda line: (line.at["n"], line.method))
    x = "training rows"
    lines = _with_published(found, SECONDS)
    yield Chart("Seconds of a fit", x, "seconds", lines, log_x=True, log_y=True)
    lines = _with_published(found, TRUTH)
    yield Chart("AUC minus that of the true scores", x, "difference", lines, log_x=True)
    model, population = found.told["model"], found.told["population"]
    shares = [share / 100 for share in range(50, 96)]
    yield Chart(
        "AUC of the true scores in the population",
        "share of negatives",
        "AUC",
        {
            "the printed model": (shares, [population_auc(model, s) for s in shares]),
            "the paper prints, with 0.8": (shares, [population] * len(shares)),
        },
    )


def _with_published(found: Found, measure: str) -> dict[str, Points]:
    """Return ours and theirs against the number of training rows, by names."""
    lines: dict[str, Points] = {}
    for method in found.methods:
        by_size = {
            line.at["n"]: (runs_of(found.results, line, measure), found.printed(line, measure))
            for line in found.where(method)
        }
        means = {n: float(np.mean([*runs.values()])) for n, (runs, _) in by_size.items() if runs}
        published = {n: printed.mean for n, (_, printed) in by_size.items() if printed}
        for words, points in (("", means), (", published", published)):
            if points:
                lines[f"{method}{words}"] = ([*points], [*points.values()])
    return lines


COMPARED = {"gain": partial(_compared, gain), "times": partial(_compared, times)}
SIMULATED = Answers(
    shown=lambda found: [*_of_simulated(found)],
    tests={**COMPARED, "exponent": _grows, "varies": _varies},
)
TABLE_3 = Answers(
    shown=lambda found: _times_table(found, found.lines, lambda line: (line.row, line.method)),
    tests={**COMPARED, "varies-more": varies_more},
)
