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
    fence : str or None
        What kept the process of the fit from files with labels: "landlock" and its version, or
        "none" and why. None where no process was fenced, or the aucbench was older.
    """

    engine: str = "local"
    concurrency: int = 1
    timeout: float | None = None
    memory: int | None = None
    timing: bool = False
    fence: str | None = None

    def lift(self, status: str, then: Conditions) -> bool:
        """Whether a smaller limit than that of these conditions ended something as `status`."""
        limit = {"timeout": "timeout", "memout": "memory"}.get(status)
        if limit is None:
            return False
        before, now = getattr(then, limit), getattr(self, limit)
        return before is not None and (now is None or now > before)


def conditions_on(
    engine: object, timeout: float | None, memory: int | None, *, timing: bool = False
) -> Conditions:
    """Return the conditions of a run on an engine, as records hold them."""
    return Conditions(
        engine=type(engine).__name__.removesuffix("Engine").lower(),
        concurrency=getattr(engine, "jobs", None) or 0,
        timeout=timeout or None,
        memory=memory,
        timing=timing,
    )
