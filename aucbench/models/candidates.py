"""The solvers that a fit has compared: the result of each, and why one of them was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

MOST_NAMED = 2  # solvers in a sentence


class Place(StrEnum):
    """What the held-out rows say of a solver, compared with the highest AUC."""

    CHOSEN = "chosen"
    SIMILAR = "not distinguishable"
    LOWER = "lower"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A solver that was compared.

    Attributes
    ----------
    solver : str
        With its parameters.
    place : Place
    auc, low, high : float or None
        On held-out rows, with the ends of an interval; None: it could not be fitted, or there is no
        interval.
    reason : str
        Why it could not be fitted.
    """

    solver: str
    place: Place
    auc: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        """The solver without its parameters."""
        return self.solver.partition("[")[0]

    @staticmethod
    def of_plain(plain: Mapping[str, Any]) -> Candidate:
        """Return the candidate that the provenance of a model holds as plain values."""
        return Candidate(**{**plain, "place": Place(plain["place"])})

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {**asdict(self), "place": str(self.place)}


def explain_choice(candidates: Sequence[Candidate], measure: str = "AUC") -> str:
    """Return in a sentence why the model is the one that was chosen."""
    chosen = next(one for one in candidates if one.place is Place.CHOSEN)
    if len(candidates) == 1:
        return f"{chosen.solver} was asked for."
    best = best_of(candidates)
    highest = f"the highest {measure}, {best.auc or 0.0:.4f}"
    if best is not chosen:
        return (
            f"{chosen.solver} is less than half of a standard error below {highest} "
            f"({best.solver}), and simpler."
        )
    names = {one.name: one.place for one in candidates if one.name != chosen.name}
    similar = {one.name for one in candidates if one.place is Place.SIMILAR} & {*names}
    return f"{chosen.solver} has {highest}{_compared(sorted(similar), len(names))}."


def best_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the one with the highest AUC, of equal ones the first."""
    return max(candidates, key=lambda one: -1.0 if one.auc is None else one.auc)


def _compared(similar: Sequence[str], others: int) -> str:
    """Return what the best one is to the other solvers; empty if there are none."""
    if not others:
        return ""
    if not similar:
        return "; the other solvers are lower" if others > 1 else "; the other solver is lower"
    named = " and ".join(similar) if len(similar) <= MOST_NAMED else f"{len(similar)} other solvers"
    are = "is" if len(similar) == 1 else "are"
    return f"; {named} {are} not distinguishable from it"
