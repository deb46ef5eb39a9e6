"""The pairs that the fit of a cell is about, and what is told of them.

A solver that does not train on pairs within groups, or on a range, learns from all pairs of labels
instead: it takes part, is judged by the measure of the pairs, and its record says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aucbench import registry
from aucbench.bench.cell import ALL_PAIRS, Cell
from aucbench.data import Data
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.objectives.differences import constant_in_parts
from aucbench.pairs import members_of
from aucbench.protocols import Solver
from aucbench.solving.classes import trained_on as other_pairs
from aucbench.solving.wrappers import OnAllPairs

OF_LABELS = ("group", "range")  # kinds of which a solver without them can take all pairs instead


def paired(cell: Cell, data: Data) -> Data:
    """Return the rows with the pairs of the cell."""
    return data if cell.pairs is None else replace(data, pairs=registry.get_pairs(cell.pairs))


def trainable(cell: Cell, solver: Solver) -> Solver:
    """Return the solver; on all pairs if it does not train on those of the cell."""
    if cell.pairs is None:
        return solver
    kind = registry.get_pairs(cell.pairs).kind
    takes = kind in getattr(solver.needs, "pairs", ())
    return solver if takes or kind not in OF_LABELS else OnAllPairs(solver)


def within_groups(pairs: Any) -> bool:
    """Whether pairs are those of one group."""
    return pairs.kind == "group" or getattr(pairs, "column", None) is not None


def told_of(cell: Cell, solver: Solver, train: Data) -> dict[str, Any]:
    """Return what the record says of the pairs; nothing where all pairs of the target were meant.

    It raises `DataError` or `UnsupportedError` when the training rows have no such pairs.
    """
    if train.pairs is None:
        other = other_pairs(solver, train)
        return {"trained_on": other} if other else {}
    if train.pairs.kind in OF_LABELS and not isinstance(train.target, Labels):
        raise DataError(
            f"the pairs {cell.pairs} are of two classes, and the rows have {train.target.what}; "
            "leave the pairs out, or take those of this target"
        )
    if train.pairs.kind == "class":
        next(train.pairs.labels(train))  # which the target has, or refuses
        return {"trained_on": cell.pairs}
    members = members_of(train)
    if isinstance(solver, OnAllPairs):
        return {"trained_on": ALL_PAIRS}
    told: dict[str, Any] = {"trained_on": cell.pairs}
    told["constant"] = int(constant_in_parts(train.rows, *members.components).size)
    if train.groups is not None and within_groups(train.pairs):
        told["left_out"] = int(members.left_out)
        told["groups"] = int(np.unique(train.groups).size) - told["left_out"]
    return told
