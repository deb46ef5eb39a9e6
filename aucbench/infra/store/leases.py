"""Leases: who works on what, also between hosts that share nothing but the folder.

Design
  a. To have a lease is to have created its file, which holds a token that was never used
     before and the process; link(2) makes it appear with its content, or fails when it is
     there, on network file systems too (O_EXCL where there are no links). The lease is
     stale once that process is gone, or, where that cannot be seen from here, once its file
     was not touched for `patience` seconds by the clock of the file system.
  b. A file with the token T is removed or replaced only by who has the lease `T.taking`,
     and found T in the file after getting it. T.taking can be had by one process at a
     time, and a T that is gone never comes back: so one of several wins, who judged late
     (ABA) finds another token and steps back, and the name is never free in between.
     (Rejected: rename the stale file away, look at it, put back what was not stale. While
     it is away a third process may create the lease: two holders.)
  c. Whoever dies while taking over leaves T.taking stale: it is taken over the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from uuid import uuid4

from aucbench.infra.store.files import (
    FULL,
    file_clock,
    make_folder,
    unfinished,
    whole_file,
    why,
)
from aucbench.infra.store.lease_files import Lease, create_lease, lease_text, read_lease

BEATS = 8  # per `patience`: a few may fail before the lease looks stale


class Leases:
    """The leases of one folder, and those of them that this object holds.

    Parameters
    ----------
    folder : Path
        Made when it is needed.
    scratch : Path
        For unfinished files; on the same file system.
    patience : float
        Seconds without a sign of life after which the lease of another host is stale.
    tell : function (str) -> None
        Takes a sentence about a lease that was lost.
    """

    def __init__(self, folder: Path, scratch: Path, patience: float, tell: Callable[[str], None]):
        self.folder = folder
        self.scratch = scratch
        self.patience = patience
        self.tell = tell
        self._held: dict[Path, tuple[str, int]] = {}
        self._lock = Lock()
        self._closing = Event()
        self._heart: Thread | None = None

    def take(self, name: str) -> bool:
        """Take the lease; False when somebody else, or this object, has it."""
        make_folder(self.folder)
        make_folder(self.scratch)
        path = self.folder / f"{name}.lease"
        token = self._take(path)
        if token is None:
            return False
        with self._lock:
            self._held[path] = token, os.getpid()
            self._keep_alive()
        return True

    def drop(self, name: str) -> None:
        """Give the lease back; without effect when it is not held."""
        self._drop(self.folder / f"{name}.lease")

    def beat(self) -> None:
        """Touch all leases that are held, so that other hosts see that we live."""
        with self._lock:
            held = [*self._held.items()]
        for path, (token, pid) in held:
            if pid != os.getpid():  # after a fork they are the parent's
                continue
            try:
                found = read_lease(path)
                if found is not None and found.token == token:
                    os.utime(path)
                elif self._forget(path, token):
                    self.tell(_lost(path, found))
            except OSError as error:
                self.tell(f"{path} cannot be kept alive: {why(error)}")

    def sweep(self, is_finished: Callable[[str], bool]) -> None:
        """Remove what dead processes left: half a takeover, and leases of finished work."""
        leases, guards = sorted(self.folder.glob("*.lease")), sorted(self.folder.glob("*.taking"))
        for path in [*guards, *(path for path in leases if is_finished(path.stem))]:
            found = read_lease(path)
            if found is not None and self._is_stale(found):
                self._remove(path, found.token)

    def close(self) -> None:
        """Give all leases back and stop the heartbeat."""
        self._closing.set()
        if self._heart is not None and self._heart.is_alive():
            self._heart.join()
        for path, (_, pid) in [*self._held.items()]:
            if pid == os.getpid():
                self._drop(path)

    def _take(self, path: Path) -> str | None:
        """Return the token of the lease `path`, or None when it is somebody's."""
        token = uuid4().hex
        while (found := read_lease(path)) is None:
            if create_lease(path, token, self.scratch):
                return token
            if path.is_symlink():  # to nowhere: it can neither be read nor be made
                return None
        # A network file system may have lost the answer to a link that it made.
        if found.token == token:
            return token
        stale = self._is_stale(found)
        return token if stale and self._take_over(path, found.token, token) else None

    def _take_over(self, path: Path, old: str, new: str) -> bool:
        with self._alone_with(path, old) as found:
            if found is None or not self._is_stale(found):
                return False
            with whole_file(path, unfinished(self.scratch, "lease")) as file:
                file.write(lease_text(new))
        return True

    def _drop(self, path: Path) -> None:
        with self._lock:
            token, _ = self._held.pop(path, ("", 0))
        if not token:
            return
        try:
            self._remove(path, token)
        except OSError as error:
            if error.errno not in FULL:
                raise
            # No room for the guard; the lease would be in the way of whoever makes room.
            found = read_lease(path)
            if found is not None and found.token == token:
                path.unlink(missing_ok=True)

    def _remove(self, path: Path, token: str) -> None:
        with self._alone_with(path, token) as found:
            if found is not None:
                path.unlink(missing_ok=True)

    @contextmanager
    def _alone_with(self, path: Path, token: str) -> Iterator[Lease | None]:
        """The lease `path`, which nobody else touches inside; None when it has not this token."""
        guard = self.folder / f"{token}.taking"
        key = self._take(guard)
        found = None if key is None else read_lease(path)
        try:
            yield found if found is not None and found.token == token else None
        finally:
            kept = None if key is None else read_lease(guard)
            if kept is not None and kept.token == key:
                guard.unlink(missing_ok=True)

    def _is_stale(self, lease: Lease) -> bool:
        lives = None if lease.holder is None else lease.holder.lives()
        if lives is None:
            return file_clock(self.scratch) - lease.touched > self.patience * 1e9
        return not lives

    def _forget(self, path: Path, token: str) -> bool:
        """Whether the lease was still held by the time that it was found lost."""
        with self._lock:
            if self._held.get(path, ("",))[0] != token:
                return False
            del self._held[path]
            return True

    def _keep_alive(self) -> None:
        if self._heart is None or not self._heart.is_alive():
            self._heart = Thread(target=self._beat_on, name="heartbeat of leases", daemon=True)
            self._heart.start()

    def _beat_on(self) -> None:
        while not self._closing.wait(self.patience / BEATS):
            self.beat()


def _lost(path: Path, found: Lease | None) -> str:
    if found is None or found.holder is None:
        return f"the lease {path} was removed; its cell may be computed twice"
    by = f"process {found.holder.pid} on {found.holder.host}"
    return f"the lease {path} was taken over by {by}; its cell may be computed twice"
