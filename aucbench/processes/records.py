"""What a supervisor is given and what it returns: frozen dataclasses of plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from aucbench.errors import ParameterError, require_above, require_at_least

CALL_EXAMPLE = "write it like 'package.module:function'"


class Ending(StrEnum):
    """How a job ended."""

    OK = "ok"
    ERROR = "error"  # it raised, or returned what is not JSON
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    CRASH = "crash"  # its process ended without a result


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a job or a step."""

    timeout: float | None = None  # seconds of wall time, from the start of its process
    # Bytes in addition to those of the warm process: anonymous and shared anonymous pages of all
    # its processes. Read-only maps do not count.
    memory: int | None = None
    grace: float = 1.0  # seconds between SIGTERM and SIGKILL

    def __post_init__(self) -> None:
        require_above(0, timeout=self.timeout, memory=self.memory)
        require_at_least(0, grace=self.grace)


@dataclass(frozen=True, slots=True)
class Fence:
    """What the process of a job is kept from, as far as its kernel can do that."""

    closed: tuple[str, ...] = ()  # files and folders; `~` and variables are those of its host
    code: tuple[str, ...] = ()  # folders with code that it needs, maybe in a closed one
    # A folder beside a closed one, or beside one that leads there, is closed too if it has a file
    # of such a name.
    marks: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()  # variables that its environment does not have
    writes: bool = False  # whether it may write outside of its own folder


@dataclass(frozen=True, slots=True)
class Step:
    """Work that several jobs need. It is done once, under a lock, before the first of them.

    Its function, "package.module:function", is called like that of a `Job`. What it gives to
    `room.keep` is kept, and all jobs that have the step share it: nobody can change it, see
    `fixed`. What it hands over goes to the job for which it was done, if `Job.handed` has the key
    of the step, and to nobody otherwise. Its result is not kept. The time of the job begins after
    its steps.
    """

    key: str  # by which jobs find what it has kept
    call: str
    request: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)
    # Whether it runs code of aucbench only, takes well under a second and little memory. Then a
    # process that does several of them may do it, see `light_steps`, without its fence.
    light: bool = False
    fence: Fence | None = None

    def __post_init__(self) -> None:
        _require_call(self.call)

    @property
    def identity(self) -> str:
        """By which it is known; another request under the same key is another step."""
        return json_hash([self.key, self.call, self.request])


@dataclass(frozen=True, slots=True)
class Job:
    """One call in a process of its own.

    It is called as function(request, room, steps) -> dict, with a `Room` and a `Kept` for each step
    by its key. The function returns JSON. Lines and files that it hands over by the room are
    returned too, in whatever way it ends.
    """

    call: str  # "package.module:function"
    request: Mapping[str, Any]  # JSON
    limits: Limits = field(default_factory=Limits)
    steps: tuple[Step, ...] = ()  # done before, in this order; a later one gets what others kept
    # Keys of steps of which this job gets what they hand over, see `Kept.files`. There is nothing
    # when the step was done before.
    handed: tuple[str, ...] = ()
    # Modules that its process finds imported: the warm process imports those that it has not, once.
    # As for its own, see `Supervisor`.
    preload: tuple[str, ...] = ()
    fence: Fence | None = None

    def __post_init__(self) -> None:
        _require_call(self.call)
        keys = [step.key for step in self.steps]
        for key in self.handed:
            if key not in keys:
                raise ParameterError(f"cannot hand over {key!r}: no step has this key, but {keys}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended, and its results."""

    ending: Ending
    reason: str | None = None  # one line, without the name of a class; None if it ended well
    error_type: str | None = None  # name of the class of the exception that the function raised
    refusal: bool = False  # whether that was an `AucbenchError`, which the user can correct
    result: dict[str, Any] | None = None  # what the function returned, if it ended well
    lines: tuple[dict[str, Any], ...] = ()  # its lines, up to the first that is no JSON object
    files: Mapping[str, bytes] = field(default_factory=dict)  # those that it has handed over
    # The last 16 KiB that it wrote to stdout and stderr, and the stacks of Python where it was
    # stopped or has crashed.
    log: str = ""
    wall_seconds: float = 0.0  # from the start of its process to its end, without steps and waiting
    peak_memory: int = 0  # bytes, as in `Limits`; it is sampled, so that a short peak may be missed
    # Key of the step that failed. Then the job was not started, and all else describes the step.
    step: str | None = None
    fence: str | None = None  # what kept its process within its fence, see `fence.level`
    supervisor: str | None = None  # which one, where it is not that of Linux
    killed: bool = False  # whether a signal that another process may have sent ended it

    @property
    def words(self) -> str:
        """Class of the error, if there was one, and the reason, as in "ValueError: k is 0"."""
        return ": ".join(filter(None, (self.error_type, self.reason)))

    def report(self) -> dict[str, Any]:
        """Return it as JSON, without what the job itself has said; `reported` reads that."""
        return {name: getattr(self, name) for name in REPORTED}


REPORTED = tuple(name for name in Outcome.__slots__ if name not in ("result", "lines", "files"))


def reported(report: Mapping[str, Any]) -> Outcome:
    """Return the outcome of a report, without what the job itself has said."""
    return Outcome(**{**report, "ending": Ending(report["ending"])})


def plain(value: Any) -> bytes:
    """Return a value as JSON; `TypeError` or `ValueError`: it is not plain."""
    return json.dumps(value, allow_nan=False, default=_mapping).encode()


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def json_hash(plain: Any) -> str:
    """Return a hash of a JSON value, 32 hexadecimal digits."""
    text = json.dumps(plain, sort_keys=True, default=dict)
    return sha256(text.encode()).hexdigest()[:32]


def _require_call(call: str) -> None:
    module, _, function = call.partition(":")
    names = [*module.split("."), *function.split(".")]
    if not all(name.isidentifier() for name in names):
        raise ParameterError(f"cannot call {call!r}: it does not name a function; {CALL_EXAMPLE}")
