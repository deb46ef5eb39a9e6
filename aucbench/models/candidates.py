"""The solvers that a fit has compared: what is known of each, and why one of them was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


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
    known = [(one.auc, one) for one in candidates if one.auc is not None]
    top, best = max(known, key=lambda one: one[0])
    others = [one.solver for one in candidates if one.place is Place.SIMILAR]
    if best is not chosen:
        return (
            f"{chosen.solver} is the simplest of the solvers that are not distinguishable from the "
            f"highest {measure}, {top:.4f} ({best.solver})."
        )
    sentence = f"{chosen.solver} has the highest {measure}, {top:.4f}"
    if not others:
        return f"{sentence}; the others are lower."
    named = others[0] if len(others) == 1 else f"{len(others)} others"
    are = "is" if len(others) == 1 else "are"
    return f"{sentence}; {named} {are} not distinguishable from it."
