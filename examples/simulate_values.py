"""One table of values of others: how often words are false where rows and scores are not known.

    python examples/simulate_values.py

The tables, solvers and words are those of `simulate_one_table`, where a pair is distinguished only
if DeLong's test and the one over splits both do it. `aucbench judge` has the values of the splits
alone, by which the same tables are compared here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from simulate_one_table import AHEAD, Kind, Said, Table, read_words
from simulated import Tables, grid, mean, print_tables, repeated, share

from aucbench.metrics import auc
from aucbench.report.grid import Grid
from aucbench.stats import SplitTest, WithinDataset

EQUAL = [
    Kind(rows=60),
    Kind(rows=60, repeats=10),
    Kind(),
    Kind(repeats=5),
    Kind(positive=0.1, repeats=10),
    Kind(learner="kernel", count=200),
    Kind(learner="boosting", repeats=5, count=100),
]
POWER = [replace(kind, ahead=AHEAD, count=200) for kind in (Kind(), Kind(repeats=5))]


def by_values(kind: Kind, table: Table) -> WithinDataset:
    """Compare the solvers on a table by the AUC of each split alone."""
    values = {
        name: np.array([auc(fold.positive, fold.scores) for fold in folds.values()])
        for name, folds in table.items()
    }
    ratio = 1.0 / (kind.folds - 1)
    return SplitTest(ratio=ratio, repeats=kind.over_the_rows).of_values(values)


def said_of(kind: Kind, effort: float) -> Iterator[tuple[str, list[Said]]]:
    """Yield what is known of the tables, and what is said of each."""
    tables = [kind.table(number) for number in range(repeated(kind.count, effort))]
    scored = [read_words(kind.compared(table, kind.over_the_rows)) for table in tables]
    yield "rows and scores", scored
    yield "values alone", [read_words(by_values(kind, table)) for table in tables]


def equal(kinds: list[Kind], effort: float) -> Grid:
    """Return how often words of equal solvers are false."""
    lines = []
    for kind in kinds:
        for known, said in said_of(kind, effort):
            alone = mean([one.alone.mean() for one in said], 3).replace("0.", ".")
            lost = mean([(~one.stars).mean() for one in said], 3).replace("0.", ".")
            certain = share(float(np.mean([one.among.any() for one in said])), len(said))
            lines.append((*kind.texts, known, alone, certain, lost))
    told = ("pairs distinguished alone", "tables with a false better", "stars lost")
    return grid(("learner", "rows", "positive", "splits", "known", *told), lines, 5)


def power(kinds: list[Kind], effort: float) -> Grid:
    """Return how often a solver that is better by .10 of an AUC is found to be."""
    lines = []
    for kind in kinds:
        first = slice(0, kind.solvers - 1)  # the pairs of the first solver
        for known, said in said_of(kind, effort):
            alone = mean([one.alone[first].mean() for one in said], 2)
            among = mean([one.among[first].mean() for one in said], 2)
            stars = mean([float(one.stars.sum()) for one in said])
            lines.append((*kind.texts, known, alone, among, stars))
    told = ("probably better, or better", "better", "stars of 5")
    return grid(("learner", "rows", "positive", "splits", "known", *told), lines, 5)


def tables(effort: float = 1.0) -> Tables:
    """Return the tables of docs/statistics.md about values of others."""
    return {"values_equal": equal(EQUAL, effort), "values_power": power(POWER, effort)}


if __name__ == "__main__":
    print_tables(tables)
