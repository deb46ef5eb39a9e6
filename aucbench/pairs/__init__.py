"""Which pairs of rows count, and how much, independent of the loss and of the solver."""

from aucbench.errors import NoPairsError
from aucbench.hookspecs import Factories, hookimpl
from aucbench.pairs.chosen import members_of, pairs_of, sample_members
from aucbench.pairs.classes import ByClass
from aucbench.pairs.kinds import Grade, Group, Pairs, Time, groups_of
from aucbench.pairs.members import Members
from aucbench.pairs.range import Fpr, Top
from aucbench.pairs.sums import concordance

__all__ = [
    "ByClass",
    "Fpr",
    "Grade",
    "Group",
    "Members",
    "NoPairsError",
    "Pairs",
    "Time",
    "Top",
    "concordance",
    "groups_of",
    "members_of",
    "pairs_of",
    "sample_members",
]


@hookimpl
def aucbench_pairs() -> Factories:
    """Return the built-in kinds of pairs by name."""
    return {"group": Group, "fpr": Fpr, "top": Top, "time": Time, "grade": Grade, "class": ByClass}
