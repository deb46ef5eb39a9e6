"""Folders for temporary files; a later run removes those that a killed process has left.

Design
  a. A folder has a lock file, which the process that made it keeps locked. The kernel releases the
     lock when that ends, in whatever way. So a folder whose lock is free has no owner any more.
  b. A folder is made, then its lock file, then that is locked. One whose lock file is not there is
     left alone until it is old, since another process may be about to lock it: it would lock a new
     file in a folder that is being removed. One that was taken for abandoned after that is gone;
     then another one is made.
  c. The lock is seen on this boot of this kernel only, in all its containers. The name holds the
     boot, since a folder for temporary files may be shared with other hosts.
  d. Only folders whose name says that these rules hold are removed, and of this user only.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from aucbench.processes.host import boot

BEGIN = "aucbench-tmp-"  # of the name of each folder
OWNER = "owner"  # name of the lock file
OLD = 3600.0  # seconds, after which nobody is about to lock a folder any more


class Scratch:
    """A new folder for temporary files, and the lock on it; a context manager.

    First it removes what killed processes of this user have left beside it.
    """

    path: Path

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
        self._lock.release()  # Windows removes no file that is open
        remove(self.path)

    def _made(self) -> bool:
        """Make and lock a folder; False when another process has removed it in between."""
        self.path = Path(tempfile.mkdtemp(prefix=_prefix())).resolve()
        # Threads share it, and a fork of this process owns nothing.
        self._lock = FileLock(self.path / OWNER, thread_local=False)
        with suppress(FileNotFoundError, FileExistsError, Timeout):
            self._lock.acquire(blocking=False)
        return self.path.exists() and self._lock.is_locked


def remove_abandoned(beside: Path) -> None:
    """Remove the folders in `beside` that have no owner any more."""
    for path in beside.glob(f"{_prefix()}*"):
        lock = FileLock(path / OWNER)
        # It is gone by now, no folder, or that of another user; or its owner has locked it.
        with suppress(OSError, Timeout):
            status = path.lstat()
            if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
                continue
            if not (path / OWNER).exists() and time.time() - status.st_mtime < OLD:
                continue
            with lock.acquire(blocking=False):
                shutil.rmtree(path, ignore_errors=True)
            remove(path)


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
