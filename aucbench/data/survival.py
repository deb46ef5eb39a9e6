"""The target of survival times, some of which are censored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.targets import RowTarget
from aucbench.errors import DataError, NoPairsError
from aucbench.stats.vectors import Mask, floats, plain, row_weights

FIELDS = (
    "give a structured array with a field of truth values for the event and a field of times, as "
    "sksurv.util.Surv.from_arrays(event, time) makes it, or aucbench.data.Survival.of(time, event)"
)


@dataclass(frozen=True, eq=False)
class Survival(RowTarget):
    """How long each row was observed, and whether its event happened then.

    A larger score means an earlier event. Two rows can be compared if it is known which event
    happened first: row i comes before row j if i has an event, and t_i < t_j, or t_i = t_j and j
    is censored. Two events at one time are not compared.

    Attributes
    ----------
    time : array of shape (n,)
        How long each row was observed, at least 0, in any unit.
    event : array of shape (n,), bool
        Whether the event happened at that time. Otherwise the row is censored: its event comes
        later, or never.
    weights : array of shape (n,), or None
        What each row counts for, above 0; None: all count the same. A pair of rows counts for the
        product of their weights.
    """

    what: ClassVar[str] = "survival times"
    of_rows: ClassVar[tuple[str, ...]] = ("time", "event")

    time: Vector
    event: NDArray[np.bool_]
    weights: Vector | None = None

    @staticmethod
    def of(time: Any, event: Any, weights: Any = None, *, signed: bool = False) -> Survival:
        """Check times and events.

        Parameters
        ----------
        time : array of shape (n,)
            How long each row was observed, at least 0, in any unit.
        event : array of shape (n,)
            Whether the event happened then: booleans, or 1 for an event and 0 for a censored row.
        weights : array of shape (n,), optional
            What each row counts for, above 0.
        signed : bool
            Times may be below 0, such as logarithms, or days before a date.

        Raises
        ------
        DataError
            When a time is missing, infinite or below 0 and not `signed`, when an event is anything
            but 0, 1, false or true, when a weight makes no sense, or when no two rows can be
            compared.
        """
        times, events = floats("time", time), _events(event)
        if times.ndim != 1 or times.shape != events.shape:
            raise DataError(
                f"time has shape {times.shape} and event has shape {events.shape}; give one of "
                "both for each row, shape (n,)"
            )
        bad = np.flatnonzero(~(np.isfinite(times) & (signed | (times >= 0.0))))
        if bad.size:
            wanted = "finite" if signed else "finite and at least 0"
            raise DataError(
                f"the time of row {bad[0]} is {times[bad[0]]}, and {bad.size} time(s) in total are "
                f"not {wanted}; give how long each row was observed"
            )
        survival = Survival(times, events, row_weights(weights, times.size))
        survival.require_pairs()
        return survival

    @staticmethod
    def of_fields(y: Any) -> Survival:
        """Read a structured array (n,) with a field of truth values, the event, and one of times.

        Raises
        ------
        DataError
            When y is neither such an array nor a `Survival`, or as `of`.
        """
        if isinstance(y, Survival):
            return y
        array = plain("y", y)
        names = array.dtype.names or ()
        events = [name for name in names if array.dtype[name].kind == "b"]
        times = [name for name in names if array.dtype[name].kind in "iuf"]
        if len(names) != 2 or len(events) != 1 or len(times) != 1:
            fields = ", ".join(f"{name}: {array.dtype[name]}" for name in names)
            found = f"the fields {fields}" if names else f"the type {array.dtype}"
            raise DataError(f"y has {found}; {FIELDS}")
        return Survival.of(array[times[0]], array[events[0]])

    @property
    def numbers(self) -> dict[str, int]:
        """How much there is of it, by name."""
        return {"n_events": self.n_events}

    @property
    def size(self) -> str:
        """The same for people."""
        return f"{self.n_events} events ({self.n_events / self.n:.1%})"

    @cached_property
    def n_events(self) -> int:
        """Number of rows with an event."""
        return int(np.count_nonzero(self.event))

    @cached_property
    def order(self) -> Index:
        """The place of each row in the order of (time, censored), from 0, (n,).

        Equal rows have equal places. A row with an event comes before those in later places.
        """
        at = np.lexsort((~self.event, self.time))
        t, e = self.time[at], self.event[at]
        place = np.zeros(self.n, np.int32)
        place[at[1:]] = np.cumsum((t[1:] != t[:-1]) | (e[1:] != e[:-1]))
        return place

    @property
    def strata(self) -> NDArray[np.int8]:
        """What the parts of a split have in the same shares: events and censored rows."""
        return self.event.astype(np.int8)

    def require_pairs(self) -> None:
        """Raise `NoPairsError` when no two rows can be compared."""
        last = self.time.max(initial=-np.inf)
        earlier = self.event & (self.time < last)
        at_last = self.event[self.time == last]
        if not (earlier.any() or (at_last.any() and not at_last.all())):
            raise NoPairsError(
                f"no two rows can be compared: {self.n_events} events among {self.n} rows, and "
                "none of them before the time of another row; give more rows, or longer times"
            )


def _events(event: Any) -> Mask:
    """Return which rows have an event."""
    raw = plain("event", event)
    if raw.dtype.kind == "b":
        return raw
    values = floats("event", raw)
    strange = np.flatnonzero(~((values == 0.0) | (values == 1.0)))
    if strange.size:
        raise DataError(
            f"the event of row {strange[0]} is {values.reshape(-1)[strange[0]]:g}; give 1 or true "
            "for an event, and 0 or false for a censored row"
        )
    return np.asarray(values == 1.0)
