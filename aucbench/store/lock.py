"""The lock of a results folder: one run at a time writes into it, also of several hosts.

The kernel returns the lock when its process ends, in whatever way. A file beside it says which
process that is, for those that wait; after `kill -9` it stays until the next run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from aucbench.errors import DataError
from aucbench.store.files import Home, refused, unfinished, whole_file

if TYPE_CHECKING:
    from filelock import FileLock

LOCK, HOLDER = "run.lock", "run.json"
PAUSE = 0.2  # seconds between two attempts


class RunLock:
    """The lock of one results folder.

    Parameters
    ----------
    home : Home
        The results folder.
    """

    def __init__(self, home: Home):
        self._home = home
        self._lock: FileLock | None = None

    def take(self, tell: Callable[[str], object]) -> None:
        """Take the lock; wait while another process has it.

        Parameters
        ----------
        tell : function (str) -> object
            Called with a sentence, if it has to wait.

        Raises
        ------
        DataError
            When this process has the lock already and would wait for itself, when the folder
            cannot be written to, or was moved or deleted while this waited.
        """
        from filelock import FileLock, Timeout  # here: only a run needs it

        folder = self._home.folder
        lock = FileLock(folder / LOCK, thread_local=False, poll_interval=PAUSE)
        try:
            self._home.require()
            try:
                lock.acquire(blocking=False)
            except Timeout:
                tell(f"{_holder(folder)} writes into {folder}; this run begins when that one ends")
                lock.acquire()
            self._lock = lock
            with whole_file(folder / HOLDER, unfinished(folder, HOLDER)) as file:
                me = {"host": os.uname().nodename, "process": os.getpid()}
                file.write(json.dumps(me).encode())
        except RuntimeError as error:  # of the lock: this thread has it
            raise DataError(
                f"this process has begun a run into {folder} that has not ended; end it first"
            ) from error
        except OSError as error:
            self._home.require()
            raise refused("lock", folder, error) from error

    def drop(self) -> None:
        """Return the lock; without effect when this object does not hold it."""
        lock, self._lock = self._lock, None
        if lock is not None and lock.is_locked:  # not so in a fork of the process that has it
            (self._home.folder / HOLDER).unlink(missing_ok=True)
            lock.release()


def runs(folder: Path) -> bool:
    """Whether a run writes into a folder, or was killed there and no other has ended since."""
    return (folder / HOLDER).exists()


def _holder(folder: Path) -> str:
    """Return a name of the process that has the lock."""
    try:
        found = json.loads((folder / HOLDER).read_bytes())
        return f"process {found['process']} on {found['host']}"
    except (OSError, ValueError, LookupError, TypeError):  # it has not told, or the file is damaged
        return "another process"
