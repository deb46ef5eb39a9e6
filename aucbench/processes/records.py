"""What a supervisor is given and what it returns: frozen dataclasses of plain values."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from math import isfinite
from typing import Any, NoReturn

from aucbench.errors import ParameterError, float_of, require_above, require_at_least

CALL_EXAMPLE = "write it like 'package.module:function'"
MARK = "AUCBENCH_SUPERVISED"  # variable of all processes that a supervisor has started: its folder
MOST_BYTES = 64 * 2**20  # of a result, of the lines, and of the files of a job


class Ending(StrEnum):
    """How a job ended."""

    OK = "ok"
    ERROR = "error"  # it raised, or returned what is not JSON
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    CRASH = "crash"  # its process ended without a result


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a job."""

    timeout: float | None = None  # seconds of wall time, from the call of its function
    # Bytes in addition to those that its process has when the function is called: private memory
    # of all its processes. Maps of files and shared memory do not count.
    memory: int | None = None
    grace: float = 1.0  # seconds between SIGTERM and SIGKILL

    def __post_init__(self) -> None:
        require_above(0, timeout=self.timeout, memory=self.memory)
        require_at_least(0, grace=self.grace)


@dataclass(frozen=True, slots=True)
class Fence:
    """The files that the process of a job may not read, as far as its kernel can see to that."""

    closed: tuple[str, ...] = ()  # files and folders; `~` and variables are those of its host
    code: tuple[str, ...] = ()  # folders that stay open, maybe in a closed one


@dataclass(frozen=True, slots=True)
class Job:
    """One call in a process of its own.

    It is called as function(request, room, steps) -> dict, with a `Room` and a folder for each of
    its steps, by their keys. The function returns JSON. What it says and hands over by the room is
    returned too, in whatever way it ends.

    A job with a key is a step of others. It is done once, before the first of them, in the process
    of this one if it is trusted, else in its own. What it writes to `room.kept` they find in that
    folder, whose files nobody should change.
    """

    call: str  # "package.module:function"
    request: Mapping[str, Any]  # JSON
    limits: Limits = field(default_factory=Limits)
    steps: tuple[Job, ...] = ()  # done before, in this order; a later one gets what others kept
    key: str | None = None
    preload: tuple[str, ...] = ()  # modules that are imported before its time and memory count
    fence: Fence | None = None
    # Whether all of its code is that of aucbench. Where processes are not forked, one process then
    # does several such jobs.
    trusted: bool = False

    def __post_init__(self) -> None:
        module, _, function = self.call.partition(":")
        if not all(name.isidentifier() for name in [*module.split("."), *function.split(".")]):
            raise ParameterError(
                f"cannot call {self.call!r}: it does not name a function; {CALL_EXAMPLE}"
            )

    @property
    def identity(self) -> str:
        """By which a step is known; another request under the same key is another step.

        So is the same one of a trusted and of another job: they do it in processes of different
        kinds, which do not wait for each other and would write one folder at once.
        """
        return json_hash([self.key, self.call, self.request, self.trusted])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended, and its results."""

    ending: Ending
    reason: str | None = None  # one line, without the name of a class; None if it ended well
    error_type: str | None = None  # name of the class of the exception that the function raised
    refusal: bool = False  # whether that was an `AucbenchError`, which the user can correct
    result: dict[str, Any] | None = None  # what the function returned, if it ended well
    lines: tuple[dict[str, Any], ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)  # those that it has handed over
    # The last 16 KiB that it wrote to stdout and stderr, with the stacks of Python where it was
    # stopped or has crashed.
    log: str = ""
    wall_seconds: float = 0.0  # from the call of the function to the end, without the steps
    peak_memory: int = 0  # bytes, as in `Limits`; it is sampled, so that a short peak may be missed
    step: str | None = None  # key of the step that failed; then all else describes the step
    fence: str | None = None  # what kept its process within its fence, see `landlock.close`

    @property
    def words(self) -> str:
        """Class of the error, if there was one, and the reason, as in "ValueError: k is 0"."""
        return ": ".join(filter(None, (self.error_type, self.reason)))


def is_supervised() -> bool:
    """Whether a supervisor has started this process."""
    return MARK in os.environ


class CancelledError(Exception):
    """The client has given up a job."""


def json_hash(value: Any) -> str:
    """Return a hash of a JSON value, 32 hexadecimal digits."""
    text = json.dumps(value, sort_keys=True, default=dict)
    return sha256(text.encode()).hexdigest()[:32]


def plain(value: Any) -> bytes:
    """Return a value as a line of JSON; `TypeError` or `ValueError`: it is not plain."""
    return json.dumps(value, allow_nan=False, default=_mapping).encode() + b"\n"


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def json_object(text: bytes) -> dict[str, Any] | None:
    """Return a JSON object whose numbers are finite floats, or ints of their range; else None."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _whole(digits: str) -> int:
    value = int(digits)
    return value if float_of(value) is not None else _refuse(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if isfinite(value) else _refuse(digits)
