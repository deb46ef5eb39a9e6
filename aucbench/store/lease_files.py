"""The file of a lease: it is checked when it is read, and created together with its content."""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from aucbench.store.files import GONE, unfinished
from aucbench.store.processes import KnownProcess, this_process

LEASE_TOKEN = re.compile(r"[0-9a-f]{32}")
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EXDEV}


@dataclass(frozen=True, slots=True)
class Lease:
    """The content of a lease file, and when it was touched last (ns, by the file system)."""

    token: str
    holder: KnownProcess | None
    touched: int


def read_lease(path: Path) -> Lease | None:
    """Return the lease; None when there is none.

    A damaged file has no holder, and its inode and time as its token.
    """
    try:
        with path.open("rb") as file:
            text, stat = file.read(4096), os.fstat(file.fileno())
    except OSError as error:
        if error.errno in GONE:
            return None
        raise
    try:
        found = json.loads(text)
        if LEASE_TOKEN.fullmatch(found["token"]):
            return Lease(found["token"], KnownProcess.of(found), stat.st_mtime_ns)
    except (ValueError, LookupError, TypeError, RecursionError):
        found = None
    return Lease(f"{stat.st_ino:x}-{stat.st_mtime_ns:x}", None, stat.st_mtime_ns)


def lease_text(token: str) -> bytes:
    """Return the content of a lease file of this process."""
    content = {"token": token, **asdict(this_process())}
    return (json.dumps(content, sort_keys=True) + "\n").encode("ascii")


def create_lease(path: Path, token: str, scratch: Path) -> bool:
    """Create a lease file together with its content; False when it exists.

    Parameters
    ----------
    path : Path
        The lease.
    token : str
        The new token.
    scratch : Path
        Folder on the same file system, for the file before it gets its name.
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
    """Do the same where the file system has no links: the file is empty for a moment."""
    try:
        with path.open("xb") as file:
            file.write(lease_text(token))
    except FileExistsError:
        return False
    except OSError:
        path.unlink(missing_ok=True)
        raise
    # Between creating and writing, another process may have taken the lease over.
    kept = read_lease(path)
    return kept is not None and kept.token == token
