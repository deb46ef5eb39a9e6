"""The conditions of a run: seconds can be compared only under equal conditions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a run for its cells.

    Attributes
    ----------
    engine : str
        Such as "local".
    concurrency : int
        Cells at once on a host.
    timeout : float or None
        Seconds of wall time that a cell may take.
    memory : int or None
        Bytes that it may take beyond an idle one.
    timing : bool
        Whether the run was made for its times.
    """

    engine: str = "local"
    concurrency: int = 1
    timeout: float | None = None
    memory: int | None = None
    timing: bool = False
