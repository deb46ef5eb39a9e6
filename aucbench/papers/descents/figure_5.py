"""Fowler & Hocking, figure 5: how many events a line search visits, and how many steps it takes.

Design
  a. Only scores are kept, because the AUM, its derivatives and the searches need no weights.
  b. All searches descend from the same start. They run in turn on the rows, and times are those of
     the processor, so that other load on the machine affects them little and alike.
  c. Errors are counts, as published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np

from aucbench.aum import Breakpoints, Found, Lines, aum_loss, best_min, first_min
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import require_whole
from aucbench.features import Standard

# Errors of one example times a unit of scores: a step that falls by less is the last one.
FALL = 1e-3
MOST = 10_000  # steps of a descent
SEARCHES: Mapping[str, Callable[[Lines], Found]] = {
    "first_min": first_min,
    "linear": lambda lines: best_min(lines, max_events=lines.slope.size),
    "quadratic": best_min,
}


def measure_descents(
    data: Data, *, n: int, seed: int, searches: Sequence[str] = tuple(SEARCHES)
) -> dict[str, Any]:
    """Descend with each search from the same start, and count steps and events.

    The rows are drawn and standardised. Classes keep their shares, with at least two rows each.
    The first weights are N(0, 1). The direction is the published one: minus the mean of the left
    and right derivatives over all rows. Each search first does one step that does not count, so
    that none pays for what is done once.

    Parameters
    ----------
    data : Data
        Rows with labels. In the paper, the first of ten classes is the negative one.
    n : int
        Number of rows, at least 4.
    seed : int
        Decides the sample of rows and the start.
    searches : sequence of str
        Names of `SEARCHES`. With many rows, "quadratic" takes too long.

    Returns
    -------
    dict
        Its "rows" have, for each search, the number of steps, the last of which lowered the AUM by
        less than the tolerance, the mean number of events of a step, the processor time of the
        whole descent, and the mean one of a search. There is no row without a step, which is a
        start with an AUM of 0.
    """
    part, s = _sample_rows(data, n, seed)
    for name in searches:
        _descent(part, s, name, 1)
    rows = [{"method": name, **_descent(part, s, name, MOST)} for name in searches]
    return {"rows": [row for row in rows if row["steps"]]}


def _sample_rows(data: Data, n: int, seed: int) -> tuple[Data, Vector]:
    """Return n standardised rows, and their scores at the start."""
    require_whole(4, n=n)
    rng = np.random.default_rng([n, seed])
    share = data.labels.n_neg / data.n
    negatives = min(max(2, round(share * n)), n - 2)
    drawn = [
        rng.choice(np.flatnonzero(data.y == side), count, replace=False)
        for side, count in ((-1, negatives), (1, n - negatives))
    ]
    part = data.take(np.sort(np.concatenate(drawn)).astype(np.int32))
    part = part.with_rows(Standard().fit(part, rng)(part.rows))
    return part, part.scores(rng.standard_normal(part.d))


def _descent(part: Data, s: Vector, search: str, most: int) -> dict[str, Any]:
    """Do line searches until one lowers the AUM by less than the tolerance."""
    counts, choose = Breakpoints.of_labels(part.y, "count"), SEARCHES[search]
    begin, searching = process_time(), 0.0
    events: list[int] = []
    now = aum_loss(counts, s)
    ended = not now.value > 0.0
    while len(events) < most and not ended:
        v = part.scores(part.pullback(now.gradient))
        searching -= process_time()
        found = choose(Lines.of(counts, s, v))
        searching += process_time()
        s = s - found.step * v
        before, now = now, aum_loss(counts, s)
        events.append(found.events)
        ended = before.value - now.value < FALL or not now.value > 0.0
    return {
        "steps": len(events),
        "events": float(np.mean(events)) if events else None,
        "seconds": process_time() - begin,
        "search_seconds": searching / max(len(events), 1),
    }
