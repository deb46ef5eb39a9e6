"""The results of a board as one table, of which `aucbench judge` says what the board says.

A line is a solver on a data set that counts. It has a value only where all its cells have one, as
in what is said across data sets.
"""

from __future__ import annotations

import csv
from io import StringIO
from math import isfinite

from aucbench.bench.text import cell_text
from aucbench.report.findings import Findings

NAME = "results.csv"
HEADER = (
    *("dataset", "family", "solver", "value", "low", "high", "fit_seconds", "non_zeros"),
    *("ok", "planned"),
)


def results_csv(findings: Findings) -> bytes:
    """Return the table; `value` is of the measure, `low` and `high` are its interval there."""
    evidence, text = findings.evidence, StringIO()
    known = evidence.families or (None,) * len(evidence.datasets)
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEADER)
    for place, dataset in enumerate(evidence.finished):
        name = evidence.datasets[dataset]
        for row in findings.insides[dataset].rows:
            interval = findings.interval(row)
            ends = (interval.low, interval.high) if interval else (float("nan"),) * 2
            numbers = (
                float(findings.values[place, row.solver]),
                *ends,
                row.group.median("seconds"),
                row.group.mean("nnz"),
            )
            table.writerow(
                [
                    cell_text(name),
                    cell_text(known[dataset] or ""),
                    cell_text(evidence.solvers[row.solver]),
                    *(repr(x) if isfinite(x) else "" for x in numbers),
                    len(row.group.ok),
                    row.group.planned,
                ]
            )
    return text.getvalue().encode("utf-8", "backslashreplace")
