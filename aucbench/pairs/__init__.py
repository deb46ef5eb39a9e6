"""Which pairs of rows count, and how much, independent of the loss and of the solver."""

from aucbench.hookspecs import Factories, hookimpl
from aucbench.pairs.chosen import members_of, pairs_of
from aucbench.pairs.classes import ByClass
from aucbench.pairs.kinds import Grade, Group, Pairs, Time
from aucbench.pairs.members import Blocks, Members, NoPairsError
from aucbench.pairs.ordered import Ordered

__all__ = [
    "Blocks",
    "ByClass",
    "Grade",
    "Group",
    "Members",
    "NoPairsError",
    "Ordered",
    "Pairs",
    "Time",
    "members_of",
    "pairs_of",
]


@hookimpl
def aucbench_pairs() -> Factories:
    """Return the built-in kinds of pairs by name."""
    return {"group": Group, "time": Time, "grade": Grade, "class": ByClass}
