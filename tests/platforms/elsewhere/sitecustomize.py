"""Let our own code see another system: `AUCBENCH_TEST_SYSTEM` is win32 or darwin.

Python imports this file at its start, from a folder of PYTHONPATH, also in processes that are
started by others. Code of other packages sees Linux, since it has branches of its own. Ours

  a. imports modules of the standard library without what that system lacks, and is told that
     `sys.platform` is that system;
  b. finds no file of /proc and /sys;
  c. on Windows, may not rename, replace or remove a file that is open or mapped, may not make
     symbolic links, may not open a folder, and may not use some characters in the name of a file.
"""

import builtins
import errno
import os
import re
import shutil
import socket
import sys
from threading import Thread
from types import FrameType, ModuleType
from typing import Any

from absent import FOLDERS, MODULES, names_absent

OURS = re.compile(r"aucbench(_plugins)?(\.|$)")
SYSTEM = os.environ.get("AUCBENCH_TEST_SYSTEM", "")
FORBIDDEN = re.compile(r'[<>:"|?*]|[. ]$')  # in the name of a file on Windows
STANDARD = os.path.dirname(os.__file__)


class _Other(ModuleType):
    """A module as another system has it."""

    def __init__(self, real: ModuleType, absent: set[str], **other: Any):
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(_real=real, _absent=absent, _other=other)

    def __getattr__(self, name: str) -> Any:
        if name in self._absent:
            raise AttributeError(f"module {self.__name__!r} has no {name!r} on {SYSTEM}")
        return self._other[name] if name in self._other else getattr(self._real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._real, name, value)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._real) if name not in self._absent]


class _Socket(socket.socket):
    """A socket that can be shared, as on Windows: another process gets it by a further one."""

    def share(self, pid: int) -> bytes:
        door = socket.socket(socket.AF_UNIX)
        door.bind(f"\0aucbench-{os.getpid()}-{pid}")
        door.listen()
        copy = self.dup()

        def hand() -> None:
            with door, copy, door.accept()[0] as other:
                socket.send_fds(other, [b"\n"], [copy.fileno()])

        Thread(target=hand, daemon=True).start()
        return bytes(door.getsockname())


def _socketpair() -> tuple[socket.socket, ...]:
    return tuple(_Socket(fileno=one.detach()) for one in socket.socketpair())


def _fromshare(name: bytes) -> socket.socket:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(name)
        return socket.socket(fileno=socket.recv_fds(door, 1, 1)[1][0])


def _others() -> dict[str, ModuleType]:
    import select
    import signal
    import time

    real = {"os": os, "select": select, "signal": signal, "socket": socket, "time": time}
    seen = {name: _Other(real[name], absent) for name, absent in names_absent(SYSTEM).items()}
    if SYSTEM == "win32":
        seen["os"]._other.update(name="nt")
        seen["socket"]._other.update(socketpair=_socketpair, fromshare=_fromshare)
    return {**seen, "sys": _Other(sys, set(), platform=SYSTEM)}


def _importing(plain: Any) -> Any:
    """Return `__import__` that gives our own modules what another system has."""
    others, absent = _others(), MODULES[SYSTEM]

    def imported(name, globals=None, locals=None, fromlist=(), level=0):  # noqa: A002
        if level or not OURS.match((globals or {}).get("__name__") or ""):
            return plain(name, globals, locals, fromlist, level)
        if name in absent:
            raise ModuleNotFoundError(f"No module named {name!r} on {SYSTEM}", name=name)
        return others.get(name) or plain(name, globals, locals, fromlist, level)

    return imported


def _is_ours(frame: FrameType | None) -> bool:
    """Whether our code acts, itself or by the standard library."""
    while frame is not None:
        file = frame.f_code.co_filename
        if OURS.match(frame.f_globals.get("__name__") or ""):
            return True
        standard = file.startswith(STANDARD) and "-packages" not in file
        if not (standard or file.startswith("<")) or "tempfile" in file:
            return False
        frame = frame.f_back
    return False


def _path(thing: Any) -> str:
    return os.fsdecode(thing) if isinstance(thing, (str, bytes, os.PathLike)) else ""


def _in_use(path: str) -> bool:
    """Whether this process has a file open, or mapped."""
    try:
        file = os.stat(path)
    except OSError:
        return False
    for number in os.listdir("/proc/self/fd"):
        try:
            if os.path.samestat(os.stat(int(number)), file):
                return True
        except OSError:
            continue
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return any(line.rstrip("\n").endswith(os.path.realpath(path)) for line in maps)


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what the other system would refuse; called for each event of Python."""
    if event not in REFUSED or not _is_ours(sys._getframe().f_back):
        return
    REFUSED[event](*arguments)


def _opening(path: Any, mode: Any, flags: Any) -> None:
    place = os.path.abspath(_path(path)) if _path(path) else ""
    if place.startswith(FOLDERS):
        raise FileNotFoundError(errno.ENOENT, f"no such file on {SYSTEM}", place)
    if SYSTEM == "win32" and place:
        if FORBIDDEN.search(os.path.basename(place)):
            raise OSError(errno.EINVAL, f"no name of a file on {SYSTEM}", place)
        if os.path.isdir(place):
            raise PermissionError(errno.EACCES, f"a folder cannot be opened on {SYSTEM}", place)


def _listing(path: Any = ".", *_: Any) -> None:
    if _path(path).startswith(FOLDERS):
        raise FileNotFoundError(errno.ENOENT, f"no such folder on {SYSTEM}", _path(path))


def _seeing(plain: Any) -> Any:
    """Return `os.stat`, of which no event tells, without the files that another system lacks."""

    def seen(path: Any, *arguments: Any, **named: Any) -> os.stat_result:
        if _path(path).startswith(FOLDERS) and _is_ours(sys._getframe().f_back):
            raise FileNotFoundError(errno.ENOENT, f"no such file on {SYSTEM}", _path(path))
        return plain(path, *arguments, **named)

    return seen


def _moving(*paths: Any) -> None:
    for path in map(_path, paths):
        if path and not os.path.isdir(path) and _in_use(path):
            raise PermissionError(errno.EACCES, f"it is in use, on {SYSTEM}", path)


def _linking(target: Any, link: Any, *_: Any) -> None:
    raise OSError(errno.EPERM, f"a symbolic link needs a privilege on {SYSTEM}", _path(link))


REFUSED = {"open": _opening, "os.listdir": _listing, "os.scandir": _listing}
if SYSTEM == "win32":
    shutil._use_fd_functions = False  # it opens no folder there
    REFUSED |= {
        "os.rename": lambda source, target, *_: _moving(source, target),
        "os.remove": lambda path, *_: _moving(path),
        "os.symlink": _linking,
    }

if SYSTEM:
    builtins.__import__ = _importing(builtins.__import__)
    os.stat = _seeing(os.stat)
    sys.addaudithook(_watch)
