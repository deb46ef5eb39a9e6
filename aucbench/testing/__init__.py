"""Laws that plugins of each kind obey: solvers and their parts, data sets, metrics and losses.

`check` returns what was found. `parametrize_checks` makes tests of pytest of the laws.
`aucbench check` runs them in a process of its own, which may crash or hang.
"""

from aucbench.records import Finding, Verdict
from aucbench.testing.asking import check
from aucbench.testing.laws import Law, LawBroken, LawWarning, NotAsked
from aucbench.testing.parametrized import parametrize_checks
from aucbench.testing.subjects import LAWS

__all__ = [
    "LAWS",
    "Finding",
    "Law",
    "LawBroken",
    "LawWarning",
    "NotAsked",
    "Verdict",
    "check",
    "parametrize_checks",
]
