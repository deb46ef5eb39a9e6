"""The file of a lease: read without trust, and created together with its content."""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from aucbench.infra.store.files import GONE, unfinished
from aucbench.infra.store.processes import Process, here

TOKEN = re.compile(r"[0-9a-f]{32}")
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EXDEV}


@dataclass(frozen=True, slots=True)
class Lease:
    """What a lease file says, and when it was touched last (ns, by the file system)."""

    token: str
    holder: Process | None
    touched: int


def read_lease(path: Path) -> Lease | None:
    """Return the lease; None when there is none.

    A file that makes no sense has no holder, and a token made of its inode and time.
    """
    try:
        with path.open("rb") as file:
            text, stat = file.read(4096), os.fstat(file.fileno())
    except OSError as error:
        if error.errno in GONE:
            return None
        raise
    try:
        said = json.loads(text)
        if TOKEN.fullmatch(said["token"]):
            return Lease(said["token"], Process.of(said), stat.st_mtime_ns)
    except (ValueError, LookupError, TypeError, RecursionError):
        said = None
    return Lease(f"{stat.st_ino:x}-{stat.st_mtime_ns:x}", None, stat.st_mtime_ns)


def lease_text(token: str) -> bytes:
    """Return what the lease file of this process says."""
    return (json.dumps({"token": token, **asdict(here())}, sort_keys=True) + "\n").encode("ascii")


def create_lease(path: Path, token: str, scratch: Path) -> bool:
    """Create a lease file together with its content; False when it exists.

    Parameters
    ----------
    path : Path
        The lease.
    token : str
        Of whoever wants it.
    scratch : Path
        Folder of the same file system for the file before it has its name.
    """
    beside = unfinished(scratch, "lease")
    try:
        beside.write_bytes(lease_text(token))
        path.hardlink_to(beside)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno in NO_LINKS:
            return _create_then_write(path, token)
        raise
    finally:
        beside.unlink(missing_ok=True)
    return True


def _create_then_write(path: Path, token: str) -> bool:
    """The same where the file system has no links: the file is empty for a moment."""
    try:
        with path.open("xb") as file:
            file.write(lease_text(token))
    except FileExistsError:
        return False
    except OSError:
        path.unlink(missing_ok=True)
        raise
    # Whoever stalled for long between creating and writing may have lost it.
    kept = read_lease(path)
    return kept is not None and kept.token == token
