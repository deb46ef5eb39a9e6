"""Which process wrote a file, and whether it still lives.

A number of a process is given out again after its death, and means nothing on another
host, after a reboot or inside another container. So a process is its number and its start
time, at a place: host name, boot of its kernel, and namespace of process numbers.
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
class Process:
    """One process, for ever.

    Attributes
    ----------
    host : str
        Name of its host, for people.
    place : str
        Hash of host name, boot and namespace; numbers of processes compare inside one only.
    pid, start : int
        Its number, and its start in clock ticks after the boot.
    """

    host: str
    place: str
    pid: int
    start: int

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Process | None:
        """Return the process that a file speaks of; None when it does not make sense."""
        if any(type(fields.get(name)) is not kind for name, kind in TYPES.items()):
            return None
        said = cls(fields["host"], fields["place"], fields["pid"], fields["start"])
        return said if said.pid > 0 else None

    def lives(self) -> bool | None:
        """Whether it still runs; None when that cannot be told from here."""
        if self.place != place():
            return None
        try:
            state, start = _state_and_start(self.pid)
        except (FileNotFoundError, ProcessLookupError):
            return None if _is_hidden(self.pid) else False
        return start == self.start and state not in "ZXx"


def here() -> Process:
    """Return this process."""
    return _numbered(os.getpid())


@cache
def place() -> str:
    """Hash of what numbers of processes are comparable inside of."""
    boot = (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii")
    space = (PROC / "self/ns/pid").readlink()
    return sha256(f"{os.uname().nodename}\n{boot}\n{space}".encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _numbered(pid: int) -> Process:
    return Process(os.uname().nodename, place(), pid, _state_and_start(pid)[1])


def _state_and_start(pid: int) -> tuple[str, int]:
    """Letter of the state and start time; the name before them may hold anything."""
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
