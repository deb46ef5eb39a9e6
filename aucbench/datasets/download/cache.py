"""Files of the user's cache: where they are, and how one comes into it.

    CACHE/
      files/3f9a.../NAME        a file; the folder has the first 16 digits of its sha256
      files/3f9a.../NAME.part   what came of it until now
      sets/81c0.../NAME         links to files that belong together

Design
  a. The place follows from the content, so it never holds anything else: two versions of a data
     set lie beside each other.
  b. NAME.part is flushed to the disk, checked, and renamed to NAME.
  c. Who downloads holds a lock (flock) on NAME.part. Others wait, then find NAME. The kernel
     releases the lock when the process ends, in whatever way. NAME.part may have been renamed or
     removed while somebody waited; then it is looked for anew.
  d. Formats of several files look for the others beside the first, by name. So files that are
     fetched together are returned as links in one folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from aucbench.datasets.download.progress import Show, shown
from aucbench.datasets.download.rules import RefusedError, require_address
from aucbench.datasets.download.transfer import Limits, cut, receive
from aucbench.errors import DataError

CACHE = "AUCBENCH_CACHE"
DIGITS = 16  # of the sha256 in the name of a folder
SHOWN = 12  # of the sha256 in a message


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A data file, and where it can be downloaded."""

    name: str  # the name of the file in the cache; its ending says the format
    urls: tuple[str, ...]  # the source, then mirrors, as addresses of http or https
    sha256: str  # the hash of the content, as 64 hexadecimal digits
    size: int | None = None  # the size in bytes, if it is known

    def __post_init__(self) -> None:
        if self.name in ("", ".", "..") or re.search(r"[/\\\0]", self.name):
            raise DataError(f"{self.name!r} is no name of a file; give one without a folder")
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise DataError(
                f"{self.name} has the hash {self.sha256!r}, wanted 64 hexadecimal digits; give "
                "what sha256sum prints for the file"
            )
        if not self.urls:
            raise DataError(f"{self.name} has no address; give one of http or https")
        for url in self.urls:
            require_address(url)


def cache_folder() -> Path:
    """Return the folder that AUCBENCH_CACHE names, or else `aucbench` in the user's cache."""
    if named := os.environ.get(CACHE):
        return Path(named).expanduser().absolute()
    import pooch

    return Path(pooch.os_cache("aucbench"))


def cached_path(file: RemoteFile) -> Path | None:
    """Return where a file is in the cache, or None; its content is not read.

    A file of another size than the wanted one counts as missing.
    """
    path = _place(file)
    try:
        found = path.stat()
    except OSError:
        return None
    return path if file.size in (None, found.st_size) else None


def fetch_files(files: Sequence[RemoteFile], *, progress: bool = False) -> tuple[Path, ...]:
    """Return local copies of files; download those that are not in the cache.

    The content of every file is checked, also of those that were in the cache. Several files are
    returned in one folder, under their names.
    """
    if len({file.name for file in files}) < len(files):
        raise DataError(
            f"{', '.join(file.name for file in files)} are fetched together and have a name twice; "
            "give each file a name of its own"
        )
    paths = [fetched(file, Limits(), progress) for file in files]
    if len(paths) < 2:
        return tuple(paths)
    listed = "\n".join(f"{file.sha256} {file.name}" for file in files)
    folder = cache_folder() / "sets" / hashlib.sha256(listed.encode()).hexdigest()[:DIGITS]
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            with suppress(FileExistsError):  # its target follows from the name of the folder
                (folder / path.name).symlink_to(os.path.relpath(path, folder))
    return tuple(folder / path.name for path in paths)


def fetch(source: str) -> Path:
    """Return the local copy of `https://host/file#sha256=HEX`; download it if necessary."""
    address, _, fragment = source.partition("#")
    require_address(address)
    wanted = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    if not wanted:
        raise DataError(
            f"{source} has no hash; write {address}#sha256=HEX, where HEX is what sha256sum prints "
            "for the file"
        )
    last = unquote(urlsplit(address).path).rpartition("/")[2]
    name = re.sub(r"[^\w.+-]", "_", last).lstrip(".")[-100:] or "file"
    file = RemoteFile(name, (address,), wanted[1].lower())
    return fetch_files([file], progress=True)[0]


def _place(file: RemoteFile) -> Path:
    return cache_folder() / "files" / file.sha256[:DIGITS] / file.name


def fetched(file: RemoteFile, limits: Limits, progress: bool) -> Path:
    """Return the path of a file with the wanted content; see `fetch_files`."""
    path = _place(file)
    if file.size is not None:
        limits = replace(limits, size=min(limits.size, file.size))
    with _writing(path):
        if _is(path, file):
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        with shown(file.name, progress) as show:
            while True:
                with _locked(path.with_name(f"{path.name}.part"), show) as part:
                    if _is(path, file):  # another process was quicker
                        return path
                    if part is not None:
                        _complete(file, part, path, limits, show)
                        return path


def _complete(file: RemoteFile, part: BinaryIO, path: Path, limits: Limits, show: Show) -> None:
    """Ask one address after the other for what is missing in `part`, and rename it to `path`."""
    if not (part.tell() and _is(Path(part.name), file)):
        said = []
        for url in file.urls:
            try:
                _receive_whole(file, url, part, limits, show)
                break
            except RefusedError as error:
                said.append(f"{url}: {error}")
        else:
            raise DataError(
                f"{file.name} could not be downloaded ({'; '.join(said)}); check the network, the "
                f"address and the hash, or save the file yourself as {path}"
            )
    Path(part.name).replace(path)
    _flush_folder(path.parent)


def _receive_whole(file: RemoteFile, url: str, part: BinaryIO, limits: Limits, show: Show) -> None:
    start = receive(url, part, limits, show)
    part.flush()
    os.fsync(part.fileno())
    found = _sha256(Path(part.name))
    if found == file.sha256:
        return
    cut(part, 0)
    if start:  # what was there before may be the cause
        _receive_whole(file, url, part, limits, show)
        return
    raise RefusedError(
        f"its hash differs, the sha256 is {found[:SHOWN]}... and not {file.sha256[:SHOWN]}..."
    )


@contextmanager
def _locked(path: Path, show: Show) -> Iterator[BinaryIO | None]:
    """Open `path` to append, alone; yield None if it is no longer the file of this name."""
    with path.open("ab") as part:
        try:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            show.waits()
            fcntl.flock(part, fcntl.LOCK_EX)
        if not _is_still(part, path):
            yield None
            return
        part.seek(0, os.SEEK_END)  # it may have grown since it was opened
        try:
            yield part
        finally:
            part.flush()
            if not os.fstat(part.fileno()).st_size:
                path.unlink(missing_ok=True)


def _is_still(part: BinaryIO, path: Path) -> bool:
    """Return whether an open file has the name `path`."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(part.fileno()), path.stat())
    return False


def _is(path: Path, file: RemoteFile) -> bool:
    """Return whether `path` is there with the content of `file`."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return False
    return file.size in (None, size) and _sha256(path) == file.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a `DataError`."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the cache cannot hold {path} ({error.strerror or error}); free some space, make the "
            f"folder writable, or name another one in {CACHE}"
        ) from error


def _flush_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
