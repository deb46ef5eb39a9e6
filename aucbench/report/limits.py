"""Up to which size a report says what takes long: pairs inside data sets, and what hangs on one.

What is said across data sets, who may be the best and who is behind, has no limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aucbench.report.evidence import Evidence

if TYPE_CHECKING:
    from aucbench.report.findings import Findings

MOST_PAIRS = 5_000  # of solvers inside data sets, over all of these
MOST_VALUES = 5_000  # by data set and solver


def compared_inside(evidence: Evidence, most: int | None) -> frozenset[int]:
    """Return the data sets inside which each pair of solvers is compared.

    Of more than `most` pairs it is the one that the verdict is about, if that is about one.
    """
    if most is None or evidence.pairs_inside <= most:
        return frozenset(range(len(evidence.datasets)))
    only = evidence.finished if len(evidence.finished) == 1 else ()
    return frozenset(only or ((0,) if len(evidence.datasets) == 1 else ()))


def untold(findings: Findings) -> str:
    """Return in a sentence what was left out; empty if nothing was."""
    evidence, left = findings.evidence, []
    if len(findings.compared) < len(evidence.datasets):
        others = "".join(f" but {evidence.datasets[i]}" for i in findings.compared)
        left.append(
            f"the comparisons of {evidence.pairs_inside} pairs of solvers inside single data sets"
            f"{others}, and the stars that follow from them"
        )
    if not findings.leaves_out and len(evidence.finished) > 1 and len(evidence.solvers) > 1:
        left.append(f"what hangs on one data set, of {findings.values.size} values")
    if not left:
        return ""
    return f"Left out, since it takes long: {'; '.join(left)}."
