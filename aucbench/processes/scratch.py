"""Folders for temporary files; a later run removes those that a killed process has left.

Design
  a. A folder is locked (flock) by the process that made it, and by those that it shares the lock
     with. The kernel releases the lock when the last of them ends, in whatever way. So a folder
     that can be locked has no owner any more.
  b. A folder is made, then locked. One that was taken for abandoned in between is gone, or has
     another inode; then another one is made.
  c. The lock is seen on this boot of this kernel only, in all its containers. The name holds the
     boot, since a folder for temporary files may be shared with other hosts.
  d. Windows locks no folder, but it removes no file that is open. So the process that made a folder
     holds a file in it open, and a folder whose file can be removed has no owner any more.
  e. Only folders of this user are removed, and only those whose name says that these rules hold.
     Other versions of aucbench that have other rules must use another name.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Self

from aucbench.processes.host import boot

MOST_WASTE = 32  # folders that wait for their removal
BEGIN = "aucbench-run-"  # of the name of each folder
OWNER = "owner"  # name of the file of (d)


class Scratch:
    """A new folder for temporary files, and the lock on it; a context manager.

    First it removes what killed processes of this user have left beside it.
    """

    path: Path
    lock: int  # a descriptor; a process that inherits it owns the folder too

    def __init__(self) -> None:
        remove_abandoned(Path(tempfile.gettempdir()))
        while not self._made():
            continue

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder and release the lock; without effect the second time."""
        if sys.platform == "win32":
            self._unlock()
        try:
            remove(self.path)
        finally:
            remove(self.path)  # a signal may have ended the first attempt
        self._unlock()

    def _unlock(self) -> None:
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def _made(self) -> bool:
        """Make and lock a folder; False when another process has removed it in between."""
        self.path = Path(tempfile.mkdtemp(prefix=_prefix())).resolve()
        if sys.platform == "win32":
            self.lock = os.open(self.path / OWNER, os.O_CREAT | os.O_EXCL)
            return True
        import fcntl

        try:
            self.lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            return False
        # Without locks in this file system, no process can take the folder for abandoned.
        with suppress(OSError):
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self.lock), self.path.stat()):
                return True
        os.close(self.lock)
        return False


class Waste:
    """Removes folders in a thread, since ext4 can take milliseconds for each of them.

    Methods may be called from several threads.
    """

    def __init__(self) -> None:
        self._folders: Queue[Path | None] = Queue(MOST_WASTE)
        self._thread: Thread | None = None
        self._lock = Lock()

    def put(self, folder: Path) -> None:
        """Let a folder be removed soon; wait when many are left."""
        with self._lock:
            if self._thread is None:
                thread = Thread(target=self._work, name="removal of folders", daemon=True)
                thread.start()  # which fails where a user may have no more threads
                self._thread = thread
            self._folders.put(folder)

    def stop(self) -> None:
        """End the thread; folders that were not removed yet stay."""
        with self._lock:
            if self._thread is None:
                return
            with suppress(Empty):
                while True:
                    self._folders.get_nowait()
            self._folders.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (folder := self._folders.get()) is not None:
            with suppress(OSError):  # it stays until the folder that it is in is removed
                remove(folder)


def remove_abandoned(beside: Path) -> None:
    """Remove the folders in `beside` that have no owner any more."""
    for path in beside.glob(f"{_prefix()}*"):
        # It is gone by now, no folder, or that of another user; or its owner has locked it.
        with suppress(OSError):
            _remove_abandoned(path)


def _remove_abandoned(path: Path) -> None:
    """Remove a folder; raises `OSError` if it has an owner."""
    if sys.platform == "win32":
        (path / OWNER).unlink()
        remove(path)
        return
    import fcntl

    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(fd).st_uid == os.geteuid():
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(path)
    finally:
        os.close(fd)


def empty(folder: Path) -> None:
    """Remove what is in a folder, if there is such a folder."""
    for path in [*folder.iterdir()] if folder.exists() else ():
        if path.is_dir() and not path.is_symlink():
            remove(path)
        else:
            path.unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Remove a folder and all below it, also where the permissions were taken away."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        folder.chmod(stat.S_IRWXU)
        for place, inner, files in os.walk(folder):
            for path in (Path(place, name) for name in (*inner, *files)):
                if not path.is_symlink():
                    path.chmod(stat.S_IRWXU)
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _prefix() -> str:
    return f"{BEGIN}{sha256(boot()).hexdigest()[:8]}-"
