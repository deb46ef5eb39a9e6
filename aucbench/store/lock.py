"""The lock of a results folder: one run at a time writes into it, also of several hosts.

The kernel returns the lock when its process ends, in whatever way. A file beside it says which
process that is, for those that wait; after `kill -9` it stays until the next run.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from aucbench.errors import DataError
from aucbench.store.files import read_file, refused
from aucbench.store.folder import HOLDER, LOCK, Home

if TYPE_CHECKING:
    from filelock import FileLock

PAUSE = 0.2  # seconds between two attempts
ATTEMPTS = 5  # to read who has the lock, which is told a moment after it was taken
UNKNOWN = "another process"


class RunLock:
    """The lock of one results folder."""

    def __init__(self, home: Home):
        self._home, self._folder = home, home.folder
        self._lock: FileLock | None = None

    @contextmanager
    def held(self, tell: Callable[[str], object]) -> Iterator[None]:
        """Take the lock and return it; see `DocumentStore.alone`."""
        self._lock = self._taken(tell)
        try:
            me = {"host": platform.node(), "process": os.getpid()}
            self._home.put(self._folder / HOLDER, json.dumps(me).encode())
            yield
        finally:
            self.drop()

    def drop(self) -> None:
        """Return the lock; without effect when this object does not hold it."""
        lock, self._lock = self._lock, None
        if lock is not None and lock.is_locked:  # not so in a fork of the process that has it
            with suppress(OSError):  # it is for people only
                (self._folder / HOLDER).unlink()
            lock.release()

    def _taken(self, tell: Callable[[str], object]) -> FileLock:
        from filelock import FileLock  # here: only a run needs it

        lock = FileLock(self._folder / LOCK, thread_local=False, poll_interval=PAUSE)
        if not self._acquired(lock, wait=False):
            who = _holder_told(self._folder)
            tell(f"{who} writes into {self._folder}; this run begins when that one ends")
            self._acquired(lock, wait=True)
        return lock

    def _acquired(self, lock: FileLock, *, wait: bool) -> bool:
        """Try to take the lock; without `wait`, False says that another process has it."""
        from filelock import Timeout

        self._home.require()
        try:
            lock.acquire(blocking=wait)
        except Timeout:
            return False
        except RuntimeError as error:  # this thread has it, and would wait for itself
            raise DataError(
                f"this process has begun a run into {self._folder} that has not ended; end it first"
            ) from error
        except OSError as error:
            self._home.require()  # it may be gone since then
            raise refused("lock", self._folder, error) from error
        self._require_home(lock)
        return True

    def _require_home(self, lock: FileLock) -> None:
        """Return the lock and raise `DataError` unless it is in the folder that was opened.

        filelock makes a folder that is not there. Where it did so, the folder is removed again.
        """
        try:
            self._home.require()
        except DataError:
            lock.release()
            with suppress(OSError):  # it is not there, or not empty: then it is somebody else's
                if [path.name for path in self._folder.iterdir()] == [LOCK]:
                    (self._folder / LOCK).unlink()
                    self._folder.rmdir()
            raise


def _holder_told(folder: Path) -> str:
    """Return what to call the process that has the lock; it tells its name after it has it."""
    for _ in range(ATTEMPTS):
        if (who := holder(folder)) != UNKNOWN:
            break
        sleep(PAUSE)
    return who


def holder(folder: Path) -> str:
    """Return what to call the process that has the lock."""
    try:
        who = json.loads(read_file(folder / HOLDER))
        return f"process {who['process']} on {who['host']}"
    except (OSError, ValueError, LookupError, TypeError):  # it has not told, or the file is damaged
        return UNKNOWN
