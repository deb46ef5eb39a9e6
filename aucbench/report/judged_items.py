"""What results by item say, as a table and as JSON."""

from __future__ import annotations

import json
from math import isfinite

from aucbench.judging.items import ItemFindings
from aucbench.report.grid import Grid
from aucbench.report.tables import LEADING


def item_grid(findings: ItemFindings) -> Grid:
    """Return a line for each method: its mean, the ranks that it may have, and its standing."""
    best, ranks, means = findings.best, findings.ranks, findings.means
    order, names = findings.order, findings.values.methods
    title = f"{findings.units}; {LEADING} may be the best"
    header = ("", "method", f"mean {findings.values.metric.name}", "interval", "ranks", "the best?")
    lines = [
        (
            LEADING if best.possible[j] else "",
            names[j],
            means[j].estimate,
            f"{means[j].low:.3f}–{means[j].high:.3f}",
            f"{ranks.low[j]}–{ranks.high[j]}",
            "may be" if best.possible[j] else "behind" if best.behind[j] else "probably not",
        )
        for j in order
    ]
    spans = [(means[j].low, means[j].estimate, means[j].high) for j in order]
    forms = ("", "", ".4f", "", "", "")
    return Grid(header, lines, forms, numeric=(2, 3, 4), title=title, names=1, spans=spans)


def item_json(findings: ItemFindings) -> bytes:
    """Return what is said of each method as one object of JSON, in ASCII."""
    best, ranks, means = findings.best, findings.ranks, findings.means
    methods = [
        {
            "solver": findings.values.methods[j],
            "possible_best": best.possible[j],
            "certainly_behind": best.behind[j],
            "p": _number(best.p[j]),
            "adjusted_p": _number(best.adjusted_p[j]),
            "mean": _number(means[j].estimate),
            "low": _number(means[j].low),
            "high": _number(means[j].high),
            "ranks": [ranks.low[j], ranks.high[j]],
        }
        for j in findings.order
    ]
    verdict = {
        "measure": findings.values.metric.name,
        "smaller_is_better": findings.values.metric.smaller,
        "level": findings.level,
        "units": findings.units,
        "answer": [*findings.sentences],
        "remarks": [*findings.values.remarks],
        "solvers": methods,
    }
    return json.dumps(verdict, allow_nan=False, indent=1).encode("ascii") + b"\n"


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
