"""Why a solver cannot learn from rows: what it lacks, and which registered solvers have it."""

from __future__ import annotations

from typing import cast

from aucbench.contract import Solver
from aucbench.data import IGNORES_WEIGHTS, Breakpoints, Categories, Data, needs_labels
from aucbench.data.targets import Labels
from aucbench.pairs import Pairs, pairs_of
from aucbench.registry.defaults import solvers_with
from aucbench.scale import ChunkedData
from aucbench.solving.classes import learns_class_pairs, pairs_trained
from aucbench.solving.wrappers import core, other_pairs

PAIRS = {  # kinds of pairs, for people
    "group": "pairs within groups",
    "order": "ordered pairs, of survival times or grades",
    "range": "a range of the ROC curve",
}
SHAPES_OF_CLASSES = (
    "the effect of a column has no one direction where there are three or more classes; name two "
    "of them as positive and negative, or leave the shapes out"
)
NEEDS_WEIGHTS = (
    "learns without the weights of rows, which pairs of classes that count the same need; train "
    "one-vs-rest by class[each=rest], or take another solver: with weights of rows"
)


def why_refused(solver: Solver, data: Data | ChunkedData) -> str | None:
    """Return why the solver cannot learn from these rows; None when it can.

    It may need labels where the rows have breakpoints, have no such pairs, or ignore the weights of
    rows or the shapes of effects.
    """
    if isinstance(data, ChunkedData):
        return why_not_chunks(solver)
    known = solver.needs.capabilities
    takes = Labels | Breakpoints if "breakpoints" in known else Labels
    if isinstance(data.target, Categories):
        if not learns_class_pairs(solver) and pairs_trained(solver, data).each == "classes":
            return f"{NEEDS_WEIGHTS} {_who('weights')}"
    elif isinstance(data.target, Breakpoints) and not isinstance(data.target, takes):
        return f"{needs_labels(data.target)}; {_who('breakpoints')}"
    elif other_pairs(data) and (reason := why_not_pairs(solver, data)):
        return reason
    if data.weights is not None and "weights" not in known:
        return f"{IGNORES_WEIGHTS}; with weights, {_who('weights')}"
    return why_not_shapes(solver, data)


def why_not_pairs(solver: Solver, data: Data) -> str | None:
    """Return why a solver does not train on the pairs of these rows; None when it does."""
    kind = cast(Pairs, pairs_of(data)).kind
    if f"{kind}-pairs" in solver.needs.capabilities:
        return None
    what = PAIRS.get(kind, f"pairs of the kind {kind!r}")
    return f"{type(core(solver)).__name__} does not train on {what}; {_who(f'{kind}-pairs')}"


def why_not_chunks(solver: Solver) -> str | None:
    """Return why a solver cannot learn from rows that are read in chunks; None when it can."""
    if "chunks" in solver.needs.capabilities:
        return None
    return (
        f"{type(core(solver)).__name__} needs all rows in memory, and these are read in chunks; "
        f"in chunks, {_who('chunks')}"
    )


def why_not_shapes(solver: Solver, data: Data) -> str | None:
    """Return why a solver cannot keep the shapes of effects; None when it can, or there are none.

    A `Data` has the shapes before its map is applied, and after that the bounds of weights.
    """
    if data.shapes is None and (data.terms is None or not data.terms.are_bounded):
        return None
    if isinstance(data.target, Categories):
        return SHAPES_OF_CLASSES
    if "shapes" in solver.needs.capabilities:
        return None
    name = type(core(solver)).__name__
    return f"{name} does not keep the shapes of effects, such as increasing; {_who('shapes')}"


def _who(capability: str) -> str:
    """Return which registered solvers have a capability, as `a, b and c do`."""
    *others, last = solvers_with(capability) or ["no solver"]
    return f"{', '.join(others)} and {last} do" if others else f"{last} does"
