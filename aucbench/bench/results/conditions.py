"""The conditions of a run: seconds can be compared only under equal conditions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a run for its cells."""

    engine: str = "local"  # such as "local"
    concurrency: int = 1  # cells at once on a host
    timeout: float | None = None  # seconds of wall time that a cell may take
    memory: int | None = None  # bytes that it may take beyond an idle one
    timing: bool = False  # whether the run was made for its times
    # What kept the process of the fit from files with labels: "landlock" and its version, or "none"
    # and why. None where no process was fenced.
    fence: str | None = None
    # Which supervisor ran it, with the promises that docs/install.md lists. None: that of Linux.
    supervisor: str | None = None

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
