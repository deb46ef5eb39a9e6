"""Landlock: a process gives up rights on files, for itself and all that it starts, for good.

Linux has it since 5.13, where the system was not started without it. It needs no privilege, and
holds for root too. It is a list of what stays allowed: see `man 7 landlock`.

Only reading and writing are given up. Folders can still be listed and programs be run. Each
function raises an `OSError` when the kernel refuses.
"""

from __future__ import annotations

import ctypes
import os
import stat
from functools import cache

from aucbench.processes.linux import proc

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, on all processors but Alpha
ASK_VERSION = 1  # a flag of the first
PATH_BENEATH = 1  # a type of rule
PR_SET_NO_NEW_PRIVS = 38  # of linux/prctl.h

WRITE_FILE, READ_FILE = 1 << 1, 1 << 2
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))  # of files, folders, sockets, links, nodes
MAKE_NODES = 1 << 6 | 1 << 11  # of devices: no process needs to make some
REFER, TRUNCATE = 1 << 13, 1 << 14  # since versions 2 and 3: move between folders; shorten
OF_FILES = READ_FILE | WRITE_FILE | TRUNCATE
SCOPES = 1 << 0 | 1 << 1  # since version 6: no sockets without a file to others, and no signals


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("files", "network", "scopes")]


class _Rule(ctypes.Structure):
    _pack_, _layout_ = 1, "ms"  # without a gap; from Python 3.14 on this wants a name
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


@cache
def version() -> int:
    """Return the version of Landlock in this kernel; 0 when it has none."""
    number = proc.libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    return max(0, int(number))


def changing() -> int:
    """Return all rights to change files that this kernel knows."""
    later = ((2, REFER), (3, TRUNCATE))
    known = sum(right for since, right in later if version() >= since)
    return WRITE_FILE | REMOVE_AND_MAKE | known


def ruleset(rights: int, *, alone: bool) -> int:
    """Return the descriptor of a set of rules that gives up these rights, except by `allow`.

    `alone` gives up signals and nameless sockets to other processes too.
    """
    asked = _Ruleset(rights, 0, SCOPES if alone and version() >= 6 else 0)
    # Older kernels know the first fields only, and refuse others unless they are zero.
    return _called(CREATE_RULESET, ctypes.byref(asked), ctypes.c_size_t(ctypes.sizeof(asked)), 0)


def allow(rules: int, path: str, rights: int) -> None:
    """Allow rights on a file, or on a folder and all that is in it, now or later."""
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        in_folder = stat.S_ISDIR(os.fstat(opened).st_mode)
        rule = _Rule(rights if in_folder else rights & OF_FILES, opened)
        _called(ADD_RULE, rules, PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(opened)


def enter(rules: int) -> None:
    """Give the rights up; only the thread that calls this, and what it starts later, loses them."""
    proc.prctl(PR_SET_NO_NEW_PRIVS, 1)
    _called(RESTRICT_SELF, rules, 0)


def _called(*arguments: object) -> int:
    answer: int = proc.libc().syscall(*arguments)
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer
