"""Call the function of a job, in its own process; say what an exception means."""

from __future__ import annotations

import errno
import json
import random
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from itertools import takewhile
from operator import attrgetter
from typing import Any

from aucbench.errors import AucbenchError
from aucbench.processes.answers import MOST_BYTES
from aucbench.processes.records import json_hash
from aucbench.processes.room import Kept, Room

OURS = ("aucbench", "aucbench_plugins")  # packages of the functions; with marks, see `fit.imports`


def called(
    call: str,
    request: Mapping[str, Any],
    room: Room,
    steps: Mapping[str, Kept],
    before: Callable[[], object] = lambda: None,
) -> str:
    """Import a function and call it with a request; return its result as JSON.

    `before` is called between the two.
    """
    module, _, path = call.partition(":")
    function: Callable[..., Any] = attrgetter(path)(import_module(module))
    _seed(call, request)
    before()
    result = function(request, room, dict(steps))
    if not isinstance(result, dict):
        raise TypeError(f"the result is {type(result).__name__}, not dict")
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the result is not JSON: {error}") from error
    if len(text) > MOST_BYTES:
        raise ValueError(f"the result has {len(text) >> 20} MiB, {MOST_BYTES >> 20} are allowed")
    return text


def failure(error: BaseException, hint: str) -> dict[str, Any]:
    """Return what is said of an exception, with the first line of its message and its notes.

    In a plugin, str(error) may raise.
    """
    try:
        lines = str(error).strip().splitlines()
    except Exception as worse:
        lines = [f"its message raised {type(worse).__name__}"]
    first = lines[0][:1000] if lines else "raised without a message"
    notes = [str(note) for note in getattr(error, "__notes__", ())]
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    memory = refused or isinstance(error, MemoryError)
    return {
        "reason": ", ".join([first, *notes]) + hint,
        "error_type": type(error).__name__,
        "refusal": isinstance(error, AucbenchError) and not memory,
        "memory": memory,
    }


def _seed(call: str, request: Mapping[str, Any]) -> None:
    """Seed the global generators from the request: every run of a job draws the same numbers."""
    seed = int(json_hash([call, request])[:8], 16)
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed)


def imported_after(last: str) -> set[str]:
    """Return the packages, neither of Python nor ours, whose modules stand behind this one."""
    new = takewhile(lambda name: name != last, reversed(sys.modules))
    tops = {name.partition(".")[0] for name in new}
    return {top for top in tops - sys.stdlib_module_names if not top.startswith(OURS)}


def open_streams() -> None:
    """Make the streams of Python anew, on the descriptors 0, 1 and 2."""
    sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115 - it stays open
    # Line buffers: when a process is killed, the content of its buffers is lost.
    sys.stdout, sys.stderr = (
        open(fd, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
        for fd in (1, 2)
    )


def flush_streams() -> None:
    """Write what stdout and stderr hold back, whatever a function has made of them."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or replaced by anything
            stream.flush()
