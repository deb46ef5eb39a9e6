"""Which process wrote a file, and whether that process still lives.

The number of a process (its pid) is used again after its end, and has no meaning on another
host, after a reboot or in another container. So a process is identified by its number, its
start time and its place: host name, boot of the kernel, and namespace of process numbers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

PROC = Path("/proc")
TYPES = {"host": str, "place": str, "pid": int, "start": int}


@dataclass(frozen=True, slots=True)
class KnownProcess:
    """One process, identified for all time.

    Attributes
    ----------
    host : str
        Name of its host, to be shown.
    place : str
        Hash of host name, boot and namespace; numbers of processes compare only inside one place.
    pid, start : int
        Its number, and its start time in clock ticks after the boot.
    """

    host: str
    place: str
    pid: int
    start: int

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> KnownProcess | None:
        """Return the process that a file names; None when the fields are damaged."""
        if any(type(fields.get(name)) is not kind for name, kind in TYPES.items()):
            return None
        found = cls(fields["host"], fields["place"], fields["pid"], fields["start"])
        return found if found.pid > 0 else None

    def lives(self) -> bool | None:
        """Whether it still runs; None when this process cannot see that."""
        if self.place != place():
            return None
        try:
            state, start = _state_and_start(self.pid)
        except (FileNotFoundError, ProcessLookupError):
            return None if _is_hidden(self.pid) else False
        return start == self.start and state not in "ZXx"


def this_process() -> KnownProcess:
    """Return this process."""
    return _numbered(os.getpid())


@cache
def place() -> str:
    """Return the hash of the place of this process; see `KnownProcess`."""
    boot = (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii")
    space = (PROC / "self/ns/pid").readlink()
    return sha256(f"{os.uname().nodename}\n{boot}\n{space}".encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _numbered(pid: int) -> KnownProcess:
    return KnownProcess(os.uname().nodename, place(), pid, _state_and_start(pid)[1])


def _state_and_start(pid: int) -> tuple[str, int]:
    """Return the letter of the state and the start time from /proc/PID/stat."""
    # The name of the program comes before them, in brackets; it may contain anything.
    after_name = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    return after_name[0].decode("ascii"), int(after_name[19])


def _is_hidden(pid: int) -> bool:
    """Whether a process has this number although /proc does not show it (hidepid)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
