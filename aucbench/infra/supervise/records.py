"""What is asked of a supervisor, and what comes back: plain frozen records that can travel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from aucbench.errors import ParameterError, require_above, require_at_least

EXAMPLE = "write it like 'package.module:function'"


class Ending(StrEnum):
    """How a job ended."""

    OK = "ok"
    ERROR = "error"  # it raised, or returned what is not JSON
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    CRASH = "crash"  # its process ended without a result


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take.

    Attributes
    ----------
    timeout : float or None
        Seconds of wall time, from the start of its process.
    memory : int or None
        Bytes of memory of its own (anonymous and shared anonymous pages of all its
        processes) on top of what the warm process holds; read-only maps are free.
    grace : float
        Seconds between SIGTERM and SIGKILL.
    """

    timeout: float | None = None
    memory: int | None = None
    grace: float = 1.0

    def __post_init__(self) -> None:
        require_above(0, timeout=self.timeout, memory=self.memory)
        require_at_least(0, grace=self.grace)


@dataclass(frozen=True, slots=True)
class Step:
    """Work that several jobs need: done once, under a lock, before the first of them.

    Attributes
    ----------
    key : str
        By which jobs find the folder that the step left.
    call : str
        "package.module:function", called like that of a `Job`. Its room is kept in a folder
        that all jobs share, with what it returned as `result.json` in it, every file
        read-only. Its room/out is never kept: it goes to the job for which the step was
        done, if that names the step in `Job.handed`, and is deleted otherwise.
    request : mapping
        JSON.
    limits : Limits
        Of the step; that of the job begins after its steps.
    """

    key: str
    call: str
    request: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        _require_call(self.call)

    @property
    def identity(self) -> str:
        """Name of its folder: another request under the same key is another step."""
        return json_hash([self.key, self.call, self.request])


@dataclass(frozen=True, slots=True)
class Job:
    """One call in a process of its own.

    Attributes
    ----------
    call : str
        "package.module:function", called as function(request, room, steps) -> dict, with
        `room` a private folder (also the working directory) and `steps` the folder of each
        step by its key. It returns JSON; what it appends to room/lines.jsonl and what it
        leaves in room/out is handed over too, however it ends.
    request : mapping
        JSON.
    limits : Limits
    steps : tuple of Step
        Done before it, in this order; a later one sees the folders of the earlier ones.
    handed : tuple of str
        Keys of steps whose room/out this job gets, as the folder room/handed/KEY. That
        folder is absent when the step had been done before, or left no room/out.

    Raises
    ------
    ParameterError
        When `call` names no function, or `handed` a key that no step has or that cannot be
        the name of a folder.
    """

    call: str
    request: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)
    steps: tuple[Step, ...] = ()
    handed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_call(self.call)
        keys = [step.key for step in self.steps]
        for key in self.handed:
            if key not in keys:
                raise ParameterError(f"cannot hand over {key!r}: no step has this key, but {keys}")
            if "/" in key or key in ("", ".", ".."):
                raise ParameterError(f"cannot hand over {key!r}: use a key that names a folder")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended, and what it left.

    Attributes
    ----------
    ending : Ending
    reason : str or None
        One line for every ending but OK; of an exception its message alone.
    error_type : str or None
        Name of the class of the exception that the function raised.
    refusal : bool
        Whether that was an `AucbenchError`: a mistake that the user can mend.
    result : dict or None
        What the function returned; None for every ending but OK.
    lines : tuple of dict
        The objects of room/lines.jsonl, up to the first line that is none.
    files : mapping of str to bytes
        The regular files directly in room/out.
    log : str
        The end of what it wrote to stdout and stderr, at most 16 KiB.
    wall_seconds : float
        From the start of its process until it had ended; steps and queues excluded.
    peak_memory : int
        Bytes, of what `Limits.memory` counts; sampled, so that a short peak may be missed.
    step : str or None
        Key of the step that failed, if the job was not started for that reason: all else
        is then that of the step.
    """

    ending: Ending
    reason: str | None = None
    error_type: str | None = None
    refusal: bool = False
    result: dict[str, Any] | None = None
    lines: tuple[dict[str, Any], ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    log: str = ""
    wall_seconds: float = 0.0
    peak_memory: int = 0
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """How a call ended: an `Outcome` without what lies in the room."""

    ending: Ending
    reason: str | None
    error_type: str | None
    refusal: bool
    log: str
    wall_seconds: float
    peak_memory: int
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What the process of a call says of the exception that its function raised."""

    reason: str
    error_type: str
    refusal: bool
    memory: bool  # whether it says that there was not enough memory


def json_hash(plain: Any) -> str:
    """32 hexadecimal digits that stand for a JSON value."""
    text = json.dumps(plain, sort_keys=True, default=dict)
    return sha256(text.encode()).hexdigest()[:32]


def _require_call(call: str) -> None:
    module, _, function = call.partition(":")
    names = [*module.split("."), *function.split(".")]
    if not all(name.isidentifier() for name in names):
        raise ParameterError(f"cannot call {call!r}: it names no function; {EXAMPLE}")
