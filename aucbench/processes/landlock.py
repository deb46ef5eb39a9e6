"""Landlock: a process gives up to read files, for itself and all that it starts, for good.

Linux has it since 5.13, where the system was not started without it. It needs no privilege, and
holds for root too. Folders can still be listed and programs be run; see `man 7 landlock`.

A kernel with Landlock is told what stays allowed. So in each folder above a closed one, all entries
are allowed but those that are closed or lead there. Code in a closed folder stays readable: a
virtual environment, modules, plugins.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.machinery import all_suffixes
from pathlib import Path
from threading import Lock

from aucbench.processes.records import Fence

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, on all processors but Alpha
ASK_VERSION = 1  # a flag of the first
PATH_BENEATH = 1  # a type of rule
PR_SET_NO_NEW_PRIVS = 38  # of linux/prctl.h
READ_FILE = 1 << 2
CODE = (*all_suffixes(), ".dist-info", ".egg-info")  # endings of what stays readable


class _Rule(ctypes.Structure):
    _pack_, _layout_ = 1, "ms"  # without a gap; from Python 3.14 on this wants a name
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


class Rules:
    """The rules of fences, by fence: to make them takes far longer than to obey them."""

    def __init__(self, own: Path) -> None:
        self._own, self._lock = str(own), Lock()
        self._known: dict[Fence, tuple[int, dict[str, int]]] = {}

    @contextmanager
    def of(self, fence: Fence | None) -> Iterator[int | None]:
        """Yield a descriptor of the rules of a fence; None where the kernel has no Landlock."""
        if fence is None or not version():
            yield None
            return
        with self._lock:
            rules, times = self._known.get(fence, (None, {"": 1}))
            if any(_time(folder) != time for folder, time in times.items()):
                if rules is not None:
                    os.close(self._known.pop(fence)[0])
                rules, _ = self._known[fence] = _rules(fence, self._own)
            assert rules is not None
            mine = os.dup(rules)  # another thread may replace them meanwhile
        try:
            yield mine
        finally:
            os.close(mine)

    def close(self) -> None:
        """Close the descriptors."""
        for rules, _ in self._known.values():
            os.close(rules)


def enter(rules: int) -> None:
    """Let this process obey rules, for good."""
    _libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _called(RESTRICT_SELF, rules, 0)


@cache
def version() -> int:
    """Return the version of Landlock in this kernel; 0 when it has none."""
    if sys.platform != "linux":
        return 0
    number = _libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    return max(0, int(number))


def _rules(fence: Fence, own: str) -> tuple[int, dict[str, int]]:
    """Return the rules of a fence, and the folders that were listed, with their times."""
    closed, times = {*_resolved(fence.closed)}, dict[str, int]()
    rights = ctypes.c_uint64(READ_FILE)
    rules = _called(CREATE_RULESET, ctypes.byref(rights), ctypes.c_size_t(8), 0)
    code = {*_resolved((own, *fence.code, *sys.path, sys.prefix, sys.base_prefix))}
    for folder in ("", *code):
        _allow_around(rules, folder, closed, times)
    return rules, times


def _allow_around(rules: int, folder: str, closed: set[str], times: dict[str, int]) -> None:
    """Allow what is in a folder but closed files and folders; in a closed folder, only code."""
    if folder not in closed and not any(place.startswith(f"{folder}{os.sep}") for place in closed):
        _allow(rules, folder)
    elif folder not in times:
        times[folder] = _time(folder)
        with suppress(OSError), os.scandir(folder or os.sep) as entries:
            for entry in entries:
                if entry.path not in closed and (folder not in closed or _is_code(entry)):
                    _allow_around(rules, entry.path, closed, times)


def _is_code(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(CODE) or Path(entry.path, "__init__.py").exists()


def _allow(rules: int, path: str) -> None:
    """Allow to read a file, or all that is in a folder, now or later."""
    if sys.platform != "linux":
        return
    with suppress(OSError):  # it has gone, or is a link
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if not stat.S_ISLNK(os.fstat(opened).st_mode):
                rule = _Rule(READ_FILE, opened)
                _called(ADD_RULE, rules, PATH_BENEATH, ctypes.byref(rule), 0)
        finally:
            os.close(opened)


def _time(folder: str) -> int:
    """Return when what is in a folder has changed last; 0 where it is not there."""
    path = Path(folder or os.sep)
    return path.stat().st_mtime_ns if path.exists() else 0


def _resolved(paths: Iterable[str]) -> Iterator[str]:
    """Yield absolute paths without links, `~` and variables."""
    for path in paths:
        whole = os.path.expandvars(os.path.expanduser(path))  # noqa: PTH111 - Path has no expandvars
        if os.path.isabs(whole):  # noqa: PTH117
            yield os.path.realpath(whole)


def _called(*arguments: object) -> int:
    answer: int = _libc().syscall(*arguments)
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer


@cache
def _libc() -> ctypes.CDLL:
    """Return the C library, whose functions keep `errno`."""
    return ctypes.CDLL(None, use_errno=True)
