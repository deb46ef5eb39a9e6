"""Data sets with survival times: how good each solver is at early events, and at late ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aucbench.data import Survival
from aucbench.data.arrays import Vector
from aucbench.metrics.pairs import concordance_of
from aucbench.metrics.roc import Band
from aucbench.metrics.rows import TargetRows
from aucbench.pairs import Time
from aucbench.report.chart import Chart
from aucbench.report.document import Section
from aucbench.report.grid import Grid
from aucbench.stats.rows import Rows

if TYPE_CHECKING:
    from aucbench.report.findings import Findings

SHARES = np.arange(1, 11) / 10  # of the events, up to which pairs count
MOST_LINES = 10  # solvers in the chart


@dataclass(frozen=True, slots=True, eq=False)
class UntilTimes:
    """C of the events until a time, on one data set.

    Attributes
    ----------
    times : array of shape (m,)
        Ascending; events at these times count too.
    events : array of shape (m,)
        Test rows with an event until each time, in the splits of one solver.
    bands : mapping of int to Band
        The mean of C over the splits, and its range, at these times, by solver.
    """

    times: Vector
    events: Vector
    bands: Mapping[int, Band]


def times_within(folds: Mapping[int, Mapping[tuple[int, int], Rows]]) -> UntilTimes | None:
    """Return C of the events until a time, by solver; None where rows have another target.

    C(t) is the share of comparable pairs in order whose earlier event is not after t. The last
    value is Harrell's C of all pairs.
    """
    timed = {
        solver: [
            rows
            for rows in of.values()
            if isinstance(rows, TargetRows) and isinstance(rows.data.target, Survival)
        ]
        for solver, of in folds.items()
    }
    splits = next((rows for rows in timed.values() if rows), [])
    if not splits:
        return None
    when = np.sort(np.concatenate([_events(rows) for rows in splits]))
    times = np.unique(np.quantile(when, SHARES, method="inverted_cdf"))
    return UntilTimes(
        times,
        np.searchsorted(when, times, side="right").astype(np.float64),
        {solver: _band(times, rows) for solver, rows in timed.items() if rows},
    )


def _events(rows: TargetRows) -> Vector:
    target = rows.data.target
    assert isinstance(target, Survival)
    return target.time[target.event]


def _band(times: Vector, splits: Sequence[TargetRows]) -> Band:
    """Return C at each time; a split in which no pair counts yet has no part in it."""
    until = [Time(tau=float(np.nextafter(t, np.inf))) for t in times]
    values = [[concordance_of(p, rows.data, rows.scores) for p in until] for rows in splits]
    table = np.ma.masked_invalid(values)
    lines = (table.mean(axis=0), table.min(axis=0), table.max(axis=0))
    return Band(times, *(np.ma.filled(line, np.nan) for line in lines))


def time_sections(findings: Findings) -> Iterator[Section]:
    """Yield a chapter for each data set with survival times."""
    for one in findings.datasets:
        if one.by_time is not None:
            title = f"Times of {findings.frame.datasets[one.dataset]}"
            yield Section(title, "", tuple(_parts(findings, one.by_time)))


def _parts(findings: Findings, until: UntilTimes) -> Iterator[str | Grid | Chart]:
    order = [j for j in findings.order if j in until.bands][:MOST_LINES]
    names = findings.frame.solvers
    yield (
        "Harrell's C of the pairs whose earlier event is not after a time: the mean over the "
        "splits; the band goes from the lowest to the highest split. A model may order early "
        "events well and late ones badly."
    )
    lines = {names[j]: (until.times.tolist(), until.bands[j].mean.tolist()) for j in order}
    bands = {names[j]: (until.bands[j].low.tolist(), until.bands[j].high.tolist()) for j in order}
    yield Chart("C until a time", "time", "C of the events until then", lines, bands=bands)
    yield Grid(
        ("until", "events", *(names[j] for j in order)),
        [
            [float(t), int(until.events[k]), *(float(until.bands[j].mean[k]) for j in order)]
            for k, t in enumerate(until.times)
        ],
        (".6g", "d", *[".4f"] * len(order)),
    )
