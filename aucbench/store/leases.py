"""Leases: which process works on which key, also between hosts that share only the folder.

Design
  a. A process holds a lease when it created the file of the lease. The file holds a token
     that was never used before, and the process. link(2) creates the file together with its
     content and fails when the file exists, on network file systems too; O_EXCL is used where
     there are no links. A lease is stale when its process has ended. Where this host cannot
     see the process, the lease is stale when its file was not touched for `patience` seconds,
     by the clock of the file system.
  b. A file with the token T is removed or replaced only by a process that holds the lease
     `T.taking` and then still finds T in the file. One process at a time can hold T.taking,
     and a token never comes back. So one of several processes wins. A process that decided on
     old information finds another token and gives up. The file exists all the time.
     (Rejected: rename the stale file, read it, and rename it back when it is not stale. In
     between a third process could create the lease, and two would hold it.)
  c. A process that dies while it takes over a lease leaves T.taking stale. That lease is
     taken over in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from uuid import uuid4

from aucbench.store.files import (
    FULL,
    file_clock,
    make_folder,
    unfinished,
    whole_file,
    why,
)
from aucbench.store.lease_files import Lease, create_lease, lease_text, read_lease

BEATS = 8  # heartbeats per `patience`: a few may fail before the lease looks stale


class Leases:
    """The leases of one folder, and which of them this object holds.

    Parameters
    ----------
    folder : Path
        Created when it is needed.
    scratch : Path
        Folder for unfinished files, on the same file system.
    patience : float
        Seconds without a heartbeat after which the lease of another host is stale.
    report : function (str) -> None
        Called with a sentence about each lease that was lost.
    make : function (Path) -> None
        Creates a folder if it is missing.
    """

    def __init__(
        self,
        folder: Path,
        scratch: Path,
        patience: float,
        report: Callable[[str], None],
        make: Callable[[Path], None] = make_folder,
    ):
        self.folder = folder
        self.scratch = scratch
        self.patience = patience
        self.report = report
        self._make = make
        self._held: dict[Path, tuple[str, int]] = {}
        self._lock = Lock()
        self._closing = Event()
        self._heart: Thread | None = None

    def take(self, name: str) -> bool:
        """Take the lease; False when another process, or this object, holds it."""
        self._make(self.folder)
        self._make(self.scratch)
        path = self.folder / f"{name}.lease"
        token = self._take(path)
        if token is None:
            return False
        with self._lock:
            self._held[path] = token, os.getpid()
            self._keep_alive()
        return True

    def drop(self, name: str) -> None:
        """Return the lease; without effect when this object does not hold it."""
        self._drop(self.folder / f"{name}.lease")

    def beat(self) -> None:
        """Touch all leases that are held: a sign for other hosts that this process lives."""
        with self._lock:
            held = [*self._held.items()]
        for path, (token, pid) in held:
            if pid != os.getpid():  # after a fork the leases are those of the parent process
                continue
            try:
                found = read_lease(path)
                if found is not None and found.token == token:
                    os.utime(path)
                elif self._forget(path, token):
                    self.report(_lost(path, found))
            except OSError as error:
                self.report(f"the lease {path} cannot be renewed: {why(error)}")

    def sweep(self, is_finished: Callable[[str], bool]) -> None:
        """Remove leases that processes left when they died, if the work is finished."""
        leases, guards = sorted(self.folder.glob("*.lease")), sorted(self.folder.glob("*.taking"))
        for path in [*guards, *(path for path in leases if is_finished(path.stem))]:
            found = read_lease(path)
            if found is not None and self._is_stale(found):
                self._remove(path, found.token)

    def close(self) -> None:
        """Return all leases and stop the heartbeat."""
        self._closing.set()
        if self._heart is not None and self._heart.is_alive():
            self._heart.join()
        for path, (_, pid) in [*self._held.items()]:
            if pid == os.getpid():
                self._drop(path)

    def _take(self, path: Path) -> str | None:
        """Return the new token of the lease `path`; None when another process holds it."""
        token = uuid4().hex
        while (found := read_lease(path)) is None:
            if create_lease(path, token, self.scratch):
                return token
            if path.is_symlink():  # a broken link: it can be neither read nor created
                return None
        # A network file system may create the link and then lose its answer.
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
            # The disk is full, so that T.taking cannot be written; the lease must go all the same.
            found = read_lease(path)
            if found is not None and found.token == token:
                path.unlink(missing_ok=True)

    def _remove(self, path: Path, token: str) -> None:
        with self._alone_with(path, token) as found:
            if found is not None:
                path.unlink(missing_ok=True)

    @contextmanager
    def _alone_with(self, path: Path, token: str) -> Iterator[Lease | None]:
        """Yield the lease `path`, locked by T.taking; None when it has another token."""
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
        """Whether this object still held the lease that it found lost."""
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
        return f"the lease {path} was removed; its work may be done twice"
    by = f"process {found.holder.pid} on {found.holder.host}"
    return f"the lease {path} was taken over by {by}; its work may be done twice"
